/* space.c - network namespaces: made, entered, searched for processes, removed. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lab/private.h"

static const char own_net[] = "/proc/self/ns/net";

void atn_lab_space_path(const char *name, char out[ATN_LAB_PATH])
{
    snprintf(out, ATN_LAB_PATH, ATN_LAB_SPACES "/%s", name);
}

static uint64_t id_of(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 ? about.st_ino : 0;
}

/* ---- making ---- */

/* Namespaces named there must be seen by other mount namespaces too, as `ip netns add` has it. */
static atn_status share_folder(atn_error *err)
{
    if (atn_lab_make_folder(ATN_LAB_SPACES, err) != ATN_OK)
        return ATN_ENVIRONMENT;
    if (mount("", ATN_LAB_SPACES, "none", MS_SHARED | MS_REC, NULL) == 0)
        return ATN_OK;
    if (errno == EINVAL &&
        mount(ATN_LAB_SPACES, ATN_LAB_SPACES, "none", MS_BIND | MS_REC, NULL) == 0 &&
        mount("", ATN_LAB_SPACES, "none", MS_SHARED | MS_REC, NULL) == 0)
        return ATN_OK;
    return atn_fail(err, ATN_ENVIRONMENT, ATN_LAB_SPACES ": cannot be shared: %s", strerror(errno));
}

/* Settings of the new namespace alone.  What the kernel lacks is not needed. */
static void settle(void)
{
    static const char *const settings[][2] = {
        {"ipv6/conf/all/disable_ipv6", "1"},      {"ipv6/conf/default/disable_ipv6", "1"},
        {"ipv4/tcp_no_metrics_save", "1"},        {"ipv4/tcp_slow_start_after_idle", "0"},
        {"ipv4/tcp_congestion_control", "cubic"}, {"bridge/bridge-nf-call-iptables", "0"},
        {"bridge/bridge-nf-call-ip6tables", "0"}, {"bridge/bridge-nf-call-arptables", "0"},
    };
    char path[128];
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++) {
        snprintf(path, sizeof path, "/proc/sys/net/%s", settings[i][0]);
        atn_lab_write(path, settings[i][1]);
    }
}

/* O_EXCL: an existing namespace of this name belongs to another program. */
static atn_status give_name(const char *name, atn_error *err)
{
    char path[ATN_LAB_PATH];
    atn_lab_space_path(name, path);
    const int fd = open(path, O_RDONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0);
    if (fd >= 0) {
        close(fd);
        if (mount(own_net, path, "none", MS_BIND, NULL) == 0)
            return ATN_OK;
    }
    return atn_fail(err, ATN_ENVIRONMENT, "namespace %s cannot be named: %s", path,
                    strerror(errno));
}

static atn_status make_here(atn_lab *lab, const char *name, atn_error *err)
{
    atn_lab_space s = {.id = id_of(own_net), .name = strdup(name)};
    settle();
    if (s.name == NULL || !atn_push(&lab->spaces, s)) {
        free(s.name);
        return atn_fail(err, ATN_MEMORY, "out of memory");
    }
    const atn_status status = atn_lab_record(lab, err, "space %" PRIu64 " %s", s.id, name);
    return status == ATN_OK ? give_name(name, err) : status;
}

atn_status atn_lab_space_make(atn_lab *lab, const char *name, atn_error *err)
{
    atn_status status = lab->spaces.n == 0 ? share_folder(err) : ATN_OK;
    if (status != ATN_OK)
        return status;
    const int home = open(own_net, O_RDONLY | O_CLOEXEC);
    if (home < 0 || unshare(CLONE_NEWNET) != 0) {
        status = atn_fail(err, ATN_ENVIRONMENT,
                          "network namespaces cannot be created: %s; the kernel or the container "
                          "forbids it",
                          strerror(errno));
        if (home >= 0)
            close(home);
        return status;
    }
    status = make_here(lab, name, err);
    const atn_status back = atn_lab_space_leave(home, err);
    return status != ATN_OK ? status : back;
}

/* ---- entering ---- */

atn_status atn_lab_space_leave(int home, atn_error *err)
{
    const int got = setns(home, CLONE_NEWNET);
    close(home);
    if (got == 0)
        return ATN_OK;
    return atn_fail(err, ATN_ENVIRONMENT, "cannot go back to the first network namespace: %s",
                    strerror(errno));
}

atn_status atn_lab_space_enter(const atn_lab_space *s, int *home_p, atn_error *err)
{
    char path[ATN_LAB_PATH];
    atn_lab_space_path(s->name, path);
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    const bool same = fd >= 0 && id_of(path) == s->id;
    const int home = same ? open(own_net, O_RDONLY | O_CLOEXEC) : -1;
    const bool inside = home >= 0 && setns(fd, CLONE_NEWNET) == 0;
    const int why = errno;
    if (fd >= 0)
        close(fd);
    if (inside) {
        *home_p = home;
        return ATN_OK;
    }
    if (home >= 0)
        close(home);
    return atn_fail(err, ATN_ENVIRONMENT, "namespace %s cannot be entered: %s", s->name,
                    fd >= 0 && !same ? "it is not the one that was made for the lab"
                                     : strerror(why));
}

/* ---- removing ---- */

atn_status atn_lab_space_remove(const atn_lab_space *s, atn_error *err)
{
    char path[ATN_LAB_PATH];
    struct stat about;
    atn_lab_space_path(s->name, path);
    if (lstat(path, &about) != 0)
        return ATN_OK;
    /* Between creating the file and mounting on it we may have been killed. */
    const bool unused = S_ISREG(about.st_mode) && about.st_size == 0 &&
                        (about.st_mode & 0777) == 0 && id_of(path) != s->id;
    if (!unused && id_of(path) != s->id)
        return ATN_OK;
    if ((unused || umount2(path, MNT_DETACH) == 0) && unlink(path) == 0)
        return ATN_OK;
    return atn_fail(err, ATN_ENVIRONMENT, "namespace %s cannot be removed: %s", path,
                    strerror(errno));
}

/* ---- processes ---- */

static bool is_inside(const atn_lab *lab, int first, uint64_t id)
{
    for (int i = first; i < lab->spaces.n; i++)
        if (lab->spaces.v[i].id == id)
            return true;
    return false;
}

atn_status atn_lab_processes(const atn_lab *lab, int first, atn_lab_pids *pids, atn_error *err)
{
    char path[300];
    struct dirent *e;
    bool fits = true;
    DIR *proc = opendir("/proc");
    if (proc == NULL)
        return atn_fail(err, ATN_ENVIRONMENT, "/proc: %s", strerror(errno));
    while ((e = readdir(proc)) != NULL) {
        const int pid = atoi(e->d_name);
        snprintf(path, sizeof path, "/proc/%s/ns/net", e->d_name);
        if (pid > 0 && pid != getpid() && is_inside(lab, first, id_of(path)))
            fits = atn_push(pids, pid) && fits;
    }
    closedir(proc);
    return fits ? ATN_OK : atn_fail(err, ATN_MEMORY, "out of memory");
}
