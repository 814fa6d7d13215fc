/* slow.c - a file system like a busy server: passes everything to a folder, after a delay.
 *
 *   slow FOLDER MILLISECONDS [nolock] MOUNT_POINT [FUSE OPTIONS]
 *
 * nolock: locks are refused, as where the server has no lock service.  Nothing is cached. */
#define FUSE_USE_VERSION 31
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fuse.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

typedef struct fuse_file_info info;

static const char *folder;
static long delay_ms;
static bool nolock;

/* Every operation begins with this. */
static void wait_for_server(void)
{
    nanosleep(&(struct timespec){delay_ms / 1000, delay_ms % 1000 * 1000000}, NULL);
}
static int outcome(long code) { return code < 0 ? -errno : (int)code; }

typedef struct {
    char text[PATH_MAX];
} place;

static place at(const char *path)
{
    place p;
    wait_for_server();
    snprintf(p.text, sizeof p.text, "%s%s", folder, path);
    return p;
}

/* ---- names ---- */

static void *start(struct fuse_conn_info *conn, struct fuse_config *config)
{
    (void)conn;
    config->use_ino = 1;
    config->direct_io = 1;
    config->attr_timeout = config->entry_timeout = config->negative_timeout = 0;
    return NULL;
}

static int slow_getattr(const char *path, struct stat *about, info *file)
{
    (void)file;
    return outcome(lstat(at(path).text, about));
}

static int slow_readdir(const char *path, void *to, fuse_fill_dir_t fill, off_t from, info *file,
                        enum fuse_readdir_flags flags)
{
    (void)from, (void)file, (void)flags;
    DIR *const d = opendir(at(path).text);
    if (d == NULL)
        return -errno;
    for (struct dirent *entry; (entry = readdir(d)) != NULL;)
        fill(to, entry->d_name, NULL, 0, 0);
    closedir(d);
    return 0;
}

static int slow_access(const char *path, int mode) { return outcome(access(at(path).text, mode)); }
static int slow_mkdir(const char *path, mode_t mode) { return outcome(mkdir(at(path).text, mode)); }
static int slow_rmdir(const char *path) { return outcome(rmdir(at(path).text)); }
static int slow_unlink(const char *path) { return outcome(unlink(at(path).text)); }

static int slow_rename(const char *from, const char *to, unsigned flags)
{
    const place old = at(from);
    char new[PATH_MAX];
    snprintf(new, sizeof new, "%s%s", folder, to);
    return outcome(renameat2(AT_FDCWD, old.text, AT_FDCWD, new, flags));
}

static int slow_chmod(const char *path, mode_t mode, info *file)
{
    (void)file;
    return outcome(chmod(at(path).text, mode));
}

static int slow_truncate(const char *path, off_t bytes, info *file)
{
    (void)file;
    return outcome(truncate(at(path).text, bytes));
}

static int slow_utimens(const char *path, const struct timespec times[2], info *file)
{
    (void)file;
    return outcome(utimensat(AT_FDCWD, at(path).text, times, AT_SYMLINK_NOFOLLOW));
}

static int slow_statfs(const char *path, struct statvfs *about)
{
    return outcome(statvfs(at(path).text, about));
}

/* ---- open files ---- */

static int keep(int fd, info *file)
{
    file->fh = (uint64_t)fd;
    return fd < 0 ? -errno : 0;
}

static int slow_open(const char *path, info *file)
{
    return keep(open(at(path).text, file->flags & ~O_NOFOLLOW), file);
}

static int slow_create(const char *path, mode_t mode, info *file)
{
    return keep(open(at(path).text, file->flags, mode), file);
}

static int slow_read(const char *path, char *to, size_t bytes, off_t from, info *file)
{
    (void)path;
    wait_for_server();
    return outcome(pread((int)file->fh, to, bytes, from));
}

static int slow_write(const char *path, const char *from, size_t bytes, off_t to, info *file)
{
    (void)path;
    wait_for_server();
    return outcome(pwrite((int)file->fh, from, bytes, to));
}

static int slow_fsync(const char *path, int data_only, info *file)
{
    (void)path, (void)data_only;
    wait_for_server();
    return outcome(fsync((int)file->fh));
}

static int slow_flock(const char *path, info *file, int operation)
{
    (void)path;
    wait_for_server();
    return nolock ? -ENOLCK : outcome(flock((int)file->fh, operation));
}

static int slow_release(const char *path, info *file)
{
    (void)path;
    wait_for_server();
    return outcome(close((int)file->fh));
}

static const struct fuse_operations operations = {
    .init = start,
    .getattr = slow_getattr,
    .readdir = slow_readdir,
    .access = slow_access,
    .mkdir = slow_mkdir,
    .rmdir = slow_rmdir,
    .unlink = slow_unlink,
    .rename = slow_rename,
    .chmod = slow_chmod,
    .truncate = slow_truncate,
    .utimens = slow_utimens,
    .statfs = slow_statfs,
    .open = slow_open,
    .create = slow_create,
    .read = slow_read,
    .write = slow_write,
    .fsync = slow_fsync,
    .flock = slow_flock,
    .release = slow_release,
};

int main(int argc, char **argv)
{
    nolock = argc > 3 && strcmp(argv[3], "nolock") == 0;
    const int used = nolock ? 3 : 2;
    if (argc <= used + 1)
        return 2;
    folder = argv[1];
    delay_ms = atol(argv[2]);
    umask(0);
    argv[used] = argv[0];
    return fuse_main(argc - used, argv + used, &operations, NULL);
}
