/* doctor_preload.c - libraries of Attune that LD_PRELOAD names: those of another MPI than that of
 * the job make all its calls native. */
#include <stdlib.h>
#include <string.h>

#include "cli/doctor/doctor.h"
#include "cli/launch/elf.h"
#include "cli/run.h"

static const char variable[] = "LD_PRELOAD", prefix[] = "libattune";

/* The MPI of the jobs that are checked. */
typedef struct {
    char flavour[16]; /* "": unknown */
    char owner[256];  /* what uses it: "the job", "mpirun" */
} user;

static const char *title_of(const char *flavour)
{
    const atn_flavour *f;
    for (int i = 0; (f = atn_cli_flavour_at(i)) != NULL; i++)
        if (strcmp(f->flavour, flavour) == 0)
            return f->title;
    return flavour;
}

/* The MPI of a library, by what it needs; NULL: none, or it cannot be read. */
static const char *flavour_of_library(const char *path)
{
    atn_object o;
    const char *found = NULL;
    char place[4096];
    if (strchr(path, '/') == NULL && atn_cli_library_find(path, place))
        path = place;
    if (!atn_cli_object_open(path, &o))
        return NULL;
    for (int i = 0; i < o.needed.n && found == NULL; i++)
        found = atn_cli_flavour_of(o.needed.v[i]);
    atn_cli_object_close(&o);
    return found;
}

/* ---- libraries ---- */

static void check_library(atn_doctor *d, const user *u, const char *path)
{
    const char *flavour = NULL;
    if (strncmp(atn_cli_base_name(path), prefix, sizeof prefix - 1) != 0)
        return;
    flavour = flavour_of_library(path);
    if (flavour == NULL)
        atn_cli_doctor_add(d, ATN_DOCTOR_WARN,
                           "%s names %s, which is no library that can be preloaded; unset %s, and "
                           "start jobs with 'attune run'",
                           variable, path, variable);
    else if (*u->flavour != '\0' && strcmp(flavour, u->flavour) != 0)
        atn_cli_doctor_add(d, ATN_DOCTOR_WARN,
                           "%s names %s, which is built for %s, but %s uses %s, to which it "
                           "passes all calls unchanged; remove it from %s, 'attune run' preloads "
                           "the right one",
                           variable, path, title_of(flavour), u->owner, title_of(u->flavour),
                           variable);
    else
        atn_cli_doctor_add(d, ATN_DOCTOR_OK, "%s names %s, which is built for %s", variable, path,
                           title_of(flavour));
}

/* The value of LD_PRELOAD, up to the first of `ends`. */
static void check_value(atn_doctor *d, const user *u, const char *value, const char *ends)
{
    char *const copy = strndup(value, strcspn(value, ends)), *rest = copy;
    for (char *path; copy != NULL && (path = strsep(&rest, ": ")) != NULL;)
        if (*path != '\0')
            check_library(d, u, path);
    d->failed = d->failed || copy == NULL;
    free(copy);
}

/* ---- the user ---- */

static void use_launcher(user *u)
{
    const atn_launcher *l = NULL;
    atn_error err = {0};
    if (atn_cli_launcher_identify("mpirun", NULL, &l, &err) != ATN_OK || l == NULL ||
        l->flavour == NULL)
        return;
    snprintf(u->flavour, sizeof u->flavour, "%s", l->flavour);
    snprintf(u->owner, sizeof u->owner, "mpirun");
}

static void use_job(const atn_doctor *d, user *u)
{
    const char *const mpi = atn_cli_arg_text(d->args, "mpi");
    atn_launch l = {0};
    atn_error err = {0};
    char *library = NULL;
    if (atn_cli_launch_parse(d->args->rest, d->args->nrest, mpi, &l, &err) == ATN_OK &&
        atn_cli_run_check(&l, mpi, &library, &err) == ATN_OK && library != NULL) {
        const char *const flavour = flavour_of_library(library);
        snprintf(u->flavour, sizeof u->flavour, "%s", flavour != NULL ? flavour : "");
    }
    snprintf(u->owner, sizeof u->owner, "the job");
    free(library);
    atn_cli_launch_free(&l);
}

/* ---- the check ---- */

/* "-x LD_PRELOAD=...", "--export=ALL,LD_PRELOAD=...", "-genv LD_PRELOAD ...". */
static void check_words(atn_doctor *d, const user *u)
{
    for (int i = 0; i < d->args->nrest; i++) {
        const char *const word = d->args->rest[i], *const at = strstr(word, variable);
        const char *const end = at != NULL ? at + strlen(variable) : NULL;
        if (end != NULL && *end == '=')
            check_value(d, u, end + 1, ",");
        else if (at == word && *end == '\0' && i + 1 < d->args->nrest)
            check_value(d, u, d->args->rest[i + 1], "");
    }
}

static bool names_attune(const atn_doctor *d, const char *value)
{
    bool found = value != NULL && strstr(value, prefix) != NULL;
    for (int i = 0; i < d->args->nrest; i++)
        found = found || strstr(d->args->rest[i], prefix) != NULL;
    return found;
}

void atn_cli_doctor_preload(atn_doctor *d)
{
    const char *const value = getenv(variable);
    user u = {0};
    if (!names_attune(d, value))
        return;
    if (d->args->nrest > 0)
        use_job(d, &u);
    else
        use_launcher(&u);
    if (value != NULL)
        check_value(d, &u, value, "");
    check_words(d, &u);
}
