/* score.h - accuracy of predictions: predicted against measured times, and the loss of selecting by
 * prediction.
 *
 * The error of a prediction is the ratio mu = max(predicted, measured) / min(...): a factor of two
 * counts the same in both directions, and 1 is exact.  The relative error rho = |predicted -
 * measured| / measured is 1 for twice and 0.5 for half the time.  The cost of a selection is the
 * measured time of the algorithm that was predicted to be fastest, divided by that of the
 * fastest. */
#ifndef ATN_REPORT_SCORE_H
#define ATN_REPORT_SCORE_H

#include "base/base.h"

enum { ATN_SCORE_MODELS = 16 };

/* An algorithm that was measured and predicted. */
typedef struct {
    char operation[32];
    int64_t bytes;
    const char *algorithm;
    double measured;
    double predicted[ATN_SCORE_MODELS]; /* by each model; 0: no prediction */
    bool chosen;                        /* measured as the planner's selection; not predicted */
} atn_score_row;

typedef struct {
    int nmodels;
    const char *model[ATN_SCORE_MODELS];
    double within;               /* relative error of predictions that count as accurate */
    ATN_VEC(atn_score_row) rows; /* rows of a task (operation and bytes) are contiguous */
} atn_score;

/* The accuracy of a model over the rows of an operation (NULL: of all). */
typedef struct {
    int rows, tasks;
    double mu, worst_mu;       /* mean and worst error */
    double bias;               /* geometric mean of predicted over measured */
    double price, worst_price; /* mean and worst price of its selection, over the tasks */
    double rho;                /* mean relative error */
    double within;             /* part of the predictions with at most that of the score */
} atn_merit;

atn_merit atn_report_score_merit(const atn_score *s, int model, const char *operation);
/* The planner's selections against the fastest measured: tasks and prices only. */
atn_merit atn_report_score_choices(const atn_score *s, const char *operation);

/* One line per row with every model's prediction; or one per model and operation, and per model
 * over all.  Formats of report/table.h. */
atn_status atn_report_score_write_rows(FILE *f, const atn_score *s, const char *format,
                                       bool terminal, atn_error *err);
atn_status atn_report_score_write_merits(FILE *f, const atn_score *s, const char *format,
                                         bool terminal, atn_error *err);

#endif
