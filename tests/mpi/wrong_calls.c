#include "wrong_calls.h"

enum { MOST_RANKS = 64 };

static int in[64], out[64], counts[MOST_RANKS], displs[MOST_RANKS];

static int negative_count(const t_routines *f, MPI_Comm comm)
{
    return f->Bcast(in, -1, MPI_INT, 0, comm);
}
static int negative_reduce(const t_routines *f, MPI_Comm comm)
{
    return f->Allreduce(in, out, -5, MPI_INT, MPI_SUM, comm);
}
static int root_too_large(const t_routines *f, MPI_Comm comm)
{
    return f->Bcast(in, 1, MPI_INT, t_ranks, comm);
}
static int root_negative(const t_routines *f, MPI_Comm comm)
{
    return f->Gather(in, 1, MPI_INT, out, 1, MPI_INT, -7, comm);
}
static int reduce_root(const t_routines *f, MPI_Comm comm)
{
    return f->Reduce(in, out, 1, MPI_INT, MPI_SUM, 1000, comm);
}
static int null_type(const t_routines *f, MPI_Comm comm)
{
    return f->Bcast(in, 1, MPI_DATATYPE_NULL, 0, comm);
}
static int null_operator(const t_routines *f, MPI_Comm comm)
{
    return f->Allreduce(in, out, 1, MPI_INT, MPI_OP_NULL, comm);
}
static int wrong_operator(const t_routines *f, MPI_Comm comm)
{
    return f->Allreduce(in, out, 1, MPI_DOUBLE, MPI_BAND, comm);
}
static int aliased(const t_routines *f, MPI_Comm comm)
{
    return f->Allreduce(in, in, 4, MPI_INT, MPI_SUM, comm);
}
static int negative_block(const t_routines *f, MPI_Comm comm)
{
    for (int i = 0; i < MOST_RANKS; i++)
        counts[i] = -1;
    return f->Allgatherv(in, 1, MPI_INT, out, counts, displs, MPI_INT, comm);
}
static int null_comm(const t_routines *f, MPI_Comm comm)
{
    (void)comm;
    return f->Barrier(MPI_COMM_NULL);
}

/* Only errors that the native routine detects: others make it crash. */
static const struct {
    const char *name;
    int (*call)(const t_routines *f, MPI_Comm comm);
    bool open_mpi, mpich;
} wrongs[] = {
    {"negative count", negative_count, true, true},
    {"negative count in a reduction", negative_reduce, true, false},
    {"root too large", root_too_large, true, true},
    {"negative root", root_negative, true, true},
    {"root too large in a reduction", reduce_root, true, true},
    {"null datatype", null_type, true, true},
    {"null operator", null_operator, true, true},
    {"operator not valid for the type", wrong_operator, true, true},
    {"aliased send and receive buffers", aliased, true, true},
    {"negative count of a block", negative_block, false, true},
    {"null communicator", null_comm, true, true},
};
int t_wrongs(void) { return (int)(sizeof wrongs / sizeof *wrongs); }
const char *t_wrong_name(int i) { return wrongs[i].name; }
bool t_wrong_noticed(int i) { return T_OPEN_MPI ? wrongs[i].open_mpi : wrongs[i].mpich; }
int t_wrong_call(int i, const t_routines *f, MPI_Comm comm) { return wrongs[i].call(f, comm); }
