/* job_topology.c - topologies in formats of other tools, for jobs.
 *
 * Jobs read the format of Attune only, so that the preload libraries need no other library.  The
 * file is named after its content: equal topologies share it, and no job reads one that changes. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/files.h"
#include "topo/read.h"

static atn_status cache_file(const char *text, char **path_p, atn_error *err)
{
    const char *const cache = getenv("XDG_CACHE_HOME"), *const home = getenv("HOME");
    const bool own = cache != NULL && *cache == '/';
    if (!own && (home == NULL || *home != '/'))
        return atn_fail(
            err, ATN_ENVIRONMENT,
            "HOME is not set, so there is no folder for the converted topology; convert "
            "it with 'attune topo convert FILE -o cluster.conf' and give that file");
    char *path = NULL;
    size_t bytes;
    FILE *f = atn_open_text(&path, &bytes);
    if (f == NULL)
        return atn_fail(err, ATN_MEMORY, "out of memory");
    fprintf(f, "%s%s/attune/topology-%016" PRIx64 ".conf", own ? cache : home, own ? "" : "/.cache",
            atn_hash(text, strlen(text), 0));
    if (fclose(f) != 0) {
        free(path);
        return atn_fail(err, ATN_MEMORY, "out of memory");
    }
    *path_p = path;
    return ATN_OK;
}

static atn_status convert(const char *name, char **job_p, atn_error *err)
{
    atn_topo *t = NULL;
    char *text = NULL, *path = NULL;
    atn_status status = atn_topo_load(name, &t, err);
    if (status == ATN_OK && (text = atn_topo_print(t)) == NULL)
        status = atn_fail(err, ATN_MEMORY, "out of memory");
    if (status == ATN_OK)
        status = cache_file(text, &path, err);
    if (status == ATN_OK) {
        atn_make_folders(path);
        status = atn_write_file(path, text, strlen(text), err);
    }
    if (status == ATN_OK)
        *job_p = path;
    else
        free(path);
    free(text);
    atn_topo_free(t);
    return status;
}

atn_status atn_cli_job_topology(const char *name, char **job_p, atn_error *err)
{
    if (atn_topo_added_format(name) != NULL)
        return convert(name, job_p, err);
    *job_p = strdup(name);
    return *job_p ? ATN_OK : atn_fail(err, ATN_MEMORY, "out of memory");
}
