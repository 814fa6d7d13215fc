/* relay.h - alltoall through intermediate ranks: fewer messages, but blocks are sent several times.
 *
 * A rank stores p blocks in numbered places.  A stage sends the blocks of some places and receives
 * others in their stead; every place has two buffers, so that incoming and outgoing blocks never
 * overlap.  Blocks stay in scratch from the first stage to the last.  In alltoallv, where
 * intermediate ranks do not have a block's size, all places are as large as the largest block. */
#ifndef ATN_ALGO_RELAY_H
#define ATN_ALGO_RELAY_H

#include "algo/digits.h"

typedef struct {
    atn_builder *b;
    const atn_problem *q;
    const atn_digits *around; /* place d is for the rank d further on, digit by digit, and at the
                                 end from the rank d before; NULL: place x is for rank x, and at
                                 the end from rank x */
    int region;
    unsigned char *room, *next; /* current and next buffer of every place: 0 or 1 */
    bool *goes;                 /* for atn_algo_relay_jump_those */
    atn_range *list;
} atn_relay;

/* Places first .. first + count - 1, repeated every `period` places. */
typedef struct {
    int64_t first, count, period;
} atn_comb;

/* Copies the source in; false when out of memory (the builder records it). */
bool atn_algo_relay_begin(atn_relay *x, atn_builder *b, const atn_problem *q,
                          const atn_digits *around);
void atn_algo_relay_send(atn_relay *x, int to, atn_comb places);
void atn_algo_relay_recv(atn_relay *x, int from, atn_comb places);
/* Sends places to the rank `by` further on and receives them from the rank `by` before. */
void atn_algo_relay_jump(atn_relay *x, int by, atn_comb places);
/* The same for the places marked in `goes`. */
void atn_algo_relay_jump_those(atn_relay *x, int by);
/* Ends the stage: received blocks replace those sent. */
void atn_algo_relay_turn(atn_relay *x);
/* Copies the result out and frees the relay, also after errors. */
void atn_algo_relay_end(atn_relay *x);

#endif
