/* list.h - all live states of communicators. */
#ifndef ATN_PMPI_COMM_LIST_H
#define ATN_PMPI_COMM_LIST_H

#include "pmpi/comm/state.h"

void atn_comm_list_append(atn_comm *c);
void atn_comm_list_remove(atn_comm *c);
/* All ranks free states in the order of the list, so it follows the creation of private
 * communicators, which is collective. */
void atn_comm_list_move_last(atn_comm *c);
/* NULL: none. */
atn_comm *atn_comm_list_first(void);
atn_comm *atn_comm_list_find(MPI_Comm comm);
/* Calls `visit` for every live state; none can be removed meanwhile. */
void atn_comm_list_visit(void (*visit)(atn_comm *c));

#endif
