/* learning.c - programs with repeated calls, for online tuning.
 *
 *   learning MODE CALLS
 *
 * exact: sizes, roots and operations change; every value is checked.  steady: one call class, so
 * that a short job can tune it.  thorough: exact, then ten times as many steady calls, whose race
 * ends sooner.  stopped: exact, with a pause half-way in which rank 1 has stopped itself.  float:
 * sums of doubles, which must have the same bits whenever the same data are added.  long: large
 * exact and floating-point calls.  contexts: named and numbered contexts, some nested, and a
 * communicator with an info key.  irregular: calls whose sizes differ between ranks.  endless:
 * steady, in an endless loop. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "attune/attune.h"
#include "harness.h"

enum { MOST = 5000 };

/* ---- exact ---- */

static long wrong_sums(MPI_Comm comm, int n, int salt)
{
    static _Thread_local int64_t in[MOST], out[MOST];
    int p, r;
    long wrong = 0;
    MPI_Comm_size(comm, &p);
    MPI_Comm_rank(comm, &r);
    for (int i = 0; i < n; i++)
        in[i] = (int64_t)(r + 1) * (i + salt);
    if (salt % 5 == 0) {
        memcpy(out, in, (size_t)n * sizeof *in);
        MPI_Allreduce(MPI_IN_PLACE, out, n, MPI_INT64_T, MPI_SUM, comm);
    } else {
        MPI_Allreduce(in, out, n, MPI_INT64_T, MPI_SUM, comm);
    }
    for (int i = 0; i < n; i++)
        wrong += out[i] != (int64_t)p * (p + 1) / 2 * (i + salt);
    return wrong;
}

static long wrong_bcast(MPI_Comm comm, int n, int salt)
{
    static _Thread_local int buf[MOST];
    int p, r;
    long wrong = 0;
    MPI_Comm_size(comm, &p);
    MPI_Comm_rank(comm, &r);
    const int root = salt % p;
    for (int i = 0; i < n; i++)
        buf[i] = r == root ? i ^ salt : -1;
    MPI_Bcast(buf, n, MPI_INT, root, comm);
    for (int i = 0; i < n; i++)
        wrong += buf[i] != (i ^ salt);
    return wrong;
}

static long wrong_alltoall(MPI_Comm comm, int n, int salt)
{
    static _Thread_local int in[MOST * 8], out[MOST * 8];
    int p, r;
    long wrong = 0;
    MPI_Comm_size(comm, &p);
    MPI_Comm_rank(comm, &r);
    for (int i = 0; i < n * p; i++)
        in[i] = r * 1000 + i / n + salt;
    MPI_Alltoall(in, n, MPI_INT, out, n, MPI_INT, comm);
    for (int i = 0; i < n * p; i++)
        wrong += out[i] != i / n * 1000 + r + salt;
    return wrong;
}

static long wrong_allgather(MPI_Comm comm, int n, int salt)
{
    static _Thread_local int in[MOST], out[MOST * 8];
    int p, r;
    long wrong = 0;
    MPI_Comm_size(comm, &p);
    MPI_Comm_rank(comm, &r);
    for (int i = 0; i < n; i++)
        in[i] = r * 7 + i + salt;
    MPI_Allgather(in, n, MPI_INT, out, n, MPI_INT, comm);
    for (int i = 0; i < n * p; i++)
        wrong += out[i] != i / n * 7 + i % n + salt;
    return wrong;
}

typedef long (*exact_fn)(MPI_Comm comm, int n, int salt);
static const exact_fn exact[] = {wrong_sums, wrong_bcast, wrong_alltoall, wrong_allgather};
enum { EXACT = sizeof exact / sizeof *exact };

/* Many repetitions of one call, as in applications, with changes in between. */
static void run_exact(int calls)
{
    static const int sizes[] = {1, 40, 1000, 3000};
    for (int i = 0; i < calls; i++) {
        const int phase = i / 50, n = sizes[phase / EXACT % 4] + (i % 10 == 0);
        t_where("call %d", i);
        t_check(exact[phase % EXACT](MPI_COMM_WORLD, n, i) == 0, "wrong values");
    }
}

static void run_steady(int calls)
{
    for (int i = 0; i < calls; i++) {
        t_where("call %d", i);
        t_check(wrong_sums(MPI_COMM_WORLD, 40, i) == 0, "wrong values");
    }
}

static void run_thorough(int calls)
{
    enum { STEADY = 10 };
    run_exact(calls);
    run_steady(STEADY * calls);
}

/* Prints its process, which someone else continues. */
static void run_stopped(int calls)
{
    run_exact(calls / 2);
    if (t_rank == 1) {
        printf("pid %ld\n", (long)getpid());
        fflush(stdout);
        raise(SIGSTOP);
    }
    run_exact(calls / 2);
}

/* ---- float ---- */

enum { PROBLEMS = 6 };

static void add_up(int which, MPI_Comm comm, int n, double *in, double *out, bool in_place)
{
    const void *const src = in_place ? MPI_IN_PLACE : (void *)in;
    if (in_place)
        memcpy(out, in, (size_t)n * sizeof *in);
    if (which == 0)
        MPI_Allreduce(src, out, n, MPI_DOUBLE, MPI_SUM, comm);
    else if (which == 1)
        MPI_Reduce(in, out, n, MPI_DOUBLE, MPI_SUM, 0, comm);
    else
        MPI_Scan(src, out, n, MPI_DOUBLE, MPI_SUM, comm);
}

static void make_numbers(double *in)
{
    t_rng rng = t_seed(7, (uint64_t)t_rank, 1);
    for (int i = 0; i < MOST; i++)
        in[i] = (double)t_next(&rng) / 1e10 - 1e8;
}

static void run_float(int calls)
{
    static double in[MOST], out[MOST], first[PROBLEMS][MOST];
    make_numbers(in);
    for (int i = 0; i < calls; i++) {
        const int problem = i / 20 % PROBLEMS, n = problem < 3 ? 3 : 2000;
        memset(out, 0, sizeof out);
        add_up(problem % 3, MPI_COMM_WORLD, n, in, out, i % 7 == 3 && problem % 3 != 1);
        if (i < 20 * PROBLEMS && i % 20 == 0)
            memcpy(first[problem], out, sizeof out);
        t_where("call %d", i);
        t_check(memcmp(first[problem], out, (size_t)n * sizeof *out) == 0,
                "bits differ from the first call");
    }
}

static long wrong_reduce(int salt)
{
    enum { N = 4 * MOST };
    static int in[N], out[N];
    long wrong = 0;
    for (int i = 0; i < N; i++)
        in[i] = (t_rank + 1) * (i % 100 + salt);
    MPI_Reduce(in, out, N, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    for (int i = 0; i < N && t_rank == 0; i++)
        wrong += out[i] != t_ranks * (t_ranks + 1) / 2 * (i % 100 + salt);
    return wrong;
}

static void run_long(int calls)
{
    static double in[MOST], out[MOST], first[MOST];
    make_numbers(in);
    for (int i = 0; i < calls; i++) {
        t_where("call %d", i);
        t_check(wrong_reduce(i) == 0, "wrong values");
        add_up(1, MPI_COMM_WORLD, MOST, in, out, false);
        if (i == 0)
            memcpy(first, out, sizeof out);
        t_check(memcmp(first, out, sizeof out) == 0, "bits differ from the first call");
    }
}

/* ---- contexts ---- */

static void run_contexts(int calls)
{
    MPI_Comm own;
    MPI_Info info;
    if (attune_context_push == NULL) {
        t_skip("works without Attune");
        return;
    }
    MPI_Comm_dup(MPI_COMM_WORLD, &own);
    MPI_Info_create(&info);
    MPI_Info_set(info, "attune_context", "solver");
    for (int i = 0; i < calls; i++) {
        t_where("call %d", i);
        if (i == calls / 2)
            MPI_Comm_set_info(own, info);
        attune_context_push("outer");
        t_check(wrong_sums(MPI_COMM_WORLD, 100, i) == 0, "outer: wrong values");
        MPI_Pcontrol(ATTUNE_PCONTROL + 3);
        t_check(wrong_sums(MPI_COMM_WORLD, 100, i) == 0, "inner: wrong values");
        MPI_Pcontrol(ATTUNE_PCONTROL);
        attune_context_pop();
        t_check(wrong_sums(own, 100, i) == 0, "own: wrong values");
        t_check(wrong_bcast(own, 100, i) == 0, "own: wrong values");
    }
    attune_context_pop(); /* one end too many has no effect */
    MPI_Info_free(&info);
    MPI_Comm_free(&own);
}

/* ---- irregular ---- */

enum { RANKS = 64, MOST_BLOCK = 100 };

/* Block from rank `from` to rank `to`: sizes and values depend on both. */
static int size_of(int from, int to) { return 1 + (7 * from + 3 * to) % MOST_BLOCK; }
static int value_of(int from, int to, int i, int salt) { return from * 1009 + to * 31 + i + salt; }

typedef struct {
    int count[RANKS], at[RANKS];
    int v[RANKS * MOST_BLOCK];
} blocks;

static void lay_out(blocks *b, int p, int r, bool out)
{
    for (int i = 0, at = 0; i < p; at += b->count[i++]) {
        b->count[i] = out ? size_of(r, i) : size_of(i, r);
        b->at[i] = at;
    }
}

static void fill(blocks *b, int p, int r, int salt)
{
    for (int to = 0; to < p; to++)
        for (int i = 0; i < b->count[to]; i++)
            b->v[b->at[to] + i] = value_of(r, to, i, salt);
}

static long wrong_block(const int *v, int from, int to, int salt)
{
    long wrong = 0;
    for (int i = 0; i < size_of(from, to); i++)
        wrong += v[i] != value_of(from, to, i, salt);
    return wrong;
}

static long wrong_exchange(int p, int r, int salt)
{
    static blocks out, in;
    long wrong = 0;
    lay_out(&out, p, r, true);
    lay_out(&in, p, r, false);
    fill(&out, p, r, salt);
    MPI_Alltoallv(out.v, out.count, out.at, MPI_INT, in.v, in.count, in.at, MPI_INT,
                  MPI_COMM_WORLD);
    for (int from = 0; from < p; from++)
        wrong += wrong_block(in.v + in.at[from], from, r, salt);
    return wrong;
}

/* Blocks to rank 0, and back. */
static long wrong_rooted(int p, int r, int salt)
{
    static blocks out, in;
    static int back[MOST_BLOCK];
    long wrong = 0;
    lay_out(&out, p, r, true);
    lay_out(&in, p, 0, false);
    fill(&out, p, r, salt);
    MPI_Gatherv(out.v, out.count[0], MPI_INT, in.v, in.count, in.at, MPI_INT, 0, MPI_COMM_WORLD);
    for (int from = 0; from < p && r == 0; from++)
        wrong += wrong_block(in.v + in.at[from], from, 0, salt);
    MPI_Scatterv(in.v, in.count, in.at, MPI_INT, back, size_of(r, 0), MPI_INT, 0, MPI_COMM_WORLD);
    return wrong + wrong_block(back, r, 0, salt);
}

static void run_irregular(int calls)
{
    int p, r;
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    MPI_Comm_rank(MPI_COMM_WORLD, &r);
    for (int i = 0; i < calls; i++) {
        t_where("call %d", i);
        t_check(wrong_exchange(p, r, i) == 0, "alltoallv: wrong values");
        t_check(wrong_rooted(p, r, i) == 0, "gatherv, scatterv: wrong values");
    }
}

static void run_endless(int calls)
{
    printf("pid %ld\n", (long)getpid());
    fflush(stdout);
    for (;;)
        run_steady(calls);
}

static const struct {
    const char *name;
    void (*run)(int calls);
} modes[] = {
    {"exact", run_exact},       {"steady", run_steady},       {"thorough", run_thorough},
    {"stopped", run_stopped},   {"float", run_float},         {"long", run_long},
    {"contexts", run_contexts}, {"irregular", run_irregular}, {"endless", run_endless},
};
enum { MODES = sizeof modes / sizeof *modes };

int main(int argc, char **argv)
{
    t_fake_hosts();
    MPI_Init(&argc, &argv);
    t_start(100);
    const char *const mode = argc > 1 ? argv[1] : "exact";
    const int calls = argc > 2 ? atoi(argv[2]) : 1000;
    char name[60];
    int i = 0;
    snprintf(name, sizeof name, "%.20s, %d calls", mode, calls);
    t_point(name);
    while (i < MODES && strcmp(mode, modes[i].name) != 0)
        i++;
    if (i < MODES)
        modes[i].run(calls);
    else
        t_check(false, "there is no such mode");
    const int code = t_finish();
    MPI_Finalize();
    return code;
}
