/* staging.h - messages that were received before the program asked for them: which of them a
 * receive gets, and how many there may be.  Knows no MPI.
 *
 * A queue holds the messages of one communicator in the order in which they were taken.  From each
 * sender the oldest one is always taken first, so all of a sender's messages in the queue are
 * older than any that the MPI library still has.  A receive therefore gets the first message of
 * the queue that fits it, and goes to the library only when none does. */
#ifndef ATN_PREDICT_STAGING_H
#define ATN_PREDICT_STAGING_H

#include "base/base.h"

enum { ATN_STAGED_ANY = -1 }; /* source or tag of a receive that takes any */

/* The head of a message; whoever makes it has the rest behind it. */
typedef struct atn_staged {
    struct atn_staged *next;
    int source, tag;
    int64_t bytes;
} atn_staged;

/* Starts as {0}. */
typedef struct {
    atn_staged *first, *last;
} atn_staging;

/* What all queues together may hold. */
typedef struct {
    int64_t limit, bytes, most; /* bytes: now; most: ever */
    int messages;
} atn_staging_room;

/* Messages without content take room too, so that there is an end to them. */
enum { ATN_STAGING_HEAD = 256 };

bool atn_staging_fits(const atn_staging_room *r, int64_t bytes);
/* `m` has its source, tag and bytes. */
void atn_staging_add(atn_staging *s, atn_staging_room *r, atn_staged *m);
/* The message that a receive or probe gets; NULL: none of these. */
atn_staged *atn_staging_find(const atn_staging *s, int source, int tag);
/* Out of the queue; it keeps its room until atn_staging_leave. */
void atn_staging_take(atn_staging *s, atn_staged *m);
void atn_staging_leave(atn_staging_room *r, const atn_staged *m);
/* How many messages such a receive could get. */
int atn_staging_count(const atn_staging *s, int source, int tag);

#endif
