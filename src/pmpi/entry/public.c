/* public.c - the public interface (include/attune/attune.h). */
#define ATTUNE_INSIDE
#include "attune/attune.h"

#include "exec/flavour.h"
#include "pmpi/job/job.h"

const char *attune_version(void) { return ATN_VERSION; }

/* For `attune doctor`: the identity of the build and the MPI library it was built for, in lines. */
__attribute__((visibility("default"))) const char *attune_build(void);
const char *attune_build(void) { return ATN_BUILD_ID "\n" ATN_MPI_BUILT_FOR; }

/* Hints for the stager, which precedes this library in link order if it is loaded. */
void attune_pre_recv(int tag) { (void)tag; }
void attune_pre_send(int tag) { (void)tag; }

int attune_active(void) { return atn_job_current.active; }
