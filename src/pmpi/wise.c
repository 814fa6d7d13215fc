/* wise.c - see wise.h. */
#include "pmpi/wise.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "plan/wisdom.h"
#include "pmpi/job.h"

static const char here[] = "here"; /* in the packed table: the name of the machine */

/* ---- one rank reads ---- */

/* The part of a place before the slash. */
static bool is_of_machine(int64_t place, const char *machine)
{
    const char *const text = atn_interned(place);
    const size_t n = strcspn(text, "/");
    return place == 0 || (n == 1 && *text == '*') ||
           (n == strlen(machine) && strncmp(text, machine, n) == 0);
}

/* A copy of the rules that may hold in this job. */
static atn_rules *of_machine(const atn_rules *all, const char *machine)
{
    ATN_VEC(atn_rule) kept = {0};
    bool done = true;
    for (int i = 0; i < atn_rules_count(all) && done; i++)
        if (is_of_machine(atn_rules_at(all, i)->place, machine))
            done = atn_push(&kept, *atn_rules_at(all, i));
    atn_rules *const rules = done ? atn_rules_make(kept.v, kept.n, NULL) : NULL;
    atn_vec_free(&kept);
    return rules;
}

/* Random choices are for tests, and STAR-MPI remembers nothing. */
static bool reads_wisdom(const atn_settings *s)
{
    const char *const select = atn_setting_text(s, ATN_SET_SELECT);
    return strncmp(select, "random", 6) != 0 && strncmp(select, "star", 4) != 0;
}

static atn_rules *read_all(const atn_settings *s)
{
    const char *const job = atn_setting_given(s, ATN_SET_WISDOM);
    atn_wisdom_files files;
    atn_rules *all = NULL;
    atn_error err = {0};
    char *warning = NULL;
    if (!reads_wisdom(s))
        return atn_rules_empty();
    atn_wisdom_find(job != NULL ? job : "", getenv("HOME"), getenv("XDG_DATA_HOME"), &files);
    if (atn_wisdom_load(&files, &all, &warning, &err) != ATN_OK)
        atn_say("%s; no wisdom is used", err.text);
    if (warning != NULL)
        fputs(warning, stderr);
    free(warning);
    return all != NULL ? all : atn_rules_empty();
}

atn_status atn_wise_pack(const atn_settings *s, char **bytes_p, size_t *size_p, atn_error *err)
{
    char machine[ATN_HERE_ROOM];
    atn_here_machine(atn_mpi_built_for(), machine);
    atn_rules *const all = read_all(s);
    atn_rules *const rules = all != NULL ? of_machine(all, machine) : NULL;
    const bool done = rules != NULL && atn_rules_describe(rules, here, machine);
    const atn_status status = done ? atn_rules_pack(rules, bytes_p, size_p, err)
                                   : atn_fail(err, ATN_MEMORY, "out of memory");
    atn_rules_free(all);
    atn_rules_free(rules);
    return status;
}

/* ---- all ranks have it ---- */

bool atn_wise_open(atn_job *job, const char *bytes, size_t size)
{
    if (atn_rules_unpack(bytes, size, &job->wisdom, NULL) != ATN_OK)
        return false;
    const char *const machine = atn_rules_provenance(job->wisdom, here);
    snprintf(job->here, sizeof job->here, "%s", machine != NULL ? machine : "*");
    return true;
}

uint32_t atn_wise_operations(const atn_rules *wisdom)
{
    uint32_t operations = 0;
    for (int i = 0; i < atn_rules_count(wisdom); i++) {
        const atn_rule *const rule = atn_rules_at(wisdom, i);
        if (rule->use.row->algo->build != NULL)
            operations |= 1u << rule->op;
    }
    return operations;
}

/* ---- where a communicator is ---- */

typedef struct {
    char *place;
    atn_rules *rules;
} at_place;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static ATN_VEC(at_place) places;

static const atn_rules *find_place(const char *place)
{
    for (int i = 0; i < places.n; i++)
        if (strcmp(places.v[i].place, place) == 0)
            return places.v[i].rules;
    return NULL;
}

/* What was measured on other numbers of ranks can be carried over where there is a model. */
static const atn_rules *add_place(const char *place)
{
    const atn_rules *const all = atn_the_job.wisdom;
    at_place one = {.place = strdup(place)};
    one.rules = atn_rules_count(all) > 0
                    ? atn_rules_make(atn_rules_at(all, 0), atn_rules_count(all), NULL)
                    : atn_rules_empty();
    if (one.place != NULL && one.rules != NULL &&
        atn_rules_narrow(one.rules, place, atn_the_job.measured) && atn_push(&places, one))
        return one.rules;
    free(one.place);
    atn_rules_free(one.rules);
    return NULL;
}

bool atn_wise_here(const atn_topo *t, const atn_rules **rules_p)
{
    char place[ATN_HERE_ROOM];
    *rules_p = NULL;
    if (atn_the_job.wisdom == NULL || atn_rules_count(atn_the_job.wisdom) == 0)
        return true;
    if (!atn_here_name(atn_the_job.here, t, place))
        return false;
    pthread_mutex_lock(&lock);
    *rules_p = find_place(place);
    if (*rules_p == NULL)
        *rules_p = add_place(place);
    pthread_mutex_unlock(&lock);
    return *rules_p != NULL;
}

void atn_wise_stop(void)
{
    for (int i = 0; i < places.n; i++) {
        free(places.v[i].place);
        atn_rules_free(places.v[i].rules);
    }
    atn_vec_free(&places);
}
