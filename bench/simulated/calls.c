/* calls.c - simulated times of collective calls, for bench/sim.
 *
 *   calls [--calls N] OPERATION/BYTES/VARIANT;VARIANT... ...
 *
 * VARIANTS are native, planned (the choice of the planner, on the topology and the machine of
 * the job), wisdom (the same, corrected by the wisdom in WISDOM_FILE, of fewer ranks) and names of
 * algorithms with parameters.  Each is called N times; all ranks begin at the
 * same time, the time of the slowest one in the last call counts.  Simulated times do not vary, but
 * the first call of a communicator may set it up.  Rank 0 writes a line for each variant as soon as
 * it is known:
 *
 *   OPERATION,BYTES,VARIANT,ALGORITHM,SECONDS,PREDICTED SECONDS
 *
 * Contents of the buffers do not matter, so all ranks share them: a job of 1024 ranks would else
 * need a terabyte for an allgather of 1 MB. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure/call.h"
#include "measure/coordinator.h"
#include "measure/program.h"
#include "plan/travel.h"

typedef struct {
    atn_caller caller;
    atn_machine *machine; /* of rank 0, as is */
    atn_rules *wisdom;
    int calls;
} job;

static void *get_folded(size_t bytes) { return SMPI_SHARED_MALLOC(bytes); }
static void release_folded(void *data) { SMPI_SHARED_FREE(data); }
static const atn_buffer_source folded = {get_folded, release_folded};

/* ---- choices ---- */

static void end_job(const char *word, const char *why)
{
    fprintf(stderr, "calls: %s: %s\n", word, why);
    MPI_Abort(MPI_COMM_WORLD, ATN_USAGE);
}

/* The first of the ranking, as in a job; "native" if nothing applies. */
static void plan(const job *j, const atn_problem *q, const atn_rules *wisdom,
                 char name[ATN_NAME_ROOM], double *seconds_p)
{
    atn_ranking r = {.n = 0};
    if (j->machine == NULL ||
        atn_plan_planner_rank(q, j->machine, NULL, atn_plan_budget(q->p), &r, NULL) != ATN_OK ||
        r.n == 0)
        return;
    atn_plan_travel_apply(wisdom, q, j->machine, &r);
    atn_measure_choice_word(&r.v[0].choice, name);
    *seconds_p = r.v[0].seconds;
    atn_plan_ranking_free(&r);
}

/* By the planner's model, with more effort than in a job; 0: not known. */
static double predict(const job *j, const atn_problem *q, const atn_choice *c)
{
    int64_t budget = 64 * atn_plan_budget(q->p);
    double seconds = 0;
    if (j->machine != NULL && c->row != NULL)
        atn_plan_planner_time(c, q, j->machine, NULL, &budget, &seconds, NULL);
    return seconds;
}

static bool is_planned(const char *word)
{
    return strcmp(word, "planned") == 0 || strcmp(word, "wisdom") == 0;
}

/* Rank 0 decides.  False: not applicable. */
static bool choose(const job *j, const char *word, atn_choice *choice_p, double *predicted_p)
{
    atn_problem q = j->caller.q;
    struct {
        char name[ATN_NAME_ROOM];
        double predicted;
    } all = {"native", 0};
    atn_error err = {0};
    *choice_p = (atn_choice){0};
    if (!is_planned(word))
        snprintf(all.name, sizeof all.name, "%s", word);
    else if (j->caller.r == 0)
        plan(j, &q, strcmp(word, "wisdom") == 0 ? j->wisdom : NULL, all.name, &all.predicted);
    MPI_Bcast(&all, sizeof all, MPI_BYTE, 0, MPI_COMM_WORLD);
    *predicted_p = all.predicted;
    if (strcmp(all.name, "native") == 0)
        return true;
    if (atn_plan_choice_read(q.op, all.name, choice_p, &err) != ATN_OK)
        end_job(word, err.text);
    q.segments = atn_algo_segments(choice_p->row, &q, &choice_p->params);
    if (atn_algo_refuses(choice_p->row, &q, &choice_p->params) != NULL)
        return false;
    if (j->caller.r == 0 && all.predicted <= 0)
        *predicted_p = predict(j, &j->caller.q, choice_p);
    return true;
}

/* ---- calls ---- */

/* Ranks leave a barrier one after the other.  Here clocks agree, so they can begin together. */
static double begin_together(void)
{
    static const double margin = 1e-3;
    double last = MPI_Wtime();
    MPI_Allreduce(MPI_IN_PLACE, &last, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    atn_measure_sleep(last + margin - MPI_Wtime());
    return last + margin;
}

static double time_call(job *j, const atn_callee *callee)
{
    const double began = begin_together();
    atn_measure_call_once(&j->caller, callee);
    return atn_measure_reduce_time(&j->caller, MPI_Wtime() - began, MPI_MAX);
}

static void measure(job *j, const char *word)
{
    atn_callee callee;
    atn_choice choice;
    char name[ATN_NAME_ROOM];
    double seconds = 0, predicted = 0;
    if (!choose(j, word, &choice, &predicted))
        return;
    if (!atn_measure_callee_open(&j->caller, &choice, &callee))
        end_job(word, "out of memory");
    for (int i = 0; i < j->calls; i++)
        seconds = time_call(j, &callee);
    atn_measure_callee_close(&callee);
    if (j->caller.r != 0)
        return;
    printf("%s,%lld,%s,\"%s\",%.9f,%.9f\n", atn_sched_operation_get(j->caller.q.op)->name,
           (long long)j->caller.q.bytes, is_planned(word) ? word : "row",
           atn_measure_choice_word(&choice, name), seconds, predicted);
    fflush(stdout);
}

static void run_task(job *j, char *text)
{
    char *rest = NULL, *op_name = strtok_r(text, "/", &rest), *size = strtok_r(NULL, "/", &rest);
    char *words = rest;
    atn_operation op;
    int64_t bytes;
    if (op_name == NULL || size == NULL || !atn_sched_operation_find(op_name, &op) ||
        !atn_parse_size(size, &bytes))
        end_job(text, "a task is OPERATION/BYTES/VARIANTS");
    if (!atn_measure_caller_prepare(&j->caller, op, bytes))
        end_job(text, "out of memory");
    for (char *word; (word = strtok_r(NULL, ";", &words)) != NULL;)
        measure(j, word);
}

int main(int argc, char **argv)
{
    job j = {.calls = 2};
    const char *const file = getenv("ATTUNE_MACHINE"), *const wisdom = getenv("WISDOM_FILE");
    atn_error err = {0};
    int first = 1, r;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &r);
    if (argc > 2 && strcmp(argv[1], "--calls") == 0) {
        j.calls = atn_max(1, atoi(argv[2]));
        first = 3;
    }
    atn_topo *const topo = atn_measure_program_place(r, getenv("ATTUNE_TOPOLOGY"));
    atn_measure_caller_begin(&j.caller, topo);
    j.caller.buffers = &folded;
    if (r == 0 && file != NULL)
        atn_model_machine_read(file, &j.machine, NULL);
    if (r == 0 && wisdom != NULL && atn_plan_rules_read(wisdom, &j.wisdom, &err) != ATN_OK)
        end_job(wisdom, err.text);
    for (int i = first; i < argc; i++)
        run_task(&j, argv[i]);
    atn_measure_caller_end(&j.caller);
    atn_model_machine_free(j.machine);
    atn_plan_rules_free(j.wisdom);
    atn_topo_free(topo);
    MPI_Finalize();
    return 0;
}
