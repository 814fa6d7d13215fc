/* study.c - the jobs of `attune study` (libexec/studies): collectives of applications in a loop.
 *
 *   study loop STEPS COMPUTE_US CALL ...      sleeps, then calls; a line for every step: its number,
 *       its microseconds and those of all steps so far, both without the pauses, until the last rank
 *       has left the calls
 *   study work STEPS COMPUTE_US CALL ...      computes as long on every rank instead of sleeping; prints
 *       nothing
 *   study arrivals STEPS COMPUTE_US BYTES     computes, then an alltoall; a line for every step: the
 *       average and the worst imbalance of arrivals, and the imbalance of the computation, all in
 *       times of a message of BYTES, and that time and the computation in microseconds; all ranks
 *       must have the same clock
 *   study roots CALLS BYTES ...               a broadcast from every root, a barrier of messages
 *       through rank 0 after each; a line for every size: bytes, seconds of a turn of all roots
 *
 * CALL is OPERATION:BYTES or OPERATION:BYTES:COUNT.  BYTES are those of the whole message (bcast, reduce,
 * allreduce) or of a block. */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MAX_CALLS = 8 };

typedef struct {
    char operation[16];
    int n, count; /* integers; calls in a step */
} call;

typedef struct {
    int r, p, steps, compute_us, ncalls;
    call calls[MAX_CALLS];
    int *in, *out, *counts, *places; /* of alltoallv and allgatherv: all blocks are equal */
} job;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e6 * (double)t.tv_sec + 1e-3 * (double)t.tv_nsec;
}

static void fail(const char *what)
{
    fprintf(stderr, "study: %s\n", what);
    MPI_Abort(MPI_COMM_WORLD, 2);
}

/* ---- calls ---- */

static void set_counts(const job *j, int n)
{
    for (int i = 0; i < j->p; i++) {
        j->counts[i] = n;
        j->places[i] = i * n;
    }
}

static void call_alltoallv(const job *j, int n)
{
    set_counts(j, n);
    MPI_Alltoallv(j->in, j->counts, j->places, MPI_INT, j->out, j->counts, j->places, MPI_INT,
                  MPI_COMM_WORLD);
}

static void call_allgatherv(const job *j, int n)
{
    set_counts(j, n);
    MPI_Allgatherv(j->in, n, MPI_INT, j->out, j->counts, j->places, MPI_INT, MPI_COMM_WORLD);
}

static void call_alltoall(const job *j, int n)
{
    MPI_Alltoall(j->in, n, MPI_INT, j->out, n, MPI_INT, MPI_COMM_WORLD);
}

static void call_allgather(const job *j, int n)
{
    MPI_Allgather(j->in, n, MPI_INT, j->out, n, MPI_INT, MPI_COMM_WORLD);
}

static void call_allreduce(const job *j, int n)
{
    MPI_Allreduce(j->in, j->out, n, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

static void call_reduce(const job *j, int n)
{
    MPI_Reduce(j->in, j->out, n, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
}

static void call_bcast(const job *j, int n) { MPI_Bcast(j->in, n, MPI_INT, 0, MPI_COMM_WORLD); }

static void call_barrier(const job *j, int n)
{
    (void)j, (void)n;
    MPI_Barrier(MPI_COMM_WORLD);
}

static const struct {
    const char *name;
    void (*call)(const job *j, int n);
} operations[] = {{"alltoall", call_alltoall},   {"alltoallv", call_alltoallv},
                  {"allgather", call_allgather}, {"allgatherv", call_allgatherv},
                  {"allreduce", call_allreduce}, {"reduce", call_reduce},
                  {"bcast", call_bcast},         {"barrier", call_barrier}};

static void do_call(const job *j, const call *c)
{
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++)
        if (strcmp(operations[i].name, c->operation) == 0) {
            for (int k = 0; k < c->count; k++)
                operations[i].call(j, c->n);
            return;
        }
    fail("unknown operation");
}

static call parse_call(const char *text)
{
    call c = {.count = 1};
    int bytes = 0;
    if (sscanf(text, "%15[a-z]:%d:%d", c.operation, &bytes, &c.count) < 2)
        fail("a call is OPERATION:BYTES[:COUNT]");
    c.n = (bytes + 3) / 4;
    return c;
}

static void *room(size_t n)
{
    void *const data = calloc(n + 1, sizeof(int));
    if (data == NULL)
        fail("out of memory");
    return data;
}

static void make_room(job *j, int most)
{
    j->in = room((size_t)most * (size_t)j->p);
    j->out = room((size_t)most * (size_t)j->p);
    j->counts = room((size_t)j->p);
    j->places = room((size_t)j->p);
}

/* ---- loop ---- */

/* Sleeps instead of computing, because there may be more ranks than cores. */
static void sleep_us(int us)
{
    const struct timespec t = {.tv_sec = us / 1000000, .tv_nsec = us % 1000000 * 1000L};
    if (us > 0)
        nanosleep(&t, NULL);
}

static void run_loop(job *j)
{
    double *const took = calloc(2 * (size_t)j->steps + 1, sizeof *took), *const most =
                                                                             took + j->steps;
    double aside = 0; /* microseconds of all pauses */
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    for (int i = 0; i < j->steps; i++) {
        const double before = MPI_Wtime();
        sleep_us(j->compute_us);
        aside += 1e6 * (MPI_Wtime() - before);
        for (int k = 0; k < j->ncalls; k++)
            do_call(j, &j->calls[k]);
        took[i] = 1e6 * (MPI_Wtime() - start) - aside;
    }
    PMPI_Reduce(took, most, j->steps, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    for (int i = 0; j->r == 0 && i < j->steps; i++)
        printf("%d,%.1f,%.1f\n", i, most[i] - (i > 0 ? most[i - 1] : 0), most[i]);
    free(took);
}

/* ---- arrivals ---- */

/* Rounds of the computation that take a microsecond, the same number on all ranks. */
static double turns_of_us(void)
{
    double least = 1e30, all = 0;
    volatile double x = 1;
    for (int k = 0; k < 5; k++) {
        const double start = now();
        for (int i = 0; i < 1000000; i++)
            x = x * 0.999 + 0.5;
        least = fmin(least, now() - start);
    }
    PMPI_Allreduce(&least, &all, 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
    return 1e6 / all;
}

static void compute(double turns)
{
    volatile double x = 1;
    for (double i = 0; i < turns; i++)
        x = x * 0.999 + 0.5;
}

/* Microseconds of a message between the first two ranks: the fastest of several. */
static double message_us(const job *j, int n)
{
    double least = 1e30;
    for (int k = 0; k < 20 && j->r < 2; k++) {
        const int other = 1 - j->r;
        const double start = now();
        if (j->r == 0)
            PMPI_Send(j->in, n, MPI_INT, other, 0, MPI_COMM_WORLD);
        PMPI_Recv(j->out, n, MPI_INT, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (j->r == 1)
            PMPI_Send(j->in, n, MPI_INT, other, 0, MPI_COMM_WORLD);
        least = fmin(least, (now() - start) / 2);
    }
    PMPI_Bcast(&least, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    return least;
}

static double spread(const double *v, int n)
{
    double least = v[0], most = v[0];
    for (int i = 1; i < n; i++) {
        least = fmin(least, v[i]);
        most = fmax(most, v[i]);
    }
    return most - least;
}

/* Mean distance from the mean. */
static double distance(const double *v, int n)
{
    double mean = 0, sum = 0;
    for (int i = 0; i < n; i++)
        mean += v[i] / n;
    for (int i = 0; i < n; i++)
        sum += fabs(v[i] - mean) / n;
    return sum;
}

static void print_arrivals(const job *j, const double *all, double message)
{
    double *const came = calloc(2 * (size_t)j->p, sizeof *came), *const took = came + j->p;
    for (int i = 0; i < j->steps; i++) {
        double mean = 0;
        for (int r = 0; r < j->p; r++) {
            came[r] = all[2 * (r * j->steps + i)];
            took[r] = all[2 * (r * j->steps + i) + 1];
            mean += took[r] / j->p;
        }
        printf("%d,%.4f,%.4f,%.4f,%.1f,%.1f\n", i, distance(came, j->p) / message,
               spread(came, j->p) / message, spread(took, j->p) / message, message, mean);
    }
    free(came);
}

static void run_arrivals(job *j, int n)
{
    const double turns = turns_of_us() * j->compute_us, message = message_us(j, n);
    double *const times =
        calloc(2 * (size_t)j->steps + 1, sizeof *times); /* arrival, computation */
    double *const all = calloc(2 * (size_t)j->steps * (size_t)j->p + 1, sizeof *all);
    PMPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < j->steps; i++) {
        const double start = now();
        compute(turns);
        times[2 * i] = now();
        times[2 * i + 1] = times[2 * i] - start;
        call_alltoall(j, n);
    }
    PMPI_Gather(times, 2 * j->steps, MPI_DOUBLE, all, 2 * j->steps, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    if (j->r == 0)
        print_arrivals(j, all, message);
    free(times);
    free(all);
}

/* ---- work ---- */

static void run_work(job *j)
{
    const double turns = turns_of_us() * j->compute_us;
    PMPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < j->steps; i++) {
        compute(turns);
        for (int k = 0; k < j->ncalls; k++)
            do_call(j, &j->calls[k]);
    }
}

/* ---- roots ---- */

/* As in the document: an acknowledgement to rank 0, which then sends to each rank. */
static void acknowledge(const job *j)
{
    for (int i = 1; i < j->p && j->r == 0; i++)
        PMPI_Recv(NULL, 0, MPI_INT, i, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 1; i < j->p && j->r == 0; i++)
        PMPI_Send(NULL, 0, MPI_INT, i, 2, MPI_COMM_WORLD);
    if (j->r > 0) {
        PMPI_Send(NULL, 0, MPI_INT, 0, 1, MPI_COMM_WORLD);
        PMPI_Recv(NULL, 0, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

static void run_roots(job *j, int n)
{
    acknowledge(j);
    const double start = MPI_Wtime();
    for (int i = 0; i < j->steps * j->p; i++) {
        MPI_Bcast(j->in, n, MPI_INT, i % j->p, MPI_COMM_WORLD);
        acknowledge(j);
    }
    if (j->r == 0)
        printf("%zu,%.6f\n", (size_t)n * sizeof(int), (MPI_Wtime() - start) / j->steps);
}

/* ---- main ---- */

static void start(job *j, int argc, char **argv)
{
    const char *const mode = argv[1];
    int most = 1;
    j->steps = atoi(argv[2]);
    if (strcmp(mode, "roots") != 0)
        j->compute_us = atoi(argv[3]);
    const int first = strcmp(mode, "roots") == 0 ? 3 : 4;
    for (int i = first; i < argc && j->ncalls < MAX_CALLS; i++) {
        call *const c = &j->calls[j->ncalls++];
        *c = strcmp(mode, "loop") == 0 || strcmp(mode, "work") == 0
                 ? parse_call(argv[i])
                 : (call){.n = (atoi(argv[i]) + 3) / 4};
        most = c->n > most ? c->n : most;
    }
    make_room(j, most);
    if (strcmp(mode, "loop") == 0)
        run_loop(j);
    else if (strcmp(mode, "work") == 0)
        run_work(j);
    else if (strcmp(mode, "arrivals") == 0 && j->ncalls == 1)
        run_arrivals(j, j->calls[0].n);
    else if (strcmp(mode, "roots") == 0)
        for (int i = 0; i < j->ncalls; i++)
            run_roots(j, j->calls[i].n);
    else
        fail("unknown mode");
}

int main(int argc, char **argv)
{
    job j = {.ncalls = 0};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &j.r);
    MPI_Comm_size(MPI_COMM_WORLD, &j.p);
    if (argc < 4)
        fail("see the head of libexec/study.c");
    start(&j, argc, argv);
    free(j.in);
    free(j.out);
    free(j.counts);
    free(j.places);
    MPI_Finalize();
    return 0;
}
