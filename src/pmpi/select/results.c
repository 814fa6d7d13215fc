/* results.c - see results.h.
 *
 * Samples are written once: when a result is merged again, only the samples since then count. */
#include "pmpi/select/results.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "plan/wisdom.h"
#include "pmpi/job/job.h"
#include "pmpi/own.h"
#include "tune/tuner.h"

typedef struct {
    atn_rule rule;
    int64_t written; /* samples of this choice that the file has */
    int64_t taken;   /* ... and that it gets now */
} result;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t writing = PTHREAD_MUTEX_INITIALIZER;
static ATN_VEC(result) results;
static int64_t next_write_ns, pause_ns;

static const int64_t first_pause_ns = 1000000000, longest_pause_ns = 64000000000;
enum { SHARE = 50 }; /* a pause takes this many times as long as writing before it */

/* ---- the list ---- */

bool atn_select_results_find(const atn_problem *q, int64_t place, atn_rule *rule_p)
{
    bool found = false;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < results.n && !found; i++) {
        const atn_rule *const rule = &results.v[i].rule;
        found = rule->op == q->op && rule->place == place && rule->ranks.lo <= q->p &&
                q->p < rule->ranks.hi && rule->bytes.lo <= q->bytes && q->bytes < rule->bytes.hi;
        if (found)
            *rule_p = *rule;
    }
    pthread_mutex_unlock(&lock);
    return found;
}

bool atn_select_results_keep(const atn_rule *rule)
{
    int i = 0;
    pthread_mutex_lock(&lock);
    while (i < results.n && !atn_plan_rule_same_problem(&results.v[i].rule, rule))
        i++;
    const bool room = i < results.n || atn_push(&results, (result){.rule = *rule});
    if (room) {
        result *const old = &results.v[i];
        const bool continues =
            atn_plan_same_choice(&old->rule.use, &rule->use) && old->written <= rule->samples;
        *old = (result){.rule = *rule,
                        .written = continues ? old->written : 0,
                        .taken = continues ? old->taken : 0};
    }
    pthread_mutex_unlock(&lock);
    return room;
}

/* The interval of a rule covers the blocks that a tuner keeps; with fewer blocks it is wider. */
static int64_t interval_of(const atn_rule *rule, int64_t samples)
{
    const int64_t kept = rule->samples < ATN_TUNE_KEEP ? rule->samples : ATN_TUNE_KEEP;
    if (rule->ci_ps < 0 || samples >= kept)
        return rule->ci_ps;
    return (int64_t)llround((double)rule->ci_ps * sqrt((double)kept / (double)samples));
}

/* The samples that the file lacks, as rules; NULL: none, or no memory. */
static atn_rules *take_new(void)
{
    ATN_VEC(atn_rule) new = {0};
    pthread_mutex_lock(&lock);
    for (int i = 0; i < results.n; i++) {
        result *const x = &results.v[i];
        atn_rule rule = x->rule;
        x->taken = x->written;
        rule.samples -= x->written;
        if (rule.samples <= 0)
            continue;
        rule.ci_ps = interval_of(&x->rule, rule.samples);
        if (atn_push(&new, rule))
            x->taken = x->rule.samples;
    }
    pthread_mutex_unlock(&lock);
    atn_rules *const table = new.n > 0 ? atn_plan_rules_make(new.v, new.n, NULL) : NULL;
    atn_vec_free(&new);
    return table;
}

/* The file has got what was taken. */
static void commit(void)
{
    pthread_mutex_lock(&lock);
    for (int i = 0; i < results.n; i++)
        results.v[i].written = results.v[i].taken;
    pthread_mutex_unlock(&lock);
}

/* ---- the file ---- */

/* The file of the job, else of the user; false: none is to be written. */
static bool file_to_write(char path[4096])
{
    const char *const job = atn_plan_setting_given(&atn_job_current.settings, ATN_SET_WISDOM);
    atn_wisdom_files files;
    atn_plan_wisdom_find(job != NULL ? job : "", getenv("HOME"), getenv("XDG_DATA_HOME"), &files);
    if (files.n == 0 || strcmp(files.kind[0], "system") == 0)
        return false;
    memcpy(path, files.path[0], sizeof files.path[0]);
    return true;
}

static atn_status merge(const atn_rules *new, atn_error *err)
{
    char path[4096];
    if (new == NULL || !file_to_write(path))
        return ATN_OK;
    return atn_plan_wisdom_merge(path, new, err);
}

/* A folder that cannot be written is reported only if the user named the file. */
static void report(const atn_error *err)
{
    const bool wanted = atn_job_current.verbose > 0 ||
                        atn_plan_setting_given(&atn_job_current.settings, ATN_SET_WISDOM) != NULL;
    if (wanted || err->status == ATN_INPUT)
        atn_interpose_print_line("%s%s", err->text,
                                 err->status == ATN_INPUT
                                     ? ""
                                     : "; tuning results are lost, name another file with "
                                       "ATTUNE_WISDOM");
}

/* What cannot be written now may be at the end. */
static void write_new(void)
{
    atn_error err = {0};
    atn_rules *const new = take_new();
    const atn_status status = merge(new, &err);
    if (status == ATN_INPUT)
        report(&err);
    if (status == ATN_OK || status == ATN_INPUT)
        commit();
    atn_plan_rules_free(new);
}

/* On a slow file system, or where another process keeps the lock, writing takes long, and all ranks
 * wait. */
static void pause_after(int64_t began_ns)
{
    const int64_t now = atn_clock_kernel_ns(), least = SHARE * (now - began_ns);
    pause_ns = pause_ns < longest_pause_ns ? 2 * pause_ns : pause_ns;
    pause_ns = pause_ns < least ? least : pause_ns;
    next_write_ns = now + pause_ns;
}

void atn_select_results_checkpoint(void)
{
    if (atn_job_current.r != 0 || pthread_mutex_trylock(&writing) != 0)
        return;
    const int64_t now = atn_clock_kernel_ns();
    if (pause_ns == 0) {
        pause_ns = first_pause_ns;
        next_write_ns = now + pause_ns;
    } else if (now >= next_write_ns) {
        write_new();
        pause_after(now);
    }
    pthread_mutex_unlock(&writing);
}

/* ---- the end ---- */

static void join_text(const char *text, size_t bytes, atn_rules **all)
{
    atn_rules *some = NULL;
    if (bytes == 0 || atn_plan_rules_unpack(text, bytes, &some, NULL) != ATN_OK)
        return;
    atn_rules *const both = *all != NULL ? atn_plan_wisdom_join(*all, some) : NULL;
    if (both != NULL || *all != NULL)
        atn_plan_rules_free(some);
    if (both != NULL)
        atn_plan_rules_free(*all);
    *all = both != NULL ? both : *all != NULL ? *all : some;
}

/* The results of this rank and those below it in the tree. */
typedef struct {
    atn_rules *rules; /* NULL: none */
    char *text;
} result_pile;

static void take(void *context, const char *text, int64_t bytes)
{
    result_pile *const x = context;
    if (text != NULL)
        join_text(text, (size_t)bytes, &x->rules);
}

static const char *give(void *context, int64_t *bytes_p)
{
    result_pile *const x = context;
    size_t bytes = 0;
    const bool done =
        x->rules != NULL && atn_plan_rules_pack(x->rules, &x->text, &bytes, NULL) == ATN_OK;
    *bytes_p = done ? (int64_t)bytes : 0;
    return x->text;
}

/* Most jobs have none. */
static bool any_results(const result_pile *x)
{
    int any = x->rules != NULL;
    return atn_pmpi_own_allreduce(MPI_IN_PLACE, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD) ==
               MPI_SUCCESS &&
           any;
}

void atn_select_results_finish(void)
{
    if (!atn_job_current.online)
        return;
    result_pile x = {.rules = take_new()};
    if (any_results(&x)) {
        atn_pmpi_own_collect(&(atn_collection){take, give, &x});
        atn_error err = {0};
        if (atn_job_current.r == 0 && merge(x.rules, &err) != ATN_OK)
            report(&err);
    }
    atn_plan_rules_free(x.rules);
    free(x.text);
    atn_vec_free(&results);
}
