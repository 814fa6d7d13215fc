/* run_check.c - which MPI the programs of a job use, and the library that fits.
 *
 * A job must be preloaded whole or not at all: a rank without Attune would wait for ever for the
 * others' vote.  So what cannot be preloaded is refused here, before anything is started. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/elf.h"
#include "cli/run.h"

/* ---- flavours ---- */

static const struct {
    const char *flavour, *title;
    const char *sonames; /* of its MPI library */
} flavours[] = {
    {"openmpi", "Open MPI", "libmpi.so.40 libmpi.so.20"},
    {"mpich", "MPICH", "libmpich.so.12 libmpi.so.12"},
};
enum { FLAVOURS = sizeof flavours / sizeof flavours[0] };

static int flavour_index(const char *flavour)
{
    for (int i = 0; i < FLAVOURS; i++)
        if (strcmp(flavours[i].flavour, flavour) == 0)
            return i;
    return -1;
}

static int flavour_of_soname(const char *soname)
{
    for (int i = 0; i < FLAVOURS; i++)
        if (atn_in_words(flavours[i].sonames, soname))
            return i;
    return -1;
}

const char *atn_flavour_of(const char *soname)
{
    const int i = flavour_of_soname(soname);
    return i >= 0 ? flavours[i].flavour : NULL;
}

/* ---- the library ---- */

/* Beside the command: ../lib/attune where it is installed, ../lib where it was built. */
static bool library_path(int flavour, char out[4096])
{
    static const char *const places[] = {"../lib/attune", "../lib"};
    char self[PATH_MAX], real[PATH_MAX];
    const ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    if (n <= 0)
        return false;
    self[n] = '\0';
    *strrchr(self, '/') = '\0';
    for (int i = 0; i < 2; i++) {
        const int used = snprintf(out, 4096, "%s/%s/libattune-%s.so", self, places[i],
                                  flavours[flavour].flavour);
        if (used < 4096 && realpath(out, real) != NULL) {
            strcpy(out, real);
            return true;
        }
    }
    return false;
}

/* The library's own MPI must be the program's, to the number behind .so. */
static bool library_needs(const char *path, const char *soname)
{
    atn_object o;
    bool needs = false;
    if (!atn_object_open(path, &o))
        return false;
    for (int i = 0; i < o.needed.n; i++)
        needs = needs || strcmp(o.needed.v[i], soname) == 0;
    atn_object_close(&o);
    return needs;
}

static atn_status take_library(int flavour, const char *soname, char **library_p, atn_error *err)
{
    char path[4096];
    if (!library_path(flavour, path))
        return atn_fail(err, ATN_ENVIRONMENT,
                        "libattune-%s.so is not installed beside this command; build Attune where "
                        "%s's compiler wrapper is found",
                        flavours[flavour].flavour, flavours[flavour].title);
    if (strpbrk(path, ": ") != NULL)
        return atn_fail(err, ATN_ENVIRONMENT,
                        "%s cannot be preloaded: its path holds a blank or a colon; install Attune "
                        "elsewhere",
                        path);
    if (*soname != '\0' && !library_needs(path, soname))
        return atn_fail(err, ATN_ENVIRONMENT,
                        "the program uses %s, but %s was built for another %s; build Attune with "
                        "the program's MPI",
                        soname, path, flavours[flavour].title);
    *library_p = strdup(path);
    return *library_p != NULL ? ATN_OK : atn_fail(err, ATN_MEMORY, "out of memory");
}

/* The only one that is installed, for programs that do not show their MPI; -1: none or several. */
static int only_library(void)
{
    char path[4096];
    int only = -1;
    for (int i = 0; i < FLAVOURS; i++)
        if (library_path(i, path)) {
            if (only >= 0)
                return -1;
            only = i;
        }
    return only;
}

/* ---- programs ---- */

typedef struct {
    const atn_launch *l;
    int flavour;     /* -1: not known yet */
    const char *who; /* what told the flavour, for messages */
    char soname[64]; /* MPI library of the programs; "": none seen */
    bool may_load;   /* some program may load MPI later: a script, an interpreter */
    bool programs;   /* at least one program was named */
} check;

static atn_status find_program(const check *c, const atn_app *app, char path[4096], atn_error *err)
{
    const char *word = c->l->words[app->program];
    const bool here = c->l->launcher != NULL && c->l->launcher->looks_here;
    const int why = atn_program_find(word, app->path, app->folder, here, path);
    if (why == 0)
        return ATN_OK;
    if (why == EACCES)
        return atn_fail(err, ATN_ENVIRONMENT,
                        "program %s is not executable; `chmod +x` it, or name the program", word);
    return atn_fail(err, ATN_ENVIRONMENT,
                    "program %s: %s; name an existing program, with its path if it is not in PATH",
                    word, strerror(why));
}

/* The kernel makes ld.so ignore LD_PRELOAD where the file changes who runs it. */
static bool drops_preload(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && (((about.st_mode & S_ISUID) && about.st_uid != geteuid()) ||
                                       ((about.st_mode & S_ISGID) && about.st_gid != getegid()));
}

/* NULL, or why nothing can be preloaded into the program. */
static const char *obstacle(const atn_elf *about, const char *path)
{
    if (!about->elf)
        return NULL;
    if (about->foreign)
        return "was built for another processor; give a program for this one";
    if (!about->dynamic)
        return "is statically linked, so Attune cannot be preloaded into it and the other ranks "
               "would wait for it; link it dynamically, or run the job without attune";
    if (about->mpi_inside && *about->mpi == '\0')
        return "has its MPI library linked in statically, so Attune cannot step in; link it with "
               "the shared MPI library, or run the job without attune";
    if (drops_preload(path))
        return "is set-user-ID or set-group-ID, for which the system ignores LD_PRELOAD; remove "
               "the bit, or run the job without attune";
    return NULL;
}

static atn_status agree_flavour(check *c, const char *word, const char *soname, atn_error *err)
{
    const int flavour = flavour_of_soname(soname);
    if (flavour < 0)
        return atn_fail(err, ATN_ENVIRONMENT,
                        "program %s uses %s, which is no MPI that Attune knows; run it without "
                        "attune",
                        word, soname);
    if (c->flavour >= 0 && c->flavour != flavour)
        return atn_fail(err, ATN_ENVIRONMENT,
                        "program %s uses %s (%s), but %s says %s; start it with the launcher of "
                        "its own MPI",
                        word, flavours[flavour].title, soname, c->who, flavours[c->flavour].title);
    c->flavour = flavour;
    c->who = word;
    snprintf(c->soname, sizeof c->soname, "%s", soname);
    return ATN_OK;
}

static void look_quietly(check *c, const atn_elf *about, const char *word, const char *path)
{
    if (!about->elf || atn_is_wrapper(word) || atn_is_wrapper(path)) {
        c->may_load = true;
        return;
    }
    fprintf(stderr,
            "attune: note: %s is linked with no MPI library, so there is nothing for Attune to do "
            "in it\n",
            word);
}

static atn_status check_app(check *c, const atn_app *app, atn_error *err)
{
    char path[4096];
    atn_elf about;
    if (app->hides != NULL)
        return atn_fail(err, ATN_ENVIRONMENT,
                        "%s keeps the programs in a file where attune cannot examine them; write "
                        "them on the command line, separated by ':'",
                        app->hides);
    if (app->program < 0)
        return ATN_OK;
    const char *word = c->l->words[app->program];
    c->programs = true;
    atn_status status = find_program(c, app, path, err);
    if (status == ATN_OK)
        status = atn_elf_examine(path, getenv("LD_LIBRARY_PATH"), &about, err);
    if (status != ATN_OK)
        return status;
    const char *why = obstacle(&about, path);
    if (why != NULL)
        return atn_fail(err, ATN_ENVIRONMENT, "program %s %s", word, why);
    if (*about.mpi != '\0')
        return agree_flavour(c, word, about.mpi, err);
    look_quietly(c, &about, word, path);
    return ATN_OK;
}

/* ---- the job ---- */

/* What launcher and --mpi say before any program is looked at. */
static atn_status start(check *c, const char *flavour, atn_error *err)
{
    const atn_launcher *launcher = c->l->launcher;
    const char *told = launcher != NULL ? launcher->flavour : NULL, *who = "--mpi";
    if (told != NULL)
        who = c->l->words[c->l->at];
    else if (launcher != NULL && c->l->apps.n > 0)
        told = c->l->apps.v[0].mpi;
    if (flavour != NULL && told != NULL && strcmp(flavour, told) != 0)
        return atn_fail(err, ATN_ENVIRONMENT,
                        "%s is a launcher of %s, but --mpi says %s; leave --mpi out",
                        launcher->flavour != NULL ? who : launcher->title,
                        launcher->flavour != NULL ? launcher->title : told, flavour);
    if (flavour != NULL || told != NULL) {
        c->flavour = flavour_index(told != NULL ? told : flavour);
        c->who = who;
    }
    return ATN_OK;
}

atn_status atn_run_check(const atn_launch *l, const char *flavour, char **library_p, atn_error *err)
{
    check c = {.l = l, .flavour = -1};
    *library_p = NULL;
    atn_status status = start(&c, flavour, err);
    for (int i = 0; i < l->apps.n && status == ATN_OK; i++)
        status = check_app(&c, &l->apps.v[i], err);
    if (status != ATN_OK)
        return status;
    if (c.flavour < 0 && c.may_load)
        c.flavour = only_library();
    if (c.flavour >= 0 && c.programs)
        return take_library(c.flavour, c.soname, library_p, err);
    if (c.may_load)
        return atn_fail(err, ATN_ENVIRONMENT,
                        "cannot tell which MPI %s will use; add --mpi openmpi or --mpi mpich",
                        l->words[l->at]);
    return ATN_OK;
}
