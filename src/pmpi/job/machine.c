/* machine.c - see machine.h. */
#include "pmpi/job/machine.h"

char *atn_job_machine_text(const atn_job *job)
{
    const char *const file = atn_plan_setting_given(&job->settings, ATN_SET_MACHINE);
    atn_machine *m = NULL;
    atn_error err = {0};
    if (file == NULL) {
        if (job->verbose > 0 && !job->calibrated)
            atn_interpose_print_line("ATTUNE_MACHINE is not set; plans assume a built-in machine");
        return NULL;
    }
    if (atn_model_machine_read(file, &m, &err) != ATN_OK) {
        atn_interpose_print_line("%s; plans assume a built-in machine", err.text);
        return NULL;
    }
    char *const text = atn_model_machine_print(m);
    atn_model_machine_free(m);
    return text;
}

/* A machine file of another cluster is not used. */
static bool fits(const atn_job *job, const atn_machine *m)
{
    const char *const why = atn_model_machine_refuses(m, job->topo);
    if (why != NULL && job->r == 0)
        atn_interpose_print_line("%s: %s; plans assume a built-in machine",
                                 atn_plan_setting_given(&job->settings, ATN_SET_MACHINE), why);
    return why == NULL;
}

void atn_job_machine_open(atn_job *job, const char *text, size_t bytes)
{
    if (!atn_plan_rules_plan(job->rules) || job->measured)
        return;
    if (bytes > 0 && atn_model_machine_parse(text, bytes, "machine", &job->machine, NULL) != ATN_OK)
        return;
    job->measured = bytes > 0 && fits(job, job->machine);
    if (job->machine != NULL)
        job->machine->unshared = job->sharing == ATN_SHARED_NONE;
    if (job->measured)
        return;
    atn_model_machine_free(job->machine);
    job->machine = atn_model_machine_assumed(job->topo);
}
