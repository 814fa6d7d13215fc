/* progress.h - the blocking calls of progress.c. */
#ifndef TEST_PROGRESS_H
#define TEST_PROGRESS_H

#include "harness.h"

enum { P_LARGE = 1 << 20, P_TAG = 3 };

/* Rank 0 calls `blocked`, afterwards all others `release` it. */
typedef struct {
    const char *name;
    void (*before)(void); /* collective, before the collectives are started; may be NULL */
    void (*blocked)(void);
    void (*release)(void);
    void (*after)(void);
    int unless; /* libraries that do not advance their own collectives in this call */
} p_kind;
enum { P_NOT_MPICH = 1, P_NOT_OPEN_MPI = 2 };

#define ALL_CALL(call) call, call

extern const p_kind p_kinds[], p_storage_kinds[]; /* the latter: windows and files */
extern const int p_kind_count, p_storage_kind_count;
extern int p_current; /* number of the kind */
extern long p_failed; /* wrong values in it */

/* same: that of the open collectives; others: without rank 0. */
extern MPI_Comm p_same, p_another, p_others;

/* Before the first kind. */
void p_begin(void);
void p_storage_begin(void);
void p_expect(int value, int wanted, const char *what);
/* Parts of the control. */
void p_receives(void);
void p_partner_sends(void);

#endif
