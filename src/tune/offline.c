/* offline.c - see offline.h. */
#include "tune/offline.h"

#include <math.h>
#include <stdlib.h>

enum {
    MOST = 64,     /* rounds of a candidate in the screening, and in the final */
    WAVE = 8,      /* candidates that begin, and maximum of newcomers in a round */
    FEW = 3,       /* samples of native and of the leader before the screening ends */
    PAIRS = 6,     /* samples that an interval needs */
    COMPARED = 4,  /* candidates that replace the assumed calibration */
    FIRST_TEST = 6 /* samples at the first test of the final; doubled for each further test */
};

static const double alike = 0.02;             /* closer ones need not be distinguished */
static const double least_error = 0.5;        /* minimum error of a model */
static const double caution = 1.5;            /* predictions without measurement may be worse */
static const double share_of_screening = 0.7; /* of the time */
/* First calls set up plans and connections: only slow ones that are far off are dropped. */
static const double warm_up_factor = 4, warm_up_least_s = 0.05;

/* A candidate with this many samples is dropped when its minimum exceeds the best by the factor, */
static const struct {
    int samples;
    double factor;
} far[] = {{4, 1.25}, {2, 1.5}, {1, 4.0}};
/* and when this many others with as many samples are faster. */
static const struct {
    int samples, stay;
} limits[] = {{2, 10}, {4, 5}, {8, 3}};
enum { FAR = sizeof far / sizeof *far, LIMITS = sizeof limits / sizeof *limits };

const char *const atn_tune_fate_words[] = {"waiting", "hopeless", "racing", "slow", "crowd",
                                           "beaten",  "second",   "first",  "won",  NULL};

const atn_offline_settings atn_tune_offline_defaults = {
    .margin = 0.03,
    .calibration = {.factor = 1, .error = 1},
    .seconds = INFINITY,
    .screening = 16,
    .final = 48,
};

/* Samples with their rounds. */
typedef struct {
    int n;
    double seconds[MOST];
    int round[MOST];
} series;

typedef struct {
    int kind;
    double predicted, least;
    bool favoured;
    atn_fate fate;
    series screening, final;
} candidate;

struct atn_offline {
    atn_offline_settings s;
    atn_offline_stage stage;
    ATN_VEC(candidate) all;
    ATN_VEC(int) list; /* of the round; room for all */
    int round;
    int refined;       /* the leader whose neighbours were added; -1: none */
    int first, second; /* of the final; -1: none */
};

atn_offline *atn_tune_offline_new(const atn_offline_settings *s)
{
    atn_offline *o = calloc(1, sizeof *o);
    if (o == NULL)
        return NULL;
    o->s = *s;
    o->s.screening = atn_min(s->screening, MOST);
    o->s.final = atn_min(s->final, MOST);
    o->refined = o->first = o->second = -1;
    if (atn_tune_offline_add(o, -1, 0, true) == ATN_OFFLINE_NATIVE) {
        o->all.v[ATN_OFFLINE_NATIVE].fate = ATN_FATE_SECOND; /* until it wins */
        return o;
    }
    atn_tune_offline_free(o);
    return NULL;
}

void atn_tune_offline_free(atn_offline *o)
{
    if (o == NULL)
        return;
    atn_vec_free(&o->all);
    atn_vec_free(&o->list);
    free(o);
}

int atn_tune_offline_add(atn_offline *o, int kind, double predicted_s, bool favoured)
{
    const candidate x = {.kind = kind,
                         .predicted = predicted_s > 0 ? predicted_s : 0,
                         .least = INFINITY,
                         .favoured = favoured};
    if (!atn_push(&o->all, x) || !atn_push(&o->list, 0))
        return -1;
    return o->all.n - 1;
}

void atn_tune_offline_limit_rounds(atn_offline *o, int screening, int final)
{
    o->s.screening = atn_max(PAIRS, atn_min(o->s.screening, screening));
    o->s.final = atn_max(2 * FIRST_TEST, atn_min(o->s.final, final));
}

void atn_tune_offline_exclude(atn_offline *o, int i) { o->all.v[i].fate = ATN_FATE_SLOW; }

/* ---- measurements ---- */

static double median_of(const series *x)
{
    double v[MOST];
    for (int i = 0; i < x->n; i++)
        v[i] = x->seconds[i];
    return x->n > 0 ? atn_median(v, x->n).mid : INFINITY;
}

/* a / b over the rounds in which both ran; returns their number. */
static int compare(const series *a, const series *b, atn_estimate *ratio_p)
{
    double v[MOST];
    int n = 0;
    for (int i = 0, j = 0; i < a->n && j < b->n;) {
        if (a->round[i] == b->round[j])
            v[n++] = a->seconds[i++] / b->seconds[j++];
        else if (a->round[i] < b->round[j])
            i++;
        else
            j++;
    }
    if (n > 0)
        *ratio_p = atn_median(v, n);
    return n;
}

static bool races(const atn_offline *o, int i)
{
    return i != ATN_OFFLINE_NATIVE && o->all.v[i].fate == ATN_FATE_RACING;
}

int atn_tune_offline_leader(const atn_offline *o)
{
    int best = ATN_OFFLINE_NATIVE;
    double least = INFINITY;
    for (int i = 1; i < o->all.n; i++) {
        const double t = races(o, i) ? median_of(&o->all.v[i].screening) : INFINITY;
        if (t < least) {
            least = t;
            best = i;
        }
    }
    return best;
}

/* Of all that ran, native included. */
static double best_least(const atn_offline *o)
{
    double least = INFINITY;
    for (int i = 0; i < o->all.n; i++)
        least = fmin(least, o->all.v[i].least);
    return least;
}

/* ---- the model ---- */

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

atn_calibration atn_tune_offline_calibration(const atn_offline *o)
{
    atn_calibration calibration = o->s.calibration;
    int n = 0;
    double *v = malloc((size_t)o->all.n * sizeof *v);
    for (int i = 1; i < o->all.n && v != NULL; i++) {
        const candidate *x = &o->all.v[i];
        if (x->predicted > 0 && x->screening.n > 0)
            v[n++] = median_of(&x->screening) / x->predicted;
    }
    if (n >= COMPARED) {
        qsort(v, (size_t)n, sizeof *v, ascending);
        const double middle = v[n / 2], most = fmax(middle / v[0], v[n - 1] / middle);
        calibration = (atn_calibration){middle, fmax(least_error, caution * most - 1), n};
    }
    free(v);
    return calibration;
}

/* The best time within the error of the prediction. */
static double best_case(const candidate *x, const atn_calibration *c)
{
    return x->predicted * c->factor / (1 + c->error);
}

/* The time that a newcomer has to beat: the best measured one, or the best worst case predicted. */
static double to_beat(const atn_offline *o, const atn_calibration *c)
{
    double best = fmin(median_of(&o->all.v[ATN_OFFLINE_NATIVE].screening), INFINITY);
    const int leader = atn_tune_offline_leader(o);
    if (leader != ATN_OFFLINE_NATIVE)
        return fmin(best, median_of(&o->all.v[leader].screening));
    for (int i = 1; i < o->all.n; i++)
        if (o->all.v[i].predicted > 0)
            best = fmin(best, o->all.v[i].predicted * c->factor * (1 + c->error));
    return best;
}

static bool worth_it(const atn_offline *o, const candidate *x, const atn_calibration *c,
                     double best)
{
    return x->favoured || x->predicted <= 0 || o->s.exhaustive || best_case(x, c) < best;
}

/* ---- newcomers ---- */

static bool kind_ran(const atn_offline *o, int kind)
{
    for (int i = 1; i < o->all.n; i++)
        if (o->all.v[i].kind == kind && o->all.v[i].fate != ATN_FATE_WAITING)
            return true;
    return false;
}

/* Favoured ones, then the best of each kind that has not run, then the best. */
static bool goes_first(const atn_offline *o, int a, int b)
{
    const candidate *x = &o->all.v[a], *y = &o->all.v[b];
    if (x->favoured != y->favoured)
        return x->favoured;
    const bool new_x = !kind_ran(o, x->kind), new_y = !kind_ran(o, y->kind);
    if (new_x != new_y)
        return new_x;
    return x->predicted < y->predicted;
}

static int next_newcomer(const atn_offline *o, const atn_calibration *c, double best)
{
    int next = -1;
    for (int i = 1; i < o->all.n; i++)
        if (o->all.v[i].fate == ATN_FATE_WAITING && worth_it(o, &o->all.v[i], c, best) &&
            (next < 0 || goes_first(o, i, next)))
            next = i;
    return next;
}

/* Returns how many were admitted. */
static int admit(atn_offline *o)
{
    const atn_calibration calibration = atn_tune_offline_calibration(o);
    const double best = to_beat(o, &calibration);
    int n = 0;
    for (int i; (n < WAVE || o->s.exhaustive) && (i = next_newcomer(o, &calibration, best)) >= 0;
         n++)
        o->all.v[i].fate = ATN_FATE_RACING;
    return n;
}

/* ---- dropped candidates ---- */

static bool far_off(const candidate *x, double best)
{
    for (int i = 0; i < FAR; i++)
        if (x->screening.n >= far[i].samples)
            return x->least > far[i].factor * best;
    return false;
}

static bool slower(const candidate *x, const candidate *leader)
{
    atn_estimate ratio;
    return compare(&x->screening, &leader->screening, &ratio) >= PAIRS && ratio.lo > 1;
}

/* How many racing ones with at least this many samples are faster. */
static int faster_ones(const atn_offline *o, int i, int samples)
{
    const double own = median_of(&o->all.v[i].screening);
    int n = 0;
    for (int k = 1; k < o->all.n; k++)
        n += races(o, k) && o->all.v[k].screening.n >= samples &&
             median_of(&o->all.v[k].screening) < own;
    return n;
}

static bool is_surplus(const atn_offline *o, int i)
{
    for (int k = 0; k < LIMITS; k++)
        if (o->all.v[i].screening.n >= limits[k].samples &&
            faster_ones(o, i, limits[k].samples) >= limits[k].stay)
            return true;
    return false;
}

static void drop(atn_offline *o)
{
    const int leader = atn_tune_offline_leader(o);
    const double best = best_least(o);
    for (int i = 1; i < o->all.n && !o->s.exhaustive; i++) {
        candidate *x = &o->all.v[i];
        if (!races(o, i) || i == leader || x->screening.n == 0)
            continue;
        if (far_off(x, best) || slower(x, &o->all.v[leader]))
            x->fate = ATN_FATE_SLOW;
        else if (is_surplus(o, i))
            x->fate = ATN_FATE_SURPLUS;
    }
}

void atn_tune_offline_warm_up(atn_offline *o, int i, double seconds)
{
    candidate *x = &o->all.v[i];
    if (races(o, i) && !o->s.exhaustive && seconds > warm_up_least_s &&
        seconds > warm_up_factor * best_least(o))
        x->fate = ATN_FATE_SLOW;
}

/* ---- screening ---- */

static bool is_open(const atn_offline *o, int i, int leader)
{
    const candidate *x = &o->all.v[i];
    atn_estimate ratio;
    if (!races(o, i) || x->screening.n >= o->s.screening)
        return false;
    if (o->s.exhaustive)
        return true;
    if (i == leader)
        return x->screening.n < FEW;
    return compare(&x->screening, &o->all.v[leader].screening, &ratio) < PAIRS ||
           ratio.lo < 1 - alike || ratio.hi > 1 + alike;
}

/* The leader runs with its challengers, in rotating order. */
static int list_screening(atn_offline *o)
{
    const int leader = atn_tune_offline_leader(o), all = o->all.n;
    const bool short_of_native = o->all.v[ATN_OFFLINE_NATIVE].screening.n < FEW;
    bool open = false;
    int n = 0;
    for (int i = 1; i < all; i++)
        open = open || is_open(o, i, leader);
    for (int k = 0; k < all && (open || short_of_native); k++) {
        const int i = (k + o->round) % all;
        const bool native = i == ATN_OFFLINE_NATIVE && short_of_native;
        const bool leads =
            i == leader && i != ATN_OFFLINE_NATIVE && open && o->all.v[i].screening.n < MOST;
        if (native || leads || is_open(o, i, leader))
            o->list.v[n++] = i;
    }
    return n;
}

static int screen(atn_offline *o)
{
    drop(o);
    admit(o);
    return list_screening(o);
}

/* ---- final ---- */

static int runner_up(const atn_offline *o, int leader)
{
    int best = -1;
    for (int i = 1; i < o->all.n; i++)
        if (i != leader && races(o, i) && o->all.v[i].screening.n > 0 &&
            (best < 0 || median_of(&o->all.v[i].screening) < median_of(&o->all.v[best].screening)))
            best = i;
    return best;
}

/* Candidates that never ran were hopeless, or there was no time. */
static void settle_fates(atn_offline *o)
{
    const atn_calibration calibration = atn_tune_offline_calibration(o);
    const double best = to_beat(o, &calibration);
    for (int i = 1; i < o->all.n; i++) {
        candidate *x = &o->all.v[i];
        if (x->fate == ATN_FATE_WAITING && !worth_it(o, x, &calibration, best))
            x->fate = ATN_FATE_HOPELESS;
        else if (x->fate == ATN_FATE_RACING)
            x->fate = i == o->first        ? ATN_FATE_FIRST
                      : i == o->second     ? ATN_FATE_SECOND
                      : x->screening.n > 0 ? ATN_FATE_BEATEN
                                           : ATN_FATE_WAITING;
    }
}

static void begin_final(atn_offline *o)
{
    const int leader = atn_tune_offline_leader(o);
    o->first = leader != ATN_OFFLINE_NATIVE ? leader : -1;
    o->second = runner_up(o, leader);
    settle_fates(o);
    o->stage = ATN_OFFLINE_FINAL;
}

atn_native_comparison atn_tune_compare_with_native(const double *seconds, const double *native,
                                                   int n, double margin)
{
    double v[MOST];
    const int used = atn_min(n, MOST);
    for (int i = 0; i < used; i++)
        v[i] = seconds[i] / native[i];
    const atn_estimate ratio = atn_median(v, used);
    return (atn_native_comparison){used >= PAIRS && ratio.hi <= 1 - margin, ratio};
}

static atn_native_comparison against_native(const atn_offline *o, int i)
{
    const series *x = &o->all.v[i].final;
    return atn_tune_compare_with_native(x->seconds, o->all.v[ATN_OFFLINE_NATIVE].final.seconds,
                                        x->n, o->s.margin);
}

/* The leader is faster by the margin, or cannot be. */
static bool decided(const atn_offline *o)
{
    if (o->first < 0)
        return true;
    const atn_native_comparison x = against_native(o, o->first);
    return x.faster || x.vs_native.lo > 1 - o->s.margin;
}

static void decide(atn_offline *o)
{
    int winner = ATN_OFFLINE_NATIVE;
    atn_estimate ratio;
    if (o->first >= 0 && against_native(o, o->first).faster)
        winner = o->first;
    if (o->second >= 0 && against_native(o, o->second).faster &&
        (winner == ATN_OFFLINE_NATIVE ||
         (compare(&o->all.v[o->second].final, &o->all.v[o->first].final, &ratio) >= PAIRS &&
          ratio.hi < 1)))
        winner = o->second;
    o->all.v[winner].fate = ATN_FATE_WON;
    o->stage = ATN_OFFLINE_OVER;
}

/* Repeated tests reduce confidence, so there are few. */
static bool may_test(int n)
{
    for (int at = FIRST_TEST; at <= n; at *= 2)
        if (at == n)
            return true;
    return false;
}

static int list_final(atn_offline *o, double elapsed_s)
{
    const int those[] = {ATN_OFFLINE_NATIVE, o->first, o->second};
    const int done = o->all.v[ATN_OFFLINE_NATIVE].final.n;
    const bool late = done >= FIRST_TEST && elapsed_s > o->s.seconds;
    int n = 0;
    if (late || done >= o->s.final || (may_test(done) && decided(o))) {
        decide(o);
        return 0;
    }
    for (int k = 0; k < 3; k++)
        if (those[(k + o->round) % 3] >= 0)
            o->list.v[n++] = those[(k + o->round) % 3];
    return n;
}

/* ---- rounds ---- */

/* Requests the neighbours of a new leader, if there is time. */
static bool request_neighbours(atn_offline *o, bool late)
{
    const int leader = atn_tune_offline_leader(o);
    if (late || o->s.as_it_is || leader == ATN_OFFLINE_NATIVE || leader == o->refined)
        return false;
    o->stage = ATN_OFFLINE_REFINING;
    o->refined = leader;
    return true;
}

int atn_tune_offline_round(atn_offline *o, double elapsed_s, const int **list_p)
{
    const bool late = elapsed_s > share_of_screening * o->s.seconds;
    int n = 0;
    *list_p = o->list.v;
    if (o->stage == ATN_OFFLINE_REFINING)
        o->stage = ATN_OFFLINE_SCREENING;
    if (o->stage == ATN_OFFLINE_SCREENING) {
        const bool begun = o->all.v[ATN_OFFLINE_NATIVE].screening.n > 0;
        if (!late || !begun)
            n = screen(o);
        if (n == 0 && request_neighbours(o, late))
            return 0;
        if (n == 0)
            begin_final(o);
    }
    if (o->stage == ATN_OFFLINE_FINAL)
        n = list_final(o, elapsed_s);
    o->round++;
    return n;
}

void atn_tune_offline_record(atn_offline *o, int i, double seconds)
{
    candidate *x = &o->all.v[i];
    series *to = o->stage == ATN_OFFLINE_FINAL ? &x->final : &x->screening;
    if (to->n == MOST)
        return;
    to->seconds[to->n] = seconds;
    to->round[to->n++] = o->round;
    if (o->stage != ATN_OFFLINE_FINAL)
        x->least = fmin(x->least, seconds);
}

void atn_tune_offline_design(atn_offline *o)
{
    const atn_calibration calibration = atn_tune_offline_calibration(o);
    const double best = to_beat(o, &calibration);
    admit(o);
    for (int i = 1; i < o->all.n; i++)
        if (o->all.v[i].fate == ATN_FATE_WAITING && !worth_it(o, &o->all.v[i], &calibration, best))
            o->all.v[i].fate = ATN_FATE_HOPELESS;
}

/* ---- queries ---- */

atn_offline_stage atn_tune_offline_stage_of(const atn_offline *o) { return o->stage; }
atn_fate atn_tune_offline_fate(const atn_offline *o, int i) { return o->all.v[i].fate; }
double atn_tune_offline_predicted(const atn_offline *o, int i) { return o->all.v[i].predicted; }
