/* tuner.h - determines inside a job which candidate solves a problem fastest.
 *
 * Pure: no clock, no MPI, no floating point.  The inputs of a tuner are calls and agreed block
 * times (maximum over ranks); its output is the candidate to run.  Ranks with the same inputs at
 * the same calls get the same outputs, whatever processors they run on.
 *
 *   for every call:   atn_step s = atn_tune_tuner_step(t, weight);
 *                     run s.candidate; if (s.block >= 0) add the time to that block's sum
 *                     if (s.agree) start an agreement on the sums: maximum over ranks
 *   when it arrives:  atn_tune_tuner_feed(t, sums, elapsed), before the same call on all ranks
 *
 * Times of blocks are nanoseconds, times of one call are picoseconds. */
#ifndef ATN_TUNE_TUNER_H
#define ATN_TUNE_TUNER_H

#include "tune/budget.h"

enum {
    ATN_TUNE_CANDIDATES = 32, /* maximum; further ones are ignored */
    ATN_TUNE_KEEP = 9,        /* latest block times of a candidate */
    ATN_TUNE_WEIGHT = 1024    /* of a call of the typical size of its problem */
};

typedef enum {
    ATN_TUNE_RACE,    /* the default: races within a budget */
    ATN_TUNE_ALL,     /* every candidate in one stage, then monitor (STAR-MPI) */
    ATN_TUNE_GROUPED, /* the same with one of each group first */
    ATN_TUNE_FIXED    /* the first candidate for good */
} atn_tune_mode;

typedef struct {
    uint64_t id;          /* of algorithm and parameters, the same for neighbouring sizes */
    int64_t predicted_ps; /* of one call; -1: unknown; native: of its best algorithm */
    int error;            /* of the prediction, per mille: p / (1 + e) .. p * (1 + e) */
    int group;            /* what it optimises; from 0 */
    bool same_bits;       /* may serve although results must not change, as those of the start */
    int ratio; /* per mille of native at a neighbouring size, if nothing is predicted; 0: unknown */
} atn_candidate;

typedef struct {
    atn_tune_mode mode;
    int margin;           /* per mille by which a winner must be faster */
    int drift;            /* per mille of change that restarts the races */
    int iterations;       /* calls of each candidate in ALL and GROUPED */
    bool shadow;          /* results must not change: candidates that may give other bits run on
                             scratch data in addition to the call */
    int64_t agreement_ns; /* cost of an agreement */
    int64_t seen_ps;      /* from call to call so far, computation included; 0: unknown */
} atn_tune_settings;
extern const atn_tune_settings atn_tune_defaults;

/* The evidence for the candidate that a tuner starts with. */
typedef enum {
    ATN_START_NATIVE,   /* none */
    ATN_START_BORROWED, /* it won at a neighbouring size, or the model selected it */
    ATN_START_WISE      /* measured in an earlier job */
} atn_tune_start;

typedef struct {
    int candidate; /* for the call */
    int shadow;    /* also runs, on scratch data, and is timed instead of the call; -1: none */
    int block;     /* 0 or 1: time it for that block; -1: untimed */
    int sample;    /* its number among the timed calls of a stage; -1: not in a stage */
    bool agree;    /* the round ends with this call */
} atn_step;

/* Results, for wisdom and reports. */
typedef struct {
    int best, next;                       /* candidates; next -1: none was measured */
    int64_t best_ps, best_ci_ps, next_ps; /* medians; best_ci_ps: half the width of a confidence
                                             interval of at least 94 %, -1: too few samples */
    int64_t samples;                      /* blocks behind best */
    bool settled; /* the best was compared with every candidate that was worth it */
} atn_tuner_result;

typedef struct atn_tuner atn_tuner;

/* `candidates` are copied; `native` and `start` are among them.  `wisdom_ps` is the time of
 * `start` in wisdom, or -1.  The budget outlives the tuner.  NULL: out of memory. */
atn_tuner *atn_tune_tuner_new(const atn_tune_settings *s, atn_budget *budget,
                              const atn_candidate *candidates, int n, int native, int start,
                              atn_tune_start kind, int64_t wisdom_ps);
void atn_tune_tuner_free(atn_tuner *t);

/* One more candidate without measurements; ignored when there is no room. */
void atn_tune_tuner_join(atn_tuner *t, const atn_candidate *candidate);

/* The next call; `weight`: its expected time relative to the typical size, ATN_TUNE_WEIGHT = 1. */
atn_step atn_tune_tuner_step(atn_tuner *t, int weight);
/* How many of the next calls need no step: they run the same candidate as the last one, untimed;
 * atn_tune_tuner_skip reports afterwards how many there were. */
int64_t atn_tune_tuner_untimed(const atn_tuner *t);
void atn_tune_tuner_skip(atn_tuner *t, int64_t calls);

/* The agreed sums of both blocks of the round, and the agreed time since the budget began. */
void atn_tune_tuner_feed(atn_tuner *t, const int64_t block_ns[2], int64_t elapsed_ns);

/* A stage of STAR-MPI is a round in which every timed call counts by itself: their number; 0: the
 * round is no stage.  Its agreed times are the mean over ranks of each. */
int atn_tune_tuner_stage(const atn_tuner *t);
void atn_tune_tuner_feed_stage(atn_tuner *t, const int64_t *sample_ns, int64_t elapsed_ns);

/* Observed cost of an agreement, if it is above that of the settings. */
void atn_tune_tuner_agreement(atn_tuner *t, int64_t ns);

int atn_tune_tuner_incumbent(const atn_tuner *t);
void atn_tune_tuner_result(const atn_tuner *t, atn_tuner_result *result_p);
/* What the tuner is doing, as text. */
const char *atn_tune_tuner_why(const atn_tuner *t);

/* Why the native routine serves, or does not, at present. */
typedef enum {
    ATN_DECISION_SERVES,    /* it does not: `other` does */
    ATN_DECISION_HELD,      /* `other` is faster, but the incumbent must not change */
    ATN_DECISION_SLOWER,    /* others were measured; `other` was the fastest of them */
    ATN_DECISION_PREDICTED, /* none was measured: predictions exclude all of them */
    ATN_DECISION_WAITING,   /* the next trial costs more than is left */
    ATN_DECISION_TRYING     /* the next trial may begin, or has begun */
} atn_decision_is;

typedef struct {
    atn_decision_is is;
    int other;                   /* -1: none */
    int tried, of;               /* candidates besides native: measured, all */
    int64_t other_ps, native_ps; /* medians; 0: not measured */
    int64_t cost_ns, left_ns;    /* WAITING: of the next trial; of the budget */
} atn_decision;
atn_decision atn_tune_tuner_decision(const atn_tuner *t);

/* The id of a candidate. */
uint64_t atn_tune_tuner_id(const atn_tuner *t, int candidate);
/* Time of the candidate with this id, per mille of native; 0: either was not measured. */
int atn_tune_tuner_ratio(const atn_tuner *t, uint64_t id);

#endif
