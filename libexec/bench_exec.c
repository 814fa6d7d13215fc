/* bench_exec.c - the MPI program behind `attune bench`: runs collectives in several variants,
 * interleaved in one job, and writes every sample (docs/benchmarking.md).
 *
 *   bench_exec [--seconds S] [--calls N] [--seed N] [--topology T] [--rules FILE]
 *              [--algorithm LIST] [--machine FILE]
 *              [--imbalance F [--late RANKS] [--since own|last]]
 *              [--form blocking|nonblocking|persistent [--overlap SECONDS [--tests N]]]
 *              OPERATION/BYTES/VARIANTS ...
 *
 * VARIANTS are separated by ';': attune (the choice of rules and forced algorithms or, with a
 * machine, of the planner where no rule applies), all (every candidate), or a name with parameters,
 * "chain{segment=8K}".  A '?' in front marks a variant as a candidate, which may be dropped when it
 * is hopeless.  With --overlap, calls are overlapped with a computation of that time, 0: as long as
 * the call alone.  Native always runs twice, as "native" and as "control", so that every table shows
 * its own noise.
 *
 * Rank 0 writes.  An error is written as a `failed` line and the job ends normally, because
 * launchers bury the message of a failed job under their own output. */
#include <mpi.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "measure/comparison.h"
#include "measure/coordinator.h"
#include "measure/program.h"
#include "model/bound.h"
#include "plan/candidates.h"
#include "plan/planner.h"
#include "plan/rules.h"

enum { MOST_CONNECTED = 128 };
static const int64_t plan_factor = 4; /* more effort than while an application waits */

static const char *const forms[] = {"blocking", "nonblocking", "persistent"};
enum { FORMS = sizeof forms / sizeof *forms };
static const char *const roles[] = {"native", "control", "attune", "named", "candidate"};
typedef enum { NATIVE, CONTROL, ATTUNE, NAMED, CANDIDATE } role;

typedef struct {
    atn_compared *v; /* does not move while callees are open */
    role *roles;
    int n, room;
    bool seeks_best; /* some are candidates */
} variants;

typedef struct {
    atn_caller caller;
    atn_topo *topo;
    atn_rules *rules;
    atn_turns_budget budget;
    const char *topology, *rules_file, *algorithm, *machine_file; /* options */
    atn_machine *machine; /* of rank 0; without a file, the built-in one */
    double flushed, imbalance;
    int round;         /* last round written */
    const char *late;  /* ranks that are late in every call; NULL: patterns alternate */
    const char *since; /* "last": times since the last rank arrived */
    const char *form;  /* one of the forms */
    bool overlaps;
    atn_overlap_setup overlap;
    const atn_compared *variants; /* of the current task */
} bench;

/* ---- output ---- */

__attribute__((format(printf, 2, 3))) static void put_line(const bench *b, const char *format, ...)
{
    va_list args;
    if (b->caller.r != 0)
        return;
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
    putchar('\n');
}

/* Flushes often enough for a progress display. */
static void write_sample(void *context, int round, int entrant, double seconds)
{
    bench *b = context;
    if (b->round != round)
        puts("round");
    b->round = round;
    printf("s %d %.9f\n", entrant, seconds);
    if (b->overlaps) {
        const atn_overlap_times *const t = &b->variants[entrant].last;
        printf("overlap %d %.9f %.9f %.9f\n", entrant, t->compute_s, t->overall_s, t->inside_s);
    }
    if (MPI_Wtime() - b->flushed > 0.2) {
        fflush(stdout);
        b->flushed = MPI_Wtime();
    }
}

static bool failed(const bench *b, atn_status status, const char *text)
{
    return atn_measure_program_failed(b->caller.r, status, text);
}

/* ---- variants ---- */

static bool grow(variants *f)
{
    if (f->n < f->room)
        return true;
    const int room = f->room ? 2 * f->room : 32;
    atn_compared *v = realloc(f->v, (size_t)room * sizeof *v);
    f->v = v ? v : f->v;
    role *r = v ? realloc(f->roles, (size_t)room * sizeof *r) : NULL;
    if (r == NULL)
        return false;
    f->roles = r;
    f->room = room;
    return true;
}

static bool add(variants *f, role as, const atn_choice *choice)
{
    char own[ATN_NAME_ROOM], other[ATN_NAME_ROOM];
    for (int i = 0; i < f->n && as >= NAMED; i++)
        if (f->roles[i] >= NAMED &&
            strcmp(atn_measure_choice_word(choice, own),
                   atn_measure_choice_word(&f->v[i].callee.choice, other)) == 0) {
            f->roles[i] = as < f->roles[i] ? as : f->roles[i];
            return true;
        }
    if (!grow(f))
        return false;
    f->v[f->n] = (atn_compared){.callee = {.choice = *choice}};
    f->roles[f->n++] = as;
    return true;
}

/* The same for variants other than native, in the form of the job; one that cannot be called in this
 * form is reported and left out. */
static bool add_variant(const bench *b, variants *f, role as, const atn_choice *choice)
{
    char name[ATN_NAME_ROOM];
    const char *const why = atn_measure_form_refuses(&b->caller, choice);
    if (why == NULL)
        return add(f, as, choice) || failed(b, ATN_MEMORY, "out of memory");
    put_line(b, "refused %s: %s", atn_measure_choice_word(choice, name), why);
    return true;
}

/* The problem as ranks share it. */
static atn_problem shared(const bench *b)
{
    atn_problem q = b->caller.q;
    if (!atn_plan_shares_bytes(q.op))
        q.bytes = -1;
    return q;
}

static bool add_all(const bench *b, variants *f, role as)
{
    const atn_problem q = shared(b);
    atn_choice *all = NULL;
    const int count = atn_plan_candidates(&q, &all);
    bool ok = count >= 0 || failed(b, ATN_MEMORY, "out of memory");
    for (int i = 0; i < count && ok; i++)
        ok = add_variant(b, f, as, &all[i]);
    free(all);
    return ok;
}

/* Rank 0 plans as in a job and broadcasts the choice. */
static void plan(const bench *b, const atn_problem *q, atn_choice *choice_p)
{
    char name[ATN_NAME_ROOM] = "native";
    atn_ranking r = {.n = 0};
    if (b->caller.r == 0 && b->machine != NULL &&
        atn_plan_planner_rank(q, b->machine, NULL, atn_plan_budget(q->p), &r, NULL) == ATN_OK &&
        r.n > 0)
        snprintf(name, sizeof name, "%s",
                 atn_measure_choice_word(&r.v[0].choice, (char[ATN_NAME_ROOM]){0}));
    atn_plan_ranking_free(&r);
    MPI_Bcast(name, sizeof name, MPI_CHAR, 0, MPI_COMM_WORLD);
    if (strcmp(name, "native") != 0 && atn_plan_choice_read(q->op, name, choice_p, NULL) != ATN_OK)
        MPI_Abort(MPI_COMM_WORLD, ATN_ENVIRONMENT);
}

static bool add_attune(const bench *b, variants *f)
{
    const atn_problem q = shared(b);
    atn_choice c = {0};
    atn_reason reason;
    atn_plan_rules_choose(b->rules, &q, 0, &c, &reason);
    if (reason.rule < 0 && b->machine_file != NULL)
        plan(b, &q, &c);
    return add_variant(b, f, ATTUNE, &c);
}

/* "chain{segment=8K}"; an algorithm that cannot serve the problem is reported and left out. */
static bool add_named(const bench *b, variants *f, role as, char *word)
{
    atn_problem q = shared(b);
    atn_choice c = {0};
    atn_error err = {0};
    char name[ATN_NAME_ROOM];
    if (atn_plan_choice_read(q.op, word, &c, &err) != ATN_OK)
        return failed(b, err.status, err.text);
    q.segments = c.row->algo->build ? atn_algo_segments(c.row, &q, &c.params) : 1;
    const char *why = c.row->algo->build ? atn_algo_refuses(c.row, &q, &c.params) : NULL;
    if (why == NULL)
        return add_variant(b, f, as, &c);
    put_line(b, "refused %s: %s", atn_measure_choice_word(&c, name), why);
    return true;
}

static bool add_word(const bench *b, variants *f, char *word)
{
    const role as = *word == '?' ? CANDIDATE : NAMED;
    f->seeks_best = f->seeks_best || as == CANDIDATE;
    word += *word == '?';
    if (strcmp(word, "all") == 0)
        return add_all(b, f, as);
    if (strcmp(word, "attune") == 0)
        return add_attune(b, f);
    return add_named(b, f, as, word);
}

static bool add_words(const bench *b, variants *f, char *words)
{
    const atn_choice native = {.row = NULL};
    const char *const why = atn_measure_form_refuses(&b->caller, &native);
    char *rest = NULL;
    if (why != NULL)
        return failed(b, ATN_ENVIRONMENT, why);
    bool ok = (add(f, NATIVE, &native) && add(f, CONTROL, &native)) ||
              failed(b, ATN_MEMORY, "out of memory");
    for (char *word = strtok_r(words, ";", &rest); word && ok; word = strtok_r(NULL, ";", &rest))
        ok = strcmp(word, "native") == 0 || add_word(b, f, word);
    return ok;
}

/* All variants on all ranks, or failure on all ranks. */
static bool open_all(const bench *b, variants *f)
{
    bool ok = true;
    for (int i = 0; i < f->n; i++) {
        const atn_choice choice = f->v[i].callee.choice;
        f->v[i].keep = f->roles[i] != CANDIDATE;
        ok = atn_measure_callee_open(&b->caller, &choice, &f->v[i].callee) && ok;
    }
    return atn_measure_on_all_ranks(MPI_COMM_WORLD, ok) || failed(b, ATN_MEMORY, "out of memory");
}

/* ---- predictions ---- */

typedef struct {
    char text[ATN_NAME_ROOM];
} label;

/* A prediction for each candidate, 0 where there is none; on rank 0. */
static void predict_times(const bench *b, const variants *f, label *words, double *seconds)
{
    const atn_problem q = b->caller.q;
    int64_t budget = plan_factor * atn_plan_budget(q.p);
    char word[ATN_NAME_ROOM];
    atn_ranking r = {.n = 0};
    for (int i = 0; i < f->n; i++)
        snprintf(words[i].text, sizeof words[i].text, "%s",
                 atn_measure_choice_word(&f->v[i].callee.choice, word));
    if (atn_plan_planner_rank(&q, b->machine, NULL, budget, &r, NULL) != ATN_OK)
        r.n = 0;
    for (int k = 0; k < r.n; k++)
        for (int i = 0; i < f->n; i++)
            if (strcmp(words[i].text, atn_measure_choice_word(&r.v[k].choice, word)) == 0)
                seconds[i] = r.v[k].seconds;
    for (int i = 0; i < f->n; i++)
        if (f->roles[i] == CANDIDATE && seconds[i] <= 0 && f->v[i].callee.choice.row != NULL)
            atn_plan_planner_time(&f->v[i].callee.choice, &q, b->machine, NULL, &budget,
                                  &seconds[i], NULL);
    atn_plan_ranking_free(&r);
}

/* Rank 0 predicts, because floating-point results may differ between hosts. */
static bool predict(const bench *b, variants *f)
{
    label *const words = calloc((size_t)f->n, sizeof *words);
    double *const seconds = calloc((size_t)f->n, sizeof *seconds);
    const bool ok = atn_measure_on_all_ranks(MPI_COMM_WORLD, words != NULL && seconds != NULL);
    if (ok && b->caller.r == 0)
        predict_times(b, f, words, seconds);
    if (ok)
        MPI_Bcast(seconds, f->n, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    for (int i = 0; ok && i < f->n; i++)
        f->v[i].predicted_s = seconds[i];
    free(words);
    free(seconds);
    return ok || failed(b, ATN_MEMORY, "out of memory");
}

/* ---- a task ---- */

/* Every task has its own random order. */
static atn_turns_budget budget_of(const bench *b)
{
    const int64_t task[] = {b->caller.q.op, b->caller.q.bytes};
    atn_turns_budget budget = b->budget;
    budget.seed = atn_hash(task, sizeof task, budget.seed);
    return budget;
}

static bool compare(bench *b, variants *f)
{
    char name[ATN_NAME_ROOM], text[2 * ATN_NAME_ROOM];
    for (int i = 0; i < f->n; i++)
        put_line(b, "variant %d %s %s", i, roles[f->roles[i]],
                 atn_measure_choice_word(&f->v[i].callee.choice, name));
    if (f->seeks_best)
        put_line(b, "best");
    fflush(stdout);
    b->round = 0;
    b->variants = f->v;
    const atn_turns_budget budget = budget_of(b);
    const int wrong = atn_measure_compare(&b->caller, f->v, f->n, b->overlaps ? &b->overlap : NULL,
                                          &budget, write_sample, b);
    if (wrong == ATN_COMPARISON_MEMORY)
        return failed(b, ATN_MEMORY, "out of memory");
    if (wrong == ATN_COMPARISON_OK) {
        put_line(b, "done");
        fflush(stdout);
        return true;
    }
    snprintf(text, sizeof text, "%s/%s of %lld bytes gives another result than the MPI library",
             atn_sched_operation_get(b->caller.q.op)->name,
             atn_measure_choice_word(&f->v[wrong].callee.choice, name),
             (long long)b->caller.q.bytes);
    return failed(b, ATN_FINDING, text);
}

static bool run_task(bench *b, atn_operation op, int64_t bytes, char *words)
{
    variants f = {0};
    b->caller.began = MPI_Wtime();
    if (!atn_measure_caller_prepare(&b->caller, op, bytes))
        return failed(b, ATN_ENVIRONMENT, "no memory for the buffers; use smaller sizes");
    if (!atn_measure_imbalance_prepare(&b->caller))
        return failed(b, ATN_MEMORY, "out of memory");
    put_line(b, "task %s %lld %.9f", atn_sched_operation_get(op)->name, (long long)bytes,
             atn_model_bound(&b->caller.q));
    const bool ok = add_words(b, &f, words) && (!f.seeks_best || predict(b, &f)) &&
                    open_all(b, &f) && compare(b, &f);
    for (int i = 0; i < f.n; i++)
        atn_measure_callee_close(&f.v[i].callee);
    free(f.v);
    free(f.roles);
    return ok;
}

static bool task(bench *b, char *text)
{
    char *rest = NULL, *op_name = strtok_r(text, "/", &rest), *size = strtok_r(NULL, "/", &rest);
    atn_operation op;
    int64_t bytes;
    if (op_name == NULL || size == NULL || !atn_sched_operation_find(op_name, &op) ||
        !atn_parse_size(size, &bytes) || bytes > (INT64_C(1) << 30))
        return failed(b, ATN_USAGE, "a task is OPERATION/BYTES/VARIANTS");
    return run_task(b, op, bytes, rest);
}

/* ---- the job ---- */

/* MPI libraries connect two ranks at their first message.  The variant that runs first must not pay
 * for that.  Large jobs might run out of sockets and are not connected in advance. */
static void connect_ranks(const atn_caller *c)
{
    for (int step = 1; c->p <= MOST_CONNECTED && step < c->p; step++)
        MPI_Sendrecv(NULL, 0, MPI_BYTE, (c->r + step) % c->p, 0, NULL, 0, MPI_BYTE,
                     (c->r - step + c->p) % c->p, 0, c->comm, MPI_STATUS_IGNORE);
}

static bool load_rules(bench *b)
{
    atn_error err = {0};
    b->rules = atn_measure_program_rules(b->caller.r, b->rules_file, b->algorithm, &err);
    return b->rules != NULL || failed(b, err.status, err.text);
}

/* As in a job: models and messages inside a host by what was measured. */
static void apply_machine(bench *b)
{
    int64_t direct = 0;
    if (b->machine != NULL) {
        b->machine->unshared = b->caller.sharing == ATN_SHARED_NONE;
        direct = atn_model_machine_direct(b->machine);
    }
    MPI_Bcast(&direct, 1, MPI_INT64_T, 0, MPI_COMM_WORLD);
    atn_exec_shared_set_direct(b->caller.shared, direct);
}

static bool load_machine(bench *b)
{
    atn_error err = {0};
    int ok = 1;
    if (b->machine_file == NULL && b->caller.r == 0) {
        b->machine = atn_model_machine_assumed(b->topo);
        ok = b->machine != NULL || atn_fail(&err, ATN_MEMORY, "out of memory") == ATN_OK;
    } else if (b->caller.r == 0) {
        ok = atn_model_machine_read(b->machine_file, &b->machine, &err) == ATN_OK;
        const char *why = ok ? atn_model_machine_refuses(b->machine, b->topo) : NULL;
        if (why != NULL)
            ok = atn_fail(&err, ATN_INPUT, "%s: %s", b->machine_file, why) == ATN_OK;
    }
    MPI_Bcast(&ok, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (ok)
        apply_machine(b);
    return ok || failed(b, err.status, err.text);
}

static bool read_option(bench *b, const char *name, const char *value)
{
    const struct {
        const char *name, **text;
    } texts[] = {{"--late", &b->late},
                 {"--since", &b->since},
                 {"--topology", &b->topology},
                 {"--rules", &b->rules_file},
                 {"--algorithm", &b->algorithm},
                 {"--machine", &b->machine_file},
                 {"--form", &b->form}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (strcmp(name, texts[i].name) == 0) {
            *texts[i].text = value;
            return true;
        }
    if (strcmp(name, "--seconds") == 0)
        b->budget.seconds = atof(value);
    else if (strcmp(name, "--calls") == 0)
        b->budget.rounds = atoi(value);
    else if (strcmp(name, "--seed") == 0)
        b->budget.seed = strtoull(value, NULL, 10);
    else if (strcmp(name, "--imbalance") == 0)
        b->imbalance = atof(value);
    else if (strcmp(name, "--tests") == 0)
        b->overlap.tests = atoi(value);
    else if (strcmp(name, "--overlap") == 0)
        b->overlap.compute_s = (b->overlaps = true, atof(value));
    else
        return false;
    return true;
}

/* Samples of different forms, with and without overlap or imbalance are never pooled. */
static void write_head(const bench *b)
{
    char how[256] = "", compute[32] = "auto";
    FILE *const f = fmemopen(how, sizeof how, "w");
    if (b->overlap.compute_s > 0)
        snprintf(compute, sizeof compute, "%g us", 1e6 * b->overlap.compute_s);
    if (f != NULL && b->caller.form != ATN_CALL_BLOCKING)
        fprintf(f, ", %s", forms[b->caller.form]);
    if (f != NULL && b->overlaps)
        fprintf(f, " with overlap %s, %d tests", compute, b->overlap.tests);
    if (f != NULL && b->imbalance > 0)
        fprintf(f, " with imbalance %g%s%.80s%s", b->imbalance, b->late != NULL ? ", late: " : "",
                b->late != NULL ? b->late : "",
                b->caller.imbalance.since_last ? ", since the last" : "");
    if (f != NULL)
        fclose(f);
    atn_measure_program_head(b->caller.r, b->caller.p, b->topo, how);
    put_line(b, "seed %llu", (unsigned long long)b->budget.seed);
}

static bool check_late(const bench *b)
{
    const char *why = b->late != NULL ? atn_measure_imbalance_refuses(b->late, b->caller.p) : NULL;
    char text[200];
    if (why == NULL)
        return true;
    snprintf(text, sizeof text, "--late %.80s: %s", b->late, why);
    return failed(b, ATN_USAGE, text);
}

static atn_call_form form_of(const char *word)
{
    for (int i = 0; word != NULL && i < FORMS; i++)
        if (strcmp(word, forms[i]) == 0)
            return (atn_call_form)i;
    return ATN_CALL_BLOCKING;
}

int main(int argc, char **argv)
{
    bench b = {.budget = {.seconds = 5, .rounds = 1000, .seed = 1},
               .topology = getenv("ATTUNE_TOPOLOGY"),
               .rules_file = getenv("ATTUNE_RULES"),
               .algorithm = getenv("ATTUNE_ALGORITHM"),
               .machine_file = getenv("ATTUNE_MACHINE")};
    bool ok = true;
    int i = 1, r;

    MPI_Init(&argc, &argv);
    for (; i + 1 < argc && strncmp(argv[i], "--", 2) == 0 && ok; i += 2)
        ok = read_option(&b, argv[i], argv[i + 1]);
    MPI_Comm_rank(MPI_COMM_WORLD, &r);
    b.topo = atn_measure_program_place(r, b.topology);
    MPI_Bcast(&b.budget, sizeof b.budget, MPI_BYTE, 0, MPI_COMM_WORLD);
    atn_measure_caller_begin(&b.caller, b.topo);
    connect_ranks(&b.caller);
    b.caller.imbalance = (atn_imbalance){.factor = b.imbalance,
                                         .late = b.late,
                                         .since_last = b.since && strcmp(b.since, "last") == 0};
    b.caller.form = form_of(b.form);
    if (b.overlaps)
        atn_measure_overlap_calibrate(&b.overlap);
    write_head(&b);
    if (!ok)
        failed(&b, ATN_USAGE, "unknown option");
    ok = ok && check_late(&b) && load_rules(&b) && load_machine(&b);
    for (; i < argc && ok; i++)
        ok = task(&b, argv[i]);
    if (ok)
        put_line(&b, "end");
    fflush(stdout);
    atn_measure_caller_end(&b.caller);
    atn_topo_free(b.topo);
    atn_plan_rules_free(b.rules);
    atn_model_machine_free(b.machine);
    MPI_Finalize();
    return 0;
}
