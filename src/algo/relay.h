/* relay.h - alltoall through other ranks: fewer messages, blocks that travel several times.
 *
 * A rank keeps p blocks in numbered places.  A stage sends the blocks of some places elsewhere and
 * receives others in their stead; every place has two rooms, so that what comes never meets what
 * goes.  Blocks lie in scratch from the first stage to the last, so in alltoallv, where ranks on
 * the way do not know a block's size, all places are as large as the largest block. */
#ifndef ATN_RELAY_H
#define ATN_RELAY_H

#include "algo/digits.h"

typedef struct {
    atn_builder *b;
    const atn_problem *q;
    const atn_digits *around; /* place d is for the rank d further on, digit by digit, and in the
                                 end from the rank d before; NULL: place x is for rank x, and in
                                 the end from rank x */
    int region;
    unsigned char *room, *next; /* of every place: 0 or 1 */
    bool *goes;                 /* for atn_relay_jump_those */
    atn_range *list;
} atn_relay;

/* Places first .. first + count - 1, and so on every `period` places. */
typedef struct {
    int64_t first, count, period;
} atn_comb;

/* Copies the source in; false when out of memory (the builder knows). */
bool atn_relay_begin(atn_relay *x, atn_builder *b, const atn_problem *q, const atn_digits *around);
void atn_relay_send(atn_relay *x, int to, atn_comb places);
void atn_relay_recv(atn_relay *x, int from, atn_comb places);
/* Sends places to the rank `by` further on and receives them from the rank `by` before. */
void atn_relay_jump(atn_relay *x, int by, atn_comb places);
/* The same for the places that the caller has marked in `goes`. */
void atn_relay_jump_those(atn_relay *x, int by);
/* The stage is over: what was received takes the place of what was sent. */
void atn_relay_turn(atn_relay *x);
/* Copies the result out and takes the relay apart, whatever happened. */
void atn_relay_end(atn_relay *x);

#endif
