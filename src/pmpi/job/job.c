/* job.c - see job.h. */
#include "pmpi/job/job.h"

#include "topo/topo.h"

atn_job atn_the_job;

void atn_job_free(void)
{
    atn_topo_free(atn_the_job.topo);
    atn_machine_free(atn_the_job.machine);
    atn_rules_free(atn_the_job.rules);
    atn_rules_free(atn_the_job.wisdom);
    atn_settings_free(&atn_the_job.settings);
    atn_the_job = (atn_job){0};
}
