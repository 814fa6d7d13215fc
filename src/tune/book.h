/* book.h - the tuners of a communicator: one for each kind of problem and class of sizes.
 *
 * Sizes between two powers of two are tuned together, so that a program with many sizes still
 * learns; a new class begins with what the nearest one has settled on, until it knows better.
 * Their number is bounded: what finds no room keeps what it has. */
#ifndef ATN_BOOK_H
#define ATN_BOOK_H

#include "tune/tuner.h"

enum { ATN_BOOK_TUNERS = 64, ATN_BOOK_REACH = 2 };

typedef struct {
    uint64_t kind; /* operation, context ...; whatever must be tuned apart */
    int size_class;
    atn_tuner *tuner;
} atn_book_entry;

typedef struct {
    atn_account account;
    atn_book_entry entry[ATN_BOOK_TUNERS];
    int n;
} atn_book;

/* Sizes of one class; a size that ranks do not share (-1) is a class of its own. */
int atn_size_class(int64_t bytes);
/* Weight of a call within its class when its time is that of `fixed` bytes and of its own. */
int atn_size_weight(int64_t bytes, int64_t fixed);
/* What the usual size of the class would take, if this one takes `ps`; not known (0, -1) stays. */
int64_t atn_size_usual_ps(int64_t bytes, int64_t fixed, int64_t ps);

void atn_book_open(atn_book *book, int budget, int64_t agreement_ns);
void atn_book_close(atn_book *book);
/* NULL: there is none yet. */
atn_tuner *atn_book_find(const atn_book *book, uint64_t kind, int64_t bytes);
/* A tuner for a problem that has none.  Without wisdom (`wise` -1) it begins with what a neighbour
 * has settled on, if that is among the candidates, else with native.  Wisdom without a time
 * (`wise_ps` -1) is a guess, and native must be beaten.  NULL: no room. */
atn_tuner *atn_book_add(atn_book *book, uint64_t kind, int64_t bytes, const atn_tune_settings *s,
                        const atn_candidate *candidates, int n, int native, int wise,
                        int64_t wise_ps);

/* Takes back the tuner that was added last. */
void atn_book_drop(atn_book *book, atn_tuner *t);

#endif
