/* node.h - the processors of this node that its ranks may use, and whether they are enough. */
#ifndef ATN_TOPO_NODE_H
#define ATN_TOPO_NODE_H

#include "base/base.h"

enum { ATN_MAX_PUS = 4096 };

/* Processing units (hardware threads) by number. */
typedef struct {
    uint64_t word[ATN_MAX_PUS / 64];
} atn_pus;

static inline bool atn_topo_pus_has(const atn_pus *s, int pu)
{
    return (s->word[pu / 64] >> (pu % 64) & 1) != 0;
}
static inline void atn_topo_pus_add(atn_pus *s, int pu)
{
    s->word[pu / 64] |= UINT64_C(1) << pu % 64;
}

/* Where the calling thread may run. */
void atn_topo_pus_own(atn_pus *set_p);
atn_pus atn_topo_pus_union(const atn_pus *sets, int n);

typedef struct {
    int16_t core_of[ATN_MAX_PUS]; /* hardware threads of a core share the number of its first */
    int quota;                    /* cores' worth of time that the control group grants */
} atn_node;

/* `used`: the processors in question. */
void atn_topo_node_read(const atn_pus *used, atn_node *node_p);
/* Cores by the kernel's files in the folder `cpus`; false: they are incomplete. */
bool atn_topo_node_cores(const char *cpus, const atn_pus *used, int16_t core_of[ATN_MAX_PUS]);

/* Cores of a set, at most as many as the control group grants. */
int atn_topo_node_count(const atn_node *node, const atn_pus *set);
/* Whether some ranks share cores, given where each may run: more ranks than cores in all, or more
 * ranks bound inside the set of one than it has cores. */
bool atn_topo_node_oversubscribed(const atn_node *node, const atn_pus *sets, int ranks);

#endif
