/* repository.c - alltoall, allgather and allreduce with messages of 32, 64, 96 ... bytes, so that
 * rules by size select another algorithm for each; results are compared with the expected ones.
 *
 *   repository ALLTOALLS ALLGATHERS ALLREDUCES */
#include "harness.h"

#include <stdlib.h>

enum { STEP = 8, MOST = 64, MOST_RANKS = 16 };

static int in[MOST * STEP * MOST_RANKS], out[MOST * STEP * MOST_RANKS];

static int element(int from, int to, int i) { return from * 100003 + to * 1009 + i * 7; }

static void alltoall(int n)
{
    for (int k = 0; k < t_ranks * n; k++)
        in[k] = element(t_rank, k / n, k % n);
    MPI_Alltoall(in, n, MPI_INT, out, n, MPI_INT, MPI_COMM_WORLD);
    for (int k = 0; k < t_ranks * n; k++)
        t_check(out[k] == element(k / n, t_rank, k % n), "n %d, element %d", n, k);
}

static void allgather(int n)
{
    for (int k = 0; k < n; k++)
        in[k] = element(t_rank, 0, k);
    MPI_Allgather(in, n, MPI_INT, out, n, MPI_INT, MPI_COMM_WORLD);
    for (int k = 0; k < t_ranks * n; k++)
        t_check(out[k] == element(k / n, 0, k % n), "n %d, element %d", n, k);
}

static void allreduce(int n)
{
    for (int k = 0; k < n; k++)
        in[k] = element(t_rank, 0, k);
    MPI_Allreduce(in, out, n, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    for (int k = 0; k < n; k++) {
        int sum = 0;
        for (int r = 0; r < t_ranks; r++)
            sum += element(r, 0, k);
        t_check(out[k] == sum, "n %d, element %d", n, k);
    }
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(int n);
    } operations[] = {{"alltoall", alltoall}, {"allgather", allgather}, {"allreduce", allreduce}};

    t_fake_hosts();
    MPI_Init(&argc, &argv);
    t_start(60);
    for (int op = 0; op < 3; op++) {
        t_point(operations[op].name);
        for (int i = 1; i <= atoi(argv[1 + op]); i++) {
            t_where("%s, call %d", operations[op].name, i);
            operations[op].run(i * STEP);
        }
    }
    const int code = t_finish();
    MPI_Finalize();
    return code;
}
