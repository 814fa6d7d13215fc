/* message.h - a staged message: received, but not yet delivered to the application. */
#ifndef ATN_STAGER_MESSAGE_H
#define ATN_STAGER_MESSAGE_H

#include "stager/stager.h"

typedef struct {
    atn_staged head;     /* first member: the part that the queue uses */
    MPI_Status status;   /* of the probe that matched it; receives return it */
    MPI_Request request; /* MPI_REQUEST_NULL: transfer complete */
    int code;            /* error code of receiving it */
    MPI_Comm comm;
    char bytes[];
} atn_staged_message;

/* The receive buffer of the application. */
typedef struct {
    void *buf;
    MPI_Count count;
    MPI_Datatype type;
    MPI_Comm comm; /* whose error handler is called */
} atn_receive_buffer;
#define ATN_BUFFER(buf, count, type, comm) (&(const atn_receive_buffer){buf, count, type, comm})

/* Whether the transfer is complete. */
bool atn_stager_staged_test(atn_staged_message *m);
void atn_stager_staged_get_status(const atn_staged_message *m, MPI_Status *status);
/* Copies the message to the buffer and frees it; returns errors without calling a handler. */
int atn_stager_staged_deliver(atn_staged_message *m, const atn_receive_buffer *b);
/* Completes a blocking receive. */
int atn_stager_staged_receive(atn_staged_message *m, const atn_receive_buffer *b,
                              MPI_Status *status);
void atn_stager_staged_free(atn_staged_message *m);

#endif
