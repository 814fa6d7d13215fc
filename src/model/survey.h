/* survey.h - the observations of the job of `attune measure`, which prints these lines:
 *
 *   attune-survey 1
 *   job RANKS HOSTS PROCESSORS TOPOLOGY MPI       PROCESSORS: shared by all hosts; 0: not shared
 *   channel NAME                                  for each channel
 *   plan EXPERIMENTS ROUNDS IDENTITY
 *   o NUMBER KIND CHANNEL BYTES TAU WHAT SAMPLES MEDIAN LOW HIGH
 *   skip NUMBER                                   out of time
 *   failed STATUS REASON                          instead of the end
 *   end
 *
 * The plan is executed in several rounds, so that a temporary disturbance affects only one of them
 * (the last rounds skip long experiments); numbers continue from round to round.  `--resume` reads
 * the lines of a job that was killed: experiments run in the order of the plan, so those up to the
 * last number are complete. */
#ifndef ATN_MODEL_SURVEY_H
#define ATN_MODEL_SURVEY_H

#include "base/base.h"
#include "base/stats.h"

typedef enum {
#define ATN_OBSERVED(id, name, meaning) ATN_OBS_##id,
#include "model/survey.def"
#undef ATN_OBSERVED
    ATN_OBS_KINDS
} atn_obs_kind;

enum { ATN_SURVEY_ROUNDS = 5, ATN_SURVEY_LONG_ROUNDS = 3 };

extern const char *const atn_model_obs_names[ATN_OBS_KINDS];

typedef struct {
    atn_obs_kind kind;
    int channel; /* -1: none */
    int64_t bytes;
    int tau;
    char what[24];      /* "sum.f64" of REDUCE, "3-7" of PAIR; "-" */
    int samples;        /* of all rounds */
    atn_estimate value; /* of the median round */
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
    int next;                /* the first number not completed */
    ATN_VEC(atn_observation) seen;
    bool begun, done;
} atn_survey;

void atn_model_survey_free(atn_survey *s);

/* Parses a line; ignores output before the first line of the survey, which may come from the
 * launcher.  A resumed job repeats the head and must have the same plan. */
atn_status atn_model_survey_line(atn_survey *s, const char *line, atn_error *err);
/* After the last line: checks that the survey is complete. */
atn_status atn_model_survey_end(const atn_survey *s, atn_error *err);
/* Reads the file of a killed job; ignores an incomplete last line. */
atn_status atn_model_survey_read(const char *path, atn_survey *s, atn_error *err);

/* The median of several rounds; of two (and of four) the less disturbed one.  Its interval contains
 * all rounds except the most distant one, which may be an outlier. */
atn_estimate atn_model_survey_middle(const atn_estimate *rounds, int n, bool more_is_better);

/* The minimum over rounds, for short messages, which disturbances can only make slower.  Its
 * interval extends to the next round. */
atn_estimate atn_model_survey_least(const atn_estimate *rounds, int n);

void atn_model_survey_put_head(FILE *f, const atn_survey *s);
void atn_model_survey_put(FILE *f, int number, const atn_observation *o);

/* Whether it concerns the shared-memory transport, not the MPI library. */
static inline bool atn_model_obs_is_shared(atn_obs_kind kind)
{
    return kind >= ATN_OBS_SHARED_COPY;
}

/* The observed value; 0: none.  what NULL: any. */
double atn_model_survey_value(const atn_survey *s, atn_obs_kind kind, int channel, int64_t bytes,
                              int tau, const char *what);

#endif
