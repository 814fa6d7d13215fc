/* context.c - see context.h. */
#include "pmpi/comm/context.h"

enum { DEPTH = 64 };

_Thread_local uint64_t atn_comm_context;
static _Thread_local uint64_t outer_contexts[DEPTH];
static _Thread_local int depth; /* may exceed DEPTH: deeper contexts are not distinguished */

uint64_t atn_comm_context_within(uint64_t outer, const void *name, size_t bytes)
{
    return atn_hash(name, bytes, outer + 1) | 1;
}

static void enter(uint64_t context)
{
    atn_comm_context = context;
    atn_pmpi_next_epoch();
}

void atn_comm_context_push(const void *name, size_t bytes)
{
    if (depth < DEPTH) {
        outer_contexts[depth] = atn_comm_context;
        enter(atn_comm_context_within(atn_comm_context, name, bytes));
    }
    depth++;
}

void atn_comm_context_pop(void)
{
    if (depth > 0 && --depth < DEPTH)
        enter(outer_contexts[depth]);
}

uint64_t atn_comm_context_of(const atn_comm *c)
{
    return c->context == 0
               ? atn_comm_context
               : atn_comm_context_within(atn_comm_context, &c->context, sizeof c->context);
}
