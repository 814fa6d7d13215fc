/* private.h - what the files of the tuner share. */
#ifndef ATN_TUNE_PRIVATE_H
#define ATN_TUNE_PRIVATE_H

#include "tune/tuner.h"

/* A candidate and what was seen of it. */
typedef struct {
    atn_candidate is;
    int64_t kept[ATN_TUNE_KEEP]; /* per call of weight 1, picoseconds; a ring */
    int64_t samples;             /* blocks since it was last forgotten */
    int wins, losses;            /* against the incumbent */
    int clear;                   /* wins by a lot */
    bool out;                    /* lost, or not worth it */
} atn_candidate_state;

typedef struct {
    int candidate;
    int calls;      /* that it is long */
    int done;       /* that have run */
    int64_t weight; /* of those */
} atn_block;

/* Calls of the incumbent, then up to two blocks, then one agreement. */
typedef struct {
    int64_t quiet;
    atn_block block[2];
    int n;           /* blocks */
    int at;          /* the present one; n: waiting for the times */
    int64_t cost_ns; /* reserved while it lasts */
    bool begun;
    bool credit;    /* more than it may cost need not be left, as long as something is */
    int64_t ratios; /* of the account when it was planned */
} atn_round;

/* What would be tried next. */
typedef struct {
    int candidate;     /* -1: nothing */
    int64_t regret_ns; /* that it may cost */
} atn_trial;

typedef struct {
    void (*plan)(atn_tuner *t, atn_round *round);
    void (*take)(atn_tuner *t, const atn_round *round, const int64_t per_call_ps[2]);
    atn_trial (*next)(const atn_tuner *t);
} atn_procedure;

struct atn_tuner {
    atn_tune_settings s;
    const atn_procedure *procedure;
    atn_budget *account;
    atn_candidate_state runner[ATN_TUNE_CANDIDATES];
    int n, native;
    int incumbent; /* what serves the program */
    int winner;    /* what is known to be best: the incumbent, but for shadows */
    atn_tune_start start;
    atn_round round;
    int64_t agreement_ns; /* what one costs here */
    const char *why;
    /* ---- race.c ---- */
    bool watching;        /* nothing is left to try */
    int64_t reference_ps; /* what the winner is expected to take when it is looked at */
    int64_t tolerance_ps; /* change of it that is nothing unusual */
    int64_t window;       /* calls between two looks */
    int challenger;       /* that won a pair while watching; -1: none */
    bool suspicious;      /* the last look was off */
    bool drifted;         /* one measured candidate says nothing about the others */
    /* ---- star.c ---- */
    int delta; /* of the window */
};

/* tuner.c: the middle of the kept times; 0: none. */
int64_t atn_candidate_median(const atn_candidate_state *x);
/* Half of the range in which most of them lie. */
int64_t atn_candidate_spread(const atn_candidate_state *x);
void atn_candidate_record(atn_candidate_state *x, int64_t per_call_ps);
void atn_candidate_reset(atn_candidate_state *x);
/* Its duels count no longer. */
void atn_candidate_reset_pairs(atn_candidate_state *x);

extern const atn_procedure atn_race, atn_star, atn_fixed;

#endif
