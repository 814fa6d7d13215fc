/* samplesort.c - sorts keys that are distributed over the ranks: samples of all ranks give the
 * splitters (MPI_Allgather), ranks exchange counts (MPI_Alltoall) and keys (MPI_Alltoallv).
 *
 *   samplesort [KEYS [TIMES]]      keys of each rank
 *
 * Rank 0 prints the total time; order and number of the keys are checked. */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLES = 64 }; /* of each rank */

typedef struct {
    int p, r, n, got; /* keys of this rank before and after */
    uint64_t *key, *sorted;
    uint64_t *sample, *all;
    int *counts, *starts, *arrive, *places;
} sorter;

static int ascending(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static uint64_t mixed(uint64_t x)
{
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

/* The first key that is not below the splitter: the start of the keys of the next rank. */
static int first_not_below(const sorter *s, uint64_t splitter)
{
    int lo = 0, hi = s->n;
    while (lo < hi) {
        const int middle = lo + (hi - lo) / 2;
        if (s->key[middle] < splitter)
            lo = middle + 1;
        else
            hi = middle;
    }
    return lo;
}

static void split(sorter *s)
{
    for (int i = 0; i < SAMPLES; i++)
        s->sample[i] = s->key[(int64_t)i * s->n / SAMPLES];
    MPI_Allgather(s->sample, SAMPLES, MPI_UINT64_T, s->all, SAMPLES, MPI_UINT64_T, MPI_COMM_WORLD);
    qsort(s->all, (size_t)SAMPLES * (size_t)s->p, sizeof *s->all, ascending);
    for (int q = 0; q < s->p; q++)
        s->starts[q] = q == 0 ? 0 : first_not_below(s, s->all[q * SAMPLES]);
    for (int q = 0; q < s->p; q++)
        s->counts[q] = (q == s->p - 1 ? s->n : s->starts[q + 1]) - s->starts[q];
}

static void exchange(sorter *s)
{
    MPI_Alltoall(s->counts, 1, MPI_INT, s->arrive, 1, MPI_INT, MPI_COMM_WORLD);
    s->got = 0;
    for (int q = 0; q < s->p; q++) {
        s->places[q] = s->got;
        s->got += s->arrive[q];
    }
    free(s->sorted);
    s->sorted = malloc(sizeof *s->sorted * ((size_t)s->got + 1));
    if (!s->sorted)
        MPI_Abort(MPI_COMM_WORLD, 4);
    MPI_Alltoallv(s->key, s->counts, s->starts, MPI_UINT64_T, s->sorted, s->arrive, s->places,
                  MPI_UINT64_T, MPI_COMM_WORLD);
}

static int is_sorted(const sorter *s)
{
    uint64_t below = 0, most = s->got > 0 ? s->sorted[s->got - 1] : 0;
    int64_t keys = s->got, total = 0;
    int good = 1, all = 0;
    MPI_Exscan(&most, &below, 1, MPI_UINT64_T, MPI_MAX, MPI_COMM_WORLD);
    for (int i = 0; i < s->got; i++)
        good = good && s->sorted[i] >= (i > 0 ? s->sorted[i - 1] : s->r > 0 ? below : 0);
    MPI_Allreduce(&keys, &total, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    good = good && total == (int64_t)s->n * s->p;
    MPI_Allreduce(&good, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    return all;
}

static int sort_once(sorter *s, int repetition)
{
    for (int i = 0; i < s->n; i++)
        s->key[i] =
            mixed(((uint64_t)repetition * (uint64_t)s->p + (uint64_t)s->r) * (uint64_t)s->n +
                  (uint64_t)i + 1);
    qsort(s->key, (size_t)s->n, sizeof *s->key, ascending);
    split(s);
    exchange(s);
    qsort(s->sorted, (size_t)s->got, sizeof *s->sorted, ascending);
    return is_sorted(s);
}

static void *room(size_t n, size_t size)
{
    void *const at = calloc(n + 1, size);
    if (!at)
        MPI_Abort(MPI_COMM_WORLD, 4);
    return at;
}

int main(int argc, char **argv)
{
    sorter s = {.n = argc > 1 ? atoi(argv[1]) : 100000};
    const int times = argc > 2 ? atoi(argv[2]) : 10;
    int good = 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &s.p);
    MPI_Comm_rank(MPI_COMM_WORLD, &s.r);
    const size_t p = (size_t)s.p;
    int *const numbers = room(4 * p, sizeof *numbers);
    s.counts = numbers;
    s.starts = numbers + p;
    s.arrive = numbers + 2 * p;
    s.places = numbers + 3 * p;
    s.key = room((size_t)s.n, sizeof *s.key);
    s.sample = room(SAMPLES, sizeof *s.sample);
    s.all = room(SAMPLES * p, sizeof *s.all);
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    for (int i = 0; i < times; i++)
        good = sort_once(&s, i) && good;
    const double seconds = MPI_Wtime() - begin;
    if (s.r == 0)
        printf("%.6f s, %s\n", seconds, good ? "sorted" : "NOT SORTED");
    free(numbers);
    free(s.key);
    free(s.sorted);
    free(s.sample);
    free(s.all);
    MPI_Finalize();
    return good ? 0 : 1;
}
