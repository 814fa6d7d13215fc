#include "operation.h"
#include "operation_call.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GUARD = 3, PRIME = 251 };

struct t_operation {
    t_shape shape;
    MPI_Comm comm;
    uint64_t shape_seed, seed;
    int p, r, stride; /* stride: ints from an element to the next */
    MPI_Datatype type;
    MPI_Op op;
    bool own_type, own_op;
    t_layout from, to; /* blocks of the send and of the receive buffer */
    int *in, *sent, *out, *want;
    int free_from, free_to; /* elements of `out` that MPI leaves undefined */
    char text[120];
};

/* ---- properties of the kinds ---- */

enum { NONE, ONE, EACH }; /* blocks in a buffer */

/* parts: blocks of different size; pairs: the content depends on sender and receiver. */
static const struct {
    const char *name;
    int sends, receives;
    bool rooted, parts, pairs, reduces, may_be_in_place;
} traits[T_KINDS] = {
    [T_BARRIER] = {"barrier", NONE, NONE, false, false, false, false, false},
    [T_BCAST] = {"bcast", NONE, ONE, false, false, false, false, false},
    [T_GATHER] = {"gather", ONE, EACH, true, false, false, false, true},
    [T_GATHERV] = {"gatherv", ONE, EACH, true, true, false, false, true},
    [T_SCATTER] = {"scatter", EACH, ONE, true, false, true, false, true},
    [T_SCATTERV] = {"scatterv", EACH, ONE, true, true, true, false, true},
    [T_ALLGATHER] = {"allgather", ONE, EACH, false, false, false, false, true},
    [T_ALLGATHERV] = {"allgatherv", ONE, EACH, false, true, false, false, true},
    [T_ALLTOALL] = {"alltoall", EACH, EACH, false, false, true, false, true},
    [T_ALLTOALLV] = {"alltoallv", EACH, EACH, false, true, true, false, true},
    [T_ALLTOALLW] = {"alltoallw", EACH, EACH, false, true, true, false, true},
    [T_REDUCE] = {"reduce", ONE, ONE, true, false, false, true, true},
    [T_ALLREDUCE] = {"allreduce", ONE, ONE, false, false, false, true, true},
    [T_REDUCE_SCATTER] = {"reduce_scatter", EACH, ONE, false, true, false, true, true},
    [T_REDUCE_SCATTER_BLOCK] = {"reduce_scatter_block", EACH, ONE, false, false, false, true, true},
    [T_SCAN] = {"scan", ONE, ONE, false, false, false, true, true},
    [T_EXSCAN] = {"exscan", ONE, ONE, false, false, false, true, true},
    [T_NEIGHBOR_ALLGATHER] = {"neighbor_allgather", ONE, EACH, false, false, false, false, false},
    [T_NEIGHBOR_ALLGATHERV] = {"neighbor_allgatherv", ONE, EACH, false, true, false, false, false},
    [T_NEIGHBOR_ALLTOALL] = {"neighbor_alltoall", EACH, EACH, false, false, true, false, false},
    [T_NEIGHBOR_ALLTOALLV] = {"neighbor_alltoallv", EACH, EACH, false, true, true, false, false},
    [T_NEIGHBOR_ALLTOALLW] = {"neighbor_alltoallw", EACH, EACH, false, true, true, false, false},
};

static bool of_neighbours(int kind) { return kind >= T_WITHOUT_TOPOLOGY; }
static bool at_root(const t_operation *o) { return o->r == o->shape.root; }

/* Whether this rank passes MPI_IN_PLACE: with a root, only the root may. */
static bool in_place(const t_operation *o)
{
    return o->shape.in_place && (!traits[o->shape.kind].rooted || at_root(o));
}

static bool has_send(const t_operation *o)
{
    const int kind = o->shape.kind;
    return traits[kind].sends != NONE &&
           ((kind != T_SCATTER && kind != T_SCATTERV) || at_root(o)) &&
           (!in_place(o) || kind == T_SCATTER || kind == T_SCATTERV);
}

static bool has_receive(const t_operation *o)
{
    const int kind = o->shape.kind;
    if (kind == T_SCATTER || kind == T_SCATTERV)
        return !in_place(o);
    return traits[kind].receives != NONE && (!traits[kind].rooted || at_root(o));
}

/* ---- operators of the user: x -> a x + b modulo 251, composed in the order of ranks ---- */

static int composed(int first, int second)
{
    const int a1 = first / 256, b1 = first % 256, a2 = second / 256, b2 = second % 256;
    return a1 * a2 % PRIME * 256 + (a2 * b1 + b2) % PRIME;
}

static int combined(int reduction, int a, int b)
{
    switch (reduction) {
    case T_MAX:
        return a > b ? a : b;
    case T_USER_ORDERED:
        return composed(a, b);
    default:
        return a + b;
    }
}

#define USER_FUNCTION(name, reduction, stride)                                                     \
    static void name(void *in, void *inout, int *n, MPI_Datatype *type)                            \
    {                                                                                              \
        int *const to = inout;                                                                     \
        const int *const from = in;                                                                \
        (void)type;                                                                                \
        for (int i = 0; i < *n * (stride); i += (stride))                                          \
            to[i] = combined(reduction, from[i], to[i]);                                           \
    }
USER_FUNCTION(add, T_USER_SUM, 1)
USER_FUNCTION(add_with_holes, T_USER_SUM, 2)
USER_FUNCTION(compose, T_USER_ORDERED, 1)
USER_FUNCTION(compose_with_holes, T_USER_ORDERED, 2)

static void make_handles(t_operation *o)
{
    static MPI_User_function *const functions[2][2] = {{add, add_with_holes},
                                                       {compose, compose_with_holes}};
    const bool ordered = o->shape.reduction == T_USER_ORDERED;
    o->type = MPI_INT;
    o->op = o->shape.reduction == T_MAX ? MPI_MAX : MPI_SUM;
    o->own_op = traits[o->shape.kind].reduces && o->shape.reduction >= T_USER_SUM;
    o->own_type = o->shape.holes;
    if (o->own_op)
        MPI_Op_create(functions[ordered][o->shape.holes], !ordered, &o->op);
    if (o->own_type) {
        MPI_Type_create_resized(MPI_INT, 0, 2 * (MPI_Aint)sizeof(int), &o->type);
        MPI_Type_commit(&o->type);
    }
}

void t_operation_free_handles(t_operation *o)
{
    if (o->own_op)
        MPI_Op_free(&o->op);
    if (o->own_type)
        MPI_Type_free(&o->type);
    o->own_op = o->own_type = false;
}

/* ---- sizes of blocks ---- */

static uint64_t mixed(uint64_t a, uint64_t b)
{
    uint64_t z = a + 0x9e3779b97f4a7c15u * (b + 1);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    return z ^ (z >> 29);
}

/* Elements from one rank to another; some blocks are empty.  In place, both directions have the
 * same number. */
static int part(const t_operation *o, int from, int to)
{
    const bool pairs = traits[o->shape.kind].pairs;
    const bool swap = o->shape.in_place && from > to;
    const int low = swap ? to : from, high = swap ? from : to;
    if (!traits[o->shape.kind].parts)
        return o->shape.elements;
    const uint64_t which = o->shape.kind == T_SCATTERV ? (uint64_t)to
                           : pairs                     ? (uint64_t)low * 4096 + (uint64_t)high
                                                       : (uint64_t)from;
    return (int)(mixed(o->shape_seed, which) % 5) * o->shape.elements / 2;
}

/* ---- layouts ---- */

static void *room_for(int n, size_t size) { return t_alloc((size_t)n * size); }

static void layout_alloc(t_layout *l, int blocks)
{
    l->blocks = blocks;
    l->peers = room_for(blocks, sizeof *l->peers);
    l->counts = room_for(blocks, sizeof *l->counts);
    l->displs = room_for(blocks, sizeof *l->displs);
    l->byte_displs = room_for(blocks, sizeof *l->byte_displs);
    l->large_counts = room_for(blocks, sizeof *l->large_counts);
    l->large_displs = room_for(blocks, sizeof *l->large_displs);
    l->large_byte_displs = room_for(blocks, sizeof *l->large_byte_displs);
    l->types = room_for(blocks, sizeof *l->types);
}

static void layout_free(t_layout *l)
{
    free(l->peers);
    free(l->counts);
    free(l->displs);
    free(l->byte_displs);
    free(l->large_counts);
    free(l->large_displs);
    free(l->large_byte_displs);
    free(l->types);
}

/* Blocks of vector operations have gaps between them, and sometimes descend in memory.  Operands
 * of reductions are contiguous; so are blocks of a single rank, whose displacement MPICH and Open
 * MPI use incorrectly. */
static void layout_place(const t_operation *o, t_layout *l)
{
    const int kind = o->shape.kind;
    const bool loose = traits[kind].parts && !traits[kind].reduces && o->p > 1;
    const bool down = loose && o->shape_seed % 3 == 0;
    int at = 0;
    for (int j = 0; j < l->blocks; j++) {
        const int b = down ? l->blocks - 1 - j : j;
        at += loose ? (int)(mixed(o->shape_seed, 77 + (uint64_t)j) % 3) : 0;
        l->displs[b] = at;
        at += l->counts[b];
    }
    l->elements = at;
    for (int j = 0; j < l->blocks; j++) {
        l->byte_displs[j] = l->displs[j] * o->stride * (int)sizeof(int);
        l->large_byte_displs[j] = l->byte_displs[j];
        l->large_displs[j] = l->displs[j];
        l->large_counts[j] = l->counts[j];
        l->types[j] = o->type;
    }
}

static int cartesian_peers(MPI_Comm comm, int **peers)
{
    int dims;
    MPI_Cartdim_get(comm, &dims);
    *peers = room_for(2 * dims, sizeof **peers);
    for (int d = 0; d < dims; d++)
        MPI_Cart_shift(comm, d, 1, &(*peers)[2 * d], &(*peers)[2 * d + 1]);
    return 2 * dims;
}

static int graph_peers(MPI_Comm comm, bool sending, int **peers)
{
    int sources, destinations, weighted;
    MPI_Dist_graph_neighbors_count(comm, &sources, &destinations, &weighted);
    int *from = room_for(2 * sources, sizeof *from), *to = room_for(2 * destinations, sizeof *to);
    MPI_Dist_graph_neighbors(comm, sources, from, from + sources, destinations, to,
                             to + destinations);
    *peers = sending ? to : from;
    free(sending ? from : to);
    return sending ? destinations : sources;
}

/* The ranks on the other side of the blocks of a buffer. */
static int find_peers(const t_operation *o, bool sending, int **peers)
{
    int topology, blocks = o->p;
    if (of_neighbours(o->shape.kind)) {
        MPI_Topo_test(o->comm, &topology);
        return topology == MPI_CART ? cartesian_peers(o->comm, peers)
                                    : graph_peers(o->comm, sending, peers);
    }
    *peers = room_for(blocks, sizeof **peers);
    for (int q = 0; q < blocks; q++)
        (*peers)[q] = q;
    return blocks;
}

static int block_count(const t_operation *o, bool sending, int peer)
{
    return sending ? part(o, o->r, peer) : part(o, peer, o->r);
}

/* Reductions: the operand of reduce_scatter has a block for each rank. */
static int operand_count(const t_operation *o, int block)
{
    return traits[o->shape.kind].parts ? part(o, block, 0) : o->shape.elements;
}

static void layout_each(const t_operation *o, t_layout *l, bool sending)
{
    int *peers;
    layout_alloc(l, find_peers(o, sending, &peers));
    for (int j = 0; j < l->blocks; j++) {
        l->peers[j] = peers[j];
        l->counts[j] =
            traits[o->shape.kind].reduces ? operand_count(o, j) : block_count(o, sending, peers[j]);
    }
    free(peers);
    layout_place(o, l);
}

static void layout_one(const t_operation *o, t_layout *l, bool sending)
{
    const int root = o->shape.root, kind = o->shape.kind;
    layout_alloc(l, 1);
    l->peers[0] = traits[kind].rooted || kind == T_BCAST ? root : o->r;
    l->counts[0] = traits[kind].reduces ? operand_count(o, o->r)
                   : sending            ? part(o, o->r, root)
                                        : part(o, root, o->r);
    layout_place(o, l);
    l->displs[0] = l->byte_displs[0] = 0; /* a single block begins the buffer */
    l->elements = l->counts[0];
}

static void layout_make(const t_operation *o, t_layout *l, bool sending)
{
    const int blocks = sending ? traits[o->shape.kind].sends : traits[o->shape.kind].receives;
    if (blocks == EACH)
        layout_each(o, l, sending);
    else if (blocks == ONE)
        layout_one(o, l, sending);
    else
        layout_alloc(l, 0);
}

/* ---- contents ---- */

static int value(const t_operation *o, int from, int to, int i)
{
    const uint64_t word =
        mixed(o->seed, ((uint64_t)from * 4099 + (uint64_t)to) * 1000003 + (uint64_t)i);
    return (int)(1 + word % (PRIME - 1)) * 256 + (int)(word >> 32) % PRIME;
}

static size_t ints_in(const t_operation *o, int elements)
{
    return (size_t)o->stride * (size_t)(elements + 2 * GUARD);
}

static int *buffer_alloc(const t_operation *o, int elements)
{
    return t_alloc(sizeof(int) * ints_in(o, elements));
}

static int *element(const t_operation *o, int *buffer, int i)
{
    return buffer + (ptrdiff_t)(GUARD + i) * o->stride;
}

/* In place, the operand of a reduce_scatter is longer than its result. */
static int receive_elements(const t_operation *o)
{
    const bool whole = traits[o->shape.kind].reduces && in_place(o);
    return whole ? o->from.elements : o->to.elements;
}

static void put_block(const t_operation *o, int *buffer, const t_layout *l, int j, int from, int to)
{
    if (!traits[o->shape.kind].pairs)
        to = 0;
    for (int i = 0; i < l->counts[j]; i++)
        *element(o, buffer, l->displs[j] + i) = value(o, from, to, i);
}

static void put_send_blocks(const t_operation *o, int *buffer, const t_layout *l)
{
    for (int j = 0; j < l->blocks; j++)
        put_block(o, buffer, l, j, o->r, l->peers[j]);
}

static void put_receive_blocks(const t_operation *o, int *buffer, const t_layout *l)
{
    const int kind = o->shape.kind;
    for (int j = 0; j < l->blocks; j++) {
        const int from = kind == T_BCAST ? o->shape.root : l->peers[j];
        if (from != MPI_PROC_NULL)
            put_block(o, buffer, l, j, from, o->r);
    }
}

/* The operand of a rank, numbered through all blocks. */
static void put_operand(const t_operation *o, int *buffer)
{
    for (int i = 0; i < o->from.elements; i++)
        *element(o, buffer, i) = value(o, o->r, 0, i);
}

static int reduced(const t_operation *o, int last, int i)
{
    int result = value(o, 0, 0, i);
    for (int q = 1; q <= last; q++)
        result = combined(o->shape.reduction, result, value(o, q, 0, i));
    return result;
}

static void put_result(const t_operation *o, int *buffer)
{
    const int kind = o->shape.kind;
    const int last = kind == T_SCAN ? o->r : kind == T_EXSCAN ? o->r - 1 : o->p - 1;
    const int first = traits[kind].sends == EACH ? o->from.displs[o->r] : 0;
    for (int i = 0; i < o->to.elements && last >= 0; i++)
        *element(o, buffer, i) = reduced(o, last, first + i);
}

/* What an operation in place reads from its receive buffer. */
static void put_in_place(const t_operation *o, int *buffer)
{
    const t_layout *const to = &o->to;
    const int kind = o->shape.kind;
    if (traits[kind].reduces)
        put_operand(o, buffer);
    else if (traits[kind].sends == EACH)
        put_send_blocks(o, buffer, to);
    else
        put_block(o, buffer, to, o->r, o->r, 0);
}

static void fill_with_guards(int *buffer, size_t ints, int salt)
{
    for (size_t i = 0; i < ints; i++)
        buffer[i] = -(int)(1 + (i * 7 + (size_t)salt) % 100000);
}

static void put_initial(const t_operation *o, int *buffer)
{
    const int kind = o->shape.kind;
    if (kind == T_BCAST && at_root(o))
        put_receive_blocks(o, buffer, &o->to);
    else if (in_place(o) && has_receive(o))
        put_in_place(o, buffer);
}

void t_operation_refill(t_operation *o, uint64_t seed)
{
    const size_t in_ints = ints_in(o, o->from.elements), out_ints = ints_in(o, receive_elements(o));
    const bool reduces = traits[o->shape.kind].reduces;
    o->seed = seed;
    fill_with_guards(o->in, in_ints, 1);
    fill_with_guards(o->out, out_ints, 2);
    if (has_send(o) && reduces)
        put_operand(o, o->in);
    else if (has_send(o))
        put_send_blocks(o, o->in, &o->from);
    put_initial(o, o->out);
    memcpy(o->sent, o->in, in_ints * sizeof(int));
    memcpy(o->want, o->out, out_ints * sizeof(int));
    if (has_receive(o) && reduces)
        put_result(o, o->want);
    else if (has_receive(o))
        put_receive_blocks(o, o->want, &o->to);
}

/* ---- lifecycle ---- */

t_shape t_shape_random(int kind, uint64_t seed, int p, int most_elements)
{
    t_rng rng = t_seed(seed, (uint64_t)kind, 5);
    t_shape shape = {.kind = kind, .elements = t_below(&rng, most_elements + 1)};
    shape.root = t_below(&rng, p);
    shape.reduction = t_below(&rng, T_OPERATORS);
    shape.in_place = t_below(&rng, 3) == 0;
    shape.holes = t_below(&rng, 3) == 0;
    return shape;
}

/* Legal calls that fail in the library itself, and what is changed to avoid them.  With TEST_SERVED
 * set, Attune serves the calls: then they must work. */
static const struct {
    bool open_mpi;
    int kind;
    bool in_place, holes, ordered; /* the call has all of these */
    const char *why;
} library_bugs[] = {
    {true, T_ALLTOALLV, true, false, false, "waits for messages of empty blocks"},
    {true, T_ALLTOALLW, true, false, false, "waits for messages of empty blocks"},
    {false, T_REDUCE_SCATTER, false, true, true, "allocates true extents and uses extents"},
    {false, T_REDUCE_SCATTER_BLOCK, false, true, true, "allocates true extents and uses extents"},
};

static void avoid_library_bugs(t_shape *s, MPI_Comm comm)
{
    const bool ordered = s->reduction == T_USER_ORDERED;
    if (t_kind_served(s->kind, comm))
        return;
    for (size_t i = 0; i < sizeof library_bugs / sizeof *library_bugs; i++) {
        if (library_bugs[i].open_mpi != T_OPEN_MPI || library_bugs[i].kind != s->kind ||
            library_bugs[i].in_place > s->in_place || library_bugs[i].holes > s->holes ||
            library_bugs[i].ordered > ordered)
            continue;
        s->in_place = s->in_place && !library_bugs[i].in_place;
        s->holes = s->holes && !library_bugs[i].holes;
    }
}

bool t_operation_served(const t_operation *o) { return t_kind_served(o->shape.kind, o->comm); }

static void restrict_shape(t_operation *o)
{
    t_shape *const s = &o->shape;
    s->in_place = s->in_place && traits[s->kind].may_be_in_place;
    if (traits[s->kind].reduces && s->reduction < T_USER_SUM)
        s->holes = false;
    avoid_library_bugs(s, o->comm);
}

/* What the standard leaves undefined: the result of exscan at rank 0, and what follows the result
 * of a reduce_scatter in place. */
static void find_undefined(t_operation *o)
{
    const int kind = o->shape.kind;
    if (kind == T_EXSCAN && o->r == 0)
        o->free_to = o->to.elements;
    if (in_place(o) && (kind == T_REDUCE_SCATTER || kind == T_REDUCE_SCATTER_BLOCK)) {
        o->free_from = o->to.elements;
        o->free_to = o->from.elements;
    }
}

t_operation *t_operation_new(const t_shape *shape, MPI_Comm comm, uint64_t seed)
{
    t_operation *o = t_alloc(sizeof *o);
    *o = (t_operation){.shape = *shape, .comm = comm, .shape_seed = seed};
    MPI_Comm_size(comm, &o->p);
    MPI_Comm_rank(comm, &o->r);
    restrict_shape(o);
    o->stride = o->shape.holes ? 2 : 1;
    make_handles(o);
    layout_make(o, &o->from, true);
    layout_make(o, &o->to, false);
    find_undefined(o);
    o->in = buffer_alloc(o, o->from.elements);
    o->sent = buffer_alloc(o, o->from.elements);
    o->out = buffer_alloc(o, receive_elements(o));
    o->want = buffer_alloc(o, receive_elements(o));
    t_operation_refill(o, seed);
    return o;
}

static long wrong_ints(const t_operation *o, const int *got, const int *want, int elements,
                       int free_from, int free_to)
{
    long bad = 0;
    for (int i = -GUARD; i < elements + GUARD; i++)
        for (int k = 0; k < o->stride; k++) {
            const ptrdiff_t at = (ptrdiff_t)(GUARD + i) * o->stride + k;
            const bool undefined = k == 0 && i >= free_from && i < free_to;
            bad += got[at] != want[at] && !undefined;
        }
    return bad;
}

long t_operation_wrong(const t_operation *o)
{
    return wrong_ints(o, o->in, o->sent, o->from.elements, 0, 0) +
           wrong_ints(o, o->out, o->want, receive_elements(o), o->free_from, o->free_to);
}

uint64_t t_operation_hash(const t_operation *o)
{
    uint64_t hash = 1;
    for (int i = -GUARD; i < receive_elements(o) + GUARD; i++)
        for (int k = 0; k < o->stride; k++)
            if (k > 0 || i < o->free_from || i >= o->free_to)
                hash = mixed(hash, (uint64_t)(uint32_t)o->out[(GUARD + i) * o->stride + k]);
    return hash;
}

long t_operation_end(t_operation *o)
{
    const long bad = t_operation_wrong(o);
    t_operation_free_handles(o);
    layout_free(&o->from);
    layout_free(&o->to);
    free(o->in);
    free(o->sent);
    free(o->out);
    free(o->want);
    free(o);
    return bad;
}

const char *t_operation_text(t_operation *o)
{
    const t_shape *s = &o->shape;
    snprintf(o->text, sizeof o->text, "%s of %d elements, root %d, p %d, operator %d%s%s",
             traits[s->kind].name, s->elements, s->root, o->p, s->reduction,
             s->in_place ? ", in place" : "", s->holes ? ", holes" : "");
    return o->text;
}

/* ---- the call ---- */

/* The count argument beside an array of counts, or that of every block. */
static int single_count(const t_operation *o)
{
    const int kind = o->shape.kind;
    if (kind == T_SCATTERV)
        return part(o, o->shape.root, o->r);
    if (kind == T_GATHERV || kind == T_ALLGATHERV || kind == T_NEIGHBOR_ALLGATHERV)
        return part(o, o->r, 0);
    return o->shape.elements;
}

int t_operation_call(t_operation *o, t_form form, MPI_Request *request)
{
    const int kind = o->shape.kind;
    const bool scatters = kind == T_SCATTER || kind == T_SCATTERV;
    const t_arguments a = {
        .send = in_place(o) && !scatters ? MPI_IN_PLACE : element(o, o->in, 0),
        .receive = in_place(o) && scatters ? MPI_IN_PLACE : element(o, o->out, 0),
        .count = single_count(o),
        .from = &o->from,
        .to = &o->to,
        .type = o->type,
        .op = o->op,
        .root = o->shape.root,
        .comm = o->comm,
    };
    return t_call(kind, &a, form, request);
}
