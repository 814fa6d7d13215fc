/* messages.h - the messages of a job's ranks, and the requests that predictors see in them.
 *
 * The symbol of a send is who gets it: <destination, communicator>.  That of a receive is all that
 * tells one from another before it comes: <source, tag, bytes, datatype, buffer, communicator>. */
#ifndef ATN_PREDICT_MESSAGES_H
#define ATN_PREDICT_MESSAGES_H

#include "predict/numbers.h"
#include "predict/predict.h"
#include "research/skeleton/skeleton.h"

typedef enum { ATN_SENDS, ATN_RECEIVES, ATN_DIRECTIONS } atn_direction;

/* A call that sends or receives, without its times.  Words of a trace are numbered per job. */
typedef struct {
    atn_direction side;
    bool hint;   /* only says where the next one comes from: `tag` stands for the place */
    int partner; /* rank of the job, ATN_ANY_PARTNER or ATN_FOREIGN_PARTNER */
    int tag, comm, type;
    int64_t bytes, buffer;
    int site;
} atn_message;

typedef ATN_VEC(atn_message) atn_message_list; /* of a rank, as its calls came */

typedef struct {
    char name[64];
    ATN_VEC(atn_message_list) ranks;
} atn_messages;

void atn_messages_free(atn_messages *m);
/* Room for `rank`; NULL: out of memory. */
atn_message_list *atn_messages_of(atn_messages *m, int rank);

/* The requests of one rank and side.  `whole_ranks`: all communicators are one.  Those that the
 * program told ahead have the place that it named as their site.  Caller frees. */
atn_status atn_messages_stream(const atn_message_list *list, atn_direction side, bool whole_ranks,
                               atn_stream *stream_p, atn_error *err);
/* Receives of the job that take what comes from anyone. */
int64_t atn_messages_from_anyone(const atn_messages *m);

/* ---- where they come from ---- */

atn_status atn_messages_skeleton(const atn_skeleton *s, int p, int iterations, atn_messages *m_p,
                                 atn_error *err);
/* Comma-separated values with a heading: rank, op and partner, and any of tag, bytes, comm, type,
 * buffer, site and depth.  The tags of pre_send and pre_recv are hints.  Other columns are passed
 * over, and calls that move no message or are inside of a collective (a depth other than 0).
 * `text` is cut. */
atn_status atn_messages_parse(char *text, const char *origin, atn_messages *m_p, atn_error *err);
/* Writes the same. */
void atn_messages_write(FILE *f, const atn_messages *m);

extern const char *const atn_direction_names[];

#endif
