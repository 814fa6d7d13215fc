/* type.c - datatypes: sizes, and whether they are contiguous. */
#include "exec/type.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "exec/exec.h"

static atomic_uint_fast64_t epoch = 1;

uint64_t atn_exec_handles_epoch(void) { return atomic_load_explicit(&epoch, memory_order_relaxed); }

void atn_exec_type_forget(MPI_Datatype type)
{
    (void)type;
    atomic_fetch_add_explicit(&epoch, 1, memory_order_relaxed);
}

void atn_exec_op_forget(MPI_Op op)
{
    (void)op;
    atomic_fetch_add_explicit(&epoch, 1, memory_order_relaxed);
}

/* The preload library sets this to the real routine, because MPI_Type_free is interposed. */
int (*atn_real_type_free)(MPI_Datatype *type) = PMPI_Type_free;
int (*atn_real_request_free)(MPI_Request *request) = PMPI_Request_free;
int (*atn_real_cancel)(MPI_Request *request) = PMPI_Cancel;
int (*atn_real_comm_create)(MPI_Comm comm, MPI_Group group, MPI_Comm *made) = PMPI_Comm_create;

/* ---- contiguity, proven from the constructor; unknown constructors are not contiguous ---- */

typedef struct {
    int combiner, ni, na, nt;
    int *ints;
    MPI_Aint *aints;
    MPI_Datatype *types;
} contents;

static bool get_contents(MPI_Datatype type, contents *c)
{
    if (PMPI_Type_get_envelope(type, &c->ni, &c->na, &c->nt, &c->combiner) != MPI_SUCCESS)
        return false;
    if (c->combiner == MPI_COMBINER_NAMED)
        return true;
    c->ints = calloc((size_t)c->ni + 1, sizeof *c->ints);
    c->aints = calloc((size_t)c->na + 1, sizeof *c->aints);
    c->types = calloc((size_t)c->nt + 1, sizeof *c->types);
    if (!c->ints || !c->aints || !c->types ||
        PMPI_Type_get_contents(type, c->ni, c->na, c->nt, c->ints, c->aints, c->types) !=
            MPI_SUCCESS) {
        c->nt = 0;
        return false;
    }
    return true;
}

static bool is_named(MPI_Datatype type)
{
    int ni, na, nt, combiner;
    return PMPI_Type_get_envelope(type, &ni, &na, &nt, &combiner) == MPI_SUCCESS &&
           combiner == MPI_COMBINER_NAMED;
}

static void drop_contents(contents *c)
{
    for (int i = 0; c->types && i < c->nt; i++)
        if (!is_named(c->types[i]))
            atn_real_type_free(&c->types[i]);
    free(c->ints);
    free(c->aints);
    free(c->types);
}

static bool in_order(MPI_Datatype type);

/* indexed, hindexed and struct: blocks must follow each other without a gap. */
static bool blocks_in_order(const contents *c)
{
    const int n = c->ints[0];
    MPI_Aint at = 0;

    for (int i = 0; i < n; i++) {
        const MPI_Datatype type = c->types[c->combiner == MPI_COMBINER_STRUCT ? i : 0];
        int size = 0;
        if (PMPI_Type_size(type, &size) != MPI_SUCCESS || !in_order(type))
            return false;
        const MPI_Aint begins =
            c->combiner == MPI_COMBINER_INDEXED ? (MPI_Aint)c->ints[1 + n + i] * size : c->aints[i];
        if (c->ints[1 + i] > 0 && begins != at)
            return false;
        at += (MPI_Aint)c->ints[1 + i] * size;
    }
    return true;
}

static bool contents_in_order(const contents *c)
{
    switch (c->combiner) {
    case MPI_COMBINER_NAMED:
        return true;
    case MPI_COMBINER_DUP:
    case MPI_COMBINER_RESIZED:
    case MPI_COMBINER_CONTIGUOUS:
        return in_order(c->types[0]);
    case MPI_COMBINER_VECTOR:
        return (c->ints[0] <= 1 || c->ints[1] == c->ints[2]) && in_order(c->types[0]);
    case MPI_COMBINER_INDEXED:
    case MPI_COMBINER_HINDEXED:
    case MPI_COMBINER_STRUCT:
        return blocks_in_order(c);
    default:
        return false;
    }
}

/* Whether the type's data are its first `size` bytes, in order, with nothing after them. */
static bool in_order(MPI_Datatype type)
{
    contents c = {0};
    MPI_Aint lb, extent, true_lb, true_extent;
    int size = 0;
    bool ok = PMPI_Type_size(type, &size) == MPI_SUCCESS &&
              PMPI_Type_get_extent(type, &lb, &extent) == MPI_SUCCESS &&
              PMPI_Type_get_true_extent(type, &true_lb, &true_extent) == MPI_SUCCESS;

    ok = ok && size == extent && lb == 0 && true_lb == 0 && true_extent == extent;
    if (ok) {
        ok = get_contents(type, &c) && contents_in_order(&c);
        drop_contents(&c);
    }
    return ok;
}

bool atn_exec_type_query(MPI_Datatype type, atn_type *type_p)
{
    MPI_Count size, lb, extent, true_lb, true_extent;

    if (type == MPI_DATATYPE_NULL || PMPI_Type_size_x(type, &size) != MPI_SUCCESS ||
        PMPI_Type_get_extent_x(type, &lb, &extent) != MPI_SUCCESS ||
        PMPI_Type_get_true_extent_x(type, &true_lb, &true_extent) != MPI_SUCCESS || size < 0)
        return false;
    *type_p = (atn_type){
        .size = size,
        .extent = extent,
        .true_lb = true_lb,
        .true_extent = true_extent,
        .contiguous = size == 0 || in_order(type),
        .named = is_named(type),
    };
    return true;
}
