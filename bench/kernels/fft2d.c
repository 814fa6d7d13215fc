/* fft2d.c - a Fourier transform in two dimensions and its inverse, the rows of the matrix
 * distributed over the ranks: transforms of rows, transposition by MPI_Alltoall, transforms of
 * columns.
 *
 *   fft2d [N [TIMES]]      an N x N matrix (a power of two, at least as many rows as ranks)
 *
 * Rank 0 prints the total time; transform and inverse must reproduce the input. */
#include <complex.h>
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

typedef double complex number;

typedef struct {
    int n, p, r, rows; /* rows of this rank */
    number *own, *packed, *arrived;
} matrix;

static number start_value(int64_t i) { return sin((double)i) + I * cos(0.5 * (double)i); }

/* In place; `sign` -1: forward, 1: inverse without the factor 1 / n. */
static void transform(number *v, int n, double sign)
{
    for (int i = 1, j = 0; i < n; i++) {
        int bit = n >> 1;
        for (; j & bit; bit >>= 1)
            j ^= bit;
        j ^= bit;
        if (i < j) {
            const number keep = v[i];
            v[i] = v[j];
            v[j] = keep;
        }
    }
    for (int half = 1; half < n; half *= 2) {
        const number step = cexp(sign * I * acos(-1.0) / half);
        for (int first = 0; first < n; first += 2 * half) {
            number w = 1;
            for (int k = first; k < first + half; k++, w *= step) {
                const number odd = w * v[k + half];
                v[k + half] = v[k] - odd;
                v[k] += odd;
            }
        }
    }
}

/* Sends each block of rows x rows to the rank whose rows it becomes. */
static void transpose(matrix *m)
{
    const int each = m->rows * m->rows;
    for (int q = 0; q < m->p; q++)
        for (int i = 0; i < m->rows; i++)
            for (int k = 0; k < m->rows; k++)
                m->packed[q * each + k * m->rows + i] = m->own[i * m->n + q * m->rows + k];
    MPI_Alltoall(m->packed, each, MPI_C_DOUBLE_COMPLEX, m->arrived, each, MPI_C_DOUBLE_COMPLEX,
                 MPI_COMM_WORLD);
    for (int q = 0; q < m->p; q++)
        for (int k = 0; k < m->rows; k++)
            for (int i = 0; i < m->rows; i++)
                m->own[k * m->n + q * m->rows + i] = m->arrived[q * each + k * m->rows + i];
}

static void transform_rows(matrix *m, double sign)
{
    for (int i = 0; i < m->rows; i++)
        transform(m->own + (size_t)i * (size_t)m->n, m->n, sign);
}

static void there_and_back(matrix *m)
{
    for (int sign = -1; sign <= 1; sign += 2) {
        transform_rows(m, sign);
        transpose(m);
        transform_rows(m, sign);
        transpose(m);
    }
    const double scale = 1.0 / ((double)m->n * m->n);
    for (int i = 0; i < m->rows * m->n; i++)
        m->own[i] *= scale;
}

static double error_of(const matrix *m)
{
    double own = 0, all = 0;
    for (int i = 0; i < m->rows * m->n; i++)
        own = fmax(own, cabs(m->own[i] - start_value((int64_t)m->r * m->rows * m->n + i)));
    MPI_Allreduce(&own, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return all;
}

int main(int argc, char **argv)
{
    matrix m = {.n = argc > 1 ? atoi(argv[1]) : 1024};
    const int times = argc > 2 ? atoi(argv[2]) : 10;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &m.p);
    MPI_Comm_rank(MPI_COMM_WORLD, &m.r);
    if (m.n < m.p || (m.n & (m.n - 1)) != 0 || m.n % m.p != 0)
        MPI_Abort(MPI_COMM_WORLD, 2);
    m.rows = m.n / m.p;
    const size_t bytes = sizeof(number) * (size_t)m.rows * (size_t)m.n;
    m.own = malloc(bytes);
    m.packed = malloc(bytes);
    m.arrived = malloc(bytes);
    if (!m.own || !m.packed || !m.arrived)
        MPI_Abort(MPI_COMM_WORLD, 4);
    for (int i = 0; i < m.rows * m.n; i++)
        m.own[i] = start_value((int64_t)m.r * m.rows * m.n + i);
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    for (int i = 0; i < times; i++)
        there_and_back(&m);
    const double error = error_of(&m), seconds = MPI_Wtime() - begin;
    if (m.r == 0)
        printf("%.6f s, error %.1e\n", seconds, error);
    free(m.own);
    free(m.packed);
    free(m.arrived);
    MPI_Finalize();
    return error < 1e-8 ? 0 : 1;
}
