/* survey.c - see survey.h. */
#include "model/survey.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char first_line[] = "attune-survey 1";

const char *const atn_model_obs_names[ATN_OBS_KINDS] = {
#define ATN_OBSERVED(id, name, meaning) [ATN_OBS_##id] = name,
#include "model/survey.def"
#undef ATN_OBSERVED
};

void atn_model_survey_free(atn_survey *s)
{
    free(s->mpi);
    atn_vec_free(&s->channels);
    atn_vec_free(&s->seen);
    *s = (atn_survey){0};
}

double atn_model_survey_value(const atn_survey *s, atn_obs_kind kind, int channel, int64_t bytes,
                              int tau, const char *what)
{
    for (int i = 0; i < s->seen.n; i++) {
        const atn_observation *o = &s->seen.v[i];
        if (o->kind == kind && o->channel == channel && o->bytes == bytes && o->tau == tau &&
            (what == NULL || strcmp(o->what, what) == 0))
            return o->value.mid;
    }
    return 0;
}

/* ---- writing ---- */

void atn_model_survey_put_head(FILE *f, const atn_survey *s)
{
    fprintf(f, "%s\njob %d %d %d %016" PRIx64 " %s\n", first_line, s->ranks, s->hosts,
            s->processors, s->topology, s->mpi);
    for (int c = 0; c < s->channels.n; c++)
        fprintf(f, "channel %s\n", s->channels.v[c].name);
    fprintf(f, "plan %d %d %016" PRIx64 "\n", s->experiments, s->rounds, s->plan);
}

void atn_model_survey_put(FILE *f, int number, const atn_observation *o)
{
    fprintf(f, "o %d %s %d %" PRId64 " %d %s %d %.9g %.9g %.9g\n", number,
            atn_model_obs_names[o->kind], o->channel, o->bytes, o->tau, o->what, o->samples,
            o->value.mid, o->value.lo, o->value.hi);
}

/* ---- reading ---- */

typedef enum { TAKEN, INVALID, OTHER_PLAN, FAILED } taken;

/* The head of a resumed job repeats that of the first one. */
static taken take_job(atn_survey *s, const char *rest)
{
    atn_survey h = {0};
    int used = 0;
    if (sscanf(rest, "%d %d %d %" SCNx64 " %n", &h.ranks, &h.hosts, &h.processors, &h.topology,
               &used) != 4 ||
        used == 0 || h.hosts < 1 || h.ranks < h.hosts || h.processors < 0)
        return INVALID;
    if (s->mpi != NULL)
        return h.ranks == s->ranks && h.hosts == s->hosts && h.topology == s->topology &&
                       strcmp(rest + used, s->mpi) == 0
                   ? TAKEN
                   : OTHER_PLAN;
    s->ranks = h.ranks;
    s->hosts = h.hosts;
    s->processors = h.processors;
    s->topology = h.topology;
    s->mpi = strdup(rest + used);
    return s->mpi != NULL ? TAKEN : INVALID;
}

static taken take_channel(atn_survey *s, const char *rest)
{
    atn_survey_channel c;
    if (sscanf(rest, "%31s", c.name) != 1)
        return INVALID;
    if (s->experiments > 0) /* repeated; the identity of the plan covers it */
        return TAKEN;
    return atn_push(&s->channels, c) ? TAKEN : INVALID;
}

static taken take_plan(atn_survey *s, const char *rest)
{
    int n, rounds;
    uint64_t plan;
    if (sscanf(rest, "%d %d %" SCNx64, &n, &rounds, &plan) != 3 || n < 1 || rounds < 1 ||
        rounds > ATN_SURVEY_ROUNDS || s->mpi == NULL)
        return INVALID;
    if (s->experiments > 0)
        return n == s->experiments && rounds == s->rounds && plan == s->plan ? TAKEN : OTHER_PLAN;
    s->experiments = n;
    s->rounds = rounds;
    s->plan = plan;
    return TAKEN;
}

static bool kind_of(const char *name, atn_obs_kind *kind_p)
{
    for (int k = 0; k < ATN_OBS_KINDS; k++)
        if (strcmp(atn_model_obs_names[k], name) == 0) {
            *kind_p = (atn_obs_kind)k;
            return true;
        }
    return false;
}

static bool ordered(atn_estimate e)
{
    return isfinite(e.mid) && isfinite(e.hi) && e.lo >= 0 && e.lo <= e.mid && e.mid <= e.hi;
}

static int planned(const atn_survey *s) { return s->experiments * s->rounds; }

/* ---- rounds ---- */

static int by_value(const void *x, const void *y)
{
    const double a = ((const atn_estimate *)x)->mid, b = ((const atn_estimate *)y)->mid;
    return (a > b) - (a < b);
}

atn_estimate atn_model_survey_middle(const atn_estimate *rounds, int n, bool more_is_better)
{
    atn_estimate v[ATN_SURVEY_ROUNDS];
    memcpy(v, rounds, (size_t)n * sizeof *v);
    qsort(v, (size_t)n, sizeof *v, by_value);
    const int at = n % 2 ? n / 2 : n / 2 - !more_is_better;
    atn_estimate e = v[at];
    const bool low_is_odd = e.mid - v[0].mid > v[n - 1].mid - e.mid;
    e.lo = fmin(e.lo, v[n > 2 && low_is_odd].mid);
    e.hi = fmax(e.hi, v[n - 1 - (n > 2 && !low_is_odd)].mid);
    return e;
}

atn_estimate atn_model_survey_least(const atn_estimate *rounds, int n)
{
    atn_estimate v[ATN_SURVEY_ROUNDS];
    memcpy(v, rounds, (size_t)n * sizeof *v);
    qsort(v, (size_t)n, sizeof *v, by_value);
    v[0].hi = fmax(v[0].hi, v[n > 1].mid);
    return v[0];
}

/* In experiments with all ranks, mutual disturbance is what is measured. */
static bool only_disturbed(const atn_observation *o, atn_estimate middle)
{
    static const double short_time = 500e-6;
    const bool time =
        o->kind != ATN_OBS_ONE_WAY && o->kind != ATN_OBS_BOTH_WAYS && o->kind != ATN_OBS_EAGER;
    const bool all_ranks =
        o->kind == ATN_OBS_TOKEN || o->kind == ATN_OBS_ALL_RANKS || o->kind == ATN_OBS_BUSY;
    return time && !all_ranks && middle.mid < short_time;
}

static bool add_round(atn_observation *sum, const atn_observation *o)
{
    if (sum->rounds == ATN_SURVEY_ROUNDS)
        return false;
    sum->round[sum->rounds++] = o->value;
    sum->samples += o->samples;
    sum->value = atn_model_survey_middle(
        sum->round, sum->rounds, o->kind == ATN_OBS_ONE_WAY || o->kind == ATN_OBS_BOTH_WAYS);
    if (only_disturbed(o, sum->value))
        sum->value = atn_model_survey_least(sum->round, sum->rounds);
    return true;
}

static bool keep(atn_survey *s, atn_observation *o)
{
    for (int i = 0; i < s->seen.n; i++)
        if (s->seen.v[i].number == o->number)
            return s->seen.v[i].kind == o->kind && add_round(&s->seen.v[i], o);
    o->rounds = 1;
    o->round[0] = o->value;
    return atn_push(&s->seen, *o);
}

static taken take_observation(atn_survey *s, const char *rest)
{
    atn_observation o = {0};
    char kind[32];
    int number, used = 0;
    if (sscanf(rest, "%d %31s %d %" SCNd64 " %d %23s %d %lf %lf %lf%n", &number, kind, &o.channel,
               &o.bytes, &o.tau, o.what, &o.samples, &o.value.mid, &o.value.lo, &o.value.hi,
               &used) != 10 ||
        rest[used] != '\0' || !kind_of(kind, &o.kind) || !ordered(o.value) || o.bytes < 0 ||
        o.tau < 1 || o.samples < 1 || o.channel < -1 || o.channel >= s->channels.n ||
        number < s->next || number >= planned(s))
        return INVALID;
    s->next = number + 1;
    o.number = number % s->experiments;
    return keep(s, &o) ? TAKEN : INVALID;
}

static taken take_skip(atn_survey *s, const char *rest)
{
    int number;
    if (sscanf(rest, "%d", &number) != 1 || number < s->next || number >= planned(s))
        return INVALID;
    s->next = number + 1;
    return TAKEN;
}

static taken take_end(atn_survey *s, const char *rest)
{
    s->done = *rest == '\0' && s->experiments > 0 && s->next == planned(s);
    return s->done ? TAKEN : INVALID;
}

static taken take_failed(atn_survey *s, const char *rest)
{
    (void)s;
    return *rest != '\0' ? FAILED : INVALID;
}

static const struct {
    const char *word;
    taken (*take)(atn_survey *s, const char *rest);
} lines[] = {
    {"job", take_job},       {"channel", take_channel}, {"plan", take_plan},
    {"o", take_observation}, {"skip", take_skip},       {"end", take_end},
    {"failed", take_failed},
};
enum { LINES = sizeof lines / sizeof *lines };

static atn_status complain(taken what, const char *line, const char *rest, atn_error *err)
{
    int status = ATN_ENVIRONMENT, used = 0;
    if (what == OTHER_PLAN)
        return atn_fail(err, ATN_INPUT,
                        "the measurement to resume is of another job (ranks, hosts, topology, MPI "
                        "or options differ); use the same job, or measure without --resume");
    if (what == FAILED && sscanf(rest, "%d %n", &status, &used) == 1)
        return atn_fail(
            err, status > ATN_OK && status < ATN_MEMORY ? (atn_status)status : ATN_ENVIRONMENT,
            "%s", rest + used);
    return atn_fail(err, ATN_ENVIRONMENT,
                    "the measuring job printed the invalid line '%.60s'; check that the program in "
                    "libexec has the version of this command",
                    line);
}

atn_status atn_model_survey_line(atn_survey *s, const char *line, atn_error *err)
{
    if (strcmp(line, first_line) == 0) {
        s->begun = true;
        return ATN_OK;
    }
    if (!s->begun || s->done)
        return ATN_OK;
    for (int i = 0; i < LINES; i++) {
        const size_t n = strlen(lines[i].word);
        if (strncmp(line, lines[i].word, n) != 0 || (line[n] != ' ' && line[n] != '\0'))
            continue;
        const char *rest = line + n + (line[n] == ' ');
        const taken what = lines[i].take(s, rest);
        return what == TAKEN ? ATN_OK : complain(what, line, rest, err);
    }
    return complain(INVALID, line, line, err);
}

atn_status atn_model_survey_end(const atn_survey *s, atn_error *err)
{
    if (s->done)
        return ATN_OK;
    return atn_fail(err, ATN_ENVIRONMENT,
                    s->begun ? "the measuring job ended before it was complete; --resume continues "
                               "where it stopped"
                             : "the measuring job ended without output; check that the launcher "
                               "forwards the output of its program");
}

atn_status atn_model_survey_read(const char *path, atn_survey *s, atn_error *err)
{
    char *text = NULL;
    size_t bytes;
    int number = 0;
    atn_error why = {0};
    atn_status status = atn_read_file(path, &text, &bytes, err);
    for (char *at = text, *next; status == ATN_OK && (next = strchr(at, '\n')) != NULL;
         at = next + 1) {
        *next = '\0';
        number++;
        if (*at != '#' && atn_model_survey_line(s, at, &why) != ATN_OK)
            status = atn_fail(err, ATN_INPUT,
                              "%s:%d: not a line of a measurement; remove the file and measure "
                              "without --resume",
                              path, number);
    }
    if (status == ATN_OK && s->experiments == 0)
        status = atn_fail(err, ATN_INPUT,
                          "%s: contains no measurement to resume; measure without --resume", path);
    free(text);
    return status;
}
