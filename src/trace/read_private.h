/* read_private.h - the file of a rank while it is read, with the numbers of that file. */
#ifndef ATN_TRACE_READ_PRIVATE_H
#define ATN_TRACE_READ_PRIVATE_H

#include "trace/trace.h"

typedef struct {
    uint64_t id;
    int size, own, number;
    int *ranks; /* NULL: another rank records them */
} atn_trace_file_comm;

typedef struct {
    int number;
    int64_t bytes;
    char *name;
} atn_trace_file_type;

typedef struct {
    int number;
    char *path;
} atn_trace_file_module;

typedef struct {
    int number, module;
    uint64_t offset;
} atn_trace_file_site;

typedef struct {
    char *path;
    const char *name; /* the last part of it */
    uint64_t job;
    int rank, ranks;
    int64_t wall_ns;
    bool started;       /* the header was found */
    int64_t lost;       /* number of damaged blocks */
    bool cut;           /* the last block is truncated */
    int64_t backwards;  /* the first event at which the clock went back; -1: none */
    int version;        /* of the file */
    int64_t base;       /* of its last block of events; -1: none */
    uint8_t ops[256];   /* numbers of the file -> atn_trace_op */
    uint8_t flags[256]; /* flags of these operations */
    ATN_VEC(atn_trace_file_comm) comms;
    ATN_VEC(atn_trace_file_type) types;
    ATN_VEC(atn_trace_file_module) modules;
    ATN_VEC(atn_trace_file_site) sites;
    atn_trace_rank r; /* events with the numbers of the file and the times of the rank */
} atn_trace_file;

/* read_rows.c: reads a row of sizes; false: damaged, or no memory.  When all blocks were read,
 * finds the rows of events. */
bool atn_trace_take_row(atn_trace_file *raw, const atn_trace_block *block, atn_bytes *b);
void atn_trace_find_rows(atn_trace_file *raw);

/* ATN_INPUT: not a trace, or nothing of it is usable. */
atn_status atn_trace_file_read(const char *path, atn_trace_file *raw_p, atn_error *err);
void atn_trace_file_free(atn_trace_file *raw);

#endif
