/* trust.c - files that other users may have written, and programs that run with other rights. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"

bool atn_is_privileged(void) { return getauxval(AT_SECURE) != 0; }

static bool is_ours(const struct stat *about)
{
    return about->st_uid == geteuid() || about->st_uid == 0;
}

/* Why a file that is open is not used; NULL: it is.  A group may write: its members share the file
 * on purpose.  A symbolic link may lead to it: the owner is that of the file itself. */
static const char *objection(const struct stat *about, atn_provider provider)
{
    const bool open_to_all = (about->st_mode & S_IWOTH) != 0 && S_ISREG(about->st_mode);
    if (S_ISDIR(about->st_mode))
        return "is a directory; name the file in it";
    if (provider == ATN_NAMED)
        return open_to_all && !is_ours(about)
                   ? "belongs to another user and every user may write it; copy it, or have its "
                     "owner run chmod o-w"
                   : NULL;
    if (!S_ISREG(about->st_mode))
        return "is not a file; remove it";
    if (!is_ours(about))
        return "belongs neither to this user nor to root; have it replaced, or name it explicitly "
               "if you trust its owner";
    return open_to_all ? "every user may write it; run chmod o-w on it" : NULL;
}

atn_status atn_read_checked_file(const char *path, atn_provider provider, char **text_p,
                                 size_t *bytes_p, atn_error *err)
{
    struct stat about;
    /* A pipe that was put in the place of a file must not block; one that is named may. */
    const int waits = provider == ATN_FOUND ? O_NONBLOCK | O_NOCTTY : 0;
    const int fd = open(path, O_RDONLY | O_CLOEXEC | waits);
    if (fd < 0 || fstat(fd, &about) != 0) {
        const int why = errno;
        if (fd >= 0)
            close(fd);
        return atn_fail(err, ATN_INPUT, "%s: cannot be read: %s", path, strerror(why));
    }
    const char *const why = objection(&about, provider);
    const atn_status status = why != NULL ? atn_fail(err, ATN_INPUT, "%s: %s", path, why)
                                          : atn_read_descriptor(fd, path, text_p, bytes_p, err);
    close(fd);
    return status;
}
