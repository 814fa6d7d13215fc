/* launch_command.c - passes variables to the processes of a job by options of the launcher.
 *
 * The options directly follow the launcher or ":", so that options of the user override them; a
 * user's LD_PRELOAD is extended, because both libraries are required. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cli/launch/launch.h"

typedef struct {
    const atn_launch *l;
    const atn_job_env *h;
    atn_words out;
    bool failed; /* out of memory */
} writer;

static const char preload[] = "LD_PRELOAD";
enum { PRELOAD = sizeof preload - 1 };

__attribute__((format(printf, 2, 3))) static void put(writer *w, const char *format, ...)
{
    va_list args;
    char *word;
    va_start(args, format);
    const int n = vasprintf(&word, format, args);
    va_end(args);
    if (n < 0)
        w->failed = true;
    else if (!atn_push(&w->out, word)) {
        free(word);
        w->failed = true;
    }
}

/* ---- LD_PRELOAD values ---- */

/* The part of the old value to keep after the library; "": none, or it is the library. */
static const char *kept_after(const atn_job_env *h, const char *old)
{
    return old == NULL || *old == '\0' || strcmp(old, h->library) == 0 ? "" : old;
}

static void put_preload(writer *w, const char *before, const char *old)
{
    old = kept_after(w->h, old);
    put(w, "%s%s%s%s", before, w->h->library, *old != '\0' ? ":" : "", old);
}

/* "LD_PRELOAD" or "LD_PRELOAD=value": *value_p is NULL in the first case. */
static bool names_preload(const char *word, const char **value_p)
{
    if (strncmp(word, preload, PRELOAD) != 0 || (word[PRELOAD] != '\0' && word[PRELOAD] != '='))
        return false;
    *value_p = word[PRELOAD] == '=' ? word + PRELOAD + 1 : NULL;
    return true;
}

/* ---- Open MPI ---- */

static bool is_x(const atn_launch_option *o)
{
    return strcmp(o->name, "x") == 0 || strcmp(o->name, "env") == 0;
}

static bool edit_x(writer *w, const atn_launch_option *o)
{
    const char *value, *given = o->glued;
    if (given == NULL && o->count == 1)
        given = w->l->words[o->argument];
    if (!is_x(o) || given == NULL || !names_preload(given, &value))
        return false;
    put(w, "-x");
    put_preload(w, "LD_PRELOAD=", value != NULL ? value : w->h->preload);
    return true;
}

static void insert_x(writer *w, const atn_app *app, bool has_preload)
{
    (void)app;
    if (!has_preload) {
        put(w, "-x");
        put_preload(w, "LD_PRELOAD=", w->h->preload);
    }
    for (int i = 0; i < w->h->n; i++) {
        put(w, "-x");
        put(w, "%s", w->h->names[i]);
    }
}

/* ---- Hydra ---- */

static bool is_env(const atn_launch_option *o)
{
    return strcmp(o->name, "genv") == 0 || strcmp(o->name, "env") == 0;
}

static bool edit_env(writer *w, const atn_launch_option *o)
{
    const char *value;
    char **words = w->l->words;
    if (!is_env(o) || o->count == 0 || !names_preload(words[o->argument], &value))
        return false;
    put(w, "%s", words[o->argument - 1]);
    put(w, "%s", preload);
    put_preload(w, "", o->count == 2 ? words[o->argument + 1] : value);
    return true;
}

static void insert_env(writer *w, const atn_app *app, bool has_preload)
{
    (void)has_preload; /* may be in one context only; a later option takes precedence */
    if (app->first != w->l->at)
        return;
    put(w, "-genv");
    put(w, "%s", preload);
    put_preload(w, "", w->h->preload);
    for (int i = 0; i < w->h->n; i++) {
        put(w, "-genv");
        put(w, "%s", w->h->names[i]);
        put(w, "%s", w->h->values[i]);
    }
}

/* ---- srun ---- */

static bool is_export(const atn_launch_option *o) { return strcmp(o->name, "export") == 0; }

/* The list of the user without LD_PRELOAD, then the new one; modifies `list`. */
static void print_export(FILE *f, char *list, const atn_job_env *h)
{
    const char *kept = h->preload, *value;
    char *rest;
    bool all = false;
    fprintf(f, "--export=");
    for (char *item = strtok_r(list, ",", &rest); item; item = strtok_r(NULL, ",", &rest)) {
        if (names_preload(item, &value)) {
            kept = value != NULL ? value : kept;
        } else if (strcmp(item, "NONE") != 0 && strcmp(item, "NIL") != 0) {
            fprintf(f, "%s,", item);
            all = all || strcmp(item, "ALL") == 0;
        }
    }
    for (int i = 0; i < h->n && !all; i++)
        fprintf(f, "%s,", h->names[i]);
    kept = kept_after(h, kept);
    fprintf(f, "LD_PRELOAD=%s%s%s", h->library, *kept != '\0' ? ":" : "", kept);
}

static void put_export(writer *w, const char *list)
{
    char *copy = strdup(list), *text = NULL;
    size_t size;
    FILE *f = atn_open_text(&text, &size);
    if (copy != NULL && f != NULL)
        print_export(f, copy, w->h);
    if (f == NULL || fclose(f) != 0 || copy == NULL)
        w->failed = true;
    else
        put(w, "%s", text);
    free(copy);
    free(text);
}

static bool edit_export(writer *w, const atn_launch_option *o)
{
    if (!is_export(o) || (o->glued == NULL && o->count == 0))
        return false;
    put_export(w, o->glued != NULL ? o->glued : w->l->words[o->argument]);
    return true;
}

static void insert_export(writer *w, const atn_app *app, bool has_preload)
{
    const char *list = getenv("SLURM_EXPORT_ENV");
    (void)app;
    if (!has_preload)
        put_export(w, list != NULL ? list : "ALL");
}

/* ---- the command ---- */

static const struct {
    bool (*edit)(writer *w, const atn_launch_option *o); /* writes the changed option, or nothing */
    void (*insert)(writer *w, const atn_app *app, bool has_preload);
} ways[] = {
    [ATN_WAY_X] = {edit_x, insert_x},
    [ATN_WAY_GENV] = {edit_env, insert_env},
    [ATN_WAY_EXPORT] = {edit_export, insert_export},
};

/* The words from the first option to the program; true: one of them was changed. */
static bool put_options(writer *w, const atn_app *app)
{
    const int stop = app->program >= 0 ? app->program : app->stop;
    bool edited = false;
    for (int i = app->first + 1; i < stop;) {
        atn_launch_option o = {0};
        if (strcmp(w->l->words[i], "--") != 0)
            atn_cli_launch_option_at(w->l, i, app->stop, &o);
        if (o.name[0] != '\0' && ways[w->l->launcher->way].edit(w, &o))
            edited = true;
        else
            for (int k = i; k <= i + o.count; k++)
                put(w, "%s", w->l->words[k]);
        i += 1 + o.count;
    }
    return edited;
}

static void put_app(writer *w, const atn_app *app)
{
    writer trial = {.l = w->l, .h = w->h};
    const bool edited = put_options(&trial, app);
    put(w, "%s", w->l->words[app->first]);
    ways[w->l->launcher->way].insert(w, app, edited);
    for (int i = 0; i < trial.out.n; i++)
        put(w, "%s", trial.out.v[i]);
    for (int i = app->program; i >= 0 && i < app->stop; i++)
        put(w, "%s", w->l->words[i]);
    w->failed = w->failed || trial.failed;
    atn_cli_words_free(&trial.out);
}

static void put_unchanged(writer *w)
{
    for (int i = 0; i < w->l->n; i++)
        put(w, "%s", w->l->words[i]);
}

atn_status atn_cli_launch_command(const atn_launch *l, const atn_job_env *h, atn_words *words_p,
                                  char **environment_p, atn_error *err)
{
    writer w = {.l = l, .h = h};
    *environment_p = NULL;
    if (l->launcher == NULL) {
        const char *old = kept_after(h, h->preload);
        put_unchanged(&w);
        w.failed = w.failed || asprintf(environment_p, "%s=%s%s%s", preload, h->library,
                                        *old != '\0' ? ":" : "", old) < 0;
    } else {
        for (int i = 0; i < l->at; i++)
            put(&w, "%s", l->words[i]);
        for (int i = 0; i < l->apps.n; i++)
            put_app(&w, &l->apps.v[i]);
    }
    if (!w.failed && atn_push(&w.out, NULL)) {
        w.out.n--;
        *words_p = w.out;
        return ATN_OK;
    }
    atn_cli_words_free(&w.out);
    return atn_fail(err, ATN_MEMORY, "out of memory");
}
