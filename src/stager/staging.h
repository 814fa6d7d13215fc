/* staging.h - predicts the next receives, stages their messages, and matches receives with them. */
#ifndef ATN_STAGER_STAGING_H
#define ATN_STAGER_STAGING_H

#include "stager/comms.h"
#include "stager/message.h"

/* The predictors of sends and receives; NULL: out of memory. */
atn_online *atn_stager_predictor(void);

/* At the start and end of each call.  The outermost call stages predicted messages at its end. */
void atn_stager_enter(void);
int atn_stager_leave(int code);
/* The application is about to receive: trains the predictor, and removes the message that matches
 * from the queue.  NULL: none is staged, the real routine receives. */
atn_staged_message *atn_stager_match(int source, int tag, MPI_Comm comm, const void *from);
atn_staged_message *atn_stager_match_on(atn_stager_comm *c, int source, int tag, const void *from);
/* For probes: the message stays in the queue, and the predictor is not trained. */
const atn_staged_message *atn_stager_probe(int source, int tag, MPI_Comm comm, const void *from);
/* The application announces its next receive or send. */
void atn_stager_hint_recv(int tag);
void atn_stager_hint_send(int tag);
void atn_stager_note_send(int dest, int tag, MPI_Comm comm, const void *from);

#endif
