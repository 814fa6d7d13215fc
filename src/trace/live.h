/* live.h - the current block of a writer, in a memory-mapped file beside the trace: it survives the
 * process, at the cost of plain memory. */
#ifndef ATN_TRACE_LIVE_H
#define ATN_TRACE_LIVE_H

#include "trace/format.h"

/* All fields that recording a repeated call changes, in one cache line: the program needs the cache
 * for itself, so most calls find this data uncached. */
typedef struct {
    _Alignas(64) uint8_t *at; /* address of the next record */
    const uint8_t *full;      /* limit for `at`: no room above, or nothing may be written */
    int64_t last;             /* end of the previous record */
    int64_t ended;            /* end of the previous call of the program, in its first thread */
    int64_t until;            /* time at which the block is written at the latest */
    int64_t events;
    uint32_t records; /* of the block */
    uint32_t requests;
    uint32_t epoch; /* a change invalidates the numbers of signatures */
} atn_trace_cursor;

enum { ATN_TRACE_DEFINITIONS_ROOM = 8 << 10 };

/* The current block of events, and definitions that are not yet written.  In native byte order,
 * with addresses of the process. */
typedef struct {
    atn_trace_cursor cursor;
    uint64_t mark; /* identifies layout and byte order */
    uint64_t job;
    atn_trace_block block; /* its base and request */
    const uint8_t *first;  /* address of its payload in the process */
    uint32_t defined;      /* definitions */
    uint32_t defining;     /* their bytes */
    uint8_t definitions[ATN_TRACE_DEFINITIONS_ROOM];
    uint8_t room[ATN_TRACE_BLOCK_ROOM];
} atn_trace_live;

#define ATN_TRACE_LIVE ".live" /* suffix to the name of the trace */

/* Beside the trace at `path`; plain memory if the file cannot be created or `path` is NULL.  NULL:
 * no memory. */
atn_trace_live *atn_trace_live_make(const char *path);
/* Removes the file, too: the trace is complete. */
void atn_trace_live_free(atn_trace_live *live, const char *path);

/* The current block of a process that has ended; NULL: there is no usable one.  The caller frees
 * it. */
atn_trace_live *atn_trace_live_read(const char *path);
/* Bytes of its payload. */
uint32_t atn_trace_live_bytes(const atn_trace_live *live);

#endif
