/* request.h - all ranks of a communicator request an answer; rank 0 works on it and distributes it.
 *
 * All ranks make the request at the same call.  Either they wait for the answer there, or none
 * waits: after a call they begin to distribute it, and complete that in a later one, which depends
 * only on numbers of calls; if rank 0 has no answer by then, they receive that. */
#ifndef ATN_TUNE_DRIVERS_REQUEST_H
#define ATN_TUNE_DRIVERS_REQUEST_H

#include <mpi.h>

#include "tune/budget.h"
#include "tune/candidate_set.h"

typedef enum {
    ATN_ADVICE_LATER,    /* native; there is no answer yet */
    ATN_ADVICE_ARRIVALS, /* native; next advice at the next call, which times arrivals */
    ATN_ADVICE_SKETCH,   /* native; the network is measured now, next advice at the next call */
    ATN_ADVICE_FIXED,    /* the first candidate, for good */
    ATN_ADVICE_RACE      /* a tuner with these candidates */
} atn_advice;

typedef struct {
    int64_t advice;
    int64_t bytes;                           /* of the text; 0: none */
    int64_t pause;                           /* without text: calls until the next request */
    int64_t seen_ps, passed_ns, overhead_ns; /* on rank 0, see driver.h */
    atn_deferral off;
} atn_answer;

typedef struct {
    MPI_Request active; /* MPI_REQUEST_NULL: nothing is being distributed */
    /* These belong to MPI meanwhile. */
    atn_answer answer;
    char text[]; /* its candidates: at most ATN_SET_TEXT bytes */
} atn_advice_request;

/* With room for all candidates. */
typedef union {
    atn_advice_request request;
    char room[sizeof(atn_advice_request) + ATN_SET_TEXT];
} atn_large_request;

/* On rank 0: the answer, with these candidates. */
void atn_tune_request_answer(atn_advice_request *x, atn_advice advice,
                             const atn_candidate_set *set);
/* Begins to distribute the answer with the first bytes of its text; completes that; or both, where
 * all ranks wait for rank 0.  Return an MPI error code. */
int atn_tune_request_begin(atn_advice_request *x, int bytes, MPI_Comm comm);
int atn_tune_request_end(atn_advice_request *x);
int atn_tune_request_wait(atn_advice_request *x, int bytes, MPI_Comm comm);

/* The real MPI_Ibcast; set it where it is interposed. */
extern int (*atn_real_ibcast)(void *buf, int count, MPI_Datatype type, int root, MPI_Comm comm,
                              MPI_Request *request);

#endif
