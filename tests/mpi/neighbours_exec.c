/* neighbours_exec.c - the executor serves neighbourhood collectives: every algorithm on grids and
 * graphs, with contiguous and other types.  The reference is the matching of MPI 4 and, where no
 * pair of ranks has several edges, the MPI library itself. */
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include "exec/exec_private.h"
#include "exec/neighbours.h"
#include "harness.h"
#include "sched/neighbourhood.h"
#include "topo/topo.h"

enum { MOST = 64, LARGEST = 40, HOLE = -7, SPREAD = 4 }; /* SPREAD: ints between two of them */

static const atn_neighbourhood *near;
static MPI_Comm topology, messages; /* with the virtual topology, and for the executor */
static MPI_Datatype strided;        /* an int at the beginning of SPREAD ints */
static atn_exec *exec;
static atn_choice wanted;

static bool choose(void *context, const atn_problem *q, atn_choice *choice_p)
{
    (void)context;
    *choice_p = wanted;
    if (atn_algo_refuses(wanted.row, q, &wanted.params))
        choice_p->row = NULL;
    return false;
}

/* ---- the virtual topology ---- */

static void open_grid(void)
{
    MPI_Cart_create(MPI_COMM_WORLD, near->ndims, near->dims, near->periods, 0, &topology);
}

static void open_graph(void)
{
    int lists[2][MOST], weights[MOST], n[2];
    for (int i = 0; i < MOST; i++)
        weights[i] = 1;
    for (int w = 0; w < 2; w++) {
        n[w] = atn_sched_neighbourhood_count(near, t_rank, (atn_way)w);
        for (int i = 0; i < n[w]; i++)
            lists[w][i] = atn_sched_neighbourhood_rank(near, t_rank, (atn_way)w, i);
    }
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, n[ATN_INWARD], lists[ATN_INWARD], weights,
                                   n[ATN_OUTWARD], lists[ATN_OUTWARD], weights, MPI_INFO_NULL, 0,
                                   &topology);
}

/* ---- one call ---- */

typedef struct {
    atn_operation op;
    bool varying, common, strided;
    int nsrc, ndst;
    int src_counts[MOST], dst_counts[MOST], src_at[MOST], dst_at[MOST]; /* in elements */
    MPI_Aint src_bytes[MOST], dst_bytes[MOST];
    MPI_Datatype types[MOST];
    int *src, *dst, *native;
} setup;

static int stride(const setup *s) { return s->strided ? SPREAD : 1; }
static MPI_Datatype type_of(const setup *s) { return s->strided ? strided : MPI_INT; }

/* Elements of the edge that is number j of its sender; some are empty. */
static int count_of(const setup *s, int sender, int j)
{
    return !s->varying ? 3 : s->common ? sender * 5 % 7 : (sender * 7 + j * 3) % LARGEST;
}

static int value_of(int sender, int j, int i) { return sender * 10000 + j * 100 + i; }

static void place(const setup *s, int n, const int *counts, int *at, MPI_Aint *bytes)
{
    for (int i = 0, next = 0; i < n; i++) {
        at[i] = next;
        bytes[i] = (MPI_Aint)next * stride(s) * (MPI_Aint)sizeof(int);
        next += counts[i];
    }
}

static void describe(setup *s, atn_operation op, bool with_strides)
{
    const atn_operation_info *o = atn_sched_operation_get(op);
    *s = (setup){.op = op,
                 .varying = o->flags & ATN_VARYING,
                 .common = o->source == ATN_SIDE_COMMON,
                 .strided = with_strides,
                 .ndst = atn_sched_neighbourhood_count(near, t_rank, ATN_INWARD)};
    s->nsrc = s->common ? 1 : atn_sched_neighbourhood_count(near, t_rank, ATN_OUTWARD);
    for (int j = 0; j < s->nsrc; j++)
        s->src_counts[j] = count_of(s, t_rank, j);
    for (int i = 0; i < s->ndst; i++) {
        const int from = atn_sched_neighbourhood_rank(near, t_rank, ATN_INWARD, i);
        const int mate = atn_sched_neighbourhood_mate(near, t_rank, ATN_INWARD, i);
        s->dst_counts[i] = from < 0 ? 3 : count_of(s, from, mate);
    }
    for (int i = 0; i < MOST; i++)
        s->types[i] = type_of(s);
    place(s, s->nsrc, s->src_counts, s->src_at, s->src_bytes);
    place(s, s->ndst, s->dst_counts, s->dst_at, s->dst_bytes);
    s->src = t_alloc(sizeof(int) * MOST * LARGEST * SPREAD);
    s->dst = t_alloc(sizeof(int) * MOST * LARGEST * SPREAD);
    s->native = t_alloc(sizeof(int) * MOST * LARGEST * SPREAD);
}

static void release(setup *s)
{
    free(s->src);
    free(s->dst);
    free(s->native);
}

static void fill(const setup *s)
{
    for (int i = 0; i < MOST * LARGEST * SPREAD; i++)
        s->src[i] = -1, s->dst[i] = s->native[i] = HOLE;
    for (int j = 0; j < s->nsrc; j++)
        for (int i = 0; i < s->src_counts[j]; i++)
            s->src[(s->src_at[j] + i) * stride(s)] = value_of(t_rank, s->common ? 0 : j, i);
}

static atn_user side(const setup *s, int *buf, const int *counts, const int *at,
                     const MPI_Aint *bytes)
{
    if (s->op == ATN_NEIGHBOR_ALLTOALLW)
        return (atn_user){.buf = buf,
                          .counts = counts,
                          .displs = bytes,
                          .types = s->types,
                          .type = MPI_DATATYPE_NULL};
    if (s->varying)
        return (atn_user){.buf = buf, .counts = counts, .displs = at, .type = type_of(s)};
    return (atn_user){.buf = buf, .count = 3, .type = type_of(s)};
}

static atn_call call_of(const setup *s)
{
    atn_call call = {.op = s->op, .mpi_op = MPI_OP_NULL};
    call.src = side(s, s->src, s->src_counts, s->src_at, s->src_bytes);
    call.dst = side(s, s->dst, s->dst_counts, s->dst_at, s->dst_bytes);
    if (s->common)
        call.src = (atn_user){.buf = s->src, .count = s->src_counts[0], .type = type_of(s)};
    return call;
}

static void call_native(const setup *s)
{
    const MPI_Datatype t = type_of(s);
    switch (s->op) {
    case ATN_NEIGHBOR_ALLGATHER:
        MPI_Neighbor_allgather(s->src, 3, t, s->native, 3, t, topology);
        break;
    case ATN_NEIGHBOR_ALLGATHERV:
        MPI_Neighbor_allgatherv(s->src, s->src_counts[0], t, s->native, s->dst_counts, s->dst_at, t,
                                topology);
        break;
    case ATN_NEIGHBOR_ALLTOALL:
        MPI_Neighbor_alltoall(s->src, 3, t, s->native, 3, t, topology);
        break;
    case ATN_NEIGHBOR_ALLTOALLV:
        MPI_Neighbor_alltoallv(s->src, s->src_counts, s->src_at, t, s->native, s->dst_counts,
                               s->dst_at, t, topology);
        break;
    default:
        MPI_Neighbor_alltoallw(s->src, s->src_counts, s->src_bytes, s->types, s->native,
                               s->dst_counts, s->dst_bytes, s->types, topology);
    }
}

/* Missing sources, and memory between elements, stay as they are. */
static bool check_result(const setup *s, const int *result, const char *what)
{
    bool ok = true;
    int *expected = t_alloc(sizeof(int) * MOST * LARGEST * SPREAD);
    for (int i = 0; i < MOST * LARGEST * SPREAD; i++)
        expected[i] = HOLE;
    for (int b = 0; b < s->ndst; b++) {
        const int from = atn_sched_neighbourhood_rank(near, t_rank, ATN_INWARD, b);
        const int mate = atn_sched_neighbourhood_mate(near, t_rank, ATN_INWARD, b);
        for (int i = 0; from >= 0 && i < s->dst_counts[b]; i++)
            expected[(s->dst_at[b] + i) * stride(s)] = value_of(from, s->common ? 0 : mate, i);
    }
    for (int i = 0; ok && i < MOST * LARGEST * SPREAD; i++)
        ok = t_check(result[i] == expected[i], "%s: element %d is %d, expected %d", what, i,
                     result[i], expected[i]);
    free(expected);
    return ok;
}

static int served;

static void run(const setup *s, const char *name)
{
    for (int again = 0; again < 2; again++) {
        const atn_call call = call_of(s);
        int code = MPI_SUCCESS;
        fill(s);
        atn_plan *plan = atn_exec_plan(exec, &call, &code);
        if (!t_check(code == MPI_SUCCESS, "%s: plan: code %d", name, code) || plan == NULL)
            return;
        code = atn_exec_run(exec, plan, &call, messages);
        if (t_check(code == MPI_SUCCESS, "%s: run: code %d", name, code))
            check_result(s, s->dst, name);
        served++;
    }
}

/* ---- all of them ---- */

/* MPICH 4.0 loses messages of neighbor_alltoallw, or waits forever, if another one is empty. */
static const bool empty_edges_fail = !T_OPEN_MPI;

static void try_rows(const char *word, atn_operation op, bool with_strides)
{
    static const char *const params[] = {"", "segment=4"};
    setup s;
    describe(&s, op, with_strides);
    for (int i = 0; i < atn_algo_catalog_rows(); i++)
        for (int k = 0; k < 2; k++) {
            char name[200];
            wanted.row = atn_algo_catalog_row(i);
            if (wanted.row->op != op || !wanted.row->algo->build ||
                atn_algo_params_parse(wanted.row, params[k], &wanted.params, NULL) != ATN_OK)
                continue;
            snprintf(name, sizeof name, "%s %s %s", wanted.row->name, params[k], word);
            t_where("%s", name);
            run(&s, name);
        }
    if (!near->doubtful && !(empty_edges_fail && op == ATN_NEIGHBOR_ALLTOALLW)) {
        fill(&s);
        call_native(&s);
        check_result(&s, s.native, "native");
    }
    release(&s);
}

static void try_word(const char *word, const atn_topo *topo)
{
    atn_neighbourhood *n = NULL;
    t_point(word);
    if (!t_check(atn_sched_neighbourhood_parse(word, t_ranks, &n, NULL) == ATN_OK, "parsed"))
        return;
    near = n;
    (n->grid ? open_grid : open_graph)();
    atn_neighbourhood *read = atn_exec_neighbours_read(topology, messages);
    t_check(atn_sched_neighbourhood_equal(read, n), "read from the communicator: differs");
    atn_sched_neighbourhood_free(read);
    exec = atn_exec_new(t_ranks, t_rank, true, choose, NULL);
    atn_exec_set_topo(exec, topo);
    atn_exec_vec_lens(exec); /* as after calls that were served before the neighbours are known */
    atn_exec_set_neighbourhood(exec, n);
    t_check(atn_exec_vec_lens(exec) != NULL &&
                malloc_usable_size(exec->vectors) >= sizeof(int64_t) * 5 * (size_t)n->most,
            "vectors have entries for fewer than %d neighbours", n->most);
    served = 0;
    for (int op = ATN_NEIGHBOR_ALLGATHER; op <= ATN_NEIGHBOR_ALLTOALLW; op++)
        for (int strides = 0; strides < 2; strides++)
            try_rows(word, (atn_operation)op, strides);
    t_check(served > 0 || (t_ranks > 1 && n->lonely), "no call was served");
    t_check(served == 0 || t_ranks == 1 || !n->lonely, "a rank without neighbours was served");
    atn_exec_free(exec);
    MPI_Comm_free(&topology);
    atn_sched_neighbourhood_free(n);
}

/* What MPI_Graph_create makes: a line; and communicators without neighbours, or with lists that do
 * not match. */
static void read_others(void)
{
    int index[MOST], edges[2 * MOST], n = 0, to = (t_rank + 1) % t_ranks, one = 1;
    MPI_Comm graph = MPI_COMM_NULL;
    t_point("other communicators");
    for (int r = 0; r < t_ranks; r++) {
        if (r > 0)
            edges[n++] = r - 1;
        if (r + 1 < t_ranks)
            edges[n++] = r + 1;
        index[r] = n;
    }
    MPI_Graph_create(MPI_COMM_WORLD, t_ranks, index, edges, 0, &graph);
    atn_neighbourhood *read = atn_exec_neighbours_read(graph, messages);
    if (t_check(read != NULL, "MPI_Graph_create: not read"))
        for (int r = 0; r < t_ranks; r++)
            t_check(atn_sched_neighbourhood_count(read, r, ATN_INWARD) ==
                        index[r] - (r > 0 ? index[r - 1] : 0),
                    "rank %d has other neighbours", r);
    atn_sched_neighbourhood_free(read);
    MPI_Comm_free(&graph);
    t_check(atn_exec_neighbours_read(messages, messages) == NULL, "neighbours of all ranks");
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 0, &to, &one, 1, &to, &one, MPI_INFO_NULL, 0,
                                   &graph);
    t_check(atn_exec_neighbours_read(graph, messages) == NULL, "edges without receivers are read");
    MPI_Comm_free(&graph);
}

/* No library reports one buffer for both sides, which a single rank might pass. */
static void alias_buffers(void)
{
    int buf[4] = {0};
    const atn_user both = {.buf = buf, .count = 1, .type = MPI_INT};
    t_point("one buffer for both sides");
    for (int op = ATN_NEIGHBOR_ALLGATHER; op <= ATN_NEIGHBOR_ALLTOALLW; op++)
        t_check(
            !atn_exec_call_aliased(&(atn_call){.op = (atn_operation)op, .src = both, .dst = both}),
            "operation %d would be native on this rank", op);
}

int main(int argc, char **argv)
{
    char word[80], hosts[40];
    atn_topo *topo = NULL;
    MPI_Init(&argc, &argv);
    t_start(120);
    MPI_Comm_dup(MPI_COMM_WORLD, &messages);
    MPI_Type_create_resized(MPI_INT, 0, SPREAD * sizeof(int), &strided);
    MPI_Type_commit(&strided);
    snprintf(hosts, sizeof hosts, "%d@100M;ranks=2", t_ranks / 2);
    if (t_ranks % 2 == 0 && atn_topo_parse_synthetic(hosts, &topo, NULL) != ATN_OK)
        t_die("no topology");
    read_others();
    alias_buffers();
    static const char *const forms[] = {"cart:%d", "cart:%dp", "cart:1px%dpx1"};
    for (int i = 0; i < 3; i++) {
        snprintf(word, sizeof word, forms[i], t_ranks);
        try_word(word, topo);
    }
    if (t_ranks % 2 == 0) {
        snprintf(word, sizeof word, "cart:2px%d", t_ranks / 2);
        try_word(word, topo);
        snprintf(word, sizeof word, "box:2x%d", t_ranks / 2);
        try_word(word, topo);
    }
    for (int degree = 1; degree <= 9; degree += 4) {
        snprintf(word, sizeof word, "random:%d:%d", degree, 17 * t_ranks);
        try_word(word, topo);
    }
    MPI_Type_free(&strided);
    MPI_Comm_free(&messages);
    atn_topo_free(topo);
    const int code = t_finish();
    MPI_Finalize();
    return code;
}
