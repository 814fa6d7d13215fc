/* wise.h - wisdom in a job: read by rank 0, shared by all, cut down to where a communicator is. */
#ifndef ATN_WISE_H
#define ATN_WISE_H

#include "plan/rules.h"
#include "plan/settings.h"
#include "topo/topo.h"

struct atn_job;

/* On rank 0: what the files say about this machine, packed for all.  A file that cannot be used is
 * told, once, and left out. */
atn_status atn_wise_pack(const atn_settings *s, char **bytes_p, size_t *size_p, atn_error *err);
/* Unpacks it into the job, with the name of the machine. */
bool atn_wise_open(struct atn_job *job, const char *bytes, size_t size);
/* Operations that it may serve other than natively. */
uint32_t atn_wise_operations(const atn_rules *wisdom);

/* What holds where these ranks are, kept until the job ends; *rules_p NULL: nothing.  False: no
 * memory (to be voted on). */
bool atn_wise_here(const atn_topo *t, const atn_rules **rules_p);
void atn_wise_stop(void);

#endif
