/* report.c - which algorithm served what, how often and how long.
 *
 * Every rank keeps a small table; MPI_Finalize merges them with one reduction whose operator joins
 * tables: rows alike on several ranks keep the largest count and the largest time. */
#include <locale.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "pmpi/watch.h"
#include "tune/book.h"

enum { MAX_ROWS = 1024, MAX_TUNED = 256 };

typedef struct {
    int32_t n, ntuned;
    int64_t lost, later;    /* calls without a row; that are not served */
    double seconds, tuning; /* of the job; spent on tuning, < 0: none */
    double collectives, native;
    int64_t budget;
    atn_job_row row[MAX_ROWS];
    atn_job_tuned tuned[MAX_TUNED];
} tables;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static tables own = {.tuning = -1};
static atn_choice choice_of[MAX_ROWS]; /* of the rows of `own`: printing names takes long */
static _Atomic int64_t later;
static double started;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- during the run ---- */

void atn_report_start(void) { started = now(); }

void atn_report_later(void) { atomic_fetch_add_explicit(&later, 1, memory_order_relaxed); }

static bool is_row(int i, const atn_problem *q, const atn_choice *choice, atn_why why)
{
    const atn_job_row *const row = &own.row[i];
    return choice_of[i].row == choice->row && row->p == q->p && row->why == (int32_t)why &&
           row->size_class == atn_size_class(q->bytes) &&
           memcmp(&choice_of[i].params, &choice->params, sizeof choice->params) == 0;
}

static void print_choice(const atn_choice *choice, char out[ATN_JOB_NAME])
{
    char name[ATN_NAME_ROOM];
    atn_params_print(choice->row, &choice->params, name, sizeof name);
    const char *const slash = strchr(name, '/');
    snprintf(out, ATN_JOB_NAME, "%.*s", ATN_JOB_NAME - 1, slash != NULL ? slash + 1 : name);
}

static atn_job_row *new_row(const atn_problem *q, const atn_choice *choice, atn_why why)
{
    atn_job_row *const row = &own.row[own.n];
    *row = (atn_job_row){
        .op = q->op, .p = q->p, .size_class = atn_size_class(q->bytes), .why = (int32_t)why};
    choice_of[own.n++] = *choice;
    print_choice(choice, row->algorithm);
    return row;
}

void atn_report_add(const atn_problem *q, const atn_choice *choice, atn_why why, double seconds)
{
    pthread_mutex_lock(&lock);
    int i = 0;
    while (i < own.n && !is_row(i, q, choice, why))
        i++;
    atn_job_row *const row = i < own.n          ? &own.row[i]
                             : own.n < MAX_ROWS ? new_row(q, choice, why)
                                                : NULL;
    if (row != NULL) {
        row->calls++;
        row->seconds += seconds;
    } else {
        own.lost++;
    }
    own.collectives += seconds;
    own.native += why != ATN_WHY_SERVED ? seconds : 0;
    pthread_mutex_unlock(&lock);
}

void atn_report_tuned(const atn_tuned_fact *fact)
{
    if (atn_the_job.report == NULL)
        return;
    pthread_mutex_lock(&lock);
    if (own.ntuned < MAX_TUNED) {
        atn_job_tuned *const t = &own.tuned[own.ntuned++];
        *t = (atn_job_tuned){.op = (int32_t)fact->op,
                             .p = fact->p,
                             .size_class = atn_size_class(fact->bytes),
                             .time_ps = fact->time_ps,
                             .ci_ps = fact->ci_ps,
                             .native_ps = fact->native_ps,
                             .native_ci_ps = fact->native_ci_ps};
        print_choice(&fact->choice, t->algorithm);
    }
    pthread_mutex_unlock(&lock);
}

void atn_report_spent(int64_t ns, int budget)
{
    pthread_mutex_lock(&lock);
    own.tuning = (own.tuning < 0 ? 0 : own.tuning) + 1e-9 * (double)ns;
    own.budget = budget;
    pthread_mutex_unlock(&lock);
}

/* ---- at the end ---- */

static bool is_same(const atn_job_row *x, const atn_job_row *y)
{
    return x->op == y->op && x->p == y->p && x->size_class == y->size_class && x->why == y->why &&
           strcmp(x->algorithm, y->algorithm) == 0;
}

static void join_row(tables *to, const atn_job_row *from)
{
    int i = 0;
    while (i < to->n && !is_same(&to->row[i], from))
        i++;
    if (i == MAX_ROWS) {
        to->lost += from->calls;
    } else if (i == to->n) {
        to->row[to->n++] = *from;
    } else {
        atn_job_row *const row = &to->row[i];
        row->calls = from->calls > row->calls ? from->calls : row->calls;
        row->seconds = from->seconds > row->seconds ? from->seconds : row->seconds;
    }
}

static double larger(double a, double b) { return a > b ? a : b; }

/* Communicators of different ranks tune side by side, so their times are not added. */
static void join_table(const tables *from, tables *to)
{
    to->lost = from->lost > to->lost ? from->lost : to->lost;
    to->later = from->later > to->later ? from->later : to->later;
    to->seconds = larger(to->seconds, from->seconds);
    to->tuning = larger(to->tuning, from->tuning);
    to->collectives = larger(to->collectives, from->collectives);
    to->native = larger(to->native, from->native);
    to->budget = from->budget > to->budget ? from->budget : to->budget;
    for (int i = 0; i < from->n; i++)
        join_row(to, &from->row[i]);
    for (int i = 0; i < from->ntuned && to->ntuned < MAX_TUNED; i++)
        to->tuned[to->ntuned++] = from->tuned[i];
}

static void join(void *in, void *inout, int *n, MPI_Datatype *type)
{
    (void)type;
    for (int k = 0; k < *n; k++)
        join_table((const tables *)in + k, (tables *)inout + k);
}

static bool gather(tables *all)
{
    MPI_Datatype type;
    MPI_Op op;
    PMPI_Type_contiguous((int)sizeof own, MPI_BYTE, &type);
    PMPI_Type_commit(&type);
    PMPI_Op_create(join, 1, &op);
    const int code = atn_real.Reduce(&own, all, 1, type, op, 0, MPI_COMM_WORLD);
    atn_real.Op_free(&op);
    atn_real.Type_free(&type);
    return code == MPI_SUCCESS;
}

static int count_hosts(void)
{
    MPI_Comm node;
    int r = 0, hosts = 0;
    if (PMPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node) !=
        MPI_SUCCESS)
        return 1;
    PMPI_Comm_rank(node, &r);
    atn_real.Comm_free(&node);
    const int first = r == 0;
    atn_real.Reduce(&first, &hosts, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    return hosts;
}

static atn_job_facts facts_of(const tables *all, int hosts)
{
    const atn_job *const job = &atn_the_job;
    return (atn_job_facts){
        .ranks = job->p,
        .hosts = hosts,
        .mpi = atn_mpi_built_for(),
        .seconds = all->seconds,
        .collectives = all->collectives,
        .native = all->native,
        .brief = *job->report == '\0',
        .rows = all->row,
        .nrows = all->n,
        .lost = all->lost,
        .tuned = all->tuned,
        .ntuned = all->ntuned,
        .tuning_seconds = all->tuning,
        .budget = (int)all->budget,
        .knows_topology = job->topo != NULL,
        .knows_machine = job->measured,
        .has_rules = atn_rules_count(job->rules) > 0,
        .plans = atn_rules_plan(job->rules),
        .learns = job->learns,
        .reproducible = job->reproducible,
        .later = all->later,
    };
}

/* As in every locale: the program may have set one in which numbers look different. */
static char *write_report(const atn_job_facts *facts, size_t *bytes_p)
{
    const char *const format = atn_setting_text(&atn_the_job.settings, ATN_SET_REPORT_FORMAT);
    const bool named = strcmp(format, "auto") != 0;
    const locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    const locale_t before = plain != (locale_t)0 ? uselocale(plain) : (locale_t)0;
    char *text = NULL;
    atn_error err = {0};
    FILE *const f = open_memstream(&text, bytes_p);
    if (f != NULL) {
        if (atn_job_write(f, facts, named ? format : atn_job_format(atn_the_job.report), &err) !=
            ATN_OK)
            fprintf(f, "attune: %s\n", err.text);
        fclose(f);
    }
    if (plain != (locale_t)0) {
        uselocale(before);
        freelocale(plain);
    }
    return text;
}

void atn_report_print(void)
{
    static tables all;
    own.seconds = now() - started;
    own.later = atomic_load(&later);
    atn_comms_visit(atn_tuned_facts);
    const int hosts = count_hosts();
    if (!gather(&all) || atn_the_job.r != 0)
        return;
    const atn_job_facts facts = facts_of(&all, hosts);
    size_t bytes = 0;
    atn_error err = {0};
    char *const text = write_report(&facts, &bytes);
    if (text == NULL)
        return;
    if (*atn_the_job.report == '\0')
        fputs(text, stderr);
    else if (atn_write_file(atn_the_job.report, text, bytes, &err) != ATN_OK)
        atn_say("%s", err.text);
    free(text);
}
