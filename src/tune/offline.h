/* offline.h - the search of `attune tune`: the fastest algorithm of one problem, found with few
 * calls.
 *
 * Pure: its inputs are times, its output is what to run next, so a test can simulate the machine.
 * Rank 0 searches, the others execute.
 *
 *   screening  rounds in which candidates run once each, in rotating order.  Those with the best
 *              predictions begin; others follow as long as they may be faster than the leader,
 *              given the observed error of the model.  A candidate is dropped when it is slower
 *              with confidence, or when enough others are faster.
 *   refining   neighbours of the leader in parameter space are added, until none is faster
 *   final      leader, runner-up and native again, on fresh samples, so that the selection is not
 *              biased by lucky samples.  Native wins unless the leader is faster by the margin with
 *              confidence.
 *
 * Only samples of the same round are compared, because the machine changes with time. */
#ifndef ATN_TUNE_OFFLINE_H
#define ATN_TUNE_OFFLINE_H

#include "base/base.h"
#include "base/stats.h"

enum { ATN_OFFLINE_NATIVE = 0 }; /* the candidate that always takes part */

/* The outcome of a candidate. */
typedef enum {
    ATN_FATE_WAITING,  /* it never ran: there was no time */
    ATN_FATE_HOPELESS, /* it never ran: predicted to be slower in the best case */
    ATN_FATE_RACING,
    ATN_FATE_SLOW,    /* slower than the leader, with confidence or by far */
    ATN_FATE_SURPLUS, /* "crowd": dropped because enough others were faster */
    ATN_FATE_BEATEN,  /* not dropped in the screening, but not selected for the final */
    ATN_FATE_SECOND,  /* in the final */
    ATN_FATE_FIRST,   /* leader that was not faster than native by the margin, or another one was */
    ATN_FATE_WON
} atn_fate;
extern const char *const atn_tune_fate_words[]; /* "waiting", "hopeless" ...; NULL-terminated */

/* Observed error of predictions: measured = predicted * factor, within a factor of (1 + error). */
typedef struct {
    double factor, error;
    int compared; /* number of candidates that it is based on; 0: assumed */
} atn_calibration;

typedef struct {
    double margin;               /* by which a winner must beat native: 0.03 */
    atn_calibration calibration; /* from earlier problems */
    double seconds;              /* in total; INFINITY: no limit */
    bool exhaustive;             /* no candidate is dropped */
    bool as_it_is;               /* parameters are not refined */
    int screening, final;        /* maximum number of rounds */
} atn_offline_settings;
extern const atn_offline_settings atn_tune_offline_defaults;

typedef enum {
    ATN_OFFLINE_SCREENING,
    ATN_OFFLINE_REFINING,
    ATN_OFFLINE_FINAL,
    ATN_OFFLINE_OVER
} atn_offline_stage;

typedef struct atn_offline atn_offline;

/* With native in it.  NULL: out of memory. */
atn_offline *atn_tune_offline_new(const atn_offline_settings *s);
void atn_tune_offline_free(atn_offline *o);

/* A candidate of a kind (its algorithm); predicted 0: unknown, it must run.  `favoured` ones run
 * first.  Returns its number; -1: out of memory. */
int atn_tune_offline_add(atn_offline *o, int kind, double predicted_s, bool favoured);

/* For slow calls: fewer rounds. */
void atn_tune_offline_limit_rounds(atn_offline *o, int screening, int final);
/* An earlier job found it too slow: it need not run. */
void atn_tune_offline_exclude(atn_offline *o, int candidate);

/* What to run next, each once, in this order; `elapsed_s` since the search began.  Returns how
 * many.  0: the stage is REFINING, and the caller adds the neighbours of the leader, if any, or
 * OVER. */
int atn_tune_offline_round(atn_offline *o, double elapsed_s, const int **list_p);
/* The first call of a candidate: no sample, but it may be slow enough to drop the candidate. */
void atn_tune_offline_warm_up(atn_offline *o, int candidate, double seconds);
void atn_tune_offline_record(atn_offline *o, int candidate, double seconds);

/* Instead of a search: which candidates would begin, might follow or are hopeless. */
void atn_tune_offline_design(atn_offline *o);

atn_offline_stage atn_tune_offline_stage_of(const atn_offline *o);
atn_fate atn_tune_offline_fate(const atn_offline *o, int candidate);
double atn_tune_offline_predicted(const atn_offline *o, int candidate);
/* The leader; native when no other candidate ran. */
int atn_tune_offline_leader(const atn_offline *o);
/* The error of the model according to the measured candidates. */
atn_calibration atn_tune_offline_calibration(const atn_offline *o);

/* ---- comparison with native in the final ---- */

typedef struct {
    bool faster;            /* than native, by the margin with confidence */
    atn_estimate vs_native; /* time over native's, from samples of the same round */
} atn_native_comparison;

/* From fresh samples of the same rounds; n >= 1. */
atn_native_comparison atn_tune_compare_with_native(const double *seconds, const double *native,
                                                   int n, double margin);

#endif
