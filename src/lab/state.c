/* state.c - the folder of a lab and its state file: append-only text, each line written before the
 * action that it records. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lab/private.h"

/* ---- names and folders ---- */

bool atn_lab_valid_name(const char *name)
{
    const size_t n = strlen(name);
    return n > 0 && n <= ATN_LAB_NAME_MAX && *name != '-' &&
           strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") == n;
}

atn_status atn_lab_path(const atn_lab *lab, const char *file, char out[ATN_LAB_PATH],
                        atn_error *err)
{
    if (snprintf(out, ATN_LAB_PATH, "%s/%s", lab->folder, file) < ATN_LAB_PATH)
        return ATN_OK;
    return atn_fail(err, ATN_ENVIRONMENT, "%s/%s: too long a name", lab->folder, file);
}

atn_status atn_lab_make_folder(const char *path, atn_error *err)
{
    char part[ATN_LAB_PATH];
    for (const char *end = path; *end != '\0';) {
        end = strchrnul(end + 1, '/');
        snprintf(part, sizeof part, "%.*s", (int)(end - path), path);
        if (mkdir(part, 0755) != 0 && errno != EEXIST)
            return atn_fail(err, ATN_ENVIRONMENT, "%s: cannot be created: %s", part,
                            strerror(errno));
    }
    return ATN_OK;
}

atn_status atn_lab_lock(int *fd_p, atn_error *err)
{
    if (atn_lab_make_folder(ATN_LAB_ROOT, err) != ATN_OK)
        return ATN_ENVIRONMENT;
    *fd_p = open(ATN_LAB_ROOT "/.lock", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (*fd_p >= 0 && flock(*fd_p, LOCK_EX) == 0)
        return ATN_OK;
    return atn_fail(err, ATN_ENVIRONMENT, ATN_LAB_ROOT "/.lock: %s", strerror(errno));
}

static int is_lab(const struct dirent *e) { return atn_lab_valid_name(e->d_name); }

atn_status atn_lab_list(atn_lab_names *names, atn_error *err)
{
    struct dirent **found = NULL;
    bool fits = true;
    const int n = scandir(ATN_LAB_ROOT, &found, is_lab, alphasort);
    if (n < 0 && errno != ENOENT)
        return atn_fail(err, ATN_ENVIRONMENT, ATN_LAB_ROOT ": %s", strerror(errno));
    for (int i = 0; i < n; i++) {
        char *name = strdup(found[i]->d_name);
        if (name == NULL || !atn_push(names, name)) {
            free(name);
            fits = false;
        }
        free(found[i]);
    }
    free(found);
    return fits ? ATN_OK : atn_fail(err, ATN_MEMORY, "out of memory");
}

void atn_lab_names_free(atn_lab_names *names)
{
    for (int i = 0; i < names->n; i++)
        free(names->v[i]);
    atn_vec_free(names);
}

/* ---- the state file ---- */

atn_status atn_lab_record(const atn_lab *lab, atn_error *err, const char *format, ...)
{
    char path[ATN_LAB_PATH], line[512];
    va_list args;
    va_start(args, format);
    int n = vsnprintf(line, sizeof line - 1, format, args);
    va_end(args);
    if (atn_lab_path(lab, "state", path, err) != ATN_OK)
        return ATN_ENVIRONMENT;
    const int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
    line[n++] = '\n';
    const bool written = fd >= 0 && write(fd, line, (size_t)n) == n;
    if (fd >= 0)
        close(fd);
    return written ? ATN_OK : atn_fail(err, ATN_ENVIRONMENT, "%s: %s", path, strerror(errno));
}

static bool take_space(atn_lab *lab, const char *text)
{
    char name[256];
    atn_lab_space s;
    if (sscanf(text, "%" SCNu64 " %255s", &s.id, name) != 2 || (s.name = strdup(name)) == NULL)
        return false;
    if (atn_push(&lab->spaces, s))
        return true;
    free(s.name);
    return false;
}

static bool take_network(atn_lab *lab, const char *text)
{
    return sscanf(text, "10.%d.0.0/16", &lab->network) == 1;
}

static bool take_mtu(atn_lab *lab, const char *text) { return sscanf(text, "%d", &lab->mtu) == 1; }

static bool take_ready(atn_lab *lab, const char *text)
{
    (void)text;
    return lab->ready = true;
}

static bool take_version(atn_lab *lab, const char *text)
{
    (void)lab;
    return strcmp(text, "1") == 0;
}

static const struct {
    const char *key;
    bool (*take)(atn_lab *lab, const char *text);
} lines[] = {
    {"attune-lab", take_version}, {"network", take_network}, {"mtu", take_mtu},
    {"space", take_space},        {"ready", take_ready},
};

static bool take_line(atn_lab *lab, char *line)
{
    char *text = line + strcspn(line, " ");
    text += *text != '\0' ? (*text = '\0', 1) : 0;
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
        if (strcmp(lines[i].key, line) == 0)
            return lines[i].take(lab, text);
    return false;
}

static atn_status parse(atn_lab *lab, const char *path, char *text, atn_error *err)
{
    char *rest, *end = strrchr(text, '\n');
    int number = 1;
    *(end != NULL ? end : text) = '\0'; /* half a line: its writer was killed before it went on */
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        if (!take_line(lab, line))
            return atn_fail(err, ATN_INPUT,
                            "%s:%d: invalid line; was it written by another version of attune?",
                            path, number);
        number++;
    }
    return ATN_OK;
}

atn_status atn_lab_read(const char *name, atn_lab *lab, atn_error *err)
{
    char path[ATN_LAB_PATH], *text = NULL;
    *lab = (atn_lab){.mtu = 1500};
    if (!atn_lab_valid_name(name))
        return atn_fail(err, ATN_USAGE,
                        "'%s' cannot name a lab: use at most %d letters, digits, - and _", name,
                        ATN_LAB_NAME_MAX);
    snprintf(lab->name, sizeof lab->name, "%s", name);
    snprintf(lab->folder, sizeof lab->folder, ATN_LAB_ROOT "/%s", name);
    if (access(lab->folder, F_OK) != 0)
        return atn_fail(err, ATN_INPUT, "there is no lab '%s'; `attune lab status` lists them",
                        name);
    atn_status status = atn_lab_path(lab, "state", path, err);
    if (status != ATN_OK || access(path, F_OK) != 0)
        return status; /* `up` was killed before it made anything */
    status = atn_read_file(path, &text, NULL, err);
    if (status == ATN_OK)
        status = parse(lab, path, text, err);
    free(text);
    return status;
}

/* ---- opening ---- */

/* The lab that is meant when none is named. */
static atn_status only_lab(char name[ATN_LAB_NAME_MAX + 1], atn_error *err)
{
    atn_lab_names names = {0};
    atn_status status = atn_lab_list(&names, err);
    if (status == ATN_OK && names.n == 0)
        status = atn_fail(err, ATN_INPUT, "no lab is up; make one with: attune lab up '4x4@100M'");
    else if (status == ATN_OK && names.n > 1)
        status = atn_fail(err, ATN_USAGE, "there are %d labs; select one with --name (%s, %s%s)",
                          names.n, names.v[0], names.v[1], names.n > 2 ? ", ..." : "");
    else if (status == ATN_OK)
        snprintf(name, ATN_LAB_NAME_MAX + 1, "%s", names.v[0]);
    atn_lab_names_free(&names);
    return status;
}

static bool same_hosts(const atn_lab *lab)
{
    bool same = lab->spaces.n == lab->hosts.n + ATN_SPACE_HOSTS;
    for (int i = 0; i < lab->hosts.n && same; i++) {
        const char *name = lab->spaces.v[ATN_SPACE_HOSTS + i].name;
        const char *host = lab->topo->nodes[lab->hosts.v[i]].name;
        same = strlen(name) > strlen(host) && strcmp(name + strlen(name) - strlen(host), host) == 0;
    }
    return same;
}

static atn_status read_topology(atn_lab *lab, atn_error *err)
{
    char path[ATN_LAB_PATH];
    if (!lab->ready)
        return atn_fail(err, ATN_ENVIRONMENT,
                        "lab '%s' was not completed; remove it with: attune lab down --name %s",
                        lab->name, lab->name);
    atn_status status = atn_lab_path(lab, "topology.conf", path, err);
    if (status == ATN_OK)
        status = atn_topo_load(path, &lab->topo, err);
    if (status == ATN_OK)
        status = atn_lab_layout(lab, err);
    if (status == ATN_OK && !same_hosts(lab))
        status = atn_fail(err, ATN_INPUT, "%s: has other hosts than the lab was made with", path);
    return status;
}

atn_status atn_lab_open(const char *name, atn_lab *lab, atn_error *err)
{
    char only[ATN_LAB_NAME_MAX + 1];
    *lab = (atn_lab){0};
    atn_status status = name != NULL ? ATN_OK : only_lab(only, err);
    if (status == ATN_OK)
        status = atn_lab_read(name != NULL ? name : only, lab, err);
    if (status == ATN_OK)
        status = read_topology(lab, err);
    if (status != ATN_OK)
        atn_lab_close(lab);
    return status;
}

void atn_lab_close(atn_lab *lab)
{
    for (int i = 0; i < lab->spaces.n; i++)
        free(lab->spaces.v[i].name);
    atn_vec_free(&lab->spaces);
    atn_vec_free(&lab->hosts);
    atn_topo_free(lab->topo);
    lab->topo = NULL;
}
