/* cmd_wisdom_export.c - attune wisdom export: rules for MPI libraries without Attune. */
#include <string.h>

#include "cli/cli.h"
#include "plan/export.h"

static const char *const libraries[] = {"openmpi", "mpich", NULL};

static const atn_option options[] = {
    {.name = "for",
     .argument = "openmpi|mpich",
     .type = ATN_OPT_WORD,
     .words = libraries,
     .doc = "the MPI library that shall read it"},
    {.name = "at",
     .argument = "PLACE",
     .type = ATN_OPT_TEXT,
     .doc = "where it will be used (MACHINE/LAYOUT); without, rules in sections are left out"},
    {.name = "ranks",
     .letter = 'p',
     .argument = "P",
     .type = ATN_OPT_INT,
     .min = 2,
     .max = 4096,
     .fallback = "128",
     .doc = "the largest communicator that is told of"},
    {.name = "library",
     .argument = "FILE",
     .type = ATN_OPT_FILE,
     .doc = "with --for mpich: the libmpich.so that will use it"},
    {0},
};

static atn_status export_rules(const atn_args *a, const atn_rules *rules, atn_error *err)
{
    const atn_export e = {.ranks = (int)atn_arg_int(a, "ranks"),
                          .notes = a->operands[0],
                          .f = a->out,
                          .notes_to = stderr};
    const char *library = atn_arg_text(a, "library");
    if (strcmp(atn_arg_text(a, "for"), "openmpi") == 0)
        return atn_export_openmpi(&e, rules, err);
    return atn_export_mpich(&e, rules, library, err);
}

static bool is_first_of_place(const atn_rules *rules, int i)
{
    for (int k = 0; k < i; k++)
        if (atn_rules_at(rules, k)->place == atn_rules_at(rules, i)->place)
            return false;
    return true;
}

/* What jobs and `attune tune` write is all in sections: nobody should take an export without it for
 * the whole. */
static void tell_left_out(const atn_rules *rules)
{
    for (int i = 0; i < atn_rules_count(rules); i++) {
        const int64_t place = atn_rules_at(rules, i)->place;
        int n = 0;
        for (int k = i; k < atn_rules_count(rules); k++)
            n += atn_rules_at(rules, k)->place == place;
        if (place != 0 && is_first_of_place(rules, i))
            fprintf(stderr,
                    "attune: %d rule%s left out that hold%s in one place; --at '%s' takes %s\n", n,
                    n == 1 ? "" : "s", n == 1 ? "s" : "", atn_interned(place),
                    n == 1 ? "it" : "them");
    }
}

static int run(const atn_args *a, atn_error *err)
{
    const char *target = atn_arg_text(a, "for"), *here = atn_arg_text(a, "at");
    atn_rules *rules;
    int64_t place;
    if (target == NULL)
        return atn_fail(err, ATN_USAGE, "say --for openmpi or --for mpich");
    if (strcmp(target, "mpich") == 0 && atn_arg_text(a, "library") == NULL)
        return atn_fail(err, ATN_USAGE,
                        "--for mpich needs --library LIBMPICH.SO: its own decisions are completed");
    if (here != NULL && !atn_place_parse(here, &place))
        return atn_fail(err, ATN_USAGE, "--at %.60s: write MACHINE/LAYOUT", here);
    atn_status status = atn_rules_read(a->operands[0], &rules, err);
    if (status != ATN_OK)
        return status;
    if (here == NULL)
        tell_left_out(rules);
    else if (!atn_rules_narrow(rules, here, false))
        status = atn_fail(err, ATN_MEMORY, "out of memory");
    else if (atn_rules_count(rules) == 0)
        status =
            atn_fail(err, ATN_INPUT, "%s: no rule holds at %s; without --at its places are told",
                     a->operands[0], here);
    if (status == ATN_OK)
        status = export_rules(a, rules, err);
    atn_rules_free(rules);
    return status;
}

const atn_command atn_cmd_wisdom_export = {
    .noun = "wisdom",
    .verb = "export",
    .operands = "FILE",
    .min_operands = 1,
    .max_operands = 1,
    .help = "Write rules that Open MPI or MPICH follow without Attune",
    .detail = "Open MPI 4.1: mpirun --mca coll_tuned_use_dynamic_rules 1 --mca "
              "coll_tuned_dynamic_rules_filename FILE. MPICH 4.0: set "
              "MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE=FILE. Algorithms that the library does "
              "not have are told, and left to its own decision.",
    .options = options,
    .flags = ATN_CMD_OUTPUT,
    .run = run,
};
