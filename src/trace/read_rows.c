/* read_rows.c - sizes of the blocks of irregular calls. */
#include <stdlib.h>
#include <string.h>

#include "trace/read_private.h"

void atn_trace_rows_free(atn_trace_rank *rank)
{
    for (int i = 0; i < rank->rows.n; i++)
        free(rank->rows.v[i].bytes);
    atn_vec_free(&rank->rows);
}

bool atn_trace_take_row(atn_trace_file *raw, const atn_trace_block *block, atn_bytes *b)
{
    const uint64_t op = atn_trace_get_varint(b), comm = atn_trace_get_varint(b),
                   n = atn_trace_get_varint(b);
    if (b->bad || op >= sizeof raw->ops || comm > INT32_MAX || n > (uint64_t)(b->stop - b->at))
        return false;
    atn_trace_row row = {.since = block->base,
                         .comm = (int32_t)comm,
                         .n = (int32_t)n,
                         .op = raw->ops[op],
                         .bytes = malloc(((size_t)n + 1) * sizeof *row.bytes)};
    for (int i = 0; i < row.n && row.bytes != NULL; i++)
        row.bytes[i] = (int64_t)atn_trace_get_varint(b);
    if (row.bytes != NULL && !b->bad && atn_push(&raw->r.rows, row))
        return true;
    free(row.bytes);
    return false;
}

/* Rows are in the order of time, and so are calls, but for those of other threads. */
void atn_trace_find_rows(atn_trace_file *raw)
{
    const atn_trace_row *const rows = raw->r.rows.v;
    int latest[256], next = 0;
    memset(latest, -1, sizeof latest);
    for (int i = 0; i < raw->r.events.n && raw->r.rows.n > 0; i++) {
        atn_trace_event *const e = &raw->r.events.v[i];
        for (; next < raw->r.rows.n && rows[next].since <= e->enter; next++)
            latest[rows[next].op] = next;
        const int k = latest[e->op];
        if (k >= 0 && e->depth == 0 && rows[k].comm == e->comm && rows[k].n > 0)
            e->row = k;
    }
}
