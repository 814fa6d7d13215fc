/* microbench.h - microbenchmarks of messages and memory: a pattern that some ranks, the
 * participants, execute together.
 *
 * A repetition executes the pattern `loops` times in a row; its result is the time of one. */
#ifndef ATN_MEASURE_MICROBENCH_H
#define ATN_MEASURE_MICROBENCH_H

#include <mpi.h>

#include "base/base.h"
#include "shm/board.h"

enum { ATN_PARTICIPANTS = 64, ATN_REPETITIONS = 64 };

typedef enum {
    ATN_MB_PING,    /* participant 0 sends, participant 1 answers with the same size */
    ATN_MB_SSEND,   /* participant 0 sends synchronously */
    ATN_MB_RING,    /* each sends to the next one */
    ATN_MB_CROSS,   /* even participants send to the next one, then odd ones */
    ATN_MB_FAN,     /* all send to participant 0 on its request */
    ATN_MB_TRAIN,   /* participant 0 sends `count` messages and gets an answer; time of one */
    ATN_MB_BURST,   /* the same with several messages in flight */
    ATN_MB_SEND,    /* time of the call that sends */
    ATN_MB_RECEIVE, /* time of the call that receives, `delay` after requesting the message */
    ATN_MB_LATE,    /* time of a send whose receive is posted `delay` later */
    ATN_MB_TOKEN,   /* a message goes round; time from one participant to the next */
    ATN_MB_BUSY,    /* a ring with sleeping participants; processor time of one */
    ATN_MB_COPY,    /* memory to memory */
    ATN_MB_PACK,    /* every other number of an array is packed */
    ATN_MB_REDUCE,  /* a kernel of src/kernel: operand `count` */
    /* Through shared memory: microbench_shared.h. */
    ATN_MB_SHARED_COPY,
    ATN_MB_SHARED_SINGLE,
    ATN_MB_SHARED_RING_COPY,
    ATN_MB_SHARED_RING_SINGLE,
    ATN_MB_EXPOSE,
    ATN_MB_EXPOSED,
    ATN_MB_EXPOSED_RING,
    ATN_MB_PATTERNS
} atn_mb_pattern;

typedef struct {
    atn_mb_pattern pattern;
    int n; /* participants */
    int reps, loops, count;
    int64_t bytes;
    double delay;
    uint64_t call; /* number of the first execution, for exposures */
    int rank[ATN_PARTICIPANTS];
} atn_microbench;

/* What a rank needs to take part. */
typedef struct {
    MPI_Comm comm;                /* of the messages */
    bool yield;                   /* ranks outnumber processors */
    bool off_cache;               /* each message uses memory that was not accessed recently */
    char *out, *in;               /* areas of messages */
    size_t area, next;            /* bytes of each; offset of the next message */
    MPI_Datatype scattered;       /* eight of sixteen bytes */
    struct atn_shared *shared;    /* memory shared with ranks of the host; NULL: none */
    uint64_t call;                /* number of the current execution */
    uint32_t owed[ATN_SHM_DEPTH]; /* reads that the last exposure in an entry expects */
} atn_mb_memory;

/* A rank in a pattern. */
typedef struct {
    atn_mb_memory *m;
    const atn_microbench *b;
    int me; /* number of this participant */
} atn_mb_participant;

/* Offset of message `slot` of a pattern in the areas. */
size_t atn_measure_message_at(const atn_mb_participant *x, int slot);

void atn_measure_fill_ones(char *at, size_t bytes); /* with doubles */
/* Before the repetitions: numbers that were reduced often, or as another type, would be slow. */
void atn_measure_microbench_prepare(const atn_mb_memory *m, const atn_microbench *b);
/* One repetition by participant `me`: its seconds; 0 where only another participant measures. */
double atn_measure_microbench_run(atn_mb_memory *m, const atn_microbench *b, int me);

/* "sum.f64" -> number of an operand of REDUCE; -1: none of them. */
int atn_measure_operand_find(const char *name);

#endif
