/* order.h - how ranks execute the next calls of a class: rank 0 tunes, the others follow its
 * orders.
 *
 * The start of a nonblocking call must not wait for other ranks, so that ranks cannot feed equal
 * tuners at equal calls (tuner.h).  Instead rank 0 alone has the tuner; what it decides for a
 * number of calls in advance is an order.  An order begins with untimed calls, then has up to two
 * blocks of timed ones; `grace` calls later the times are added up over all ranks, and some calls
 * after that, ATN_ORDER_AHEAD, the next order begins.  All of these are numbers of calls, which
 * ranks share. */
#ifndef ATN_TUNE_ORDER_H
#define ATN_TUNE_ORDER_H

#include "tune/candidate_set.h"

/* Calls from adding up the times to the next order, for each one of grace: messages travel. */
enum { ATN_ORDER_AHEAD = 3 };
/* Calls after a block before its times are read: calls that were started last may still be open;
 * doubled, up to a maximum, when one was. */
enum { ATN_ORDER_GRACE = 1, ATN_ORDER_GRACE_MOST = 64 };
/* Untimed calls of an order; then rank 0 is requested again. */
#define ATN_ORDER_MOST (INT64_C(1) << 40)

typedef struct {
    atn_choice serve;    /* untimed calls */
    atn_choice timed[2]; /* of the blocks */
    int calls[2];        /* lengths of the blocks; 0: there is none */
    int64_t pause;       /* untimed calls before the blocks; ATN_ORDER_MOST: no order follows */
    int grace;
} atn_call_order;

enum { ATN_ORDER_TEXT = 3 * ATN_NAME_ROOM + 96 };

/* One choice for all calls, until the times of none are added up at call `pause`. */
atn_call_order atn_tune_order_of(const atn_choice *serve, int64_t pause);
/* What serves call number i of the order; *block_p: the block that it is timed for, or -1. */
const atn_choice *atn_tune_order_choice(const atn_call_order *o, int64_t i, int *block_p);
/* The call at which times are added up, and the first one of the next order. */
int64_t atn_tune_order_sums_at(const atn_call_order *o);
int64_t atn_tune_order_end(const atn_call_order *o);

/* On rank 0: the next order of a tuner, which has been fed with the times of the last one. */
atn_call_order atn_tune_order_next(atn_tuner *t, const atn_candidate_set *set, int grace);

/* As text for other ranks; the text is cut in place when it is read.  False: it cannot be read. */
void atn_tune_order_print(const atn_call_order *o, char text[ATN_ORDER_TEXT]);
bool atn_tune_order_read(atn_operation op, char *text, atn_call_order *o_p);

#endif
