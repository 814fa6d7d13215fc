/* run_check.c - detects the MPI library of the programs of a job, and selects the library to
 * preload.
 *
 * All ranks must be preloaded, or none: the agreement in MPI_Init would wait forever for a rank
 * without Attune.  Programs that cannot be preloaded are rejected before the job starts. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/launch/elf.h"
#include "cli/run.h"

/* ---- flavours ---- */

static const atn_flavour flavours[] = {
    {"openmpi", "Open MPI", "libmpi.so.40 libmpi.so.20"},
    {"mpich", "MPICH", "libmpich.so.12 libmpi.so.12"},
};
enum { FLAVOURS = sizeof flavours / sizeof flavours[0] };

const atn_flavour *atn_cli_flavour_at(int i) { return i < FLAVOURS ? &flavours[i] : NULL; }

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
        if (atn_cli_in_words(flavours[i].sonames, soname))
            return i;
    return -1;
}

const char *atn_cli_flavour_of(const char *soname)
{
    const int i = flavour_of_soname(soname);
    return i >= 0 ? flavours[i].flavour : NULL;
}

/* ---- the library ---- */

bool atn_cli_flavour_library(const char *flavour, char out[4096])
{
    static const char *const places[] = {"../lib/attune", "../lib"};
    char self[PATH_MAX], real[PATH_MAX];
    const ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    if (n <= 0)
        return false;
    self[n] = '\0';
    *strrchr(self, '/') = '\0';
    for (int i = 0; i < 2; i++) {
        const int used = snprintf(out, 4096, "%s/%s/libattune-%s.so", self, places[i], flavour);
        if (used < 4096 && realpath(out, real) != NULL) {
            strcpy(out, real);
            return true;
        }
    }
    return false;
}

/* The preload library must need the MPI library of the program, with the same version. */
static bool library_needs(const char *path, const char *soname)
{
    atn_object o;
    bool needs = false;
    if (!atn_cli_object_open(path, &o))
        return false;
    for (int i = 0; i < o.needed.n; i++)
        needs = needs || strcmp(o.needed.v[i], soname) == 0;
    atn_cli_object_close(&o);
    return needs;
}

static atn_status take_library(int flavour, const char *soname, char **library_p, atn_error *err)
{
    char path[4096];
    if (!atn_cli_flavour_library(flavours[flavour].flavour, path))
        return atn_fail(err, ATN_ENVIRONMENT,
                        "libattune-%s.so is not installed with this command; build Attune with the "
                        "compiler wrapper of %s",
                        flavours[flavour].flavour, flavours[flavour].title);
    if (strpbrk(path, ": ") != NULL)
        return atn_fail(
            err, ATN_ENVIRONMENT,
            "%s cannot be preloaded: its path contains a blank or a colon; install Attune "
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

/* The only installed library, for programs whose MPI is unknown; -1: none or several. */
static int only_library(void)
{
    char path[4096];
    int only = -1;
    for (int i = 0; i < FLAVOURS; i++)
        if (atn_cli_flavour_library(flavours[i].flavour, path)) {
            if (only >= 0)
                return -1;
            only = i;
        }
    return only;
}

/* ---- programs ---- */

typedef struct {
    const atn_launch *l;
    int flavour;        /* -1: unknown */
    const char *source; /* of the flavour, for messages */
    char soname[64];    /* MPI library of the programs; "": none found */
    bool may_load;      /* a script or interpreter may load MPI later */
    bool programs;      /* at least one program is given */
} check;

static atn_status find_program(const check *c, const atn_app *app, char path[4096], atn_error *err)
{
    const char *word = c->l->words[app->program];
    const bool here = c->l->launcher != NULL && c->l->launcher->looks_here;
    const int why = atn_cli_program_find(word, app->path, app->folder, here, path);
    if (why == 0)
        return ATN_OK;
    if (why == EACCES)
        return atn_fail(err, ATN_ENVIRONMENT,
                        "program %s is not executable; `chmod +x` it, or name the program", word);
    return atn_fail(err, ATN_ENVIRONMENT,
                    "program %s: %s; name an existing program, with its path if it is not in PATH",
                    word, strerror(why));
}

/* ld.so ignores LD_PRELOAD if the file changes the user or group ID. */
static bool drops_preload(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && (((about.st_mode & S_ISUID) && about.st_uid != geteuid()) ||
                                       ((about.st_mode & S_ISGID) && about.st_gid != getegid()));
}

/* Why the program cannot be preloaded; NULL: it can. */
static const char *obstacle(const atn_elf *about, const char *path)
{
    if (!about->elf)
        return NULL;
    if (about->foreign)
        return "was built for another processor; use a program for this one";
    if (!about->dynamic)
        return "is statically linked, so Attune cannot be preloaded and the other ranks would "
               "wait for it; link it dynamically, or run the job without attune";
    if (about->mpi_inside && *about->mpi == '\0')
        return "has its MPI library linked in statically, so Attune cannot interpose calls; link "
               "it with the shared MPI library, or run the job without attune";
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
                        "program %s uses %s, which Attune does not support; run it without attune",
                        word, soname);
    if (c->flavour >= 0 && c->flavour != flavour)
        return atn_fail(
            err, ATN_ENVIRONMENT,
            "program %s uses %s (%s), but %s indicates %s; start it with the launcher of its "
            "MPI library",
            word, flavours[flavour].title, soname, c->source, flavours[c->flavour].title);
    c->flavour = flavour;
    c->source = word;
    snprintf(c->soname, sizeof c->soname, "%s", soname);
    return ATN_OK;
}

static void note_no_mpi(check *c, const atn_elf *about, const char *word, const char *path)
{
    if (!about->elf || atn_cli_is_wrapper(word) || atn_cli_is_wrapper(path)) {
        c->may_load = true;
        return;
    }
    fprintf(stderr,
            "attune: note: %s is not linked with an MPI library, so Attune has no effect on it\n",
            word);
}

static atn_status check_app(check *c, const atn_app *app, atn_error *err)
{
    char path[4096];
    atn_elf about;
    if (app->hides != NULL)
        return atn_fail(err, ATN_ENVIRONMENT,
                        "%s names programs in a file, which attune cannot check; write them on the "
                        "command line, separated by ':'",
                        app->hides);
    if (app->program < 0)
        return ATN_OK;
    const char *word = c->l->words[app->program];
    c->programs = true;
    atn_status status = find_program(c, app, path, err);
    if (status == ATN_OK)
        status = atn_cli_elf_examine(path, getenv("LD_LIBRARY_PATH"), &about, err);
    if (status != ATN_OK)
        return status;
    const char *why = obstacle(&about, path);
    if (why != NULL)
        return atn_fail(err, ATN_ENVIRONMENT, "program %s %s", word, why);
    if (*about.mpi != '\0')
        return agree_flavour(c, word, about.mpi, err);
    note_no_mpi(c, &about, word, path);
    return ATN_OK;
}

/* ---- the job ---- */

/* The MPI according to the launcher and --mpi. */
static atn_status start(check *c, const char *flavour, atn_error *err)
{
    const atn_launcher *launcher = c->l->launcher;
    const char *known = launcher != NULL ? launcher->flavour : NULL, *source = "--mpi";
    if (known != NULL && flavour_index(known) < 0)
        return atn_fail(err, ATN_USAGE,
                        "'%s' takes the options of 'attune run' itself; omit 'attune run'",
                        launcher->title);
    if (known != NULL)
        source = c->l->words[c->l->at];
    else if (launcher != NULL && c->l->apps.n > 0)
        known = c->l->apps.v[0].mpi;
    if (flavour != NULL && known != NULL && strcmp(flavour, known) != 0)
        return atn_fail(err, ATN_ENVIRONMENT, "%s is a launcher of %s, but --mpi is %s; omit --mpi",
                        launcher->flavour != NULL ? source : launcher->title,
                        launcher->flavour != NULL ? launcher->title : known, flavour);
    if (flavour != NULL || known != NULL) {
        c->flavour = flavour_index(known != NULL ? known : flavour);
        c->source = source;
    }
    return ATN_OK;
}

atn_status atn_cli_run_check(const atn_launch *l, const char *flavour, char **library_p,
                             atn_error *err)
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
                        "cannot detect the MPI library of %s; add --mpi openmpi or --mpi mpich",
                        l->words[l->at]);
    return ATN_OK;
}
