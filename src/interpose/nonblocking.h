/* nonblocking.h - the names of the nonblocking collectives, and of those that make persistent
 * requests, by the names of the blocking ones.
 *
 * Persistent collectives are part of MPI 4; Open MPI 4 has them as an extension, MPIX_X_init. */
#ifndef ATN_INTERPOSE_NONBLOCKING_H
#define ATN_INTERPOSE_NONBLOCKING_H

#if MPI_VERSION >= 4
#define ATN_PERSISTENT_MPI     MPI_
#define ATN_PERSISTENT_PMPI    PMPI_
#define ATN_IF_PERSISTENT(...) __VA_ARGS__
#elif defined(OPEN_MPI)
#define ATN_PERSISTENT_MPI     MPIX_
#define ATN_PERSISTENT_PMPI    PMPIX_
#define ATN_IF_PERSISTENT(...) __VA_ARGS__
#else
#define ATN_IF_PERSISTENT(...)
#endif

#define ATN_NONBLOCKING_Barrier                Ibarrier
#define ATN_NONBLOCKING_Bcast                  Ibcast
#define ATN_NONBLOCKING_Gather                 Igather
#define ATN_NONBLOCKING_Gatherv                Igatherv
#define ATN_NONBLOCKING_Scatter                Iscatter
#define ATN_NONBLOCKING_Scatterv               Iscatterv
#define ATN_NONBLOCKING_Allgather              Iallgather
#define ATN_NONBLOCKING_Allgatherv             Iallgatherv
#define ATN_NONBLOCKING_Alltoall               Ialltoall
#define ATN_NONBLOCKING_Alltoallv              Ialltoallv
#define ATN_NONBLOCKING_Alltoallw              Ialltoallw
#define ATN_NONBLOCKING_Reduce                 Ireduce
#define ATN_NONBLOCKING_Allreduce              Iallreduce
#define ATN_NONBLOCKING_Reduce_scatter         Ireduce_scatter
#define ATN_NONBLOCKING_Reduce_scatter_block   Ireduce_scatter_block
#define ATN_NONBLOCKING_Scan                   Iscan
#define ATN_NONBLOCKING_Exscan                 Iexscan
#define ATN_NONBLOCKING_Neighbor_allgather     Ineighbor_allgather
#define ATN_NONBLOCKING_Neighbor_allgatherv    Ineighbor_allgatherv
#define ATN_NONBLOCKING_Neighbor_alltoall      Ineighbor_alltoall
#define ATN_NONBLOCKING_Neighbor_alltoallv     Ineighbor_alltoallv
#define ATN_NONBLOCKING_Neighbor_alltoallw     Ineighbor_alltoallw
#define ATN_NONBLOCKING_Bcast_c                Ibcast_c
#define ATN_NONBLOCKING_Gather_c               Igather_c
#define ATN_NONBLOCKING_Gatherv_c              Igatherv_c
#define ATN_NONBLOCKING_Scatter_c              Iscatter_c
#define ATN_NONBLOCKING_Scatterv_c             Iscatterv_c
#define ATN_NONBLOCKING_Allgather_c            Iallgather_c
#define ATN_NONBLOCKING_Allgatherv_c           Iallgatherv_c
#define ATN_NONBLOCKING_Alltoall_c             Ialltoall_c
#define ATN_NONBLOCKING_Alltoallv_c            Ialltoallv_c
#define ATN_NONBLOCKING_Alltoallw_c            Ialltoallw_c
#define ATN_NONBLOCKING_Reduce_c               Ireduce_c
#define ATN_NONBLOCKING_Allreduce_c            Iallreduce_c
#define ATN_NONBLOCKING_Reduce_scatter_c       Ireduce_scatter_c
#define ATN_NONBLOCKING_Reduce_scatter_block_c Ireduce_scatter_block_c
#define ATN_NONBLOCKING_Scan_c                 Iscan_c
#define ATN_NONBLOCKING_Exscan_c               Iexscan_c
#define ATN_NONBLOCKING_Neighbor_allgather_c   Ineighbor_allgather_c
#define ATN_NONBLOCKING_Neighbor_allgatherv_c  Ineighbor_allgatherv_c
#define ATN_NONBLOCKING_Neighbor_alltoall_c    Ineighbor_alltoall_c
#define ATN_NONBLOCKING_Neighbor_alltoallv_c   Ineighbor_alltoallv_c
#define ATN_NONBLOCKING_Neighbor_alltoallw_c   Ineighbor_alltoallw_c

#define ATN_PERSISTENT_Barrier                Barrier_init
#define ATN_PERSISTENT_Bcast                  Bcast_init
#define ATN_PERSISTENT_Gather                 Gather_init
#define ATN_PERSISTENT_Gatherv                Gatherv_init
#define ATN_PERSISTENT_Scatter                Scatter_init
#define ATN_PERSISTENT_Scatterv               Scatterv_init
#define ATN_PERSISTENT_Allgather              Allgather_init
#define ATN_PERSISTENT_Allgatherv             Allgatherv_init
#define ATN_PERSISTENT_Alltoall               Alltoall_init
#define ATN_PERSISTENT_Alltoallv              Alltoallv_init
#define ATN_PERSISTENT_Alltoallw              Alltoallw_init
#define ATN_PERSISTENT_Reduce                 Reduce_init
#define ATN_PERSISTENT_Allreduce              Allreduce_init
#define ATN_PERSISTENT_Reduce_scatter         Reduce_scatter_init
#define ATN_PERSISTENT_Reduce_scatter_block   Reduce_scatter_block_init
#define ATN_PERSISTENT_Scan                   Scan_init
#define ATN_PERSISTENT_Exscan                 Exscan_init
#define ATN_PERSISTENT_Neighbor_allgather     Neighbor_allgather_init
#define ATN_PERSISTENT_Neighbor_allgatherv    Neighbor_allgatherv_init
#define ATN_PERSISTENT_Neighbor_alltoall      Neighbor_alltoall_init
#define ATN_PERSISTENT_Neighbor_alltoallv     Neighbor_alltoallv_init
#define ATN_PERSISTENT_Neighbor_alltoallw     Neighbor_alltoallw_init
#define ATN_PERSISTENT_Bcast_c                Bcast_init_c
#define ATN_PERSISTENT_Gather_c               Gather_init_c
#define ATN_PERSISTENT_Gatherv_c              Gatherv_init_c
#define ATN_PERSISTENT_Scatter_c              Scatter_init_c
#define ATN_PERSISTENT_Scatterv_c             Scatterv_init_c
#define ATN_PERSISTENT_Allgather_c            Allgather_init_c
#define ATN_PERSISTENT_Allgatherv_c           Allgatherv_init_c
#define ATN_PERSISTENT_Alltoall_c             Alltoall_init_c
#define ATN_PERSISTENT_Alltoallv_c            Alltoallv_init_c
#define ATN_PERSISTENT_Alltoallw_c            Alltoallw_init_c
#define ATN_PERSISTENT_Reduce_c               Reduce_init_c
#define ATN_PERSISTENT_Allreduce_c            Allreduce_init_c
#define ATN_PERSISTENT_Reduce_scatter_c       Reduce_scatter_init_c
#define ATN_PERSISTENT_Reduce_scatter_block_c Reduce_scatter_block_init_c
#define ATN_PERSISTENT_Scan_c                 Scan_init_c
#define ATN_PERSISTENT_Exscan_c               Exscan_init_c
#define ATN_PERSISTENT_Neighbor_allgather_c   Neighbor_allgather_init_c
#define ATN_PERSISTENT_Neighbor_allgatherv_c  Neighbor_allgatherv_init_c
#define ATN_PERSISTENT_Neighbor_alltoall_c    Neighbor_alltoall_init_c
#define ATN_PERSISTENT_Neighbor_alltoallv_c   Neighbor_alltoallv_init_c
#define ATN_PERSISTENT_Neighbor_alltoallw_c   Neighbor_alltoallw_init_c

#endif
