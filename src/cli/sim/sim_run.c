/* sim_run.c - runs the simulator and waits for it, because its files must be removed afterwards. */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/sim/sim.h"

enum { CANNOT_START = 127 };

static void watched_signals(sigset_t *set)
{
    static const int all[] = {SIGCHLD, SIGINT, SIGTERM, SIGHUP, SIGQUIT};
    sigemptyset(set);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        sigaddset(set, all[i]);
}

static void become(char *const *words, const sigset_t *before)
{
    sigprocmask(SIG_SETMASK, before, NULL);
    prctl(PR_SET_PDEATHSIG, SIGTERM); /* the job ends with this command */
    execvp(words[0], words);
    dprintf(STDERR_FILENO, "attune: %s: cannot be run: %s\n", words[0], strerror(errno));
    _exit(CANNOT_START);
}

/* A terminal sends its signals to both processes; others are passed on. */
static int wait_for(pid_t pid, const sigset_t *set)
{
    int status = 0;
    for (;;) {
        siginfo_t info;
        const int got = sigwaitinfo(set, &info);
        if (got > 0 && got != SIGCHLD && info.si_code <= 0)
            kill(pid, got);
        if (waitpid(pid, &status, WNOHANG) == pid)
            return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    }
}

atn_status atn_cli_sim_run(char *const *words, int *code_p, atn_error *err)
{
    sigset_t set, before;
    watched_signals(&set);
    sigprocmask(SIG_BLOCK, &set, &before);
    fflush(NULL);
    const pid_t pid = fork();
    if (pid == 0)
        become(words, &before);
    if (pid > 0)
        *code_p = wait_for(pid, &set);
    const int why = errno;
    sigprocmask(SIG_SETMASK, &before, NULL);
    return pid > 0 ? ATN_OK
                   : atn_fail(err, ATN_ENVIRONMENT, "cannot create a process: %s", strerror(why));
}
