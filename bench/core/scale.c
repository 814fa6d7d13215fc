/* scale.c - what one rank's schedule costs to build, for every row of the catalogue.
 *
 *   scale [RANKS,RANKS,... [LIMIT_S [ROW ...]]]
 *
 * Prints CSV: for each row and number of ranks the worst of a few ranks.  Ranks are on a regular
 * tree of two levels with cyclic mapping, so that topology-aware rows have something to derive;
 * prefix operations, whose hierarchy must follow the ranks, with block mapping.
 * Each schedule is built in a process of its own, which a limit of processor time ends; larger
 * numbers of ranks are then not tried. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "algo/algo.h"
#include "topo/topo.h"

enum { MOST_COUNTS = 8, RANKS = 4, REPEATS = 15 };
static const double enough_ms = 60;
static const rlim_t memory_limit = (rlim_t)2 << 30;
static const int64_t bytes_per_block = 1 << 20;

typedef struct {
    double ms;
    int64_t ops, schedule_bytes, peak_bytes;
    char status[16]; /* "ok", "refused", "memory", "exceeded" */
} cost;

typedef struct {
    int p;
    atn_topo *cyclic, *block;
    int *late;
} place;

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

static int64_t most_bytes(void)
{
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    return (int64_t)u.ru_maxrss * 1024;
}

static int64_t size_of(const atn_schedule *s)
{
    return (int64_t)s->nops * (int64_t)sizeof *s->ops +
           (int64_t)s->nranges * (int64_t)sizeof *s->ranges +
           (int64_t)s->ndeps * (int64_t)sizeof *s->deps +
           (int64_t)s->ntmp * (int64_t)sizeof *s->tmp_shape;
}

/* ---- one schedule ---- */

static const char *word_of(atn_status status)
{
    return status == ATN_OK               ? "ok"
           : status == ATN_NOT_APPLICABLE ? "refused"
           : status == ATN_MEMORY         ? "memory"
                                          : "failed";
}

static cost build_once(const atn_row *row, const atn_problem *q, const atn_params *prm)
{
    cost c = {.ms = 0};
    atn_error err = {0};
    atn_schedule *s = NULL;
    const int64_t before = most_bytes();
    const double start = now_ms();
    const atn_status status = atn_algo_build(row, q, prm, &s, &err);
    c.ms = now_ms() - start;
    c.peak_bytes = most_bytes() - before;
    snprintf(c.status, sizeof c.status, "%s", word_of(status));
    if (s) {
        c.ops = s->nops;
        c.schedule_bytes = size_of(s);
    }
    atn_sched_schedule_free(s);
    return c;
}

/* The fastest of several, which excludes page faults; the memory of the first. */
static cost build(const atn_row *row, const atn_problem *q, const atn_params *prm)
{
    cost best = build_once(row, q, prm);
    double all = best.ms;
    for (int i = 1; i < REPEATS && all < enough_ms; i++) {
        const cost c = build_once(row, q, prm);
        all += c.ms;
        best.ms = c.ms < best.ms ? c.ms : best.ms;
    }
    return best;
}

/* Faults in what every build touches, so that it does not count as memory of one. */
static void warm_up(void)
{
    const atn_row *const row = atn_algo_catalog_by_name("allgather/ring");
    const atn_problem q = {.op = ATN_ALLGATHER, .p = 64, .segments = 1};
    atn_params prm;
    atn_algo_params_default(row, &prm);
    build_once(row, &q, &prm);
}

static void set_limits(double seconds)
{
    const struct rlimit cpu = {(rlim_t)seconds + 1, (rlim_t)seconds + 1};
    const struct rlimit memory = {memory_limit, memory_limit};
    setrlimit(RLIMIT_CPU, &cpu);
    setrlimit(RLIMIT_AS, &memory);
}

/* A process of its own: no limit of time or memory ends this one. */
static cost build_apart(const atn_row *row, const atn_problem *q, const atn_params *prm,
                        double seconds)
{
    cost c = {.ms = 0};
    int fd[2], ended = 0;
    fflush(stdout);
    if (pipe(fd) != 0)
        exit(4);
    const pid_t child = fork();
    if (child == 0) {
        set_limits(seconds);
        warm_up();
        c = build(row, q, prm);
        _exit(write(fd[1], &c, sizeof c) != (ssize_t)sizeof c);
    }
    close(fd[1]);
    const bool done = read(fd[0], &c, sizeof c) == (ssize_t)sizeof c;
    close(fd[0]);
    waitpid(child, &ended, 0);
    if (!done || c.ms > 1e3 * seconds) {
        c.ms = 1e3 * seconds;
        snprintf(c.status, sizeof c.status, "exceeded");
    }
    return c;
}

static bool is_ok(const cost *c) { return strcmp(c->status, "ok") == 0; }

static int64_t most_of(int64_t a, int64_t b) { return a > b ? a : b; }

static cost greater(const cost *a, const cost *b)
{
    cost c = a->ms > b->ms ? *a : *b;
    c.ops = most_of(a->ops, b->ops);
    c.schedule_bytes = most_of(a->schedule_bytes, b->schedule_bytes);
    c.peak_bytes = most_of(a->peak_bytes, b->peak_bytes);
    return c;
}

static bool is_prefix(const atn_row *row) { return row->op == ATN_SCAN || row->op == ATN_EXSCAN; }

static cost worst_rank(const atn_row *row, const place *at, const atn_params *prm, double seconds)
{
    const int ranks[RANKS] = {0, 1, at->p / 2, at->p - 1};
    const atn_lateness lateness = {at->p, at->late};
    cost worst = {.ms = 0};
    for (int i = 0; i < RANKS && (i == 0 || is_ok(&worst)); i++) {
        atn_problem q = {.op = row->op,
                         .p = at->p,
                         .r = ranks[i],
                         .topo = is_prefix(row) ? at->block : at->cyclic,
                         .lateness = &lateness,
                         .bytes = row->op == ATN_BARRIER ? 0 : bytes_per_block};
        q.shared = row->algo->needs & ATN_NEEDS_SHARED ? ATN_SHARED_ALL : ATN_SHARED_NONE;
        q.segments = atn_algo_segments(row, &q, prm);
        const cost c = build_apart(row, &q, prm, seconds);
        worst = i == 0 || !is_ok(&c) ? c : greater(&worst, &c);
    }
    return worst;
}

/* ---- all of them ---- */

static void run_variant(const atn_row *row, const atn_params *prm, const place *places, int n,
                        double seconds)
{
    char name[ATN_NAME_ROOM];
    atn_algo_params_print(row, prm, name, sizeof name);
    for (int i = 0; i < n; i++) {
        const cost c = worst_rank(row, &places[i], prm, seconds);
        printf("\"%s\",%d,%s,%.3f,%" PRId64 ",%" PRId64 ",%" PRId64 "\n", name, places[i].p,
               c.status, c.ms, c.ops, c.schedule_bytes, c.peak_bytes);
        if (strcmp(c.status, "exceeded") == 0 || strcmp(c.status, "memory") == 0)
            return;
    }
}

static void run_row(const atn_row *row, const place *places, int n, double seconds)
{
    atn_params prm;
    atn_error err = {0};
    atn_algo_params_default(row, &prm);
    run_variant(row, &prm, places, n, seconds);
    if (row->algo->passes & ATN_PASS_SEGMENT &&
        atn_algo_params_set(row, &prm, "segment", "64K", &err) == ATN_OK)
        run_variant(row, &prm, places, n, seconds);
}

static bool is_wanted(const atn_row *row, int n, char **names)
{
    for (int i = 0; i < n; i++)
        if (strcmp(names[i], row->name) == 0)
            return true;
    return n == 0;
}

/* As many switches as hosts on each, or half as many. */
static atn_status make_topo(int p, const char *order, atn_topo **topo_p, atn_error *err)
{
    char text[64];
    int switches = 1;
    while (switches * switches * 4 <= p)
        switches *= 2;
    snprintf(text, sizeof text, "%dx%d@10G;order=%s", switches, p / switches, order);
    return atn_topo_parse_synthetic(text, topo_p, err);
}

static atn_status make_place(int p, place *at, atn_error *err)
{
    *at = (place){.p = p, .late = calloc((size_t)p, sizeof *at->late)};
    for (int r = 0; at->late && r < p; r++)
        at->late[r] = r * 7 % 5;
    atn_status status = at->late ? ATN_OK : atn_fail(err, ATN_MEMORY, "out of memory");
    status = status ? status : make_topo(p, "roundrobin", &at->cyclic, err);
    return status ? status : make_topo(p, "sequential", &at->block, err);
}

int main(int argc, char **argv)
{
    place places[MOST_COUNTS];
    atn_error err = {0};
    int n = 0;
    const char *counts = argc > 1 ? argv[1] : "64,256,1024,4096,16384";
    const double seconds = argc > 2 ? strtod(argv[2], NULL) : 2;
    for (char *end = NULL; *counts && n < MOST_COUNTS; counts = *end ? end + 1 : end) {
        const int p = (int)strtol(counts, &end, 10);
        if (end == counts || p < 4 || make_place(p, &places[n++], &err) != ATN_OK) {
            fprintf(stderr, "scale: %s: %s\n", counts, err.text);
            return 1;
        }
    }
    puts("row,ranks,status,ms,operations,schedule_bytes,peak_bytes");
    for (int i = 0; i < atn_algo_catalog_rows(); i++) {
        const atn_row *const row = atn_algo_catalog_row(i);
        if (row->algo->build && is_wanted(row, argc > 3 ? argc - 3 : 0, argv + 3))
            run_row(row, places, n, seconds);
    }
    for (int i = 0; i < n; i++) {
        atn_topo_free(places[i].cyclic);
        atn_topo_free(places[i].block);
        free(places[i].late);
    }
    return 0;
}
