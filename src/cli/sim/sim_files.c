/* sim_files.c - the files of a simulated job: platform, hosts of the ranks, topology, machine. */
#include <errno.h>
#include <ftw.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/sim/sim.h"
#include "topo/write.h"

/* ---- the folder ---- */

static atn_status make_folder(const char *folder, atn_sim_files *f, atn_error *err)
{
    const char *const base = getenv("TMPDIR");
    f->kept = folder != NULL;
    const int n = f->kept ? snprintf(f->folder, sizeof f->folder, "%s", folder)
                          : snprintf(f->folder, sizeof f->folder, "%s/attune-sim-XXXXXX",
                                     base != NULL && *base != '\0' ? base : "/tmp");
    if (n >= (int)sizeof f->folder)
        errno = ENAMETOOLONG;
    else if (f->kept ? mkdir(f->folder, 0777) == 0 || errno == EEXIST : mkdtemp(f->folder) != NULL)
        return ATN_OK;
    const char *const why = strerror(errno);
    return atn_fail(err, ATN_ENVIRONMENT, "%s: the folder cannot be created: %s; %s", f->folder,
                    why, f->kept ? "name another one" : "set TMPDIR to another one");
}

static int remove_one(const char *path, const struct stat *about, int kind, struct FTW *at)
{
    (void)about, (void)kind, (void)at;
    remove(path);
    return 0;
}

void atn_cli_sim_files_remove(const atn_sim_files *f)
{
    if (!f->kept && *f->folder != '\0')
        nftw(f->folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

/* ---- the files ---- */

/* SimGrid resolves relative names in its own way. */
static atn_status write_text(const atn_sim_files *f, const char *name, const char *text,
                             char path[ATN_SIM_PATH], atn_error *err)
{
    char whole[PATH_MAX];
    snprintf(path, ATN_SIM_PATH, "%s/%s", f->folder, name);
    const atn_status status = atn_write_file(path, text, strlen(text), err);
    if (status == ATN_OK && realpath(path, whole) != NULL)
        snprintf(path, ATN_SIM_PATH, "%s", whole);
    return status;
}

/* The host file ends after n lines. */
static void cut_lines(char *text, int n)
{
    for (; n > 0 && *text != '\0'; text++)
        n -= *text == '\n';
    *text = '\0';
}

static atn_status write_hosts(const atn_sim_ranks *ranks, atn_sim_files *f, atn_error *err)
{
    char *text = NULL;
    atn_status status = atn_topo_to_hostfile(ranks->topo, &text, err);
    if (status != ATN_OK)
        return status;
    cut_lines(text, ranks->n);
    status = write_text(f, "hosts", text, f->hosts, err);
    free(text);
    return status;
}

static atn_status write_platform(const atn_sim_ranks *ranks, atn_sim_files *f, atn_error *err)
{
    char *text = NULL;
    atn_status status = atn_topo_to_simgrid(ranks->topo, &text, err);
    if (status == ATN_OK)
        status = write_text(f, "platform.xml", text, f->platform, err);
    free(text);
    return status;
}

static atn_status write_topology(const atn_sim_ranks *ranks, atn_sim_files *f, atn_error *err)
{
    char *const text = atn_topo_print(ranks->topo);
    if (text == NULL)
        return atn_fail(err, ATN_MEMORY, "out of memory");
    const atn_status status = write_text(f, "topology.conf", text, f->topology, err);
    free(text);
    return status;
}

static atn_status write_machine(const atn_args *a, const atn_sim_ranks *ranks, atn_sim_files *f,
                                atn_error *err)
{
    char *text = NULL;
    atn_status status = atn_cli_sim_machine(a, ranks->topo, &text, err);
    if (status == ATN_OK)
        status = write_text(f, "machine", text, f->machine, err);
    free(text);
    return status;
}

atn_status atn_cli_sim_files_write(const atn_args *a, const atn_sim_ranks *ranks, atn_sim_files *f,
                                   atn_error *err)
{
    *f = (atn_sim_files){.kept = true};
    atn_status status = make_folder(atn_cli_arg_text(a, "folder"), f, err);
    if (status == ATN_OK)
        status = write_platform(ranks, f, err);
    if (status == ATN_OK)
        status = write_hosts(ranks, f, err);
    if (status == ATN_OK)
        status = write_topology(ranks, f, err);
    if (status == ATN_OK)
        status = write_machine(a, ranks, f, err);
    return status;
}
