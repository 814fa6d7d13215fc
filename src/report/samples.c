/* samples.c - reads raw measurements; see samples.h and docs/benchmarking.md. */
#include "report/samples.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const atn_report_role_names[] = {"native", "control",   "attune",
                                             "named",  "candidate", NULL};

static const double longest_s = 1e6; /* no call takes that long */

void atn_report_samples_free(atn_samples *s)
{
    for (int i = 0; i < s->tasks.n; i++) {
        for (int k = 0; k < s->tasks.v[i].variants.n; k++) {
            free(s->tasks.v[i].variants.v[k].algorithm);
            atn_vec_free(&s->tasks.v[i].variants.v[k].seconds);
            atn_vec_free(&s->tasks.v[i].variants.v[k].rounds);
            atn_vec_free(&s->tasks.v[i].variants.v[k].overlaps);
        }
        atn_vec_free(&s->tasks.v[i].variants);
    }
    atn_vec_free(&s->tasks);
    free(s->mpi);
    s->mpi = NULL;
}

void atn_report_samples_reader_free(atn_samples_reader *r)
{
    atn_vec_free(&r->local);
    free(r->refused);
    r->refused = NULL;
}

/* ---- messages ---- */

static atn_status bad(const atn_samples_reader *r, atn_error *err, const char *what,
                      const char *text)
{
    return atn_fail(err, ATN_INPUT, "%s:%d: %s: '%.80s'", r->origin, r->line, what, text);
}

static atn_status no_memory(atn_error *err) { return atn_fail(err, ATN_MEMORY, "out of memory"); }

/* ---- finding ---- */

static bool same_task(const atn_task *a, const atn_task *b)
{
    return strcmp(a->operation, b->operation) == 0 && a->bytes == b->bytes && a->ranks == b->ranks;
}

static int find_task(const atn_samples *s, const atn_task *t)
{
    for (int i = 0; i < s->tasks.n; i++)
        if (same_task(&s->tasks.v[i], t))
            return i;
    return -1;
}

const atn_task *atn_report_samples_find(const atn_samples *s, const char *operation, int64_t bytes)
{
    for (int i = 0; i < s->tasks.n; i++)
        if (s->tasks.v[i].bytes == bytes && strcmp(s->tasks.v[i].operation, operation) == 0)
            return &s->tasks.v[i];
    return NULL;
}

static int find_variant(const atn_task *t, atn_role role, const char *algorithm)
{
    for (int i = 0; i < t->variants.n; i++)
        if (t->variants.v[i].role == role && strcmp(t->variants.v[i].algorithm, algorithm) == 0)
            return i;
    return -1;
}

static bool parse_role(const char *word, atn_role *role_p)
{
    for (int i = 0; atn_report_role_names[i] != NULL; i++)
        if (strcmp(atn_report_role_names[i], word) == 0) {
            *role_p = (atn_role)i;
            return true;
        }
    return false;
}

/* ---- the lines: each function gets the text behind the first word ---- */

static atn_status read_version(atn_samples_reader *r, const char *rest, atn_error *err)
{
    char *end;
    const long version = strtol(rest, &end, 10);
    if (end == rest || *end != '\0')
        return bad(r, err, "no version", rest);
    if (version != ATN_SAMPLES_VERSION)
        return atn_fail(
            err, ATN_INPUT,
            "%s:%d: samples of version %ld, but this attune reads version %d; use the version "
            "that wrote them",
            r->origin, r->line, version, ATN_SAMPLES_VERSION);
    r->state = ATN_IN_HEAD;
    return ATN_OK;
}

/* "16 00c0ffee00c0ffee Open MPI v4.1.4" */
static atn_status read_job(atn_samples_reader *r, const char *rest, atn_error *err)
{
    atn_samples *s = r->s;
    uint64_t topology;
    int ranks, used = 0;
    if (sscanf(rest, "%d %" SCNx64 " %n", &ranks, &topology, &used) != 2 || used == 0 || ranks < 1)
        return bad(r, err, "not 'job RANKS TOPOLOGY MPI'", rest);
    const char *mpi = rest + used;
    if (s->ranks == 0 && (s->mpi = strdup(mpi)) == NULL)
        return no_memory(err);
    if (s->ranks != 0 && (s->ranks != ranks || s->topology != topology || strcmp(s->mpi, mpi) != 0))
        return atn_fail(err, ATN_INPUT,
                        "%s:%d: a job of %d ranks with %s follows one of %d ranks with %s%s; only "
                        "equal jobs can be pooled, use separate files",
                        r->origin, r->line, ranks, mpi, s->ranks, s->mpi,
                        s->topology != topology ? " on another topology" : "");
    s->ranks = ranks;
    s->topology = topology;
    r->state = ATN_BETWEEN_TASKS;
    return ATN_OK;
}

static atn_status read_place(atn_samples_reader *r, const char *rest, atn_error *err)
{
    atn_samples *s = r->s;
    if (*rest == '\0' || strchr(rest, ' ') != NULL || strlen(rest) >= sizeof s->place)
        return bad(r, err, "not 'place MACHINE/LAYOUT'", rest);
    memcpy(s->place, rest, strlen(rest) + 1);
    return ATN_OK;
}

static atn_status read_seed(atn_samples_reader *r, const char *rest, atn_error *err)
{
    atn_samples *s = r->s;
    if (*rest == '\0' || rest[strspn(rest, "0123456789")] != '\0' || strlen(rest) >= sizeof s->seed)
        return bad(r, err, "not 'seed NUMBER'", rest);
    if (s->tasks.n == 0)
        memcpy(s->seed, rest, strlen(rest) + 1);
    else if (strcmp(s->seed, rest) != 0)
        s->seed[0] = '\0';
    return ATN_OK;
}

/* "bcast 131072 0.011049271" */
static atn_status read_task(atn_samples_reader *r, const char *rest, atn_error *err)
{
    atn_task t = {.ranks = r->s->ranks};
    int used = 0;
    if (sscanf(rest, "%31s %" SCNd64 " %lf %n", t.operation, &t.bytes, &t.bound_s, &used) != 3 ||
        rest[used] != '\0' || t.bytes < 0 || !(t.bound_s >= 0 && t.bound_s < longest_s))
        return bad(r, err, "not 'task OPERATION BYTES BOUND'", rest);
    r->task = find_task(r->s, &t);
    if (r->task < 0) {
        if (!atn_push(&r->s->tasks, t))
            return no_memory(err);
        r->task = r->s->tasks.n - 1;
    }
    r->local.n = 0;
    r->s->tasks.v[r->task].round++;
    r->state = ATN_IN_TASK;
    return ATN_OK;
}

static atn_status add_variant(atn_samples_reader *r, atn_role role, const char *algorithm,
                              atn_error *err)
{
    atn_task *t = &r->s->tasks.v[r->task];
    int at = find_variant(t, role, algorithm);
    if (at < 0) {
        atn_variant v = {.role = role, .algorithm = strdup(algorithm)};
        if (v.algorithm == NULL || !atn_push(&t->variants, v)) {
            free(v.algorithm);
            return no_memory(err);
        }
        at = t->variants.n - 1;
    }
    return atn_push(&r->local, at) ? ATN_OK : no_memory(err);
}

/* "3 candidate chain{segment=8K}" */
static atn_status read_variant(atn_samples_reader *r, const char *rest, atn_error *err)
{
    char word[16];
    int number, used = 0;
    atn_role role;
    if (sscanf(rest, "%d %15s %n", &number, word, &used) != 2 || used == 0 || rest[used] == '\0' ||
        !parse_role(word, &role))
        return bad(r, err, "not 'variant NUMBER ROLE ALGORITHM'", rest);
    if (number != r->local.n)
        return bad(r, err, "variants must be numbered 0, 1, 2 ...", rest);
    return add_variant(r, role, rest + used, err);
}

static atn_status read_round(atn_samples_reader *r, const char *rest, atn_error *err)
{
    if (*rest != '\0')
        return bad(r, err, "text behind 'round'", rest);
    r->s->tasks.v[r->task].round++;
    return ATN_OK;
}

/* No variant has two samples in a round: where rounds are not marked, that begins the next one. */
static bool add_sample(atn_task *t, atn_variant *v, double seconds)
{
    if (v->rounds.n > 0 && v->rounds.v[v->rounds.n - 1] == t->round)
        t->round++;
    return atn_push(&v->rounds, t->round) && atn_push(&v->seconds, seconds);
}

static bool is_time(double seconds)
{
    return isfinite(seconds) && seconds > 0 && seconds <= longest_s;
}

/* "3 0.109482113" */
static atn_status read_sample(atn_samples_reader *r, const char *rest, atn_error *err)
{
    char *end, *number = NULL;
    const long variant = strtol(rest, &end, 10);
    double seconds = 0;
    if (end != rest && *end == ' ') {
        number = end + 1;
        seconds = strtod(number, &end);
    }
    if (number == NULL || end == number || *end != '\0')
        return bad(r, err, "not 's VARIANT SECONDS'", rest);
    if (variant < 0 || variant >= r->local.n)
        return bad(r, err, "unknown variant of this task", rest);
    if (!is_time(seconds))
        return bad(r, err, "time out of range", rest);
    atn_task *const t = &r->s->tasks.v[r->task];
    return add_sample(t, &t->variants.v[r->local.v[variant]], seconds) ? ATN_OK : no_memory(err);
}

/* "3 0.000120 0.000151 0.000121": of the last sample of the variant */
static atn_status read_overlap(atn_samples_reader *r, const char *rest, atn_error *err)
{
    atn_overlap_sample o;
    int number, used = 0;
    if (sscanf(rest, "%d %lf %lf %lf %n", &number, &o.compute_s, &o.overall_s, &o.inside_s,
               &used) != 4 ||
        rest[used] != '\0' || number < 0 || number >= r->local.n)
        return bad(r, err, "not 'overlap VARIANT COMPUTE OVERALL INSIDE'", rest);
    if (!is_time(o.compute_s) || !is_time(o.overall_s) || !is_time(o.inside_s))
        return bad(r, err, "time out of range", rest);
    atn_variant *const v = &r->s->tasks.v[r->task].variants.v[r->local.v[number]];
    if (v->overlaps.n + 1 != v->seconds.n)
        return bad(r, err, "it must follow each sample of the variant", rest);
    return atn_push(&v->overlaps, o) ? ATN_OK : no_memory(err);
}

/* "3 slow 0.000123": in a search */
static atn_status read_fate(atn_samples_reader *r, const char *rest, atn_error *err)
{
    char word[12];
    int number, used = 0;
    double predicted;
    if (sscanf(rest, "%d %11s %lf %n", &number, word, &predicted, &used) != 3 ||
        rest[used] != '\0' || number < 0 || number >= r->local.n ||
        !(predicted >= 0 && predicted < longest_s))
        return bad(r, err, "not 'fate VARIANT WORD PREDICTED'", rest);
    atn_variant *v = &r->s->tasks.v[r->task].variants.v[r->local.v[number]];
    memcpy(v->fate, word, sizeof word);
    v->predicted_s = predicted;
    return ATN_OK;
}

static atn_status read_refused(atn_samples_reader *r, const char *rest, atn_error *err)
{
    free(r->refused);
    r->refused = strdup(rest);
    return r->refused != NULL ? ATN_OK : no_memory(err);
}

static atn_status read_best(atn_samples_reader *r, const char *rest, atn_error *err)
{
    if (*rest != '\0')
        return bad(r, err, "text behind 'best'", rest);
    r->s->tasks.v[r->task].seeks_best = true;
    return ATN_OK;
}

static atn_status read_done(atn_samples_reader *r, const char *rest, atn_error *err)
{
    const atn_task *t = &r->s->tasks.v[r->task];
    if (*rest != '\0')
        return bad(r, err, "text behind 'done'", rest);
    for (int i = 0; i < r->local.n; i++) {
        const atn_variant *v = &t->variants.v[r->local.v[i]];
        if (v->seconds.n == 0 && v->role == ATN_ROLE_NATIVE)
            return bad(r, err, "a variant of the task has no samples", v->algorithm);
        if (v->overlaps.n != 0 && v->overlaps.n != v->seconds.n)
            return bad(r, err, "a sample of the variant has no overlap", v->algorithm);
    }
    r->done++;
    r->safe_line = r->line;
    r->state = ATN_BETWEEN_TASKS;
    return ATN_OK;
}

static atn_status read_end(atn_samples_reader *r, const char *rest, atn_error *err)
{
    if (*rest != '\0')
        return bad(r, err, "text behind 'end'", rest);
    r->state = ATN_BEFORE_JOB;
    return ATN_OK;
}

/* "3 no algorithm of that name": the job gave up; its status is that of the command. */
static atn_status read_failed(atn_samples_reader *r, const char *rest, atn_error *err)
{
    char *end;
    const long status = strtol(rest, &end, 10);
    const char *const reason = end + strspn(end, " ");
    if (end == rest || status <= ATN_OK || status > ATN_NOT_APPLICABLE || *reason == '\0')
        return bad(r, err, "not 'failed STATUS REASON'", rest);
    return atn_fail(err, (atn_status)status, "%s", reason);
}

/* The lines of the format: in which states they may occur, and their readers. */
static const struct {
    const char *word;
    unsigned states; /* bits by atn_reading */
    atn_status (*read)(atn_samples_reader *r, const char *rest, atn_error *err);
} lines[] = {
    {"attune-samples", 1U << ATN_BEFORE_JOB, read_version},
    {"job", 1U << ATN_IN_HEAD, read_job},
    {"place", 1U << ATN_BETWEEN_TASKS, read_place},
    {"seed", 1U << ATN_BETWEEN_TASKS, read_seed},
    {"task", 1U << ATN_BETWEEN_TASKS, read_task},
    {"variant", 1U << ATN_IN_TASK, read_variant},
    {"round", 1U << ATN_IN_TASK, read_round},
    {"s", 1U << ATN_IN_TASK, read_sample},
    {"overlap", 1U << ATN_IN_TASK, read_overlap},
    {"fate", 1U << ATN_IN_TASK, read_fate},
    {"refused", 1U << ATN_IN_TASK, read_refused},
    {"best", 1U << ATN_IN_TASK, read_best},
    {"done", 1U << ATN_IN_TASK, read_done},
    {"end", 1U << ATN_BETWEEN_TASKS, read_end},
    {"failed", 1U << ATN_BETWEEN_TASKS | 1U << ATN_IN_TASK, read_failed},
};
enum { LINES = sizeof lines / sizeof *lines };

atn_status atn_report_samples_line(atn_samples_reader *r, const char *text, bool strict,
                                   atn_error *err)
{
    const size_t n = strcspn(text, " ");
    r->line++;
    if (*text == '#' || *text == '\0')
        return ATN_OK;
    for (int i = 0; i < LINES; i++)
        if (strlen(lines[i].word) == n && strncmp(lines[i].word, text, n) == 0 &&
            (lines[i].states >> r->state & 1))
            return lines[i].read(r, text[n] ? text + n + 1 : text + n, err);
    if (r->state == ATN_BEFORE_JOB)
        return !strict ? ATN_OK
                       : bad(r, err, "not a sample file: no 'attune-samples 1' line", text);
    return bad(r, err, "this line is not allowed here", text);
}

static atn_status broken_off(const atn_samples_reader *r, atn_error *err)
{
    char rescue[120] = "";
    if (r->done > 0)
        snprintf(rescue, sizeof rescue,
                 ", or keep the %d complete task%s: delete what follows line %d and write 'end'",
                 r->done, r->done == 1 ? "" : "s", r->safe_line);
    return atn_fail(err, ATN_INPUT,
                    "%s:%d: the samples are incomplete: the job did not finish; measure again%s",
                    r->origin, r->line, rescue);
}

atn_status atn_report_samples_end(atn_samples_reader *r, atn_error *err)
{
    if (r->state != ATN_BEFORE_JOB)
        return broken_off(r, err);
    if (r->s->ranks == 0)
        return atn_fail(err, ATN_INPUT, "%s: not a sample file: no 'attune-samples %d' line",
                        r->origin, ATN_SAMPLES_VERSION);
    return ATN_OK;
}

/* ---- files ---- */

static atn_status read_lines(atn_samples_reader *r, char *text, atn_error *err)
{
    atn_status status = ATN_OK;
    for (char *at = text, *next; *at != '\0' && status == ATN_OK; at = next) {
        const size_t n = strcspn(at, "\n");
        next = at + n + (at[n] != '\0');
        at[n] = '\0';
        status = atn_report_samples_line(r, at, true, err);
    }
    return status == ATN_OK ? atn_report_samples_end(r, err) : status;
}

atn_status atn_report_samples_read(const char *path, atn_samples *s, atn_error *err)
{
    atn_samples_reader r = {.s = s, .origin = path};
    char *text = NULL;
    size_t bytes = 0;
    atn_status status = atn_read_file(path, &text, &bytes, err);
    if (status == ATN_OK && strlen(text) != bytes)
        status = atn_fail(err, ATN_INPUT, "%s: not a text file", path);
    if (status == ATN_OK)
        status = read_lines(&r, text, err);
    atn_report_samples_reader_free(&r);
    free(text);
    return status;
}
