/* numbers.h - the buffers of a simulated call (simulate.h), filled with random numbers. */
#ifndef NUMBERS_H
#define NUMBERS_H

#include "sched/schedule.h"

typedef ATN_VEC(uint64_t) numbers;

/* Two associative operators, and one that is not: its result depends on the whole expression, so
 * it is compared between ranks. */
typedef enum { SUM, COMPOSE, MIX } numbers_operator;

/* What all ranks of a call share. */
typedef struct {
    int p;
    uint64_t seed;
    numbers_operator combine;
    bool ordered;
    int64_t each, largest; /* elements of a natural block; of the largest one */
    int64_t *sizes;        /* p rows of p blocks: they differ where the operation allows it */
} call;

/* The memory of one rank.  Block b of a space begins at element offset[b]; ATN_SHAPE has offsets
 * only. */
typedef struct {
    const atn_schedule *s;
    int64_t *offset[ATN_SPACES + 1];
    uint64_t *data[ATN_SPACES];
} memory;

void call_init(call *c, const atn_problem *q, int split, uint64_t seed);
void call_free(call *c);
void memory_init(memory *m, const call *c, const atn_schedule *s);
void memory_free(memory *m);

/* Whether the slot lies inside its space. */
bool slot_exists(const memory *m, const atn_slot *slot);
int64_t slot_elements(const memory *m, const atn_slot *slot);
/* Appends the elements of a slot; stores elements into it. */
void slot_load(const memory *m, const atn_slot *slot, numbers *out);
void slot_store(memory *m, const atn_slot *slot, const uint64_t *in);

uint64_t combine(const call *c, uint64_t left, uint64_t right);
/* NULL, or what is wrong with the buffers of a rank at the end; `first` is the memory of rank 0. */
const char *result_fault(const memory *m, const call *c, const memory *first);

#endif
