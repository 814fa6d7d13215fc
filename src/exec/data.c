/* data.c - moving and reducing units inside a rank. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "exec/exec_private.h"

char *atn_reserve(char **buf, size_t *have, int64_t want)
{
    if ((size_t)want > *have) {
        free(*buf);
        *buf = NULL;
        *have = 0;
        /* 64: a cache line, and the strictest alignment that a reduction may ask for */
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

/* MPICH takes MPI_BOTTOM, which is the address 0, for a missing buffer: name the place where the
 * data begin, and a type that reaches back from there. */
static int convert_bottom(bool pack, int n, MPI_Datatype type, char *packed, int bytes)
{
    MPI_Aint begin, reach, back;
    MPI_Datatype shifted;
    int code = PMPI_Type_get_true_extent(type, &begin, &reach);

    back = -begin;
    if (code == MPI_SUCCESS)
        code = PMPI_Type_create_hindexed(1, &n, &back, type, &shifted);
    if (code != MPI_SUCCESS)
        return code;
    code = PMPI_Type_commit(&shifted);
    if (code == MPI_SUCCESS)
        code = convert(pack, (char *)begin, 1, shifted, packed, bytes);
    atn_real_type_free(&shifted);
    return code;
}

int atn_pack(bool pack, char *user, int n, MPI_Datatype type, char *packed, int bytes)
{
    return user ? convert(pack, user, n, type, packed, bytes)
                : convert_bottom(pack, n, type, packed, bytes);
}

/* Elements with holes: only their data may be written, so go through the packed form. */
static int copy_typed(const atn_unit *u, void *to, const void *from, int64_t units)
{
    int code = MPI_SUCCESS, bytes = 0;

    while (units > 0 && code == MPI_SUCCESS) {
        const int n = units < 4096 ? (int)units : 4096;
        code = PMPI_Pack_size(n, u->type, MPI_COMM_SELF, &bytes);
        char *packed = code == MPI_SUCCESS ? malloc((size_t)bytes + 1) : NULL;
        if (!packed)
            return code == MPI_SUCCESS ? MPI_ERR_NO_MEM : code;
        code = atn_pack(true, (char *)from, n, u->type, packed, bytes);
        if (code == MPI_SUCCESS)
            code = atn_pack(false, to, n, u->type, packed, bytes);
        free(packed);
        from = (const char *)from + n * u->stride;
        to = (char *)to + n * u->stride;
        units -= n;
    }
    return code;
}

int atn_copy_units(const atn_unit *u, void *to, const void *from, int64_t units)
{
    if (to == from)
        return MPI_SUCCESS;
    if (!u->contiguous)
        return copy_typed(u, to, from, units);
    memcpy(to, from, (size_t)(units * u->stride));
    return MPI_SUCCESS;
}

int atn_reduce_units(const atn_unit *u, const void *in, void *inout, int64_t units)
{
    int code = MPI_SUCCESS;

    while (units > 0 && code == MPI_SUCCESS) {
        const int n = units < INT_MAX ? (int)units : INT_MAX;
        code = PMPI_Reduce_local(in, inout, n, u->type, u->op);
        in = (const char *)in + n * u->stride;
        inout = (char *)inout + n * u->stride;
        units -= n;
    }
    return code;
}

int atn_run_local(const atn_run *x, const atn_xop *o)
{
    const atn_unit *u = &x->plan->unit;
    const atn_part *part = o->nparts > 1 ? &x->plan->program.parts.v[o->part] : &o->one;
    int code = MPI_SUCCESS;

    for (int i = 0; i < o->nparts && code == MPI_SUCCESS; i++) {
        const char *from = x->base[o->space_a] + part[i].a;
        char *to = x->base[o->space_b] + part[i].b;
        code = o->kind == X_REDUCE ? atn_reduce_units(u, from, to, part[i].units)
                                   : atn_copy_units(u, to, from, part[i].units);
    }
    return code;
}

static int move_wire(const atn_run *x, const atn_xop *o, bool gather)
{
    const atn_part *part = &x->plan->program.parts.v[o->part];
    int code = MPI_SUCCESS;

    for (int i = 0; i < o->nparts && code == MPI_SUCCESS; i++) {
        char *user = x->base[o->space_a] + part[i].a, *wire = x->wire + o->wire + part[i].b;
        code = atn_copy_units(&x->plan->unit, gather ? wire : user, gather ? user : wire,
                              part[i].units);
    }
    return code;
}

int atn_gather_wire(const atn_run *x, const atn_xop *o) { return move_wire(x, o, true); }
int atn_scatter_wire(const atn_run *x, const atn_xop *o) { return move_wire(x, o, false); }
