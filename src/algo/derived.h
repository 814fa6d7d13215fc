/* derived.h - what is derived from a topology is the same for all ranks.
 *
 * Builders are pure functions: each rank makes the whole tree or plan and emits its own part.  Who
 * builds the schedules of many ranks on one topology opens a scope, in which such things are made
 * once and kept until it is closed.  Other topologies, such as parts of it, come and go meanwhile:
 * nothing is kept for them.  Of this thread only. */
#ifndef ATN_DERIVED_H
#define ATN_DERIVED_H

#include "base/base.h"

/* Who derives it, from what: all that it depends on.  Unused numbers are 0. */
typedef struct {
    const char *maker; /* "free tree" */
    const struct atn_topo *topo;
    int64_t n[6];
} atn_derived_key;

/* `topo` must outlive the scope; scopes within it change nothing. */
void atn_derived_open(const struct atn_topo *topo);
void atn_derived_close(void);
/* What was kept; NULL: nothing, or no scope of that topology is open. */
void *atn_derived_find(const atn_derived_key *key);
/* Keeps it, to be ended by `end` later; false: no scope of that topology is open, or no memory. */
bool atn_derived_keep(const atn_derived_key *key, void *thing, void (*end)(void *thing));

#endif
