/* tuners.h - the tuners of a communicator: one for each call class.
 *
 * Sizes between two powers of two are tuned together, so that programs with many sizes are tuned,
 * too; a new class begins with the winner of the nearest one.  The number of tuners is bounded:
 * further classes are not tuned. */
#ifndef ATN_TUNE_TUNERS_H
#define ATN_TUNE_TUNERS_H

#include "tune/tuner.h"

enum { ATN_TUNERS_MOST = 64, ATN_TUNERS_REACH = 2 };

typedef struct {
    uint64_t kind; /* operation, context ...: what is tuned separately besides the size */
    int size_class;
    atn_tuner *tuner;
} atn_tuners_entry;

typedef struct {
    atn_budget budget;
    atn_tuners_entry entry[ATN_TUNERS_MOST];
    int n;
} atn_tuners;

/* The class of a size; sizes that ranks do not share (-1) are a class of their own. */
int atn_tune_size_class(int64_t bytes);
/* Weight of a call within its class when its time is that of `fixed` plus its own bytes. */
int atn_tune_size_weight(int64_t bytes, int64_t fixed);
/* The time of the typical size of the class, if this size takes `ps`; unknown (0, -1) stays. */
int64_t atn_tune_size_usual_ps(int64_t bytes, int64_t fixed, int64_t ps);

void atn_tune_tuners_open(atn_tuners *all, int share, int64_t agreement_ns);
void atn_tune_tuners_close(atn_tuners *all);
/* A tuner for a problem that has none.  Without wisdom (`from_wisdom` -1) it begins with the
 * winner of a neighbouring size, if that is a candidate, else with native.  Wisdom without a
 * time (`wisdom_ps`
 * -1) is a guess, which must beat native.  NULL: no room. */
atn_tuner *atn_tune_tuners_add(atn_tuners *all, uint64_t kind, int64_t bytes,
                               const atn_tune_settings *s, const atn_candidate *candidates, int n,
                               int native, int from_wisdom, int64_t wisdom_ps);

/* Removes the tuner that was added last. */
void atn_tune_tuners_drop(atn_tuners *all, atn_tuner *t);

#endif
