/* calibration.c - see calibration.h. */
#include "pmpi/job/calibration.h"

#include <stdlib.h>
#include <string.h>

#include "exec/host.h"

enum { MOST_ENTRIES = 16 };

/* ---- reading, on rank 0 ---- */

/* A machine or topology that the user names is not combined with another one. */
static bool is_wanted(const atn_job *job)
{
    const atn_settings *const s = &job->settings;
    return atn_plan_rules_plan(job->rules) && atn_plan_setting_given(s, ATN_SET_MACHINE) == NULL &&
           atn_plan_setting_given(s, ATN_SET_TOPOLOGY) == NULL;
}

void atn_job_calibration_files(const atn_job *job, atn_wisdom_files *files_p)
{
    const char *const named = atn_plan_setting_given(&job->settings, ATN_SET_CALIBRATION);
    atn_plan_store_find(named != NULL ? named : "", getenv("HOME"), getenv("XDG_DATA_HOME"),
                        files_p);
}

static void load(const atn_job *job, atn_store *all)
{
    atn_wisdom_files files;
    atn_error err = {0};
    char *warning = NULL;
    atn_job_calibration_files(job, &files);
    if (atn_plan_store_load(&files, all, &warning, &err) != ATN_OK)
        atn_interpose_print_line("%s; no calibration is used", err.text);
    if (warning != NULL)
        fputs(warning, stderr);
    free(warning);
}

/* Why none of the entries is sent: as if the job had only rank 0. */
static void explain(atn_job *job, const atn_store *all, const char *fabric, const char *host)
{
    char why[ATN_STORE_WORDS] = "";
    const atn_store_job alone = {job->here, fabric, &host, 1};
    atn_plan_store_select(all, &alone, why);
    snprintf(job->calibration, sizeof job->calibration, "none: %s", why);
}

char *atn_job_calibration_text(atn_job *job, size_t *bytes_p)
{
    char host[256] = "", fabric[ATN_HERE_ROOM];
    atn_store all = {{0}}, some = {{0}};
    char *text = NULL;
    if (!is_wanted(job))
        return NULL;
    atn_exec_host_name(host, sizeof host);
    atn_plan_here_fabric(fabric);
    load(job, &all);
    for (int i = 0; i < all.list.n && some.list.n < MOST_ENTRIES; i++)
        if (atn_plan_store_is_of(&all.list.v[i], job->here, fabric) &&
            atn_plan_store_has_host(&all.list.v[i], host) &&
            !atn_plan_store_add(&some, &all.list.v[i]))
            break;
    if (some.list.n > 0)
        text = atn_plan_store_print(&some, bytes_p);
    else
        explain(job, &all, fabric, host);
    atn_plan_store_free(&all);
    atn_plan_store_free(&some);
    return text;
}

/* ---- opening, on every rank ---- */

/* The fabric is not compared again: rank 0 sends only entries for its own. */
static int select_entry(const atn_job *job, const atn_store *s, const atn_location *locations,
                        char why[ATN_STORE_WORDS])
{
    const char **const hosts = malloc((size_t)job->p * sizeof *hosts);
    if (hosts == NULL)
        return -1;
    for (int r = 0; r < job->p; r++)
        hosts[r] = locations[r].host;
    const atn_store_job all = {job->here, s->list.v[0].fabric, hosts, job->p};
    const int found = atn_plan_store_select(s, &all, why);
    free(hosts);
    return found;
}

/* Hosts that a pattern covers need not be in the measured topology; then it is that of any job. */
static void take_topology(atn_job *job, const atn_store_entry *e, const atn_location *locations)
{
    atn_topo *tree = NULL, *placed = NULL;
    if (e->topology != NULL && atn_topo_parse_slurm(e->topology, "calibration", &tree, NULL) == 0 &&
        atn_exec_place_locations(tree, locations, job->p, &placed, NULL) == ATN_OK) {
        atn_topo_free(job->topo);
        job->topo = placed;
        job->switches = true;
    }
    atn_topo_free(tree);
}

/* Why the machine is not used; NULL: it is, or there is none. */
static const char *take_machine(atn_job *job, const atn_store_entry *e)
{
    atn_machine *m = NULL;
    job->probed = job->sketched = job->stored_sketch = e->parameters == NULL && job->switches;
    if (e->parameters == NULL)
        return NULL;
    if (atn_model_machine_parse(e->parameters, strlen(e->parameters), "calibration", &m, NULL) !=
        ATN_OK)
        return "out of memory";
    const char *const why = atn_model_machine_refuses(m, job->topo);
    job->measured = why == NULL;
    if (why == NULL)
        job->machine = m;
    else
        atn_model_machine_free(m);
    return why;
}

static void take_entry(atn_job *job, const atn_store_entry *e, const atn_location *locations)
{
    char name[ATN_STORE_WORDS];
    take_topology(job, e, locations);
    const char *const why = take_machine(job, e);
    atn_plan_store_name(e, name);
    snprintf(job->calibration, sizeof job->calibration, "%.*s%s%s", ATN_STORE_WORDS - 128, name,
             why != NULL ? "; machine not used: " : "", why != NULL ? why : "");
}

void atn_job_calibration_open(atn_job *job, const char *text, size_t bytes,
                              const atn_location *locations)
{
    char why[ATN_STORE_WORDS] = "out of memory";
    atn_store s = {{0}};
    if (bytes > 0) {
        const bool read = atn_plan_store_parse(text, bytes, "calibration", &s, NULL) == ATN_OK;
        const int found = read && s.list.n > 0 ? select_entry(job, &s, locations, why) : -1;
        job->entry = found;
        if (found >= 0)
            take_entry(job, &s.list.v[found], locations);
        else
            snprintf(job->calibration, sizeof job->calibration, "none: %s", why);
        atn_plan_store_free(&s);
    }
    if (job->verbose > 0 && job->r == 0 && *job->calibration != '\0')
        atn_interpose_print_line("calibration: %s", job->calibration);
}
