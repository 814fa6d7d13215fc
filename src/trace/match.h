/* match.h - which receive took which message.
 *
 * Messages of one sender to one receiver with the same communicator and tag arrive in the order in
 * which they were sent, and receives take them in the order in which they were posted; receives
 * from anybody count for the sender that they found. */
#ifndef ATN_TRACE_MATCH_H
#define ATN_TRACE_MATCH_H

#include "trace/trace.h"

typedef struct {
    int from, to;      /* ranks */
    int send, receive; /* events of them */
    int64_t completed; /* when the receiver had it: end of the receive, or of its wait */
    int64_t awaited;   /* when the receiver asked for it: begin of the receive, or of its wait */
} atn_trace_message;

typedef struct {
    ATN_VEC(atn_trace_message) v; /* by sender, then in the order sent */
    int64_t sends, receives; /* of those some have no match: ranks missing, senders not known */
} atn_trace_messages;

atn_status atn_trace_match(const atn_trace *t, atn_trace_messages *m_p, atn_error *err);
void atn_trace_messages_free(atn_trace_messages *m);

#endif
