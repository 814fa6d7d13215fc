/* errors.c - erroneous calls: the same error class as natively, through the error handler of the
 * communicator of the call.  For 2 ranks. */
#include "exercise.h"
#include "wrong_calls.h"

#include <stdio.h>
#include <stdlib.h>

static int in[16];

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

static void same_class(MPI_Comm comm)
{
    t_point("error classes with MPI_ERRORS_RETURN are as natively");
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    for (int i = 0; i < t_wrongs(); i++) {
        if (!t_wrong_noticed(i))
            continue;
        t_where("%s", t_wrong_name(i));
        const int want = class_of(t_wrong_call(i, t_real(), comm));
        const int got = class_of(t_wrong_call(i, &t_mpi, comm));
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
    for (int i = 0; i + 1 < t_wrongs(); i++) { /* the last has no communicator */
        if (!t_wrong_noticed(i))
            continue;
        t_where("%s", t_wrong_name(i));
        handled = 0;
        const int want_class = class_of(t_wrong_call(i, t_real(), comm)), want = handled;
        handled = 0;
        const int got_class = class_of(t_wrong_call(i, &t_mpi, comm));
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
    t_check(MPI_Bcast(in, -1, MPI_INT, 0, comm) != MPI_SUCCESS, "no error");
    t_check(handled == 0, "the old handler was called");
    MPI_Comm_set_errhandler(comm, before);
    MPI_Bcast(in, -1, MPI_INT, 0, comm);
    t_check(handled == 1, "the handler was called %d times", handled);
    MPI_Errhandler_free(&before);
}

int main(int argc, char **argv)
{
    MPI_Comm comm;
    MPI_Init(&argc, &argv);
    t_start(60);
    t_exercise_begin();
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
