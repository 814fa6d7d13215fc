/* tune_patterns.c - the problems of `attune tune --patterns`: recorded calls whose sizes differ
 * between ranks. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "algo/known_pattern.h"
#include "cli/tuning/tune.h"
#include "plan/patterns.h"

enum { NEARLY_EQUAL = 10 }; /* percent of bytes by which equal patterns may differ */

static atn_status no_memory(atn_error *err) { return atn_fail(err, ATN_MEMORY, "out of memory"); }

/* ---- groups of calls ---- */

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

/* The pattern of a call as jobs name it, from now on known; 0: they do not recognise it. */
static uint64_t keep(const atn_patterns *x, int call)
{
    char name[ATN_PATTERN_NAME];
    if (!atn_plan_has_patterns(x->op[call]))
        return 0;
    const uint64_t pattern = atn_algo_known_number(x, call);
    atn_plan_pattern_name(pattern, name);
    return atn_algo_known_keep_call(name, x, call, NULL) == ATN_OK ? pattern : 0;
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
            const atn_load load = {x->op[i], unused(list, x->op[i], mean_of(x, i)), 0, keep(x, i)};
            if (!atn_push(list, (group){load, i}))
                status = no_memory(err);
        }
        if (status == ATN_OK)
            list->v[k].load.times += x->times[i];
    }
    free(like);
    return status;
}

/* ---- candidates ---- */

/* Of rows that are made for a pattern, the one of this call: "greedy{block=8}". */
static void put_bound(FILE *f, const group *g, const char *word)
{
    char name[ATN_NAME_ROOM], text[ATN_NAME_ROOM];
    atn_choice choice;
    snprintf(text, sizeof text, "%s", word);
    if (g->load.pattern == 0 || atn_plan_choice_read(g->load.op, text, &choice, NULL) != ATN_OK ||
        (choice.row->algo->needs & ATN_NEEDS_PATTERN) == 0 || atn_plan_pattern_of(&choice) != 0) {
        fputs(word, f);
        return;
    }
    atn_plan_pattern_name(g->load.pattern, name);
    atn_algo_params_set(choice.row, &choice.params, "pattern", name, NULL);
    atn_plan_choice_print(&choice, text);
    fputs(text, f);
}

static void put_made(FILE *f, const group *g)
{
    atn_choice choice;
    char name[ATN_NAME_ROOM];
    for (int i = 0; atn_plan_pattern_choice(g->load.op, g->load.pattern, i, &choice); i++) {
        atn_plan_choice_print(&choice, name);
        fprintf(f, ";?%s", name);
    }
}

/* "native;?all" */
static void put_variants(FILE *f, const group *g, char *variants)
{
    bool all = false;
    for (char *word; (word = atn_next_item(&variants, ";")) != NULL;) {
        const bool candidate = *word == '?';
        fputs(candidate ? ";?" : strcmp(word, "native") == 0 ? "" : ";", f);
        put_bound(f, g, word + candidate);
        all = all || strcmp(word, "?all") == 0;
    }
    if (all && g->load.pattern != 0)
        put_made(f, g);
}

/* "alltoallv/4096@3/native;?all" */
static atn_status add_task(const atn_args *a, const group *g, atn_words *tasks, atn_error *err)
{
    const char *op = atn_sched_operation_get(g->load.op)->name;
    char size[32], *text = NULL;
    size_t bytes;
    atn_words one = {0};
    snprintf(size, sizeof size, "%" PRId64, g->load.bytes);
    const atn_status status = atn_cli_tune_sized(a, op, size, &one, err);
    if (status != ATN_OK)
        return status;
    FILE *f = atn_open_text(&text, &bytes);
    if (f != NULL) {
        fprintf(f, "%s/%s@%d/", op, size, g->call);
        put_variants(f, g, strchr(strchr(one.v[0], '/') + 1, '/') + 1);
    }
    atn_cli_words_free(&one);
    if (f != NULL && fclose(f) == 0 && atn_push(tasks, text))
        return ATN_OK;
    free(text);
    return no_memory(err);
}

/* ---- the file ---- */

static atn_status read_file(const char *file, atn_patterns *x, atn_error *err)
{
    char *text = NULL;
    atn_status status = atn_read_file(file, &text, NULL, err);
    if (status == ATN_OK)
        status = atn_algo_patterns_parse(text, file, x, err);
    free(text);
    return status;
}

atn_status atn_cli_tune_patterns(const atn_args *a, const char *file, atn_words *tasks,
                                 atn_loads *loads, atn_error *err)
{
    atn_patterns x = {0};
    group_list list = {0};
    atn_status status = read_file(file, &x, err);
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
    return status;
}
