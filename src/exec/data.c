/* data.c - local copies and reductions of units. */
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "exec/exec_private.h"

char *atn_exec_reserve(char **buf, size_t *have, int64_t want)
{
    if ((size_t)want > *have) {
        free(*buf);
        *buf = NULL;
        *have = 0;
        /* 64: a cache line, and the strictest alignment that a reduction may need */
        const size_t rounded = ((size_t)want + 4095) / 4096 * 4096;
        *buf = aligned_alloc(64, rounded);
        *have = *buf ? rounded : 0;
    }
    return *buf;
}

static int convert(bool pack, char *user, int n, MPI_Datatype type, char *packed, int bytes)
{
    int at = 0;
    return pack ? PMPI_Pack(user, n, type, packed, bytes, &at, MPI_COMM_SELF)
                : PMPI_Unpack(packed, bytes, &at, user, n, type, MPI_COMM_SELF);
}

static MPI_Comm own_self = MPI_COMM_NULL; /* of convert_bottom */

#ifdef MPICH_VERSION
/* MPICH's MPI_Pack treats MPI_BOTTOM, which is the address 0, as a missing buffer; its messages do
 * not.  So the data are sent to this rank itself on a private communicator. */
static int convert_bottom(bool pack, int n, MPI_Datatype type, char *packed, int bytes)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    MPI_Group group;
    int code = MPI_SUCCESS;

    pthread_mutex_lock(&lock);
    if (own_self == MPI_COMM_NULL) {
        PMPI_Comm_group(MPI_COMM_SELF, &group);
        code = atn_real_comm_create(MPI_COMM_SELF, group, &own_self);
        PMPI_Group_free(&group);
    }
    if (code == MPI_SUCCESS && pack)
        code = PMPI_Sendrecv(MPI_BOTTOM, n, type, 0, 0, packed, bytes, MPI_BYTE, 0, 0, own_self,
                             MPI_STATUS_IGNORE);
    else if (code == MPI_SUCCESS)
        code = PMPI_Sendrecv(packed, bytes, MPI_BYTE, 0, 0, MPI_BOTTOM, n, type, 0, 0, own_self,
                             MPI_STATUS_IGNORE);
    pthread_mutex_unlock(&lock);
    return code;
}
#endif

int atn_exec_pack(bool pack, char *user, int n, MPI_Datatype type, char *packed, int bytes)
{
#ifdef MPICH_VERSION
    if (!user)
        return convert_bottom(pack, n, type, packed, bytes);
#endif
    return convert(pack, user, n, type, packed, bytes);
}

void atn_exec_end(int (*comm_free)(MPI_Comm *comm))
{
    if (own_self != MPI_COMM_NULL)
        comm_free(&own_self);
}

/* Elements with holes: only their data may be written, so copy via the packed form. */
static int copy_typed(const atn_exec_unit *u, void *to, const void *from, int64_t units)
{
    int code = MPI_SUCCESS, size = 0;

    while (units > 0 && code == MPI_SUCCESS) {
        const int n = units < 4096 ? (int)units : 4096;
        code = PMPI_Type_size(u->type, &size);
        const int bytes = n * size;
        char *packed = code == MPI_SUCCESS ? malloc((size_t)bytes + 1) : NULL;
        if (!packed)
            return code == MPI_SUCCESS ? MPI_ERR_NO_MEM : code;
        code = atn_exec_pack(true, (char *)from, n, u->type, packed, bytes);
        if (code == MPI_SUCCESS)
            code = atn_exec_pack(false, to, n, u->type, packed, bytes);
        free(packed);
        from = (const char *)from + n * u->stride;
        to = (char *)to + n * u->stride;
        units -= n;
    }
    return code;
}

static int copy_units(const atn_exec_unit *u, void *to, const void *from, int64_t units)
{
    if (to == from)
        return MPI_SUCCESS;
    if (!u->contiguous)
        return copy_typed(u, to, from, units);
    memcpy(to, from, (size_t)(units * u->stride));
    return MPI_SUCCESS;
}

/* The MPI library has only two operands. */
static int reduce_user(const atn_exec_unit *u, const char *in, char *inout, int64_t units)
{
    int code = MPI_SUCCESS;

    while (units > 0 && code == MPI_SUCCESS) {
        const int n = units < INT_MAX ? (int)units : INT_MAX;
        code = PMPI_Reduce_local(in, inout, n, u->type, u->op);
        in += n * u->stride;
        inout += n * u->stride;
        units -= n;
    }
    return code;
}

int atn_exec_reduce_units(const atn_exec_unit *u, const void *in, const void *operand, void *out,
                          int64_t units)
{
    if (u->kernel) {
        u->kernel(in, operand, out, (size_t)units);
        return MPI_SUCCESS;
    }
    const int code = copy_units(u, out, operand, units);
    return code == MPI_SUCCESS ? reduce_user(u, in, out, units) : code;
}

int atn_exec_run_local(const atn_run *x, const atn_xop *o)
{
    const atn_exec_unit *u = x->unit;
    const atn_part *part = o->nparts > 1 ? &x->program->parts.v[o->part] : &o->one;
    int code = MPI_SUCCESS;

    for (int i = 0; i < o->nparts && code == MPI_SUCCESS; i++) {
        const char *from = x->base[o->space_a] + part[i].a;
        char *to = x->base[o->space_b] + part[i].b;
        code = o->kind == X_REDUCE ? atn_exec_reduce_units(u, from, x->base[o->space_c] + part[i].c,
                                                           to, part[i].units)
                                   : copy_units(u, to, from, part[i].units);
    }
    return code;
}

int atn_exec_combine(const atn_run *x, const atn_xop *o, const char *data, int64_t at,
                     int64_t bytes)
{
    const atn_exec_unit *const u = x->unit;
    const atn_part *part = &x->program->parts.v[o->combined];
    int code = MPI_SUCCESS;

    for (int i = 0; i < o->ncombined && code == MPI_SUCCESS; i++) {
        const int64_t all = part[i].units * u->stride, last = part[i].a + all, end = at + bytes;
        const int64_t lo = part[i].a > at ? part[i].a : at, hi = last < end ? last : end;
        if (lo >= hi)
            continue;
        const int64_t skip = lo - part[i].a; /* a division takes as long as a short reduction */
        const int64_t units = hi - lo == all ? part[i].units : (hi - lo) / u->stride;
        const char *const from = data + (lo - at), *const operand = x->base[o->space_c] + part[i].c;
        char *const to = x->base[o->space_b] + part[i].b + skip;
        code = o->kind == X_READ ? copy_units(u, to, from, units)
                                 : atn_exec_reduce_units(u, from, operand + skip, to, units);
    }
    return code;
}

static int move_parts(const atn_run *x, const atn_xop *o, bool gather)
{
    const atn_part *part = &x->program->parts.v[o->part];
    int code = MPI_SUCCESS;

    for (int i = 0; i < o->nparts && code == MPI_SUCCESS; i++) {
        char *user = x->base[o->space_a] + part[i].a, *packed = x->packed + o->packed + part[i].b;
        code = copy_units(x->unit, gather ? packed : user, gather ? user : packed, part[i].units);
    }
    return code;
}

int atn_exec_pack_parts(const atn_run *x, const atn_xop *o) { return move_parts(x, o, true); }
int atn_exec_unpack_parts(const atn_run *x, const atn_xop *o) { return move_parts(x, o, false); }

int atn_exec_message_done(const atn_run *x, const atn_xop *o)
{
    if (o->kind == X_RECV_REDUCE)
        return atn_exec_combine(x, o, atn_exec_message(x, o), 0, o->one.units * x->unit->stride);
    return o->kind == X_RECV && o->nparts > 1 ? atn_exec_unpack_parts(x, o) : MPI_SUCCESS;
}
