/* down.c - removes a lab, however far `up` had come. */
#include <errno.h>
#include <ftw.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "lab/private.h"

enum { STEP_MS = 20, POLITE_MS = 1500, PATIENCE_MS = 6000 };

/* Sends SIGTERM, then SIGKILL to the processes inside the lab.  New ones may appear meanwhile,
 * so it repeats until none is left. */
static atn_status end_processes(const atn_lab *lab, int first, int *ended_p, atn_error *err)
{
    const struct timespec step = {.tv_nsec = STEP_MS * 1000000L};
    for (int ms = 0; ms <= PATIENCE_MS; ms += STEP_MS) {
        atn_lab_pids pids = {0};
        const atn_status status = atn_lab_processes(lab, first, &pids, err);
        const int n = pids.n;
        *ended_p = ms == 0 ? n : *ended_p;
        for (int i = 0; i < n && (ms == 0 || ms >= POLITE_MS); i++)
            kill(pids.v[i], ms == 0 ? SIGTERM : SIGKILL);
        atn_vec_free(&pids);
        if (status != ATN_OK || n == 0)
            return status;
        nanosleep(&step, NULL);
    }
    return atn_fail(err, ATN_ENVIRONMENT, "processes inside lab '%s' cannot be ended", lab->name);
}

static int remove_entry(const char *path, const struct stat *about, int kind, struct FTW *walk)
{
    (void)about;
    (void)kind;
    (void)walk;
    return remove(path);
}

static atn_status remove_folder(const char *path, atn_error *err)
{
    if (nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT) == 0)
        return ATN_OK;
    return atn_fail(err, ATN_ENVIRONMENT, "%s cannot be removed: %s", path, strerror(errno));
}

static atn_status restore_if_last(atn_error *err)
{
    atn_lab_names names = {0};
    atn_status status = atn_lab_list(&names, err);
    if (status == ATN_OK && names.n == 0)
        status = atn_lab_kernel_restore(err);
    atn_lab_names_free(&names);
    return status;
}

static atn_status remove_lab(const atn_lab *lab, int *ended_p, atn_error *err)
{
    int delays = 0;
    atn_status status = end_processes(lab, ATN_SPACE_FRONTEND, ended_p, err);
    if (status == ATN_OK)
        status = end_processes(lab, ATN_SPACE_FABRIC, &delays, err);
    for (int i = lab->spaces.n - 1; i >= 0 && status == ATN_OK; i--)
        status = atn_lab_space_remove(&lab->spaces.v[i], err);
    return status == ATN_OK ? remove_folder(lab->folder, err) : status;
}

atn_status atn_lab_down(const char *name, int *ended_p, atn_error *err)
{
    atn_lab lab;
    int lock, ended;
    atn_status status = atn_lab_check(false, err);
    if (status == ATN_OK)
        status = atn_lab_lock(&lock, err);
    if (status != ATN_OK)
        return status;
    status = atn_lab_read(name, &lab, err);
    if (status == ATN_OK)
        status = remove_lab(&lab, ended_p != NULL ? ended_p : &ended, err);
    if (status == ATN_OK)
        status = restore_if_last(err);
    atn_lab_close(&lab);
    close(lock);
    return status;
}
