/* generate_entry.c - the routines themselves, one per operation: same arguments as in MPI. */
#include "sched/generate_private.h"

#include <stddef.h>

/* ---- bodies of operations that differ in counts, displacements and root only ---- */

/* own: the block of this rank in place; received: counts and displacements; set: of schedules. */
#define ALLGATHER_BODY(own, received, set)                                                         \
    "{\n"                                                                                          \
    "    buffer in = {0}, out = {0};\n"                                                            \
    "    state *s = NULL;\n"                                                                       \
    "    MPI_Aint lb, extent = 0;\n"                                                               \
    "    int rank = 0, code = begin(comm, &rank, &s);\n"                                           \
    "\n"                                                                                           \
    "    if (code == MPI_SUCCESS)\n"                                                               \
    "        code = MPI_Type_get_extent(recvtype, &lb, &extent);\n"                                \
    "    if (code != MPI_SUCCESS)\n"                                                               \
    "        return code;\n"                                                                       \
    "    if (sendbuf == MPI_IN_PLACE)\n"                                                           \
    "        code = open_buffer(&in, " own ", recvtype, 0, 1, comm);\n"                            \
    "    else\n"                                                                                   \
    "        code = open_buffer(&in, sendbuf, 1, NULL, NULL, sendcount, sendtype, 0, 1, comm);\n"  \
    "    if (code == MPI_SUCCESS)\n"                                                               \
    "        code = open_buffer(&out, recvbuf, RANKS, " received ", recvtype, 0, 0, comm);\n"      \
    "    if (code == MPI_SUCCESS)\n"                                                               \
    "        code = run_bytes(v, " set ", rank, &in, &out, s->comm);\n"                            \
    "    close_buffer(&in, 0, comm);\n"                                                            \
    "    const int kept = close_buffer(&out, code == MPI_SUCCESS, comm);\n"                        \
    "    return code == MPI_SUCCESS ? kept : code;\n"                                              \
    "}\n"

#define ALLTOALL_BODY(sent, received, set)                                                         \
    "{\n"                                                                                          \
    "    buffer in = {0}, out = {0};\n"                                                            \
    "    state *s = NULL;\n"                                                                       \
    "    int rank = 0, code = begin(comm, &rank, &s);\n"                                           \
    "\n"                                                                                           \
    "    if (code != MPI_SUCCESS)\n"                                                               \
    "        return code;\n"                                                                       \
    "    if (sendbuf == MPI_IN_PLACE)\n"                                                           \
    "        code = open_buffer(&in, recvbuf, RANKS, " received ", recvtype, 1, 1, comm);\n"       \
    "    else\n"                                                                                   \
    "        code = open_buffer(&in, sendbuf, RANKS, " sent ", sendtype, 0, 1, comm);\n"           \
    "    if (code == MPI_SUCCESS)\n"                                                               \
    "        code = open_buffer(&out, recvbuf, RANKS, " received ", recvtype, 0, 0, comm);\n"      \
    "    if (code == MPI_SUCCESS)\n"                                                               \
    "        code = run_bytes(v, " set ", rank, &in, &out, s->comm);\n"                            \
    "    close_buffer(&in, 0, comm);\n"                                                            \
    "    const int kept = close_buffer(&out, code == MPI_SUCCESS, comm);\n"                        \
    "    return code == MPI_SUCCESS ? kept : code;\n"                                              \
    "}\n"

/* check: further arguments. */
#define REDUCTION_BODY(check, set)                                                                 \
    "{\n"                                                                                          \
    "    state *s = NULL;\n"                                                                       \
    "    char *memory = NULL;\n"                                                                   \
    "    int rank = 0, commutes = 1, code = begin(comm, &rank, &s);\n"                             \
    "\n"                                                                                           \
    "    if (code == MPI_SUCCESS && v->commutative)\n"                                             \
    "        code = MPI_Op_commutative(op, &commutes);\n" check "    if (code != MPI_SUCCESS)\n"   \
    "        return code;\n"                                                                       \
    "    if (!commutes)\n"                                                                         \
    "        return MPI_ERR_OP;\n"                                                                 \
    "    if (sendbuf == MPI_IN_PLACE)\n"                                                           \
    "        code = copy_operand(recvbuf, count, type, &memory, &sendbuf);\n"                      \
    "    if (code == MPI_SUCCESS)\n"                                                               \
    "        code = run_elements(v, " set ", rank, sendbuf, recvbuf, count, type, op, s->comm);\n" \
    "    free(memory);\n"                                                                          \
    "    return code;\n"                                                                           \
    "}\n"

#define NEXT_SET "set_of_call[s->calls++ % CALLS]" /* the pattern of this call */

/* ---- the routines ---- */

static const char allgather_arguments[] =
    "    const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,\n"
    "    int recvcount, MPI_Datatype recvtype, MPI_Comm comm";
static const char allgather_names[] =
    "sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm";
static const char allgather_body[] =
    ALLGATHER_BODY("(char *)recvbuf + (MPI_Aint)rank * recvcount * extent, 1,\n"
                   "                           NULL, NULL, recvcount",
                   "NULL, NULL, recvcount", "0");

static const char allgatherv_arguments[] =
    "    const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,\n"
    "    const int *recvcounts, const int *displs, MPI_Datatype recvtype, MPI_Comm comm";
static const char allgatherv_names[] =
    "sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm";
static const char allgatherv_body[] =
    ALLGATHER_BODY("(char *)recvbuf + displs[rank] * extent, 1, NULL, NULL,\n"
                   "                           recvcounts[rank]",
                   "recvcounts, displs, 0", NEXT_SET);

#define alltoall_arguments allgather_arguments
#define alltoall_names     allgather_names
static const char alltoall_body[] =
    ALLTOALL_BODY("NULL, NULL, sendcount", "NULL, NULL, recvcount", "0");

static const char alltoallv_arguments[] =
    "    const void *sendbuf, const int *sendcounts, const int *sdispls,\n"
    "    MPI_Datatype sendtype, void *recvbuf, const int *recvcounts,\n"
    "    const int *rdispls, MPI_Datatype recvtype, MPI_Comm comm";
static const char alltoallv_names[] =
    "sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm";
static const char alltoallv_body[] =
    ALLTOALL_BODY("sendcounts, sdispls, 0", "recvcounts, rdispls, 0", NEXT_SET);

static const char bcast_arguments[] =
    "    void *data, int count, MPI_Datatype type, int root, MPI_Comm comm";
static const char bcast_names[] = "data, count, type, root, comm";
static const char bcast_body[] =
    "{\n"
    "    buffer in = {0}, out = {0};\n"
    "    state *s = NULL;\n"
    "    int rank = 0, code = begin(comm, &rank, &s);\n"
    "\n"
    "    if (code != MPI_SUCCESS)\n"
    "        return code;\n"
    "    if (root < FIRST_ROOT || root >= FIRST_ROOT + ROOTS)\n"
    "        return MPI_ERR_ROOT;\n"
    "    code = open_buffer(&out, data, 1, NULL, NULL, count, type, 0, rank == root, comm);\n"
    "    if (code == MPI_SUCCESS)\n"
    "        code = run_bytes(v, root - FIRST_ROOT, rank, &in, &out, s->comm);\n"
    "    const int kept = close_buffer(&out, code == MPI_SUCCESS && rank != root, comm);\n"
    "    return code == MPI_SUCCESS ? kept : code;\n"
    "}\n";

static const char allreduce_arguments[] =
    "    const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op,\n"
    "    MPI_Comm comm";
static const char allreduce_names[] = "sendbuf, recvbuf, count, type, op, comm";
static const char allreduce_body[] = REDUCTION_BODY("", "0");

static const char reduce_arguments[] =
    "    const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op,\n"
    "    int root, MPI_Comm comm";
static const char reduce_names[] = "sendbuf, recvbuf, count, type, op, root, comm";
static const char reduce_body[] = REDUCTION_BODY(
    "    if (code == MPI_SUCCESS && (root < FIRST_ROOT || root >= FIRST_ROOT + ROOTS))\n"
    "        code = MPI_ERR_ROOT;\n",
    "root - FIRST_ROOT");

static const char of_blocks[] = "recvcount * size_of(recvtype)";
static const char of_sum[] = "sum_of(recvcounts, comm) * size_of(recvtype) / RANKS";
static const char of_whole[] = "count * size_of(type)";

#define ENTRY(id, mpi, name, bytes)                                                                \
    {                                                                                              \
        ATN_##id, mpi, name##_arguments, name##_names, name##_body, bytes                          \
    }

static const atn_entry entries[] = {
    ENTRY(ALLGATHER, "Allgather", allgather, of_blocks),
    ENTRY(ALLGATHERV, "Allgatherv", allgatherv, of_sum),
    ENTRY(ALLREDUCE, "Allreduce", allreduce, of_whole),
    ENTRY(ALLTOALL, "Alltoall", alltoall, of_blocks),
    ENTRY(ALLTOALLV, "Alltoallv", alltoallv, NULL),
    ENTRY(BCAST, "Bcast", bcast, of_whole),
    ENTRY(REDUCE, "Reduce", reduce, of_whole),
};

const atn_entry *atn_sched_generate_entry(atn_operation op)
{
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++)
        if (entries[i].op == op)
            return &entries[i];
    return NULL;
}
