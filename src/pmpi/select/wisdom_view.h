/* wisdom_view.h - the wisdom that applies to a communicator: that of its rank mapping. */
#ifndef ATN_PMPI_SELECT_WISDOM_VIEW_H
#define ATN_PMPI_SELECT_WISDOM_VIEW_H

#include "plan/rules.h"
#include "topo/topo.h"

/* The rules for ranks placed like this and the name of that mapping, kept until the job ends; both
 * NULL: none.  False: no memory (part of the agreement). */
bool atn_select_wisdom_view(const atn_topo *t, const atn_rules **rules_p, const char **place_p);
void atn_select_wisdom_views_free(void);

#endif
