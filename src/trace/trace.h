/* trace.h - a recorded job in memory: the calls of every rank, on one clock.
 *
 *   atn_trace *t;
 *   if (atn_trace_read("traces", ATN_TRACE_WHOLE, &t, err) == ATN_OK) {
 *       for (int r = 0; r < t->p; r++)
 *           for (int i = 0; i < t->ranks[r].events.n; i++)
 *               use t->ranks[r].events.v[i]
 *       atn_trace_free(t);
 *   }
 *
 * Events of a rank are in the order in which their calls ended; parts (the receive of a sendrecv, a
 * request that a wait completed) follow their call and have its times.  No MPI, no clock. */
#ifndef ATN_TRACE_TRACE_H
#define ATN_TRACE_TRACE_H

#include "trace/format.h"

typedef struct {
    int64_t enter, exit; /* ns on rank 0's clock, since the first call of the job */
    int64_t count;       /* elements: argument of the call */
    int64_t bytes;   /* sent, or room to receive; COLL: the message, or the block of each rank or
                            pair; v-operations: the sum over this rank's blocks */
    uint64_t buffer; /* address, where a message is sent from or received to; 0: none */
    int32_t partner; /* rank of MPI_COMM_WORLD, or NO_RANK, ANY, NULL, FOREIGN; COLL: the root.
                            Receive with a wildcard: the sender, if recorded */
    int32_t tag;     /* or NO_TAG, ANY_TAG; receive: the sender's, if recorded */
    int32_t comm, type, site; /* in the tables of the trace; -1: none */
    uint32_t request; /* STARTS: made by this call; DONE: completed; the rank's own numbers from
                            1; 0: none */
    int32_t row;      /* sizes of its blocks, in `rows` of the rank; -1: not recorded */
    uint8_t op;       /* atn_trace_op */
    uint8_t depth;    /* 0: call of the program; 1: message inside of a collective */
    uint8_t thread;
    uint8_t flags; /* ATN_TRACE_ANY_SOURCE_POSTED, ATN_TRACE_ANY_TAG_POSTED */
} atn_trace_event;

static inline atn_trace_class atn_trace_class_of(const atn_trace_event *e)
{
    return atn_trace_op_get((atn_trace_op)e->op)->class;
}
static inline bool atn_trace_is_part(const atn_trace_event *e)
{
    return (atn_trace_op_get((atn_trace_op)e->op)->flags & ATN_TRACE_PART) != 0;
}
static inline bool atn_trace_starts(const atn_trace_event *e)
{
    return (atn_trace_op_get((atn_trace_op)e->op)->flags & ATN_TRACE_STARTS) != 0;
}

/* `offset`: clock of rank 0 minus that of the rank, at time `at` of the rank; `within`:
 * uncertainty. */
typedef struct {
    int64_t at, offset, within;
} atn_trace_sync;

/* One message of that size, one way, between rank 0 and the last rank. */
typedef struct {
    int64_t bytes, ns;
} atn_trace_time;

/* Sizes of the blocks to all ranks (alltoallv, alltoallw), or on rank 0 of all (allgatherv). */
typedef struct {
    int64_t since; /* time of the rank's own clock from which on they hold */
    int32_t comm;  /* its number in the file */
    int32_t n;
    uint8_t op;
    int64_t *bytes;
} atn_trace_row;

typedef struct {
    bool present;  /* its file exists and is usable */
    bool finished; /* MPI_Finalize was recorded */
    char *file, *host, *program, *library, *clock;
    int pid;
    double inside_ns, around_ns; /* overhead: within the time of a call, and outside of it */
    int64_t dropped;             /* calls not recorded: limit, or full disk */
    int64_t polls, polls_ns;     /* unsuccessful tests and probes */
    ATN_VEC(atn_trace_sync) syncs;
    ATN_VEC(atn_trace_time) times; /* rank 0's, measured in MPI_Finalize; by size */
    ATN_VEC(atn_trace_event) events;
    ATN_VEC(atn_trace_row) rows;
} atn_trace_rank;

void atn_trace_rows_free(atn_trace_rank *rank);

typedef struct {
    uint64_t id; /* equal on all its ranks */
    int size;
    int *ranks; /* of MPI_COMM_WORLD; NULL: the rank that records them is missing */
} atn_trace_comm;

typedef struct {
    char *module;
    uint64_t offset;
} atn_trace_site;

typedef struct {
    char *name; /* "": has none */
    int64_t bytes;
} atn_trace_type;

/* A defect of a file, and the part of it that is usable. */
typedef struct {
    char text[480];
} atn_trace_problem;

typedef struct {
    char *where; /* the folder */
    uint64_t job;
    int64_t wall_ns; /* time of day at its start */
    int p;
    int64_t end; /* of the last call */
    atn_trace_rank *ranks;
    ATN_VEC(atn_trace_comm) comms; /* 0: MPI_COMM_WORLD, unless it was not used */
    ATN_VEC(atn_trace_site) sites;
    ATN_VEC(atn_trace_type) types;
    ATN_VEC(atn_trace_problem) problems;
} atn_trace;

typedef enum {
    ATN_TRACE_WHOLE,  /* any problem is an error; its text states the usable part */
    ATN_TRACE_PARTIAL /* read the usable part and list the problems */
} atn_trace_how;

/* Problems: a truncated or damaged file, a missing or duplicate rank, ranks of different jobs, a
 * clock jump, a job without MPI_Finalize, dropped calls. */
atn_status atn_trace_read(const char *folder, atn_trace_how how, atn_trace **t_p, atn_error *err);
void atn_trace_free(atn_trace *t);

/* "MPI_COMM_WORLD", "comm 3"; "app+0x1f32"; "MPI_INT", "type of 12 bytes".  `out` is returned. */
const char *atn_trace_comm_name(const atn_trace *t, int comm, char *out, size_t size);
const char *atn_trace_site_name(const atn_trace *t, int site, char *out, size_t size);
const char *atn_trace_type_name(const atn_trace *t, int type, char *out, size_t size);
/* "3", "any", "null", "foreign", "-". */
const char *atn_trace_partner_name(int partner, char out[16]);

/* Seconds of one message, interpolated from the measurements of the job.  0: there are none (one
 * rank, or killed). */
double atn_trace_message_s(const atn_trace *t, int64_t bytes);

/* ---- clocks ---- */

/* Converts a time of a rank to the clock of rank 0, by linear interpolation between comparisons. */
int64_t atn_trace_common_time(const atn_trace_sync *syncs, int n, int64_t local);
/* Whether two comparisons differ by more than their uncertainty and a clock drift of 1 in 1000. */
bool atn_trace_clock_jumped(const atn_trace_sync *syncs, int n);

#endif
