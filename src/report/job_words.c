/* job_words.c - the text of a job's report: the summary, and recommendations. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "report/job.h"

typedef ATN_VEC(char *) lines;

static void add_line(lines *l, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void add_line(lines *l, const char *format, ...)
{
    va_list args;
    char *text = NULL;
    va_start(args, format);
    const bool printed = vasprintf(&text, format, args) >= 0;
    va_end(args);
    if (printed && !atn_push(l, text))
        free(text);
}

static char **done(lines *l)
{
    if (atn_push(l, NULL))
        return l->v;
    for (int i = 0; i < l->n; i++)
        free(l->v[i]);
    atn_vec_free(l);
    return NULL;
}

/* "12.3 s", "4.56 ms": three significant digits. */
const char *atn_report_job_time(double seconds, char out[32])
{
    const double size = seconds < 0 ? -seconds : seconds;
    const double factor = size >= 1 ? 1 : size >= 1e-3 ? 1e3 : 1e6;
    const double v = factor * seconds, shown = v < 0 ? -v : v;
    snprintf(out, 32, "%.*f %s",
             shown >= 100  ? 0
             : shown >= 10 ? 1
                           : 2,
             v,
             size >= 1      ? "s"
             : size >= 1e-3 ? "ms"
                            : "us");
    return out;
}

static double percent(double part, double whole) { return whole > 0 ? 100 * part / whole : 0; }

/* ---- outcome ---- */

static const double worth = 0.05; /* of the time in collectives */

static void put_size(const atn_job_row *row, char out[80])
{
    char lo[32], hi[32];
    if (row->size_class <= 0)
        out[0] = '\0';
    else
        snprintf(out, 80, " of %s to %s bytes",
                 atn_format_size(INT64_C(1) << (row->size_class - 1), lo),
                 atn_format_size(INT64_C(1) << row->size_class, hi));
}

/* The native row with the longest time, unless it is short, that was not named before; -1: none. */
static int longest_native(const atn_job_facts *j, double total, const bool *named)
{
    int most = -1;
    for (int i = 0; i < j->nrows; i++)
        if ((named == NULL || !named[i]) && j->rows[i].reason.why != ATN_WHY_SERVED &&
            (most < 0 || j->rows[i].seconds > j->rows[most].seconds))
            most = i;
    return most >= 0 && j->rows[most].seconds >= worth * total ? most : -1;
}

/* Overhead outside of calls would not have been there; calls that were slower than native reduce
 * the savings of their rows. */
atn_job_outcome atn_report_job_outcome(const atn_job_facts *j)
{
    const atn_job_totals sum = atn_report_job_total(j);
    const double tuning = j->tuning_seconds > 0 ? j->tuning_seconds - j->lost_seconds : 0;
    const int worst = longest_native(j, sum.total, NULL);
    atn_job_outcome o = {.known = sum.known > 0 || sum.unknown <= 0, .ci = sum.ci};
    o.gained = sum.saved - j->start_seconds - (tuning > 0 ? tuning : 0);
    o.native = j->seconds + o.gained;
    o.worst = worst >= 0 ? &j->rows[worst] : NULL;
    return o;
}

void atn_report_job_obstacle(const atn_job_outcome *o, char out[ATN_OBSTACLE_WORDS])
{
    char size[80], time[32], why[ATN_WHY_WORDS], name[48];
    out[0] = '\0';
    if (o->worst == NULL)
        return;
    put_size(o->worst, size);
    atn_report_why_words(&o->worst->reason, why);
    snprintf(out, ATN_OBSTACLE_WORDS, "%s%s, %s native (%s)",
             atn_report_job_operation(o->worst, name), size,
             atn_report_job_time(o->worst->seconds, time), why);
}

/* Time, estimated native time, gain, and what limits it. */
static void add_outcome(lines *l, const atn_job_facts *j)
{
    const atn_job_outcome o = atn_report_job_outcome(j);
    char now[32], native[32], ci[32], gain[32], limit[ATN_OBSTACLE_WORDS];
    const double share = percent(o.gained < 0 ? -o.gained : o.gained, o.native);
    atn_report_job_obstacle(&o, limit);
    atn_report_job_time(j->seconds, now);
    atn_report_job_time(o.gained < 0 ? -o.gained : o.gained, gain);
    const char *const rest = *limit != '\0' ? limit : "nothing that matters stayed native";
    if (o.known)
        add_line(l,
                 "%s, estimated %s%s%s with native collectives: %s (%.1f %%) %s; in the way of "
                 "more: %s",
                 now, atn_report_job_time(o.native, native), o.ci > 0 ? " +- " : "",
                 o.ci > 0 ? atn_report_job_time(o.ci, ci) : "", gain, share,
                 o.gained < 0 ? "lost" : "gained", rest);
    else
        add_line(l,
                 "%s, with native collectives unknown (no native call to compare with); in the "
                 "way of more: %s",
                 now, rest);
}

/* ---- summary ---- */

static void add_saved(lines *l, const atn_job_totals *sum)
{
    char a[32], b[32], c[32];
    const double served = sum->known + sum->unknown;
    if (served <= 0)
        add_line(l, "saved against native: nothing; all calls used the MPI library's routines");
    else if (sum->known <= 0)
        add_line(l, "saved against native: not measured (no native call to compare with)");
    else
        add_line(
            l,
            "saved against native: %s +- %s (95 %% confidence), measured for %.0f %% of the %s "
            "served by Attune",
            atn_report_job_time(sum->saved, a), atn_report_job_time(sum->ci, b),
            percent(sum->known, served), atn_report_job_time(served, c));
}

/* Start-up is reported apart from tuning: jobs without tuning have it, too. */
static void add_costs(lines *l, const atn_job_facts *j)
{
    const double share = percent(j->tuning_seconds, j->seconds), most = j->budget / 10.0;
    char a[32];
    add_line(l, "messages of served calls: %s", j->transport);
    if (*j->calibration != '\0')
        add_line(l, "calibration: %s", j->calibration);
    add_line(l, "start-up in MPI_Init took %s", atn_report_job_time(j->start_seconds, a));
    if (j->tuning_seconds < 0)
        add_line(l, "tuning: none in this job");
    else
        add_line(l, "tuning took %s, %.2f %% of run time (budget: %.1f %%%s)",
                 atn_report_job_time(j->tuning_seconds, a), share, most,
                 share > most ? ", the start credit, and most of what was saved" : "");
}

char **atn_report_job_summary(const atn_job_facts *j)
{
    const atn_job_totals sum = atn_report_job_total(j);
    lines l = {0};
    char a[32], b[32];
    add_outcome(&l, j);
    add_line(&l, "%d ranks on %d host%s, %s, %s", j->ranks, j->hosts, j->hosts == 1 ? "" : "s",
             j->mpi, atn_report_job_time(j->seconds, a));
    add_line(
        &l,
        "collectives took %s, %.1f %% of run time, of which %s in native routines (on the rank "
        "with the longest time in collectives)",
        atn_report_job_time(j->collectives, a), percent(j->collectives, j->seconds),
        atn_report_job_time(j->native, b));
    add_saved(&l, &sum);
    add_costs(&l, j);
    return done(&l);
}

/* ---- advice ---- */

enum { MOST_NAMED = 3 };
/* The call classes with the longest time in native routines. */
static void add_native(lines *l, const atn_job_facts *j, double total)
{
    bool *named = calloc((size_t)j->nrows + 1, sizeof *named);
    for (int n = 0; named != NULL && n < MOST_NAMED; n++) {
        char size[80], time[32], why[ATN_WHY_WORDS], name[48];
        const int most = longest_native(j, total, named);
        if (most < 0)
            break;
        named[most] = true;
        const atn_job_row *const row = &j->rows[most];
        put_size(row, size);
        atn_report_why_words(&row->reason, why);
        add_line(l,
                 "%s%s on %d ranks: %s (%.0f %% of collective time) stayed native. Reason: %s. "
                 "Remedy: %s",
                 atn_report_job_operation(row, name), size, row->p,
                 atn_report_job_time(row->seconds, time), percent(row->seconds, total), why,
                 atn_report_why_remedy((atn_why)row->reason.why));
    }
    free(named);
}

static void add_later(lines *l, const atn_job_facts *j)
{
    if (j->later > 0)
        add_line(l, "unsupported: %lld nonblocking or persistent reductions stayed native",
                 (long long)j->later);
}

char **atn_report_job_advice(const atn_job_facts *j)
{
    const atn_job_totals sum = atn_report_job_total(j);
    lines l = {0};
    if (j->seconds > 0 && j->collectives < 0.02 * j->seconds) {
        add_line(&l, "collectives take less than 2 %% of run time: little to gain");
        add_later(&l, j);
        return done(&l);
    }
    add_native(&l, j, sum.total);
    if ((j->plans || j->learns) && !j->has_machine)
        add_line(&l, "no calibration: predictions assume slow hosts and Gigabit Ethernet. Run "
                     "`attune calibrate -- LAUNCHER` once; later jobs find its result");
    if (!j->has_topology && j->hosts > 1)
        add_line(
            &l,
            "topology unknown: pass --topology FILE (or `hosts` for a uniform network) to enable "
            "topology-aware algorithms on the %d hosts; `attune calibrate` measures it",
            j->hosts);
    add_later(&l, j);
    if (sum.unknown > worth * sum.total && !j->learns)
        add_line(&l, "the selected algorithms were not compared with native in this job; use "
                     "`attune bench`");
    if (j->reproducible)
        add_line(&l,
                 "ATTUNE_REPRODUCIBLE restricts floating-point reductions to the canonical order");
    if (j->lost > 0)
        add_line(&l, "%lld calls are not listed: the table of call classes was full",
                 (long long)j->lost);
    return done(&l);
}
