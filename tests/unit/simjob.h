/* simjob.h - simulated jobs for tests of the tuner: noise, outliers, drift, models that are right
 * or wrong. */
#ifndef SIMJOB_H
#define SIMJOB_H

#include "tune/tuner.h"

enum { NATIVE = 0, MOST = 24, DELAY_OWN = -1 };

typedef struct {
    int n;              /* candidates; 0 is native */
    double time[MOST];  /* seconds */
    double model[MOST]; /* predicted seconds; 0: unknown */
    double later[MOST]; /* times from call `drift` on */
    int group[MOST];
    int64_t drift;    /* 0: never */
    double error;     /* of the model */
    double noise;     /* relative deviation of a call */
    double outliers;  /* part of the calls that take five times as long */
    double tail;      /* part of the calls that take up to 200 times as long: Pareto distribution */
    double compute;   /* seconds between calls */
    double agreement; /* seconds; 0: 20 us */
    int delay; /* calls until agreed times arrive; DELAY_OWN: atn_tune_budget_agreement_delay */
    uint64_t seed;
} sim_machine;

typedef struct {
    double total;  /* seconds in calls and agreements */
    double native; /* time of native alone */
    double worst;  /* call */
    int64_t served[MOST];
    int64_t below; /* the last call after which the sum was above native's */
    int64_t found; /* the call from which on the incumbent stayed the same */
    int64_t agreements, timed;
    int incumbent;
    atn_tuner_result result;
    atn_budget budget;
    uint64_t path; /* hash of all decisions */
} sim_outcome;

typedef struct {
    const sim_machine *m;
    sim_outcome *o;
    uint64_t random;
    double *elapsed, sum[2];
    int64_t stage[10 * ATN_TUNE_CANDIDATES]; /* ns, of the calls of a stage */
    const atn_budget *budget;                /* for DELAY_OWN */
    int waiting; /* calls until the agreed times arrive; -1: no agreement is pending */
} sim_job;

double sim_uniform(uint64_t *state);
/* The candidates of a machine; returns their number. */
int sim_describe(const sim_machine *m, atn_candidate list[MOST]);
void sim_one_call(sim_job *j, atn_tuner *t, int64_t call);
sim_outcome sim_play_tuner(const sim_machine *m, atn_tuner *t, atn_budget *budget, int64_t calls);
sim_outcome sim_play_from(const sim_machine *given, const atn_tune_settings *s, int64_t calls,
                          int start, atn_tune_start kind, double wisdom);
sim_outcome sim_play(const sim_machine *m, atn_tune_mode mode, int64_t calls);
double sim_best_time(const sim_machine *m);
/* The budget was kept, except for one call that was slower than predicted. */
void sim_assert_budget(const sim_machine *m, const sim_outcome *o);
/* Cyclic mapping on a slow network: the better algorithms win clearly, the model is decent. */
sim_machine sim_decent(uint64_t seed);

#endif
