/* tune_exec.c - the MPI program behind `attune tune`: searches for the fastest algorithm of each
 * problem and writes every sample and the outcome of every candidate (docs/offline-tuning.md).
 *
 *   tune_exec [--machine FILE] [--topology T] [--time SECONDS] [--timing WORD] [--exhaustive 1]
 *             [--resume FILE] [--design 1] OPERATION/BYTES/VARIANTS ...
 *
 * Tasks are written as for bench_exec; "?all" stands for all candidates.  Tasks of an operation
 * follow each other in the order of sizes; then its crossing points are located.  Rank 0 searches
 * (src/tune/offline.h), the others execute its commands (src/measure/session.h). */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "algo/known_pattern.h"
#include "measure/program.h"
#include "plan/patterns.h"
#include "tune/allowance.h"
#include "tune/drivers/offline_run.h"
#include "tune/solution.h"

static const double closer = 1.2;          /* crossing points are located within this factor */
static const double crossing_share = 0.25; /* of the time of a size */
/* Assumed relative error of predictions before any was compared with a measurement. */
static const double built_in_error = 3, machine_error = 1;

typedef struct {
    int64_t bytes;
    char *use;
} size_winner;

typedef struct {
    atn_caller caller;
    atn_topo *topo;
    atn_machine *machine;
    atn_timing timing;
    atn_samples past; /* of an interrupted job */
    atn_error past_err;
    atn_patterns patterns; /* calls 0: none */
    atn_offline_run run;
    const char *machine_file, *topology, *timing_word, *resume, *pattern_file; /* options */
    atn_allowance time;
    double began;
    ATN_VEC(size_winner) winners; /* of the current operation, by size */
} tune;

static bool failed(const tune *t, atn_status status, const char *text)
{
    return atn_measure_program_failed(t->caller.r, status, text);
}

static bool no_memory(const tune *t) { return failed(t, ATN_MEMORY, "out of memory"); }

/* ---- a problem ---- */

static bool add_winner(tune *t, int64_t bytes, const char *use)
{
    int i = t->winners.n;
    const size_winner x = {bytes, strdup(use)};
    if (x.use == NULL || !atn_push(&t->winners, x)) {
        free(x.use);
        return no_memory(t);
    }
    for (; i > 0 && t->winners.v[i - 1].bytes > bytes; i--)
        t->winners.v[i] = t->winners.v[i - 1];
    t->winners.v[i] = x;
    return true;
}

/* A problem that an earlier job solved is not measured again. */
static bool problem(tune *t, const atn_offline_problem *q, char *words, double seconds)
{
    atn_solution x;
    char use[ATN_NAME_ROOM];
    const atn_task *past =
        atn_report_samples_find(&t->past, atn_sched_operation_get(q->op)->name, q->bytes);
    if (past != NULL && atn_tune_solution_of(past, &x))
        return add_winner(t, q->bytes, x.use);
    return atn_tune_offline_solve(&t->run, q, words, seconds, use) &&
           (t->run.design || add_winner(t, q->bytes, use));
}

/* Where one algorithm serves all sizes, winners of other sizes run at each. */
static bool with_winners(tune *t, const atn_offline_problem *q, const char *words, double seconds)
{
    char *text = NULL;
    size_t size;
    FILE *f = atn_open_text(&text, &size);
    if (f == NULL)
        return no_memory(t);
    fputs(words, f);
    for (int i = 0; i < t->winners.n && !atn_plan_shares_bytes(q->op); i++)
        fprintf(f, ";%s", t->winners.v[i].use);
    const bool ok = fclose(f) == 0 ? problem(t, q, text, seconds) : no_memory(t);
    free(text);
    return ok;
}

/* ---- an operation ---- */

static double share(const tune *t, int64_t bytes)
{
    return atn_tune_allowance_share(&t->time, MPI_Wtime() - t->began, bytes);
}

/* Bisects between sizes with different winners: these and native run at the midpoint. */
static bool locate_crossings(tune *t, atn_operation op)
{
    bool ok = true;
    for (int tries = 0; ok && tries < 64 && share(t, 0) > 0; tries++) {
        ATN_VEC(int64_t) bytes = {0};
        ATN_VEC(const char *) use = {0};
        char words[2 * ATN_NAME_ROOM + 4];
        int64_t middle;
        for (int i = 0; i < t->winners.n && ok; i++)
            ok = atn_push(&bytes, t->winners.v[i].bytes) && atn_push(&use, t->winners.v[i].use);
        const int at =
            ok ? atn_tune_solution_crossing(bytes.v, use.v, bytes.n, closer, &middle) : -1;
        if (at >= 0)
            snprintf(words, sizeof words, "%s;%s", use.v[at], use.v[at + 1]);
        atn_vec_free(&bytes);
        atn_vec_free(&use);
        if (at < 0)
            return ok || no_memory(t);
        const atn_offline_problem q = {op, middle, -1, .as_it_is = true};
        ok = problem(t, &q, words, crossing_share * share(t, middle));
    }
    return ok;
}

static void reset_operation(tune *t)
{
    for (int i = 0; i < t->winners.n; i++)
        free(t->winners.v[i].use);
    t->winners.n = 0;
    t->run.calibration = (atn_calibration){1, t->machine_file ? machine_error : built_in_error, 0};
}

/* "alltoallv/4096@3/native;?all": @3 is a call of the patterns. */
static bool read_task(const tune *t, char *text, atn_offline_problem *q, char **words_p)
{
    char *rest = NULL, *name = strtok_r(text, "/", &rest), *size = strtok_r(NULL, "/", &rest);
    char *call = size != NULL ? strchr(size, '@') : NULL;
    if (call != NULL)
        *call++ = '\0';
    q->call = call != NULL ? atoi(call) : -1;
    *words_p = rest;
    return name != NULL && size != NULL && atn_sched_operation_find(name, &q->op) &&
           atn_parse_size(size, &q->bytes) && q->bytes <= (INT64_C(1) << 30) &&
           q->call < t->patterns.calls;
}

/* Patterns have no order of sizes, thus no crossing points. */
static bool finish_operation(tune *t, atn_operation op)
{
    const bool ok = t->run.design || t->patterns.calls > 0 || !atn_plan_shares_bytes(op) ||
                    locate_crossings(t, op);
    reset_operation(t);
    return ok;
}

/* Ignores a task that read_task will reject. */
static void expect_task(tune *t, const char *text)
{
    char size[32];
    int64_t bytes;
    if (sscanf(text, "%*[^/]/%31[^/@]", size) == 1 && atn_parse_size(size, &bytes))
        atn_tune_allowance_expect(&t->time, bytes);
}

static bool all_tasks(tune *t, char **words, int n)
{
    atn_offline_problem q = {.op = ATN_OPERATIONS};
    bool ok = true;
    reset_operation(t);
    for (int i = 0; i < n; i++)
        expect_task(t, words[i]);
    for (int i = 0; i < n && ok; i++) {
        const atn_operation last = q.op;
        char *variants;
        if (!read_task(t, words[i], &q, &variants))
            return failed(t, ATN_USAGE, "a task is OPERATION/BYTES[@CALL]/VARIANTS");
        if (last != q.op && last != ATN_OPERATIONS)
            ok = finish_operation(t, last);
        atn_tune_allowance_begin(&t->time, q.bytes);
        ok = ok && with_winners(t, &q, variants, share(t, q.bytes));
    }
    return ok && (n == 0 || finish_operation(t, q.op));
}

/* ---- the job ---- */

static bool load_machine(tune *t)
{
    atn_error err = {0};
    if (t->machine_file == NULL) {
        t->machine = atn_model_machine_assumed(t->topo);
        t->run.machine = t->machine;
        return t->machine != NULL || no_memory(t);
    }
    if (atn_model_machine_read(t->machine_file, &t->machine, &err) != ATN_OK)
        return failed(t, err.status, err.text);
    const char *why = atn_model_machine_refuses(t->machine, t->topo);
    t->machine->unshared = t->caller.sharing == ATN_SHARED_NONE;
    t->run.machine = t->machine;
    return why == NULL || failed(t, ATN_INPUT, why);
}

/* Before this job writes anything: its output goes to the same file. */
static void read_past(tune *t)
{
    if (t->resume != NULL)
        atn_report_samples_read(t->resume, &t->past, &t->past_err);
}

/* Only samples of jobs with the same ranks, topology and MPI may be combined. */
static bool check_past(tune *t)
{
    const uint64_t topology = t->topo ? atn_topo_fingerprint(t->topo) : 0;
    atn_error *err = &t->past_err;
    char mpi[ATN_PROGRAM_MPI];
    atn_measure_program_mpi(mpi);
    if (err->status == ATN_OK && t->past.ranks > 0 &&
        (t->past.ranks != t->caller.p || t->past.topology != topology ||
         strcmp(t->past.mpi, mpi) != 0))
        atn_fail(err, ATN_INPUT,
                 "%s: the samples are of %d ranks%s with %s; tune elsewhere with another --raw",
                 t->resume, t->past.ranks,
                 t->past.topology == topology ? "" : " on another topology", t->past.mpi);
    return err->status == ATN_OK || failed(t, err->status, err->text);
}

static void coordinate(tune *t, char **words, int n)
{
    t->began = MPI_Wtime();
    t->run.caller = &t->caller;
    t->run.past = &t->past;
    if (atn_measure_program_here(t->caller.r, t->topo) && load_machine(t) && check_past(t) &&
        all_tasks(t, words, n))
        printf("end\n");
    fflush(stdout);
    reset_operation(t);
    atn_vec_free(&t->winners);
    atn_report_samples_free(&t->past);
    atn_model_machine_free(t->machine);
    atn_measure_session_stop(t->run.session);
}

/* Rank 0 reads the file for all ranks. */
static bool share_patterns(tune *t)
{
    atn_error err = {0};
    char *text = NULL;
    size_t bytes = 0;
    if (t->pattern_file == NULL)
        return true;
    if (t->caller.r == 0)
        atn_read_file(t->pattern_file, &text, &bytes, &err);
    char *const all = atn_measure_program_share(t->caller.r, text, bytes, &bytes);
    if (all != NULL &&
        atn_algo_patterns_parse(all, t->pattern_file, &t->patterns, &err) == ATN_OK &&
        t->patterns.p != t->caller.p)
        atn_fail(&err, ATN_INPUT, "%s: is for %d ranks, the job has %d", t->pattern_file,
                 t->patterns.p, t->caller.p);
    free(all);
    return err.status == ATN_OK && all != NULL ? true : failed(t, err.status, err.text);
}

/* Those that tasks name are known by the names that jobs give them.  A variant whose pattern is not
 * known is refused. */
static void keep_patterns(const tune *t, char **words, int n)
{
    for (int i = 0; i < n; i++) {
        char name[ATN_PATTERN_NAME];
        int call;
        if (sscanf(words[i], "%*[^/]/%*[^/@]@%d", &call) != 1 || call < 0 ||
            call >= t->patterns.calls || !atn_plan_has_patterns(t->patterns.op[call]))
            continue;
        atn_plan_pattern_name(atn_algo_known_number(&t->patterns, call), name);
        atn_algo_known_keep_call(name, &t->patterns, call, NULL);
    }
}

/* Rank 0 reads and verifies the schedules that variants name, and distributes them. */
static bool share_files(const tune *t, char **words, int n)
{
    char forced[4096] = "";
    size_t used = 0;
    atn_error err = {0};
    for (int i = 0; i < n; i++) {
        const char *end = strchr(words[i], '/');
        for (const char *at = words[i]; end && (at = strstr(at, "file{")) != NULL; at++) {
            const int length = (int)strcspn(at + 5, "}");
            used +=
                (size_t)snprintf(forced + used, sizeof forced - used, "%s%.*s=file:%.*s",
                                 used ? "," : "", (int)(end - words[i]), words[i], length, at + 5);
            if (used >= sizeof forced)
                return failed(t, ATN_USAGE, "too many schedules in files");
        }
    }
    atn_rules *rules = used > 0 ? atn_measure_program_rules(t->caller.r, NULL, forced, &err) : NULL;
    const bool ok = used == 0 || rules != NULL;
    atn_plan_rules_free(rules);
    return ok || failed(t, err.status, err.text);
}

static bool read_option(tune *t, const char *name, const char *value)
{
    const struct {
        const char *name, **text;
    } texts[] = {{"--machine", &t->machine_file},
                 {"--topology", &t->topology},
                 {"--timing", &t->timing_word},
                 {"--resume", &t->resume},
                 {"--patterns", &t->pattern_file}};
    for (int i = 0; i < 5; i++)
        if (strcmp(name, texts[i].name) == 0) {
            *texts[i].text = value;
            return true;
        }
    if (strcmp(name, "--time") == 0)
        t->time.seconds = atof(value);
    else if (strcmp(name, "--exhaustive") == 0)
        t->run.exhaustive = atoi(value) != 0;
    else if (strcmp(name, "--design") == 0)
        t->run.design = atoi(value) != 0;
    else
        return false;
    return true;
}

int main(int argc, char **argv)
{
    tune t = {.machine_file = getenv("ATTUNE_MACHINE"),
              .topology = getenv("ATTUNE_TOPOLOGY"),
              .timing_word = "barrier"};
    atn_error err = {0};
    bool ok = true;
    int i = 1, r;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &r);
    for (; i + 1 < argc && strncmp(argv[i], "--", 2) == 0 && ok; i += 2)
        ok = read_option(&t, argv[i], argv[i + 1]);
    /* Without a topology: which ranks share a host, as in jobs that use wisdom. */
    t.topo = atn_measure_program_place(r, t.topology && *t.topology ? t.topology : ATN_TOPO_HOSTS);
    atn_measure_caller_begin(&t.caller, t.topo);
    if (r == 0)
        read_past(&t);
    atn_measure_program_head(r, t.caller.p, t.topo, "");
    if (!ok)
        failed(&t, ATN_USAGE, "unknown option");
    else if (atn_measure_timing_open(t.timing_word, &t.timing, &err) != ATN_OK)
        failed(&t, err.status, err.text);
    else if (share_patterns(&t) && share_files(&t, argv + i, argc - i)) {
        keep_patterns(&t, argv + i, argc - i);
        t.run.session = atn_measure_session_new(&t.caller, &t.timing, &t.patterns);
        if (r == 0)
            coordinate(&t, argv + i, argc - i);
        else
            atn_measure_session_serve(t.run.session);
        atn_measure_session_free(t.run.session);
    }
    atn_measure_timing_close(&t.timing);
    atn_algo_patterns_free(&t.patterns);
    atn_measure_caller_end(&t.caller);
    atn_topo_free(t.topo);
    MPI_Finalize();
    return 0;
}
