/* world.h - the state of a simulation (simulate.c) and what its operations do (world.c). */
#ifndef WORLD_H
#define WORLD_H

#include "numbers.h"

typedef struct {
    bool done, eager;
    int mate;    /* messages: the operation of the peer; -1: none */
    numbers box; /* a buffered message */
    int reads;   /* of an exposure */
    bool open;
} op_state;

typedef struct {
    memory m;
    op_state *ops;
    int left, pc; /* incomplete operations; the current step of a strict execution */
    bool entered;
    uint64_t weight;
} rank;

/* How the next operation is chosen: at random, by fixed random priorities, rank after rank. */
typedef enum { ANY, FIXED, BY_RANK, POLICIES } policy;

typedef struct {
    call c;
    rank *ranks;
    int p;
    bool strict;
    policy how;
    int late; /* this rank enters the call last; negative: none */
    uint64_t random;
} world;

/* Whether a message has data, but no bytes: it is not sent, unlike a message without blocks. */
bool omits(const rank *k, const atn_op *o);
/* The open exposure of a rank with this number; -1: none. */
int open_exposure(const world *w, int r, int seq);
/* Executes operation i of rank r, which may run now.  NULL, or what is wrong. */
const char *run_op(world *w, int r, int i);
/* What no executor could run: blocks that do not exist, a write to the source. */
const char *program_fault(const memory *m);

#endif
