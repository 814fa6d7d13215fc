/* measure_run.c - runs the job of a command that measures, and reads its output. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/measure.h"

enum { MAX_LINE = 1 << 16, PATIENCE_MS = 5000, CANNOT_START = 127 };

typedef struct {
    const atn_measure *m;
    pid_t pid;
    int out, err; /* pipes from the job; -1: closed */
    char line[MAX_LINE];
    int used;
    atn_status status;
    atn_error *why;
} job;

/* ---- start ---- */

static void become(char *const *words, int out, int err)
{
    const int nothing = open("/dev/null", O_RDONLY);
    dup2(nothing, STDIN_FILENO);
    dup2(out, STDOUT_FILENO);
    dup2(err, STDERR_FILENO);
    prctl(PR_SET_PDEATHSIG, SIGTERM); /* the job ends with this command */
    execvp(words[0], words);
    dprintf(STDERR_FILENO, "attune: %s: cannot be run: %s\n", words[0], strerror(errno));
    _exit(CANNOT_START);
}

static atn_status start(job *j, char *const *words)
{
    int out[2], err[2];
    if (pipe2(out, O_CLOEXEC) != 0)
        return atn_fail(j->why, ATN_ENVIRONMENT, "cannot create a pipe: %s", strerror(errno));
    if (pipe2(err, O_CLOEXEC) != 0) {
        close(out[0]);
        close(out[1]);
        return atn_fail(j->why, ATN_ENVIRONMENT, "cannot create a pipe: %s", strerror(errno));
    }
    fflush(NULL);
    j->pid = fork();
    if (j->pid == 0)
        become(words, out[1], err[1]);
    close(out[1]);
    close(err[1]);
    j->out = out[0];
    j->err = err[0];
    return j->pid > 0
               ? ATN_OK
               : atn_fail(j->why, ATN_ENVIRONMENT, "cannot create a process: %s", strerror(errno));
}

/* ---- read ---- */

/* After a failure, remaining output is discarded, so that the job can end. */
static void fail(job *j, atn_status status)
{
    if (status == ATN_OK || j->status != ATN_OK)
        return;
    j->status = status;
    kill(j->pid, SIGTERM);
}

static void take_line(job *j)
{
    j->line[j->used] = '\0';
    j->used = 0;
    if (j->status == ATN_OK)
        fail(j, j->m->line(j->m->context, j->line, j->why));
}

static void take_output(job *j, const char *text, ssize_t n)
{
    for (ssize_t i = 0; i < n; i++) {
        if (text[i] == '\n')
            take_line(j);
        else if (j->used + 1 < MAX_LINE)
            j->line[j->used++] = text[i];
        else
            fail(j, atn_fail(j->why, ATN_INPUT, "the job printed a line that is too long"));
    }
}

static void pass_on(job *j, const char *text, ssize_t n)
{
    if (j->m->make_room != NULL)
        j->m->make_room(j->m->context);
    fwrite(text, 1, (size_t)n, stderr);
    fflush(stderr);
}

/* False: end of the stream. */
static bool take_some(job *j, int fd)
{
    char text[4096];
    const ssize_t n = read(fd, text, sizeof text);
    if (n < 0 && errno == EINTR)
        return true;
    if (n <= 0)
        return false;
    if (fd == j->out)
        take_output(j, text, n);
    else
        pass_on(j, text, n);
    return true;
}

static void close_stream(int *fd)
{
    close(*fd);
    *fd = -1;
}

/* A failed job is terminated if it does not end by itself. */
static void read_all(job *j)
{
    while (j->out >= 0 || j->err >= 0) {
        struct pollfd wait[2] = {{j->out, POLLIN, 0}, {j->err, POLLIN, 0}};
        const int n = poll(wait, 2, j->status == ATN_OK ? -1 : PATIENCE_MS);
        if (n == 0) {
            kill(j->pid, SIGKILL);
            break;
        }
        if (n > 0 && wait[0].revents != 0 && !take_some(j, j->out))
            close_stream(&j->out);
        if (n > 0 && wait[1].revents != 0 && !take_some(j, j->err))
            close_stream(&j->err);
    }
    if (j->used > 0)
        take_line(j);
}

/* ---- end ---- */

static atn_status finish(job *j, const char *launcher)
{
    int code = 0;
    if (j->out >= 0)
        close_stream(&j->out);
    if (j->err >= 0)
        close_stream(&j->err);
    while (waitpid(j->pid, &code, 0) < 0 && errno == EINTR)
        ;
    if (j->status != ATN_OK)
        return j->status;
    if (WIFSIGNALED(code))
        return atn_fail(j->why, ATN_ENVIRONMENT, "the job was terminated by signal %d (%s)",
                        WTERMSIG(code), strsignal(WTERMSIG(code)));
    if (WEXITSTATUS(code) != 0)
        return atn_fail(j->why, ATN_ENVIRONMENT,
                        "the job failed: %s returned exit code %d; see its output above", launcher,
                        WEXITSTATUS(code));
    return ATN_OK;
}

atn_status atn_cli_measure_words(const atn_measure *m, char *const *words, atn_error *err)
{
    job *j = malloc(sizeof *j);
    if (j == NULL)
        return atn_fail(err, ATN_MEMORY, "out of memory");
    *j = (job){.m = m, .out = -1, .err = -1, .why = err};
    atn_status status = start(j, words);
    if (status == ATN_OK) {
        read_all(j);
        status = finish(j, words[0]);
    }
    free(j);
    return status;
}

atn_status atn_cli_measure_run(const atn_measure *m, atn_error *err)
{
    atn_words words = {0};
    atn_status status = atn_cli_measure_command(m, &words, err);
    if (status == ATN_OK)
        status = atn_cli_measure_words(m, words.v, err);
    atn_cli_words_free(&words);
    return status;
}
