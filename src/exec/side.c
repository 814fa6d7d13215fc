/* side.c - the user's buffers for one call.
 *
 * Contiguous data are used in place.  Other data are packed before and unpacked after the call,
 * block by block, so no algorithm sees a datatype.  Reductions are typed and never packed. */
#include <stdlib.h>
#include <string.h>

#include "exec/exec_private.h"
#include "sched/neighbourhood.h"

enum { SRC_LENS, SRC_OFFS, DST_LENS, DST_OFFS, VEC_LENS, VECTORS };
static const int64_t pack_bytes = (int64_t)1 << 30; /* per call: MPI_Pack counts in ints */

/* One of the vectors above: an entry for each rank, or for each neighbour. */
static int64_t *vector(atn_exec *x, int which)
{
    const size_t n = (size_t)atn_max(x->p, x->neighbourhood ? x->neighbourhood->most : 0);

    if (!x->vectors)
        x->vectors = calloc(n * VECTORS, sizeof *x->vectors);
    return x->vectors ? x->vectors + (size_t)which * n : NULL;
}

int64_t *atn_exec_vec_lens(atn_exec *x) { return vector(x, VEC_LENS); }

/* ---- packing ---- */

/* Packs or unpacks one natural block. */
static int move_block(atn_exec *x, const atn_call *call, const atn_user *u, int j, char *packed,
                      bool pack)
{
    const MPI_Datatype type = u->types ? u->types[j] : u->type;
    int64_t count = atn_exec_count_at(call, u, j);
    char *user = (char *)u->buf + atn_exec_user_offset(x, call, u, j);
    atn_type info = {0};
    int code = MPI_SUCCESS;

    atn_exec_type_of(x, type, &info);
    while (count > 0 && info.size > 0 && code == MPI_SUCCESS) {
        const int64_t most = atn_max((int)(pack_bytes / info.size), 1);
        const int n = (int)(count < most ? count : most);
        const int bytes = (int)(n * info.size);
        code = atn_exec_pack(pack, user, n, type, packed, bytes);
        user += n * info.extent;
        packed += bytes;
        count -= n;
    }
    return code;
}

/* Packed bytes of a block; the sizes of missing neighbours are not arguments. */
static int64_t block_bytes(atn_exec *x, const atn_call *call, const atn_user *u, int j)
{
    const bool absent = u->counts && atn_exec_user_missing(x, call, u, j);
    return absent ? 0 : atn_exec_user_bytes(x, call, u, j);
}

/* The blocks that hold input to be packed. */
typedef enum { LOAD_NOTHING, LOAD_OWN, LOAD_ALL } load;

static int stage(atn_exec *x, int which, const atn_call *call, const atn_user *u, int n, load what,
                 char **base_p)
{
    int64_t total = 0, at = 0;
    int code = MPI_SUCCESS;

    for (int j = 0; j < n; j++)
        total += block_bytes(x, call, u, j);
    char *packed = atn_exec_reserve(&x->stage[which], &x->stage_bytes[which], total + 1);
    if (!packed)
        return MPI_ERR_NO_MEM;
    for (int j = 0; j < n && code == MPI_SUCCESS; j++) {
        if ((what == LOAD_ALL && !atn_exec_user_missing(x, call, u, j)) ||
            (what == LOAD_OWN && j == x->r))
            code = move_block(x, call, u, j, packed + at, true);
        at += block_bytes(x, call, u, j);
    }
    *base_p = packed;
    return code;
}

static int unstage(atn_exec *x, const atn_call *call, int n, int skip)
{
    int64_t at = 0;
    int code = MPI_SUCCESS;

    for (int j = 0; j < n && code == MPI_SUCCESS; j++) {
        if (j != skip && !atn_exec_user_missing(x, call, &call->dst, j))
            code = move_block(x, call, &call->dst, j, x->stage[1] + at, false);
        at += block_bytes(x, call, &call->dst, j);
    }
    return code;
}

/* ---- sizes of v-operations ---- */

static void packed_sizes(atn_exec *x, const atn_call *call, const atn_user *u, int n, bool direct,
                         int64_t *lens, int64_t *offs)
{
    int64_t at = 0;

    for (int j = 0; j < n; j++) {
        lens[j] = block_bytes(x, call, u, j);
        offs[j] = direct ? atn_exec_user_offset(x, call, u, j) : at;
        at += lens[j];
    }
}

/* reduce_scatter: sizes in elements, one block after the other. */
static void element_sizes(atn_exec *x, const atn_call *call, int64_t *lens, int64_t *offs)
{
    int64_t at = 0;

    for (int j = 0; j < x->p; j++) {
        lens[j] = atn_exec_count_at(call, &call->src, j);
        offs[j] = at;
        at += lens[j];
    }
}

/* ---- binding ---- */

typedef struct {
    int nsrc, ndst; /* natural blocks of this rank */
    bool alias_src; /* SRC lies in DST, or DST in SRC: only the other one is bound */
    bool alias_dst;
    bool copy_src; /* the input must be copied first */
    load dst_load;
} layout;

static layout layout_of(const atn_plan *plan, const atn_call *call)
{
    const atn_operation_info *o = atn_sched_operation_get(call->op);
    const atn_problem *q = &plan->q;
    const atn_place place =
        call->in_place ? atn_sched_operation_place(call->op, q->r == q->root) : ATN_PLACE_NONE;
    layout l = {
        .nsrc = atn_sched_has_src(q) ? atn_sched_rank_blocks(q, o->source) : 0,
        .ndst = atn_sched_has_dst(q) ? atn_sched_rank_blocks(q, o->result) : 0,
        .alias_src = place == ATN_PLACE_SAME || place == ATN_PLACE_OWN,
        .alias_dst = place == ATN_PLACE_OWN_SRC,
        .copy_src = place == ATN_PLACE_STAGED || atn_exec_one_buffer(call),
    };
    if (call->op == ATN_BCAST && q->r == q->root)
        l.dst_load = LOAD_ALL;
    else if (place == ATN_PLACE_OWN)
        l.dst_load = LOAD_OWN;
    return l;
}

/* Reductions use the user's buffers, except for input that would be overwritten. */
static int bind_typed(atn_exec *x, const atn_plan *plan, const atn_call *call, atn_sides *s)
{
    const layout l = layout_of(plan, call);

    s->base[0] = call->src.buf;
    s->base[1] = call->dst.buf;
    if (atn_exec_is_varying(&plan->q)) {
        int64_t *lens = vector(x, SRC_LENS), *offs = vector(x, SRC_OFFS);
        if (!lens)
            return MPI_ERR_NO_MEM;
        element_sizes(x, call, lens, offs);
        s->partition.src = s->partition.vec = (atn_blocks){.n = x->p, .lens = lens, .offs = offs};
        s->partition.dst = (atn_blocks){.n = 1, .each = lens[x->r]};
    }
    if (!l.copy_src)
        return MPI_SUCCESS;
    int64_t units = 0;
    for (int j = 0; j < l.nsrc; j++)
        units += atn_exec_count_at(call, &call->src, j);
    const int64_t lb = plan->unit.true_lb, bytes = units * plan->unit.stride;
    char *copy = atn_exec_reserve(&x->stage[0], &x->stage_bytes[0], bytes + 1);
    if (!copy)
        return MPI_ERR_NO_MEM;
    if (units > 0) /* the last element ends where its data end */
        memcpy(copy, (char *)call->src.buf + lb,
               (size_t)(bytes - plan->unit.stride + plan->unit.true_extent));
    s->base[0] = copy - lb;
    return MPI_SUCCESS;
}

static int bind_src(atn_exec *x, const atn_plan *plan, const atn_call *call, const layout *l,
                    atn_sides *s)
{
    const atn_user *u = &call->src;
    const bool direct = !l->copy_src && atn_exec_user_contiguous(x, u, l->nsrc);

    if (l->nsrc == 0 || l->alias_src)
        return MPI_SUCCESS;
    if (atn_exec_is_varying(&plan->q)) {
        int64_t *lens = vector(x, SRC_LENS), *offs = vector(x, SRC_OFFS);
        packed_sizes(x, call, u, l->nsrc, direct, lens, offs);
        s->partition.src = (atn_blocks){.n = l->nsrc, .lens = lens, .offs = offs};
    }
    s->base[0] = u->buf;
    return direct ? MPI_SUCCESS : stage(x, 0, call, u, l->nsrc, LOAD_ALL, &s->base[0]);
}

static int bind_dst(atn_exec *x, const atn_plan *plan, const atn_call *call, const layout *l,
                    atn_sides *s)
{
    const atn_user *u = &call->dst;
    const bool direct = atn_exec_user_contiguous(x, u, l->ndst);

    if (l->ndst == 0 || l->alias_dst)
        return MPI_SUCCESS;
    if (atn_exec_is_varying(&plan->q)) {
        int64_t *lens = vector(x, DST_LENS), *offs = vector(x, DST_OFFS);
        packed_sizes(x, call, u, l->ndst, direct, lens, offs);
        s->partition.dst = (atn_blocks){.n = l->ndst, .lens = lens, .offs = offs};
    }
    s->base[1] = u->buf;
    s->unpack = !direct && l->dst_load != LOAD_ALL;
    return direct ? MPI_SUCCESS : stage(x, 1, call, u, l->ndst, l->dst_load, &s->base[1]);
}

/* The shape vector of scratch: an argument of allgatherv; exchanged for gatherv and scatterv. */
static void bind_vec(atn_exec *x, const atn_plan *plan, atn_sides *s)
{
    if (!atn_exec_is_varying(&plan->q))
        return;
    if (plan->q.op == ATN_ALLGATHERV)
        s->partition.vec = (atn_blocks){.n = x->p, .lens = vector(x, DST_LENS)};
    else
        s->partition.vec = (atn_blocks){.n = x->p, .lens = vector(x, VEC_LENS)};
}

int atn_exec_sides_bind(atn_exec *x, const atn_plan *plan, const atn_call *call, atn_sides *s)
{
    const layout l = layout_of(plan, call);
    int code;

    *s = (atn_sides){.partition = {.split = plan->schedule->split}};
    if (atn_sched_operation_get(call->op)->flags & ATN_TYPED)
        return bind_typed(x, plan, call, s);
    if (!vector(x, 0))
        return MPI_ERR_NO_MEM;
    code = bind_src(x, plan, call, &l, s);
    if (code == MPI_SUCCESS)
        code = bind_dst(x, plan, call, &l, s);
    bind_vec(x, plan, s);
    return code;
}

int atn_exec_sides_unbind(atn_exec *x, const atn_plan *plan, const atn_call *call, atn_sides *s)
{
    const layout l = layout_of(plan, call);

    if (!s->unpack)
        return MPI_SUCCESS;
    return unstage(x, call, l.ndst, l.dst_load == LOAD_OWN ? x->r : -1);
}
