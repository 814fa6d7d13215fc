/* launch.c - splits the command line of a launcher into app contexts and finds their programs. */
#include "cli/launch/launch.h"

#include <stdlib.h>
#include <string.h>

/* ---- options ---- */

/* An option that is in no table takes no argument if a program follows. */
static int guess_arguments(const atn_launch *l, int next, int stop)
{
    char path[4096];
    if (next >= stop || l->words[next][0] == '-')
        return 0;
    return atn_cli_program_find(l->words[next], NULL, NULL, l->launcher->looks_here, path) == 0 ? 0
                                                                                                : 1;
}

static int table_arguments(const atn_launcher *launcher, const char *name)
{
    for (int n = 0; n < 3; n++)
        if (atn_cli_in_words(launcher->options[n], name))
            return n;
    return -1;
}

/* "-n4", "-lN2": letters up to the first with an argument, which may be attached. */
static void letters(const atn_launcher *launcher, char *word, atn_launch_option *o)
{
    while (*word != '\0' && strchr(launcher->letters, *word) != NULL)
        word++;
    o->name[0] = *word;
    o->name[1] = '\0';
    if (*word != '\0' && word[1] != '\0')
        o->glued = word + 1;
    o->count = *word != '\0' && word[1] == '\0';
}

void atn_cli_launch_option_at(const atn_launch *l, int i, int stop, atn_launch_option *o)
{
    char *word = l->words[i];
    *o = (atn_launch_option){.argument = i + 1};
    if (l->launcher->letters != NULL && word[1] != '-') {
        letters(l->launcher, word + 1, o);
    } else {
        word += strspn(word, "-");
        const int n = (int)strcspn(word, "=");
        snprintf(o->name, sizeof o->name, "%.*s", n, word);
        o->glued = word[n] != '\0' ? word + n + 1 : NULL;
        o->count = o->glued != NULL ? 0 : table_arguments(l->launcher, o->name);
        if (o->count < 0)
            o->count = guess_arguments(l, i + 1, stop);
    }
    /* Hydra's "-genv NAME=value" is one word where "-genv NAME value" is two. */
    if (o->count == 2 && l->launcher->way == ATN_WAY_GENV && i + 1 < stop &&
        strchr(l->words[i + 1], '=') != NULL)
        o->count = 1;
    if (o->count > stop - i - 1)
        o->count = stop - i - 1;
}

/* ---- app contexts ---- */

static const char *value_of(const atn_launch *l, const atn_launch_option *o)
{
    return o->glued != NULL ? o->glued : o->count > 0 ? l->words[o->argument] : NULL;
}

static void note_option(const atn_launch *l, const atn_launch_option *o, atn_app *app)
{
    const char *value = value_of(l, o);
    if (atn_cli_in_words(l->launcher->folder, o->name))
        app->folder = value;
    if (atn_cli_in_words(l->launcher->path, o->name))
        app->path = value;
    if (atn_cli_in_words(l->launcher->hides, o->name))
        app->hides = l->words[o->argument - 1];
    if (l->launcher->mpi != NULL && atn_cli_in_words(l->launcher->mpi, o->name))
        app->mpi = value;
}

static void read_app(const atn_launch *l, atn_app *app)
{
    for (int i = app->first + 1; i < app->stop;) {
        const char *word = l->words[i];
        atn_launch_option o;
        if (strcmp(word, "--") == 0 || *word != '-') {
            i += *word == '-';
            app->program = i < app->stop ? i : -1;
            return;
        }
        atn_cli_launch_option_at(l, i, app->stop, &o);
        note_option(l, &o, app);
        i += 1 + o.count;
    }
}

static bool push_app(atn_launch *l, int first, int stop)
{
    atn_app app = {.first = first, .stop = stop, .program = -1};
    if (l->launcher != NULL)
        read_app(l, &app);
    else
        app.program = first;
    return atn_push(&l->apps, app);
}

static bool split_apps(atn_launch *l)
{
    int first = l->at;
    for (int i = l->at + 1; i < l->n && l->launcher != NULL; i++)
        if (strcmp(l->words[i], ":") == 0) {
            if (!push_app(l, first, i))
                return false;
            first = i;
        }
    return push_app(l, first, l->n);
}

/* "timeout 60 mpirun ...": the launcher after a wrapper; for "attune lab run", its last
 * word. */
static int find_launcher(char **words, int n)
{
    for (int i = 1; i < 3 && i < n; i++)
        if (atn_cli_launcher_own(words, i) != NULL)
            return i;
    if (atn_cli_has_launcher_name(words[0]) || !atn_cli_is_wrapper(words[0]))
        return 0;
    for (int i = 1; i < n; i++)
        if (atn_cli_has_launcher_name(words[i]) || atn_cli_launcher_own(words, i) != NULL)
            return i;
    return 0;
}

atn_status atn_cli_launch_parse(char **words, int n, const char *flavour, atn_launch *l,
                                atn_error *err)
{
    *l = (atn_launch){.words = words, .n = n, .at = find_launcher(words, n)};
    l->launcher = atn_cli_launcher_own(words, l->at);
    const atn_status status =
        l->launcher == NULL ? atn_cli_launcher_identify(words[l->at], flavour, &l->launcher, err)
                            : ATN_OK;
    if (status != ATN_OK)
        return status;
    return split_apps(l) ? ATN_OK : atn_fail(err, ATN_MEMORY, "out of memory");
}

/* ---- ranks ---- */

static int app_ranks(const atn_launch *l, const atn_app *app, bool *spread_p)
{
    const int stop = app->program >= 0 ? app->program : app->stop;
    int ranks = 0;
    for (int i = app->first + 1; i < stop;) {
        atn_launch_option o = {0};
        if (strcmp(l->words[i], "--") != 0)
            atn_cli_launch_option_at(l, i, app->stop, &o);
        const char *const value = value_of(l, &o);
        if (value != NULL && atn_cli_in_words(l->launcher->count, o.name))
            ranks = atoi(value);
        *spread_p = *spread_p || atn_cli_in_words(l->launcher->spread, o.name);
        i += 1 + o.count;
    }
    return ranks;
}

int atn_cli_launch_ranks(const atn_launch *l, bool *spread_p)
{
    int ranks = 0;
    *spread_p = l->launcher != NULL && *l->launcher->spread == '*';
    for (int i = 0; i < l->apps.n && l->launcher != NULL; i++) {
        const int n = app_ranks(l, &l->apps.v[i], spread_p);
        if (n <= 0)
            return 0;
        ranks += n;
    }
    return l->launcher != NULL ? ranks : 1;
}

void atn_cli_launch_free(atn_launch *l) { atn_vec_free(&l->apps); }

void atn_cli_words_free(atn_words *w)
{
    for (int i = 0; i < w->n; i++)
        free(w->v[i]);
    atn_vec_free(w);
}
