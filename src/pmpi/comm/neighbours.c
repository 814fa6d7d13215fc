/* neighbours.c - see neighbours.h. */
#include "pmpi/comm/neighbours.h"

#include "exec/neighbours.h"
#include "pmpi/comm/private.h"

static void read_topology(atn_comm *c)
{
    int kind = MPI_UNDEFINED;
    PMPI_Topo_test(c->user, &kind);
    if (kind == MPI_UNDEFINED || !atn_comm_private_ready(c))
        return;
    atn_neighbourhood *const n = atn_exec_neighbours_read(c->user, c->private_comm);
    if (n == NULL)
        return;
    c->neighbours = n->doubtful ? ATN_NEIGHBOURS_REPEATED : ATN_NEIGHBOURS_DISTINCT;
    atn_exec_set_neighbourhood(c->exec, n);
    atn_sched_neighbourhood_free(n);
}

bool atn_comm_neighbours_known(const atn_comm *c, atn_operation op)
{
    return c->neighbours == ATN_NEIGHBOURS_DISTINCT ||
           (c->neighbours == ATN_NEIGHBOURS_REPEATED &&
            (op == ATN_NEIGHBOR_ALLGATHER || op == ATN_NEIGHBOR_ALLGATHERV));
}

bool atn_comm_neighbours_ready(atn_comm *c, atn_operation op)
{
    if (c->neighbours == ATN_NEIGHBOURS_UNREAD) {
        c->neighbours = ATN_NEIGHBOURS_NONE;
        read_topology(c);
    }
    return c->stage == ATN_COMM_SERVED && atn_comm_neighbours_known(c, op);
}
