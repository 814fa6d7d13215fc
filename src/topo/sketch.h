/* sketch.h - a first topology from a few sets of transfers.
 *
 * Inference (infer.h) determines any tree, with p log p sets.  A sketch takes less than ten, few
 * enough for a running job, and tests a single hypothesis: hosts with consecutive names are in
 * groups of equal size, each group on a switch.  In a set, all hosts of a supposed group send to
 * the host half a group further on, at the same time in all groups.  Within a switch such transfers
 * are as fast as a single one; between switches they share a link.  So the largest size with fast
 * transfers is that of a group, and the next set shows how much its link carries.
 *
 * If the measurements contradict every size, the sketch is undecided and must not be used. */
#ifndef ATN_TOPO_SKETCH_H
#define ATN_TOPO_SKETCH_H

#include "topo/infer.h"

typedef struct {
    int hosts;
    int group;         /* hosts on a switch; all: there is a single switch */
    double host_rate;  /* payload of a host's link, bits per second */
    double group_rate; /* of a switch's link; 0: there is a single switch */
    bool decided;
    int sets; /* of transfers that were measured */
} atn_sketch;

/* Bytes of memory for a sketch.  The caller allocates it, so that ranks that sketch together can
 * agree on it first. */
size_t atn_topo_sketch_bytes(int hosts);
/* Host numbers follow the names.  The prober need not measure round trips. */
atn_status atn_topo_sketch(const atn_prober *prober, int hosts, void *memory, atn_sketch *sketch_p,
                           atn_error *err);
/* As atn_topo_inferred_topo. */
atn_status atn_topo_sketch_topo(const atn_sketch *s, const char *const *names, const int *host_of,
                                int p, atn_topo **topo_p, atn_error *err);

#endif
