/* driver.h - drives the tuners of one communicator in a job: kinds of calls, what serves each
 * call, block times, and agreements between ranks.
 *
 * Everything here happens at the same call of the communicator on all its ranks: a kind of calls is
 * found by what ranks share, rank 0 is asked at fixed numbers of its calls and tells the others, an
 * agreement is a nonblocking reduction that is started with the call that ends a round and awaited
 * a few calls later, sooner where calls, or what the program does between them, are known to be
 * long.  Clocks and predictions enter in no other way. */
#ifndef ATN_DRIVER_H
#define ATN_DRIVER_H

#include <mpi.h>

#include "exec/exec.h"
#include "tune/candidate_set.h"
#include "tune/tuners.h"

/* Calls from an agreement to its result, at most; bytes. */
enum { ATN_DRIVER_MOST = 16, ATN_DRIVER_TEXT = 12288 };
/* Calls of fewer bytes are short: less is asked and planned about them. */
enum { ATN_SHORT_BYTES = 16384 };

/* What calls of a kind have in common. */
typedef struct {
    atn_problem q;    /* shared part; bytes are those of the first call, or as agreed */
    uint64_t context; /* the place in the program; 0: none was named */
    bool inexact; /* another algorithm may give another result: floating point, user operators */
    bool stable;  /* inexact, and results must not change */
    bool probes;  /* may run on scratch data as well */
} atn_subject;

typedef enum {
    ATN_ADVICE_LATER, /* native; ask again after twice as many calls, or more */
    ATN_ADVICE_MEET, /* native; ask again at the next call, when it is known how ranks come to it */
    ATN_ADVICE_FIXED, /* the first candidate, for good */
    ATN_ADVICE_FIELD  /* a tuner with these candidates */
} atn_advice;

/* Why advice is put off: there were too few calls, or what it would cost is not left. */
typedef struct {
    bool costs;
    int64_t cost_ns, left_ns;
    int64_t at; /* the calls of the kind at that time */
} atn_put_off;

/* Calls of a kind that need no turn: who carries one out as the last one counts it here, and nobody
 * else is told before something is to be decided. */
typedef struct {
    int64_t left;    /* of those granted */
    int64_t granted; /* of which the tuner has not been told */
    unsigned era;    /* another one: what served before does so no longer */
} atn_promise;

typedef struct atn_kind {
    atn_promise promise;
    atn_subject subject;
    uint64_t kind;
    int size_class;
    atn_tuner *tuner;        /* NULL: none (yet) */
    atn_candidate_set field; /* of the tuner; else its first candidate serves */
    atn_choice native;
    const char *why;  /* that was last told */
    bool meets;       /* at its next call that needs a turn, see ATN_ADVICE_MEET */
    int64_t quiet;    /* without a tuner: calls until rank 0 is asked */
    int64_t calls;    /* before it is asked; 0: none was served yet */
    atn_put_off off;  /* when it was last asked */
    int64_t since;    /* ticks at the first one, each rank's own */
    int64_t ticks[2]; /* of the blocks of the present round */
    int ahead;        /* calls until an agreement is awaited; 0: not known yet */
    int64_t waited;   /* ns, for its last agreement, on this rank */
    int64_t seen_ps;  /* between two calls on rank 0 before it had a tuner; 0: not known */
    /* Where ranks do not share sizes: */
    int64_t volume; /* bytes of the latest call on this rank */
    int64_t mean;   /* of a block on average, when all ranks were last asked */
} atn_kind;

/* What is to be done with a call. */
typedef struct {
    atn_kind *of;             /* NULL: not tuned */
    const atn_choice *use;    /* to carry it out with */
    const atn_choice *shadow; /* to time on scratch data before; NULL: none */
    int block;                /* the call (or the shadow) is timed for it; -1: untimed */
    bool agree;               /* the round ends with this call */
    int64_t start;            /* ticks */
    atn_plan *plan;           /* NULL: native */
} atn_turn;

typedef struct {
    int p, r;
    MPI_Comm comm; /* of the user */
    /* The MPI library's own routines. */
    int (*bcast)(void *buf, int count, MPI_Datatype type, int root, MPI_Comm comm);
    int (*allreduce)(const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op,
                     MPI_Comm comm);
    int (*iallreduce)(const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op,
                      MPI_Comm comm, MPI_Request *request);
    atn_tune_settings tune;
    int budget;          /* per mille */
    int64_t overhead_ns; /* that the budget has to pay for already */
    /* On all ranks alike, of a kind that is new: FIXED: native for good; FIELD: rank 0 is to be
     * asked at once; LATER: it will have nothing to say before the next call. */
    atn_advice (*expect)(void *context, const atn_kind *x);
    /* Asked on rank 0 alone; *off_p says why advice is put off. */
    atn_advice (*advise)(void *context, const atn_kind *x, atn_candidate_set *field_p,
                         atn_put_off *off_p);
    /* Told on all ranks after rank 0 has advised, and after times were agreed. */
    void (*heard)(void *context, const atn_kind *x, atn_advice advice);
    void (*learned)(void *context, atn_kind *x, int incumbent_before);
    void *context;
} atn_driver_setup;

typedef struct atn_driver atn_driver;

/* NULL: no memory (to be voted on). */
atn_driver *atn_driver_new(const atn_driver_setup *setup);
/* Agreements must have been awaited. */
void atn_driver_free(atn_driver *d);

/* The kind of a call; NULL: there is no room for another one.  `bytes` as in the subject. */
atn_kind *atn_driver_kind(atn_driver *d, const atn_subject *s);
/* Whether ranks are to find out at the next call of the kind how they come to it. */
bool atn_driver_meets(atn_kind *x);
/* After that, on all ranks alike: the field has new candidates, from this one on. */
void atn_driver_join(atn_kind *x, int from);
/* What setting up tuning has cost this rank besides asking, in ticks. */
void atn_driver_cost(atn_driver *d, int64_t ticks);
/* The next call of a kind; asks rank 0 when it is time for that (collective).  Afterwards its
 * promise says how many calls need no turn, if this one is not timed. */
void atn_driver_turn(atn_driver *d, atn_kind *x, int64_t bytes, atn_turn *turn_p);
/* Puts a time, in ticks, to the block of a turn. */
void atn_driver_note(const atn_turn *turn, int64_t ticks);

/* The round of a kind ends with this call, number `call` on the communicator: starts the agreement
 * on `wire`.  Returns an MPI error code. */
int atn_driver_agree(atn_driver *d, atn_kind *x, uint64_t call, MPI_Comm wire);
/* On all ranks alike: they come apart, so from now on a call takes what it takes in the mean. */
void atn_driver_apart(atn_driver *d);
/* The call at which an agreement must be awaited; UINT64_MAX: none. */
uint64_t atn_driver_due(const atn_driver *d);
/* Awaits all agreements that are due at this call. */
int atn_driver_await(atn_driver *d, uint64_t call);
/* Awaits all, unheard: the communicator ends, on all ranks. */
void atn_driver_stop(atn_driver *d);

/* facts.c: kinds of calls so far, and nanoseconds that tuning has cost (account.h). */
int atn_driver_kinds(const atn_driver *d);
const atn_kind *atn_driver_kind_at(const atn_driver *d, int i);
/* Without the start of the job, which is not tuning. */
int64_t atn_driver_spent(const atn_driver *d);

/* What became of a kind of calls. */
typedef enum {
    ATN_KIND_FEW,   /* not enough calls yet: `seen`, `needed` */
    ATN_KIND_COSTS, /* setting up a tuner costs more than is left: `off` */
    ATN_KIND_FIXED, /* its first candidate serves for good */
    ATN_KIND_TUNED  /* as its tuner says */
} atn_kind_is;
typedef struct {
    atn_kind_is is;
    int64_t seen, needed;
    atn_put_off off;
    atn_decision verdict;
} atn_kind_facts;
atn_kind_facts atn_driver_facts(const atn_kind *x);

#endif
