/* find.c - programs and libraries of Attune that are not in PATH. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lab/private.h"

/* Beside bin/attune where it is installed; ../lib is where a build has its libraries.  The agent
 * is itself in libexec/attune. */
atn_status atn_lab_find(const char *name, char out[ATN_LAB_PATH], atn_error *err)
{
    static const char *const places[] = {"../libexec/attune", "../lib/attune", "../lib"};
    char self[PATH_MAX], path[2 * PATH_MAX], real[PATH_MAX];
    const ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    self[n > 0 ? n : 0] = '\0';
    char *slash = strrchr(self, '/');
    for (int i = 0; i < 3 && slash != NULL; i++) {
        snprintf(path, sizeof path, "%.*s/%s/%s", (int)(slash - self), self, places[i], name);
        if (realpath(path, real) != NULL && strlen(real) < ATN_LAB_PATH) {
            strcpy(out, real);
            return ATN_OK;
        }
    }
    return atn_fail(err, ATN_ENVIRONMENT,
                    "%s is not installed beside this command; install Attune "
                    "as a whole",
                    name);
}
