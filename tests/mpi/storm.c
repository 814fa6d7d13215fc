/* storm.c - many short-lived communicators, datatypes and operators: nothing leaks, no state of a
 * freed handle survives in one that reuses it, and user callbacks run as often as natively.
 *
 *   storm [ROUNDS] */
#include "exercise.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int copies, deletes;

static int on_copy(MPI_Comm comm, int key, void *extra, void *in, void *out, int *flag)
{
    (void)comm, (void)key, (void)extra;
    copies++;
    *(void **)out = in;
    *flag = 1;
    return MPI_SUCCESS;
}

static int on_delete(MPI_Comm comm, int key, void *value, void *extra)
{
    (void)comm, (void)key, (void)value, (void)extra;
    deletes++;
    return MPI_SUCCESS;
}

static long resident_kb(void)
{
    long pages = 0, resident = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    if (f && fscanf(f, "%ld %ld", &pages, &resident) != 2)
        resident = 0;
    if (f)
        fclose(f);
    return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

/* Every dup copies the attribute once and every free deletes it once, collectives or not. */
static void callbacks(int rounds)
{
    int key;
    t_point("attribute callbacks run as often as natively");
    MPI_Comm_create_keyval(on_copy, on_delete, &key, NULL);
    MPI_Comm_set_attr(MPI_COMM_WORLD, key, &copies);
    for (int i = 0; i < rounds; i++) {
        MPI_Comm dup;
        void *value = NULL;
        int found = 0;
        MPI_Comm_dup(MPI_COMM_WORLD, &dup);
        t_check(copies == i + 1, "%d copies after %d dups", copies, i + 1);
        t_check(t_exercise(i % T_EXERCISES, dup, (uint64_t)i, 30) == 0, "wrong result");
        MPI_Comm_get_attr(dup, key, &value, &found);
        t_check(found && value == &copies, "the copied attribute is missing");
        t_check(copies == i + 1, "%d copies after %d dups and a collective", copies, i + 1);
        MPI_Comm_free(&dup);
        t_check(deletes == i + 1, "%d deletes after %d frees", deletes, i + 1);
    }
    t_exercise_all(MPI_COMM_WORLD, 5, 100);
    t_check(copies == rounds && deletes == rounds, "%d copies, %d deletes", copies, deletes);
    MPI_Comm_delete_attr(MPI_COMM_WORLD, key);
    MPI_Comm_free_keyval(&key);
}

#ifdef __SANITIZE_ADDRESS__
static const long growth_kb = 20000; /* freed memory is kept for some time */
#else
static const long growth_kb = 6000;
#endif

/* More dups than any MPI has communicator ids. */
static void dup_and_free(int rounds)
{
    long before = 0;
    t_point("thousands of dup, collective, free do not leak");
    for (int i = 0; i < rounds; i++) {
        MPI_Comm dup;
        t_where("dup %d", i);
        if (i == rounds / 3)
            before = resident_kb();
        if (!t_check(MPI_Comm_dup(MPI_COMM_WORLD, &dup) == MPI_SUCCESS, "dup %d failed", i))
            break;
        t_check(t_exercise(i % T_EXERCISES, dup, (uint64_t)i, 20) == 0, "wrong result");
        t_check(t_exercise(12, dup, (uint64_t)i, 20) == 0, "wrong allreduce");
        MPI_Comm_free(&dup);
    }
    const long grown = resident_kb() - before;
    t_check(grown < growth_kb, "%ld KB more after %d communicators", grown, rounds * 2 / 3);
}

/* A handle is reused with other members and another rank order. */
static void split_and_reuse(int rounds)
{
    t_point("communicator handles reused with other members");
    for (int i = 0; i < rounds; i++) {
        const int colors = 1 + i % 3, key = i % 2 ? -t_rank : t_rank;
        MPI_Comm comm;
        t_where("split %d into %d", i, colors);
        MPI_Comm_split(MPI_COMM_WORLD, t_rank % colors, key, &comm);
        t_check(t_exercise(i % T_EXERCISES, comm, (uint64_t)i, 40) == 0, "wrong result");
        t_check(t_exercise(6, comm, (uint64_t)i, 40) == 0, "wrong allgather");
        MPI_Comm_free(&comm);
    }
}

/* Live communicators of many kinds at once, freed in another order than made. */
static void overlapping(void)
{
    enum { N = 40 };
    MPI_Comm comm[N];
    t_point("many live communicators, freed out of order");
    for (int i = 0; i < N; i++)
        MPI_Comm_split(MPI_COMM_WORLD, i % 4 ? 0 : t_rank % 2, i % 3 ? t_rank : -t_rank, &comm[i]);
    for (int i = 0; i < 3 * N; i++)
        t_check(t_exercise(i % T_EXERCISES, comm[i * 7 % N], (uint64_t)i, 60) == 0, "call %d", i);
    for (int i = 0; i < N; i++)
        MPI_Comm_free(&comm[i * 11 % N]);
}

/* The same datatype handle has another layout each time. */
static void types_come_and_go(int rounds)
{
    t_point("datatype handles reused with other layouts");
    for (int i = 0; i < rounds; i++) {
        enum { N = 6, ROOM = 4 * N };
        int in[ROOM], out[ROOM], bad = 0;
        const int stride = 1 + i % 3;
        MPI_Datatype type;
        MPI_Type_vector(N, 1, stride, MPI_INT, &type);
        MPI_Type_commit(&type);
        for (int k = 0; k < ROOM; k++)
            in[k] = t_rank == i % t_ranks ? 100 * i + k : -1, out[k] = in[k];
        t_where("type %d with stride %d", i, stride);
        MPI_Bcast(out, 1, type, i % t_ranks, MPI_COMM_WORLD);
        for (int k = 0; k < ROOM; k++)
            bad += out[k] != (k % stride == 0 && k / stride < N ? 100 * i + k : in[k]);
        t_check(bad == 0, "%d wrong values", bad);
        MPI_Type_free(&type);
    }
}

static void left(void *in, void *inout, int *n, MPI_Datatype *type)
{
    (void)type;
    memcpy(inout, in, sizeof(int) * (size_t)*n);
}

static void add(void *in, void *inout, int *n, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *n; i++)
        ((int *)inout)[i] += ((int *)in)[i];
}

/* The same operator handle is commutative and non-commutative in turn. */
static void operators_come_and_go(int rounds)
{
    t_point("operator handles reused with other functions");
    for (int i = 0; i < rounds; i++) {
        int in = 10 + t_rank, out = -1;
        MPI_Op op;
        t_where("operator %d", i);
        MPI_Op_create(i % 2 ? left : add, i % 2 == 0, &op);
        MPI_Allreduce(&in, &out, 1, MPI_INT, op, MPI_COMM_WORLD);
        const int want = i % 2 ? 10 : 10 * t_ranks + t_ranks * (t_ranks - 1) / 2;
        t_check(out == want, "%d instead of %d", out, want);
        MPI_Op_free(&op);
    }
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    t_start(200);
    const int rounds = argc > 1 ? atoi(argv[1]) : 3000;
    t_exercise_begin();
    callbacks(rounds / 30);
    dup_and_free(rounds);
    split_and_reuse(rounds / 10);
    overlapping();
    types_come_and_go(rounds / 10);
    operators_come_and_go(rounds / 10);
    t_exercise_end();
    const int code = t_finish();
    MPI_Finalize();
    return code;
}
