/* made.h - machines, topologies and neighbours from text, for tests; a bad text fails the test. */
#ifndef ATN_TEST_MADE_H
#define ATN_TEST_MADE_H

#include <string.h>

#include "model/machine.h"
#include "sched/neighbourhood.h"
#include "sched/operation.h"
#include "topo/topo.h"

static inline atn_machine *made_machine(const char *text)
{
    atn_machine *m = NULL;
    atn_error err = {0};
    if (atn_model_machine_parse(text, strlen(text), "m", &m, &err) != ATN_OK)
        fail_msg("%s", err.text);
    return m;
}

static inline atn_topo *made_topology(const char *text)
{
    atn_topo *t = NULL;
    atn_error err = {0};
    if (atn_topo_parse_synthetic(text, &t, &err) != ATN_OK)
        fail_msg("%s", err.text);
    return t;
}

/* A periodic ring; NULL: the operation has no neighbours. */
static inline atn_neighbourhood *made_neighbours(atn_operation op, int p)
{
    atn_neighbourhood *n = NULL;
    if (atn_sched_on_neighbours(op) && atn_sched_neighbourhood_parse("ring", p, &n, NULL) != ATN_OK)
        fail_msg("no ring of %d ranks", p);
    return n;
}

#endif
