/* driver_private.h - shared by driver.c, advice.c and costs.c. */
#ifndef ATN_TUNE_DRIVERS_DRIVER_PRIVATE_H
#define ATN_TUNE_DRIVERS_DRIVER_PRIVATE_H

#include "tune/drivers/driver.h"

enum { ATN_DRIVER_PENDING = 2 * ATN_DRIVER_MOST };
/* Classes that a communicator begins with; most need no more. */
enum { ATN_CLASSES_FIRST = 4 };
/* The values of an agreement after the times of two blocks. */
enum {
    ATN_SUM_PASSED = 2,
    ATN_SUM_MOST,
    ATN_SUM_LEAST,
    ATN_SUM_OVERHEAD,
    ATN_SUM_DIFFERS, /* from here on: sizes, see atn_recurrence */
    ATN_SUM_UNSETTLED,
    ATN_DRIVER_SUMS
};

typedef struct {
    atn_call_class *of;
    uint64_t due;
    MPI_Request request;
    int samples; /* of a stage, which follow the sums in the class; 0: the values are here */
    int64_t mine[ATN_DRIVER_SUMS], all[ATN_DRIVER_SUMS];
} atn_pending;

struct atn_driver {
    atn_driver_setup s;
    atn_tuners tuners;
    int64_t opened;      /* ticks */
    int64_t overhead_ns; /* cost on this rank without regret and agreements */
    int64_t worked_ns;   /* on rank 0, for its latest advice */
    int64_t weighed_ns;  /* the shortest collective of its own, on rank 0; 0: none */
    int64_t shortest_ns; /* the same, as ranks agreed on at the last one */
    int64_t shared_ns;   /* savings that the account for set-ups has a part of */
    int n, room, most;   /* classes; for which there is memory; for which there may be */
    atn_class_key keys[ATN_TUNERS_MOST];
    atn_call_class *kinds[ATN_TUNERS_MOST]; /* in blocks, each as large as all before it */
    unsigned posted, completed;             /* agreements */
    bool apart;                             /* ranks arrive at different times */
    atn_pending *pending;                   /* ATN_DRIVER_PENDING; NULL: no tuner yet */
};

/* advice.c: collective.  The same advice on every rank; x->quiet: number of calls until the next
 * request, or 0: the set has the candidates, made from the same text on every rank; it is empty on
 * a rank without memory, which the caller must agree on. */
atn_advice atn_tune_driver_advice(atn_driver *d, atn_call_class *x, atn_candidate_set *set_p);

/* patterns.c: whether sizes recur. */
/* Before and after an agreement on times: what this rank states, and whether advice is needed anew
 * because all ranks have other sizes than the pattern, or the first that recur. */
void atn_tune_patterns_state(atn_call_class *x, int64_t sums[ATN_DRIVER_SUMS]);
bool atn_tune_patterns_changed(atn_call_class *x, const int64_t sums[ATN_DRIVER_SUMS]);
/* This rank's part of the hash over all ranks; whether its sizes recur. */
int64_t atn_tune_patterns_part(const atn_call_class *x);
bool atn_tune_patterns_recur(const atn_call_class *x);
/* With advice: all ranks have this hash; `all`: the sizes of all recur. */
void atn_tune_patterns_recognise(atn_driver *d, atn_call_class *x, bool all, int64_t hash);
/* With advice: patterns are not worth while. */
void atn_tune_patterns_none(atn_call_class *x);
/* Before its first call: the class follows the pattern that the choice of wisdom names. */
void atn_tune_patterns_follow(atn_call_class *x, const atn_choice *use);

/* costs.c */
void atn_tune_costs_begin(atn_driver *d);
void atn_tune_costs_end(void);
void atn_tune_costs_count_tuner(void);
/* A part of what calls have saved pays for setting up other tuners. */
void atn_tune_costs_earn(atn_driver *d);
/* Elapsed nanoseconds: the share of this communicator. */
int64_t atn_tune_driver_passed(const atn_driver *d);
/* Cost on this rank in nanoseconds, without regret and agreements. */
int64_t atn_tune_driver_overhead(const atn_driver *d);
/* The expected cost of setting up one more tuner, which start and set-ups of this process on all
 * communicators may defer: each communicator begins without any.  The start credit is not for short
 * calls: most programs have many classes of them, and end before one has paid off. */
atn_deferral atn_tune_costs_of_tuner(bool is_short);

#endif
