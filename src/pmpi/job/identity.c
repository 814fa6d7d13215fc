/* identity.c - see identity.h. */
#include "pmpi/job/identity.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "exec/flavour.h"
#include "pmpi/job/settings.h"

const char *atn_job_mpi_name(void) { return ATN_MPI_BUILT_FOR; }

/* The rank cannot be queried here: if the launcher sets it in the
 * environment, only rank 0 reports. */
static bool is_reporter(void)
{
    if (!atn_job_enabled())
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

bool atn_job_mpi_check(bool *same_version_p)
{
    const char *used, *linked;
    char text[16384]; /* the limits of MPI libraries differ */
    int length;
    PMPI_Get_library_version(text, &length);
    const bool same = atn_pmpi_same_mpi(&used, &linked);
    if (!same || strncmp(text, ATN_MPI_LEAD, strlen(ATN_MPI_LEAD)) != 0) {
        first_line(text);
        if (is_reporter())
            atn_interpose_print_line("this library is built for " ATN_MPI_NAME
                                     " (%s), but the program runs on %s (%s); "
                                     "everything stays native.  Preload the build for that MPI",
                                     linked, text, used);
        return false;
    }
    const char *version = text + strlen(ATN_MPI_LEAD);
    while (isspace((unsigned char)*version))
        version++;
    const size_t n = strlen(ATN_MPI_VERSION);
    const bool longer = isalnum((unsigned char)version[n]) ||
                        (version[n] == '.' && isalnum((unsigned char)version[n + 1]));
    *same_version_p = strncmp(version, ATN_MPI_VERSION, n) == 0 && !longer;
    return true;
}
