/* job.c - runs an MPI job on the hosts of a lab, from its front end.
 *
 * The job has a process namespace of its own, whose first process starts the launcher.  When that
 * process ends, however it ends, the kernel ends all others: helpers that became daemons, ranks
 * that hang.  It ends with us, too, even when we are killed. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lab/private.h"

enum { GRACE_S = 5 }; /* from a signal to the end by force */

static const int passed_on[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2};
enum { PASSED_ON = sizeof passed_on / sizeof passed_on[0] };

static void watched_signals(sigset_t *set)
{
    sigemptyset(set);
    sigaddset(set, SIGCHLD);
    for (int i = 0; i < PASSED_ON; i++)
        sigaddset(set, passed_on[i]);
}

static int code_of(int status)
{
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* A terminal sends its signals to all of us; only what was sent to one process is passed on. */
static void pass_on(pid_t pid, const siginfo_t *s)
{
    if (s->si_code <= 0)
        kill(pid, s->si_signo);
}

static bool is_end(int signal)
{
    return signal == SIGINT || signal == SIGTERM || signal == SIGHUP || signal == SIGQUIT;
}

/* Hydra returns 0 for a job that was killed by a signal, which must not count as success. */
static int final_code(int code, int ended_by)
{
    return code == 0 && ended_by != 0 ? 128 + ended_by : code;
}

/* ---- the first process of the job ---- */

typedef struct {
    const atn_lab *lab;
    const atn_lab_job *job;
    const sigset_t *before; /* signals as they were */
    int failures;           /* pipe to the process outside: reports a failure */
    int outside;            /* the other end */
} start;

static atn_status settle(const start *s, atn_lab_words *words, atn_error *err)
{
    char folder[ATN_LAB_PATH];
    atn_status status = atn_lab_become(s->lab, -1, NULL, err);
    if (status == ATN_OK && mount("attune", "/proc", "proc", 0, NULL) != 0)
        status = atn_fail(err, ATN_ENVIRONMENT, "cannot mount /proc: %s", strerror(errno));
    if (status == ATN_OK)
        status = atn_lab_path(s->lab, "job", folder, err);
    if (status == ATN_OK)
        status = atn_lab_job_folder(s->lab, folder, err);
    if (status == ATN_OK)
        status = atn_lab_launcher(s->lab, s->job, folder, words, err);
    return status;
}

static void report(int fd, const atn_error *err)
{
    if (write(fd, err, sizeof *err) != (ssize_t)sizeof *err)
        fprintf(stderr, "attune: %s\n", err->text);
}

static void become_launcher(const start *s, char *const *words)
{
    atn_error err = {0};
    sigprocmask(SIG_SETMASK, s->before, NULL);
    execvp(words[0], words);
    atn_fail(&err, ATN_ENVIRONMENT, "%s: cannot be run: %s", words[0], strerror(errno));
    report(s->failures, &err);
    _exit(127);
}

/* Orphans of the job come to this process, as to any first process. */
static int reap_until(pid_t launcher)
{
    sigset_t set;
    siginfo_t info;
    int ended_by = 0;
    watched_signals(&set);
    for (;;) {
        int status;
        pid_t pid;
        const int got = sigwaitinfo(&set, &info);
        if (got > 0 && got != SIGCHLD)
            pass_on(launcher, &info);
        if (is_end(got))
            ended_by = got;
        while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
            if (pid == launcher)
                return final_code(code_of(status), ended_by);
    }
}

/* Dies with the process outside, and at once when that is gone already. */
static void depend_on(const start *s)
{
    struct pollfd reader = {.fd = s->failures};
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    close(s->outside);
    if (poll(&reader, 1, 0) > 0)
        _exit(127);
}

static int first_process(const start *s)
{
    atn_error err = {0};
    atn_lab_words words = {0};
    depend_on(s);
    if (settle(s, &words, &err) != ATN_OK) {
        report(s->failures, &err);
        return 127;
    }
    const pid_t launcher = fork();
    if (launcher == 0)
        become_launcher(s, words.v);
    close(s->failures);
    return launcher > 0 ? reap_until(launcher) : 127;
}

/* ---- the process outside ---- */

static int wait_for(pid_t first)
{
    sigset_t set;
    siginfo_t info;
    int status;
    time_t end = 0;
    const struct timespec second = {.tv_sec = 1};
    struct timespec now;
    watched_signals(&set);
    while (waitpid(first, &status, WNOHANG) != first) {
        const int got = sigtimedwait(&set, &info, &second);
        clock_gettime(CLOCK_MONOTONIC, &now);
        if (got > 0 && got != SIGCHLD)
            pass_on(first, &info);
        if (is_end(got) && end == 0)
            end = now.tv_sec + GRACE_S;
        if (end != 0 && now.tv_sec >= end)
            kill(first, SIGKILL);
    }
    return code_of(status);
}

/* The error that the job reported before it started the launcher, if any. */
static atn_status read_failure(int fd, atn_error *err)
{
    atn_error failure = {0};
    if (read(fd, &failure, sizeof failure) != (ssize_t)sizeof failure)
        return ATN_OK;
    return atn_fail(err, failure.status, "%s", failure.text);
}

static atn_status run(start *s, int *code_p, atn_error *err)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return atn_fail(err, ATN_ENVIRONMENT, "no pipe: %s", strerror(errno));
    if (unshare(CLONE_NEWPID) != 0)
        return atn_fail(err, ATN_ENVIRONMENT, "process namespaces cannot be created: %s",
                        strerror(errno));
    fflush(NULL);
    s->outside = ends[0];
    s->failures = ends[1];
    const pid_t first = fork();
    if (first == 0)
        _exit(first_process(s));
    close(ends[1]);
    if (first > 0)
        *code_p = wait_for(first);
    const atn_status status =
        first > 0 ? read_failure(ends[0], err)
                  : atn_fail(err, ATN_ENVIRONMENT, "no process: %s", strerror(errno));
    close(ends[0]);
    return status;
}

atn_status atn_lab_run(const atn_lab *lab, const atn_lab_job *job, int *code_p, atn_error *err)
{
    sigset_t set, before;
    atn_status status = atn_lab_check(false, err);
    if (status != ATN_OK)
        return status;
    watched_signals(&set);
    sigprocmask(SIG_BLOCK, &set, &before);
    start s = {.lab = lab, .job = job, .before = &before};
    status = run(&s, code_p, err);
    sigprocmask(SIG_SETMASK, &before, NULL);
    return status;
}
