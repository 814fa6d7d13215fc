/* errors.c - erroneous calls: the same error class as natively, through the error handler of the
 * communicator of the call.  For 2 ranks. */
#include "exercise.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- erroneous calls, through a table of routines ---- */

static int in[64], out[64], counts[8], displs[8];

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
    counts[0] = counts[1] = -1;
    const int code = f->Allgatherv(in, 1, MPI_INT, out, counts, displs, MPI_INT, comm);
    counts[0] = counts[1] = 1;
    return code;
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
enum { WRONGS = sizeof wrongs / sizeof *wrongs };

static int class_of(int code)
{
    int class = -1;
    MPI_Error_class(code, &class);
    return class;
}

/* ---- handlers ---- */

static MPI_Comm handled_comm;
static int handled, handled_code;

static void on_error(MPI_Comm *comm, int *code, ...)
{
    handled++;
    handled_comm = *comm;
    handled_code = *code;
}

static bool noticed(int i) { return T_OPEN_MPI ? wrongs[i].open_mpi : wrongs[i].mpich; }

static void same_class(MPI_Comm comm)
{
    t_point("error classes with MPI_ERRORS_RETURN are as natively");
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    for (int i = 0; i < WRONGS; i++) {
        if (!noticed(i))
            continue;
        t_where("%s", wrongs[i].name);
        const int want = class_of(wrongs[i].call(t_real(), comm));
        const int got = class_of(wrongs[i].call(&t_mpi, comm));
        t_check(got == want, "error class %d, natively %d", got, want);
        t_check(t_exercise(12, comm, (uint64_t)i, 20) == 0, "the next call has wrong values");
    }
}

static void own_handler(MPI_Comm comm)
{
    MPI_Errhandler handler;
    t_point("a user-defined error handler is called once, with the communicator of the call");
    MPI_Comm_create_errhandler(on_error, &handler);
    MPI_Comm_set_errhandler(comm, handler);
    MPI_Errhandler_free(&handler);
    for (int i = 0; i + 1 < WRONGS; i++) { /* the last has no communicator */
        if (!noticed(i))
            continue;
        t_where("%s", wrongs[i].name);
        handled = 0;
        const int want_class = class_of(wrongs[i].call(t_real(), comm)), want = handled;
        handled = 0;
        const int got_class = class_of(wrongs[i].call(&t_mpi, comm));
        t_check(handled == want, "%d calls of the handler, natively %d", handled, want);
        t_check(got_class == want_class, "error class %d, natively %d", got_class, want_class);
        if (handled) {
            t_check(handled_comm == comm, "the handler was given another communicator");
            t_check(class_of(handled_code) == want_class, "the handler was given class %d",
                    class_of(handled_code));
        }
        t_check(t_exercise(12, comm, (uint64_t)i, 20) == 0, "the next call has wrong values");
    }
}

/* The receive buffer is smaller than the message: an error that only the transfer detects.
 * Messages without segments between 2 ranks, so no rank waits for a segment that is never sent. */
static void truncation(const char *name, bool with_handler)
{
    MPI_Comm comm;
    MPI_Errhandler handler = MPI_ERRORS_RETURN;
    t_point(name);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    if (with_handler)
        MPI_Comm_create_errhandler(on_error, &handler);
    MPI_Comm_set_errhandler(comm, handler);
    handled = 0;
    const int code = MPI_Bcast(in, t_rank == 0 ? 16 : 8, MPI_INT, 0, comm);
    if (t_rank == 1)
        t_check(class_of(code) == MPI_ERR_TRUNCATE, "error class %d, not MPI_ERR_TRUNCATE",
                class_of(code));
    else
        t_check(code == MPI_SUCCESS, "the sender has error class %d", class_of(code));
    if (with_handler && t_rank == 1) {
        t_check(handled == 1, "%d calls of the handler", handled);
        t_check(handled_comm == comm, "the handler was given another communicator");
    }
    if (with_handler)
        MPI_Errhandler_free(&handler);
    MPI_Comm_free(&comm);
}

/* Error handlers may be replaced at any time. */
static void replaced_handler(MPI_Comm comm)
{
    t_point("an error handler set between two calls is used by the second");
    MPI_Errhandler before;
    MPI_Comm_get_errhandler(comm, &before);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    handled = 0;
    t_check(negative_count(&t_mpi, comm) != MPI_SUCCESS, "no error");
    t_check(handled == 0, "the old handler was called");
    MPI_Comm_set_errhandler(comm, before);
    negative_count(&t_mpi, comm);
    t_check(handled == 1, "the handler was called %d times", handled);
    MPI_Errhandler_free(&before);
}

int main(int argc, char **argv)
{
    MPI_Comm comm;
    MPI_Init(&argc, &argv);
    t_start(60);
    t_exercise_begin();
    for (int i = 0; i < 8; i++)
        counts[i] = 1, displs[i] = i;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    t_exercise_all(comm, 1, 20);
    same_class(comm);
    own_handler(comm);
    replaced_handler(comm);
    truncation("truncation returns MPI_ERR_TRUNCATE", false);
    truncation("truncation calls the user-defined error handler", true);
    MPI_Comm_free(&comm);
    t_exercise_end();
    const int code = t_finish();
    MPI_Finalize();
    return code;
}
