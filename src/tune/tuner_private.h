/* tuner_private.h - shared by tuner.c and the procedures race.c and star.c. */
#ifndef ATN_TUNE_TUNER_PRIVATE_H
#define ATN_TUNE_TUNER_PRIVATE_H

#include "tune/tuner.h"

enum { ATN_TUNE_ENOUGH = 3 };  /* blocks that predict the next ones */
enum { ATN_TUNE_SCRATCH = 2 }; /* weight of trials that help only later jobs */

/* From the fastest to the slowest of some blocks, in picoseconds of a call. */
typedef struct {
    int64_t low, high;
} atn_time_range;

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

/* Untimed calls of the incumbent, then up to two blocks or those of a stage, then an agreement. */
typedef struct {
    int64_t untimed;
    atn_block block[ATN_TUNE_CANDIDATES];
    bool stage;
    int n;             /* blocks */
    int at;            /* the current one; n: waiting for the times */
    int64_t cost_ns;   /* reserved until the round ends; 0: it begins in any case */
    int64_t loss_ns;   /* against native, expected at most */
    int64_t regret_ns; /* against the winner, expected */
    int64_t saving_ps; /* of a later call, expected */
    int64_t patience;  /* calls after which it is planned again, if it has not begun */
    bool begun;
    bool first;     /* the first call of a candidate is part of it */
    bool credit;    /* may begin while anything is left of the budget */
    int64_t ratios; /* of the budget when it was planned */
} atn_tuning_round;

/* The next trial. */
typedef struct {
    int candidate;   /* -1: none */
    int64_t loss_ns; /* expected at most */
} atn_next_trial;

typedef struct {
    void (*plan)(atn_tuner *t, atn_tuning_round *round);
    void (*take)(atn_tuner *t, const atn_tuning_round *round, const int64_t *per_call_ps);
    atn_next_trial (*next)(const atn_tuner *t);
} atn_procedure;

struct atn_tuner {
    atn_tune_settings s;
    const atn_procedure *procedure;
    atn_budget *budget;
    atn_candidate_state candidate[ATN_TUNE_CANDIDATES];
    int n, native;
    int incumbent; /* serves the program */
    int winner;    /* the best so far: the incumbent, except with shadows and in doubt */
    atn_tune_start start;
    atn_tuning_round round;
    int64_t agreement_ns; /* observed cost */
    int64_t calls, began; /* of the class; on the communicator when it began */
    int64_t since;        /* calls since the last round */
    int64_t unchecked;    /* calls since the winner was timed */
    const char *why;
    /* ---- savings.c ---- */
    int64_t open_calls;             /* untimed calls of the winner that are not accounted for */
    int least_weight;               /* of a timed call so far */
    int64_t timed_ns, timed_weight; /* of the winner since it was adopted */
    int64_t worked_ns;              /* time of all calls */
    int64_t explored_ns;            /* by which trials were slower than the winner */
    /* ---- race.c ---- */
    bool monitoring;      /* no candidate is left to race */
    int64_t reference_ps; /* expected time of the winner while monitoring */
    int64_t tolerance_ps; /* normal deviation from it */
    int64_t window;       /* calls between two comparisons with its rival */
    int64_t compared;     /* calls since the last one */
    int challenger;       /* won a pair while monitoring; -1: none */
    bool suspicious;      /* the last check was outside of the tolerance */
    bool drifted;         /* a single measured candidate does not calibrate the model */
    /* ---- star.c ---- */
    int delta; /* of the window */
};

/* tuner.c: the median of the kept times; 0: none. */
int64_t atn_tune_candidate_median(const atn_candidate_state *x);
/* The range of most of them, of all if there are few. */
atn_time_range atn_tune_candidate_range(const atn_candidate_state *x);
void atn_tune_candidate_record(atn_candidate_state *x, int64_t per_call_ps);
void atn_tune_candidate_reset(atn_candidate_state *x);
/* Discards the pairs of its races. */
void atn_tune_candidate_reset_pairs(atn_candidate_state *x);

/* Whether a candidate must not serve: it runs on scratch data. */
static inline bool atn_tune_on_scratch(const atn_tuner *t, int candidate)
{
    return t->s.shadow && candidate != t->incumbent && !t->candidate[candidate].is.same_bits;
}

/* expect.c: median of the winner; whether it cannot become slower than native. */
int64_t atn_tune_expect_winner(const atn_tuner *t);
bool atn_tune_expect_safe(const atn_tuner *t);
/* Candidates besides native that were measured. */
int atn_tune_expect_measured(const atn_tuner *t);
/* Expected time of a candidate and how wrong that may be, per mille; 0: unknown. */
int64_t atn_tune_expect_time(const atn_tuner *t, int i, int64_t *error_p);
/* Its maximum. */
int64_t atn_tune_expect_worst(const atn_tuner *t, int i);
/* Whether it may be faster than the winner by more than the margin. */
bool atn_tune_expect_worth(const atn_tuner *t, int i);
/* What a call may lose against native at most, by which it is probably slower than the winner, and
 * by which later calls may be faster. */
int64_t atn_tune_expect_loss(const atn_tuner *t, int i);
int64_t atn_tune_expect_regret(const atn_tuner *t, int i);
int64_t atn_tune_expect_saving(const atn_tuner *t, int i);

/* savings.c: time of native, of its latest calls or predicted; of the winner if there is none. */
int64_t atn_tune_savings_native(const atn_tuner *t);
/* Charges what a round has cost, before its times are recorded. */
void atn_tune_savings_charge(atn_tuner *t, const int64_t *block_ns, const int64_t *per_call_ps);
/* Accounts for the untimed calls before the round, after its times were recorded. */
void atn_tune_savings_settle(atn_tuner *t, const int64_t *block_ns, const int64_t *per_call_ps);
/* Another candidate becomes the winner, or the times of the winner have changed. */
void atn_tune_savings_replace(atn_tuner *t, int winner);
/* Calls until trials that are expected to take this much longer than the winner are worth it. */
int64_t atn_tune_savings_wait(const atn_tuner *t, int64_t regret_ns);

extern const atn_procedure atn_race, atn_star, atn_fixed;

#endif
