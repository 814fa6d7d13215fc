/* progress_files.c - nonblocking output to files beside open nonblocking collectives, with
 * MPI_THREAD_MULTIPLE.
 *
 * In Open MPI, two threads that advance requests of files damage its memory, so a progress thread
 * must stay outside of MPI while a file is open. */
#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 300 };

static MPI_Comm other; /* no call on it may be blocking: its collective is still open */

static bool write_file(const char *path)
{
    MPI_File file;
    MPI_Request request;
    if (MPI_File_open(MPI_COMM_WORLD, path,
                      MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                      &file) != MPI_SUCCESS)
        return false;
    int word = -1;
    const MPI_Offset at = 4 * t_rank;
    MPI_File_iwrite_at_all(file, at, &t_rank, 1, MPI_INT, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_File_read_at_all(file, at, &word, 1, MPI_INT, MPI_STATUS_IGNORE);
    return MPI_File_close(&file) == MPI_SUCCESS && word == t_rank;
}

/* The last rank starts it last, so it is open on the others meanwhile. */
static int sum_beside(const char *path)
{
    const int one = 1;
    int sum = 0, wrong = 0;
    MPI_Request request;
    const bool late = t_rank == t_ranks - 1;
    if (!late)
        MPI_Iallreduce(&one, &sum, 1, MPI_INT, MPI_SUM, other, &request);
    wrong += !write_file(path);
    if (late)
        MPI_Iallreduce(&one, &sum, 1, MPI_INT, MPI_SUM, other, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    return wrong + (sum != t_ranks);
}

int main(int argc, char **argv)
{
    char path[400];
    int provided, wrong = 0;
    MPI_File missing;
    const char *folder = getenv("TMPDIR");
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    t_start(100);
    MPI_Comm_dup(MPI_COMM_WORLD, &other);
    snprintf(path, sizeof path, "%s/files.%s.data", folder != NULL ? folder : "/tmp",
             T_OPEN_MPI ? "openmpi" : "mpich");

    t_point("a file that cannot be opened");
    const int code =
        MPI_File_open(MPI_COMM_WORLD, "/missing/file", MPI_MODE_RDONLY, MPI_INFO_NULL, &missing);
    t_check(code != MPI_SUCCESS, "it was opened");

    t_point("nonblocking output beside open collectives");
    for (int i = 0; i < ROUNDS; i++)
        wrong += sum_beside(path);
    t_check(wrong == 0, "%d wrong results", wrong);
    MPI_Comm_free(&other);
    const int result = t_finish();
    MPI_Finalize();
    return result;
}
