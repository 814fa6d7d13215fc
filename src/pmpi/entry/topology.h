/* topology.h - the topology as programs see it (include/attune/topology.h). */
#ifndef ATN_PMPI_ENTRY_TOPOLOGY_H
#define ATN_PMPI_ENTRY_TOPOLOGY_H

/* Creates and deletes the attribute, if the job has a topology. */
void atn_entry_topology_start(void);
void atn_entry_topology_stop(void);

#endif
