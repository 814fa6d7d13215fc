#include "harness.h"

#include <dlfcn.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef OPEN_MPI
#define MPI_FILE "libmpi.so.40"
#else
#define MPI_FILE "libmpich.so.12"
#endif

enum { MAX_POINTS = 64, TEXT = 400, VERDICT_TAG = 31999 };

typedef struct {
    char name[64], skip[120], first[TEXT];
    long checks, failures;
    double began;
} point;

int t_rank, t_ranks;

static point points[MAX_POINTS];
static int npoints;
static char where[TEXT];
static bool verbose; /* TEST_VERBOSE: print everything immediately */

/* ---- watchdog ---- */

static void print_line(const char *text)
{
    if (write(2, text, strlen(text)) < 0)
        _exit(125);
}

static void on_alarm(int signal_number)
{
    static char line[TEXT + 64];
    (void)signal_number;
    snprintf(line, sizeof line, "# rank %d hangs in: %s\n", t_rank, where);
    print_line(line);
    sleep(1); /* time for messages of other ranks before the launcher ends them */
    _exit(124);
}

void t_where(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(where, sizeof where, format, list);
    va_end(list);
    if (verbose)
        fprintf(stderr, "# rank %d: %s\n", t_rank, where);
}

void t_start(unsigned seconds)
{
    MPI_Comm_rank(MPI_COMM_WORLD, &t_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &t_ranks);
    const char *limit = getenv("TEST_SECONDS"), *patience = getenv("TEST_PATIENCE");
    verbose = getenv("TEST_VERBOSE") != NULL;
    signal(SIGALRM, on_alarm);
    alarm((limit ? (unsigned)atoi(limit) : seconds) * (patience ? (unsigned)atoi(patience) : 1));
}

void t_die(const char *format, ...)
{
    char text[TEXT], line[2 * TEXT + 64];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    snprintf(line, sizeof line, "# rank %d aborts in %s: %s\n", t_rank, where, text);
    print_line(line);
    MPI_Abort(MPI_COMM_WORLD, 1);
    _exit(1);
}

/* ---- points ---- */

void t_point(const char *name)
{
    if (npoints == MAX_POINTS)
        t_die("more than %d points", MAX_POINTS);
    snprintf(points[npoints].name, sizeof points[0].name, "%s", name);
    points[npoints++].began = MPI_Wtime();
    t_where("%s", name);
}

void t_skip(const char *why)
{
    snprintf(points[npoints - 1].skip, sizeof points[0].skip, "%s", why);
}

bool t_check(bool ok, const char *format, ...)
{
    point *pt = &points[npoints - 1];
    pt->checks++;
    if (ok || pt->failures++ > 0)
        return ok;
    char text[TEXT];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    snprintf(pt->first, sizeof pt->first, "%.180s: %.200s", where, text);
    return false;
}

static void merge(const point *from, int rank)
{
    for (int i = 0; i < npoints; i++) {
        if (from[i].failures && !points[i].failures)
            snprintf(points[i].first, sizeof points[i].first, "%.390s", from[i].first);
        if (from[i].failures)
            printf("# rank %d, %s: %s\n", rank, from[i].name, from[i].first);
        points[i].checks += from[i].checks;
        points[i].failures += from[i].failures;
    }
}

static int print_points(double end)
{
    int failed = 0;
    printf("1..%d\n", npoints);
    for (int i = 0; i < npoints; i++) {
        const point *pt = &points[i];
        if (pt->skip[0] && !pt->failures)
            printf("ok %d - %s # SKIP %s\n", i + 1, pt->name, pt->skip);
        else
            printf("%sok %d - %s (%ld checks, %ld failed, %.2f s)\n", pt->failures ? "not " : "",
                   i + 1, pt->name, pt->checks, pt->failures,
                   (i + 1 < npoints ? points[i + 1].began : end) - pt->began);
        failed += pt->failures > 0;
    }
    fflush(stdout);
    return failed > 0;
}

int t_finish(void)
{
    const int bytes = (int)(sizeof(point) * (size_t)npoints);
    const double end = MPI_Wtime();
    int code = 0;
    t_where("collecting the results");
    if (t_rank == 0) {
        point *other = t_alloc(sizeof points);
        for (int i = 0; i < npoints; i++)
            if (points[i].failures)
                printf("# rank 0, %s: %s\n", points[i].name, points[i].first);
        for (int r = 1; r < t_ranks; r++) {
            MPI_Recv(other, bytes, MPI_BYTE, r, VERDICT_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            merge(other, r);
        }
        free(other);
        code = print_points(end);
    } else {
        MPI_Send(points, bytes, MPI_BYTE, 0, VERDICT_TAG, MPI_COMM_WORLD);
    }
    t_where("after the results");
    return code;
}

/* ---- random numbers: splitmix64 ---- */

uint64_t t_next(t_rng *rng)
{
    uint64_t z = (rng->state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

t_rng t_seed(uint64_t a, uint64_t b, uint64_t c)
{
    t_rng rng = {.state = a};
    rng.state = t_next(&rng) ^ b * 0xd6e8feb86659fd93u;
    rng.state = t_next(&rng) ^ c * 0xa0761d6478bd642fu;
    return rng;
}

int t_below(t_rng *rng, int n) { return (int)(t_next(rng) % (uint64_t)n); }

void t_bytes(uint64_t seed, void *out, size_t bytes)
{
    t_rng rng = {.state = seed};
    unsigned char *to = out;
    for (; bytes >= 8; bytes -= 8, to += 8) {
        const uint64_t word = t_next(&rng);
        memcpy(to, &word, 8);
    }
    const uint64_t word = t_next(&rng);
    memcpy(to, &word, bytes);
}

void t_shuffle(t_rng *rng, int *v, int n)
{
    for (int i = 0; i < n; i++)
        v[i] = i;
    for (int i = n - 1; i > 0; i--) {
        const int j = t_below(rng, i + 1), swap = v[i];
        v[i] = v[j];
        v[j] = swap;
    }
}

/* ---- native routines of the MPI library ---- */

const t_routines t_mpi = {
#define T_ENTRY(name) .name = MPI_##name,
    T_COLLECTIVES(T_ENTRY)
#undef T_ENTRY
};

void *t_real_routine(const char *name)
{
    static void *library;
    if (!library)
        library = dlopen(MPI_FILE, RTLD_NOLOAD | RTLD_NOW);
    if (!library)
        t_die("%s is not loaded: %s", MPI_FILE, dlerror());
    void *routine = dlsym(library, name);
    if (!routine)
        t_die("%s has no %s", MPI_FILE, name);
    return routine;
}

const t_routines *t_real(void)
{
    static t_routines real;
    if (real.Barrier)
        return &real;
#define T_FIND(name) *(void **)&real.name = t_real_routine("PMPI_" #name);
    T_COLLECTIVES(T_FIND)
#undef T_FIND
    return &real;
}

void *t_alloc(size_t bytes)
{
    void *memory = calloc(1, bytes ? bytes : 1);
    if (!memory)
        t_die("out of memory for %zu bytes", bytes);
    return memory;
}

static long available_mb(void)
{
    char line[128];
    long kb = 0;
    FILE *f = fopen("/proc/meminfo", "r");
    while (f && fgets(line, sizeof line, f))
        if (sscanf(line, "MemAvailable: %ld", &kb) == 1)
            break;
    if (f)
        fclose(f);
    return kb / 1024;
}

void *t_alloc_large(size_t bytes, long need_mb)
{
    const long free_mb = available_mb();
    void *const at = free_mb >= need_mb && t_ranks == 2 ? malloc(bytes) : NULL;
    int all = 0;
    const int mine = at != NULL;
    char why[100];
    t_real()->Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (all)
        return at;
    snprintf(why, sizeof why, "needs 2 ranks and %ld MB of memory, %ld MB are free", need_mb,
             free_mb);
    t_skip(why);
    free(at);
    return NULL;
}
