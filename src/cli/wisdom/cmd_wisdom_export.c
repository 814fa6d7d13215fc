/* cmd_wisdom_export.c - attune wisdom export: rules in the formats of Open MPI and MPICH. */
#include <string.h>

#include "cli/cli.h"
#include "plan/export.h"

static const char *const libraries[] = {"openmpi", "mpich", NULL};

static const atn_option options[] = {
    ATN_WORD("for", "openmpi|mpich", NULL, libraries, "MPI library that reads the result"),
    ATN_TEXT("at", "PLACE", NULL,
             "Place of use (MACHINE/LAYOUT); without it, rules in sections are omitted"),
    {.name = "ranks",
     .letter = 'p',
     .argument = "P",
     .type = ATN_OPT_INT,
     .min = 2,
     .max = 4096,
     .fallback = "128",
     .doc = "Largest communicator to export rules for"},
    ATN_FILE("library", "FILE", "With --for mpich: the libmpich.so that reads the result"),
    {0},
};

static atn_status export_rules(const atn_args *a, const atn_rules *rules, atn_error *err)
{
    const atn_export e = {.ranks = (int)atn_cli_arg_int(a, "ranks"),
                          .notes = a->operands[0],
                          .f = a->out,
                          .notes_to = stderr};
    const char *library = atn_cli_arg_text(a, "library");
    if (strcmp(atn_cli_arg_text(a, "for"), "openmpi") == 0)
        return atn_plan_export_openmpi(&e, rules, err);
    return atn_plan_export_mpich(&e, rules, library, err);
}

static bool is_first_of_place(const atn_rules *rules, int i)
{
    for (int k = 0; k < i; k++)
        if (atn_plan_rules_at(rules, k)->place == atn_plan_rules_at(rules, i)->place)
            return false;
    return true;
}

/* Jobs and `attune tune` write sections only, so an export without them may be nearly empty. */
static void report_omitted(const atn_rules *rules)
{
    for (int i = 0; i < atn_plan_rules_count(rules); i++) {
        const int64_t place = atn_plan_rules_at(rules, i)->place;
        int n = 0;
        for (int k = i; k < atn_plan_rules_count(rules); k++)
            n += atn_plan_rules_at(rules, k)->place == place;
        if (place != 0 && is_first_of_place(rules, i))
            fprintf(stderr,
                    "attune: %d rule%s of section '%s' omitted; add --at '%s' to include %s\n", n,
                    n == 1 ? "" : "s", atn_interned(place), atn_interned(place),
                    n == 1 ? "it" : "them");
    }
}

static int run(const atn_args *a, atn_error *err)
{
    const char *target = atn_cli_arg_text(a, "for"), *here = atn_cli_arg_text(a, "at");
    atn_rules *rules;
    int64_t place;
    if (target == NULL)
        return atn_fail(err, ATN_USAGE, "no target; add --for openmpi or --for mpich");
    if (strcmp(target, "mpich") == 0 && atn_cli_arg_text(a, "library") == NULL)
        return atn_fail(
            err, ATN_USAGE,
            "--for mpich requires --library LIBMPICH.SO, whose selection table is extended");
    if (here != NULL && !atn_plan_place_parse(here, &place))
        return atn_fail(err, ATN_USAGE, "--at %.60s: write MACHINE/LAYOUT", here);
    atn_status status = atn_plan_rules_read(a->operands[0], &rules, err);
    if (status != ATN_OK)
        return status;
    if (here == NULL)
        report_omitted(rules);
    else if (!atn_plan_rules_narrow(rules, here, false))
        status = atn_fail(err, ATN_MEMORY, "out of memory");
    else if (atn_plan_rules_count(rules) == 0)
        status = atn_fail(err, ATN_INPUT,
                          "%s: no rule applies at %s; without --at, its places are listed",
                          a->operands[0], here);
    if (status == ATN_OK)
        status = export_rules(a, rules, err);
    atn_plan_rules_free(rules);
    return status;
}

const atn_command atn_cmd_wisdom_export = {
    .noun = "wisdom",
    .verb = "export",
    ATN_OPERANDS("FILE", 1, 1),
    .help = "Export rules for Open MPI or MPICH without Attune",
    .detail = "Open MPI 4.1: mpirun --mca coll_tuned_use_dynamic_rules 1 --mca "
              "coll_tuned_dynamic_rules_filename FILE. MPICH 4.0: set "
              "MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE=FILE. Algorithms that the library does "
              "not have are reported; the library selects an algorithm for these problems.",
    .examples = ATN_NOTES({"attune wisdom export cluster.wisdom --for openmpi -o openmpi.rules",
                           "Export rules for Open MPI"}),
    .options = options,
    .flags = ATN_CMD_OUTPUT,
    .run = run,
};
