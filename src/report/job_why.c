/* job_why.c - the reasons why calls stayed native, and their remedies. */
#include "report/job.h"

/* How the text of a reason uses its numbers. */
typedef enum { PLAIN, ONE, CALLS, COST, SET_UP, TRIED, SLOWER, PREDICTED, OTHER, FASTER } form;

/* Texts hold no commas, so that simple scripts can split CSV lines. */
static const struct {
    form form;
    const char *words, *remedy;
} whys[ATN_WHYS] = {
    [ATN_WHY_SERVED] = {PLAIN, "", ""},
    [ATN_WHY_FIRST] = {ONE, "first calls of a communicator: %lld stay native",
                       "`attune run --first 1`"},
    [ATN_WHY_FEW] = {CALLS, "too few calls: %lld seen and %lld needed",
                     "run longer; or `attune tune -- LAUNCHER` once"},
    [ATN_WHY_BUDGET] = {COST, "over budget: the next trial needs %s and %s is left",
                        "a larger `--budget`; run longer; or `attune tune -- LAUNCHER` once"},
    [ATN_WHY_SET_UP] =
        {SET_UP,
         "over budget: the first trial needed %s and %s was left at call %lld; next check at "
         "call %lld",
         "a larger `--budget`; run longer; or `attune tune -- LAUNCHER` once"},
    [ATN_WHY_TRYING] = {TRIED, "undecided: %lld of %lld candidates tried when the job ended",
                        "run longer; or `attune tune -- LAUNCHER` once"},
    [ATN_WHY_SLOWER] = {SLOWER, "slower", "`attune tune -- LAUNCHER` tries more candidates"},
    [ATN_WHY_PREDICTED] = {PREDICTED, "not tried: all %lld candidates are predicted to be slower",
                           "`attune tune -- LAUNCHER` measures them"},
    [ATN_WHY_REPLACED] = {OTHER, "calls before %s had proved faster",
                          "none needed: the next run starts with the tuned algorithm"},
    [ATN_WHY_NEXT_RUN] = {FASTER, "results must not change within a run",
                          "run again; or `attune run --fp free`"},
    [ATN_WHY_ORDER] = {PLAIN,
                       "results must not change within a run and algorithms in canonical order "
                       "are not expected to win",
                       "run again: the next run starts with the fastest algorithm that was timed "
                       "beside the calls; or `attune run --fp free`"},
    [ATN_WHY_ROUNDING] = {PLAIN, "not tried: results must not change within a run",
                          "`attune run --fp free`; or `attune tune -- LAUNCHER` once"},
    [ATN_WHY_NO_BUDGET] = {PLAIN, "not tried: the budget is 0", "`attune run --budget 2`"},
    [ATN_WHY_EMPTY] = {PLAIN, "no data to move", "none: nothing can be gained"},
    [ATN_WHY_CLASSES] = {PLAIN, "not tried: too many call classes on the communicator",
                         "`attune tune -- LAUNCHER` and `attune run --select rules`"},
    [ATN_WHY_NOTHING] = {PLAIN, "no algorithm applies", "none"},
    [ATN_WHY_WISDOM] = {PLAIN, "wisdom selects native", "`attune tune -- LAUNCHER` measures again"},
    [ATN_WHY_RULE] = {PLAIN, "a rule selects native", "change the rule or `--algorithm`"},
    [ATN_WHY_REFUSED] = {PLAIN, "the algorithm of the rule does not apply",
                         "use another one: `attune algo list`"},
    [ATN_WHY_DRAWN] = {PLAIN, "random selection", "`attune run --select online`"},
    [ATN_WHY_NO_RULE] =
        {PLAIN, "no rule matches",
         "`attune tune -- LAUNCHER` writes rules; or `attune run --select online` without rules"},
    [ATN_WHY_PLANNING] = {CALLS, "no plan yet: %lld calls seen and %lld needed",
                          "run longer; or `attune tune -- LAUNCHER` once"},
    [ATN_WHY_UNSHARED] = {PLAIN, "the size differs between ranks: no prediction is possible",
                          "a rule: `attune run --algorithm OPERATION=NAME`"},
    [ATN_WHY_ALONE] = {PLAIN, "single process", "none: nothing can be gained"},
    [ATN_WHY_INTER] = {PLAIN, "not served: inter-communicator",
                       "none: merge the groups with MPI_Intercomm_merge"},
    [ATN_WHY_OUTSIDE] = {PLAIN, "not served: communicator with processes of another job", "none"},
    [ATN_WHY_ROOM] = {PLAIN, "not served: the communicator could not be set up on all ranks",
                      "free unused communicators; `attune run --verbose` names them"},
    [ATN_WHY_OPERATOR] = {PLAIN, "not served: operator and type",
                          "use a predefined operator on a type that MPI defines it for"},
    [ATN_WHY_TYPE] = {PLAIN, "not served: datatypes or counts", "none"},
    [ATN_WHY_ALIASED] = {PLAIN, "not served: send and receive buffers overlap", "use MPI_IN_PLACE"},
    [ATN_WHY_SHORT] = {PLAIN, "short nonblocking calls are not tuned",
                       "attune tune -- LAUNCHER once: wisdom serves them"},
    [ATN_WHY_RELAYED] = {PLAIN, "blocks are too large for the relay buffers of the algorithm",
                         "use an algorithm without relays: `attune algo list`"},
};

/* Parameters of algorithms are separated by commas. */
static void without_commas(char *text)
{
    for (; *text != '\0'; text++)
        if (*text == ',')
            *text = ';';
}

static const char *time_words(int64_t ns, char out[32])
{
    if (ns <= 0)
        snprintf(out, 32, "nothing");
    else if (ns < 1000000)
        snprintf(out, 32, "%.1f us", 1e-3 * (double)ns);
    else
        snprintf(out, 32, "%.2f ms", 1e-6 * (double)ns);
    return out;
}

/* A candidate that is not slower was not faster by the required margin. */
static void put_slower(const atn_job_reason *r, char out[ATN_WHY_WORDS])
{
    const long long tried = r->n[1];
    if (r->n[0] > 0)
        snprintf(out, ATN_WHY_WORDS, "slower: %s by %.1f %% (best of %lld tried)", r->other,
                 1e-1 * (double)r->n[0], tried);
    else
        snprintf(out, ATN_WHY_WORDS, "not faster: %s takes the same time (best of %lld tried)",
                 r->other, tried);
}

/* The format strings are those of the table above. */
void atn_report_why_words(const atn_job_reason *r, char out[ATN_WHY_WORDS])
{
    const char *const words = whys[r->why].words;
    const long long a = r->n[0], b = r->n[1];
    char cost[32], left[32];
    switch (whys[r->why].form) {
    case PLAIN:
        snprintf(out, ATN_WHY_WORDS, "%s", words);
        break;
    case ONE:
        snprintf(out, ATN_WHY_WORDS, words, a);
        break;
    case CALLS:
    case TRIED:
        snprintf(out, ATN_WHY_WORDS, words, a, b);
        break;
    case COST:
        snprintf(out, ATN_WHY_WORDS, words, time_words(a, cost), time_words(b, left));
        break;
    case SET_UP:
        snprintf(out, ATN_WHY_WORDS, words, time_words(a, cost), time_words(b, left),
                 (long long)r->n[2], (long long)r->n[3]);
        break;
    case PREDICTED:
        snprintf(out, ATN_WHY_WORDS, words, b);
        break;
    case SLOWER:
        put_slower(r, out);
        break;
    case OTHER:
        snprintf(out, ATN_WHY_WORDS, words, r->other);
        break;
    case FASTER:
        snprintf(out, ATN_WHY_WORDS, "%s: %s is faster by %.1f %%", words, r->other,
                 1e-1 * (double)a);
        break;
    }
    without_commas(out);
}

const char *atn_report_why_remedy(atn_why why) { return whys[why].remedy; }
