/* doctor_host.c - what ranks of this host share, its cores, and what lab and simulation need. */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/doctor/doctor.h"
#include "lab/lab.h"
#include "shm/direct.h"
#include "shm/region.h"
#include "topo/inside.h"
#include "topo/node.h"

/* ---- another process ---- */

/* Exit code of a function in a process of its own; -1: killed, or none could be started. */
static int in_child(int (*run)(void *context), void *context)
{
    int status = -1;
    fflush(NULL);
    const pid_t pid = fork();
    if (pid == 0)
        _exit(run(context));
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    return pid > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* ---- shared memory of Attune ---- */

static int open_region(void *context)
{
    atn_shm_region region;
    return atn_shm_region_open(context, 2, 1, &region) ? 0 : 1;
}

void atn_cli_doctor_memory(atn_doctor *d)
{
    static const uint64_t secret[2] = {UINT64_C(0x41545455), UINT64_C(0x4e45)};
    atn_shm_offer offer;
    atn_shm_offer_make(1, secret, &offer);
    if (offer.fd < 0)
        atn_cli_doctor_add(d, ATN_DOCTOR_WARN,
                           "no anonymous file can be created, so ranks exchange messages by MPI; "
                           "raise the limit of file sizes (ulimit -f) or allow memfd_create");
    else if (in_child(open_region, &offer) != 0)
        atn_cli_doctor_add(d, ATN_DOCTOR_WARN,
                           "another process cannot open this one's files in /proc, so ranks "
                           "exchange messages by MPI; run all ranks of a host as one user in one "
                           "container, with /proc mounted, and raise ulimit -f and -v");
    else
        atn_cli_doctor_add(d, ATN_DOCTOR_OK, "two processes share an anonymous file");
    atn_shm_offer_close(&offer);
}

/* ---- single copies ---- */

static int offer_memory(void *context)
{
    const int *const ready = context;
    atn_shm_direct_permit();
    if (write(ready[1], "", 1) != 1)
        return 1;
    pause();
    return 0;
}

/* Ranks are siblings, so another child reads. */
static const uint64_t sample = UINT64_C(0x123456789abcdef);

static int read_sample(void *context)
{
    uint64_t copy = 0;
    const bool read = atn_shm_direct_read(*(const pid_t *)context, &copy,
                                          (uint64_t)(uintptr_t)&sample, sizeof copy);
    return read ? copy != sample : errno;
}

/* 0: one child reads another's memory; else errno. */
static int read_sibling(void)
{
    int ready[2], why = EAGAIN;
    char byte;
    if (pipe(ready) != 0)
        return errno;
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0)
        _exit(offer_memory(ready));
    close(ready[1]);
    if (pid > 0 && read(ready[0], &byte, 1) == 1)
        why = in_child(read_sample, &pid);
    close(ready[0]);
    if (pid > 0) {
        kill(pid, SIGKILL);
        waitpid(pid, NULL, 0);
    }
    return why;
}

void atn_cli_doctor_single_copy(atn_doctor *d)
{
    const int scope = atn_shm_direct_scope(), why = read_sibling();
    if (scope > 1)
        atn_cli_doctor_add(d, ATN_DOCTOR_WARN,
                           "kernel.yama.ptrace_scope is %d, so large messages inside a host take "
                           "two copies; run `sysctl kernel.yama.ptrace_scope=1` as root",
                           scope);
    else if (why != 0)
        atn_cli_doctor_add(d, ATN_DOCTOR_WARN,
                           "process_vm_readv: %s, so large messages inside a host take two copies; "
                           "allow ptrace in the container (docker run --cap-add SYS_PTRACE)",
                           why > 0 ? strerror(why) : "killed");
    else
        atn_cli_doctor_add(d, ATN_DOCTOR_OK,
                           "process_vm_readv reads the memory of another process");
}

/* ---- cores ---- */

static int count_cores(void)
{
    static atn_node node;
    atn_pus own;
    atn_topo_pus_own(&own);
    atn_topo_node_read(&own, &node);
    return atn_topo_node_count(&node, &own);
}

void atn_cli_doctor_cores(atn_doctor *d)
{
    bool far;
    const int cores = count_cores(), ranks = atn_cli_doctor_ranks(d, &far);
    const char *const s = cores == 1 ? "" : "s";
    if (ranks <= cores || far)
        atn_cli_doctor_add(d, ATN_DOCTOR_OK, "this process may use %d core%s%s", cores, s,
                           far ? "; ranks may be on several hosts, check there with --ranks" : "");
    else
        atn_cli_doctor_add(d, ATN_DOCTOR_WARN,
                           "%d ranks share %d core%s, so waiting ranks yield and times vary; start "
                           "at most %d rank%s on this host",
                           ranks, cores, s, cores, s);
}

/* ---- /dev/shm ---- */

/* MPICH 4.0 with UCX: 8.4 MB for each rank, and its start fails without. */
static const int64_t rank_bytes = 9 << 20;

void atn_cli_doctor_dev_shm(atn_doctor *d)
{
    struct statvfs about;
    bool far;
    int ranks = atn_cli_doctor_ranks(d, &far);
    ranks = far || ranks == 0 ? count_cores() : ranks;
    if (statvfs("/dev/shm", &about) != 0 || access("/dev/shm", W_OK) != 0) {
        atn_cli_doctor_add(d, ATN_DOCTOR_WARN,
                           "cannot be written: %s; mount a tmpfs there, MPI libraries need it",
                           strerror(errno));
        return;
    }
    const int64_t room = (int64_t)about.f_bavail * (int64_t)about.f_frsize;
    const int64_t megabytes = room >> 20, wanted = ranks * rank_bytes >> 20;
    if (megabytes < wanted)
        atn_cli_doctor_add(
            d, ATN_DOCTOR_WARN,
            "%lld MB are free, but MPICH takes 9 MB for each rank and fails without; "
            "enlarge it (mount -o remount,size=1g /dev/shm; docker run "
            "--shm-size=1g)",
            (long long)megabytes);
    else
        atn_cli_doctor_add(d, ATN_DOCTOR_OK, "%lld MB are free", (long long)megabytes);
}

/* ---- hwloc ---- */

void atn_cli_doctor_hwloc(atn_doctor *d)
{
    atn_inside inside = {0};
    atn_error err = {0};
    if (atn_topo_inside_read("this", &inside, &err) != ATN_OK)
        atn_cli_doctor_add(d, ATN_DOCTOR_NOTE, "%s%s", err.text,
                           strstr(err.text, "; ") != NULL
                               ? ""
                               : "; needed only for the structure inside hosts ('hwloc:this')");
    else
        atn_cli_doctor_add(d, ATN_DOCTOR_OK, "%d core%s, %d shared part%s", inside.cores.n,
                           inside.cores.n == 1 ? "" : "s", inside.parts.n,
                           inside.parts.n == 1 ? "" : "s");
    atn_topo_inside_free(&inside);
}

/* ---- lab ---- */

static int make_space(void *context)
{
    (void)context;
    return unshare(CLONE_NEWNET | CLONE_NEWNS | CLONE_NEWPID) == 0 ? 0 : errno;
}

void atn_cli_doctor_lab(atn_doctor *d)
{
    atn_error err = {0};
    int why = 0;
    if (atn_lab_check(true, &err) != ATN_OK)
        atn_cli_doctor_add(d, ATN_DOCTOR_NOTE, "%s", err.text);
    else if ((why = in_child(make_space, NULL)) != 0)
        atn_cli_doctor_add(d, ATN_DOCTOR_NOTE,
                           "namespaces cannot be created: %s; start the container with more "
                           "privileges (docker run --privileged), or use the host",
                           why > 0 ? strerror(why) : "killed");
    else
        atn_cli_doctor_add(d, ATN_DOCTOR_OK, "emulated clusters can be made ('attune lab up')");
}

/* ---- simulation ---- */

void atn_cli_doctor_sim(atn_doctor *d)
{
    char launcher[4096], library[ATN_LAB_PATH];
    const bool installed = atn_cli_program_find("smpirun", NULL, NULL, false, launcher) == 0;
    if (atn_lab_find("libattune_smpi_setup.so", library, NULL) != ATN_OK)
        atn_cli_doctor_add(d, ATN_DOCTOR_NOTE,
                           "Attune was built without SimGrid; install libsimgrid-dev and build "
                           "again for 'attune sim'");
    else if (!installed)
        atn_cli_doctor_add(d, ATN_DOCTOR_NOTE,
                           "smpirun is not in PATH; install SimGrid (Debian: libsimgrid-dev) for "
                           "'attune sim'");
    else
        atn_cli_doctor_add(d, ATN_DOCTOR_OK, "%s", launcher);
}
