/* report.c - see report.h.
 *
 * Every rank keeps a ledger (ledger.h); MPI_Finalize merges them along a tree. */
#include "pmpi/observe/report.h"

#include <locale.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "pmpi/job/identity.h"
#include "pmpi/job/job.h"
#include "pmpi/own.h"
#include "report/ledger.h"
#include "tune/tuners.h"

typedef struct {
    double seconds, start, tuning; /* of the job; in MPI_Init; spent on tuning, < 0: none */
    double lost;                   /* part of `tuning`: in calls that were slower than native */
    double collectives, native;
    int64_t nonblocking; /* reductions of the program */
    int64_t budget;
    atn_ledger_rows rows;
} tables;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atn_ledger ledger;
static tables own = {.tuning = -1};
static _Atomic int64_t nonblocking;

static double since_init(void)
{
    return 1e-9 * (double)(atn_clock_kernel_ns() - atn_job_current.began_ns);
}

/* ---- during the run ---- */

void atn_observe_report_start(void) { own.start = since_init(); }

void atn_observe_report_nonblocking(void)
{
    atomic_fetch_add_explicit(&nonblocking, 1, memory_order_relaxed);
}

void atn_observe_report_name(const atn_choice *choice, char out[ATN_JOB_NAME])
{
    char name[ATN_NAME_ROOM];
    atn_plan_choice_print(choice, name);
    snprintf(out, ATN_JOB_NAME, "%.*s", ATN_JOB_NAME - 1, name);
}

static uint64_t choice_hash(const atn_choice *choice)
{
    return atn_hash(&choice->params, sizeof choice->params, (uint64_t)(uintptr_t)choice->row);
}

void atn_observe_report_add(const atn_problem *q, atn_job_form form, const atn_choice *choice,
                            const atn_job_reason *reason, const void *class, double seconds,
                            double bytes)
{
    const atn_ledger_key key = {.kind = class,
                                .choice = choice_hash(choice),
                                .op = (int32_t)q->op,
                                .p = q->p,
                                .form = (int32_t)form,
                                .size_class = atn_tune_size_class(q->bytes),
                                .why = reason->why};
    pthread_mutex_lock(&lock);
    atn_job_row *const row = atn_report_ledger_row(&ledger, &key);
    if (row != NULL) {
        if (*row->algorithm == '\0') /* printing names is slow */
            atn_observe_report_name(choice, row->algorithm);
        row->reason = *reason;
        atn_report_ledger_book(row, seconds, bytes);
    } else {
        ledger.rows.lost++;
    }
    own.collectives += seconds;
    own.native += reason->why != ATN_WHY_SERVED ? seconds : 0;
    pthread_mutex_unlock(&lock);
}

void atn_observe_report_close(const void *class, const atn_job_reason *reason)
{
    pthread_mutex_lock(&lock);
    atn_report_ledger_close(&ledger, class, reason);
    pthread_mutex_unlock(&lock);
}

void atn_observe_report_tuning(int64_t ns, int64_t lost_ns, int budget)
{
    if (ns == 0)
        return;
    pthread_mutex_lock(&lock);
    own.tuning = (own.tuning < 0 ? 0 : own.tuning) + 1e-9 * (double)ns;
    own.lost += 1e-9 * (double)lost_ns;
    own.budget = budget;
    pthread_mutex_unlock(&lock);
}

/* ---- at the end ---- */

static double larger(double a, double b) { return a > b ? a : b; }

/* Communicators of different ranks are tuned at the same time, so their times are not added.  A
 * time that is part of another comes from the same rank. */
static void join_table(const tables *from, tables *to)
{
    if (from->nonblocking > to->nonblocking)
        to->nonblocking = from->nonblocking;
    to->seconds = larger(to->seconds, from->seconds);
    to->start = larger(to->start, from->start);
    if (from->tuning > to->tuning) {
        to->tuning = from->tuning;
        to->lost = from->lost;
    }
    if (from->collectives > to->collectives) {
        to->collectives = from->collectives;
        to->native = from->native;
    }
    to->budget = from->budget > to->budget ? from->budget : to->budget;
    atn_report_ledger_join(&to->rows, &from->rows);
}

static void take(void *context, const char *data, int64_t bytes)
{
    (void)bytes;
    tables *const to = context;
    if (data != NULL)
        join_table((const tables *)(const void *)data, to);
    else
        to->rows.lost++;
}

/* Only the rows that are in use. */
static const char *give(void *context, int64_t *bytes_p)
{
    const tables *const from = context;
    *bytes_p =
        (int64_t)(offsetof(tables, rows.row) + (size_t)from->rows.n * sizeof *from->rows.row);
    return context;
}

static atn_job_facts facts_of(const tables *all)
{
    const atn_job *const job = &atn_job_current;
    return (atn_job_facts){
        .ranks = job->p,
        .hosts = job->hosts,
        .mpi = atn_job_mpi_name(),
        .transport = job->transport,
        .calibration = job->calibration,
        .seconds = all->seconds,
        .collectives = all->collectives,
        .native = all->native,
        .brief = *job->report == '\0',
        .rows = all->rows.row,
        .nrows = all->rows.n,
        .lost = all->rows.lost,
        .start_seconds = all->start,
        .tuning_seconds = all->tuning,
        .lost_seconds = all->lost,
        .budget = (int)all->budget,
        .has_topology = job->topo != NULL,
        .has_machine = job->measured,
        .has_rules = atn_plan_rules_count(job->rules) > 0,
        .plans = atn_plan_rules_plan(job->rules),
        .learns = job->online,
        .reproducible = job->reproducible,
        .later = all->nonblocking,
    };
}

/* In the C locale: the program may have set another, with a different format of numbers. */
static char *write_report(const atn_job_facts *facts, size_t *bytes_p)
{
    const char *const format =
        atn_plan_setting_text(&atn_job_current.settings, ATN_SET_REPORT_FORMAT);
    const bool named = strcmp(format, "auto") != 0;
    const locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    const locale_t before = plain != (locale_t)0 ? uselocale(plain) : (locale_t)0;
    char *text = NULL;
    atn_error err = {0};
    FILE *const f = atn_open_text(&text, bytes_p);
    if (f != NULL) {
        if (atn_report_job_write(f, facts,
                                 named ? format : atn_report_job_format(atn_job_current.report),
                                 &err) != ATN_OK)
            fprintf(f, "attune: %s\n", err.text);
        fclose(f);
    }
    if (plain != (locale_t)0) {
        uselocale(before);
        freelocale(plain);
    }
    return text;
}

void atn_observe_report_print(void)
{
    own.seconds = since_init();
    own.nonblocking = atomic_load(&nonblocking);
    own.rows = ledger.rows;
    const bool collected = atn_pmpi_own_collect(&(atn_collection){take, give, &own});
    if (atn_job_current.r != 0)
        return;
    if (!collected)
        atn_interpose_print_line("no communicator can be made: the report has rank 0 only");
    const atn_job_facts facts = facts_of(&own);
    size_t bytes = 0;
    atn_error err = {0};
    char *const text = write_report(&facts, &bytes);
    if (text == NULL)
        return;
    if (*atn_job_current.report == '\0')
        fputs(text, stderr);
    else if (atn_write_file(atn_job_current.report, text, bytes, &err) != ATN_OK)
        atn_interpose_print_line("%s", err.text);
    free(text);
}
