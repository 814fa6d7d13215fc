/* survey.h - what the job of `attune measure` observes, and how it tells it, line by line:
 *
 *   attune-survey 1
 *   job RANKS HOSTS PROCESSORS TOPOLOGY MPI       PROCESSORS: that hosts share; 0: own ones
 *   channel NAME                                  for each channel
 *   plan EXPERIMENTS ROUNDS IDENTITY
 *   o NUMBER KIND CHANNEL BYTES TAU WHAT SAMPLES MEDIAN LOW HIGH
 *   skip NUMBER                                   no time for it
 *   failed STATUS REASON                          instead of the end
 *   end
 *
 * The plan is gone through in rounds, so that what disturbs the machine for a while spoils one of
 * them only (in the last ones, what takes long is skipped); numbers go on from round to round.  A
 * file with the lines of a job that was killed is how `--resume` goes on: experiments are done in
 * the order of the plan, so those up to the last number are complete. */
#ifndef ATN_SURVEY_H
#define ATN_SURVEY_H

#include "base/base.h"
#include "base/stats.h"

typedef enum {
#define ATN_OBSERVED(id, name, meaning) ATN_OBS_##id,
#include "model/survey.def"
#undef ATN_OBSERVED
    ATN_OBS_KINDS
} atn_obs_kind;

enum { ATN_SURVEY_ROUNDS = 5, ATN_SURVEY_LONG_ROUNDS = 3 };

extern const char *const atn_obs_names[ATN_OBS_KINDS];

typedef struct {
    atn_obs_kind kind;
    int channel; /* -1: none */
    int64_t bytes;
    int tau;
    char what[24];      /* "sum.f64" of REDUCE, "3-7" of PAIR; "-" */
    int samples;        /* of all rounds */
    atn_estimate value; /* of the middle one */
    int number;         /* of the experiment */
    int rounds;
    atn_estimate round[ATN_SURVEY_ROUNDS];
} atn_observation;

typedef struct {
    char name[32];
} atn_survey_channel;

typedef struct {
    int ranks, hosts, processors;
    uint64_t topology, plan; /* identities */
    char *mpi;
    ATN_VEC(atn_survey_channel) channels;
    int experiments, rounds; /* planned */
    int next;                /* the first number that is not done */
    ATN_VEC(atn_observation) seen;
    bool begun, done;
} atn_survey;

void atn_survey_free(atn_survey *s);

/* Takes a line; those before the first of the survey are ignored, launchers like to talk.  A job
 * that goes on where another one stopped begins anew and must have the same plan. */
atn_status atn_survey_line(atn_survey *s, const char *line, atn_error *err);
/* After the last line: is it all there? */
atn_status atn_survey_end(const atn_survey *s, atn_error *err);
/* Reads what a killed job left; a last line that breaks off is left out. */
atn_status atn_survey_read(const char *path, atn_survey *s, atn_error *err);

/* One value of several rounds: the middle one; of two (and of four) the one that was less
 * disturbed.  Its interval holds all rounds but the one furthest away, which may be a hiccup. */
atn_estimate atn_survey_middle(const atn_estimate *rounds, int n, bool more_is_better);

/* Of short messages the least disturbed round, whose interval reaches to the next one: what else a
 * machine does can only make them slower. */
atn_estimate atn_survey_least(const atn_estimate *rounds, int n);

void atn_survey_put_head(FILE *f, const atn_survey *s);
void atn_survey_put(FILE *f, int number, const atn_observation *o);

/* The value seen; 0: not there.  what NULL: any. */
double atn_survey_value(const atn_survey *s, atn_obs_kind kind, int channel, int64_t bytes, int tau,
                        const char *what);

#endif
