/* book.h - the tuners of a communicator: one for each kind of problem and class of sizes.
 *
 * Sizes between two powers of two are tuned together, so that a program with many sizes still
 * learns; a new class begins with what the nearest one has settled on, until it knows better.
 * Their number is bounded: what finds no room keeps what it has. */
#ifndef ATN_BOOK_H
#define ATN_BOOK_H

#include "tune/tuner.h"

enum { ATN_TUNERS_MOST = 64, ATN_TUNERS_REACH = 2 };

typedef struct {
    uint64_t kind; /* operation, context ...; whatever must be tuned apart */
    int size_class;
    atn_tuner *tuner;
} atn_tuners_entry;

typedef struct {
    atn_budget account;
    atn_tuners_entry entry[ATN_TUNERS_MOST];
    int n;
} atn_tuners;

/* Sizes of one class; a size that ranks do not share (-1) is a class of its own. */
int atn_size_class(int64_t bytes);
/* Weight of a call within its class when its time is that of `fixed` bytes and of its own. */
int atn_size_weight(int64_t bytes, int64_t fixed);
/* What the usual size of the class would take, if this one takes `ps`; not known (0, -1) stays. */
int64_t atn_size_usual_ps(int64_t bytes, int64_t fixed, int64_t ps);

void atn_tuners_open(atn_tuners *book, int budget, int64_t agreement_ns);
void atn_tuners_close(atn_tuners *book);
/* NULL: there is none yet. */
atn_tuner *atn_tuners_find(const atn_tuners *book, uint64_t kind, int64_t bytes);
/* A tuner for a problem that has none.  Without wisdom (`wise` -1) it begins with what a neighbour
 * has settled on, if that is among the candidates, else with native.  Wisdom without a time
 * (`wise_ps` -1) is a guess, and native must be beaten.  NULL: no room. */
atn_tuner *atn_tuners_add(atn_tuners *book, uint64_t kind, int64_t bytes,
                          const atn_tune_settings *s, const atn_candidate *candidates, int n,
                          int native, int wise, int64_t wise_ps);

/* Takes back the tuner that was added last. */
void atn_tuners_drop(atn_tuners *book, atn_tuner *t);

#endif
