/* public.c - what programs may ask (include/attune/attune.h). */
#define ATTUNE_INSIDE
#include "attune/attune.h"

#include "pmpi/job.h"

const char *attune_version(void) { return ATN_VERSION; }

/* The library in messages/ stands before this one when hints are of use. */
void attune_pre_recv(int tag) { (void)tag; }
void attune_pre_send(int tag) { (void)tag; }

int attune_active(void) { return atn_the_job.active; }
