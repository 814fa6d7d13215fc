#include "exercise.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    MPI_Comm comm;
    uint64_t seed;
    int p, r, root, n; /* n: elements of a block */
    bool in_place, ordered;
} call;

static MPI_Op
    left_operator; /* associative, not commutative: the result is the operand of the lowest rank */

static void take_left(void *in, void *inout, int *n, MPI_Datatype *type)
{
    (void)type;
    memcpy(inout, in, sizeof(int) * (size_t)*n);
}

void t_exercise_begin(void) { MPI_Op_create(take_left, 0, &left_operator); }
void t_exercise_end(void) { MPI_Op_free(&left_operator); }

/* ---- contents ---- */

static int value(const call *c, int from, int to, int i)
{
    return (int)((c->seed + (uint64_t)from * 7919 + (uint64_t)to * 104729 + (uint64_t)i * 31) %
                 100003);
}

static int *room(size_t n) { return t_alloc(sizeof(int) * n); }

static void put(const call *c, int *to_buffer, int from, int to, int n)
{
    for (int i = 0; i < n; i++)
        to_buffer[i] = value(c, from, to, i);
}

static long wrong(const call *c, const int *got, int from, int to, int n)
{
    long bad = 0;
    for (int i = 0; i < n; i++)
        bad += got[i] != value(c, from, to, i);
    return bad;
}

/* Elements of the block of rank q in vector operations; some blocks are empty. */
static int part(const call *c, int q)
{
    return (int)((c->seed / 7 + (uint64_t)q * 5) % 4) * c->n / 2;
}

static int first_of(const call *c, int q)
{
    int at = 0;
    for (int i = 0; i < q; i++)
        at += part(c, i);
    return at;
}

static int *parts(const call *c)
{
    int *counts = room((size_t)c->p);
    for (int q = 0; q < c->p; q++)
        counts[q] = part(c, q);
    return counts;
}

static int *offsets(const call *c)
{
    int *displs = room((size_t)c->p);
    for (int q = 0; q < c->p; q++)
        displs[q] = first_of(c, q);
    return displs;
}

/* ---- calls that move data ---- */

static long do_barrier(const call *c)
{
    MPI_Barrier(c->comm);
    return 0;
}

static long do_bcast(const call *c)
{
    int *buffer = room((size_t)c->n);
    if (c->r == c->root)
        put(c, buffer, 0, 0, c->n);
    MPI_Bcast(buffer, c->n, MPI_INT, c->root, c->comm);
    const long bad = wrong(c, buffer, 0, 0, c->n);
    free(buffer);
    return bad;
}

static long check_blocks(const call *c, const int *all, bool to_me)
{
    long bad = 0;
    for (int q = 0; q < c->p; q++)
        bad += wrong(c, all + (size_t)q * (size_t)c->n, q, to_me ? c->r : 0, c->n);
    return bad;
}

static long do_gather(const call *c)
{
    int *mine = room((size_t)c->n), *all = room((size_t)c->n * (size_t)c->p);
    put(c, mine, c->r, 0, c->n);
    MPI_Gather(mine, c->n, MPI_INT, all, c->n, MPI_INT, c->root, c->comm);
    const long bad = c->r == c->root ? check_blocks(c, all, false) : 0;
    free(mine);
    free(all);
    return bad;
}

static long check_parts(const call *c, const int *all)
{
    long bad = 0;
    for (int q = 0; q < c->p; q++)
        bad += wrong(c, all + first_of(c, q), q, 0, part(c, q));
    return bad;
}

static long do_gatherv(const call *c)
{
    const int n = part(c, c->r);
    int *mine = room((size_t)n), *all = room((size_t)first_of(c, c->p));
    int *counts = parts(c), *displs = offsets(c);
    put(c, mine, c->r, 0, n);
    MPI_Gatherv(mine, n, MPI_INT, all, counts, displs, MPI_INT, c->root, c->comm);
    const long bad = c->r == c->root ? check_parts(c, all) : 0;
    free(mine);
    free(all);
    free(counts);
    free(displs);
    return bad;
}

static long do_scatter(const call *c)
{
    int *mine = room((size_t)c->n), *all = room((size_t)c->n * (size_t)c->p);
    for (int q = 0; q < c->p; q++)
        put(c, all + (size_t)q * (size_t)c->n, 0, q, c->n);
    MPI_Scatter(all, c->n, MPI_INT, mine, c->n, MPI_INT, c->root, c->comm);
    const long bad = wrong(c, mine, 0, c->r, c->n);
    free(mine);
    free(all);
    return bad;
}

static long do_scatterv(const call *c)
{
    const int n = part(c, c->r);
    int *mine = room((size_t)n), *all = room((size_t)first_of(c, c->p));
    int *counts = parts(c), *displs = offsets(c);
    for (int q = 0; q < c->p; q++)
        put(c, all + displs[q], 0, q, counts[q]);
    MPI_Scatterv(all, counts, displs, MPI_INT, mine, n, MPI_INT, c->root, c->comm);
    const long bad = wrong(c, mine, 0, c->r, n);
    free(mine);
    free(all);
    free(counts);
    free(displs);
    return bad;
}

static long do_allgather(const call *c)
{
    int *all = room((size_t)c->n * (size_t)c->p), *mine = all + (size_t)c->r * (size_t)c->n;
    int *apart = room((size_t)c->n);
    put(c, c->in_place ? mine : apart, c->r, 0, c->n);
    MPI_Allgather(c->in_place ? MPI_IN_PLACE : apart, c->n, MPI_INT, all, c->n, MPI_INT, c->comm);
    const long bad = check_blocks(c, all, false);
    free(all);
    free(apart);
    return bad;
}

static long do_allgatherv(const call *c)
{
    const int n = part(c, c->r);
    int *mine = room((size_t)n), *all = room((size_t)first_of(c, c->p));
    int *counts = parts(c), *displs = offsets(c);
    put(c, mine, c->r, 0, n);
    MPI_Allgatherv(mine, n, MPI_INT, all, counts, displs, MPI_INT, c->comm);
    const long bad = check_parts(c, all);
    free(mine);
    free(all);
    free(counts);
    free(displs);
    return bad;
}

static void put_row(const call *c, int *row)
{
    for (int q = 0; q < c->p; q++)
        put(c, row + (size_t)q * (size_t)c->n, c->r, q, c->n);
}

static long do_alltoall(const call *c)
{
    const size_t n = (size_t)c->n * (size_t)c->p;
    int *out = room(n), *in = room(n);
    put_row(c, c->in_place ? in : out);
    MPI_Alltoall(c->in_place ? MPI_IN_PLACE : out, c->n, MPI_INT, in, c->n, MPI_INT, c->comm);
    const long bad = check_blocks(c, in, true);
    free(out);
    free(in);
    return bad;
}

/* Every second pair exchanges nothing. */
static long exchange(const call *c, bool each_type)
{
    const size_t n = (size_t)c->n * (size_t)c->p, p = (size_t)c->p;
    int *out = room(n), *in = room(n), *counts = room(p), *displs = room(p);
    MPI_Datatype *types = t_alloc(p * sizeof *types);
    long bad = 0;
    put_row(c, out);
    for (int q = 0; q < c->p; q++) {
        counts[q] = (q + c->r) % 2 ? c->n : 0;
        displs[q] = q * c->n * (each_type ? (int)sizeof(int) : 1);
        types[q] = MPI_INT;
    }
    if (each_type)
        MPI_Alltoallw(out, counts, displs, types, in, counts, displs, types, c->comm);
    else
        MPI_Alltoallv(out, counts, displs, MPI_INT, in, counts, displs, MPI_INT, c->comm);
    for (int q = 0; q < c->p; q++)
        bad += wrong(c, in + (size_t)q * (size_t)c->n, q, c->r, counts[q]);
    free(out);
    free(in);
    free(counts);
    free(displs);
    free(types);
    return bad;
}

static long do_alltoallv(const call *c) { return exchange(c, false); }
static long do_alltoallw(const call *c) { return exchange(c, true); }

/* ---- calls that reduce ---- */

/* Element i over ranks 0 .. last. */
static int reduced(const call *c, int last, int i)
{
    int sum = 0;
    if (c->ordered)
        return value(c, 0, 0, i);
    for (int q = 0; q <= last; q++)
        sum += value(c, q, 0, i);
    return sum;
}

static long wrong_sum(const call *c, const int *got, int last, int first, int n)
{
    long bad = 0;
    for (int i = 0; i < n; i++)
        bad += got[i] != reduced(c, last, first + i);
    return bad;
}

static MPI_Op operator_of(const call *c) { return c->ordered ? left_operator : MPI_SUM; }

/* Input of `n` elements and a buffer for the results; returns the send buffer argument. */
static const void *operands(const call *c, size_t n, int **in, int **out)
{
    *in = room(n);
    *out = room(n);
    put(c, c->in_place ? *out : *in, c->r, 0, (int)n);
    return c->in_place ? MPI_IN_PLACE : (const void *)*in;
}

static long release(long bad, int *in, int *out)
{
    free(in);
    free(out);
    return bad;
}

static long do_reduce(const call *given)
{
    /* The native large reduce of MPICH dereferences MPI_IN_PLACE when the root is not rank 0. */
    const call reduce = {.comm = given->comm,
                         .seed = given->seed,
                         .p = given->p,
                         .r = given->r,
                         .root = given->root,
                         .n = given->n,
                         .ordered = given->ordered,
                         .in_place = given->in_place && given->r == given->root &&
                                     (T_OPEN_MPI || given->root == 0)};
    const call *c = &reduce;
    int *in, *out;
    const void *send = operands(c, (size_t)c->n, &in, &out);
    MPI_Reduce(send, c->r == c->root ? out : NULL, c->n, MPI_INT, operator_of(c), c->root, c->comm);
    return release(c->r == c->root ? wrong_sum(c, out, c->p - 1, 0, c->n) : 0, in, out);
}

static long do_allreduce(const call *c)
{
    int *in, *out;
    const void *send = operands(c, (size_t)c->n, &in, &out);
    MPI_Allreduce(send, out, c->n, MPI_INT, operator_of(c), c->comm);
    return release(wrong_sum(c, out, c->p - 1, 0, c->n), in, out);
}

static long do_reduce_scatter(const call *c)
{
    int *in, *out, *counts = parts(c);
    const void *send = operands(c, (size_t)first_of(c, c->p), &in, &out);
    MPI_Reduce_scatter(send, out, counts, MPI_INT, operator_of(c), c->comm);
    free(counts);
    return release(wrong_sum(c, out, c->p - 1, first_of(c, c->r), part(c, c->r)), in, out);
}

static long do_reduce_scatter_block(const call *c)
{
    int *in, *out;
    const void *send = operands(c, (size_t)c->n * (size_t)c->p, &in, &out);
    MPI_Reduce_scatter_block(send, out, c->n, MPI_INT, operator_of(c), c->comm);
    return release(wrong_sum(c, out, c->p - 1, c->r * c->n, c->n), in, out);
}

static long do_scan(const call *c)
{
    int *in, *out;
    const void *send = operands(c, (size_t)c->n, &in, &out);
    MPI_Scan(send, out, c->n, MPI_INT, operator_of(c), c->comm);
    return release(wrong_sum(c, out, c->r, 0, c->n), in, out);
}

static long do_exscan(const call *c)
{
    int *in, *out;
    const void *send = operands(c, (size_t)c->n, &in, &out);
    MPI_Exscan(send, out, c->n, MPI_INT, operator_of(c), c->comm);
    return release(c->r > 0 ? wrong_sum(c, out, c->r - 1, 0, c->n) : 0, in, out);
}

/* ---- all of them ---- */

static const struct {
    const char *name;
    long (*run)(const call *c);
} exercises[T_EXERCISES] = {
    {"barrier", do_barrier},
    {"bcast", do_bcast},
    {"gather", do_gather},
    {"gatherv", do_gatherv},
    {"scatter", do_scatter},
    {"scatterv", do_scatterv},
    {"allgather", do_allgather},
    {"allgatherv", do_allgatherv},
    {"alltoall", do_alltoall},
    {"alltoallv", do_alltoallv},
    {"alltoallw", do_alltoallw},
    {"reduce", do_reduce},
    {"allreduce", do_allreduce},
    {"reduce_scatter", do_reduce_scatter},
    {"reduce_scatter_block", do_reduce_scatter_block},
    {"scan", do_scan},
    {"exscan", do_exscan},
};

const char *t_exercise_name(int which) { return exercises[which].name; }

/* Native reductions of SMPI 3.32 divide by the number of elements, which ends the job on x86-64. */
static int fewest_elements(int which)
{
    return T_SMPI && strstr(exercises[which].name, "reduce") ? 1 : 0;
}

long t_exercise(int which, MPI_Comm comm, uint64_t seed, int elements)
{
    t_rng rng = t_seed(seed, 3, 3);
    call c = {.comm = comm, .seed = t_next(&rng) % 1000000};
    MPI_Comm_size(comm, &c.p);
    MPI_Comm_rank(comm, &c.r);
    c.root = t_below(&rng, c.p);
    c.n = t_below(&rng, 2 * elements + 1);
    if (c.n < fewest_elements(which))
        c.n = fewest_elements(which);
    c.in_place = t_below(&rng, 3) == 0;
    c.ordered = t_below(&rng, 4) == 0;
    return exercises[which].run(&c);
}

long t_exercise_all(MPI_Comm comm, uint64_t seed, int elements)
{
    long bad = 0;
    for (int which = 0; which < T_EXERCISES; which++)
        bad += t_exercise(which, comm, seed + (uint64_t)which, elements);
    return bad;
}
