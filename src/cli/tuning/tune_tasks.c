/* tune_tasks.c - the problems of `attune tune`: operations and sizes. */
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/sampling.h"
#include "cli/tuning/bench.h"
#include "cli/tuning/tune.h"

static atn_status no_memory(atn_error *err) { return atn_fail(err, ATN_MEMORY, "out of memory"); }

/* ---- names ---- */

static char *sizes_text(const atn_sizes *sizes)
{
    char *text = NULL;
    size_t bytes;
    FILE *f = atn_open_text(&text, &bytes);
    if (f == NULL)
        return NULL;
    for (int i = 0; i < sizes->n; i++)
        fprintf(f, "%s%" PRId64, i ? "," : "", sizes->v[i]);
    fclose(f);
    return text;
}

/* Names in a file, one per line; # starts a comment. */
static atn_status read_names(const char *path, char **list_p, atn_error *err)
{
    char *text;
    const atn_status status = atn_read_file(path, &text, NULL, err);
    if (status != ATN_OK)
        return status;
    char *to = text, *rest = text, *line;
    while ((line = strsep(&rest, "\n")) != NULL) {
        line[strcspn(line, "#")] = '\0';
        char *end = NULL, *word = strtok_r(line, " \t\r", &end);
        if (word == NULL)
            continue;
        const size_t n = strlen(word);
        if (to > text)
            *to++ = ',';
        memmove(to, word, n);
        to += n;
    }
    *to = '\0';
    *list_p = text;
    return *text != '\0' ? ATN_OK : atn_fail(err, ATN_INPUT, "%s: contains no algorithm", path);
}

/* A schedule file as an absolute path, because ranks may start in another folder. */
static void put_name(FILE *f, const char *word)
{
    static const char key[] = "file{schedule=";
    const char *at = strstr(word, key);
    char path[PATH_MAX], real[PATH_MAX];
    if (at == NULL) {
        fputs(word, f);
        return;
    }
    at += sizeof key - 1;
    const size_t n = strcspn(at, "},");
    snprintf(path, sizeof path, "%.*s", (int)n, at);
    fprintf(f, "%.*s%s%s", (int)(at - word), word, realpath(path, real) != NULL ? real : path,
            at + n);
}

/* "all,mine": all candidates and `mine`; without `all`: only those named. */
static atn_status read_candidates(const char *list, char **variants_p, bool *all_p, atn_error *err)
{
    if (atn_check_list("--candidates", list, ATN_USAGE, err) != ATN_OK)
        return err->status;
    char *copy = strdup(list), *rest = copy, *word;
    size_t bytes;
    FILE *f = copy != NULL ? atn_open_text(variants_p, &bytes) : NULL;
    *all_p = false;
    if (f == NULL) {
        free(copy);
        return no_memory(err);
    }
    for (bool first = true; (word = atn_next_item(&rest, ",")) != NULL; first = false) {
        const bool all = strcmp(word, "all") == 0;
        *all_p = *all_p || all;
        if (!first)
            fputc(',', f);
        if (all)
            fputs("best", f);
        else
            put_name(f, word);
    }
    free(copy);
    return fclose(f) == 0 ? ATN_OK : no_memory(err);
}

/* Whether the text is a file rather than a list of algorithms. */
static bool is_file(const char *given)
{
    struct stat about;
    return strcmp(given, "all") != 0 && stat(given, &about) == 0 && !S_ISDIR(about.st_mode);
}

atn_status atn_cli_tune_sized(const atn_args *a, const char *ops, const char *sizes,
                              atn_words *tasks, atn_error *err)
{
    const char *given = atn_cli_arg_text(a, "candidates");
    char *names = NULL, *variants = NULL;
    bool all = false;
    atn_status status = ATN_OK;
    if (is_file(given))
        status = read_names(given, &names, err);
    if (status == ATN_OK)
        status = read_candidates(names != NULL ? names : given, &variants, &all, err);
    if (status == ATN_OK) {
        const atn_bench_request request = {.ops = ops,
                                           .sizes = sizes,
                                           .variants = all ? variants : "best",
                                           .candidates = all ? NULL : variants};
        status = atn_cli_bench_tasks(&request, tasks, err);
    }
    free(names);
    free(variants);
    return status;
}

/* ---- sizes ---- */

static atn_status sized_tasks(const atn_args *a, const atn_sizes *sizes, atn_words *tasks,
                              atn_loads *loads, atn_error *err)
{
    char *text = sizes_text(sizes);
    atn_status status = text != NULL
                            ? atn_cli_tune_sized(a, atn_cli_arg_text(a, "ops"), text, tasks, err)
                            : no_memory(err);
    for (int i = 0; i < sizes->n && status == ATN_OK; i++)
        if (!atn_push(loads, (atn_load){ATN_OPERATIONS, sizes->v[i], 0, 0}))
            status = no_memory(err);
    free(text);
    return status;
}

atn_status atn_cli_tune_tasks(const atn_args *a, const char *patterns, const atn_sizes *sizes,
                              atn_words *tasks, atn_loads *loads, atn_error *err)
{
    return patterns != NULL ? atn_cli_tune_patterns(a, patterns, tasks, loads, err)
                            : sized_tasks(a, sizes, tasks, loads, err);
}
