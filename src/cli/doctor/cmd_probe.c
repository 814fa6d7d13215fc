/* cmd_probe.c - attune probe: what the dynamic linker has preloaded into this process; started by
 * `attune doctor` with LD_PRELOAD. */
#include <dlfcn.h>
#include <string.h>

#include "cli/cli.h"

typedef const char *build_function(void);
typedef int version_function(char *text, int *length);

/* Both functions may be called before MPI_Init. */
static int run(const atn_args *a, atn_error *err)
{
    char text[16384] = ""; /* the limits of MPI libraries differ */
    int length = 0;
    Dl_info where;
    void *const build = dlsym(RTLD_DEFAULT, "attune_build");
    void *const version = dlsym(RTLD_DEFAULT, "MPI_Get_library_version");
    if (build == NULL || version == NULL || dladdr(version, &where) == 0)
        return atn_fail(err, ATN_ENVIRONMENT, "%s",
                        build == NULL ? "LD_PRELOAD has no effect" : "the MPI library is missing");
    ((version_function *)(uintptr_t)version)(text, &length);
    text[strcspn(text, "\n,")] = '\0';
    fprintf(a->out, "%s\n%s\n%s\n", ((build_function *)(uintptr_t)build)(), text, where.dli_fname);
    return ATN_OK;
}

const atn_command atn_cmd_probe = {
    .noun = "probe",
    .help = "Print which MPI library is preloaded (used by 'attune doctor')",
    .flags = ATN_CMD_OUTPUT | ATN_CMD_HIDDEN,
    .run = run,
};
