/* supplied.c - see supplied.h.  Added schedules are never freed. */
#include "algo/supplied.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "sched/text.h"
#include "sched/verify.h"

typedef struct {
    int64_t name; /* atn_intern */
    char *text;
    atn_operation op;
    int p, root;
    atn_supplied_proof proof;
    char other_ranks[64]; /* reason for refusing another number of ranks */
} supplied;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static ATN_VEC(supplied *) all;

/* The latest of that name: a file may have changed. */
static const supplied *find(atn_operation op, int64_t name)
{
    const supplied *found = NULL;

    pthread_mutex_lock(&lock);
    for (int i = 0; i < all.n; i++)
        if (all.v[i]->op == op && all.v[i]->name == name)
            found = all.v[i];
    pthread_mutex_unlock(&lock);
    return found;
}

const char *atn_algo_supplied_text(atn_operation op, const char *name, atn_supplied_proof *proof_p)
{
    const supplied *x = find(op, atn_intern(name));

    if (x)
        *proof_p = x->proof;
    return x ? x->text : NULL;
}

/* ---- building: replays the operations of one rank ---- */

typedef struct {
    atn_builder *b;
    const atn_schedule *s;
    int scratch; /* region */
    int aside;   /* region with the operand; -1: it is in SRC */
} replay;

static atn_ref ref(const replay *x, const atn_slot *slot)
{
    const bool moved = slot->space == ATN_SRC && x->aside >= 0;
    const atn_ref like = {.space = moved ? ATN_TMP : (atn_space)slot->space,
                          .region = moved ? x->aside : x->scratch};

    return atn_ranges(like, atn_sched_slot_ranges(x->s, slot), slot->n);
}

static void emit(const replay *x, const atn_op *o)
{
    const bool sends = o->kind == ATN_OP_SEND;

    if (o->kind == ATN_OP_COPY)
        atn_copy(x->b, ref(x, &o->a), ref(x, &o->b));
    else if (o->kind == ATN_OP_REDUCE)
        atn_reduce_with(x->b, ref(x, &o->a), ref(x, atn_sched_operand(o)), ref(x, &o->b));
    else if (o->kind == ATN_OP_RECV_REDUCE)
        atn_recv_reduce(x->b, o->peer, ref(x, &o->a), ref(x, atn_sched_operand(o)), ref(x, &o->b));
    else if (o->a.n == 0)
        (sends ? atn_token_send : atn_token_recv)(x->b, o->peer);
    else
        (o->ssend ? atn_ssend : sends ? atn_send : atn_recv)(x->b, o->peer, ref(x, &o->a));
}

/* In place a copy may be omitted; dependencies on it are then dropped. */
static void emit_all(const replay *x, int *emitted)
{
    const atn_schedule *s = x->s;

    for (int i = 0, round = 0; i < s->nops; i++) {
        const atn_op *o = &s->ops[i];
        for (; round < o->round; round++)
            atn_round(x->b);
        emitted[i] = atn_here(x->b);
        emit(x, o);
        if (atn_here(x->b) == emitted[i])
            emitted[i] = -1;
        for (int d = 0; emitted[i] >= 0 && d < o->nafter; d++)
            atn_after(x->b, emitted[s->deps[o->dep + d]]);
    }
}

/* Copies the operand to scratch: the whole message, or one entry. */
static int put_aside(atn_builder *b, const atn_problem *q, int split)
{
    const bool entry = atn_sched_operation_get(q->op)->source == ATN_SIDE_ONE;
    const int region = atn_tmp(b, entry ? q->r * split : 0, split);

    atn_copy(b, atn_src(0, split), atn_tmp_at(region, 0, split));
    return region;
}

typedef struct {
    atn_schedule **set;
    bool aside;
} source;

static void run(atn_builder *b, const atn_problem *q, const void *context)
{
    const source *from = context;
    const atn_schedule *s = from->set[q->r];
    int *emitted = malloc(sizeof *emitted * ((size_t)s->nops + 1));
    replay x = {.b = b, .s = s, .aside = -1};

    atn_split(b, s->split);
    if (s->ntmp > 0)
        x.scratch = atn_tmp_of(b, s->tmp_shape, s->ntmp);
    if (q->in_place && from->aside)
        x.aside = put_aside(b, q, s->split);
    if (emitted)
        emit_all(&x, emitted);
    else
        atn_builder_fail(b, ATN_MEMORY, "out of memory");
    free(emitted);
}

/* For another root all ranks are rotated accordingly. */
static void run_turned(atn_builder *b, const atn_problem *q, int turn, const source *from)
{
    int *order = malloc(sizeof *order * (size_t)q->p);

    for (int i = 0; order && i < q->p; i++)
        order[i] = (i + turn) % q->p;
    if (order)
        atn_pass_permute(b, q, order, run, from);
    else
        atn_builder_fail(b, ATN_MEMORY, "out of memory");
    free(order);
}

static void free_set(atn_schedule **set, int p)
{
    for (int r = 0; set && r < p; r++)
        atn_sched_schedule_free(set[r]);
    free(set);
}

static void build(atn_builder *b, const atn_problem *q, const atn_params *prm)
{
    const supplied *x = find(q->op, prm->v[0]);
    source from = {.aside = x->proof.aside};
    atn_error err = {0};
    int p = 0;

    if (atn_sched_schedule_parse(x->text, atn_interned(x->name), &from.set, &p, &err) != ATN_OK)
        atn_builder_fail(b, err.status, err.text);
    else if (q->root == x->root)
        run(b, q, &from);
    else
        run_turned(b, q, atn_mod(q->root - x->root, q->p), &from);
    free_set(from.set, p);
}

static const char *refuses(const atn_problem *q, const atn_params *prm)
{
    const supplied *x = find(q->op, prm->v[0]);

    if (!x)
        return prm->v[0] ? "the file was not read" : "no file is named; add schedule=FILE";
    if (q->p != x->p)
        return x->other_ranks;
    if (q->ordered && !x->proof.ordered)
        return "the schedule changes the order of operands";
    return q->ordered && q->root != x->root ? "another root would change the order of operands"
                                            : NULL;
}

static const atn_param params[] = {
    {"schedule", ATN_FILE, 0, 0, INT64_MAX, ATN_LINEAR, "the file (docs/schedule-format.md)", NULL},
    {0},
};

const atn_algo atn_algo_file = {
    .name = "file",
    .summary = "a schedule from a file",
    .reference = "user-supplied",
    .klass = ATN_DIRECT,
    .group = "file",
    .params = params,
    .refuses = refuses,
    .build = build,
};

/* ---- proving ---- */

typedef enum { NO_RANK, ALL_RANKS, ODD_RANKS } in_place;

static bool puts_in_place(const atn_problem *q, in_place ranks)
{
    const atn_place place = atn_sched_operation_place(q->op, q->r == q->root);
    const bool may = place != ATN_PLACE_NONE && place != ATN_PLACE_STAGED;

    return may && (ranks == ALL_RANKS || (ranks == ODD_RANKS && q->r % 2 == 1));
}

static atn_status prove(const supplied *x, bool ordered, in_place ranks, int root, atn_error *err)
{
    const atn_params prm = {{x->name}};
    atn_problem q = {.op = x->op, .p = x->p, .root = root, .ordered = ordered, .segments = 1};
    atn_schedule **set = calloc((size_t)x->p, sizeof *set);
    atn_status status = set ? ATN_OK : atn_fail(err, ATN_MEMORY, "out of memory");

    for (q.r = 0; status == ATN_OK && q.r < q.p; q.r++) {
        q.in_place = puts_in_place(&q, ranks);
        status = atn_algo_build(atn_algo_catalog_file(x->op), &q, &prm, &set[q.r], err);
    }
    if (status == ATN_OK)
        status = atn_sched_verify(set, x->p, NULL, err);
    free_set(set, x->p);
    return status;
}

static bool has_in_place(const supplied *x)
{
    atn_problem q = {.op = x->op, .p = x->p, .r = x->root, .root = x->root};
    return puts_in_place(&q, ALL_RANKS);
}

static atn_status prove_in_place(const supplied *x, atn_error *err)
{
    const bool may_differ = x->op == ATN_SCAN || x->op == ATN_EXSCAN;
    atn_status status = prove(x, x->proof.ordered, ALL_RANKS, x->root, err);

    if (status == ATN_OK && may_differ)
        status = prove(x, x->proof.ordered, ODD_RANKS, x->root, err);
    return status;
}

static atn_status prove_all(supplied *x, atn_error *err)
{
    const atn_operation_info *o = atn_sched_operation_get(x->op);
    atn_status status = ATN_FINDING;

    x->proof.ordered = o->flags & ATN_TYPED;
    if (x->proof.ordered)
        status = prove(x, true, NO_RANK, x->root, NULL);
    x->proof.ordered = status == ATN_OK;
    if (status != ATN_OK)
        status = prove(x, false, NO_RANK, x->root, err);
    if (status == ATN_OK && has_in_place(x)) {
        x->proof.aside = prove_in_place(x, NULL) != ATN_OK;
        status = x->proof.aside ? prove_in_place(x, err) : ATN_OK;
    }
    if (status == ATN_OK && (o->flags & ATN_ROOTED))
        status = prove(x, false, NO_RANK, (x->root + 1) % x->p, err);
    return status;
}

/* ---- adding ---- */

static atn_status read_head(supplied *x, const char *name, atn_error *err)
{
    atn_schedule **set = NULL;
    const atn_operation op = x->op;
    atn_status status = atn_sched_schedule_parse(x->text, name, &set, &x->p, err);

    if (status != ATN_OK)
        return status;
    x->root = set[0]->q.root;
    if (set[0]->q.op != op)
        status = atn_fail(
            err, ATN_INPUT, "%s: is a schedule for %s and cannot implement %s; name another", name,
            atn_sched_operation_get(set[0]->q.op)->name, atn_sched_operation_get(op)->name);
    for (int r = 0; status == ATN_OK && r < x->p; r++)
        if (set[r]->q.in_place)
            status = atn_fail(err, ATN_INPUT,
                              "%s: rank %d is in_place; write it for separate buffers, it supports "
                              "MPI_IN_PLACE as well",
                              name, r);
    for (int r = 0; status == ATN_OK && r < x->p; r++)
        if (atn_sched_is_shared(set[r]))
            status = atn_fail(err, ATN_INPUT,
                              "%s: rank %d exposes or reads shared memory; a supplied schedule may "
                              "only use messages, copies and reductions",
                              name, r);
    snprintf(x->other_ranks, sizeof x->other_ranks, "the schedule is for %d ranks", x->p);
    free_set(set, x->p);
    return status;
}

static bool keep(supplied *x)
{
    pthread_mutex_lock(&lock);
    const bool ok = atn_push(&all, x);
    pthread_mutex_unlock(&lock);
    return ok;
}

static void remove_added(const supplied *x)
{
    pthread_mutex_lock(&lock);
    for (int i = 0; i < all.n; i++)
        if (all.v[i] == x)
            all.v[i] = all.v[--all.n];
    pthread_mutex_unlock(&lock);
}

/* Building finds it by name, so it is added first and removed if the proof fails. */
static atn_status verify_added(supplied *x, const char *name, const atn_supplied_proof *proof,
                               atn_error *err)
{
    atn_error why = {0};

    if (!keep(x))
        return atn_fail(err, ATN_MEMORY, "out of memory");
    if (proof)
        x->proof = *proof;
    const atn_status status = proof ? ATN_OK : prove_all(x, &why);
    if (status == ATN_OK)
        return ATN_OK;
    remove_added(x);
    return atn_fail(err, status,
                    "%s: does not implement %s: %s; `attune schedule verify` prints details", name,
                    atn_sched_operation_get(x->op)->name, why.text);
}

atn_status atn_algo_supplied_add(atn_operation op, const char *name, const char *text,
                                 const atn_supplied_proof *proof, atn_error *err)
{
    const supplied *old = find(op, atn_intern(name));
    supplied *x = calloc(1, sizeof *x);

    if (x)
        *x = (supplied){.name = atn_intern(name), .text = strdup(text), .op = op};
    const bool room = x && x->text && x->name > 0;
    const bool known = old && strcmp(old->text, text) == 0;
    atn_status status = room ? ATN_OK : atn_fail(err, ATN_MEMORY, "out of memory");
    if (status == ATN_OK && !known)
        status = read_head(x, name, err);
    if (status == ATN_OK && !known)
        status = verify_added(x, name, proof, err);
    if (x && (known || status != ATN_OK)) {
        free(x->text);
        free(x);
    }
    return status;
}
