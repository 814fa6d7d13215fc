/* wisdom.c - see wisdom.h. */
#include "pmpi/job/wisdom.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "plan/patterns.h"
#include "plan/wisdom.h"
#include "pmpi/job/identity.h"

/* Keys of the names of machine and program in the packed table. */
static const char here[] = "here", program[] = "program";

/* ---- reading, on rank 0 ---- */

typedef ATN_VEC(atn_rule) rule_list;

/* Compares the part of a place before the slash. */
static bool is_of_machine(int64_t place, const char *machine)
{
    const char *const text = atn_interned(place);
    const size_t n = strcspn(text, "/");
    return place == 0 || (n == 1 && *text == '*') ||
           (n == strlen(machine) && strncmp(text, machine, n) == 0);
}

/* All ranks have the patterns that come with the rules, and no others from the start. */
static bool keep(atn_rule rule, rule_list *kept)
{
    if (!atn_plan_pattern_is_known(&rule.use))
        return true;
    if (!atn_plan_pattern_is_known(&rule.next))
        rule.next.row = NULL;
    return atn_push(kept, rule);
}

/* A copy of the rules that may apply in this job. */
static atn_rules *of_machine(const atn_rules *all, const char *machine)
{
    rule_list kept = {0};
    bool done = true;
    for (int i = 0; i < atn_plan_rules_count(all) && done; i++)
        if (is_of_machine(atn_plan_rules_at(all, i)->place, machine))
            done = keep(*atn_plan_rules_at(all, i), &kept);
    atn_rules *const rules = done ? atn_plan_rules_make(kept.v, kept.n, NULL) : NULL;
    atn_vec_free(&kept);
    return rules;
}

/* Random selection is for tests, and STAR-MPI keeps no results. */
static bool reads_wisdom(const atn_settings *s)
{
    const char *const select = atn_plan_setting_text(s, ATN_SET_SELECT);
    return strncmp(select, "random", 6) != 0 && strncmp(select, "star", 4) != 0;
}

static atn_rules *read_all(const atn_settings *s)
{
    const char *const job = atn_plan_setting_given(s, ATN_SET_WISDOM);
    atn_wisdom_files files;
    atn_rules *all = NULL;
    atn_error err = {0};
    char *warning = NULL;
    if (!reads_wisdom(s))
        return atn_plan_rules_empty();
    atn_plan_wisdom_find(job != NULL ? job : "", getenv("HOME"), getenv("XDG_DATA_HOME"), &files);
    if (atn_plan_wisdom_load(&files, &all, &warning, &err) != ATN_OK)
        atn_interpose_print_line("%s; no wisdom is used", err.text);
    if (warning != NULL)
        fputs(warning, stderr);
    free(warning);
    return all != NULL ? all : atn_plan_rules_empty();
}

/* The name of the executable of rank 0, without its folder. */
static const char *program_name(char path[4096])
{
    const ssize_t n = readlink("/proc/self/exe", path, 4095);
    path[n > 0 ? n : 0] = '\0';
    const char *const slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

/* As a number, because a name may hold any byte. */
static bool describe_program(atn_rules *rules)
{
    char path[4096], number[32];
    const char *const name = program_name(path);
    snprintf(number, sizeof number, "%016" PRIx64, atn_plan_program_hash(name));
    return atn_plan_rules_describe(rules, program, number);
}

atn_status atn_job_wisdom_pack(const atn_settings *s, char **bytes_p, size_t *size_p,
                               atn_error *err)
{
    char machine[ATN_HERE_ROOM];
    atn_plan_here_machine(atn_job_mpi_name(), machine);
    atn_rules *const all = read_all(s);
    atn_rules *const rules = all != NULL ? of_machine(all, machine) : NULL;
    const bool done =
        rules != NULL && atn_plan_rules_describe(rules, here, machine) && describe_program(rules);
    const atn_status status = done ? atn_plan_rules_pack(rules, bytes_p, size_p, err)
                                   : atn_fail(err, ATN_MEMORY, "out of memory");
    atn_plan_rules_free(all);
    atn_plan_rules_free(rules);
    return status;
}

/* ---- opening, on all ranks ---- */

static bool names_patterns(const atn_rules *rules)
{
    for (int i = 0; i < atn_plan_rules_count(rules); i++)
        if (atn_plan_pattern_of(&atn_plan_rules_at(rules, i)->use) > 0 ||
            atn_plan_pattern_of(&atn_plan_rules_at(rules, i)->next) > 0)
            return true;
    return false;
}

bool atn_job_wisdom_open(atn_job *job, const char *bytes, size_t size)
{
    if (atn_plan_rules_unpack(bytes, size, &job->wisdom, NULL) != ATN_OK)
        return false;
    const char *const machine = atn_plan_rules_provenance(job->wisdom, here);
    const char *const number = atn_plan_rules_provenance(job->wisdom, program);
    job->has_patterns = names_patterns(job->wisdom);
    job->program = number != NULL ? strtoull(number, NULL, 16) : 0;
    snprintf(job->here, sizeof job->here, "%s", machine != NULL ? machine : "*");
    return true;
}

uint32_t atn_job_wisdom_operations(const atn_rules *wisdom)
{
    uint32_t operations = 0;
    for (int i = 0; i < atn_plan_rules_count(wisdom); i++) {
        const atn_rule *const rule = atn_plan_rules_at(wisdom, i);
        if (rule->use.row->algo->build != NULL)
            operations |= 1u << rule->op;
    }
    return operations;
}
