/* comms.h - the communicators of the application, with their queues of staged messages. */
#ifndef ATN_STAGER_COMMS_H
#define ATN_STAGER_COMMS_H

#include "stager/stager.h"

typedef struct atn_stager_comm {
    struct atn_stager_comm *next;
    MPI_Comm comm; /* MPI_COMM_NULL: freed; only persistent receives still refer to it */
    int64_t id;
    int p, r;
    int *world;   /* ranks in MPI_COMM_WORLD; NULL if one is not in it: then nothing is staged */
    bool foreign; /* created by a library, not by the application */
    int persistent_receives;
    atn_staging queue;
} atn_stager_comm;

bool atn_stager_comms_init(void);
/* `from`: return address of the call.  NULL: nothing is staged on this communicator. */
atn_stager_comm *atn_stager_comm_find(MPI_Comm comm, const void *from);
atn_stager_comm *atn_stager_comm_by_id(int64_t id);
/* A persistent receive is freed. */
void atn_stager_comm_release(atn_stager_comm *c);

#endif
