/* nonblocking.c - compares nonblocking and persistent collectives as the application calls them
 * (interposed by Attune) with the native routines, which bypass Attune, in one run.
 *
 *   nonblocking CASE OPERATION ROUNDS SECONDS BYTES ...
 *   CASE: blocking     the blocking call
 *         start        start + wait of the nonblocking call
 *         overlap      the nonblocking call, overlapped with a computation as long as itself
 *         persistent   start + wait of the persistent call, compared with the blocking one, both
 *                      interposed
 *   OPERATION: allreduce | bcast | allgather | alltoall | neighbor_alltoall (on a periodic grid of
 *   two dimensions, as square as possible)
 *
 * Every round has a block of calls of each variant - native, attune, and native again as control -
 * in a random order.  Roots rotate, so that no rank can run ahead.  The time of a block is that of
 * the slowest rank.  Rank 0 prints CSV: medians in microseconds, and the medians of native / attune
 * and native / control over rounds with their 95 % confidence intervals; with overlap, percentages
 * and the differences attune - native and control - native, and the microseconds that a call adds
 * to the computation. */
#include "pingpong.h"

#include <dlfcn.h>
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

typedef int (*allreduce_init_fn)(const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm,
                                 MPI_Info, MPI_Request *);
typedef int (*bcast_init_fn)(void *, int, MPI_Datatype, int, MPI_Comm, MPI_Info, MPI_Request *);
typedef int (*exchange_init_fn)(const void *, int, MPI_Datatype, void *, int, MPI_Datatype,
                                MPI_Comm, MPI_Info, MPI_Request *);

typedef struct {
    __typeof__(&MPI_Allreduce) allreduce;
    __typeof__(&MPI_Bcast) bcast;
    __typeof__(&MPI_Allgather) allgather;
    __typeof__(&MPI_Alltoall) alltoall;
    __typeof__(&MPI_Neighbor_alltoall) neighbor_alltoall;
    __typeof__(&MPI_Iallreduce) iallreduce;
    __typeof__(&MPI_Ibcast) ibcast;
    __typeof__(&MPI_Iallgather) iallgather;
    __typeof__(&MPI_Ialltoall) ialltoall;
    __typeof__(&MPI_Ineighbor_alltoall) ineighbor_alltoall;
    allreduce_init_fn allreduce_init;
    bcast_init_fn bcast_init;
    exchange_init_fn allgather_init, alltoall_init, neighbor_alltoall_init;
    __typeof__(&MPI_Ibarrier) ibarrier;
    __typeof__(&MPI_Start) start;
    __typeof__(&MPI_Wait) wait;
    __typeof__(&MPI_Test) test;
    __typeof__(&MPI_Request_free) request_free;
} routines;

static const MPI_Comm world = MPI_COMM_WORLD;
static MPI_Comm grid; /* of neighbor_alltoall */
static int rank, ranks;
static double *src, *dst;
static routines native, interposed;

/* ---- routines ---- */

static void *find(void *library, const char *prefix, const char *name)
{
    char full[64];
    snprintf(full, sizeof full, "%sMPI_%s", prefix, name);
    void *f = dlsym(library, full);
    snprintf(full, sizeof full, "%sMPIX_%s", prefix, name); /* persistent ones of Open MPI 4 */
    return f ? f : dlsym(library, full);
}

static int find_all(routines *r, void *library, const char *prefix)
{
    const struct {
        void **to;
        const char *name;
    } all[] = {
        {(void **)&r->allreduce, "Allreduce"},
        {(void **)&r->bcast, "Bcast"},
        {(void **)&r->allgather, "Allgather"},
        {(void **)&r->alltoall, "Alltoall"},
        {(void **)&r->neighbor_alltoall, "Neighbor_alltoall"},
        {(void **)&r->iallreduce, "Iallreduce"},
        {(void **)&r->ibcast, "Ibcast"},
        {(void **)&r->iallgather, "Iallgather"},
        {(void **)&r->ialltoall, "Ialltoall"},
        {(void **)&r->ineighbor_alltoall, "Ineighbor_alltoall"},
        {(void **)&r->allreduce_init, "Allreduce_init"},
        {(void **)&r->bcast_init, "Bcast_init"},
        {(void **)&r->allgather_init, "Allgather_init"},
        {(void **)&r->alltoall_init, "Alltoall_init"},
        {(void **)&r->neighbor_alltoall_init, "Neighbor_alltoall_init"},
        {(void **)&r->ibarrier, "Ibarrier"},
        {(void **)&r->start, "Start"},
        {(void **)&r->wait, "Wait"},
        {(void **)&r->test, "Test"},
        {(void **)&r->request_free, "Request_free"},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if ((*all[i].to = find(library, prefix, all[i].name)) == NULL)
            return 0;
    return 1;
}

/* Attune also exports the PMPI_ names, so look native ones up in the MPI library itself. */
static int find_routines(void)
{
    static const char *const names[] = {"libmpi.so.40", "libmpich.so.12"};
    void *library = NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names && !library; i++)
        library = dlopen(names[i], RTLD_LAZY | RTLD_NOLOAD);
    return library && find_all(&native, library, "P") && find_all(&interposed, RTLD_DEFAULT, "");
}

/* ---- operations: the blocking call, the start of a nonblocking one, a persistent request ---- */

static void block_allreduce(const routines *f, int n, int root)
{
    (void)root;
    f->allreduce(src, dst, n, MPI_DOUBLE, MPI_SUM, world);
}
static void start_allreduce(const routines *f, int n, int root, MPI_Request *q)
{
    (void)root;
    f->iallreduce(src, dst, n, MPI_DOUBLE, MPI_SUM, world, q);
}
static void init_allreduce(const routines *f, int n, int root, MPI_Request *q)
{
    (void)root;
    f->allreduce_init(src, dst, n, MPI_DOUBLE, MPI_SUM, world, MPI_INFO_NULL, q);
}

static void block_bcast(const routines *f, int n, int root)
{
    f->bcast(src, n, MPI_DOUBLE, root, world);
}
static void start_bcast(const routines *f, int n, int root, MPI_Request *q)
{
    f->ibcast(src, n, MPI_DOUBLE, root, world, q);
}
static void init_bcast(const routines *f, int n, int root, MPI_Request *q)
{
    f->bcast_init(src, n, MPI_DOUBLE, root, world, MPI_INFO_NULL, q);
}

static void block_allgather(const routines *f, int n, int root)
{
    (void)root;
    f->allgather(src, n, MPI_DOUBLE, dst, n, MPI_DOUBLE, world);
}
static void start_allgather(const routines *f, int n, int root, MPI_Request *q)
{
    (void)root;
    f->iallgather(src, n, MPI_DOUBLE, dst, n, MPI_DOUBLE, world, q);
}
static void init_allgather(const routines *f, int n, int root, MPI_Request *q)
{
    (void)root;
    f->allgather_init(src, n, MPI_DOUBLE, dst, n, MPI_DOUBLE, world, MPI_INFO_NULL, q);
}

static void block_alltoall(const routines *f, int n, int root)
{
    (void)root;
    f->alltoall(src, n, MPI_DOUBLE, dst, n, MPI_DOUBLE, world);
}
static void start_alltoall(const routines *f, int n, int root, MPI_Request *q)
{
    (void)root;
    f->ialltoall(src, n, MPI_DOUBLE, dst, n, MPI_DOUBLE, world, q);
}
static void init_alltoall(const routines *f, int n, int root, MPI_Request *q)
{
    (void)root;
    f->alltoall_init(src, n, MPI_DOUBLE, dst, n, MPI_DOUBLE, world, MPI_INFO_NULL, q);
}

static void block_neighbors(const routines *f, int n, int root)
{
    (void)root;
    f->neighbor_alltoall(src, n, MPI_DOUBLE, dst, n, MPI_DOUBLE, grid);
}
static void start_neighbors(const routines *f, int n, int root, MPI_Request *q)
{
    (void)root;
    f->ineighbor_alltoall(src, n, MPI_DOUBLE, dst, n, MPI_DOUBLE, grid, q);
}
static void init_neighbors(const routines *f, int n, int root, MPI_Request *q)
{
    (void)root;
    f->neighbor_alltoall_init(src, n, MPI_DOUBLE, dst, n, MPI_DOUBLE, grid, MPI_INFO_NULL, q);
}

static void create_grid(void)
{
    int dims[2] = {0, 0};
    const int periods[2] = {1, 1};
    MPI_Dims_create(ranks, 2, dims);
    MPI_Cart_create(world, 2, dims, periods, 0, &grid);
}

typedef struct {
    const char *name;
    void (*block)(const routines *f, int n, int root);
    void (*start)(const routines *f, int n, int root, MPI_Request *q);
    void (*init)(const routines *f, int n, int root, MPI_Request *q);
    int rooted; /* persistent requests have one root each */
} operation;

static const operation operations[] = {
    {"allreduce", block_allreduce, start_allreduce, init_allreduce, 0},
    {"bcast", block_bcast, start_bcast, init_bcast, 1},
    {"allgather", block_allgather, start_allgather, init_allgather, 0},
    {"alltoall", block_alltoall, start_alltoall, init_alltoall, 0},
    {"neighbor_alltoall", block_neighbors, start_neighbors, init_neighbors, 0},
};

static const operation *find_operation(const char *name)
{
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++)
        if (strcmp(operations[i].name, name) == 0)
            return &operations[i];
    return NULL;
}

/* ---- the computation: a calibrated loop; ranks that share processors sleep instead ---- */

static double step_s;
static int oversubscribed;

static void loop(long steps)
{
    volatile double result = 1;
    double x = result;
    for (long i = 0; i < steps; i++)
        x = x * 0.999999 + 1e-6;
    result = x;
}

static void calibrate(void)
{
    enum { STEPS = 4096 };
    step_s = HUGE_VAL;
    for (int i = 0; i < 16; i++) {
        const double began = MPI_Wtime();
        loop(STEPS);
        step_s = fmin(step_s, (MPI_Wtime() - began) / STEPS);
    }
    native.allreduce(MPI_IN_PLACE, &step_s, 1, MPI_DOUBLE, MPI_MIN, world);
    oversubscribed = ranks > sysconf(_SC_NPROCESSORS_ONLN); /* also on the hosts of a lab */
}

static void compute(double seconds)
{
    const struct timespec t = {(time_t)seconds, (long)(1e9 * (seconds - floor(seconds)))};
    if (oversubscribed)
        nanosleep(&t, NULL);
    else
        loop((long)ceil(seconds / step_s));
}

/* ---- blocks of calls ---- */

enum { NATIVE, ATTUNE, CONTROL, VARIANTS };

typedef struct {
    const operation *op;
    int n; /* doubles */
    enum { BLOCKING, START, OVERLAP, PERSISTENT } mode;
    MPI_Request *requests[VARIANTS]; /* persistent: one for each root */
} job;

static const routines *routines_of(int variant)
{
    return variant == ATTUNE ? &interposed : &native;
}

static void run_blocking(const job *j, int variant, int calls, double seconds)
{
    (void)seconds;
    for (int i = 0, root = 0; i < calls; i++, root = root + 1 == ranks ? 0 : root + 1)
        j->op->block(routines_of(variant), j->n, root);
}

static void run_started(const job *j, int variant, int calls, double seconds)
{
    const routines *const f = routines_of(variant);
    for (int i = 0, root = 0; i < calls; i++, root = root + 1 == ranks ? 0 : root + 1) {
        MPI_Request q;
        j->op->start(f, j->n, root, &q);
        if (seconds > 0)
            compute(seconds);
        f->wait(&q, MPI_STATUS_IGNORE);
    }
}

static void run_computation(const job *j, int variant, int calls, double seconds)
{
    (void)j, (void)variant;
    for (int i = 0; i < calls; i++)
        compute(seconds);
}

/* Variant attune is persistent, the others are the blocking call: both as the application calls
 * them. */
static void run_persistent(const job *j, int variant, int calls, double seconds)
{
    (void)seconds;
    for (int i = 0, root = 0; i < calls; i++, root = root + 1 == ranks ? 0 : root + 1) {
        if (variant != ATTUNE) {
            j->op->block(&interposed, j->n, root);
            continue;
        }
        MPI_Request *const q = &j->requests[ATTUNE][j->op->rooted ? root : 0];
        interposed.start(q);
        interposed.wait(q, MPI_STATUS_IGNORE);
    }
}

typedef void (*run_fn)(const job *j, int variant, int calls, double seconds);

/* Ends a native call of the benchmark itself.  Ranks that share processors sleep, because some
 * libraries poll without yielding, and would keep a rank that still measures off its processor. */
static void finish(MPI_Request *q)
{
    const struct timespec nap = {0, 20000};
    int done = 0;
    while (oversubscribed && !done)
        if (native.test(q, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && !done)
            nanosleep(&nap, NULL);
    if (!done)
        native.wait(q, MPI_STATUS_IGNORE);
}

static void synchronise(void)
{
    MPI_Request q;
    native.ibarrier(world, &q);
    finish(&q);
}

static double slowest_of(double mine)
{
    MPI_Request q;
    double slowest;
    native.iallreduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, world, &q);
    finish(&q);
    return slowest;
}

/* Seconds of a call. */
static double block(const job *j, run_fn run, int variant, int calls, double seconds)
{
    synchronise();
    const double began = MPI_Wtime();
    run(j, variant, calls, seconds);
    return fmax(slowest_of((MPI_Wtime() - began) / calls), 1e-9);
}

static run_fn main_run(const job *j)
{
    static const run_fn runs[] = {run_blocking, run_started, run_started, run_persistent};
    return runs[j->mode];
}

/* Calls per block so that it takes about `seconds`; a multiple of the roots.  The mean, because
 * calls of oversubscribed ranks differ by orders of magnitude. */
static int choose_calls(const job *j, int variant, double seconds)
{
    const int roots = j->op->rooted ? ranks : 1;
    double t = block(j, main_run(j), variant, roots, 0);
    const int trials = t > 0.1 ? 1 : 4;
    t = 0;
    for (int i = 0; i < trials; i++)
        t += block(j, main_run(j), variant, roots, 0) / trials;
    const double calls = fmin(1e5, fmax(1, seconds / fmax(t, 1e-9)));
    return ((int)calls + roots - 1) / roots * roots;
}

/* ---- measurement ---- */

enum { LEAST = 6 }; /* rounds for an interval of 95 % */

typedef struct {
    double *seconds[VARIANTS], *overlap[VARIANTS];
    double *exposed[VARIANTS]; /* seconds that a call adds to the computation */
} results;

static void take(const job *j, int variant, int calls, int i, results *x)
{
    const double pure = block(j, main_run(j), variant, calls, 0);
    x->seconds[variant][i] = pure;
    if (j->mode != OVERLAP)
        return;
    const double alone = block(j, run_computation, variant, calls, pure);
    const double overall = block(j, run_started, variant, calls, pure);
    x->exposed[variant][i] = overall - alone;
    x->overlap[variant][i] = fmax(0, 100 * (1 - (overall - alone) / pure));
}

/* A permutation of the variants, the same on all ranks. */
static void draw_order(int order[VARIANTS])
{
    static unsigned state = 1;
    for (int i = 0; i < VARIANTS; i++) {
        const int at = (int)((state = state * 1664525u + 1013904223u) >> 16) % (i + 1);
        order[i] = order[at];
        order[at] = i;
    }
}

/* Returns the number of rounds: fewer if they take much longer than expected.  All ranks have the
 * same times. */
static int measure(const job *j, double seconds, int rounds, results *x)
{
    const double each = seconds / rounds / VARIANTS / (j->mode == OVERLAP ? 4 : 1);
    int calls[VARIANTS], order[VARIANTS] = {0};
    const double limit = 2 * seconds;
    double spent = 0;
    calls[NATIVE] = calls[CONTROL] = choose_calls(j, NATIVE, each);
    calls[ATTUNE] = choose_calls(j, ATTUNE, each);
    for (int i = 0; i < rounds; i++) {
        draw_order(order);
        for (int k = 0; k < VARIANTS; k++) {
            const int v = order[k];
            take(j, v, calls[v], i, x);
            spent += x->seconds[v][i] * calls[v] * (j->mode == OVERLAP ? 4 : 1);
        }
        if (spent > limit && i + 1 >= LEAST)
            return i + 1;
    }
    return rounds;
}

static double quotient(double a, double b) { return a / b; }
static double difference(double a, double b) { return b - a; }

static estimate compare(const double *a, const double *b, double (*how)(double, double), int rounds)
{
    double *const list = calloc((size_t)rounds, sizeof *list);
    for (int i = 0; i < rounds; i++)
        list[i] = how(a[i], b[i]);
    const estimate e = estimate_of(list, rounds);
    free(list);
    return e;
}

/* ---- output ---- */

static void print(const job *j, int rounds, const results *x)
{
    const int overlap = j->mode == OVERLAP;
    double *const *const v = overlap ? x->overlap : x->seconds;
    const double unit = overlap ? 1 : 1e6;
    const estimate gain = compare(v[NATIVE], v[ATTUNE], overlap ? difference : quotient, rounds);
    const estimate noise = compare(v[NATIVE], v[CONTROL], overlap ? difference : quotient, rounds);
    const estimate pure = compare(x->seconds[NATIVE], x->seconds[ATTUNE], quotient, rounds);
    const estimate own = estimate_of(v[ATTUNE], rounds), base = estimate_of(v[NATIVE], rounds);
    if (rank == 0)
        printf("%s,%d,%d,%d,%.4f,%.4f,%.4f,%.4f,%.4f,%.4f,%.4f,%.4f,%.4f,", j->op->name, ranks,
               8 * j->n, rounds, unit * base.mid, unit * own.mid, gain.mid, gain.lo, gain.hi,
               noise.mid, noise.lo, noise.hi, pure.mid);
    if (rank == 0 && overlap)
        printf("%.4f,%.4f\n", 1e6 * estimate_of(x->exposed[NATIVE], rounds).mid,
               1e6 * estimate_of(x->exposed[ATTUNE], rounds).mid);
    else if (rank == 0)
        puts(",");
    fflush(stdout);
}

static void open_requests(job *j)
{
    const int count = j->op->rooted ? ranks : 1;
    if (j->mode != PERSISTENT)
        return;
    j->requests[ATTUNE] = calloc((size_t)count, sizeof(MPI_Request));
    for (int i = 0; i < count; i++)
        j->op->init(&interposed, j->n, i, &j->requests[ATTUNE][i]);
}

static void free_requests(job *j)
{
    if (j->mode != PERSISTENT)
        return;
    for (int i = 0; i < (j->op->rooted ? ranks : 1); i++)
        interposed.request_free(&j->requests[ATTUNE][i]);
    free(j->requests[ATTUNE]);
}

static void run_size(job *j, long bytes, int most, double seconds)
{
    results x;
    j->n = (int)((bytes + 7) / 8);
    const size_t room = ((size_t)j->n + 1) * (size_t)(ranks > 4 ? ranks : 4); /* a grid has 4 */
    src = calloc(room, sizeof *src);
    dst = calloc(room, sizeof *dst);
    for (int i = 0; i < VARIANTS; i++) {
        x.seconds[i] = calloc((size_t)most, sizeof **x.seconds);
        x.overlap[i] = calloc((size_t)most, sizeof **x.overlap);
        x.exposed[i] = calloc((size_t)most, sizeof **x.exposed);
    }
    open_requests(j);
    print(j, measure(j, seconds, most, &x), &x);
    free_requests(j);
    for (int i = 0; i < VARIANTS; i++) {
        free(x.seconds[i]);
        free(x.overlap[i]);
        free(x.exposed[i]);
    }
    free(src);
    free(dst);
}

static int read_mode(const char *word)
{
    static const char *const names[] = {"blocking", "start", "overlap", "persistent"};
    for (int i = 0; i < 4; i++)
        if (strcmp(names[i], word) == 0)
            return i;
    return -1;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(world, &rank);
    MPI_Comm_size(world, &ranks);
    const int mode = argc > 5 ? read_mode(argv[1]) : -1;
    const int rounds = argc > 5 ? atoi(argv[3]) : 0;
    job j = {.op = mode >= 0 ? find_operation(argv[2]) : NULL};
    if (rounds < LEAST || !j.op || !find_routines()) {
        if (rank == 0)
            fprintf(stderr,
                    "usage: nonblocking blocking|start|overlap|persistent OPERATION ROUNDS(>= 6) "
                    "SECONDS BYTES ...\n");
        MPI_Abort(world, 2);
    }
    j.mode = mode;
    calibrate();
    create_grid();
    if (rank == 0)
        puts("operation,ranks,bytes,rounds,native,attune,gain,lo,hi,control,control_lo,control_hi,"
             "speedup,exposed_native,exposed");
    for (int i = 5; i < argc; i++)
        run_size(&j, atol(argv[i]), rounds, atof(argv[4]));
    MPI_Comm_free(&grid);
    MPI_Finalize();
    return 0;
}
