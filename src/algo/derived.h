/* derived.h - cache of data derived from a topology, which are the same for all ranks.
 *
 * Builders are pure functions: each rank computes the whole tree or plan and emits its own part.  A
 * caller that builds the schedules of many ranks on one topology opens a scope, in which derived
 * data are computed once and kept until the scope is closed.  Nothing is kept for other topologies,
 * such as temporary subtopologies.  Thread-local. */
#ifndef ATN_ALGO_DERIVED_H
#define ATN_ALGO_DERIVED_H

#include "base/base.h"

/* The deriving function and everything that the result depends on.  Unused numbers are 0. */
typedef struct {
    const char *maker; /* "free tree" */
    const struct atn_topo *topo;
    int64_t n[6];
} atn_derived_key;

/* `topo` must outlive the scope; nested scopes have no effect. */
void atn_algo_derived_open(const struct atn_topo *topo);
void atn_algo_derived_close(void);
/* The cached object; NULL: none, or no scope of that topology is open. */
void *atn_algo_derived_find(const atn_derived_key *key);
/* Caches an object, freed by `end` later; false: no scope of that topology is open, or no
 * memory. */
bool atn_algo_derived_keep(const atn_derived_key *key, void *thing, void (*end)(void *thing));

#endif
