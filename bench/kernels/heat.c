/* heat.c - heat diffusion on a graph, in implicit steps: each solves (1 + L) new = old by conjugate
 * gradients, L the Laplacian of the graph.  The nodes are distributed over the ranks in blocks; any
 * node may be adjacent to any other, so every product with the matrix needs the whole vector
 * (MPI_Allgather).
 *
 *   heat [NODES [STEPS]]      nodes are rounded up to a multiple of the ranks
 *
 * Rank 0 prints the total time; heat must be conserved and no temperature negative. */
#include <math.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { EDGES = 8 }; /* of each node to later nodes, and as many to earlier ones */

typedef struct {
    int n, rows, first; /* nodes; nodes of this rank; the first of them */
    int p, r;
    int *neighbour; /* of row i: 2 * EDGES from 2 * EDGES * i on */
    double *conductance;
    double *heat, *residual, *direction, *image;
    double *all; /* the direction vector of all ranks */
} graph;

static uint64_t mixed(uint64_t x)
{
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

static double uniform(uint64_t seed) { return (double)(mixed(seed + 1) >> 11) * 0x1p-53; }

/* Edge k of every node has the same distance and a random conductance. */
static void make_edges(graph *w)
{
    for (int i = 0; i < w->rows; i++)
        for (int k = 0; k < EDGES; k++) {
            const int far = 1 + (int)(mixed((uint64_t)k + 99) % (uint64_t)(w->n - 1));
            const int own = w->first + i, before = (own - far + w->n) % w->n;
            const int at = 2 * EDGES * i + 2 * k;
            w->neighbour[at] = (own + far) % w->n;
            w->neighbour[at + 1] = before;
            w->conductance[at] = uniform((uint64_t)own * EDGES + (uint64_t)k);
            w->conductance[at + 1] = uniform((uint64_t)before * EDGES + (uint64_t)k);
        }
}

static double sum_of_products(const graph *w, const double *a, const double *b)
{
    double own = 0, all = 0;
    for (int i = 0; i < w->rows; i++)
        own += a[i] * b[i];
    MPI_Allreduce(&own, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return all;
}

/* image = (1 + L) v */
static void apply(graph *w, const double *v)
{
    MPI_Allgather(v, w->rows, MPI_DOUBLE, w->all, w->rows, MPI_DOUBLE, MPI_COMM_WORLD);
    for (int i = 0; i < w->rows; i++) {
        double sum = v[i];
        for (int k = 2 * EDGES * i; k < 2 * EDGES * (i + 1); k++)
            sum += w->conductance[k] * (v[i] - w->all[w->neighbour[k]]);
        w->image[i] = sum;
    }
}

/* One step; starts from the old temperatures, which are close to the new ones. */
static void diffuse(graph *w)
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

/* Each step heats a different set of nodes; returns the heat added. */
static double warm(graph *w, int step)
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

/* Whether heat is conserved and no temperature is negative. */
static int is_conserved(const graph *w, double added)
{
    double own = 0, all = 0, least = 0, coldest = 0;
    for (int i = 0; i < w->rows; i++) {
        own += w->heat[i];
        least = fmin(least, w->heat[i]);
    }
    MPI_Allreduce(&own, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(&least, &coldest, 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
    return fabs(all - added) <= 1e-8 * added && coldest > -1e-6;
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
    graph w = {0};
    double added = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &w.p);
    MPI_Comm_rank(MPI_COMM_WORLD, &w.r);
    if (nodes < 2)
        MPI_Abort(MPI_COMM_WORLD, 2);
    w.rows = (nodes + w.p - 1) / w.p;
    w.n = w.rows * w.p;
    w.first = w.rows * w.r;
    w.neighbour = room(2 * EDGES * w.rows, sizeof *w.neighbour);
    w.conductance = room(2 * EDGES * w.rows, sizeof *w.conductance);
    w.heat = room(4 * w.rows, sizeof *w.heat);
    w.residual = w.heat + w.rows;
    w.direction = w.residual + w.rows;
    w.image = w.direction + w.rows;
    w.all = room(w.n, sizeof *w.all);
    make_edges(&w);
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    for (int step = 0; step < steps; step++) {
        added += warm(&w, step);
        diffuse(&w);
    }
    const double seconds = MPI_Wtime() - begin;
    const int good = is_conserved(&w, added);
    if (w.r == 0)
        printf("%.6f s, %s\n", seconds, good ? "heat conserved" : "HEAT NOT CONSERVED");
    free(w.neighbour);
    free(w.conductance);
    free(w.heat);
    free(w.all);
    MPI_Finalize();
    return good ? 0 : 1;
}
