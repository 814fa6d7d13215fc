/* test_mutation.c - injects one fault at a time into every operation of every row: the verifier
 * must detect each.  Also: builds are independent of message size. */
#include "all_ranks.h"
#include "sched/optimise.h"
#include "trees.h"

/* ---- faults: each changes operation i, or returns false where it does not apply ---- */

static atn_slot *written_slot(atn_op *o) { return (atn_slot *)atn_sched_written(o); }

static void drop(atn_op *o)
{
    o->kind = ATN_OP_COPY;
    o->a.n = o->b.n = o->c.n = 0;
}

/* Moves the first range of a slot to the next block, or to the previous one at the end. */
static bool shift(atn_schedule *s, atn_slot *slot)
{
    atn_range *r = slot->n > 1 ? &s->ranges[slot->at] : &slot->one;
    const int blocks = atn_sched_space_blocks(s, (atn_space)slot->space);

    if (slot->n == 0 || r->count == blocks)
        return false;
    r->first += r->first + r->count < blocks ? 1 : -1;
    return true;
}

/* A read skips one block less. */
static bool skip_less(atn_slot *skipped)
{
    if (skipped->n != 1)
        return false;
    skipped->one.count--;
    skipped->n = skipped->one.count > 0;
    return true;
}

static bool wrong_source_block(atn_schedule *s, int i)
{
    if (atn_sched_is_read(&s->ops[i]))
        return skip_less(&s->ops[i].a);
    return atn_sched_source(&s->ops[i]) && shift(s, &s->ops[i].a);
}

static bool wrong_operand_block(atn_schedule *s, int i)
{
    return atn_sched_reduces(&s->ops[i]) && shift(s, &s->ops[i].c);
}

static bool wrong_target_block(atn_schedule *s, int i)
{
    return written_slot(&s->ops[i]) && shift(s, written_slot(&s->ops[i]));
}

static bool missing_message(atn_schedule *s, int i)
{
    if (!atn_sched_is_message(&s->ops[i]))
        return false;
    drop(&s->ops[i]);
    return true;
}

static bool missing_local(atn_schedule *s, int i)
{
    if (atn_sched_is_message(&s->ops[i]))
        return false;
    drop(&s->ops[i]);
    return true;
}

static bool wrong_peer(atn_schedule *s, int i)
{
    const bool reads = atn_sched_is_read(&s->ops[i]);

    if ((!atn_sched_is_message(&s->ops[i]) && !reads) || s->q.p < 3)
        return false;
    do
        s->ops[i].peer = (s->ops[i].peer + 1) % s->q.p;
    while (s->ops[i].peer == s->q.r);
    return true;
}

static bool swapped_operands(atn_schedule *s, int i)
{
    const atn_slot a = s->ops[i].a;

    if (s->ops[i].kind != ATN_OP_REDUCE || !s->q.ordered)
        return false;
    s->ops[i].a = s->ops[i].b;
    s->ops[i].b = a;
    return true;
}

static bool wrong_count_of_reads(atn_schedule *s, int i)
{
    if (s->ops[i].kind != ATN_OP_EXPOSE)
        return false;
    s->ops[i].peer++;
    return true;
}

static bool wrong_exposure(atn_schedule *s, int i)
{
    if (atn_sched_is_message(&s->ops[i]) || atn_sched_is_local(&s->ops[i]))
        return false;
    s->ops[i].seq++;
    return true;
}

/* Only where no other dependency implies the order. */
static bool missing_dependency(atn_schedule *s, int i)
{
    if (s->ops[i].ndeps != 1 || s->ops[i].nafter != 0)
        return false;
    s->ops[i].ndeps = 0;
    return true;
}

/* The block is what the result must hold: an allgather receives the same one twice from a source
 * that is listed twice, and its own one along an edge to itself. */
static bool same_sources(const atn_schedule *s)
{
    const atn_neighbourhood *n = s->q.neighbourhood;
    const int degree = n ? atn_sched_neighbourhood_count(n, s->q.r, ATN_INWARD) : 0;

    if (degree == 0 || s->split > 1)
        return false;
    return atn_sched_neighbourhood_rank(n, s->q.r, ATN_INWARD, 0) ==
           (degree > 1 ? atn_sched_neighbourhood_rank(n, s->q.r, ATN_INWARD, 1) : s->q.r);
}

/* Appends an operation that waits for all others and overwrites a result block. */
static bool extra_write(atn_schedule *s, int i)
{
    const int from = atn_sched_space_blocks(s, ATN_SRC), to = atn_sched_space_blocks(s, ATN_DST);
    const bool idle = s->q.op == ATN_EXSCAN && s->q.r == 0; /* its DST must not change */
    const bool own = s->q.op == ATN_SCAN && s->q.r == 0;    /* its SRC is the result */

    if (i != s->nops - 1 || to == 0 || from + to < 2 || own || same_sources(s))
        return false;
    s->ops = realloc(s->ops, sizeof *s->ops * (size_t)(s->nops + 1));
    s->deps = realloc(s->deps, sizeof *s->deps * (size_t)(s->ndeps + s->nops + 1));
    atn_op *o = &s->ops[s->nops];
    *o = (atn_op){.kind = ATN_OP_COPY, .peer = -1, .dep = s->ndeps, .ndeps = s->nops};
    for (int d = 0; d < s->nops; d++)
        s->deps[s->ndeps++] = d;
    s->nops++;
    o->a = (atn_slot){.space = to > 1 && !idle ? ATN_DST : ATN_SRC, .n = 1, .one = {0, 1}};
    o->b = (atn_slot){.space = ATN_DST, .n = 1, .one = {to > 1 ? 1 : 0, 1}};
    return true;
}

static const struct {
    const char *name;
    bool (*apply)(atn_schedule *s, int i);
} faults[] = {
    {"wrong source block", wrong_source_block},
    {"wrong operand block", wrong_operand_block},
    {"wrong target block", wrong_target_block},
    {"wrong count of reads", wrong_count_of_reads},
    {"wrong exposure", wrong_exposure},
    {"missing message", missing_message},
    {"missing copy or reduction", missing_local},
    {"wrong peer", wrong_peer},
    {"swapped operands", swapped_operands},
    {"missing dependency", missing_dependency},
    {"extra write", extra_write},
};
enum { FAULTS = sizeof faults / sizeof *faults };

/* ---- one row ---- */

typedef struct {
    const atn_row *row;
    atn_problem q;
    atn_params prm;
    bool optimised;
    int tried[FAULTS], missed;
    char why[400];
} trial;

/* Builds all ranks and changes operation i of rank r; false if there is no such operation. */
static bool try_fault(trial *t, int f, int r, int i)
{
    atn_status status;
    atn_error err = {0};
    atn_schedule **s = build_all(t->row, &t->q, &t->prm, IN_PLACE_NONE, &status, &err);
    for (int k = 0; s && t->optimised && k < t->q.p; k++)
        atn_sched_optimise(s[k]);
    const bool exists = s && i < s[r]->nops;

    if (exists && faults[f].apply(s[r], i)) {
        t->tried[f]++;
        if (atn_sched_verify(s, t->q.p, NULL, &err) != ATN_FINDING) {
            t->missed++;
            snprintf(t->why, sizeof t->why,
                     "p=%d segments=%d%s rank %d operation %d: %s is not detected", t->q.p,
                     t->q.segments, t->optimised ? " optimised" : "", r, i, faults[f].name);
        }
    }
    free_all(s, t->q.p);
    return exists;
}

static void try_everywhere(trial *t)
{
    for (int f = 0; f < FAULTS; f++)
        for (int r = 0; r < t->q.p; r++)
            for (int i = 0; try_fault(t, f, r, i); i++)
                ;
}

static void print_tried(const trial *t, char *out, size_t size)
{
    size_t used = (size_t)snprintf(out, size, "%s", t->row->name);
    const char *between = ": ";

    for (int f = 0; f < FAULTS; f++) {
        if (t->tried[f] == 0)
            continue;
        used += (size_t)snprintf(out + used, size - used, "%s%d x %s", between, t->tried[f],
                                 faults[f].name);
        between = ", ";
    }
}

static void break_row(const atn_row *row)
{
    const bool segments = row->algo->passes & ATN_PASS_SEGMENT;
    const bool typed = atn_sched_operation_get(row->op)->flags & ATN_TYPED;
    const bool ordered = typed && !(row->algo->needs & ATN_NEEDS_COMMUTATIVE);
    const bool rooted = atn_sched_operation_get(row->op)->flags & ATN_ROOTED;
    trial t = {.row = row};
    char name[400];

    atn_algo_params_default(row, &t.prm);
    for (int p = 3; p <= 5; p++) {
        atn_topo *topo = tree_row(p);
        atn_neighbourhood *near = neighbours_of(row, p);
        t.q = (atn_problem){.op = row->op,
                            .p = p,
                            .root = rooted,
                            .ordered = ordered,
                            .shared = ATN_SHARED_ALL,
                            .segments = segments ? 2 : 1,
                            .topo = topo,
                            .neighbourhood = near};
        t.optimised = false;
        if (!atn_algo_refuses(row, &t.q, &t.prm))
            try_everywhere(&t);
        t.optimised = true;
        if (typed && p == 4 && !atn_algo_refuses(row, &t.q, &t.prm))
            try_everywhere(&t);
        atn_sched_neighbourhood_free(near);
        atn_topo_free(topo);
    }
    print_tried(&t, name, sizeof name);
    tap(t.missed == 0, name, t.why);
}

/* ---- purity ---- */

/* Member by member: the padding of structures is indeterminate. */
static bool same_ranges(const atn_range *x, const atn_range *y, int n)
{
    int i = 0;

    while (i < n && x[i].first == y[i].first && x[i].count == y[i].count)
        i++;
    return i == n;
}

static bool same_numbers(const int32_t *x, const int32_t *y, int n)
{
    return n == 0 || memcmp(x, y, sizeof *x * (size_t)n) == 0;
}

static bool same_slot(const atn_slot *x, const atn_slot *y)
{
    return x->space == y->space && x->n == y->n && x->at == y->at &&
           same_ranges(&x->one, &y->one, 1);
}

static bool same_op(const atn_op *x, const atn_op *y)
{
    return x->kind == y->kind && x->ssend == y->ssend && x->peer == y->peer && x->seq == y->seq &&
           x->round == y->round && x->dep == y->dep && x->ndeps == y->ndeps &&
           x->nafter == y->nafter && same_slot(&x->a, &y->a) && same_slot(&x->b, &y->b) &&
           same_slot(&x->c, &y->c);
}

static bool same_schedule(const atn_schedule *x, const atn_schedule *y)
{
    int i = 0;

    if (x->split != y->split || x->nops != y->nops || x->nranges != y->nranges ||
        x->ndeps != y->ndeps || x->ntmp != y->ntmp || x->nrounds != y->nrounds)
        return false;
    while (i < x->nops && same_op(&x->ops[i], &y->ops[i]))
        i++;
    return i == x->nops && same_ranges(x->ranges, y->ranges, x->nranges) &&
           same_numbers(x->deps, y->deps, x->ndeps) &&
           same_numbers(x->tmp_shape, y->tmp_shape, x->ntmp);
}

/* The comparison detects a change in any member of an operation. */
static void comparison_sees_changes(void)
{
    static const atn_op base = {.kind = ATN_OP_SEND, .a.n = 1, .b.n = 1};
    const atn_op changed[] = {
        {.kind = ATN_OP_RECV, .a.n = 1, .b.n = 1},
        {.ssend = true, .a.n = 1, .b.n = 1},
        {.peer = 1, .a.n = 1, .b.n = 1},
        {.seq = 1, .a.n = 1, .b.n = 1},
        {.round = 1, .a.n = 1, .b.n = 1},
        {.dep = 1, .a.n = 1, .b.n = 1},
        {.ndeps = 1, .a.n = 1, .b.n = 1},
        {.nafter = 1, .a.n = 1, .b.n = 1},
        {.a = {.space = ATN_TMP, .n = 1}, .b.n = 1},
        {.a.n = 1},
        {.a.n = 1, .b = {.n = 1, .at = 1}},
        {.a.n = 1, .b.n = 1, .c.n = 1},
        {.a = {.n = 1, .one = {1, 0}}, .b.n = 1},
        {.a = {.n = 1, .one = {0, 1}}, .b.n = 1},
    };
    bool ok = same_op(&base, &base);

    for (size_t i = 0; i < sizeof changed / sizeof *changed; i++)
        ok = ok && !same_op(&base, &changed[i]);
    tap(ok, "schedules that differ in one member compare unequal", "a member is not compared");
}

/* Padding differs, members do not. */
static void comparison_ignores_padding(void)
{
    atn_op x, y;

    memset(&x, 0xff, sizeof x);
    memset(&y, 0, sizeof y);
    x.ssend = false;
    y.kind = x.kind, y.peer = x.peer, y.seq = x.seq, y.round = x.round;
    y.dep = x.dep, y.ndeps = x.ndeps, y.nafter = x.nafter;
    atn_slot *const from[] = {&x.a, &x.b, &x.c}, *const to[] = {&y.a, &y.b, &y.c};
    for (int i = 0; i < 3; i++) {
        to[i]->space = from[i]->space, to[i]->n = from[i]->n, to[i]->at = from[i]->at;
        to[i]->one.first = from[i]->one.first, to[i]->one.count = from[i]->one.count;
    }
    tap(same_op(&x, &y), "padding of schedules is not compared", "equal members differ");
}

static bool is_pure(const atn_row *row, int p, int segments)
{
    atn_topo *topo = tree_row(p);
    atn_neighbourhood *near = neighbours_of(row, p);
    bool ok = true;

    for (int r = 0; ok && r < p; r++) {
        atn_schedule *s[2] = {NULL, NULL};
        atn_params prm;
        atn_algo_params_default(row, &prm);
        for (int i = 0; i < 2; i++) {
            const atn_problem q = {.op = row->op,
                                   .p = p,
                                   .r = r,
                                   .shared = ATN_SHARED_ALL,
                                   .segments = segments,
                                   .topo = topo,
                                   .neighbourhood = near,
                                   .bytes = i == 0 ? 1 : 1000000007};
            if (!atn_algo_refuses(row, &q, &prm))
                ok = atn_algo_build(row, &q, &prm, &s[i], NULL) == ATN_OK && ok;
        }
        ok = ok && (!s[0] || same_schedule(s[0], s[1]));
        atn_sched_schedule_free(s[0]);
        atn_sched_schedule_free(s[1]);
    }
    atn_sched_neighbourhood_free(near);
    atn_topo_free(topo);
    return ok;
}

static void builds_are_pure(void)
{
    const char *why = "";

    for (int i = 0; i < atn_algo_catalog_rows(); i++) {
        const atn_row *row = atn_algo_catalog_row(i);
        const bool segments = row->algo->passes & ATN_PASS_SEGMENT;
        if (row->algo->build && (!is_pure(row, 7, 1) || !is_pure(row, 8, segments ? 3 : 1)))
            why = row->name;
    }
    tap(why[0] == '\0', "schedules do not depend on the number of bytes", why);
}

int main(int argc, char **argv)
{
    (void)argc;
    comparison_sees_changes();
    comparison_ignores_padding();
    builds_are_pure();
    for (int i = 0; i < atn_algo_catalog_rows(); i++)
        if (wanted(atn_algo_catalog_row(i), argv))
            break_row(atn_algo_catalog_row(i));
    return tap_end();
}
