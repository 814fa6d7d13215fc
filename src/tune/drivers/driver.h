/* driver.h - drives the tuners of one communicator in a job: call classes, the algorithm of each
 * call, block times, and agreements between ranks.
 *
 * Everything here happens at the same call of the communicator on all its ranks: a call class
 * (kind) is determined by data that ranks share, rank 0 gives advice at fixed numbers of its calls
 * and broadcasts it, an agreement is a nonblocking reduction that is started with the call that
 * ends a round and awaited a few calls later, sooner where calls, or the computation between them,
 * are long, and in a call where ranks wait for each other in any case, if one follows soon.  Clocks
 * and predictions enter in no other way. */
#ifndef ATN_TUNE_DRIVERS_DRIVER_H
#define ATN_TUNE_DRIVERS_DRIVER_H

#include "exec/exec.h"
#include "plan/family.h"
#include "tune/drivers/request.h"
#include "tune/tuners.h"

enum { ATN_DRIVER_MOST = 16 }; /* calls from an agreement to its result, at most */
/* Calls of fewer bytes are short: they justify less advice and planning. */
enum { ATN_SHORT_BYTES = 16384 };

/* What the calls of a class have in common. */
typedef struct {
    atn_problem q;    /* shared part; bytes are those of the first call, or as agreed */
    uint64_t context; /* a named program phase; 0: none */
    uint64_t pattern; /* of sizes, as ranks agreed; 0: none.  Those that are known from the call
                         alone make a class of their own */
    bool started;     /* nonblocking calls: their cost is what they take out of the program */
    bool inexact; /* another algorithm may give another result: floating point, user operators */
    bool stable;  /* inexact, and results must not change */
    bool probes;  /* candidates may run on scratch data in addition */
} atn_subject;

/* Calls of a class that need no turn: the caller executes them like the last one and counts them
 * here; the tuner receives the count before its next decision. */
typedef struct {
    int64_t left;    /* of those granted */
    int64_t granted; /* that the tuner has not counted */
    unsigned era;    /* changes when another algorithm serves */
} atn_promise;

/* Calls of the same sizes, in operations for which sizes of single messages matter.  Ranks agree on
 * a pattern with advice, and in agreements on times on whether their sizes still follow it; each
 * lasts until then, whatever calls have in between: a pattern orders messages only. */
enum { ATN_PATTERNS_MOST = 8 }; /* of a class, in all its calls */
typedef struct {
    uint64_t hash;  /* of the sizes that this rank has in the latest call (known_pattern.h) */
    int64_t same;   /* consecutive calls with them; 0: sizes are not looked at */
    uint64_t of;    /* the pattern of `own`; 0: none */
    uint64_t own;   /* their hash in the pattern that ranks agreed on */
    bool fixed;     /* all calls of the class have it */
    bool differs;   /* a call since the last agreement did not follow it */
    bool unsettled; /* sizes of some rank changed at the last advice */
    int left;       /* patterns that may still be recognised */
    int n;          /* those gathered so far, and whether all ranks have them */
    uint64_t gathered[ATN_PATTERNS_MOST];
    bool failed[ATN_PATTERNS_MOST];
} atn_recurrence;

typedef struct atn_call_class {
    atn_promise promise;
    atn_subject subject;
    int number;               /* among those of the communicator */
    atn_tuner *tuner;         /* NULL: none (yet) */
    atn_candidate_set *field; /* of the tuner; else its first candidate serves; NULL: native */
    atn_choice native;
    atn_family family;   /* whose algorithms serve, one or the other: the same bits */
    atn_choice spare;    /* of them, for sizes that the selected one does not support */
    const char *why;     /* last reported reason */
    bool times_arrivals; /* at its next call that needs a turn, see ATN_ADVICE_ARRIVALS */
    int64_t quiet;       /* without a tuner: calls until the next advice */
    int64_t calls;       /* before that; 0: none was served yet */
    atn_deferral off;    /* at the last advice */
    int64_t since;       /* ticks at the first call, of this rank */
    int64_t ticks[2];    /* of the blocks of the current round */
    int64_t *stage;      /* of STAR-MPI: values of its agreement, and their sums; NULL: none */
    int ahead;           /* calls until an agreement is awaited; 0: not determined yet */
    int64_t waited;      /* ns, for its last agreement, on this rank */
    bool mutual;         /* that was awaited where ranks wait for each other in any case */
    int64_t seen_ps;     /* between two calls on rank 0 before it had a tuner; 0: unknown */
    int64_t watched;     /* calls that were timed before it had a tuner */
    int64_t least;       /* ticks of the shortest of them, on this rank */
    /* Where ranks do not share sizes: */
    int64_t volume; /* bytes of the latest call on this rank */
    int64_t mean;   /* of a block on average, at the last advice */
    atn_recurrence recurrence;
} atn_call_class;

/* A candidate; without any, 0 is native. */
static inline const atn_choice *atn_tune_class_choice(const atn_call_class *x, int i)
{
    return x->field != NULL ? &x->field->choice[i] : &x->native;
}

/* How to execute a call. */
typedef struct {
    atn_call_class *of;       /* NULL: not tuned */
    const atn_choice *use;    /* for the call */
    const atn_choice *shadow; /* to time on scratch data before; NULL: none */
    int block;                /* the call (or the shadow) is timed for it; -1: untimed */
    int sample;               /* see atn_step */
    bool agree;               /* the round ends with this call */
    int64_t start;            /* ticks */
    atn_plan *plan;           /* NULL: native */
} atn_turn;

typedef struct {
    int p, r;
    MPI_Comm comm; /* of the user */
    /* Real routines. */
    int (*bcast)(void *buf, int count, MPI_Datatype type, int root, MPI_Comm comm);
    int (*allreduce)(const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op,
                     MPI_Comm comm);
    int (*iallreduce)(const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op,
                      MPI_Comm comm, MPI_Request *request);
    atn_tune_settings tune;
    int budget;          /* per mille */
    int worth;           /* times its cost that short calls take before they get a tuner; 0: any */
    int64_t overhead_ns; /* already spent, charged to the budget */
    /* On all ranks alike, for a new class: FIXED: native for good; FIELD: advice is needed at once;
     * LATER: there is no advice before the next call. */
    atn_advice (*expect)(void *context, const atn_call_class *x);
    /* On rank 0 alone, whatever tuners cost: SKETCH: the network is measured first; LATER: as soon
     * as the budget covers that, see *off_p; RACE: there is nothing to prepare.  NULL: there never
     * is. */
    atn_advice (*prepare)(void *context, const atn_call_class *x, atn_deferral *off_p);
    /* On rank 0 alone; *off_p: why advice is deferred. */
    atn_advice (*advise)(void *context, const atn_call_class *x, atn_candidate_set *field_p,
                         atn_deferral *off_p);
    /* Collective: the sizes of all ranks recur, with this hash over all of them.  Sets the pattern
     * of the class; 0: it serves without one.  NULL: patterns are not recognised. */
    void (*recognise)(void *context, atn_call_class *x, uint64_t hash);
    /* Called on all ranks after advice, and after an agreement on times. */
    void (*advised)(void *context, const atn_call_class *x, atn_advice advice);
    void (*agreed)(void *context, atn_call_class *x, int incumbent_before);
    void *context;
} atn_driver_setup;

typedef struct atn_driver atn_driver;

/* NULL: no memory (the caller must agree on it). */
atn_driver *atn_tune_driver_new(const atn_driver_setup *setup);
/* Agreements must have been awaited. */
void atn_tune_driver_free(atn_driver *d);

/* The class of a call; NULL: there is no room for another one.  `bytes` as in the subject.
 * Collective if it is new: ranks may have to agree on memory. */
atn_call_class *atn_tune_driver_class(atn_driver *d, const atn_subject *s);
/* Whether arrival times are to be measured at the next call of the class. */
bool atn_tune_driver_times_arrivals(atn_call_class *x);
/* After that, on all ranks alike: the set has new candidates, from this one on. */
void atn_tune_driver_join(atn_call_class *x, int from);
/* Collective: by how much a step that took `ticks` on this rank has delayed the program, in ns: the
 * minimum over ranks, because the others have waited for the last one to arrive. */
int64_t atn_tune_driver_delay(atn_driver *d, int64_t ticks);
/* Adds a cost of setting up tuning on this rank. */
void atn_tune_driver_cost(atn_driver *d, int64_t ns);
/* The same for a cost that further tuners of the communicator do not have. */
void atn_tune_driver_cost_once(atn_driver *d, int64_t ns);
/* The next call of a class; requests advice when it is due (collective).  Afterwards its promise
 * has the number of calls that need no turn, if this one is not timed. */
void atn_tune_driver_turn(atn_driver *d, atn_call_class *x, int64_t bytes, atn_turn *turn_p);
/* The call has taken this time, in ticks: part of a block, or of what its class takes without a
 * tuner. */
void atn_tune_driver_note(const atn_turn *turn, int64_t ticks);
/* Whether equal calls need not be timed. */
static inline bool atn_tune_class_is_watched(const atn_call_class *x)
{
    enum { ENOUGH = 3 };
    return x->tuner != NULL || x->watched >= ENOUGH;
}

/* The round of a class ends with this call, number `call` on the communicator: starts the agreement
 * on `comm`.  Returns an MPI error code. */
int atn_tune_driver_agree(atn_driver *d, atn_call_class *x, uint64_t call, MPI_Comm comm);
/* On all ranks alike: they arrive at different times, so from now on the mean over ranks counts. */
void atn_tune_driver_apart(atn_driver *d);
/* The call at which an agreement must be awaited; UINT64_MAX: none. */
uint64_t atn_tune_driver_due(const atn_driver *d);
/* Awaits all agreements that are due at this call of an operation, or defers that to a call of an
 * operation whose ranks wait for each other in any case. */
int atn_tune_driver_await(atn_driver *d, uint64_t call, atn_operation op);
/* Awaits all agreements, and their results. */
int atn_tune_driver_await_all(atn_driver *d);
/* After that, on all ranks alike: the topology has changed, so candidates are determined anew,
 * except for classes whose results must not change. */
void atn_tune_driver_restart(atn_driver *d, const struct atn_topo *topo);
/* Awaits all and discards the results: the communicator ends, on all ranks. */
void atn_tune_driver_stop(atn_driver *d);

/* costs.c: call classes so far, and nanoseconds that tuning has cost (budget.h). */
int atn_tune_driver_classes(const atn_driver *d);
const atn_call_class *atn_tune_driver_class_at(const atn_driver *d, int i);
/* Without the start of the job, which is not tuning; the part of it in calls that were slower than
 * native. */
int64_t atn_tune_driver_spent(const atn_driver *d);
int64_t atn_tune_driver_lost(const atn_driver *d);

/* The state of a call class. */
typedef enum {
    ATN_KIND_FEW,   /* not enough calls yet: `seen`, `needed` */
    ATN_KIND_COSTS, /* the budget does not cover setting up a tuner: `off` */
    ATN_KIND_FIXED, /* its first candidate serves for good */
    ATN_KIND_TUNED  /* by its tuner */
} atn_kind_is;
typedef struct {
    atn_kind_is is;
    int64_t seen, needed;
    atn_deferral off;
    atn_decision verdict;
} atn_kind_facts;
atn_kind_facts atn_tune_driver_facts(const atn_call_class *x);

#endif
