/* tuner_private.h - shared by tuner.c and the procedures race.c and star.c. */
#ifndef ATN_TUNE_TUNER_PRIVATE_H
#define ATN_TUNE_TUNER_PRIVATE_H

#include "tune/tuner.h"

/* A candidate and its measurements. */
typedef struct {
    atn_candidate is;
    int64_t kept[ATN_TUNE_KEEP]; /* per call of weight 1, picoseconds; a ring */
    int64_t samples;             /* blocks since the last reset */
    int wins, losses;            /* pairs against the incumbent */
    int clear;                   /* pairs won by a large factor */
    bool out;                    /* dropped */
} atn_candidate_state;

typedef struct {
    int candidate;
    int calls;      /* length */
    int done;       /* calls that have run */
    int64_t weight; /* of these calls */
} atn_block;

/* Untimed calls of the incumbent, then up to two blocks, then one agreement. */
typedef struct {
    int64_t untimed;
    atn_block block[2];
    int n;           /* blocks */
    int at;          /* the current one; n: waiting for the times */
    int64_t cost_ns; /* reserved until the round ends */
    bool begun;
    bool credit;    /* may begin while anything is left of the budget */
    int64_t ratios; /* of the budget when it was planned */
} atn_tuning_round;

/* The next trial. */
typedef struct {
    int candidate;     /* -1: none */
    int64_t regret_ns; /* expected at most */
} atn_next_trial;

typedef struct {
    void (*plan)(atn_tuner *t, atn_tuning_round *round);
    void (*take)(atn_tuner *t, const atn_tuning_round *round, const int64_t per_call_ps[2]);
    atn_next_trial (*next)(const atn_tuner *t);
} atn_procedure;

struct atn_tuner {
    atn_tune_settings s;
    const atn_procedure *procedure;
    atn_budget *budget;
    atn_candidate_state candidate[ATN_TUNE_CANDIDATES];
    int n, native;
    int incumbent; /* serves the program */
    int winner;    /* the best so far: the incumbent, except with shadows */
    atn_tune_start start;
    atn_tuning_round round;
    int64_t agreement_ns; /* observed cost */
    const char *why;
    /* ---- race.c ---- */
    bool monitoring;      /* no candidate is left to race */
    int64_t reference_ps; /* expected time of the winner while monitoring */
    int64_t tolerance_ps; /* normal deviation from it */
    int64_t window;       /* calls between two checks */
    int challenger;       /* won a pair while monitoring; -1: none */
    bool suspicious;      /* the last check was outside of the tolerance */
    bool drifted;         /* a single measured candidate does not calibrate the model */
    /* ---- star.c ---- */
    int delta; /* of the window */
};

/* tuner.c: the median of the kept times; 0: none. */
int64_t atn_tune_candidate_median(const atn_candidate_state *x);
/* Half of the range of most of them. */
int64_t atn_tune_candidate_spread(const atn_candidate_state *x);
void atn_tune_candidate_record(atn_candidate_state *x, int64_t per_call_ps);
void atn_tune_candidate_reset(atn_candidate_state *x);
/* Discards the pairs of its races. */
void atn_tune_candidate_reset_pairs(atn_candidate_state *x);

/* Whether a candidate must not serve: it runs on scratch data. */
static inline bool atn_tune_on_scratch(const atn_tuner *t, int candidate)
{
    return t->s.shadow && candidate != t->incumbent && !t->candidate[candidate].is.same_bits;
}

extern const atn_procedure atn_race, atn_star, atn_fixed;

#endif
