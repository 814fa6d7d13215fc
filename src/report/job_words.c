/* job_words.c - what a job's report says in sentences: the summary, and what would help more. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "report/job.h"

typedef ATN_VEC(char *) lines;

static void say(lines *l, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void say(lines *l, const char *format, ...)
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

/* "12.3 s", "4.56 ms": three digits that count. */
static const char *time_words(double seconds, char out[32])
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

/* ---- summary ---- */

static void say_saved(lines *l, const atn_job_totals *sum)
{
    char a[32], b[32], c[32];
    const double served = sum->known + sum->unknown;
    if (served <= 0)
        say(l, "saved against native: nothing, every call was left to the MPI library");
    else if (sum->known <= 0)
        say(l, "saved against native: not measured (no served call was timed against native)");
    else
        say(l,
            "saved against native: %s +- %s (95 %%), measured for %.0f %% of the %s that were "
            "served",
            time_words(sum->saved, a), time_words(sum->ci, b), percent(sum->known, served),
            time_words(served, c));
}

/* The start is no tuning: it takes the same time in jobs that tune nothing. */
static void say_tuning(lines *l, const atn_job_facts *j)
{
    const double share = percent(j->tuning_seconds, j->seconds), most = j->budget / 10.0;
    char a[32];
    say(l, "the start of Attune in MPI_Init took %s", time_words(j->start_seconds, a));
    if (j->tuning_seconds < 0)
        say(l, "tuning took no time: nothing was tuned in this job");
    else
        say(l, "tuning took %s, %.2f %% of the time (allowed: %.1f %%%s)",
            time_words(j->tuning_seconds, a), share, most,
            share > most ? "; the first trials run on credit" : "");
}

char **atn_job_summary(const atn_job_facts *j)
{
    const atn_job_totals sum = atn_job_total(j);
    lines l = {0};
    char a[32], b[32];
    say(&l, "%d ranks on %d host%s, %s, %s", j->ranks, j->hosts, j->hosts == 1 ? "" : "s", j->mpi,
        time_words(j->seconds, a));
    say(&l,
        "collectives took %s, %.1f %% of it; %s of that in the MPI library's own (of the rank that "
        "spent most time in them)",
        time_words(j->collectives, a), percent(j->collectives, j->seconds),
        time_words(j->native, b));
    say_saved(&l, &sum);
    say_tuning(&l, j);
    return done(&l);
}

/* ---- advice ---- */

enum { MOST_NAMED = 3 };
static const double worth = 0.05; /* of the time in collectives */

static void say_size(const atn_job_row *row, char out[80])
{
    char lo[32], hi[32];
    if (row->size_class <= 0)
        out[0] = '\0';
    else
        snprintf(out, 80, " of %s to %s bytes",
                 atn_format_size(INT64_C(1) << (row->size_class - 1), lo),
                 atn_format_size(INT64_C(1) << row->size_class, hi));
}

/* The longest times that were left to the MPI library. */
static void say_native(lines *l, const atn_job_facts *j, double total)
{
    bool *named = calloc((size_t)j->nrows + 1, sizeof *named);
    for (int n = 0; named != NULL && n < MOST_NAMED; n++) {
        int most = -1;
        char size[80], time[32], why[ATN_WHY_WORDS];
        for (int i = 0; i < j->nrows; i++)
            if (!named[i] && j->rows[i].reason.why != ATN_WHY_SERVED &&
                (most < 0 || j->rows[i].seconds > j->rows[most].seconds))
                most = i;
        if (most < 0 || j->rows[most].seconds < worth * total)
            break;
        named[most] = true;
        const atn_job_row *const row = &j->rows[most];
        say_size(row, size);
        atn_why_words(&row->reason, why);
        say(l,
            "%s%s on %d ranks: %s (%.0f %% of the collectives) were left to the MPI library. Why: "
            "%s. Remedy: %s",
            atn_operation_get((atn_operation)row->op)->name, size, row->p,
            time_words(row->seconds, time), percent(row->seconds, total), why,
            atn_why_remedy((atn_why)row->reason.why));
    }
    free(named);
}

static void say_later(lines *l, const atn_job_facts *j)
{
    if (j->later > 0)
        say(l, "unsupported: %lld nonblocking or persistent reductions went to the MPI library",
            (long long)j->later);
}

char **atn_job_advice(const atn_job_facts *j)
{
    const atn_job_totals sum = atn_job_total(j);
    lines l = {0};
    if (j->seconds > 0 && j->collectives < 0.02 * j->seconds) {
        say(&l, "blocking collectives take less than 2 %% of the time: little can be gained here");
        say_later(&l, j);
        return done(&l);
    }
    say_native(&l, j, sum.total);
    if ((j->plans || j->learns) && !j->knows_machine)
        say(&l, "no machine file, so predictions assume slow hosts and Gigabit Ethernet: run "
                "`attune measure -- LAUNCHER` once and pass --machine FILE");
    if (!j->knows_topology && j->hosts > 1)
        say(&l,
            "topology unknown: with --topology FILE (or `hosts`, if all are alike) algorithms "
            "follow the wires between the %d hosts; `attune topo discover` can find them",
            j->hosts);
    say_later(&l, j);
    if (sum.unknown > worth * sum.total && !j->learns)
        say(&l, "whether what was chosen is faster than native was not measured here; "
                "`attune bench` compares them");
    if (j->reproducible)
        say(&l, "ATTUNE_REPRODUCIBLE restricts reductions that round to one order of operands");
    if (j->lost > 0)
        say(&l, "%lld calls are missing above: there were too many different ones",
            (long long)j->lost);
    return done(&l);
}
