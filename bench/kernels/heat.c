/* heat.c - heat that flows through a network of nodes, in implicit steps: each solves
 * (1 + L) new = old by conjugate gradients, L the Laplacian of the network.  Nodes are dealt out to
 * ranks in blocks; any node may touch any other, so every product with the matrix needs the whole
 * vector (MPI_Allgather).
 *
 *   heat [NODES [STEPS]]      nodes are rounded up to a multiple of the ranks
 *
 * Rank 0 prints the seconds that all took; no heat may get lost, and no node become colder than
 * nothing. */
#include <math.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { LINES = 8 }; /* of each node to later ones, and as many to earlier ones */

typedef struct {
    int n, rows, first; /* nodes, those of this rank, the first of them */
    int p, r;
    int *neighbour; /* of row i: 2 * LINES from 2 * LINES * i on */
    double *conductance;
    double *heat, *residual, *direction, *image;
    double *all; /* the direction, of all ranks */
} network;

static uint64_t mixed(uint64_t x)
{
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

static double uniform(uint64_t seed) { return (double)(mixed(seed + 1) >> 11) * 0x1p-53; }

/* Line k of any node leads equally far, and conducts as chance will have it. */
static void lay_lines(network *w)
{
    for (int i = 0; i < w->rows; i++)
        for (int k = 0; k < LINES; k++) {
            const int far = 1 + (int)(mixed((uint64_t)k + 99) % (uint64_t)(w->n - 1));
            const int own = w->first + i, before = (own - far + w->n) % w->n;
            const int at = 2 * LINES * i + 2 * k;
            w->neighbour[at] = (own + far) % w->n;
            w->neighbour[at + 1] = before;
            w->conductance[at] = uniform((uint64_t)own * LINES + (uint64_t)k);
            w->conductance[at + 1] = uniform((uint64_t)before * LINES + (uint64_t)k);
        }
}

static double sum_of_products(const network *w, const double *a, const double *b)
{
    double own = 0, all = 0;
    for (int i = 0; i < w->rows; i++)
        own += a[i] * b[i];
    MPI_Allreduce(&own, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return all;
}

/* image = (1 + L) v */
static void apply(network *w, const double *v)
{
    MPI_Allgather(v, w->rows, MPI_DOUBLE, w->all, w->rows, MPI_DOUBLE, MPI_COMM_WORLD);
    for (int i = 0; i < w->rows; i++) {
        double sum = v[i];
        for (int k = 2 * LINES * i; k < 2 * LINES * (i + 1); k++)
            sum += w->conductance[k] * (v[i] - w->all[w->neighbour[k]]);
        w->image[i] = sum;
    }
}

/* One step; starts from the old temperatures, as the new ones are near. */
static void flow(network *w)
{
    apply(w, w->heat);
    for (int i = 0; i < w->rows; i++)
        w->direction[i] = w->residual[i] = w->heat[i] - w->image[i];
    double square = sum_of_products(w, w->residual, w->residual);
    const double enough = 1e-20 * sum_of_products(w, w->heat, w->heat);
    while (square > enough) {
        apply(w, w->direction);
        const double length = square / sum_of_products(w, w->direction, w->image);
        for (int i = 0; i < w->rows; i++) {
            w->heat[i] += length * w->direction[i];
            w->residual[i] -= length * w->image[i];
        }
        const double before = square;
        square = sum_of_products(w, w->residual, w->residual);
        for (int i = 0; i < w->rows; i++)
            w->direction[i] = w->residual[i] + square / before * w->direction[i];
    }
}

/* Every step warms other nodes; returns the heat that all got. */
static double warm(network *w, int step)
{
    double own = 0, all = 0;
    for (int i = 0; i < w->rows; i++)
        if (mixed((uint64_t)(w->first + i)) % 64 == (uint64_t)step % 64) {
            w->heat[i] += 1;
            own += 1;
        }
    MPI_Allreduce(&own, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return all;
}

/* Whether all the heat is still there and no node is colder than nothing. */
static int is_right(const network *w, double given)
{
    double own = 0, all = 0, least = 0, coldest = 0;
    for (int i = 0; i < w->rows; i++) {
        own += w->heat[i];
        least = fmin(least, w->heat[i]);
    }
    MPI_Allreduce(&own, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(&least, &coldest, 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
    return fabs(all - given) <= 1e-8 * given && coldest > -1e-6;
}

static void *room(int n, size_t size)
{
    void *const at = calloc((size_t)n, size);
    if (!at)
        MPI_Abort(MPI_COMM_WORLD, 4);
    return at;
}

int main(int argc, char **argv)
{
    const int nodes = argc > 1 ? atoi(argv[1]) : 75000, steps = argc > 2 ? atoi(argv[2]) : 4;
    network w = {0};
    double given = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &w.p);
    MPI_Comm_rank(MPI_COMM_WORLD, &w.r);
    if (nodes < 2)
        MPI_Abort(MPI_COMM_WORLD, 2);
    w.rows = (nodes + w.p - 1) / w.p;
    w.n = w.rows * w.p;
    w.first = w.rows * w.r;
    w.neighbour = room(2 * LINES * w.rows, sizeof *w.neighbour);
    w.conductance = room(2 * LINES * w.rows, sizeof *w.conductance);
    w.heat = room(4 * w.rows, sizeof *w.heat);
    w.residual = w.heat + w.rows;
    w.direction = w.residual + w.rows;
    w.image = w.direction + w.rows;
    w.all = room(w.n, sizeof *w.all);
    lay_lines(&w);
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    for (int step = 0; step < steps; step++) {
        given += warm(&w, step);
        flow(&w);
    }
    const double seconds = MPI_Wtime() - begin;
    const int good = is_right(&w, given);
    if (w.r == 0)
        printf("%.6f s, %s\n", seconds, good ? "all heat is there" : "HEAT IS LOST");
    free(w.neighbour);
    free(w.conductance);
    free(w.heat);
    free(w.all);
    MPI_Finalize();
    return good ? 0 : 1;
}
