/* live.h - what a writer has in hand, in memory that is a file beside the trace: what a process did
 * is there whatever becomes of it, and costs no more than other memory. */
#ifndef ATN_TRACE_LIVE_H
#define ATN_TRACE_LIVE_H

#include "trace/format.h"

/* All that is written to when a call repeats one of the block in hand, in one line of the cache:
 * programs need the cache for themselves, so most calls find it without our data. */
typedef struct {
    _Alignas(64) uint8_t *at; /* where the next record goes */
    const uint8_t *full;      /* behind it there is no room, or nothing may be written */
    int64_t last;             /* end of the record before */
    int64_t ended;            /* of the program's call before, in its first thread */
    int64_t until;            /* the block waits no longer for the disk */
    int64_t events;
    uint32_t records; /* of the block */
    uint32_t requests;
    uint32_t epoch; /* numbers of signatures are void when it has changed */
} atn_trace_hand;

enum { ATN_TRACE_DEFINITIONS_ROOM = 8 << 10 };

/* The block of events that is being filled, and definitions that are not on the disk yet.  Numbers
 * and addresses are the machine's own. */
typedef struct {
    atn_trace_hand hand;
    uint64_t mark; /* tells layout and order of bytes */
    uint64_t job;
    atn_trace_block block; /* its base and request */
    const uint8_t *first;  /* where its payload begins in the process */
    uint32_t defined;      /* definitions */
    uint32_t defining;     /* their bytes */
    uint8_t definitions[ATN_TRACE_DEFINITIONS_ROOM];
    uint8_t room[ATN_TRACE_BLOCK_ROOM];
} atn_trace_live;

#define ATN_TRACE_LIVE ".live" /* behind the name of the trace */

/* Beside the trace at `path`; plain memory where there can be no such file, or for no path.  NULL:
 * no memory. */
atn_trace_live *atn_live_make(const char *path);
/* Removes the file, too: the trace has all. */
void atn_live_free(atn_trace_live *live, const char *path);

/* What was in hand when a process ended, for readers; NULL: there is nothing that can be used.
 * The caller frees. */
atn_trace_live *atn_live_read(const char *path);
/* Bytes of its payload. */
uint32_t atn_live_bytes(const atn_trace_live *live);

#endif
