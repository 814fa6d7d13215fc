/* calibrate_tune.c - the short search of `attune calibrate`: it begins with predictions, so it
 * measures only candidates whose predicted times are close.
 *
 * Its rules are weaker than those of `attune tune`: a rule that the time did not suffice for is
 * tentative, and none extends far beyond the sizes that were measured: jobs tune further. */
#include <stdlib.h>
#include <string.h>

#include "cli/sampling.h"
#include "cli/tuning/calibrate.h"
#include "model/machine.h"
#include "tune/solution.h"

enum { STEP = 8 };                 /* factor between sizes */
static const double reserve = 0.8; /* of the time; the last problem of a search may exceed it */

static atn_status no_memory(atn_error *err) { return atn_fail(err, ATN_MEMORY, "out of memory"); }

/* ---- problems ---- */

/* Operations whose calls move comparable amounts of data are tuned together. */
typedef struct {
    const char *name, *ops;
    int copies;  /* of the message that a rank sends in a call of each operation, together ... */
    bool blocks; /* ... for each rank */
} tuned_group;

static const tuned_group by_message = {"reduce", "allreduce,bcast,reduce", 4, false};
static const tuned_group by_block = {"gather", "allgather,alltoall", 2, true};

/* Seconds of a byte of large messages between the most distant ranks; 0: unknown.  The searches for
 * small ones are short in any case. */
static double byte_seconds(const atn_calibrating *c)
{
    enum { LARGE = 128 << 10 };
    char path[PATH_MAX];
    atn_machine *m = NULL;
    atn_cli_calibrate_part(c, ATN_PART_OF_MACHINE, path);
    if (atn_model_machine_read(path, &m, NULL) != ATN_OK)
        return 0;
    const double seconds = atn_model_channel_message(m, m->nchannels - 1, LARGE);
    atn_model_machine_free(m);
    return seconds / LARGE;
}

/* Sizes of which a hundred calls of each operation take less than the given time: the search needs
 * about as many.  The smallest two in any case. */
static void choose_sizes(const atn_calibrating *c, const tuned_group *g, double seconds,
                         char out[64])
{
    enum { LEAST = 256, SIZES = 5, CALLS = 100, ALWAYS = 2 };
    const double copies = g->copies * (g->blocks ? c->job.ranks : 1), byte = byte_seconds(c);
    int64_t bytes = LEAST;
    int used = 0;
    for (int i = 0; i < SIZES; i++, bytes *= STEP) {
        char word[32];
        if (i >= ALWAYS && CALLS * copies * byte * (double)bytes > seconds)
            break;
        used += snprintf(out + used, (size_t)(64 - used), "%s%s", i > 0 ? "," : "",
                         atn_format_size(bytes, word));
    }
}

/* ---- rules ---- */

static bool is_certain(const atn_rule *rule)
{
    static const int64_t part = 10; /* of the time that its interval may be */
    return rule->time_ps > 0 && rule->ci_ps >= 0 && part * rule->ci_ps <= rule->time_ps;
}

/* The last size would stand for all larger ones. */
static atn_rule weakened(const atn_rule *rule)
{
    atn_rule weak = *rule;
    if (weak.bytes.hi == INT64_MAX && weak.bytes.lo > 0)
        weak.bytes.hi = STEP * weak.bytes.lo;
    if (!is_certain(rule) && weak.guess == ATN_GUESS_NONE)
        weak.guess = ATN_GUESS_RACE;
    return weak;
}

static atn_status merge_rules(const atn_calibrating *c, const char *path, atn_error *err)
{
    ATN_VEC(atn_rule) list = {0};
    atn_rules *found = NULL, *weak = NULL;
    atn_status status = atn_plan_rules_read(path, &found, err);
    bool ok = true;
    for (int i = 0; status == ATN_OK && i < atn_plan_rules_count(found) && ok; i++)
        ok = atn_push(&list, weakened(atn_plan_rules_at(found, i)));
    if (status == ATN_OK && ok)
        weak = atn_plan_rules_make(list.v, list.n, found);
    if (status == ATN_OK)
        status = weak != NULL ? atn_tune_solutions_merge(c->wisdom, weak, err) : no_memory(err);
    atn_vec_free(&list);
    atn_plan_rules_free(found);
    atn_plan_rules_free(weak);
    return status;
}

/* ---- the search ---- */

static atn_status mark_done(const atn_calibrating *c, const tuned_group *g, atn_error *err)
{
    char path[PATH_MAX], name[32];
    snprintf(name, sizeof name, "%s.done", g->name);
    atn_cli_calibrate_part(c, name, path);
    return atn_write_file(path, "", 0, err);
}

static bool add_options(const atn_calibrating *c, const tuned_group *g, double seconds,
                        atn_words *words)
{
    char samples[32], wisdom[32], sizes[64];
    snprintf(samples, sizeof samples, "%s.samples", g->name);
    snprintf(wisdom, sizeof wisdom, "%s.wisdom", g->name);
    choose_sizes(c, g, seconds, sizes);
    return atn_cli_calibrate_seconds(words, reserve * seconds) &&
           atn_cli_words_option(words, "ops", g->ops) &&
           atn_cli_words_option(words, "sizes", sizes) &&
           atn_cli_calibrate_file(c, words, "machine", ATN_PART_OF_MACHINE) &&
           (!atn_cli_calibrate_has(c, ATN_PART_OF_TOPOLOGY) ||
            atn_cli_calibrate_file(c, words, "topology", ATN_PART_OF_TOPOLOGY)) &&
           atn_cli_calibrate_file(c, words, "wisdom", wisdom) &&
           atn_cli_calibrate_file(c, words, "raw", samples) &&
           (!atn_cli_calibrate_has(c, samples) || atn_cli_words_add(words, "--resume"));
}

static atn_status tune_group(const atn_calibrating *c, const tuned_group *g, double seconds,
                             atn_error *err)
{
    char path[PATH_MAX], name[32];
    atn_words options = {0};
    snprintf(name, sizeof name, "%s.wisdom", g->name);
    atn_cli_calibrate_part(c, name, path);
    atn_status status = add_options(c, g, seconds, &options)
                            ? atn_cli_calibrate_command(c, &atn_cmd_tune, &options, NULL, err)
                            : no_memory(err);
    if (status == ATN_OK)
        status = merge_rules(c, path, err);
    if (status == ATN_OK)
        status = mark_done(c, g, err);
    atn_cli_words_free(&options);
    return status;
}

atn_status atn_cli_calibrate_messages(atn_calibrating *c, double seconds, atn_error *err)
{
    return tune_group(c, &by_message, seconds, err);
}

atn_status atn_cli_calibrate_blocks(atn_calibrating *c, double seconds, atn_error *err)
{
    return tune_group(c, &by_block, seconds, err);
}
