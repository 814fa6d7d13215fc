/* offline.h - the search of `attune tune`: which way to carry out one problem is fastest, found
 * with few calls.
 *
 * Pure: it is told of times and says what to run next, so a test can play the machine.  One rank
 * searches, the others follow.
 *
 *   heats     rounds in which contenders run once each, another one first each time.  Those that
 *             the model expects to be good begin; others follow as long as they may be faster than
 *             the leader although the model is as wrong as it was found to be.  Who is slower with
 *             confidence, or among too many, leaves.
 *   refining  neighbours of the leader in its parameters enter, until it has none that are faster
 *   final     leader, runner-up and native once more, on fresh samples: luck in the heats is not
 *             counted as speed.  Native is the answer unless the leader is faster than it by the
 *             margin with confidence.
 *
 * Samples of a round are compared with each other only, because the machine changes with time. */
#ifndef ATN_OFFLINE_H
#define ATN_OFFLINE_H

#include "base/base.h"
#include "base/stats.h"

enum { ATN_OFFLINE_NATIVE = 0 }; /* the contender that is always there */

/* What became of a contender. */
typedef enum {
    ATN_FATE_WAITING,  /* it never ran: there was no time */
    ATN_FATE_HOPELESS, /* it never ran: the model, as wrong as it may be, says it is slower */
    ATN_FATE_RACING,
    ATN_FATE_SLOW,    /* slower than the leader, with confidence or by far */
    ATN_FATE_SURPLUS, /* too many were left, and others were faster */
    ATN_FATE_BEATEN,  /* lasted to the end of the heats, was not chosen for the final */
    ATN_FATE_SECOND,  /* in the final */
    ATN_FATE_FIRST,   /* led, but was not faster than native by the margin, or another one was */
    ATN_FATE_WON
} atn_fate;
extern const char *const atn_fate_words[]; /* "waiting", "hopeless" ...; NULL-terminated */

/* How far predictions are off: times are predicted times `factor`, give or take (1 + error). */
typedef struct {
    double factor, error;
    int compared; /* contenders behind it; 0: what was assumed */
} atn_calibration;

typedef struct {
    double margin;         /* by which native must be beaten: 0.03 */
    atn_calibration trust; /* in the model, from earlier problems */
    double seconds;        /* for all; INFINITY: as long as it takes */
    bool exhaustive;       /* everything runs as often as the best, nothing is dropped */
    bool as_it_is;         /* parameters are not refined */
    int heats, final;      /* rounds at most */
} atn_offline_settings;
extern const atn_offline_settings atn_offline_defaults;

typedef enum {
    ATN_OFFLINE_SCREENING,
    ATN_OFFLINE_REFINING,
    ATN_OFFLINE_FINAL,
    ATN_OFFLINE_OVER
} atn_offline_stage;

typedef struct atn_offline atn_offline;

/* With native in it.  NULL: out of memory. */
atn_offline *atn_offline_new(const atn_offline_settings *s);
void atn_offline_free(atn_offline *o);

/* A contender of a kind (its algorithm); predicted 0: nothing is known, it must be tried.
 * `favoured` ones begin.  Returns its number; -1: out of memory. */
int atn_offline_add(atn_offline *o, int kind, double predicted_s, bool favoured);

/* Calls are slow: fewer rounds must do. */
void atn_offline_limit_rounds(atn_offline *o, int heats, int final);
/* Measured before and found too slow: it need not run. */
void atn_offline_exclude(atn_offline *o, int contender);

/* What to run next, each once, in that order; `elapsed` seconds since the search began.  Returns
 * how many.  0: look at the stage: REFINING asks for neighbours of the leader, of which there may
 * be none; OVER is the end. */
int atn_offline_round(atn_offline *o, double elapsed_s, const int **list_p);
/* The first call of a contender, which is not measured but may be so slow that it is enough. */
void atn_offline_warm_up(atn_offline *o, int contender, double seconds);
void atn_offline_record(atn_offline *o, int contender, double seconds);

/* Instead of all that: who would begin, who might follow, who is hopeless. */
void atn_offline_design(atn_offline *o);

atn_offline_stage atn_offline_stage_of(const atn_offline *o);
int atn_offline_count(const atn_offline *o);
atn_fate atn_offline_fate(const atn_offline *o, int contender);
double atn_offline_predicted(const atn_offline *o, int contender);
/* Who leads; native when nobody else ran. */
int atn_offline_leader(const atn_offline *o);
/* What the measured contenders say about the model. */
atn_calibration atn_offline_calibration(const atn_offline *o);

/* ---- the verdict of a final ---- */

typedef struct {
    bool faster;            /* than native, by the margin with confidence */
    atn_estimate vs_native; /* time over native's, from samples of the same round */
} atn_native_comparison;

/* From fresh samples of the same rounds; n >= 1. */
atn_native_comparison atn_compare_with_native(const double *seconds, const double *native, int n,
                                              double margin);

#endif
