/* published.h - collectives in shared memory whose transfers are no messages: a transfer has one
 * writer and several readers, or threads use each other's memory.  They have no schedule of ours;
 * generators write the published costs as expressions for any number of ranks.
 *
 *   sm_bcast        pipelined tree of Open MPI's component sm: head, body, tail of section 4.6
 *   sm_reduce       of the same component, (4.55)
 *   azequia_reduce  threads reduce in parallel where the operands are, (4.58) */
#ifndef ATN_RESEARCH_TAULOP_PUBLISHED_H
#define ATN_RESEARCH_TAULOP_PUBLISHED_H

#include "research/taulop/canon.h"

/* p >= 2 ranks; degree of the tree; number of segments, 0: the symbol k, for any number of at least
 * that of levels. */
typedef struct {
    int p, degree, segments;
} atn_tau_instance;

typedef struct {
    const char *name, *doc;
    bool direct; /* messages are one transfer (ATN_TAU_DIRECT) */
    bool (*write)(FILE *f, const atn_tau_instance *x);
} atn_tau_published;

/* The collective that `operand` names, "sm_bcast" or "sm_bcast{degree=2,segments=4}"; NULL: it
 * names none.  The parameters then replace those of *x. */
const atn_tau_published *atn_tau_published_find(const char *operand);
/* ATN_USAGE: unknown parameter, or out of range. */
atn_status atn_tau_published_parse(const char *operand, atn_tau_instance *x, atn_error *err);
/* The text of the expression; the caller frees.  NULL: out of memory. */
char *atn_tau_published_text(const atn_tau_published *of, const atn_tau_instance *x);

/* Ranks that copy in each stage of sm_bcast; returns the number of stages.  tau has room for
 * ATN_TAU_LEVELS + 2 k.  The printed closed form holds only if the number of the deepest level is
 * odd; this holds for all trees. */
enum { ATN_TAU_LEVELS = 32 };
int atn_tau_sm_stages(int p, int degree, int k, int *tau);

#endif
