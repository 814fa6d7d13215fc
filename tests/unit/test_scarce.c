/* test_scarce.c - what a job does without MPI, with failing allocations. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "folder.h"
#include "made.h"
#include "plan/form.h"
#include "plan/planner.h"
#include "plan/settings.h"
#include "plan/store.h"
#include "plan/wisdom.h"
#include "scarce.h"
#include "tune/offline.h"
#include "tune/tuner.h"

/* ---- helpers ---- */

static atn_status no_memory(atn_error *err) { return atn_fail(err, ATN_MEMORY, "out of memory"); }

/* A description of the result in a few words. */
static atn_status words(char **text_p, atn_error *err, const char *format, ...)
{
    char text[2000];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    *text_p = strdup(text);
    return *text_p != NULL ? ATN_OK : no_memory(err);
}

static const char old[] =
    "attune-wisdom 1\n# by hand\nmachine: here\ndate: 2026-02-03\n"
    "# a note\nrule bcast ranks=4 bytes=1K:8K use=chain{segment=1K} time=3us ci=1ns samples=9 "
    "next=binomial next_time=4us\n\n"
    "at m-*/4x2-block\nrule allreduce bytes=64K: use=ring time=9us samples=20\nend\n";
static const char news[] =
    "attune-wisdom 1\nmachine: here\nrule bcast ranks=4 bytes=2K use=binomial "
    "time=2us ci=1ns samples=30\nrule reduce use=binomial\nend\n";

static atn_status parse(const char *text, atn_rules **rules_p, atn_error *err)
{
    return atn_plan_rules_parse(text, strlen(text), "t", rules_p, err);
}

static atn_status describe(const atn_rules *rules, char **text_p, atn_error *err)
{
    return words(text_p, err, "%d rules, %llx", atn_plan_rules_count(rules),
                 (unsigned long long)atn_plan_rules_hash(rules));
}

static void write_text(const char *path, const char *text)
{
    assert_int_equal(atn_write_file(path, text, strlen(text), NULL), ATN_OK);
}

/* ---- rules and wisdom ---- */

static atn_status reads_rules(char **text_p, atn_error *err)
{
    atn_rules *rules;
    atn_status status = parse(old, &rules, err);
    if (status != ATN_OK)
        return status;
    if (!atn_plan_rules_narrow(rules, "m-x/4x2-block", false))
        status = no_memory(err);
    if (status == ATN_OK)
        status = describe(rules, text_p, err);
    atn_plan_rules_free(rules);
    return status;
}

static atn_status joins_wisdom(char **text_p, atn_error *err)
{
    atn_rules *a = NULL, *b = NULL, *both = NULL;
    atn_status status = parse(old, &a, err);
    if (status == ATN_OK)
        status = parse(news, &b, err);
    if (status == ATN_OK && (both = atn_plan_wisdom_join(a, b)) == NULL)
        status = no_memory(err);
    if (status == ATN_OK)
        status = describe(both, text_p, err);
    atn_plan_rules_free(a);
    atn_plan_rules_free(b);
    atn_plan_rules_free(both);
    return status;
}

static atn_status sends_rules(char **text_p, atn_error *err)
{
    atn_rules *rules = NULL, *copy = NULL;
    char *packed = NULL;
    size_t bytes = 0;
    atn_status status = parse(old, &rules, err);
    if (status == ATN_OK)
        status = atn_plan_rules_pack(rules, &packed, &bytes, err);
    if (status == ATN_OK)
        status = atn_plan_rules_unpack(packed, bytes, &copy, err);
    if (status == ATN_OK)
        status = describe(copy, text_p, err);
    free(packed);
    atn_plan_rules_free(rules);
    atn_plan_rules_free(copy);
    return status;
}

static atn_status forces_algorithms(char **text_p, atn_error *err)
{
    atn_rules *rules;
    atn_status status =
        atn_plan_rules_load("old", "allreduce=ring{segment=8K},bcast=chain", "model", &rules, err);
    if (status != ATN_OK)
        return status;
    status = describe(rules, text_p, err);
    atn_plan_rules_free(rules);
    return status;
}

/* A file that cannot be read for lack of memory may be skipped with a warning. */
static atn_status loads_wisdom(char **text_p, atn_error *err)
{
    const atn_wisdom_files files = {2, {"job", "user"}, {"old", "news"}};
    atn_rules *rules;
    char *warning = NULL;
    atn_status status = atn_plan_wisdom_load(&files, &rules, &warning, err);
    if (status != ATN_OK)
        return status;
    status = warning != NULL ? no_memory(err) : describe(rules, text_p, err);
    free(warning);
    atn_plan_rules_free(rules);
    return status;
}

/* The file is the old or the new one, never anything else. */
static atn_status merges_wisdom(char **text_p, atn_error *err)
{
    atn_rules *rules;
    const int fd = open("w", O_WRONLY | O_TRUNC | O_CREAT, 0600);
    assert_int_equal(write(fd, old, strlen(old)), strlen(old));
    close(fd);
    atn_status status = parse(news, &rules, err);
    if (status != ATN_OK)
        return status;
    status = atn_plan_wisdom_merge("w", rules, err);
    atn_plan_rules_free(rules);
    if (status == ATN_OK)
        return atn_read_file("w", text_p, NULL, err);
    char kept[sizeof old + 1] = "";
    const int again = open("w", O_RDONLY);
    assert_int_equal(read(again, kept, sizeof kept), strlen(old));
    close(again);
    assert_memory_equal(kept, old, strlen(old));
    return status;
}

static void rules_and_wisdom(void **state)
{
    (void)state;
    write_text("old", old);
    write_text("news", news);
    scarce_check("reads rules", reads_rules, 400);
    scarce_check("joins wisdom", joins_wisdom, 400);
    scarce_check("sends rules", sends_rules, 400);
    scarce_check("forces algorithms", forces_algorithms, 400);
    scarce_check("loads wisdom", loads_wisdom, 400);
    scarce_check("merges wisdom", merges_wisdom, 400);
}

/* ---- settings and calibrations ---- */

static atn_status sends_settings(char **text_p, atn_error *err)
{
    atn_settings s, copy;
    char *packed = NULL;
    size_t bytes = 0;
    atn_plan_settings_default(&s);
    atn_plan_settings_default(&copy);
    atn_status status =
        atn_plan_settings_set(&s, ATN_SET_ALGORITHM, "bcast=chain", ATN_FROM_COMMAND, err);
    if (status == ATN_OK)
        status = atn_plan_settings_pack(&s, &packed, &bytes, err);
    if (status == ATN_OK)
        status = atn_plan_settings_unpack(&copy, packed, bytes, err);
    if (status == ATN_OK)
        status = words(text_p, err, "%llx", (unsigned long long)atn_plan_settings_hash(&copy));
    free(packed);
    atn_plan_settings_free(&s);
    atn_plan_settings_free(&copy);
    return status;
}

static const char calibration[] =
    "attune-calibration 1\n\nentry n[0-3]\nmachine some-mpi-1-00000001\nfabric ethernet\nranks 1\n"
    "date 2026-02-03T09:15:07Z\ntool attune 1\nlauncher mpirun -n 4\n"
    "topology\n| #attune topology 1\n| SwitchName=top Nodes=n[0-3] LinkSpeed=100\nparameters\n"
    "| attune-machine 1\n| channel memory\n|   overhead below=0.5 eager=4K from=1\n"
    "|   table transfer 1\n|     1K 0.1\n| end\nend\n";

static atn_status prints_calibrations(char **text_p, atn_error *err)
{
    atn_store s = {0};
    size_t bytes;
    atn_status status = atn_plan_store_parse(calibration, strlen(calibration), "t", &s, err);
    if (status == ATN_OK && (*text_p = atn_plan_store_print(&s, &bytes)) == NULL)
        status = no_memory(err);
    atn_plan_store_free(&s);
    return status;
}

static atn_status loads_calibrations(char **text_p, atn_error *err)
{
    const atn_wisdom_files files = {1, {"job"}, {"calibration"}};
    atn_store s = {0};
    char *warning = NULL;
    atn_status status = atn_plan_store_load(&files, &s, &warning, err);
    if (status == ATN_OK)
        status = warning != NULL ? no_memory(err) : words(text_p, err, "%d entries", (int)s.list.n);
    free(warning);
    atn_plan_store_free(&s);
    return status;
}

static void settings_and_calibrations(void **state)
{
    (void)state;
    write_text("calibration", calibration);
    scarce_check("sends settings", sends_settings, 400);
    scarce_check("prints calibrations", prints_calibrations, 400);
    scarce_check("loads calibrations", loads_calibrations, 400);
}

/* ---- plans ---- */

static const char machine[] = "attune-machine 1\nhosts processors=2\ntable gamma sum f64 1\n"
                              "  1K 0.5\nchannel memory\n  hockney alpha=2 beta=0.3\n"
                              "channel switch\n  path duplex=0.4 rate=11.87\n"
                              "  overhead below=100 eager=64K from=700\n"
                              "  hockney alpha=100 beta=85\nend\n";

static atn_status prints_machine(char **text_p, atn_error *err)
{
    atn_machine *m;
    const atn_status status = atn_model_machine_parse(machine, strlen(machine), "m", &m, err);
    if (status != ATN_OK)
        return status;
    *text_p = atn_model_machine_print(m);
    atn_model_machine_free(m);
    return *text_p != NULL ? ATN_OK : no_memory(err);
}

static atn_status prints_topology(char **text_p, atn_error *err)
{
    atn_topo *t;
    const atn_status status = atn_topo_parse_synthetic("2x2@100M;order=roundrobin", &t, err);
    if (status != ATN_OK)
        return status;
    *text_p = atn_topo_print(t);
    atn_topo_free(t);
    return *text_p != NULL ? ATN_OK : no_memory(err);
}

static atn_machine *a_machine;
static atn_topo *a_topology;

/* With less memory fewer candidates may be evaluated: rank 0 of a job plans for all. */
static atn_status plans(char **text_p, atn_error *err)
{
    const atn_problem q = {
        .op = ATN_ALLREDUCE, .p = a_topology->p, .bytes = 65536, .topo = a_topology};
    atn_ranking r = {0};
    atn_status status = atn_plan_planner_rank(&q, a_machine, NULL, 20000, &r, err);
    if (status != ATN_OK)
        return status;
    status = words(text_p, err, r.n > 0 ? "some candidates" : "none");
    atn_plan_ranking_free(&r);
    return status;
}

/* ---- choices ---- */

/* Rows whose checks allocate, with parameters for which they do. */
static const struct {
    atn_operation op;
    const char *use;
} uses[] = {
    {ATN_ALLREDUCE, "levels{host:ring{order=lr3},rank:binomial}"},
    {ATN_ALLREDUCE, "levels{host:rabenseifner}"},
    {ATN_ALLREDUCE, "rabenseifner{gather=mesh{dims=2},scatter=ring{order=lr3}}"},
    {ATN_ALLREDUCE, "reduce_scatter_allgather{gather=ring{order=lr3}}"},
    {ATN_BCAST, "scatter_allgather{allgather=ring{order=lr3}}"},
    {ATN_ALLGATHER, "ring{order=lr3}"},
    {ATN_ALLGATHER, "levels"},
    {ATN_ALLTOALL, "levels{host:pairwise}"},
};
enum { USES = sizeof uses / sizeof *uses };

/* A rank that lacks memory must not choose otherwise than the others: rules that apply still do. */
static atn_status chooses(char **text_p, atn_error *err)
{
    static atn_rules *rules[USES]; /* as a job has read them */
    char text[USES * ATN_NAME_ROOM] = "";
    for (int i = 0; i < USES; i++) {
        atn_problem q = {
            .op = uses[i].op, .p = a_topology->p, .bytes = 4096, .topo = a_topology, .segments = 1};
        char line[ATN_NAME_ROOM], chosen[ATN_NAME_ROOM];
        atn_choice choice;
        snprintf(line, sizeof line, "%s=%s", atn_sched_operation_get(q.op)->name, uses[i].use);
        if (rules[i] == NULL && atn_plan_rules_load(NULL, line, "rules", &rules[i], err) != ATN_OK)
            return err->status;
        atn_plan_rules_choose(rules[i], &q, 0, &choice, NULL);
        atn_plan_choice_print(&choice, chosen);
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s\n", chosen);
    }
    return words(text_p, err, "%s", text);
}

static void choices(void **state)
{
    char *text = NULL;
    atn_error err = {0};
    (void)state;
    a_topology = made_topology("2x3@100M;order=roundrobin");
    if (chooses(&text, &err) != ATN_OK)
        fail_msg("%s", err.text);
    assert_null(strstr(text, "native"));
    free(text);
    scarce_check("chooses", chooses, 3000);
    atn_topo_free(a_topology);
}

static void plans_and_their_data(void **state)
{
    (void)state;
    a_machine = made_machine(machine);
    a_topology = made_topology("2x2@100M;order=roundrobin");
    scarce_check("prints a machine", prints_machine, 400);
    scarce_check("prints a topology", prints_topology, 400);
    scarce_check("plans", plans, 300);
    atn_topo_free(a_topology);
    atn_model_machine_free(a_machine);
}

/* ---- tuners ---- */

static atn_status searches(char **text_p, atn_error *err)
{
    atn_status status = ATN_OK;
    atn_offline *o = atn_tune_offline_new(&atn_tune_offline_defaults);
    if (o == NULL)
        return no_memory(err);
    for (int i = 0; i < 40 && status == ATN_OK; i++)
        if (atn_tune_offline_add(o, i, 1e-3 * i, false) < 0)
            status = no_memory(err);
    if (status == ATN_OK)
        status = words(text_p, err, "leader %d", atn_tune_offline_leader(o));
    atn_tune_offline_free(o);
    return status;
}

static atn_status tunes(char **text_p, atn_error *err)
{
    const atn_candidate list[] = {{.id = 1, .predicted_ps = -1}, {.id = 2, .predicted_ps = 1000}};
    atn_budget budget;
    atn_tune_budget_begin(&budget, 20, 1000);
    atn_tuner *t =
        atn_tune_tuner_new(&atn_tune_defaults, &budget, list, 2, 0, 0, ATN_START_NATIVE, -1);
    if (t == NULL)
        return no_memory(err);
    const atn_step step = atn_tune_tuner_step(t, ATN_TUNE_WEIGHT);
    const atn_status status = words(text_p, err, "candidate %d", step.candidate);
    atn_tune_tuner_free(t);
    return status;
}

static void tuners(void **state)
{
    (void)state;
    scarce_check("searches", searches, 400);
    scarce_check("tunes", tunes, 400);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(rules_and_wisdom, enter_folder, leave_folder),
        cmocka_unit_test_setup_teardown(settings_and_calibrations, enter_folder, leave_folder),
        cmocka_unit_test(plans_and_their_data),
        cmocka_unit_test(choices),
        cmocka_unit_test(tuners),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
