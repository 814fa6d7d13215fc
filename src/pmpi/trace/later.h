/* later.h - the names of the nonblocking collectives, by those of calls.def. */
#ifndef ATN_TRACE_LATER_H
#define ATN_TRACE_LATER_H

#define ATN_LATER_Barrier                Ibarrier
#define ATN_LATER_Bcast                  Ibcast
#define ATN_LATER_Gather                 Igather
#define ATN_LATER_Gatherv                Igatherv
#define ATN_LATER_Scatter                Iscatter
#define ATN_LATER_Scatterv               Iscatterv
#define ATN_LATER_Allgather              Iallgather
#define ATN_LATER_Allgatherv             Iallgatherv
#define ATN_LATER_Alltoall               Ialltoall
#define ATN_LATER_Alltoallv              Ialltoallv
#define ATN_LATER_Alltoallw              Ialltoallw
#define ATN_LATER_Reduce                 Ireduce
#define ATN_LATER_Allreduce              Iallreduce
#define ATN_LATER_Reduce_scatter         Ireduce_scatter
#define ATN_LATER_Reduce_scatter_block   Ireduce_scatter_block
#define ATN_LATER_Scan                   Iscan
#define ATN_LATER_Exscan                 Iexscan
#define ATN_LATER_Bcast_c                Ibcast_c
#define ATN_LATER_Gather_c               Igather_c
#define ATN_LATER_Gatherv_c              Igatherv_c
#define ATN_LATER_Scatter_c              Iscatter_c
#define ATN_LATER_Scatterv_c             Iscatterv_c
#define ATN_LATER_Allgather_c            Iallgather_c
#define ATN_LATER_Allgatherv_c           Iallgatherv_c
#define ATN_LATER_Alltoall_c             Ialltoall_c
#define ATN_LATER_Alltoallv_c            Ialltoallv_c
#define ATN_LATER_Alltoallw_c            Ialltoallw_c
#define ATN_LATER_Reduce_c               Ireduce_c
#define ATN_LATER_Allreduce_c            Iallreduce_c
#define ATN_LATER_Reduce_scatter_c       Ireduce_scatter_c
#define ATN_LATER_Reduce_scatter_block_c Ireduce_scatter_block_c
#define ATN_LATER_Scan_c                 Iscan_c
#define ATN_LATER_Exscan_c               Iexscan_c

#endif
