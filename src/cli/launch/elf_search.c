/* elf_search.c - finds the libraries that ld.so would load for a program, without loading them. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "cli/launch/elf.h"

/* ---- one directory, one list of directories ---- */

static bool usable(const char *path)
{
    atn_object o;
    if (!atn_cli_object_open(path, &o))
        return false;
    const bool good = o.elf && !o.foreign;
    atn_cli_object_close(&o);
    return good;
}

/* Folder of the object, for $ORIGIN. */
static void origin_of(const char *path, char out[PATH_MAX])
{
    if (realpath(path, out) == NULL)
        strcpy(out, "/");
    char *slash = strrchr(out, '/');
    slash[slash == out ? 1 : 0] = '\0';
}

/* Replaces $ORIGIN or ${ORIGIN} at the start of a path. */
static bool try_dir(const char *dir, int n, const char *name, const char *object, char out[4096])
{
    static const char *const words[] = {"$ORIGIN", "${ORIGIN}"};
    char origin[PATH_MAX] = "";
    for (int i = 0; i < 2; i++) {
        const int length = (int)strlen(words[i]);
        if (n >= length && strncmp(dir, words[i], (size_t)length) == 0) {
            origin_of(object, origin);
            dir += length;
            n -= length;
            break;
        }
    }
    if (n == 0 && *origin == '\0') {
        dir = ".";
        n = 1;
    }
    const int used = snprintf(out, 4096, "%s%.*s/%s", origin, n, dir, name);
    return used < 4096 && usable(out);
}

/* Directories separated by colons (LD_LIBRARY_PATH also by semicolons). */
static bool try_list(const char *list, const char *name, const char *object, char out[4096])
{
    while (list != NULL && *list != '\0') {
        const int n = (int)strcspn(list, ":;");
        if (try_dir(list, n, name, object, out))
            return true;
        list += n + (list[n] != '\0');
    }
    return false;
}

/* ---- /etc/ld.so.cache ---- */

typedef struct {
    char magic[20]; /* "glibc-ld.so.cache" "1.1" */
    uint32_t libraries, string_bytes, unused[5];
} cache_header;

typedef struct {
    int32_t flags;
    uint32_t name, path; /* offsets from the header */
    uint32_t os_version;
    uint64_t hwcap;
} cache_entry;

static const char cache_magic[] = "glibc-ld.so.cache1.1";

/* Old files contain the current format after an older one. */
static const char *cache_start(const char *text, size_t bytes)
{
    return memmem(text, bytes, cache_magic, sizeof cache_magic - 1);
}

static bool try_cache(const char *name, char out[4096])
{
    char *text;
    size_t bytes;
    bool found = false;
    if (atn_read_file("/etc/ld.so.cache", &text, &bytes, NULL) != ATN_OK)
        return false;
    const char *start = cache_start(text, bytes);
    const size_t left = start != NULL ? bytes - (size_t)(start - text) : 0;
    cache_header head = {0};
    if (left >= sizeof head)
        memcpy(&head, start, sizeof head);
    for (uint32_t i = 0; i < head.libraries && !found; i++) {
        cache_entry e;
        if (sizeof head + (i + UINT64_C(1)) * sizeof e > left)
            break;
        memcpy(&e, start + sizeof head + (size_t)i * sizeof e, sizeof e);
        if (e.name < left && e.path < left && strcmp(start + e.name, name) == 0 &&
            strlen(start + e.path) < 4096 && usable(strcpy(out, start + e.path)))
            found = true;
    }
    free(text);
    return found;
}

/* ---- one library ---- */

/* DT_RPATH of the object and of its parents, unless replaced by DT_RUNPATH. */
static bool try_rpaths(const char *name, const atn_loader *by, char out[4096])
{
    for (const atn_loader *l = by; l != NULL; l = l->parent)
        if (l->runpath == NULL && l->rpath != NULL && try_list(l->rpath, name, l->path, out))
            return true;
    return false;
}

/* The first readable file for this processor, in the order of ld.so; false: none. */
static bool library_find(const char *name, const atn_loader *by, const char *library_path,
                         char out[4096])
{
    if (strchr(name, '/') != NULL)
        return strlen(name) < 4096 && usable(strcpy(out, name));
    return (by->runpath == NULL && try_rpaths(name, by, out)) ||
           try_list(library_path, name, by->path, out) ||
           try_list(by->runpath, name, by->path, out) || try_cache(name, out) ||
           try_list("/lib:/usr/lib:/lib64:/usr/lib64", name, by->path, out);
}

bool atn_cli_library_find(const char *name, char out[4096])
{
    const atn_loader none = {.path = "/"};
    return library_find(name, &none, getenv("LD_LIBRARY_PATH"), out);
}

/* ---- the program and its dependencies ---- */

static bool is_mpi(const char *name)
{
    return strncmp(name, "libmpi.so.", 10) == 0 || strncmp(name, "libmpich.so.", 12) == 0;
}

typedef struct {
    char path[4096];
    atn_object object;
    atn_loader loader;
} node;

typedef struct {
    ATN_VEC(node *) nodes;       /* in the order of ld.so */
    ATN_VEC(const char *) names; /* already searched; point into the files of nodes */
    const char *library_path;
    atn_elf *about;
} walk;

static bool add_node(walk *w, const char *path, const atn_loader *parent)
{
    node *n = calloc(1, sizeof *n);
    if (n == NULL || !atn_cli_object_open(path, &n->object) || !atn_push(&w->nodes, n)) {
        if (n != NULL)
            atn_cli_object_close(&n->object);
        free(n);
        return false;
    }
    snprintf(n->path, sizeof n->path, "%s", path);
    n->loader = (atn_loader){n->path, n->object.rpath, n->object.runpath, parent};
    return true;
}

static bool known(walk *w, const char *name)
{
    for (int i = 0; i < w->names.n; i++)
        if (strcmp(w->names.v[i], name) == 0)
            return true;
    return !atn_push(&w->names, name);
}

/* Breadth first, like ld.so; stops at the first MPI library. */
static void follow(walk *w)
{
    char path[4096];
    for (int i = 0; i < w->nodes.n; i++) {
        const node *n = w->nodes.v[i];
        for (int j = 0; j < n->object.needed.n; j++) {
            const char *name = n->object.needed.v[j];
            if (is_mpi(name)) {
                snprintf(w->about->mpi, sizeof w->about->mpi, "%s", name);
                return;
            }
            if (!known(w, name) && library_find(name, &n->loader, w->library_path, path))
                add_node(w, path, &n->loader);
        }
    }
}

static void walk_free(walk *w)
{
    for (int i = 0; i < w->nodes.n; i++) {
        atn_cli_object_close(&w->nodes.v[i]->object);
        free(w->nodes.v[i]);
    }
    atn_vec_free(&w->nodes);
    atn_vec_free(&w->names);
}

atn_status atn_cli_elf_examine(const char *path, const char *library_path, atn_elf *about_p,
                               atn_error *err)
{
    atn_elf about = {0};
    walk w = {.library_path = library_path, .about = &about};
    if (!add_node(&w, path, NULL))
        return atn_fail(err, ATN_ENVIRONMENT, "%s: cannot be read: %s", path, strerror(errno));
    const atn_object *o = &w.nodes.v[0]->object;
    about.elf = o->elf;
    about.foreign = o->foreign;
    about.dynamic = o->dynamic;
    about.mpi_inside = o->mpi_inside;
    follow(&w);
    walk_free(&w);
    *about_p = about;
    return ATN_OK;
}
