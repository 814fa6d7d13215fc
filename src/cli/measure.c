/* measure.c - selects the program for the MPI of the launcher and makes the command. */
#include "cli/measure.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lab/lab.h"

static const char *const flavours[] = {"openmpi", "mpich"};
enum { FLAVOURS = sizeof flavours / sizeof *flavours };

/* ---- the program ---- */

static atn_status find_program(const atn_measure *m, const char *flavour, char path[ATN_LAB_PATH],
                               atn_error *err)
{
    char name[128];
    atn_error why = {0};
    snprintf(name, sizeof name, "%s/%s", flavour, m->program);
    if (atn_lab_find(name, path, &why) == ATN_OK)
        return ATN_OK;
    return atn_fail(err, ATN_ENVIRONMENT,
                    "libexec/attune/%s is not installed with this command; build Attune with the "
                    "compiler wrapper of that MPI library",
                    name);
}

/* The flavours that are installed; `*any_p` is the first. */
static int installed(const atn_measure *m, const char **any_p)
{
    char path[ATN_LAB_PATH];
    int n = 0;
    for (int i = FLAVOURS - 1; i >= 0; i--)
        if (find_program(m, flavours[i], path, NULL) == ATN_OK) {
            *any_p = flavours[i];
            n++;
        }
    return n;
}

/* ---- the launcher ---- */

/* A word that is neither launcher nor option must be a wrapper such as "env". */
static atn_status check_apps(const atn_launch *l, atn_error *err)
{
    const atn_app *app = &l->apps.v[0];
    if (l->apps.n > 1)
        return atn_fail(err, ATN_USAGE, "the launcher must start a single program; omit the ':'");
    if (app->hides != NULL)
        return atn_fail(err, ATN_USAGE, "%s names programs; omit it, attune adds its own",
                        app->hides);
    if (l->launcher != NULL && app->program >= 0 && !atn_cli_is_wrapper(l->words[app->program]))
        return atn_fail(
            err, ATN_USAGE,
            "unexpected '%s'; give the launcher and its options only, attune adds its own "
            "program",
            l->words[app->program]);
    return ATN_OK;
}

static atn_status choose_flavour(const atn_measure *m, const atn_launch *l, const char **flavour_p,
                                 atn_error *err)
{
    const char *known = l->launcher != NULL ? l->launcher->flavour : NULL, *any = NULL;
    if (known == NULL)
        known = l->apps.v[0].mpi;
    if (known != NULL && m->mpi != NULL && strcmp(known, m->mpi) != 0)
        return atn_fail(err, ATN_USAGE, "%s belongs to %s, but --mpi is %s; omit --mpi",
                        l->words[l->at], known, m->mpi);
    *flavour_p = known != NULL ? known : m->mpi;
    if (*flavour_p != NULL)
        return ATN_OK;
    const int n = installed(m, &any);
    /* The lab uses the launcher of the MPI that the program is linked with. */
    if (n == 1 || (n > 1 && atn_cli_launcher_own(l->words, l->at) != NULL)) {
        *flavour_p = any;
        return ATN_OK;
    }
    if (n == 0)
        return atn_fail(
            err, ATN_ENVIRONMENT,
            "libexec/attune/*/%s is not installed with this command; build Attune with the "
            "compiler wrapper of an MPI library",
            m->program);
    return atn_fail(err, ATN_ENVIRONMENT,
                    "cannot detect the MPI library of launcher %s; add --mpi openmpi or --mpi "
                    "mpich",
                    l->words[l->at]);
}

/* ---- the command ---- */

static bool add(atn_words *words, const char *word)
{
    char *copy = strdup(word);
    if (copy != NULL && atn_push(words, copy))
        return true;
    free(copy);
    return false;
}

/* "attune lab run" works even if attune is not in PATH. */
static const char *first_word(const char *word, char self[PATH_MAX])
{
    char path[4096];
    const ssize_t n =
        strcmp(word, "attune") == 0 && atn_cli_program_find(word, NULL, NULL, false, path) != 0
            ? readlink("/proc/self/exe", self, PATH_MAX - 1)
            : 0;
    if (n <= 0)
        return word;
    self[n] = '\0';
    return self;
}

static atn_status write_command(const atn_measure *m, const char *program, atn_words *words_p,
                                atn_error *err)
{
    char self[PATH_MAX];
    atn_words words = {0};
    bool ok = add(&words, first_word(m->launcher[0], self));
    for (int i = 1; i < m->nlauncher && ok; i++)
        ok = add(&words, m->launcher[i]);
    ok = ok && add(&words, program);
    for (int i = 0; i < m->narguments && ok; i++)
        ok = add(&words, m->arguments[i]);
    if (ok && atn_push(&words, NULL)) {
        words.n--;
        *words_p = words;
        return ATN_OK;
    }
    atn_cli_words_free(&words);
    return atn_fail(err, ATN_MEMORY, "out of memory");
}

atn_status atn_cli_measure_command(const atn_measure *m, atn_words *words_p, atn_error *err)
{
    atn_launch l = {0};
    char program[ATN_LAB_PATH];
    const char *flavour = NULL;
    if (m->nlauncher == 0)
        return atn_fail(err, ATN_USAGE,
                        "no launcher; add it after --, without a program: -- mpirun -n 4");
    atn_status status = atn_cli_launch_parse(m->launcher, m->nlauncher, m->mpi, &l, err);
    if (status == ATN_OK)
        status = check_apps(&l, err);
    if (status == ATN_OK)
        status = choose_flavour(m, &l, &flavour, err);
    if (status == ATN_OK)
        status = find_program(m, flavour, program, err);
    if (status == ATN_OK)
        status = write_command(m, program, words_p, err);
    atn_cli_launch_free(&l);
    return status;
}
