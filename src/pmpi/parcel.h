/* parcel.h - what rank 0 reads for all in MPI_Init: settings, rules, wisdom, topology, machine.
 * All of it travels in one broadcast, whose size the first ballot tells. */
#ifndef ATN_PARCEL_H
#define ATN_PARCEL_H

#include "pmpi/job.h"

enum {
    ATN_PART_SETTINGS,
    ATN_PART_RULES,
    ATN_PART_WISDOM,
    ATN_PART_TOPOLOGY, /* with its final zero; empty: none */
    ATN_PART_MACHINE,  /* empty: the built-in one */
    ATN_PARTS
};

typedef struct {
    int64_t size[ATN_PARTS];
    int64_t meets; /* whether ranks tell each other where they are */
} atn_parcel_head;

typedef struct {
    atn_parcel_head head;
    const char *part[ATN_PARTS];
    char *bytes; /* the head and all parts; NULL: no memory */
} atn_parcel;

/* Rank 0: reads it all and opens it; the bytes to send, -1 when it failed, which was said. */
int64_t atn_parcel_read(atn_job *job, atn_parcel *q);
/* Collective: rank 0's parcel on all ranks, opened.  False: not on this one; the head is there. */
bool atn_parcel_share(atn_job *job, int64_t bytes, atn_parcel *q);
void atn_parcel_free(atn_parcel *q);

#endif
