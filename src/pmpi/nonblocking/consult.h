/* consult.h - all ranks of a communicator consult rank 0, and none waits for the answer.
 *
 * The maxima and sums of some numbers travel to rank 0 along a binomial tree, and its answer, a
 * text, back.  Every rank calls atn_nonblocking_consult at the same collective call; afterwards
 * atn_nonblocking_consult_advance, from anywhere inside of MPI, makes progress. */
#ifndef ATN_PMPI_NONBLOCKING_CONSULT_H
#define ATN_PMPI_NONBLOCKING_CONSULT_H

#include <mpi.h>

#include "tune/order.h"

/* The first ones become their maxima, the others their sums. */
enum { ATN_CONSULT_MAXIMA = 3, ATN_CONSULT_NUMBERS = 5 };

typedef struct atn_consultation {
    MPI_Comm comm;
    int p, r, tag;
    int children;
    int64_t numbers[ATN_CONSULT_NUMBERS];
    char text[ATN_ORDER_TEXT];
    int stage;
    bool answered; /* the text has arrived */
    int code;      /* of MPI */
    int open;      /* requests of the stage */
    MPI_Request requests[32];
    int64_t from[32][ATN_CONSULT_NUMBERS];
    /* On rank 0: writes the text. */
    void (*answer)(void *context, const int64_t numbers[ATN_CONSULT_NUMBERS], char *text);
    void *context;
} atn_consultation;

/* Begins; comm, p, r, tag, numbers, answer and context have been set. */
void atn_nonblocking_consult(atn_consultation *x);
/* Advances; true: it has ended, and its memory may be used for another one. */
bool atn_nonblocking_consult_advance(atn_consultation *x);

#endif
