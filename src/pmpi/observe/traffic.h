/* traffic.h - ATTUNE_VERBOSE: how much Attune communicated on its own (exec/traffic.h). */
#ifndef ATN_PMPI_OBSERVE_TRAFFIC_H
#define ATN_PMPI_OBSERVE_TRAFFIC_H

/* MPI_Init is complete. */
void atn_observe_traffic_start(void);
/* Collective over MPI_COMM_WORLD: rank 0 prints the maxima over ranks. */
void atn_observe_traffic_print(void);

#endif
