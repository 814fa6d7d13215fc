/* messages.h - the messages of the ranks of a job, as requests for predictors.
 *
 * The symbol of a send is <destination, communicator>; that of a receive, everything that
 * identifies it before it arrives: <source, tag, bytes, datatype, buffer, communicator>. */
#ifndef ATN_RESEARCH_REPLAY_MESSAGES_H
#define ATN_RESEARCH_REPLAY_MESSAGES_H

#include "predict/numbers.h"
#include "predict/predict.h"
#include "research/skeleton/skeleton.h"

typedef enum { ATN_SENDS, ATN_RECEIVES, ATN_DIRECTIONS } atn_direction;

/* A call that sends or receives, without its times.  Names in a trace are numbered per job. */
typedef struct {
    atn_direction side;
    bool hint;   /* announces the site of the next call in `tag` */
    int partner; /* rank of the job, ATN_ANY_PARTNER or ATN_FOREIGN_PARTNER */
    int tag, comm, type;
    int64_t bytes, buffer;
    int site;
} atn_message;

typedef ATN_VEC(atn_message) atn_message_list; /* of a rank, in the order of its calls */

typedef struct {
    char name[64];
    ATN_VEC(atn_message_list) ranks;
} atn_messages;

void atn_replay_messages_free(atn_messages *m);
/* The list of `rank`, created if necessary; NULL: out of memory. */
atn_message_list *atn_replay_messages_of(atn_messages *m, int rank);

/* The requests of one rank and side.  `whole_ranks`: communicators are not distinguished.  A
 * request with a hint has the announced site.  Caller frees. */
atn_status atn_replay_messages_stream(const atn_message_list *list, atn_direction side,
                                      bool whole_ranks, atn_stream *stream_p, atn_error *err);
/* Receives of the job with MPI_ANY_SOURCE. */
int64_t atn_replay_messages_wildcards(const atn_messages *m);

/* ---- sources ---- */

atn_status atn_replay_messages_skeleton(const atn_skeleton *s, int p, int iterations,
                                        atn_messages *m_p, atn_error *err);
/* Comma-separated values with a heading: rank, op and partner, and any of tag, bytes, comm, type,
 * buffer, site and depth.  The tags of pre_send and pre_recv are hints.  Other columns are ignored,
 * and so are calls without a message and calls inside a collective (a depth other than 0).
 * Modifies `text`. */
atn_status atn_replay_messages_parse(char *text, const char *origin, atn_messages *m_p,
                                     atn_error *err);
/* Writes this format. */
void atn_replay_messages_write(FILE *f, const atn_messages *m);

extern const char *const atn_replay_direction_names[];

#endif
