/* tomography.c - an ordinary MPI program that computes something: reconstructs an image from X-ray
 * projections (SIRT, the simultaneous iterative reconstruction technique).
 *
 *   mpirun -n 16 tomography [ITERATIONS [FILE]]
 *
 * Every rank has the projections of some angles.  An iteration compares them with those of the
 * present image and sums up all corrections (allreduce of 128 KB).  Then each rank smooths some
 * rows of the image, and all exchange them (allgather).  The program compares the image with the
 * one that the projections were made from; exit status 1: it is not similar.
 * FILE: a line per iteration, its number and the microseconds since the first one began. */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 128, PIXELS = N * N, ANGLES = 96 };

static int p, r;
static double image[PIXELS], truth[PIXELS], correction[PIXELS], weight[PIXELS];
static double measured[ANGLES * N], length[ANGLES * N]; /* of the rays of this rank */

/* ---- the object: ellipses of different density ---- */

static double density(double x, double y)
{
    static const struct {
        double x, y, a, b, value;
    } ellipses[] = {{0, 0, 0.7, 0.9, 1},        {0, 0, 0.62, 0.82, -0.6},
                    {0.22, 0, 0.12, 0.3, -0.2}, {-0.22, 0, 0.16, 0.4, -0.2},
                    {0, 0.4, 0.2, 0.22, 0.3},   {0, -0.5, 0.1, 0.06, 0.4}};
    double sum = 0;
    for (size_t i = 0; i < sizeof ellipses / sizeof *ellipses; i++) {
        const double u = (x - ellipses[i].x) / ellipses[i].a,
                     v = (y - ellipses[i].y) / ellipses[i].b;
        sum += u * u + v * v <= 1 ? ellipses[i].value : 0;
    }
    return sum;
}

static void make_object(void)
{
    for (int i = 0; i < PIXELS; i++)
        truth[i] = density(2.0 * (i % N + 0.5) / N - 1, 2.0 * ((double)(i / N) + 0.5) / N - 1);
}

/* ---- rays: ray s of an angle visits one pixel per unit of length ---- */

static int pixel_at(int angle, int s, int t)
{
    const double phi = acos(-1) * angle / ANGLES, u = s - N / 2 + 0.5, v = t - N / 2 + 0.5;
    const int x = (int)floor(N / 2 + u * cos(phi) - v * sin(phi));
    const int y = (int)floor(N / 2 + u * sin(phi) + v * cos(phi));
    return x >= 0 && x < N && y >= 0 && y < N ? y * N + x : -1;
}

static int *visited; /* pixels of the rays of this rank's angles; -1: outside */
static int first, count;

static void trace_rays(void)
{
    first = ANGLES * r / p;
    count = ANGLES * (r + 1) / p - first;
    visited = malloc(sizeof *visited * (size_t)(count + 1) * N * N);
    for (int i = 0; i < count * N * N; i++)
        visited[i] = pixel_at(first + i / (N * N), i / N % N, i % N);
}

static double project(const double *from, int ray)
{
    const int *const pixel = visited + (size_t)ray * N;
    double sum = 0;
    for (int t = 0; t < N; t++)
        sum += pixel[t] >= 0 ? from[pixel[t]] : 0;
    return sum;
}

static void spread(double value, int ray, double *to)
{
    const int *const pixel = visited + (size_t)ray * N;
    for (int t = 0; t < N; t++)
        if (pixel[t] >= 0)
            to[pixel[t]] += value;
}

static void measure(void)
{
    for (int i = 0; i < PIXELS; i++)
        image[i] = 1;
    for (int ray = 0; ray < count * N; ray++) {
        measured[ray] = project(truth, ray);
        length[ray] = project(image, ray);
        spread(1, ray, weight);
    }
    memset(image, 0, sizeof image);
    MPI_Allreduce(MPI_IN_PLACE, weight, PIXELS, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

/* ---- an iteration ---- */

/* Returns the sum of the squared differences on all ranks. */
static double correct(void)
{
    double squares = 0;
    memset(correction, 0, sizeof correction);
    for (int ray = 0; ray < count * N; ray++) {
        const double difference = measured[ray] - project(image, ray);
        squares += difference * difference;
        if (length[ray] > 0)
            spread(difference / length[ray], ray, correction);
    }
    MPI_Allreduce(MPI_IN_PLACE, correction, PIXELS, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, &squares, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < PIXELS; i++)
        image[i] += weight[i] > 0 ? 1.9 * correction[i] / weight[i] : 0;
    return squares;
}

/* Densities are positive, and neighbouring ones similar. */
static void smooth(void)
{
    const int rows = N / p, from = r * rows * N, n = rows * N;
    double own[PIXELS];
    for (int i = 0; i < n; i++) {
        const int at = from + i, x = at % N, y = at / N;
        const double around = image[y * N + (x + 1) % N] + image[y * N + (x + N - 1) % N] +
                              image[(y + 1) % N * N + x] + image[(y + N - 1) % N * N + x];
        own[i] = fmax(0, 0.98 * image[at] + 0.005 * around);
    }
    MPI_Allgather(own, n, MPI_DOUBLE, image, n, MPI_DOUBLE, MPI_COMM_WORLD);
}

/* ---- results ---- */

static double image_error(void)
{
    double difference = 0, all = 0;
    for (int i = 0; i < PIXELS; i++) {
        difference += (image[i] - truth[i]) * (image[i] - truth[i]);
        all += truth[i] * truth[i];
    }
    return sqrt(difference / all);
}

static void write_times(const char *name, const double *took, int n)
{
    FILE *const file = fopen(name, "w");
    if (file == NULL) {
        fprintf(stderr, "tomography: cannot write %s\n", name);
        MPI_Abort(MPI_COMM_WORLD, 4);
        return;
    }
    for (int i = 0; i < n; i++)
        fprintf(file, "%d,%.0f\n", i, 1e6 * took[i]);
    fclose(file);
}

int main(int argc, char **argv)
{
    const int iterations = argc > 1 ? atoi(argv[1]) : 100;
    double squares = 0, *const took = calloc((size_t)iterations + 1, sizeof *took);
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    MPI_Comm_rank(MPI_COMM_WORLD, &r);
    if (N % p != 0) {
        if (r == 0)
            fprintf(stderr, "tomography: %d ranks do not divide the %d rows of the image\n", p, N);
        free(took);
        MPI_Finalize();
        return 2;
    }
    make_object();
    trace_rays();
    measure();
    const double start = MPI_Wtime();
    for (int i = 0; i < iterations; i++) {
        squares = correct();
        smooth();
        took[i] = MPI_Wtime() - start;
    }
    const double error = image_error();
    if (r == 0)
        printf("%d iterations in %.2f s; residual %.4g, error of the image %.3f\n", iterations,
               took[iterations > 0 ? iterations - 1 : 0], sqrt(squares), error);
    if (r == 0 && argc > 2)
        write_times(argv[2], took, iterations);
    free(visited);
    free(took);
    MPI_Finalize();
    return error > 0.25 ? 1 : 0;
}
