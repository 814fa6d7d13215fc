/* host.c - moves a process onto a host of a lab.
 *
 * To its processes a host is a network, a name, memory that they share with each other but with no
 * other host, /sys of that network, and /etc/hosts with the lab's names.  Without memory of their
 * own, MPI libraries would find each other through it and never use the links. */
#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lab/private.h"

static atn_status cannot(const char *what, atn_error *err)
{
    return atn_fail(err, ATN_ENVIRONMENT, "cannot %s: %s", what, strerror(errno));
}

static const char *name_of(const atn_lab *lab, int host)
{
    return host < 0 ? lab->frontend : lab->topo->nodes[lab->hosts.v[host]].name;
}

/* ---- memory and name ---- */

/* Where a job keeps the namespaces ("ipc", "uts") and the memory ("shm") of a host. */
static void share_path(const char *job, int host, const char *what, char out[ATN_LAB_PATH])
{
    snprintf(out, ATN_LAB_PATH, "%s/%d.%s", job, host, what);
}

static bool join(const char *job, int host, const char *what, int kind)
{
    char path[ATN_LAB_PATH];
    share_path(job, host, what, path);
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    const bool joined = fd >= 0 && setns(fd, kind) == 0;
    if (fd >= 0)
        close(fd);
    return joined;
}

static bool start_alone(const char *name)
{
    return unshare(CLONE_NEWUTS | CLONE_NEWIPC) == 0 && sethostname(name, strlen(name)) == 0;
}

/* ---- files ---- */

/* Control groups are mounted below /sys, and libraries read them for the cores they may use. */
static bool mount_sys(void)
{
    char old[64];
    const int groups = open("/sys/fs/cgroup", O_PATH | O_CLOEXEC);
    const bool mounted = mount("attune", "/sys", "sysfs", 0, NULL) == 0;
    if (groups >= 0) {
        snprintf(old, sizeof old, "/proc/self/fd/%d", groups);
        if (mounted)
            mount(old, "/sys/fs/cgroup", NULL, MS_BIND | MS_REC, NULL);
        close(groups);
    }
    return mounted;
}

static bool mount_memory(const char *job, int host)
{
    char path[ATN_LAB_PATH];
    if (job == NULL)
        return mount("attune", "/dev/shm", "tmpfs", 0, "mode=1777") == 0;
    share_path(job, host, "shm", path);
    return mount(path, "/dev/shm", NULL, MS_BIND, NULL) == 0;
}

static bool mount_names(const atn_lab *lab)
{
    char path[ATN_LAB_PATH];
    return atn_lab_path(lab, "hosts", path, NULL) == ATN_OK &&
           mount(path, "/etc/hosts", NULL, MS_BIND, NULL) == 0;
}

static atn_status mount_files(const atn_lab *lab, int host, const char *job, atn_error *err)
{
    if (unshare(CLONE_NEWNS) != 0 || mount("none", "/", NULL, MS_REC | MS_SLAVE, NULL) != 0)
        return cannot("have mounts of its own", err);
    if (!mount_sys())
        return cannot("mount /sys", err);
    if (!mount_memory(job, host))
        return cannot("mount /dev/shm", err);
    return mount_names(lab) ? ATN_OK : cannot("replace /etc/hosts", err);
}

atn_status atn_lab_become(const atn_lab *lab, int host, const char *job, atn_error *err)
{
    int home;
    const atn_status status =
        atn_lab_space_enter(&lab->spaces.v[ATN_SPACE_HOSTS + host], &home, err);
    if (status != ATN_OK)
        return status;
    close(home);
    const bool moved =
        job != NULL ? join(job, host, "ipc", CLONE_NEWIPC) && join(job, host, "uts", CLONE_NEWUTS)
                    : start_alone(name_of(lab, host));
    return moved ? mount_files(lab, host, job, err) : cannot("get memory and name of a host", err);
}

/* ---- what the processes of a job share ---- */

static bool keep_space(const char *job, int host, const char *what)
{
    char from[64], path[ATN_LAB_PATH];
    share_path(job, host, what, path);
    snprintf(from, sizeof from, "/proc/self/ns/%s", what);
    const int fd = open(path, O_RDONLY | O_CREAT | O_CLOEXEC, 0600);
    if (fd >= 0)
        close(fd);
    return fd >= 0 && mount(from, path, NULL, MS_BIND, NULL) == 0;
}

static bool make_share(const atn_lab *lab, const char *job, int host)
{
    char path[ATN_LAB_PATH];
    share_path(job, host, "shm", path);
    return mkdir(path, 0700) == 0 && chmod(path, 01777) == 0 && start_alone(name_of(lab, host)) &&
           keep_space(job, host, "ipc") && keep_space(job, host, "uts");
}

/* The folder is a file system of the job's own mount namespace, so it goes with the job. */
atn_status atn_lab_job_folder(const atn_lab *lab, const char *job, atn_error *err)
{
    if (mount("attune", job, "tmpfs", 0, "mode=755") != 0)
        return cannot("mount the folder of the job", err);
    for (int i = -1; i < lab->hosts.n; i++)
        if (!make_share(lab, job, i))
            return cannot("make what the processes of a host share", err);
    return join(job, -1, "ipc", CLONE_NEWIPC) && join(job, -1, "uts", CLONE_NEWUTS)
               ? ATN_OK
               : cannot("return to the front end", err);
}

/* ---- commands ---- */

static atn_status find_host(const atn_lab *lab, const char *name, int *host_p, atn_error *err)
{
    *host_p = atn_lab_host(lab, name);
    if (*host_p >= 0 || strcmp(name, lab->frontend) == 0)
        return ATN_OK;
    return atn_fail(err, ATN_INPUT, "lab '%s' has no host '%s'; it has %s to %s, and %s", lab->name,
                    name, name_of(lab, 0), name_of(lab, lab->hosts.n - 1), lab->frontend);
}

atn_status atn_lab_exec(const atn_lab *lab, const char *host, char *const *words, atn_error *err)
{
    int i;
    atn_status status = find_host(lab, host, &i, err);
    if (status == ATN_OK)
        status = atn_lab_become(lab, i, NULL, err);
    if (status != ATN_OK)
        return status;
    fflush(NULL);
    execvp(words[0], words);
    return atn_fail(err, ATN_ENVIRONMENT, "%s: cannot be run: %s", words[0], strerror(errno));
}

static char *join_words(char *const *words)
{
    char *text = NULL;
    size_t n;
    FILE *f = atn_open_text(&text, &n);
    for (int i = 0; f != NULL && words[i] != NULL; i++)
        fprintf(f, "%s%s", i > 0 ? " " : "", words[i]);
    if (f != NULL && fclose(f) == 0)
        return text;
    free(text);
    return NULL;
}

atn_status atn_lab_shell(const atn_lab *lab, const char *host, char *const *words, atn_error *err)
{
    char job[ATN_LAB_PATH];
    int i = -1;
    char *text = join_words(words);
    const struct passwd *me = getpwuid(getuid());
    const char *shell = me != NULL && *me->pw_shell != '\0' ? me->pw_shell : "/bin/sh";
    atn_status status =
        text != NULL ? find_host(lab, host, &i, err) : atn_fail(err, ATN_MEMORY, "out of memory");
    if (status == ATN_OK)
        status = atn_lab_path(lab, "job", job, err);
    if (status == ATN_OK)
        status = atn_lab_become(lab, i, job, err);
    if (status == ATN_OK) {
        execl(shell, shell, "-c", text, (char *)NULL);
        status = cannot("run the user's shell", err);
    }
    free(text);
    return status;
}
