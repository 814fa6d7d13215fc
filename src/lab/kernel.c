/* kernel.c - settings of the kernel that are not kept per namespace.  Old values are recorded
 * before they are changed, and restored when the last lab goes. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lab/private.h"

#define RECORD ATN_LAB_ROOT "/.kernel"
#define PROC   "/proc/sys/net/ipv4/"

/* ---- files of one line ---- */

bool atn_lab_write(const char *path, const char *text)
{
    const int fd = open(path, O_WRONLY | O_CLOEXEC);
    const size_t n = strlen(text);
    const bool written = fd >= 0 && write(fd, text, n) == (ssize_t)n;
    if (fd >= 0)
        close(fd);
    return written;
}

static bool read_line(const char *path, char out[256])
{
    FILE *f = fopen(path, "re");
    const bool got = f != NULL && fgets(out, 256, f) != NULL;
    if (f != NULL)
        fclose(f);
    if (got)
        out[strcspn(out, "\n")] = '\0';
    return got;
}

/* ---- raising ---- */

/* A second lab finds the values raised already; the record of the first one stays. */
static atn_status record(const char *path, const char *old, atn_error *err)
{
    FILE *f = fopen(RECORD, "ae");
    const bool written = f != NULL && fprintf(f, "%s %s\n", path, old) > 0;
    if (f != NULL && fclose(f) == 0 && written)
        return ATN_OK;
    return atn_fail(err, ATN_ENVIRONMENT, RECORD ": %s", strerror(errno));
}

static atn_status change(const char *path, const char *old, const char *new, bool *changed_p,
                         atn_error *err)
{
    *changed_p = false;
    if (access(path, W_OK) != 0)
        return ATN_OK;
    const atn_status status = record(path, old, err);
    *changed_p = status == ATN_OK && atn_lab_write(path, new);
    return status;
}

/* All namespaces share one table of neighbours, and every host talks to every other. */
static atn_status raise_neighbours(int hosts, atn_error *err)
{
    static const struct {
        const char *path;
        int least;
    } limits[] = {
        {PROC "neigh/default/gc_thresh3", 65536},
        {PROC "neigh/default/gc_thresh2", 32768},
        {PROC "neigh/default/gc_thresh1", 16384},
    };
    char old[256], new[32];
    bool enough = false;
    atn_status status = ATN_OK;
    for (int i = 0; i < 3 && status == ATN_OK; i++) {
        bool changed = read_line(limits[i].path, old) && atoi(old) >= limits[i].least;
        snprintf(new, sizeof new, "%d", limits[i].least);
        if (!changed && read_line(limits[i].path, old))
            status = change(limits[i].path, old, new, &changed, err);
        enough = i == 0 ? changed : enough;
    }
    if (status == ATN_OK && !enough && hosts > 24)
        fprintf(stderr,
                "attune: note: the kernel's table of neighbours (" PROC "neigh/default/gc_thresh3) "
                "may not be raised from here; with %d hosts connections may stall\n",
                hosts);
    return status;
}

static bool lists(const char *words, const char *word)
{
    const char *at = strstr(words, word);
    return at != NULL && (at == words || at[-1] == ' ') && strchr(" ", at[strlen(word)]) != NULL;
}

/* A namespace may choose only what is allowed here; not every machine has cubic as its default. */
static atn_status allow_cubic(atn_error *err)
{
    static const char path[] = PROC "tcp_allowed_congestion_control";
    char old[256], available[256], new[300];
    bool changed;
    if (!read_line(path, old) || lists(old, "cubic") ||
        !read_line(PROC "tcp_available_congestion_control", available) ||
        !lists(available, "cubic"))
        return ATN_OK;
    snprintf(new, sizeof new, "%s cubic", old);
    return change(path, old, new, &changed, err);
}

atn_status atn_lab_kernel_raise(int hosts, atn_error *err)
{
    const atn_status status = raise_neighbours(hosts, err);
    return status == ATN_OK ? allow_cubic(err) : status;
}

/* ---- restoring ---- */

/* Backwards, so that the oldest of several records of a setting has the last word. */
static atn_status restore_lines(char *text, atn_error *err)
{
    char *line, now[256];
    while ((line = strrchr(text, '\n')) != NULL || *text != '\0') {
        char *path = line != NULL ? line + 1 : text;
        char *value = strchr(path, ' ');
        if (value != NULL && strncmp(path, PROC, strlen(PROC)) == 0) {
            *value++ = '\0';
            const bool same = read_line(path, now) && strcmp(now, value) == 0;
            if (!same && !atn_lab_write(path, value))
                return atn_fail(err, ATN_ENVIRONMENT, "%s cannot be set back to %s: %s", path,
                                value, strerror(errno));
        }
        *(line != NULL ? line : text) = '\0';
    }
    return ATN_OK;
}

atn_status atn_lab_kernel_restore(atn_error *err)
{
    char *text = NULL;
    if (access(RECORD, F_OK) != 0)
        return ATN_OK;
    atn_status status = atn_read_file(RECORD, &text, NULL, err);
    if (status == ATN_OK)
        status = restore_lines(text, err);
    if (status == ATN_OK && unlink(RECORD) != 0)
        status = atn_fail(err, ATN_ENVIRONMENT, RECORD ": %s", strerror(errno));
    free(text);
    return status;
}
