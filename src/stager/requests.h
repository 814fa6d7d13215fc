/* requests.h - requests of the application that get staged messages. */
#ifndef ATN_STAGER_REQUESTS_H
#define ATN_STAGER_REQUESTS_H

#include "stager/comms.h"
#include "stager/message.h"

/* Makes a request that delivers the message.  `send`: a request to complete with it, or
 * MPI_REQUEST_NULL; `packed`: its buffer, freed with the request, or NULL. */
int atn_stager_bind(atn_staged_message *m, const atn_receive_buffer *b, MPI_Request send,
                    void *packed, MPI_Request *request);
int atn_stager_add_persistent(atn_stager_comm *c, int source, int tag, const atn_receive_buffer *b,
                              const void *from, MPI_Request handle);
/* Waits for active requests, for at most two seconds. */
void atn_stager_finish_requests(void);

#endif
