/* patterns.c - see patterns.h. */
#include "pmpi/select/patterns.h"

#include <stdlib.h>

#include "algo/known_pattern.h"
#include "algo/pattern.h"
#include "plan/patterns.h"
#include "pmpi/comm/private.h"
#include "pmpi/own.h"
#include "pmpi/select/candidates.h"
#include "topo/topo.h"

/* More ranks are not worth their phases, which each of them derives. */
enum { MOST_RANKS = 256 };

static bool is_line(atn_operation op) { return atn_algo_pattern_is_line(op); }

/* ---- hashes ---- */

typedef struct {
    const atn_comm *c;
    const atn_call *call;
} call_sizes;

static int64_t size_of_call(const void *context, int to)
{
    const call_sizes *const x = context;
    return atn_exec_call_size(x->c->exec, x->call, to);
}

static uint64_t hash_of_call(const atn_comm *c, const atn_call *call)
{
    const call_sizes x = {c, call};
    return atn_algo_known_hash(is_line(call->op), c->p, c->r, size_of_call, &x);
}

typedef struct {
    const atn_known_pattern *of;
    const atn_pair *next; /* pairs of earlier ranks were passed */
    int r;
} pattern_sizes;

/* Receivers in ascending order. */
static int64_t size_in_pattern(const void *context, int to)
{
    pattern_sizes *const x = *(pattern_sizes *const *)context;
    const atn_pair *const end = x->of->pairs + x->of->n;
    const bool line = x->of->line;
    while (x->next < end &&
           (line ? x->next->from < to
                 : x->next->from < x->r || (x->next->from == x->r && x->next->to < to)))
        x->next++;
    const bool has =
        x->next < end && (line ? x->next->from == to : x->next->from == x->r && x->next->to == to);
    return has ? x->next->bytes : 0;
}

/* The same of the sizes in a pattern; 0: it is not known. */
static uint64_t hash_of_pattern(const atn_comm *c, atn_operation op, uint64_t pattern)
{
    char name[ATN_PATTERN_NAME];
    atn_plan_pattern_name(pattern, name);
    const atn_known_pattern *const of = atn_algo_known_find(atn_intern(name));
    if (of == NULL || of->p != c->p)
        return 0;
    pattern_sizes sizes = {of, of->pairs, c->r}, *const x = &sizes;
    return atn_algo_known_hash(is_line(op), c->p, c->r, size_in_pattern, &x);
}

void atn_select_patterns_note(const atn_comm *c, const atn_call *call, atn_call_class *x)
{
    atn_recurrence *const k = &x->recurrence;
    if (!atn_plan_has_patterns(call->op) || k->left == 0)
        return;
    const uint64_t hash = hash_of_call(c, call);
    k->same = k->same > 0 && hash == k->hash ? k->same + 1 : 1;
    k->hash = hash;
    if (x->subject.pattern != k->of) {
        k->of = x->subject.pattern;
        k->own = k->of != 0 ? hash_of_pattern(c, call->op, k->of) : 0;
    }
    k->differs = k->differs || (k->of != 0 && hash != k->own);
}

/* ---- known from the start ---- */

static bool names(const atn_choice *choice, uint64_t pattern)
{
    const int64_t name = atn_plan_pattern_of(choice);
    return name > 0 && atn_plan_pattern_number(name) == pattern;
}

static bool is_in_wisdom(uint64_t pattern)
{
    const atn_rules *const all = atn_job_current.wisdom;
    for (int i = 0; i < atn_plan_rules_count(all); i++) {
        const atn_rule *const rule = atn_plan_rules_at(all, i);
        if (names(&rule->use, pattern) || names(&rule->next, pattern))
            return true;
    }
    return false;
}

uint64_t atn_select_patterns_of_call(const atn_comm *c, const atn_call *call)
{
    const bool shares = atn_plan_has_patterns(call->op) && is_line(call->op);
    if (!shares || !atn_job_current.has_patterns)
        return 0;
    const uint64_t hash = hash_of_call(c, call) & ATN_PATTERN_PART;
    return is_in_wisdom(hash) ? hash : 0;
}

/* ---- collecting the sizes ---- */

typedef struct {
    ATN_VEC(atn_pair) list;
    bool complete;
} sizes;

static void append(sizes *x, const atn_pair *pairs, int n)
{
    for (int i = 0; i < n && x->complete; i++)
        x->complete = x->list.n < ATN_KNOWN_PAIRS && atn_push(&x->list, pairs[i]);
}

/* A pair of negative size states that some are missing. */
static const atn_pair missing = {.bytes = -1};

static void take(void *context, const char *data, int64_t bytes)
{
    sizes *const x = context;
    const atn_pair *const pairs = (const atn_pair *)data;
    const int n = (int)(bytes / (int64_t)sizeof *pairs);
    x->complete = x->complete && data != NULL && (n == 0 || pairs[0].bytes >= 0);
    append(x, pairs, x->complete ? n : 0);
}

static const char *give(void *context, int64_t *bytes_p)
{
    const sizes *const x = context;
    *bytes_p = (int64_t)sizeof missing * (x->complete ? x->list.n : 1);
    return (const char *)(x->complete ? x->list.v : &missing);
}

static void add_own(const atn_comm *c, const atn_call *call, sizes *x)
{
    const bool line = is_line(call->op);
    for (int j = 0; j < c->p; j++) {
        const atn_pair pair = {line ? j : c->r, line ? -1 : j,
                               atn_exec_call_size(c->exec, call, j)};
        if (pair.bytes > 0 && (line || j != c->r))
            append(x, &pair, 1);
    }
}

/* The list of rank 0 on all ranks; false: it is not complete, or there is no memory. */
static bool spread(const atn_comm *c, sizes *x)
{
    int n = x->complete ? x->list.n : -1;
    atn_pmpi_own_bcast(&n, 1, MPI_INT, 0, c->private_comm);
    if (n < 0)
        return false;
    atn_pair *const all = c->r == 0 ? x->list.v : malloc(sizeof *all * ((size_t)n + 1));
    int room = all != NULL || n == 0, rooms = 0;
    atn_pmpi_own_allreduce(&room, &rooms, 1, MPI_INT, MPI_MIN, c->private_comm);
    if (rooms && n > 0)
        atn_pmpi_own_bcast(all, n * (int)sizeof *all, MPI_BYTE, 0, c->private_comm);
    if (c->r != 0) {
        atn_vec_free(&x->list);
        x->list.v = all;
        x->list.n = x->list.cap = n;
    }
    return rooms;
}

/* Collective: all ranks have the pattern, or all state that they have not. */
static bool gather(const atn_comm *c, const atn_call *call, const char *name)
{
    sizes x = {.complete = true};
    const bool line = is_line(call->op);
    add_own(c, call, &x);
    if (!line)
        atn_exec_collect(&(atn_collection){take, give, &x}, c->private_comm);
    int known = line ? x.complete : spread(c, &x), all = 0;
    known = known && atn_algo_known_keep(name, c->p, line, x.list.v, x.list.n);
    atn_pmpi_own_allreduce(&known, &all, 1, MPI_INT, MPI_MIN, c->private_comm);
    atn_vec_free(&x.list);
    return all;
}

/* ---- recognition ---- */

/* Equal blocks are what general algorithms are made for. */
static bool is_uneven(const atn_comm *c, const atn_call *call)
{
    int64_t most = 0, sum = 0;
    for (int j = 0; j < c->p; j++) {
        const int64_t bytes = atn_exec_call_size(c->exec, call, j);
        most = bytes > most ? bytes : most;
        sum += bytes;
    }
    return 2 * most * c->p > 3 * sum;
}

static bool is_promising(const atn_comm *c, const atn_call *call, const atn_call_class *x)
{
    const atn_topo *const t = x->subject.q.topo;
    return t != NULL && t->p == c->p && c->p > 2 && c->p <= MOST_RANKS && atn_topo_hosts(t) > 1 &&
           (!is_line(call->op) || is_uneven(c, call));
}

static int find_gathered(const atn_recurrence *k, uint64_t pattern)
{
    for (int i = 0; i < k->n; i++)
        if (k->gathered[i] == pattern)
            return i;
    return -1;
}

void atn_select_patterns_recognise(void *context, atn_call_class *x, uint64_t hash)
{
    atn_comm *const c = context;
    atn_recurrence *const k = &x->recurrence;
    const atn_call *const call = c->call;
    char name[ATN_PATTERN_NAME];
    if (call == NULL || !atn_plan_has_patterns(call->op) || !is_promising(c, call, x))
        return;
    if (find_gathered(k, hash) < 0) {
        if (k->n == ATN_PATTERNS_MOST || !atn_comm_private_ready(c))
            return;
        atn_plan_pattern_name(hash, name);
        k->failed[k->n] = !gather(c, call, name);
        k->gathered[k->n++] = hash;
    }
    if (!k->failed[find_gathered(k, hash)])
        x->subject.pattern = hash;
}

/* ---- candidates ---- */

bool atn_select_patterns_serves(const atn_call_class *x, const atn_choice *choice)
{
    const int64_t name = atn_plan_pattern_of(choice);
    if (name == 0)
        return true;
    const uint64_t pattern = atn_plan_pattern_number(name);
    if (x->calls > 0 && pattern != x->subject.pattern)
        return false;
    const int i = find_gathered(&x->recurrence, pattern);
    return i >= 0 ? !x->recurrence.failed[i] : is_in_wisdom(pattern);
}

/* Without predictions, which assume blocks of equal size. */
void atn_select_patterns_add(const atn_call_class *x, atn_candidate_set *field)
{
    const atn_subject *const s = &x->subject;
    atn_choice choice;
    for (int i = 0; s->pattern != 0 && atn_plan_pattern_choice(s->q.op, s->pattern, i, &choice);
         i++)
        if (atn_select_candidate_fits(&choice, &s->q))
            atn_tune_candidate_set_add(field, &choice, -1, ATN_ERROR_TOPOLOGY);
}
