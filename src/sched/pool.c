/* pool.c - see builder.h: builders are used again, with the memory of their arrays. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "sched/builder_private.h"

/* Builders nest where an algorithm is the reverse of another one; entries of an array. */
enum { KEPT = 4, MOST = 1 << 16 };
static _Thread_local struct {
    int depth, n;
    atn_builder *v[KEPT];
} pool;

static void destroy(atn_builder *b)
{
    atn_vec_free(&b->ops);
    atn_vec_free(&b->ranges);
    atn_vec_free(&b->after);
    atn_vec_free(&b->tmp_shape);
    atn_vec_free(&b->regions);
    atn_vec_free(&b->ends);
    free(b);
}

/* The text of an error is long, and is not read before it is set. */
static atn_builder *new_builder(void)
{
    atn_builder *const b = malloc(sizeof *b);
    if (b != NULL)
        memset(b, 0, offsetof(atn_builder, err));
    return b;
}

void atn_builder_pool_open(void) { pool.depth++; }

void atn_builder_pool_close(void)
{
    if (--pool.depth > 0)
        return;
    while (pool.n > 0)
        destroy(pool.v[--pool.n]);
}

bool atn_sched_pool_is_open(void) { return pool.depth > 0; }

atn_builder *atn_sched_pool_take(void)
{
    atn_builder *const b = pool.n > 0 ? pool.v[--pool.n] : new_builder();
    if (b == NULL)
        return NULL;
    b->ops.n = b->ranges.n = b->after.n = b->tmp_shape.n = b->regions.n = b->ends.n = 0;
    memset(&b->q, 0, offsetof(atn_builder, err) - offsetof(atn_builder, q));
    b->err.status = ATN_OK;
    return b;
}

void atn_builder_free(atn_builder *b)
{
    const bool kept = b && pool.depth > 0 && pool.n < KEPT && b->ops.cap <= MOST &&
                      b->ranges.cap <= MOST && b->tmp_shape.cap <= MOST && b->ends.cap <= MOST;
    if (kept)
        pool.v[pool.n++] = b;
    else if (b)
        destroy(b);
}
