/* match.h - matches messages with receives.
 *
 * Messages of one sender to one receiver with the same communicator and tag arrive in the order in
 * which they were sent, and match receives in the order in which these were posted; a receive with
 * a wildcard counts for the sender that it matched. */
#ifndef ATN_TRACE_MATCH_H
#define ATN_TRACE_MATCH_H

#include "trace/trace.h"

typedef struct {
    int from, to;      /* ranks */
    int send, receive; /* index of their events */
    int64_t completed; /* end of the receive, or of its wait */
    int64_t awaited;   /* start of the receive, or of its wait */
} atn_trace_message;

typedef struct {
    ATN_VEC(atn_trace_message) v; /* by sender, then in the order sent */
    int64_t sends, receives; /* including those without a match: missing ranks, unknown senders */
} atn_trace_messages;

atn_status atn_trace_match(const atn_trace *t, atn_trace_messages *m_p, atn_error *err);
void atn_trace_messages_free(atn_trace_messages *m);

#endif
