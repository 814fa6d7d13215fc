/* private.h - what the files of the driver share. */
#ifndef ATN_DRIVER_PRIVATE_H
#define ATN_DRIVER_PRIVATE_H

#include "tune/drivers/driver.h"

enum { ATN_DRIVER_PENDING = 2 * ATN_DRIVER_MOST };
/* What is agreed on after the times of two blocks. */
enum { ATN_SUM_PASSED = 2, ATN_SUM_MOST, ATN_SUM_LEAST, ATN_SUM_OVERHEAD, ATN_DRIVER_SUMS };

typedef struct {
    atn_kind *of;
    uint64_t due;
    MPI_Request request;
    int64_t mine[ATN_DRIVER_SUMS], all[ATN_DRIVER_SUMS];
} atn_pending;

struct atn_driver {
    atn_driver_setup s;
    atn_tuners book;
    int64_t opened;   /* ticks */
    int64_t overhead; /* ticks that all but regret and agreements has cost this rank */
    int n;
    atn_kind kinds[ATN_TUNERS_MOST];
    atn_kind *last[ATN_OPERATIONS]; /* of each operation */
    unsigned posted, heard;         /* agreements */
    bool apart;                     /* ranks come at different times */
    atn_pending pending[ATN_DRIVER_PENDING];
    char text[ATN_DRIVER_TEXT]; /* of what rank 0 says */
};

/* Nanoseconds that have passed, as far as they are this communicator's. */
int64_t atn_driver_passed(const atn_driver *d);
/* Nanoseconds that all but regret and agreements has cost this rank. */
int64_t atn_driver_overhead(const atn_driver *d);
/* Nanoseconds that setting up tuning has cost this process, whatever the communicator, with those
 * that another tuner will cost, and how long ago that began. */
int64_t atn_set_ups_ns(void);
int64_t atn_next_set_up_ns(void); /* the latter alone */
int64_t atn_set_ups_since(void);
/* Whether all ranks say yes (collective). */
bool atn_driver_all(const atn_driver *d, bool mine);

#endif
