/* read_private.h - a rank's file while it is read: numbers are still the rank's own. */
#ifndef ATN_TRACE_READ_PRIVATE_H
#define ATN_TRACE_READ_PRIVATE_H

#include "trace/trace.h"

typedef struct {
    uint64_t id;
    int size, own, number;
    int *ranks; /* NULL: another rank knows them */
} atn_raw_comm;

typedef struct {
    int number;
    int64_t bytes;
    char *name;
} atn_raw_type;

typedef struct {
    int number;
    char *path;
} atn_raw_module;

typedef struct {
    int number, module;
    uint64_t offset;
} atn_raw_site;

typedef struct {
    char *path;
    const char *name; /* the last part of it */
    uint64_t job;
    int rank, ranks;
    int64_t wall_ns;
    bool started;       /* the header was found */
    int64_t lost;       /* blocks that are damaged */
    bool cut;           /* the last block is not complete */
    int64_t backwards;  /* the event at which the clock went back; -1: it did not */
    int version;        /* of the file */
    int64_t base;       /* of its last block of events; -1: none */
    uint8_t ops[256];   /* the file's numbers to ours */
    uint8_t flags[256]; /* how their records are read */
    ATN_VEC(atn_raw_comm) comms;
    ATN_VEC(atn_raw_type) types;
    ATN_VEC(atn_raw_module) modules;
    ATN_VEC(atn_raw_site) sites;
    atn_trace_rank r; /* events have the file's numbers and the rank's times */
} atn_raw;

/* One file.  ATN_INPUT: it is no trace, or nothing of it can be used. */
atn_status atn_raw_read(const char *path, atn_raw *raw_p, atn_error *err);
void atn_raw_free(atn_raw *raw);

#endif
