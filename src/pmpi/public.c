/* public.c - what programs may ask (include/attune/attune.h). */
#define ATTUNE_INSIDE
#include "attune/attune.h"

#include "pmpi/job.h"

const char *attune_version(void) { return ATN_VERSION; }

int attune_active(void) { return atn_the_job.active; }
