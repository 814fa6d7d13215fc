/* file.c - reads and writes whole files; a file is replaced atomically or not at all. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/base.h"

static atn_status cannot(atn_error *err, atn_status status, const char *path, const char *what)
{
    if (errno == ENOMEM)
        return atn_fail(err, ATN_MEMORY, "%s: out of memory", path);
    return atn_fail(err, status, "%s: cannot be %s: %s", path, what, strerror(errno));
}

/* Devices may have no end. */
static size_t most_bytes(int fd)
{
    struct stat is;
    return fstat(fd, &is) == 0 && S_ISCHR(is.st_mode) ? (size_t)64 << 20 : SIZE_MAX;
}

/* Reads to the end instead of a size determined before: pipes and /proc have none. */
static bool read_all(int fd, char **text_p, size_t *bytes_p)
{
    const size_t most = most_bytes(fd);
    size_t room = 4096, bytes = 0;
    char *text = malloc(room);
    while (text != NULL) {
        const ssize_t got = read(fd, text + bytes, room - bytes - 1);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            break;
        bytes += (size_t)got;
        if (got == 0) {
            text[bytes] = '\0';
            *text_p = text;
            *bytes_p = bytes;
            return true;
        }
        if (bytes > most) {
            errno = EFBIG;
            break;
        }
        if (room - bytes == 1) {
            char *more = realloc(text, room *= 2);
            if (more == NULL)
                break;
            text = more;
        }
    }
    free(text);
    return false;
}

atn_status atn_read_descriptor(int fd, const char *path, char **text_p, size_t *bytes_p,
                               atn_error *err)
{
    size_t bytes = 0;
    if (!read_all(fd, text_p, &bytes))
        return cannot(err, ATN_INPUT, path, "read");
    if (bytes_p != NULL)
        *bytes_p = bytes;
    return ATN_OK;
}

atn_status atn_read_file(const char *path, char **text_p, size_t *bytes_p, atn_error *err)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return cannot(err, ATN_INPUT, path, "read");
    const atn_status status = atn_read_descriptor(fd, path, text_p, bytes_p, err);
    close(fd);
    return status;
}

atn_status atn_read_input(const char *name, char **text_p, size_t *bytes_p, atn_error *err)
{
    return atn_read_descriptor(STDIN_FILENO, name, text_p, bytes_p, err);
}

static bool write_all(int fd, const char *text, size_t bytes)
{
    while (bytes > 0) {
        const ssize_t put = write(fd, text, bytes);
        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0)
            return false;
        text += put;
        bytes -= (size_t)put;
    }
    return true;
}

/* A new file beside the target.  The umask applies (mkstemp would ignore it), the process id and a
 * counter keep concurrent writers apart; a single writer always uses the same name. */
static int open_beside(const char *target, bool alone, char *name, size_t size)
{
    if (alone && (size_t)snprintf(name, size, "%s.tmp", target) < size) {
        unlink(name); /* leftovers, or a link that another user has put there */
        return open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    }
    for (int i = 0; i < 1000; i++) {
        if ((size_t)snprintf(name, size, "%s.%ld.%d.tmp", target, (long)getpid(), i) >= size) {
            errno = ENAMETOOLONG;
            return -1;
        }
        const int fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd >= 0 || errno != EEXIST)
            return fd;
    }
    return -1;
}

/* Pipes and devices have no contents to protect and cannot be renamed over. */
static bool write_through(const char *path, const char *text, size_t bytes)
{
    const int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    const bool done = write_all(fd, text, bytes);
    return close(fd) == 0 && done;
}

/* Writing past the file size limit would kill the user's program instead of failing. */
static bool within_limit(size_t bytes)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ||
        bytes <= limit.rlim_cur)
        return true;
    errno = EFBIG;
    return false;
}

/* Makes a new name in a folder durable, where the file system can. */
static void sync_folder(const char *target)
{
    char folder[PATH_MAX];
    const char *slash = strrchr(target, '/');
    snprintf(folder, sizeof folder, "%.*s", slash != NULL ? (int)(slash - target) + 1 : 1,
             slash != NULL ? target : ".");
    const int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0) {
        fsync(fd);
        close(fd);
    }
}

typedef struct {
    const char *text;
    size_t bytes;
    bool alone;
} content;

/* `old` describes the existing file, or is NULL. */
static bool replace(const char *target, const struct stat *old, const content *c)
{
    char name[PATH_MAX + 32];
    const int fd = within_limit(c->bytes) ? open_beside(target, c->alone, name, sizeof name) : -1;
    if (fd < 0)
        return false;
    bool done = write_all(fd, c->text, c->bytes) && fsync(fd) == 0;
    done = done && (old == NULL || fchmod(fd, old->st_mode & 07777) == 0);
    done = close(fd) == 0 && done;
    done = done && rename(name, target) == 0;
    if (!done) {
        const int why = errno;
        unlink(name);
        errno = why;
    } else {
        sync_folder(target);
    }
    return done;
}

static atn_status write_content(const char *path, const content *c, atn_error *err)
{
    struct stat old;
    char real[PATH_MAX];
    const bool exists = stat(path, &old) == 0;
    const char *target = exists && realpath(path, real) != NULL ? real : path;
    const bool special = exists && !S_ISREG(old.st_mode) && !S_ISDIR(old.st_mode);
    const bool done =
        special ? write_through(path, c->text, c->bytes) : replace(target, exists ? &old : NULL, c);
    return done ? ATN_OK : cannot(err, ATN_ENVIRONMENT, path, "written");
}

atn_status atn_write_file(const char *path, const char *text, size_t bytes, atn_error *err)
{
    return write_content(path, &(content){text, bytes, false}, err);
}

atn_status atn_write_file_alone(const char *path, const char *text, size_t bytes, atn_error *err)
{
    return write_content(path, &(content){text, bytes, true}, err);
}

/* ---- whether a file can be written ---- */

/* 0, or the errno of writing into the folder of a file. */
static int folder_refuses(const char *path, bool folders)
{
    char folder[PATH_MAX];
    struct stat about;
    if ((size_t)snprintf(folder, sizeof folder, "%s", path) >= sizeof folder)
        return ENAMETOOLONG;
    for (;;) {
        char *const slash = strrchr(folder, '/');
        const char *const above = slash == NULL ? "." : slash == folder ? "/" : folder;
        if (slash != NULL)
            *slash = '\0';
        if (stat(above, &about) == 0)
            return !S_ISDIR(about.st_mode) ? ENOTDIR : access(above, W_OK | X_OK) == 0 ? 0 : errno;
        if (errno != ENOENT || !folders)
            return errno;
    }
}

/* 0, or the errno of replacing the file. */
static int file_refuses(const char *path, bool folders)
{
    struct stat about;
    char real[PATH_MAX];
    const size_t n = strlen(path);
    if (n > 0 && path[n - 1] == '/')
        return EISDIR;
    if (stat(path, &about) != 0)
        return errno == ENOENT && n > 0 ? folder_refuses(path, folders) : errno;
    if (S_ISDIR(about.st_mode))
        return EISDIR;
    if (access(path, W_OK) != 0)
        return errno;
    return S_ISREG(about.st_mode) && realpath(path, real) != NULL ? folder_refuses(real, folders)
                                                                  : 0;
}

atn_status atn_may_write(const char *path, bool folders, atn_error *err)
{
    const int why = file_refuses(path, folders);
    const char *const remedy = why == ENOENT   ? "create its folder, or name another one"
                               : why == EISDIR ? "name a file in it"
                                               : "name another one";
    return why == 0 ? ATN_OK
                    : atn_fail(err, ATN_ENVIRONMENT, "%s: cannot be written: %s; %s", path,
                               strerror(why), remedy);
}

void atn_make_folders(const char *path)
{
    char folder[PATH_MAX];
    snprintf(folder, sizeof folder, "%s", path);
    for (char *slash = folder + 1; (slash = strchr(slash, '/')) != NULL; slash++) {
        *slash = '\0';
        mkdir(folder, 0777);
        *slash = '/';
    }
}

/* ---- locks ---- */

enum { LOCK_WAIT_MS = 20000, LOCK_STEP_MS = 5 };

/* The machine's clock, in simulated jobs too: the file is not simulated. */
static int64_t now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

atn_status atn_lock_file(const char *path, int *lock_p, atn_error *err)
{
    char real[PATH_MAX], name[PATH_MAX + 8];
    snprintf(name, sizeof name, "%s.lock", realpath(path, real) != NULL ? real : path);
    const int fd = open(name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (fd < 0)
        return cannot(err, ATN_ENVIRONMENT, name, "opened");
    /* On a file system of the network, trying may take longer than the pause between. */
    const int64_t until = now_ms() + LOCK_WAIT_MS;
    while (flock(fd, LOCK_EX | LOCK_NB) != 0) {
        if ((errno != EWOULDBLOCK && errno != EINTR) || now_ms() >= until) {
            const atn_status status = cannot(err, ATN_ENVIRONMENT, name, "locked");
            close(fd);
            return status;
        }
        nanosleep(&(struct timespec){.tv_nsec = LOCK_STEP_MS * 1000000L}, NULL);
    }
    *lock_p = fd;
    return ATN_OK;
}

void atn_unlock_file(int lock) { close(lock); }
