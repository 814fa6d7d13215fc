/* io.c - MPI-IO, which uses collectives internally: collective writes and reads of interleaved
 * records, shared file pointers, views.
 *
 *   io FILE */
#include "exercise.h"

#include <stdlib.h>

enum { RECORDS = 500, WIDTH = 4 };

static int value(int rank, int i) { return rank * 100000 + i; }

static void set_view(MPI_File file)
{
    MPI_Datatype type;
    MPI_Type_vector(RECORDS, WIDTH, WIDTH * t_ranks, MPI_INT, &type);
    MPI_Type_commit(&type);
    MPI_File_set_view(file, (MPI_Offset)(WIDTH * t_rank) * (MPI_Offset)sizeof(int), MPI_INT, type,
                      "native", MPI_INFO_NULL);
    MPI_Type_free(&type);
}

static void write_and_read(const char *path)
{
    MPI_File file;
    int *data = t_alloc(sizeof(int) * RECORDS * WIDTH), bad = 0;
    t_point("collective write and read of interleaved records");
    for (int i = 0; i < RECORDS * WIDTH; i++)
        data[i] = value(t_rank, i);
    MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    set_view(file);
    MPI_File_write_all(file, data, RECORDS * WIDTH, MPI_INT, MPI_STATUS_IGNORE);
    t_check(t_exercise_all(MPI_COMM_WORLD, 3, 50) == 0, "wrong result between the file calls");
    MPI_File_sync(file);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_sync(file);
    for (int i = 0; i < RECORDS * WIDTH; i++)
        data[i] = -1;
    MPI_File_read_at_all(file, 0, data, RECORDS * WIDTH, MPI_INT, MPI_STATUS_IGNORE);
    for (int i = 0; i < RECORDS * WIDTH; i++)
        bad += data[i] != value(t_rank, i);
    t_check(bad == 0, "%d wrong values", bad);
    MPI_File_close(&file);
    free(data);
}

static void plain_view(const char *path)
{
    MPI_File file;
    MPI_Offset bytes = 0;
    int got[WIDTH] = {0};
    const int record = RECORDS / 2, owner = t_rank;
    t_point("the file contains the data of all ranks");
    MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_RDONLY, MPI_INFO_NULL, &file);
    MPI_File_get_size(file, &bytes);
    t_check(bytes == (MPI_Offset)(RECORDS * WIDTH * t_ranks) * (MPI_Offset)sizeof(int),
            "%lld bytes", (long long)bytes);
    MPI_File_read_at_all(file,
                         (MPI_Offset)((record * t_ranks + owner) * WIDTH) * (MPI_Offset)sizeof(int),
                         got, WIDTH, MPI_INT, MPI_STATUS_IGNORE);
    for (int i = 0; i < WIDTH; i++)
        t_check(got[i] == value(owner, record * WIDTH + i), "element %d is %d", i, got[i]);
    MPI_File_close(&file);
}

static void ordered(const char *path)
{
    MPI_File file;
    int mine = value(t_rank, 7), got = -1;
    t_point("writes in rank order through the shared pointer");
    MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                  MPI_INFO_NULL, &file);
    MPI_File_set_size(file, 0);
    MPI_File_write_ordered(file, &mine, 1, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_sync(file);
    MPI_Barrier(MPI_COMM_WORLD);
    const int other = (t_rank + 1) % t_ranks;
    MPI_File_read_at_all(file, (MPI_Offset)other * (MPI_Offset)sizeof(int), &got, 1, MPI_INT,
                         MPI_STATUS_IGNORE);
    t_check(got == value(other, 7), "the entry of rank %d is %d", other, got);
    MPI_File_close(&file);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    t_start(60);
    t_exercise_begin();
    const char *path = argc > 1 ? argv[1] : "io.data";
    write_and_read(path);
    plain_view(path);
    ordered(path);
    t_exercise_end();
    const int code = t_finish();
    MPI_Finalize();
    return code;
}
