/* staging.h - queues of staged messages, without MPI: messages received before the application
 * posts a receive for them.  Decides which message a receive gets and limits the memory in use.
 *
 * A queue holds the messages of one communicator in the order of arrival.  The messages of a sender
 * are always taken from the MPI library oldest first, so those in the queue are older than any that
 * the library still holds.  A receive therefore gets the first message of the queue that matches,
 * and is passed to the library only if none does. */
#ifndef ATN_PREDICT_STAGING_H
#define ATN_PREDICT_STAGING_H

#include "base/base.h"

enum { ATN_STAGED_ANY = -1 }; /* any source or any tag */

/* The head of a message; the owner stores the content behind it. */
typedef struct atn_staged {
    struct atn_staged *next;
    int source, tag;
    int64_t bytes;
} atn_staged;

/* Initialise to {0}. */
typedef struct {
    atn_staged *first, *last;
} atn_staging;

/* The limit for all queues together. */
typedef struct {
    int64_t limit, bytes, most; /* bytes in use; most: the maximum so far */
    int messages;
} atn_staging_room;

/* Charged for each message, so that empty messages are limited too. */
enum { ATN_STAGING_HEAD = 256 };

bool atn_predict_staging_fits(const atn_staging_room *r, int64_t bytes);
/* `m` has its source, tag and bytes. */
void atn_predict_staging_add(atn_staging *s, atn_staging_room *r, atn_staged *m);
/* The message that a receive or probe gets; NULL: none matches. */
atn_staged *atn_predict_staging_find(const atn_staging *s, int source, int tag);
/* Removes it from the queue; its memory stays charged until atn_predict_staging_leave. */
void atn_predict_staging_take(atn_staging *s, atn_staged *m);
void atn_predict_staging_leave(atn_staging_room *r, const atn_staged *m);
/* The number of messages that match a receive. */
int atn_predict_staging_count(const atn_staging *s, int source, int tag);

#endif
