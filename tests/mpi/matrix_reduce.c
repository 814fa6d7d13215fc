/* matrix_reduce.c - reduce, allreduce, reduce_scatter(_block), scan and exscan.
 *
 * Every rank can compute the operands of all ranks, and so the expected result, from the last rank
 * to the first (rank order for any associative operator): in plain C, or with MPI_Reduce_local for
 * user-defined operators. */
#include "matrix.h"
#include "operands.h"

#include <stdlib.h>
#include <string.h>

/* ---- the operations ---- */

static int issue_reduce(const t_routines *f, const t_args *a)
{
    return f->Reduce(a->sbuf, a->rbuf, a->scount, a->stype, a->op, a->root, a->comm);
}

static int issue_allreduce(const t_routines *f, const t_args *a)
{
    return f->Allreduce(a->sbuf, a->rbuf, a->scount, a->stype, a->op, a->comm);
}

static int issue_reduce_scatter(const t_routines *f, const t_args *a)
{
    return f->Reduce_scatter(a->sbuf, a->rbuf, a->rcounts, a->stype, a->op, a->comm);
}

static int issue_reduce_scatter_block(const t_routines *f, const t_args *a)
{
    return f->Reduce_scatter_block(a->sbuf, a->rbuf, a->rcount, a->stype, a->op, a->comm);
}

static int issue_scan(const t_routines *f, const t_args *a)
{
    return f->Scan(a->sbuf, a->rbuf, a->scount, a->stype, a->op, a->comm);
}

static int issue_exscan(const t_routines *f, const t_args *a)
{
    return f->Exscan(a->sbuf, a->rbuf, a->scount, a->stype, a->op, a->comm);
}

static const t_reduction reductions[] = {
    {"reduce", true, T_WHOLE, T_UP_TO_ALL, T_AT_ROOT, issue_reduce},
    {"allreduce", false, T_WHOLE, T_UP_TO_ALL, T_ALL_OR_NONE, issue_allreduce},
    {"reduce_scatter", false, T_VECTOR, T_UP_TO_ALL, T_PER_RANK, issue_reduce_scatter},
    {"reduce_scatter_block", false, T_BLOCKS, T_UP_TO_ALL, T_ALL_OR_NONE,
     issue_reduce_scatter_block},
    {"scan", false, T_WHOLE, T_UP_TO_ME, T_PER_RANK, issue_scan},
    {"exscan", false, T_WHOLE, T_BELOW_ME, T_PER_RANK, issue_exscan},
};

int t_reductions(void) { return (int)(sizeof reductions / sizeof *reductions); }
const t_reduction *t_reduction_get(int i) { return &reductions[i]; }

/* ---- sizes ---- */

typedef struct {
    const t_reduction *rd;
    t_case *c;
    const t_operand *od;
    int *counts;      /* per rank; only entry 0 for T_WHOLE */
    int total;        /* elements of the input */
    int first, count; /* elements of this rank's result */
    bool in_place;
} plan;

static int draw_count(t_case *c, int average, int how)
{
    switch (how) {
    case 0:
        return t_below(&c->rng, 2 * average + 1);
    case 1:
        return t_below(&c->rng, 2) ? 0 : average;
    default:
        return average;
    }
}

static plan make_plan(const t_reduction *rd, t_case *c, const t_operand *od)
{
    plan pl = {.rd = rd, .c = c, .od = od};
    const int blocks = rd->input == T_WHOLE ? 1 : c->p, how = t_below(&c->rng, 3);
    MPI_Aint lb, extent;
    MPI_Type_get_extent(od->type, &lb, &extent);
    int average = c->bytes / (int)(extent * blocks);
    if (average == 0 && c->bytes > 0)
        average = t_below(&c->rng, 4);
    pl.counts = t_alloc(sizeof(int) * (size_t)blocks);
    for (int b = 0; b < blocks; b++) {
        pl.counts[b] = rd->input == T_VECTOR ? draw_count(c, average, how) : average;
        pl.first += rd->input != T_WHOLE && b < c->r ? pl.counts[b] : 0;
        pl.total += pl.counts[b];
    }
    pl.count = rd->input == T_WHOLE ? pl.total : pl.counts[c->r];
    pl.in_place = c->in_place && (rd->in_place != T_AT_ROOT || c->r == c->root);
    if (rd->in_place == T_PER_RANK && c->index % 2)
        pl.in_place = pl.in_place && c->r % 2 == c->index / 2 % 2;
    return pl;
}

static char *element(const t_side *side, int i)
{
    MPI_Aint lb, extent;
    MPI_Type_get_extent(side->type[0], &lb, &extent);
    return (char *)side->base + i * extent;
}

/* ---- expected results ---- */

static bool has_result(const plan *pl) { return !pl->rd->rooted || pl->c->r == pl->c->root; }

/* Holes of the datatype must not change: unpacks what was packed. */
static void copy_elements(const plan *pl, char *to, char *from, int count)
{
    int bytes, position = 0, done = 0;
    MPI_Type_size(pl->od->type, &bytes);
    bytes *= count;
    void *packed = t_alloc((size_t)bytes);
    MPI_Pack(from, count, pl->od->type, packed, bytes, &position, MPI_COMM_WORLD);
    MPI_Unpack(packed, bytes, &done, to, count, pl->od->type, MPI_COMM_WORLD);
    free(packed);
}

static void add_operands(const t_operand *od, char *in, char *sum, int count)
{
    if (!t_operand_combine(od, in, sum, count))
        MPI_Reduce_local(in, sum, count, od->type, od->op);
}

/* The reduction of the elements of this rank over ranks first..last, in rank order. */
static void combine(const plan *pl, char *result)
{
    const int last = pl->rd->range == T_UP_TO_ALL  ? pl->c->p - 1
                     : pl->rd->range == T_UP_TO_ME ? pl->c->r
                                                   : pl->c->r - 1;
    if (last < 0 || pl->count == 0)
        return;
    t_side *in = t_side_of(pl->od->type, pl->total), *sum = t_side_of(pl->od->type, pl->total);
    t_operand_fill(pl->od, sum->base, pl->total, pl->c->seed, last);
    for (int from = last - 1; from >= 0; from--) {
        t_operand_fill(pl->od, in->base, pl->total, pl->c->seed, from);
        add_operands(pl->od, element(in, pl->first), element(sum, pl->first), pl->count);
    }
    copy_elements(pl, result, element(sum, pl->first), pl->count);
    t_side_free(in);
    t_side_free(sum);
}

static int recv_elements(const plan *pl) { return pl->in_place ? pl->total : pl->count; }

static void put_input(const plan *pl, t_side *recv)
{
    t_side_clear(recv);
    if (pl->in_place)
        t_operand_fill(pl->od, recv->base, pl->total, pl->c->seed, pl->c->r);
}

/* MPI does not define the buffer after the result of an in-place reduce_scatter. */
static void forgive_rest(const plan *pl, const t_side *recv, t_side *want)
{
    if (pl->in_place && pl->total > pl->count)
        copy_elements(pl, element(want, pl->count), element(recv, pl->count),
                      pl->total - pl->count);
    t_operand_blank(pl->od, recv->base, recv->count[0]);
    t_operand_blank(pl->od, want->base, want->count[0]);
}

static bool has_end_hole(const plan *pl)
{
    MPI_Aint lb, extent, true_lb, true_extent;
    MPI_Type_get_extent(pl->od->type, &lb, &extent);
    MPI_Type_get_true_extent(pl->od->type, &true_lb, &true_extent);
    return true_extent < extent;
}

static bool begins_low(const plan *pl)
{
    MPI_Aint true_lb, true_extent;
    MPI_Type_get_true_extent(pl->od->type, &true_lb, &true_extent);
    return true_lb < 0;
}

static bool in_place_elsewhere(const plan *pl) { return pl->c->in_place && pl->c->root > 0; }
static bool ordered_holes(const plan *pl) { return !pl->od->commutes && has_end_hole(pl); }

/* Calls for which the native routine has a bug, so it is no reference for them. */
static const struct {
    const char *library, *operation;
    bool (*when)(const plan *pl);
    const char *why;
} library_bugs[] = {
    {"Open MPI", "allreduce", begins_low, "forgets the lower bound of a scratch buffer"},
    {"MPICH", "reduce", in_place_elsewhere, "dereferences MPI_IN_PLACE in large messages"},
    {"MPICH", "reduce_scatter", ordered_holes, "allocates true extents and uses extents"},
    {"MPICH", "reduce_scatter_block", ordered_holes, "allocates true extents and uses extents"},
};

static bool library_fails(const plan *pl)
{
    const char *library = T_OPEN_MPI ? "Open MPI" : "MPICH";
    for (size_t i = 0; i < sizeof library_bugs / sizeof *library_bugs; i++)
        if (!strcmp(library_bugs[i].library, library) &&
            !strcmp(library_bugs[i].operation, pl->rd->name) && library_bugs[i].when(pl))
            return true;
    return false;
}

/* ---- the call ---- */

static void call_once(const plan *pl, const t_routines *f, t_side *send, t_side *recv, t_side *want,
                      const char *name)
{
    const t_args a = {.sbuf = pl->in_place ? MPI_IN_PLACE : send->base,
                      .rbuf = recv ? recv->base : NULL,
                      .scount = pl->total,
                      .rcount = pl->counts[0],
                      .rcounts = pl->counts,
                      .stype = pl->od->type,
                      .op = pl->od->op,
                      .root = pl->c->root,
                      .comm = pl->c->comm};
    if (recv)
        put_input(pl, recv);
    const int code = pl->rd->issue(f, &a);
    t_check(code == MPI_SUCCESS, "%s returned %d", name, code);
    if (recv) {
        forgive_rest(pl, recv, want);
        t_side_same(recv, want, name);
    }
}

void t_reduction_run(const t_reduction *rd, t_case *c, int operand)
{
    plan pl = make_plan(rd, c, t_operand_get(operand));
    t_where("%s case %d on %s (p=%d r=%d) root=%d%s %s of %s, %d elements", rd->name, c->index,
            c->comm_name, c->p, c->r, c->root, c->in_place ? " in place" : "", pl.od->op_name,
            pl.od->type_name, pl.total);
    if (c->native && library_fails(&pl)) {
        free(pl.counts);
        return;
    }
    t_side *send = pl.in_place ? NULL : t_side_of(pl.od->type, pl.total), *sent = NULL;
    t_side *recv = has_result(&pl) ? t_side_of(pl.od->type, recv_elements(&pl)) : NULL;
    t_side *want = recv ? t_side_of(pl.od->type, recv_elements(&pl)) : NULL;
    if (send) {
        sent = t_side_of(pl.od->type, pl.total);
        t_operand_fill(pl.od, send->base, pl.total, c->seed, c->r);
        t_operand_fill(pl.od, sent->base, pl.total, c->seed, c->r);
    }
    if (want) {
        put_input(&pl, want);
        combine(&pl, (char *)want->base);
    }
    call_once(&pl, &t_mpi, send, recv, want, "result");
    if (send)
        t_side_same(send, sent, "send buffer after the call");
    if (c->oracle && !library_fails(&pl))
        call_once(&pl, t_real(), send, recv, want, "result of the native routine");
    t_side_free(send);
    t_side_free(sent);
    t_side_free(recv);
    t_side_free(want);
    free(pl.counts);
}
