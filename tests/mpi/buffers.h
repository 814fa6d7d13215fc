/* buffers.h - send and receive buffers of collective calls, with all kinds of memory layouts.
 *
 * A family is a type signature (one basic type, or a record); its layouts place the same
 * signature differently in memory, so ranks may mix the layouts of one family.  Sizes are counted
 * in units: six basic elements, which every layout divides, or one for the plain layout alone. */
#ifndef TEST_BUFFERS_H
#define TEST_BUFFERS_H

#include "harness.h"

int t_families(void);
const char *t_family_name(int family);
bool t_is_record(int family); /* structures, whose layouts have gaps */
int t_layouts(int family);
const char *t_layout_name(int family, int layout);
/* Packed bytes of a unit. */
int t_unit_bytes(int family, bool plain);

/* Placement of the blocks of a buffer in memory. */
typedef enum {
    T_REGULAR, /* contiguous, for operations without displacements */
    T_GAPS,    /* in order, with gaps */
    T_REVERSE, /* last block first */
    T_RANDOM,  /* random order, with gaps, displacements may be negative */
    T_ORDERS
} t_order;

/* One side of a call on one rank: 1 or p blocks between guard zones. */
typedef struct {
    int blocks;
    int *count, *displ; /* per block: elements, displacement in extents (or bytes: each_type) */
    MPI_Datatype *type; /* per block; all the same unless each_type */
    MPI_Aint *at;       /* byte offset of each block from base */
    size_t *packed;     /* packed bytes of each block */
    unsigned char *memory, *base; /* base: the argument of the call */
    size_t bytes;
    bool borrowed;   /* the caller owns the types */
    int value_bytes; /* bytes of the value of a long double with padding; 0: no padding */
} t_side;

typedef struct {
    int family;
    bool plain;        /* the plain layout, units of one element */
    const int *layout; /* one, or one per block when each_type */
    bool each_type;    /* alltoallw */
    int blocks;
    const int *units; /* per block */
    t_order order;
    uint64_t seed;
} t_shape;

t_side *t_side_new(const t_shape *shape);
/* One block of `count` elements of a given type. */
t_side *t_side_of(MPI_Datatype type, int count);
void t_side_free(t_side *side);
/* Guard pattern everywhere. */
void t_side_clear(t_side *side);
/* Writes the message (seed, from, to) into a block, in the layout of its type. */
void t_side_put(t_side *side, int block, uint64_t seed, int from, int to);
/* The first byte that differs, guards and holes included; got->bytes: none. */
size_t t_side_differs(const t_side *got, const t_side *want);
/* The same for the result of a call: MPI leaves the padding of values undefined, but holes must not
 * be changed. */
size_t t_side_result_differs(const t_side *got, const t_side *want);
/* Checks with the two comparisons; failures print the difference. */
bool t_side_same(const t_side *got, const t_side *want, const char *what);
bool t_side_result_same(const t_side *got, const t_side *want, const char *what);

#endif
