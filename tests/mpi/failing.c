/* failing.c KIND HANDLER - a point-to-point call fails inside of a collective (scarce/broken.c).
 * The program gets the error from the call, or through its handler, and ends the job with code 3;
 * with 5 if the error has another class or comes from another communicator. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = 3000, CALLS = 200 };

static MPI_Comm expected = MPI_COMM_NULL;

static void end(MPI_Comm *comm, int *code, ...)
{
    char text[MPI_MAX_ERROR_STRING];
    int class, bytes;
    MPI_Error_class(*code, &class);
    MPI_Error_string(*code, text, &bytes);
    const int same = *comm == expected && class == MPI_ERR_OTHER;
    printf("%s: %s\n", same ? "error" : "other error", text);
    fflush(stdout); /* launchers may lose it */
    MPI_Abort(MPI_COMM_WORLD, same ? 3 : 5);
}

static int call(const int *data, int *sum, int nonblocking)
{
    MPI_Request request;
    if (!nonblocking)
        return MPI_Allreduce(data, sum, COUNT, MPI_INT, MPI_SUM, expected);
    const int code = MPI_Iallreduce(data, sum, COUNT, MPI_INT, MPI_SUM, expected, &request);
    return code != MPI_SUCCESS ? code : MPI_Wait(&request, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
    static int data[COUNT], sum[COUNT];
    MPI_Errhandler handler;
    int p;
    MPI_Init(&argc, &argv);
    const int nonblocking = argc > 1 && strcmp(argv[1], "nonblocking") == 0;
    const int returns = argc > 2 && strcmp(argv[2], "return") == 0;
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    MPI_Comm_dup(MPI_COMM_WORLD, &expected);
    MPI_Comm_create_errhandler(end, &handler);
    MPI_Comm_set_errhandler(expected, returns ? MPI_ERRORS_RETURN : handler);
    for (int i = 0; i < CALLS; i++) {
        for (int k = 0; k < COUNT; k++)
            data[k] = i + k;
        int code = call(data, sum, nonblocking);
        if (code != MPI_SUCCESS)
            end(&expected, &code);
        for (int k = 0; k < COUNT; k++)
            if (sum[k] != p * (i + k)) {
                printf("not ok - a wrong value\n");
                MPI_Abort(MPI_COMM_WORLD, 4);
            }
    }
    printf("no error\n");
    MPI_Finalize();
    return 0;
}
