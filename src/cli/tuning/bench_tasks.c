/* bench_tasks.c - makes tasks of lists of operations, sizes and variants. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/lookup.h"
#include "cli/tuning/bench.h"

/* ---- lists ---- */

/* Length of the first item of "a{k=1,l=2},b": commas in braces are not separators. */
static size_t item_length(const char *text)
{
    int depth = 0;
    size_t n = 0;
    for (; text[n] != '\0' && (text[n] != ',' || depth > 0); n++)
        depth += (text[n] == '{') - (text[n] == '}');
    return n;
}

static atn_status split(const char *text, const char *option, atn_words *list_p, atn_error *err)
{
    atn_words list = {0};
    for (;; text++) {
        const size_t n = item_length(text);
        char *item = n > 0 ? strndup(text, n) : NULL;
        if (item == NULL || !atn_push(&list, item)) {
            free(item);
            atn_cli_words_free(&list);
            return n == 0 ? atn_fail(err, ATN_USAGE, "--%s: empty name in the list", option)
                          : atn_fail(err, ATN_MEMORY, "out of memory");
        }
        text += n;
        if (*text == '\0')
            break;
    }
    *list_p = list;
    return ATN_OK;
}

/* ---- variants ---- */

static const char *const words[] = {"native", "attune", "best", "all"};
enum { WORDS = sizeof words / sizeof *words };

static bool is_word(const char *name)
{
    for (int i = 0; i < WORDS; i++)
        if (strcmp(words[i], name) == 0)
            return true;
    return false;
}

/* An algorithm of one operation: "ring" for any operation, "allreduce/ring" for one only. */
static atn_status choice_of(atn_operation op, const char *name, bool *other_p, atn_choice *choice_p,
                            atn_error *err)
{
    char full[2 * ATN_NAME_ROOM];
    const char *operation = atn_sched_operation_get(op)->name;
    const size_t n = strcspn(name, "{:"), slash = strcspn(name, "/");
    *other_p = false;
    if (slash < n) {
        *other_p = strlen(operation) != slash || strncmp(name, operation, slash) != 0;
        snprintf(full, sizeof full, "%s", name);
    } else {
        snprintf(full, sizeof full, "%s/%s", operation, name);
    }
    return *other_p ? ATN_OK : atn_cli_lookup_choice(full, choice_p, err);
}

/* Every name must exist for at least one of the operations. */
static atn_status check_name(const atn_operation *ops, int nops, const char *name, atn_error *err)
{
    atn_error first = {0};
    for (int i = 0; i < nops; i++) {
        atn_choice c;
        bool other;
        if (choice_of(ops[i], name, &other, &c, &first) == ATN_OK && !other)
            return ATN_OK;
    }
    if (first.status != ATN_OK)
        return atn_fail(err, first.status, "%s", first.text);
    return atn_fail(err, ATN_INPUT, "%s: operation is not in --ops", name);
}

static atn_status check_names(const atn_operation *ops, int nops, const atn_words *names,
                              bool allow_words, atn_error *err)
{
    atn_status status = ATN_OK;
    for (int i = 0; i < names->n && status == ATN_OK; i++)
        if (!allow_words || !is_word(names->v[i]))
            status = check_name(ops, nops, names->v[i], err);
    return status;
}

/* ---- tasks ---- */

typedef struct {
    ATN_VEC(atn_operation) ops;
    atn_sizes sizes;
    atn_words variants, candidates;
} plan;

static void free_plan(plan *p)
{
    atn_vec_free(&p->ops);
    atn_vec_free(&p->sizes);
    atn_cli_words_free(&p->variants);
    atn_cli_words_free(&p->candidates);
}

static void put_names(FILE *f, atn_operation op, const atn_words *names, const char *before)
{
    for (int i = 0; i < names->n; i++) {
        atn_choice c;
        bool other;
        const char *name = names->v[i], *slash = strchr(name, '/');
        if (is_word(name) || choice_of(op, name, &other, &c, NULL) != ATN_OK || other)
            continue;
        fprintf(f, ";%s%s", before, slash && slash < name + strcspn(name, "{:") ? slash + 1 : name);
    }
}

static bool requests(const plan *p, const char *word)
{
    for (int i = 0; i < p->variants.n; i++)
        if (strcmp(p->variants.v[i], word) == 0)
            return true;
    return false;
}

static atn_status add_task(const plan *p, atn_operation op, int64_t bytes, atn_words *tasks,
                           atn_error *err)
{
    char *text = NULL;
    size_t size = 0;
    FILE *f = atn_open_text(&text, &size);
    if (f == NULL)
        return atn_fail(err, ATN_MEMORY, "out of memory");
    fprintf(f, "%s/%" PRId64 "/native%s%s", atn_sched_operation_get(op)->name, bytes,
            requests(p, "attune") ? ";attune" : "", requests(p, "all") ? ";all" : "");
    put_names(f, op, &p->variants, "");
    if (requests(p, "best") && p->candidates.n == 0)
        fputs(";?all", f);
    else if (requests(p, "best"))
        put_names(f, op, &p->candidates, "?");
    if (fclose(f) == 0 && atn_push(tasks, text))
        return ATN_OK;
    free(text);
    return atn_fail(err, ATN_MEMORY, "out of memory");
}

/* A barrier has no size. */
static atn_status add_tasks(const plan *p, atn_words *tasks, atn_error *err)
{
    atn_status status = ATN_OK;
    for (int i = 0; i < p->ops.n && status == ATN_OK; i++) {
        const bool sized = atn_sched_operation_get(p->ops.v[i])->result != ATN_SIDE_NONE;
        for (int k = 0; k < (sized ? p->sizes.n : 1) && status == ATN_OK; k++)
            status = add_task(p, p->ops.v[i], sized ? p->sizes.v[k] : 0, tasks, err);
    }
    return status;
}

static atn_status read_ops(const char *text, plan *p, atn_error *err)
{
    atn_words names = {0};
    atn_status status = split(text, "ops", &names, err);
    for (int i = 0; i < names.n && status == ATN_OK; i++) {
        atn_operation op;
        status = atn_cli_lookup_operation(names.v[i], &op, err);
        if (status == ATN_OK && atn_sched_on_neighbours(op))
            status = atn_fail(err, ATN_INPUT,
                              "%s cannot be measured here: the job has no neighbours; 'attune "
                              "schedule compare' counts its messages",
                              names.v[i]);
        if (status == ATN_OK && !atn_push(&p->ops, op))
            status = atn_fail(err, ATN_MEMORY, "out of memory");
    }
    atn_cli_words_free(&names);
    return status;
}

static atn_status check_sizes(const atn_sizes *sizes, atn_error *err)
{
    for (int i = 0; i < sizes->n; i++)
        if (sizes->v[i] > INT64_C(1) << 30)
            return atn_fail(err, ATN_USAGE, "--sizes: the maximum is 1G");
    return ATN_OK;
}

static atn_status read_plan(const atn_bench_request *request, plan *p, atn_error *err)
{
    atn_status status = read_ops(request->ops, p, err);
    if (status == ATN_OK)
        status = atn_parse_sizes(request->sizes, &p->sizes, err);
    if (status == ATN_OK)
        status = check_sizes(&p->sizes, err);
    if (status == ATN_OK)
        status = split(request->variants, "variants", &p->variants, err);
    if (status == ATN_OK && request->candidates != NULL)
        status = split(request->candidates, "candidates", &p->candidates, err);
    if (status == ATN_OK)
        status = check_names(p->ops.v, p->ops.n, &p->variants, true, err);
    if (status == ATN_OK)
        status = check_names(p->ops.v, p->ops.n, &p->candidates, false, err);
    return status;
}

atn_status atn_cli_bench_tasks(const atn_bench_request *request, atn_words *tasks_p, atn_error *err)
{
    plan p = {.ops = {0}};
    atn_words tasks = {0};
    atn_status status = read_plan(request, &p, err);
    if (status == ATN_OK)
        status = add_tasks(&p, &tasks, err);
    if (status == ATN_OK)
        *tasks_p = tasks;
    else
        atn_cli_words_free(&tasks);
    free_plan(&p);
    return status;
}
