/* export_private.h - what the exporters share. */
#ifndef ATN_PLAN_EXPORT_PRIVATE_H
#define ATN_PLAN_EXPORT_PRIVATE_H

#include "plan/export.h"

typedef enum {
    ATN_GUARD_ANY,
    ATN_GUARD_POW2,         /* a power of two of ranks */
    ATN_GUARD_NOT_IN_PLACE, /* MPI_IN_PLACE is not served */
    ATN_GUARD_COMMUTATIVE,
    ATN_GUARD_COUNT /* built-in operator, at least as many elements as ranks */
} atn_guard;

typedef struct {
    atn_operation op;
    const char *algorithm, *param;
    int64_t lo, hi;
    int openmpi;
    const char *fan, *mpich;
    atn_guard guard;
} atn_foreign;

/* What serves sizes from `from` on, up to the next range; row NULL: the library decides. */
typedef struct {
    int64_t from;
    atn_choice use;
    const atn_foreign *row;
} atn_range_of_sizes;

typedef ATN_VEC(atn_range_of_sizes) atn_ranges_of_sizes;

typedef enum { ATN_FOR_OPENMPI, ATN_FOR_MPICH } atn_library;

typedef struct {
    const atn_export *e;
    const atn_rules *rules;
    atn_library library;
    ATN_VEC(atn_choice) missing; /* without counterpart */
} atn_exporter;

/* The ranges for p ranks, equal neighbours merged; those of an operation
 * without shared size are one range.  False: no memory. */
bool atn_plan_export_ranges(atn_exporter *x, atn_operation op, int p, atn_ranges_of_sizes *list_p);
bool atn_plan_same_ranges(const atn_ranges_of_sizes *a, const atn_ranges_of_sizes *b);
/* Whether anything but the library's own decision is in them. */
bool atn_plan_says_something(const atn_ranges_of_sizes *list);
/* The library counts the bytes of all blocks where we count one rank's. */
int64_t atn_plan_library_bytes(atn_operation op, int p, int64_t bytes);

#endif
