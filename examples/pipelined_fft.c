/* pipelined_fft.c - a Fourier transform in two dimensions whose transposition overlaps with
 * computation: the rows of a rank are transformed in several slabs, and MPI_Ialltoall sends a slab
 * while the next one is transformed.
 *
 *   mpirun -n 4 pipelined_fft [N [SLABS [TIMES]]]
 *
 * N: rows and columns of the matrix, a power of two and a multiple of ranks x SLABS; SLABS 1: no
 * overlap.  Transform and inverse must reproduce the matrix, and the transform of a wave must be a
 * single peak.  Rank 0 prints the time of a transform, the share of it in MPI, and the largest
 * error; the exit status is 1 if a result is wrong.  The program does not use Attune itself. */
#include <complex.h>
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef double complex number;

enum { MOST_SLABS = 64, TESTS = 4 }; /* calls of MPI_Testall while a slab is transformed */
static const double tolerance = 1e-9;

typedef struct {
    int p, r;
    int n;     /* rows and columns of the matrix */
    int rows;  /* of this rank */
    int slabs; /* in which they are sent */
    number *own, *out, *in;
    MPI_Request requests[MOST_SLABS];
    double mpi_s; /* time in MPI */
} matrix;

/* ---- one row ---- */

static void swap_bits(number *v, int n)
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
}

/* In place, by radix 2; `sign` -1: forward, 1: inverse without the factor 1 / n. */
static void transform_row(number *v, int n, double sign)
{
    swap_bits(v, n);
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

/* ---- slabs: consecutive rows of a rank ---- */

static int slab_rows(const matrix *m) { return m->rows / m->slabs; }
/* Numbers that a slab sends to each rank. */
static int block_size(const matrix *m) { return slab_rows(m) * m->rows; }
static size_t slab_at(const matrix *m, int s) { return (size_t)s * (size_t)(block_size(m) * m->p); }

/* Progress of the slabs under way; an MPI library may need such calls. */
static void progress(matrix *m, int started)
{
    int done;
    const double began = MPI_Wtime();
    MPI_Testall(started, m->requests, &done, MPI_STATUSES_IGNORE);
    m->mpi_s += MPI_Wtime() - began;
}

static void transform_slab(matrix *m, int s, double sign)
{
    const int rows = slab_rows(m), between = rows / TESTS > 0 ? rows / TESTS : 1;
    for (int i = 0; i < rows; i++) {
        transform_row(m->own + (size_t)(s * rows + i) * (size_t)m->n, m->n, sign);
        if (s > 0 && i % between == between - 1)
            progress(m, s);
    }
}

/* Columns become rows: the block for a rank is transposed while it is packed. */
static void pack_slab(matrix *m, int s)
{
    const int rows = slab_rows(m);
    number *to = m->out + slab_at(m, s);
    for (int k = 0; k < m->n; k++)
        for (int i = 0; i < rows; i++)
            *to++ = m->own[(size_t)(s * rows + i) * (size_t)m->n + (size_t)k];
}

static void send_slab(matrix *m, int s)
{
    const int each = block_size(m);
    const double began = MPI_Wtime();
    MPI_Ialltoall(m->out + slab_at(m, s), each, MPI_C_DOUBLE_COMPLEX, m->in + slab_at(m, s), each,
                  MPI_C_DOUBLE_COMPLEX, MPI_COMM_WORLD, &m->requests[s]);
    m->mpi_s += MPI_Wtime() - began;
}

/* A slab of rank q holds the columns q * rows + s * slab_rows ... of this rank's rows. */
static void unpack_slab(matrix *m, int s)
{
    const int rows = slab_rows(m);
    const number *from = m->in + slab_at(m, s);
    for (int q = 0; q < m->p; q++)
        for (int k = 0; k < m->rows; k++, from += rows)
            memcpy(m->own + (size_t)k * (size_t)m->n + (size_t)(q * m->rows + s * rows), from,
                   (size_t)rows * sizeof *from);
}

static void wait_slab(matrix *m, int s)
{
    const double began = MPI_Wtime();
    MPI_Wait(&m->requests[s], MPI_STATUS_IGNORE);
    m->mpi_s += MPI_Wtime() - began;
}

/* ---- the matrix ---- */

/* Transforms all rows and transposes the matrix. */
static void transform_and_transpose(matrix *m, double sign)
{
    for (int s = 0; s < m->slabs; s++) {
        transform_slab(m, s, sign);
        pack_slab(m, s);
        send_slab(m, s);
    }
    for (int s = 0; s < m->slabs; s++) {
        wait_slab(m, s);
        unpack_slab(m, s);
    }
}

/* Twice the transposition restores the order of rows and columns. */
static void transform(matrix *m, double sign)
{
    transform_and_transpose(m, sign);
    transform_and_transpose(m, sign);
}

static number value_at(int row, int column)
{
    return sin(0.37 * row + 1.1 * column) + I * cos(0.5 * row - 0.2 * column);
}

static number *at(const matrix *m, int i, int k)
{
    return &m->own[(size_t)i * (size_t)m->n + (size_t)k];
}

/* ---- checks: the largest error of this rank ---- */

/* Transform and inverse, `times` times; seconds of one transform in *seconds_p. */
static double check_inverse(matrix *m, int times, double *seconds_p)
{
    const double scale = 1.0 / m->n / m->n;
    double worst = 0;
    for (int i = 0; i < m->rows; i++)
        for (int k = 0; k < m->n; k++)
            *at(m, i, k) = value_at(m->r * m->rows + i, k);
    MPI_Barrier(MPI_COMM_WORLD);
    const double began = MPI_Wtime();
    for (int t = 0; t < times; t++) {
        transform(m, -1);
        transform(m, 1);
        for (int64_t i = 0; i < (int64_t)m->rows * m->n; i++)
            m->own[i] *= scale;
    }
    *seconds_p = (MPI_Wtime() - began) / (2 * times);
    for (int i = 0; i < m->rows; i++)
        for (int k = 0; k < m->n; k++)
            worst = fmax(worst, cabs(*at(m, i, k) - value_at(m->r * m->rows + i, k)));
    return worst;
}

/* exp(2 pi i (a row + b column) / n) has its only peak, of n x n, at row a and column b. */
static double check_wave(matrix *m)
{
    const int a = m->n / 4 + 1, b = 3;
    double worst = 0;
    for (int i = 0; i < m->rows; i++)
        for (int k = 0; k < m->n; k++) {
            const double turns =
                fmod((double)a * (m->r * m->rows + i) + (double)b * k, m->n) / m->n;
            *at(m, i, k) = cexp(2 * acos(-1.0) * I * turns);
        }
    transform(m, -1);
    for (int i = 0; i < m->rows; i++)
        for (int k = 0; k < m->n; k++) {
            const int peak = m->r * m->rows + i == a && k == b;
            worst = fmax(worst, cabs(*at(m, i, k) / ((double)m->n * m->n) - peak));
        }
    return worst;
}

/* ---- the program ---- */

static int is_valid(const matrix *m, int times)
{
    return m->n > 0 && (m->n & (m->n - 1)) == 0 && m->slabs > 0 && m->slabs <= MOST_SLABS &&
           m->n % (m->p * m->slabs) == 0 && times > 0;
}

static int allocate(matrix *m)
{
    const size_t bytes = (size_t)m->rows * (size_t)m->n * sizeof(number);
    m->own = malloc(bytes);
    m->out = malloc(bytes);
    m->in = malloc(bytes);
    return m->own && m->out && m->in;
}

static int run(matrix *m, int times)
{
    double v[3], all[3];
    v[0] = check_wave(m);
    m->mpi_s = 0;
    v[0] = fmax(v[0], check_inverse(m, times, &v[1]));
    v[2] = m->mpi_s / (2 * times);
    MPI_Allreduce(v, all, 3, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    if (m->r == 0)
        printf("%d x %d on %d ranks, %d slabs: %.3f ms, %.0f %% in MPI; largest error %.1e: %s\n",
               m->n, m->n, m->p, m->slabs, 1e3 * all[1], 100 * all[2] / all[1], all[0],
               all[0] < tolerance ? "right" : "WRONG");
    return all[0] < tolerance ? 0 : 1;
}

int main(int argc, char **argv)
{
    matrix m = {.n = argc > 1 ? atoi(argv[1]) : 512, .slabs = argc > 2 ? atoi(argv[2]) : 8};
    const int times = argc > 3 ? atoi(argv[3]) : 10;
    int status = 2;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &m.p);
    MPI_Comm_rank(MPI_COMM_WORLD, &m.r);
    m.rows = m.n / m.p;
    if (is_valid(&m, times)) {
        if (!allocate(&m))
            MPI_Abort(MPI_COMM_WORLD, 4);
        status = run(&m, times);
    } else if (m.r == 0) {
        fprintf(stderr,
                "usage: pipelined_fft [N [SLABS [TIMES]]], N a power of two and a multiple of "
                "ranks x SLABS\n");
    }
    free(m.own);
    free(m.out);
    free(m.in);
    MPI_Finalize();
    return status;
}
