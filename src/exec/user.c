/* user.c - reading the arguments of a call: counts, offsets, datatypes, the shared problem. */
#include <stdlib.h>

#include <string.h>

#include <limits.h>

#include "exec/exec_private.h"
#include "sched/neighbourhood.h"

bool atn_exec_type_of(atn_exec *x, MPI_Datatype type, atn_type *info_p)
{
    atn_type_entry *e = &x->types[((uintptr_t)type >> 4 ^ (uintptr_t)type) % ATN_TYPES];

    if (!e->used || e->handle != type || (!e->info.named && e->epoch != atn_exec_handles_epoch())) {
        atn_type_entry fresh = {.handle = type, .used = true, .epoch = atn_exec_handles_epoch()};
        if (!atn_exec_type_query(type, &fresh.info))
            return false;
        *e = fresh;
    }
    *info_p = e->info;
    return true;
}

int64_t atn_exec_count_at(const atn_call *call, const atn_user *u, int j)
{
    if (!u->counts)
        return u->count;
    return call->wide ? ((const MPI_Count *)u->counts)[j] : ((const int *)u->counts)[j];
}

static MPI_Datatype type_at(const atn_user *u, int j) { return u->types ? u->types[j] : u->type; }

int64_t atn_exec_user_bytes(atn_exec *x, const atn_call *call, const atn_user *u, int j)
{
    const int64_t count = atn_exec_count_at(call, u, j);
    atn_type info;

    if (count < 0 || !atn_exec_type_of(x, type_at(u, j), &info))
        return -1;
    return count * info.size;
}

bool atn_exec_user_contiguous(atn_exec *x, const atn_user *u, int n)
{
    const int types = u->types ? n : 1;
    atn_type info;

    for (int j = 0; j < types; j++)
        if (!atn_exec_type_of(x, type_at(u, j), &info) || !info.contiguous)
            return false;
    return true;
}

int64_t atn_exec_user_offset(atn_exec *x, const atn_call *call, const atn_user *u, int j)
{
    atn_type info = {0};

    if (u->types) /* alltoallw counts displacements in bytes, on neighbours as MPI_Aint */
        return call->wide || atn_sched_on_neighbours(call->op) ? ((const MPI_Aint *)u->displs)[j]
                                                               : ((const int *)u->displs)[j];
    atn_exec_type_of(x, u->type, &info);
    if (!u->displs)
        return j * u->count * info.extent;
    return (call->wide ? ((const MPI_Aint *)u->displs)[j] : ((const int *)u->displs)[j]) *
           info.extent;
}

/* ---- neighbours ---- */

bool atn_exec_user_missing(const atn_exec *x, const atn_call *call, const atn_user *u, int j)
{
    const atn_operation_info *o = atn_sched_operation_get(call->op);
    const atn_side side = u == &call->src ? o->source : o->result;

    return (side == ATN_SIDE_OUT || side == ATN_SIDE_IN) &&
           atn_sched_neighbourhood_rank(x->neighbourhood, x->r,
                                        side == ATN_SIDE_OUT ? ATN_OUTWARD : ATN_INWARD, j) < 0;
}

int atn_exec_call_blocks(const atn_exec *x, const atn_call *call)
{
    const atn_side side = atn_sched_operation_get(call->op)->source;
    const atn_problem q = {.p = x->p, .r = x->r, .neighbourhood = x->neighbourhood};

    return side == ATN_SIDE_ROW || side == ATN_SIDE_OUT ? atn_sched_rank_blocks(&q, side) : 1;
}

/* Ranks without destinations need not pass a size to send, those without sources none to receive;
 * every rank has one of them (is_served). */
static int64_t neighbour_bytes(atn_exec *x, const atn_call *call)
{
    const bool sends = atn_sched_neighbourhood_count(x->neighbourhood, x->r, ATN_OUTWARD) > 0;

    return atn_exec_user_bytes(x, call, sends ? &call->src : &call->dst, 0);
}

/* A rank without any neighbour may pass any size, so ranks would not share it. */
static bool is_served(const atn_exec *x, const atn_call *call)
{
    return !atn_sched_on_neighbours(call->op) ||
           (x->neighbourhood && (x->p == 1 || !x->neighbourhood->lonely));
}

/* ---- the shared problem ---- */

static int64_t average_bytes(atn_exec *x, const atn_call *call, const atn_user *u)
{
    int64_t sum = 0;

    for (int j = 0; j < x->p; j++) {
        const int64_t bytes = atn_exec_user_bytes(x, call, u, j);
        if (bytes < 0)
            return -2;
        sum += bytes;
    }
    return sum / x->p;
}

/* The size that all ranks share; -1: none, -2: invalid arguments. */
static int64_t shared_bytes(atn_exec *x, const atn_call *call)
{
    const bool root = call->root == x->r;
    int64_t bytes;

    switch (call->op) {
    case ATN_BARRIER:
        return 0;
    case ATN_GATHERV:
    case ATN_SCATTERV:
    case ATN_ALLTOALLV:
    case ATN_ALLTOALLW:
    case ATN_NEIGHBOR_ALLGATHERV:
    case ATN_NEIGHBOR_ALLTOALLV:
    case ATN_NEIGHBOR_ALLTOALLW:
        return -1;
    case ATN_NEIGHBOR_ALLGATHER:
    case ATN_NEIGHBOR_ALLTOALL:
        bytes = neighbour_bytes(x, call);
        break;
    case ATN_ALLGATHERV:
        return average_bytes(x, call, &call->dst);
    case ATN_REDUCE_SCATTER:
        return average_bytes(x, call, &call->src);
    case ATN_GATHER:
        bytes = atn_exec_user_bytes(x, call, root ? &call->dst : &call->src, 0);
        break;
    case ATN_SCATTER:
        bytes = atn_exec_user_bytes(x, call, root ? &call->src : &call->dst, 0);
        break;
    case ATN_BCAST:
    case ATN_ALLGATHER:
    case ATN_ALLTOALL:
        bytes = atn_exec_user_bytes(x, call, &call->dst, 0);
        break;
    default:
        bytes = atn_exec_user_bytes(x, call, &call->src, 0);
        break;
    }
    return bytes < 0 ? -2 : bytes;
}

int64_t atn_exec_call_volume(atn_exec *x, const atn_call *call)
{
    const int blocks = atn_exec_call_blocks(x, call);
    const atn_user *const u = call->op == ATN_SCATTERV ? &call->dst : &call->src;
    /* In place, the root's own block is one of the counts. */
    const bool own = blocks == 1 && u->counts && !atn_sched_on_neighbours(call->op);
    const int first = own ? x->r : 0;
    int64_t sum = 0;

    for (int j = 0; j < blocks; j++) {
        if (atn_exec_user_missing(x, call, u, j))
            continue;
        const int64_t bytes = atn_exec_user_bytes(x, call, u, first + j);
        sum += bytes > 0 ? bytes : 0;
    }
    return sum;
}

int64_t atn_exec_call_size(atn_exec *x, const atn_call *call, int j)
{
    const bool row = atn_sched_operation_get(call->op)->source == ATN_SIDE_ROW;

    return atn_exec_user_bytes(x, call, row ? &call->src : &call->dst, j);
}

bool atn_exec_call_canonical(atn_exec *x, const atn_call *call)
{
    atn_operator op;
    atn_type info;

    return x->reproducible && x->p > 1 && (atn_sched_operation_get(call->op)->flags & ATN_TYPED) &&
           !(atn_exec_type_of(x, call->src.type, &info) &&
             atn_exec_operator_query(call->mpi_op, call->src.type, &info, &op) && op.orderless);
}

bool atn_exec_call_problem(atn_exec *x, const atn_call *call, atn_problem *q_p)
{
    const atn_operation_info *o = atn_sched_operation_get(call->op);
    const bool root = call->root == x->r;
    atn_operator op = {.commutes = true, .orderless = true};
    atn_type info;

    if (!is_served(x, call) || ((o->flags & ATN_ROOTED) && (call->root < 0 || call->root >= x->p)))
        return false;
    if ((o->flags & ATN_TYPED) &&
        (!atn_exec_type_of(x, call->src.type, &info) ||
         !atn_exec_operator_query(call->mpi_op, call->src.type, &info, &op)))
        return false;
    const int64_t bytes = shared_bytes(x, call);
    if (bytes == -2)
        return false;
    const bool canonical = x->reproducible && !op.orderless && x->p > 1;
    *q_p = (atn_problem){
        .op = call->op,
        .p = x->p,
        .r = x->r,
        .root = o->flags & ATN_ROOTED ? call->root : 0,
        .in_place = call->in_place && atn_sched_operation_place(call->op, root) != ATN_PLACE_STAGED,
        .ordered = !op.commutes || canonical,
        .canonical = canonical,
        .shared = x->sharing,
        .segments = 1,
        .topo = canonical ? NULL : x->topo, /* independent of rank mapping */
        .lateness = canonical || !x->late ? NULL : &x->lateness,
        .neighbourhood = o->flags & ATN_ON_NEIGHBOURS ? x->neighbourhood : NULL,
        .bytes = bytes,
    };
    return true;
}

/* ---- arrays ---- */

static size_t entries(const atn_exec *x, atn_operation op, bool source)
{
    if (!atn_sched_on_neighbours(op))
        return (size_t)x->p;
    return (size_t)atn_sched_neighbourhood_count(x->neighbourhood, x->r,
                                                 source ? ATN_OUTWARD : ATN_INWARD);
}

static bool names(const atn_exec *x, atn_operation op, const atn_user *u, bool source,
                  MPI_Datatype type)
{
    for (size_t i = 0; u->types != NULL && i < entries(x, op, source); i++)
        if (u->types[i] == type)
            return true;
    return u->type == type;
}

bool atn_exec_call_names(const atn_exec *x, const atn_call *call, MPI_Datatype type)
{
    return names(x, call->op, &call->src, true, type) ||
           names(x, call->op, &call->dst, false, type);
}

static const void *copy_array(char **room, const void *from, size_t bytes)
{
    char *const to = *room;

    if (from == NULL)
        return NULL;
    memcpy(to, from, bytes);
    *room += (bytes + 15) / 16 * 16;
    return to;
}

bool atn_exec_user_keep(const atn_exec *x, const atn_call *call, atn_user *u, bool source,
                        void **kept_p)
{
    const size_t n = entries(x, call->op, source);
    const bool wide = call->wide || (u->types && atn_sched_on_neighbours(call->op));
    const size_t count = n * (call->wide ? sizeof(MPI_Count) : sizeof(int));
    const size_t displ = n * (wide ? sizeof(MPI_Aint) : sizeof(int));

    if (u->counts == NULL)
        return true;
    char *room = *kept_p = malloc(count + displ + n * sizeof(MPI_Datatype) + 3 * 16);
    if (room == NULL)
        return false;
    u->counts = copy_array(&room, u->counts, count);
    u->displs = copy_array(&room, u->displs, displ);
    u->types = copy_array(&room, u->types, n * sizeof(MPI_Datatype));
    return true;
}
