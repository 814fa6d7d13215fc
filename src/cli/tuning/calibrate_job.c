/* calibrate_job.c - the job that `attune calibrate` is to measure: hosts, ranks, MPI library. */
#include <stdlib.h>
#include <string.h>

#include "cli/measure.h"
#include "cli/tuning/calibrate.h"
#include "topo/hostlist.h"

static atn_status take_line(void *context, const char *text, atn_error *err)
{
    return atn_topo_discovery_line(context, text, err);
}

static int by_name(const void *a, const void *b)
{
    return atn_topo_name_compare(*(const char *const *)a, *(const char *const *)b);
}

char *atn_cli_calibrate_fold(const atn_discovery *d)
{
    const char **const names = malloc((size_t)(d->names.n + 1) * sizeof *names);
    char *text = NULL;
    for (int i = 0; i < d->names.n && names != NULL; i++)
        names[i] = d->names.v[i];
    if (names != NULL) {
        qsort(names, (size_t)d->names.n, sizeof *names, by_name);
        text = atn_topo_hostlist_text(names, d->names.n);
    }
    free(names);
    return text;
}

int64_t atn_cli_calibrate_ranks(const atn_discovery *d)
{
    return atn_plan_store_ranks(d->host_of.v, d->ranks, d->hosts);
}

atn_status atn_cli_calibrate_identify(atn_calibrating *c, atn_error *err)
{
    char *arguments[] = {"--identify"};
    const atn_measure m = {
        .launcher = c->a->rest,
        .nlauncher = c->a->nrest,
        .mpi = atn_cli_arg_text(c->a, "mpi"),
        .program = "discover_exec",
        .arguments = arguments,
        .narguments = 1,
        .line = take_line,
        .context = &c->job,
    };
    atn_status status = atn_cli_measure_run(&m, err);
    if (status == ATN_OK)
        status = atn_topo_discovery_end(&c->job, err);
    if (status == ATN_OK && c->job.machine == NULL)
        return atn_fail(err, ATN_ENVIRONMENT,
                        "the job did not print where it runs; is the program in libexec of the "
                        "same version as this command?");
    return status;
}
