/* doctor_mpi.c - MPI libraries, the libraries to preload for them, launchers, and a job. */
#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "cli/doctor/doctor.h"
#include "cli/launch/elf.h"
#include "cli/run.h"

/* ---- the command ---- */

static bool own_path(char out[PATH_MAX])
{
    const ssize_t n = readlink("/proc/self/exe", out, PATH_MAX - 1);
    out[n > 0 ? n : 0] = '\0';
    return n > 0;
}

void atn_cli_doctor_command(atn_doctor *d)
{
    char path[PATH_MAX];
    if (!own_path(path))
        atn_cli_doctor_add(d, ATN_DOCTOR_FAIL,
                           "/proc/self/exe cannot be read; mount /proc in this container");
    else if (getauxval(AT_SECURE) != 0)
        atn_cli_doctor_add(d, ATN_DOCTOR_FAIL,
                           "%s is set-user-ID or has capabilities, for which the system ignores "
                           "LD_PRELOAD; remove the bit or the capabilities",
                           path);
    else
        atn_cli_doctor_add(d, ATN_DOCTOR_OK, "version " ATN_VERSION ", %s", path);
}

/* ---- one MPI ---- */

/* What `attune probe` has printed with a library preloaded. */
typedef struct {
    char text[4096];
    char *build, *built_for, *runs, *path; /* lines of text; NULL: it printed an error */
} probe;

static void preload_of_child(const char *value)
{
    if (value != NULL)
        setenv("LD_PRELOAD", value, 1);
    else
        unsetenv("LD_PRELOAD");
}

/* LD_BIND_NOW: symbols that an older MPI library lacks are found here, not in a job. */
static void probe_library(const char *library, probe *p)
{
    char self[PATH_MAX];
    const char *const known = getenv("LD_PRELOAD"), *const bind = getenv("LD_BIND_NOW");
    char *const old = known != NULL ? strdup(known) : NULL;
    *p = (probe){0};
    preload_of_child(library);
    setenv("LD_BIND_NOW", "1", 1);
    if (own_path(self))
        atn_cli_program_output(self, "probe", p->text, sizeof p->text);
    if (bind == NULL)
        unsetenv("LD_BIND_NOW");
    preload_of_child(old);
    free(old);
    char **const lines[] = {&p->build, &p->built_for, &p->runs, &p->path};
    char *rest = strstr(p->text, "\n") != NULL ? p->text : NULL;
    for (int i = 0; i < 4; i++)
        *lines[i] = rest != NULL ? strsep(&rest, "\n") : NULL;
    if (rest == NULL || *rest != '\0')
        p->build = NULL;
}

/* The first number with a dot: "4.1.4" of "Open MPI v4.1.4". */
static int version_in(const char *text, const char **at_p)
{
    while (*text != '\0' &&
           !(isdigit((unsigned char)*text) && text[strspn(text, "0123456789")] == '.'))
        text++;
    *at_p = text;
    return (int)strspn(text, "0123456789.");
}

static bool same_version(const char *a, const char *b)
{
    const char *x, *y;
    const int n = version_in(a, &x);
    return n == version_in(b, &y) && strncmp(x, y, (size_t)n) == 0;
}

static void report_library(atn_doctor *d, const atn_flavour *f, const char *library, const probe *p)
{
    const size_t n = strlen(ATN_VERSION);
    if (strncmp(p->build, ATN_VERSION, n) != 0 || p->build[n] != '-')
        atn_cli_doctor_add(d, ATN_DOCTOR_FAIL,
                           "%s is version %s, but the command is version " ATN_VERSION
                           "; install both from one build",
                           library, p->build);
    else if (!same_version(p->built_for, p->runs))
        atn_cli_doctor_add(d, ATN_DOCTOR_WARN,
                           "%s was built for %s, but runs on %s (%s); build Attune with this "
                           "version of %s",
                           library, p->built_for, p->runs, p->path, f->title);
    else
        atn_cli_doctor_add(d, ATN_DOCTOR_OK, "%s (%s) with %s", p->built_for, p->path, library);
}

/* Whether the MPI library exists.  `build`: the identity of the build, "" if not known. */
static bool check_flavour(atn_doctor *d, const atn_flavour *f, char build[128])
{
    char library[4096], mpi[4096];
    probe p;
    *build = '\0';
    char names[128], *rest = names;
    snprintf(names, sizeof names, "%s", f->sonames);
    bool found = false;
    for (char *name; !found && (name = strsep(&rest, " ")) != NULL;)
        found = atn_cli_library_find(name, mpi);
    if (!atn_cli_flavour_library(f->flavour, library)) {
        if (found)
            atn_cli_doctor_add(d, ATN_DOCTOR_WARN,
                               "%s (%s) has no preload library of Attune; if you use it, install "
                               "libattune-%s, or build Attune with -DATTUNE_MPI=PREFIX",
                               f->title, mpi, f->flavour);
        return found;
    }
    probe_library(library, &p);
    if (p.build != NULL) {
        report_library(d, f, library, &p);
        snprintf(build, 128, "%s", p.build);
    } else {
        atn_cli_doctor_add(d, found ? ATN_DOCTOR_FAIL : ATN_DOCTOR_NOTE,
                           "%s cannot be preloaded: %s; if you use %s, install it, load its module "
                           "or set LD_LIBRARY_PATH",
                           library, p.text, f->title);
    }
    return found || p.build != NULL;
}

void atn_cli_doctor_mpi(atn_doctor *d)
{
    const atn_flavour *f;
    char build[2][128] = {"", ""};
    int found = 0;
    for (int i = 0; (f = atn_cli_flavour_at(i)) != NULL; i++) {
        char *const own = build[*build[0] != '\0'];
        found += check_flavour(d, f, own);
    }
    if (found == 0)
        atn_cli_doctor_add(d, ATN_DOCTOR_FAIL,
                           "the dynamic linker finds no MPI library; install Open MPI (Debian: "
                           "openmpi-bin) or MPICH (mpich), load its module, or set "
                           "LD_LIBRARY_PATH");
    if (*build[1] != '\0' && strcmp(build[0], build[1]) != 0)
        atn_cli_doctor_add(d, ATN_DOCTOR_WARN,
                           "the preload libraries are of different builds, %s and %s; install "
                           "them from one build",
                           build[0], build[1]);
}

/* ---- launchers ---- */

enum { NAMES = 8 };

/* Names that lead to one program. */
typedef struct {
    char path[PATH_MAX], names[256];
} program;

static int list_programs(program list[NAMES])
{
    static const char *const names[NAMES] = {"mpirun",       "mpiexec",       "mpirun.openmpi",
                                             "mpirun.mpich", "mpiexec.hydra", "orterun",
                                             "prterun",      "srun"};
    int n = 0;
    for (int i = 0; i < NAMES; i++) {
        char found[4096], path[PATH_MAX];
        int k = 0;
        if (atn_cli_program_find(names[i], NULL, NULL, false, found) != 0 ||
            realpath(found, path) == NULL)
            continue;
        while (k < n && strcmp(list[k].path, path) != 0)
            k++;
        if (k == n)
            list[n++] = (program){0};
        strcpy(list[k].path, path);
        const size_t used = strlen(list[k].names);
        snprintf(list[k].names + used, sizeof list[k].names - used, "%s%s", used > 0 ? ", " : "",
                 names[i]);
    }
    return n;
}

/* Open MPI 4 starts nothing for the administrator without these. */
static bool refuses_root(const atn_launcher *l)
{
    return l->flavour != NULL && strcmp(l->flavour, "openmpi") == 0 && geteuid() == 0 &&
           (getenv("OMPI_ALLOW_RUN_AS_ROOT") == NULL ||
            getenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM") == NULL);
}

static void check_launcher(atn_doctor *d, const program *p)
{
    char library[4096], first[256];
    const atn_launcher *l = NULL;
    atn_error err = {0};
    snprintf(first, sizeof first, "%.*s", (int)strcspn(p->names, ","), p->names);
    if (atn_cli_launcher_identify(first, NULL, &l, &err) != ATN_OK || l == NULL)
        atn_cli_doctor_add(d, ATN_DOCTOR_WARN, "%s", err.text);
    else if (l->flavour != NULL && !atn_cli_flavour_library(l->flavour, library))
        atn_cli_doctor_add(d, ATN_DOCTOR_WARN,
                           "%s (%s) is of %s, for which Attune has no preload library; use another "
                           "launcher, or install libattune-%s",
                           p->names, p->path, l->title, l->flavour);
    else if (refuses_root(l))
        atn_cli_doctor_add(d, ATN_DOCTOR_WARN,
                           "%s (%s): Open MPI refuses to run as root; use another user, or set "
                           "OMPI_ALLOW_RUN_AS_ROOT=1 and OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1",
                           p->names, p->path);
    else
        atn_cli_doctor_add(d, ATN_DOCTOR_OK, "%s (%s): %s", p->names, p->path, l->title);
}

void atn_cli_doctor_launchers(atn_doctor *d)
{
    program list[NAMES];
    const int n = list_programs(list);
    for (int i = 0; i < n; i++)
        check_launcher(d, &list[i]);
    if (n == 0)
        atn_cli_doctor_add(
            d, ATN_DOCTOR_FAIL,
            "no launcher (mpirun, mpiexec, srun) is in PATH; install an MPI, or load "
            "its module");
}

/* ---- the job on the command line ---- */

/* Neither launcher nor programs confirm --mpi: scripts and interpreters load an MPI library later.
 */
static bool is_assumed(const atn_launch *l, const char *flavour)
{
    atn_error err = {0};
    char *library = NULL;
    const bool fails = flavour != NULL && atn_cli_run_check(l, NULL, &library, &err) != ATN_OK;
    free(library);
    return fails;
}

void atn_cli_doctor_job(atn_doctor *d)
{
    const char *const flavour = atn_cli_arg_text(d->args, "mpi");
    atn_launch l = {0};
    atn_error err = {0};
    char *library = NULL;
    if (d->args->nrest == 0)
        return;
    atn_status status = atn_cli_launch_parse(d->args->rest, d->args->nrest, flavour, &l, &err);
    if (status == ATN_OK)
        status = atn_cli_run_check(&l, flavour, &library, &err);
    if (status != ATN_OK)
        atn_cli_doctor_add(d, ATN_DOCTOR_FAIL, "%s", err.text);
    else if (library != NULL && is_assumed(&l, flavour))
        atn_cli_doctor_add(d, ATN_DOCTOR_NOTE,
                           "'attune run' preloads %s, because --mpi is %s; nothing else shows the "
                           "MPI library of the programs, so make sure that it is this one",
                           library, flavour);
    else if (library != NULL)
        atn_cli_doctor_add(d, ATN_DOCTOR_OK, "'attune run' preloads %s", library);
    else
        atn_cli_doctor_add(
            d, ATN_DOCTOR_WARN,
            "no program of the command uses an MPI library, so Attune has no effect; "
            "name the MPI program after the launcher");
    free(library);
    atn_cli_launch_free(&l);
}

int atn_cli_doctor_ranks(const atn_doctor *d, bool *far_p)
{
    atn_launch l = {0};
    int ranks = (int)atn_cli_arg_int(d->args, "ranks");
    *far_p = false;
    if (ranks == 0 && d->args->nrest > 0 &&
        atn_cli_launch_parse(d->args->rest, d->args->nrest, atn_cli_arg_text(d->args, "mpi"), &l,
                             NULL) == ATN_OK)
        ranks = atn_cli_launch_ranks(&l, far_p);
    atn_cli_launch_free(&l);
    return ranks;
}
