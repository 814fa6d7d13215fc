/* rows.c - see rows.h. */
#include "tracer/rows.h"

#include <stdlib.h>

enum { MOST_ROWS = 1 << 14 }; /* of a rank */

/* Of each operation: a hash of the last row; 0: there is none. */
static uint64_t latest[ATN_TRACE_OPS];
static int rows;

static uint64_t hash_of(const atn_traced_counts *x)
{
    uint64_t hash = ATN_KEY(x->type) + 1;
    for (int i = 0; i < x->n; i++) {
        const uint64_t type = x->types != NULL ? ATN_KEY(x->types[i]) : 0;
        hash = (hash ^ (uint64_t)atn_tracer_count(x->counts, x->wide, i) ^ type << 40) *
               UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 29;
    }
    return hash | 1;
}

static void write_row(atn_trace_op op, const atn_traced_comm *c, const atn_traced_counts *x,
                      int64_t enter)
{
    int64_t *const sizes = rows < MOST_ROWS ? malloc(sizeof *sizes * (size_t)(x->n + 1)) : NULL;
    for (int i = 0; i < x->n && sizes != NULL; i++) {
        const int64_t count = atn_tracer_count(x->counts, x->wide, i);
        const MPI_Datatype type = x->types != NULL ? x->types[i] : x->type;
        sizes[i] = count > 0 ? count * atn_tracer_find_type(type)->bytes : 0;
    }
    atn_trace_write_row(atn_tracer_rec.writer, enter, op, c->number, sizes,
                        sizes != NULL ? x->n : 0);
    free(sizes);
}

/* In allgatherv all ranks have the same row.  Beyond the limit, one that is empty replaces the last
 * one. */
void atn_tracer_put_row(atn_trace_op op, MPI_Comm comm, const atn_traced_counts *x, int64_t enter)
{
    if (comm != MPI_COMM_WORLD || rows > MOST_ROWS || x->counts == NULL)
        return;
    const uint64_t hash = hash_of(x);
    if (hash == latest[op])
        return;
    const atn_traced_comm *const c = atn_tracer_find_comm(comm);
    const bool line = op == ATN_TRACE_ALLGATHERV || op == ATN_TRACE_IALLGATHERV;
    latest[op] = hash;
    if (line && c->r > 0)
        return;
    write_row(op, c, x, enter);
    rows++;
}
