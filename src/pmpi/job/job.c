/* job.c - the state of the job, and its messages. */
#include "pmpi/job/job.h"

#include <stdarg.h>
#include <stdio.h>

#include "topo/topo.h"

atn_job atn_the_job;

void atn_job_log(const char *format, ...)
{
    char text[ATN_ERROR_ROOM + 256];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    fprintf(stderr, "attune: %s\n", text); /* one write: lines of different ranks stay whole */
}

void atn_job_free(void)
{
    atn_topo_free(atn_the_job.topo);
    atn_machine_free(atn_the_job.machine);
    atn_rules_free(atn_the_job.rules);
    atn_rules_free(atn_the_job.wisdom);
    atn_settings_free(&atn_the_job.settings);
    atn_the_job = (atn_job){0};
}
