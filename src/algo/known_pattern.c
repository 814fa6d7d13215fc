/* known_pattern.c - see known_pattern.h.  Patterns are never freed: plans refer to them. */
#include "algo/known_pattern.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static ATN_VEC(atn_known_pattern *) all;

const atn_known_pattern *atn_algo_known_find(int64_t name)
{
    const atn_known_pattern *found = NULL;

    pthread_mutex_lock(&lock);
    for (int i = 0; i < all.n; i++)
        if (all.v[i]->name == name)
            found = all.v[i];
    pthread_mutex_unlock(&lock);
    return found;
}

/* ---- adding ---- */

static int by_pair(const void *a, const void *b)
{
    const atn_pair *x = a, *y = b;

    return x->from != y->from ? x->from - y->from : x->to - y->to;
}

static bool same(const atn_known_pattern *x, const atn_known_pattern *y)
{
    bool so = x->p == y->p && x->line == y->line && x->n == y->n;

    for (int i = 0; so && i < x->n; i++)
        so = by_pair(&x->pairs[i], &y->pairs[i]) == 0 && x->pairs[i].bytes == y->pairs[i].bytes;
    return so;
}

static bool add(atn_known_pattern *x)
{
    pthread_mutex_lock(&lock);
    const bool ok = all.n < ATN_KNOWN_PATTERNS && atn_push(&all, x);
    pthread_mutex_unlock(&lock);
    return ok;
}

static void drop(atn_known_pattern *x)
{
    free(x->pairs);
    free(x);
}

bool atn_algo_known_keep(const char *name, int p, bool line, const atn_pair *pairs, int n)
{
    const int64_t number = atn_intern(name);
    const atn_known_pattern *const old = atn_algo_known_find(number);
    atn_known_pattern *const x = calloc(1, sizeof *x);
    atn_pair *const copy = malloc(sizeof *copy * ((size_t)n + 1));

    if (number <= 0 || !x || !copy || n > ATN_KNOWN_PAIRS) {
        free(copy);
        free(x);
        return false;
    }
    if (n > 0)
        memcpy(copy, pairs, sizeof *copy * (size_t)n);
    qsort(copy, (size_t)n, sizeof *copy, by_pair);
    *x = (atn_known_pattern){.name = number, .p = p, .n = n, .line = line, .pairs = copy};
    const bool known = old && same(old, x), added = !old && add(x);
    if (!added)
        drop(x);
    return known || added;
}

atn_status atn_algo_known_keep_call(const char *name, const atn_patterns *x, int call,
                                    atn_error *err)
{
    const int64_t *const bytes = atn_algo_pattern(x, call);
    const bool line = atn_algo_pattern_is_line(x->op[call]);
    ATN_VEC(atn_pair) list = {0};
    bool ok = true;

    for (int i = 0; ok && i < (line ? x->p : x->p * x->p); i++) {
        const atn_pair pair = {line ? i : i / x->p, line ? -1 : i % x->p, bytes[i]};
        if (bytes[i] > 0)
            ok = atn_push(&list, pair);
    }
    atn_status status = ATN_OK;
    if (list.n > ATN_KNOWN_PAIRS)
        status = atn_fail(err, ATN_INPUT, "%s: more than %d pairs of ranks have data", name,
                          ATN_KNOWN_PAIRS);
    else if (!ok || !atn_algo_known_keep(name, x->p, line, list.v, list.n))
        status = atn_fail(err, ATN_MEMORY,
                          "%s: no room for further patterns, or another one has that name", name);
    atn_vec_free(&list);
    return status;
}

atn_status atn_algo_known_add(const char *name, const char *text, int call, atn_error *err)
{
    atn_patterns x = {0};
    atn_status status = atn_algo_patterns_parse(text, name, &x, err);

    if (status == ATN_OK && call >= x.calls)
        status = atn_fail(err, ATN_INPUT, "%s: the file has %d calls", name, x.calls);
    if (status == ATN_OK)
        status = atn_algo_known_keep_call(name, &x, call, err);
    atn_algo_patterns_free(&x);
    return status;
}

/* ---- numbers ---- */

static uint64_t mixed(uint64_t hash, int64_t bytes)
{
    hash = (hash ^ (uint64_t)bytes) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}

/* Those of different ranks begin differently, so that their sum depends on the order of rows. */
uint64_t atn_algo_known_hash(bool line, int p, int r, atn_known_size size, const void *context)
{
    uint64_t hash = mixed(line ? 1 : 2 + (uint64_t)r, p);

    for (int to = 0; to < p; to++)
        hash = mixed(hash, !line && to == r ? 0 : size(context, to));
    return hash;
}

static int64_t size_in_row(const void *context, int to) { return ((const int64_t *)context)[to]; }

uint64_t atn_algo_known_number(const atn_patterns *x, int call)
{
    const bool line = atn_algo_pattern_is_line(x->op[call]);
    const int64_t *const bytes = atn_algo_pattern(x, call);
    uint64_t sum = 0;

    for (int r = 0; r < (line ? 1 : x->p); r++)
        sum += atn_algo_known_hash(line, x->p, r, size_in_row, bytes + (size_t)r * (size_t)x->p) &
               ATN_PATTERN_PART;
    return sum;
}

/* ---- reading ---- */

static void print_line(FILE *f, const atn_known_pattern *x)
{
    fprintf(f, "call allgatherv\n");
    for (int r = 0, i = 0; r < x->p; r++) {
        const bool has = i < x->n && x->pairs[i].from == r;
        fprintf(f, "%s%" PRId64, r > 0 ? " " : "", has ? x->pairs[i].bytes : 0);
        i += has;
    }
    fprintf(f, "\n");
}

static void print_pairs(FILE *f, const atn_known_pattern *x)
{
    fprintf(f, "call alltoallv pairs\n");
    for (int i = 0; i < x->n; i++) {
        const atn_pair *const y = &x->pairs[i];
        if (i == 0 || y[-1].from != y->from)
            fprintf(f, "%s%d", i > 0 ? "\n" : "", y->from);
        fprintf(f, " %d:%" PRId64, y->to, y->bytes);
    }
    fprintf(f, "%s", x->n > 0 ? "\n" : "");
}

void atn_algo_known_print(FILE *f, const atn_known_pattern *x)
{
    fprintf(f, "attune-pattern %d\nranks %d\n", ATN_PATTERN_VERSION, x->p);
    (x->line ? print_line : print_pairs)(f, x);
}

void atn_algo_known_fill(const atn_known_pattern *x, int64_t *bytes)
{
    const size_t p = (size_t)x->p;

    memset(bytes, 0, sizeof *bytes * p * p);
    for (int i = 0; i < x->n; i++) {
        const atn_pair *const y = &x->pairs[i];
        int64_t *const row = bytes + (size_t)y->from * p;
        for (int to = y->to < 0 ? 0 : y->to; to <= (y->to < 0 ? x->p - 1 : y->to); to++)
            row[to] = to == y->from ? 0 : y->bytes;
    }
}
