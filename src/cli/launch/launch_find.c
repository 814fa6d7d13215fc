/* launch_find.c - finds programs like exec, and detects the MPI of a launcher. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/launch/launch.h"

extern char **environ;

const char *atn_cli_base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

/* ---- programs ---- */

static int runnable(const char *path)
{
    struct stat about;
    if (stat(path, &about) != 0)
        return errno;
    if (S_ISDIR(about.st_mode))
        return EISDIR;
    return access(path, X_OK) == 0 ? 0 : EACCES;
}

static int join(const char *folder, int n, const char *word, char out[4096])
{
    const int used =
        n > 0 ? snprintf(out, 4096, "%.*s/%s", n, folder, word) : snprintf(out, 4096, "%s", word);
    return used < 4096 ? runnable(out) : ENAMETOOLONG;
}

/* The first executable file, else the most specific error. */
static int search(const char *word, const char *path, char out[4096])
{
    int why = ENOENT;
    while (path != NULL && *path != '\0') {
        const int n = (int)strcspn(path, ":");
        const int got = join(path, n, word, out);
        if (got == 0)
            return 0;
        why = got == EACCES ? got : why;
        path += n + (path[n] != '\0');
    }
    return why;
}

int atn_cli_program_find(const char *word, const char *path, const char *folder, bool here,
                         char out[4096])
{
    const int n = folder != NULL ? (int)strlen(folder) : 0;
    if (*word == '/')
        return join("", 0, word, out);
    if (strchr(word, '/') != NULL)
        return join(folder, n, word, out);
    int why = search(word, path, out);
    if (why == ENOENT)
        why = search(word, getenv("PATH"), out);
    if (why == ENOENT && here)
        why = join(n > 0 ? folder : ".", n > 0 ? n : 1, word, out);
    return why;
}

/* ---- launchers ---- */

enum { PATIENCE_MS = 10000 };

/* Output of the program, truncated; with a time limit, because a script may ignore --version. */
static void collect(int fd, char *out, size_t size)
{
    size_t n = 0;
    struct pollfd wait = {.fd = fd, .events = POLLIN};
    while (n + 1 < size && poll(&wait, 1, PATIENCE_MS) > 0) {
        const ssize_t got = read(fd, out + n, size - 1 - n);
        if (got <= 0)
            break;
        n += (size_t)got;
    }
    out[n] = '\0';
}

bool atn_cli_program_output(const char *path, const char *option, char *out, size_t size)
{
    int ends[2];
    pid_t pid;
    char *const argv[] = {(char *)path, (char *)option, NULL};
    posix_spawn_file_actions_t actions;
    if (pipe2(ends, O_CLOEXEC) != 0)
        return false;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
    const bool started = posix_spawn(&pid, path, &actions, NULL, argv, environ) == 0;
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    if (started) {
        collect(ends[0], out, size);
        kill(pid, SIGKILL);
        waitpid(pid, NULL, 0);
    }
    close(ends[0]);
    return started;
}

static const atn_launcher *by_name(const char *name)
{
    const atn_launcher *l;
    for (int i = 0; (l = atn_cli_launcher_at(i)) != NULL; i++)
        if (atn_cli_in_words(l->programs, name))
            return l;
    return NULL;
}

static const atn_launcher *by_flavour(const char *flavour)
{
    const atn_launcher *l;
    for (int i = 0; (l = atn_cli_launcher_at(i)) != NULL; i++)
        if (l->flavour != NULL && strcmp(l->flavour, flavour) == 0)
            return l;
    return NULL;
}

static const atn_launcher *by_version(const char *path)
{
    char text[8192];
    const atn_launcher *l;
    if (!atn_cli_program_output(path, "--version", text, sizeof text))
        return NULL;
    for (int i = 0; (l = atn_cli_launcher_at(i)) != NULL; i++)
        for (int k = 0; l->versions[k] != NULL; k++)
            if (strstr(text, l->versions[k]) != NULL)
                return l;
    return NULL;
}

/* On most systems the target of the symbolic links is sufficient; `--version` needs a process. */
static const atn_launcher *identify(const char *word, const char *path, const char *flavour)
{
    char real[PATH_MAX];
    const atn_launcher *l = by_name(atn_cli_base_name(word));
    if (l == NULL && realpath(path, real) != NULL)
        l = by_name(atn_cli_base_name(real));
    if (l == NULL && flavour != NULL)
        l = by_flavour(flavour);
    return l != NULL ? l : by_version(path);
}

atn_status atn_cli_launcher_identify(const char *word, const char *flavour,
                                     const atn_launcher **launcher_p, atn_error *err)
{
    char path[4096];
    *launcher_p = NULL;
    if (!atn_cli_has_launcher_name(word))
        return ATN_OK;
    const int why = atn_cli_program_find(word, NULL, NULL, false, path);
    if (why != 0)
        return atn_fail(
            err, ATN_ENVIRONMENT,
            "launcher %s: %s; install an MPI library or give the full path of the launcher", word,
            strerror(why));
    *launcher_p = identify(word, path, flavour);
    if (*launcher_p == NULL)
        return atn_fail(err, ATN_ENVIRONMENT,
                        "cannot detect the MPI library of launcher %s; add --mpi openmpi or "
                        "--mpi mpich",
                        path);
    return ATN_OK;
}
