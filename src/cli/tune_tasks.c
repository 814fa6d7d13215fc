/* tune_tasks.c - the problems of `attune tune`: operations and sizes, or recorded patterns. */
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "algo/pattern.h"
#include "cli/bench.h"
#include "cli/sampling.h"
#include "cli/tune.h"

enum { NEARLY_EQUAL = 10 }; /* percent of bytes by which equal patterns may differ */

static atn_status no_memory(atn_error *err) { return atn_fail(err, ATN_MEMORY, "out of memory"); }

/* ---- names ---- */

static char *sizes_text(const atn_sizes *sizes)
{
    char *text = NULL;
    size_t bytes;
    FILE *f = open_memstream(&text, &bytes);
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
    char *copy = strdup(list), *rest = copy, *word;
    size_t bytes;
    FILE *f = copy != NULL ? open_memstream(variants_p, &bytes) : NULL;
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

static atn_status make_tasks(const atn_args *a, const char *ops, const char *sizes,
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
    atn_status status =
        text != NULL ? make_tasks(a, atn_cli_arg_text(a, "ops"), text, tasks, err) : no_memory(err);
    for (int i = 0; i < sizes->n && status == ATN_OK; i++)
        if (!atn_push(loads, (atn_load){ATN_OPERATIONS, sizes->v[i], 0}))
            status = no_memory(err);
    free(text);
    return status;
}

/* ---- patterns ---- */

typedef struct {
    atn_load load;
    int call; /* representative of nearly equal ones */
} group;
typedef ATN_VEC(group) group_list;

/* By operation, most bytes first, because their winner influences the rest. */
static int by_weight(const void *a, const void *b)
{
    const group *x = a, *y = b;
    const double u = (double)x->load.bytes * (double)x->load.times;
    const double v = (double)y->load.bytes * (double)y->load.times;
    if (x->load.op != y->load.op)
        return x->load.op < y->load.op ? -1 : 1;
    return u > v ? -1 : u < v ? 1 : x->call - y->call;
}

static int64_t mean_of(const atn_patterns *x, int call)
{
    const int64_t p = x->p, n = atn_algo_pattern_is_line(x->op[call]) ? p : p * p;
    int64_t sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += atn_algo_pattern(x, call)[i];
    return sum / n;
}

/* Problems are distinguished by their sizes. */
static int64_t unused(const group_list *list, atn_operation op, int64_t bytes)
{
    for (int i = 0; i < list->n; i++)
        if (list->v[i].load.op == op && list->v[i].load.bytes == bytes) {
            bytes++;
            i = -1;
        }
    return bytes;
}

static atn_status find_groups(const atn_patterns *x, group_list *list, atn_error *err)
{
    int *like = malloc((size_t)x->calls * sizeof *like);
    if (like == NULL)
        return no_memory(err);
    atn_status status = ATN_OK;
    atn_algo_patterns_group(x, NEARLY_EQUAL, like);
    for (int i = 0; i < x->calls && status == ATN_OK; i++) {
        int k = 0;
        while (k < list->n && list->v[k].call != like[i])
            k++;
        if (k == list->n) {
            const atn_load load = {x->op[i], unused(list, x->op[i], mean_of(x, i)), 0};
            if (!atn_push(list, (group){load, i}))
                status = no_memory(err);
        }
        if (status == ATN_OK)
            list->v[k].load.times += x->times[i];
    }
    free(like);
    return status;
}

/* "alltoallv/4096@3/native;?all" */
static atn_status add_task(const atn_args *a, const group *g, atn_words *tasks, atn_error *err)
{
    char size[32], word[64];
    atn_words one = {0};
    const char *op = atn_sched_operation_get(g->load.op)->name;
    snprintf(size, sizeof size, "%" PRId64, g->load.bytes);
    snprintf(word, sizeof word, "%s/%s@%d", op, size, g->call);
    atn_status status = make_tasks(a, op, size, &one, err);
    if (status == ATN_OK) {
        const char *variants = strchr(strchr(one.v[0], '/') + 1, '/');
        const size_t room = strlen(word) + strlen(variants) + 1;
        char *text = malloc(room);
        if (text != NULL)
            snprintf(text, room, "%s%s", word, variants);
        if (text == NULL || !atn_push(tasks, text)) {
            free(text);
            status = no_memory(err);
        }
    }
    atn_cli_words_free(&one);
    return status;
}

static atn_status pattern_tasks(const atn_args *a, const char *file, atn_words *tasks,
                                atn_loads *loads, atn_error *err)
{
    atn_patterns x = {0};
    group_list list = {0};
    char *text = NULL;
    atn_status status = atn_read_file(file, &text, NULL, err);
    if (status == ATN_OK)
        status = atn_algo_patterns_parse(text, file, &x, err);
    if (status == ATN_OK)
        status = find_groups(&x, &list, err);
    if (list.n > 0)
        qsort(list.v, (size_t)list.n, sizeof *list.v, by_weight);
    for (int i = 0; i < list.n && status == ATN_OK; i++) {
        status = add_task(a, &list.v[i], tasks, err);
        if (status == ATN_OK && !atn_push(loads, list.v[i].load))
            status = no_memory(err);
    }
    atn_vec_free(&list);
    atn_algo_patterns_free(&x);
    free(text);
    return status;
}

atn_status atn_cli_tune_tasks(const atn_args *a, const atn_sizes *sizes, atn_words *tasks,
                              atn_loads *loads, atn_error *err)
{
    const char *file = atn_cli_arg_text(a, "patterns");
    return file != NULL ? pattern_tasks(a, file, tasks, loads, err)
                        : sized_tasks(a, sizes, tasks, loads, err);
}
