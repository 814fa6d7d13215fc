/* identity.c - which MPI is underneath, and whether it is the one that this build knows. */
#include <ctype.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "pmpi/job.h"

#define TEXT_(x) #x
#define TEXT(x)  TEXT_(x)
#if defined(OPEN_MPI)
#define NAME    "Open MPI"
#define VERSION TEXT(OMPI_MAJOR_VERSION) "." TEXT(OMPI_MINOR_VERSION) "." TEXT(OMPI_RELEASE_VERSION)
#define LEAD    "Open MPI v" /* what the library's version string begins with */
#elif defined(MPICH_VERSION)
#define NAME    "MPICH"
#define VERSION MPICH_VERSION
#define LEAD    "MPICH Version:"
#else
#error "Attune knows the handles of Open MPI and of MPICH only"
#endif

const char *atn_mpi_built_for(void) { return NAME " " VERSION; }

/* Before the vote nobody knows its rank; launchers tell, more or less. */
static bool may_speak(void)
{
    if (!atn_is_awake())
        return false;
    static const char *const names[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK",
                                        "SLURM_PROCID"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (getenv(names[i]) != NULL)
            return atoi(getenv(names[i])) == 0;
    return true;
}

static void first_line(char *text)
{
    for (char *s = text; *s != '\0'; s++)
        *s = *s == '\t' ? ' ' : *s;
    text[strcspn(text, "\n,")] = '\0';
}

bool atn_mpi_fits(bool *same_version_p)
{
    const char *used, *linked;
    char text[16384]; /* of any MPI: their limits differ */
    int length;
    PMPI_Get_library_version(text, &length);
    const bool same = atn_same_mpi(&used, &linked);
    if (!same || strncmp(text, LEAD, strlen(LEAD)) != 0) {
        first_line(text);
        if (may_speak())
            atn_say("this library is built for " NAME " (%s), but the program runs on %s (%s); "
                    "everything stays native.  Preload the build for that MPI",
                    linked, text, used);
        return false;
    }
    const char *version = text + strlen(LEAD);
    while (isspace((unsigned char)*version))
        version++;
    const size_t n = strlen(VERSION);
    *same_version_p = strncmp(version, VERSION, n) == 0 && !isalnum((unsigned char)version[n]) &&
                      version[n] != '.';
    return true;
}

bool atn_mpi_takes_gpu_memory(void)
{
    static const char *const names[] = {"MPIX_Query_cuda_support", "MPIX_Query_rocm_support",
                                        "MPIX_Query_hip_support", "MPIX_Query_ze_support"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        int (*query)(void);
        *(void **)&query = dlsym(RTLD_DEFAULT, names[i]);
        if (query != NULL && query() != 0)
            return true;
    }
    return false;
}
