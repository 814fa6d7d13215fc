/* job.c - see job.h. */
#include "pmpi/job/job.h"

#include "topo/topo.h"

atn_job atn_job_current;

void atn_job_free(void)
{
    atn_topo_free(atn_job_current.topo);
    atn_model_machine_free(atn_job_current.machine);
    atn_plan_rules_free(atn_job_current.rules);
    atn_plan_rules_free(atn_job_current.wisdom);
    atn_plan_settings_free(&atn_job_current.settings);
    atn_job_current = (atn_job){0};
}
