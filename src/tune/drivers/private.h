/* private.h - what the files of the driver share. */
#ifndef ATN_DRIVER_PRIVATE_H
#define ATN_DRIVER_PRIVATE_H

#include "tune/drivers/driver.h"

enum { ATN_DRIVER_SUMS = 4, ATN_DRIVER_PENDING = 2 * ATN_DRIVER_MOST };

typedef struct {
    atn_kind *of;
    uint64_t due;
    MPI_Request request;
    int64_t mine[ATN_DRIVER_SUMS], all[ATN_DRIVER_SUMS];
} atn_pending;

struct atn_driver {
    atn_driver_setup s;
    atn_book book;
    int64_t opened; /* ticks */
    bool full;      /* some rank has no memory for more */
    int n;
    atn_kind *kinds[ATN_BOOK_TUNERS];
    atn_kind *last[ATN_OPERATIONS]; /* of each operation */
    unsigned posted, heard;         /* agreements */
    bool apart;                     /* ranks come at different times */
    atn_pending pending[ATN_DRIVER_PENDING];
    char text[ATN_DRIVER_TEXT]; /* of what rank 0 says */
};

/* Whether all ranks say yes (collective). */
bool atn_driver_all(const atn_driver *d, bool mine);

#endif
