/* tuners.h - the tuners of a communicator: one for each call class.
 *
 * Sizes between two powers of two are tuned together, so that programs with many sizes are tuned,
 * too; a new class begins with the winner of the nearest one.  The number of tuners is bounded:
 * further classes are not tuned. */
#ifndef ATN_TUNE_TUNERS_H
#define ATN_TUNE_TUNERS_H

#include "plan/rules.h"
#include "tune/tuner.h"

enum { ATN_TUNERS_MOST = 64, ATN_TUNERS_REACH = 2 };

/* What distinguishes the call classes of a communicator. */
typedef struct {
    uint64_t kind; /* operation, context ...: everything besides the size */
    int size_class;
} atn_class_key;

typedef struct {
    atn_budget budget;
    atn_class_key keys[ATN_TUNERS_MOST];
    atn_tuner *tuner[ATN_TUNERS_MOST];
    int n;
} atn_tuners;

/* Index of a key, which is added unless it is among them; -1: no room. */
int atn_tune_class_index(atn_class_key *keys, int *n, int most, atn_class_key key);
/* The class of a size; sizes that ranks do not share (-1) are a class of their own. */
int atn_tune_size_class(int64_t bytes);
atn_span atn_tune_size_span(int64_t bytes); /* all sizes of it */
/* Two for each doubling: below, and from 1.5 times a power of two on. */
int atn_tune_size_half_class(int64_t bytes);
/* Weight of a call within its class when its time is that of `fixed` plus its own bytes. */
int atn_tune_size_weight(int64_t bytes, int64_t fixed);
/* The time of the typical size of the class, if this size takes `ps`; unknown (0, -1) stays. */
int64_t atn_tune_size_usual_ps(int64_t bytes, int64_t fixed, int64_t ps);

void atn_tune_tuners_open(atn_tuners *all, int share, int64_t agreement_ns);
void atn_tune_tuners_close(atn_tuners *all);
/* A tuner for a class that has none.  Without wisdom (`from_wisdom` -1) it begins with the
 * winner of a neighbouring size, if that is a candidate, else with native.  Wisdom without a
 * time (`wisdom_ps` -1) is a guess, which must beat native.  NULL: no room. */
atn_tuner *atn_tune_tuners_add(atn_tuners *all, atn_class_key key, const atn_tune_settings *s,
                               const atn_candidate *candidates, int n, int native, int from_wisdom,
                               int64_t wisdom_ps);

/* Removes the tuner that was added last. */
void atn_tune_tuners_drop(atn_tuners *all, atn_tuner *t);

#endif
