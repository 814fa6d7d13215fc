/* check.c - compares a generated routine with the native one, on MPI_COMM_WORLD and with reversed
 * ranks: sizes, datatypes with holes, in place, every root.  Compiled together with the routine,
 * with OPERATION set to its operation.  Of a tuned routine, SIZES are the sizes to be checked;
 * compiled with -DPMPI_X=native_X, so that its native calls are counted: a line "# COUNT native" or
 * "# COUNT generated" for each size states which they were. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int attune_alltoall(const void *, int, MPI_Datatype, void *, int, MPI_Datatype, MPI_Comm);
int attune_allgather(const void *, int, MPI_Datatype, void *, int, MPI_Datatype, MPI_Comm);
int attune_alltoallv(const void *, const int *, const int *, MPI_Datatype, void *, const int *,
                     const int *, MPI_Datatype, MPI_Comm);
int attune_allgatherv(const void *, int, MPI_Datatype, void *, const int *, const int *,
                      MPI_Datatype, MPI_Comm);
int attune_bcast(void *, int, MPI_Datatype, int, MPI_Comm);
int attune_reduce(const void *, void *, int, MPI_Datatype, MPI_Op, int, MPI_Comm);
int attune_allreduce(const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm);

enum { ALLTOALL, ALLGATHER, ALLTOALLV, BCAST, REDUCE, ALLREDUCE, ALLGATHERV };

static int rank, size, points, failures, native_calls;
static MPI_Comm comm;

static void point(int ok, const char *name)
{
    int all;

    MPI_Allreduce(&ok, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    failures += !all;
    if (rank == 0)
        printf("%sok %d - %s\n", all ? "" : "not ", ++points, name);
}

static void fill(int *v, size_t n, int seed)
{
    for (size_t i = 0; i < n; i++)
        v[i] = (int)((i * 2654435761u + (size_t)seed * 40503u) % 1000);
}

/* ---- native calls of the routine ---- */

#define COUNTED(name, parameters, arguments)                                                       \
    int native_##name parameters;                                                                  \
    int native_##name parameters                                                                   \
    {                                                                                              \
        native_calls++;                                                                            \
        return MPI_##name arguments;                                                               \
    }

COUNTED(Alltoall,
        (const void *a, int n, MPI_Datatype t, void *b, int m, MPI_Datatype u, MPI_Comm c),
        (a, n, t, b, m, u, c))
COUNTED(Allgather,
        (const void *a, int n, MPI_Datatype t, void *b, int m, MPI_Datatype u, MPI_Comm c),
        (a, n, t, b, m, u, c))
COUNTED(Alltoallv,
        (const void *a, const int *n, const int *d, MPI_Datatype t, void *b, const int *m,
         const int *e, MPI_Datatype u, MPI_Comm c),
        (a, n, d, t, b, m, e, u, c))
COUNTED(Bcast, (void *b, int n, MPI_Datatype t, int r, MPI_Comm c), (b, n, t, r, c))
COUNTED(Reduce, (const void *a, void *b, int n, MPI_Datatype t, MPI_Op o, int r, MPI_Comm c),
        (a, b, n, t, o, r, c))
COUNTED(Allreduce, (const void *a, void *b, int n, MPI_Datatype t, MPI_Op o, MPI_Comm c),
        (a, b, n, t, o, c))
COUNTED(Allgatherv,
        (const void *a, int n, MPI_Datatype t, void *b, const int *m, const int *e, MPI_Datatype u,
         MPI_Comm c),
        (a, n, t, b, m, e, u, c))

/* ---- one call of each operation, generated or native ---- */

typedef struct {
    int ours, place, count, root;
    MPI_Datatype type;
    int *in, *out;
    const int *counts, *displs;
} call;

static int call_move(const call *c)
{
    const void *in = c->place ? MPI_IN_PLACE : c->in;

#if OPERATION == 0
    return (c->ours ? attune_alltoall : MPI_Alltoall)(in, c->count, c->type, c->out, c->count,
                                                      c->type, comm);
#elif OPERATION == 1
    return (c->ours ? attune_allgather : MPI_Allgather)(in, c->count, c->type, c->out, c->count,
                                                        c->type, comm);
#elif OPERATION == 2
    return (c->ours ? attune_alltoallv : MPI_Alltoallv)(in, c->counts, c->displs, c->type, c->out,
                                                        c->counts, c->displs, c->type, comm);
#elif OPERATION == 3
    (void)in;
    return (c->ours ? attune_bcast : MPI_Bcast)(c->out, c->count, c->type, c->root, comm);
#elif OPERATION == 4
    int r;
    MPI_Comm_rank(comm, &r);
    if (r == c->root && c->place && !c->ours) { /* MPICH 4.0.2 crashes with MPI_IN_PLACE here */
        memcpy(c->in, c->out, sizeof(int) * (size_t)c->count);
        in = c->in;
    }
    return (c->ours ? attune_reduce : MPI_Reduce)(r == c->root ? in : c->in, c->out, c->count,
                                                  c->type, MPI_SUM, c->root, comm);
#elif OPERATION == 5
    return (c->ours ? attune_allreduce : MPI_Allreduce)(in, c->out, c->count, c->type, MPI_SUM,
                                                        comm);
#else
    int r;
    MPI_Comm_rank(comm, &r);
    return (c->ours ? attune_allgatherv : MPI_Allgatherv)(in, c->counts[r], c->type, c->out,
                                                          c->counts, c->displs, c->type, comm);
#endif
}

/* ---- comparison ---- */

/* Both calls on equal buffers, holes included. */
static int same(call c, size_t ints)
{
    const size_t bytes = (ints + 1) * sizeof(int);
    int *expected = malloc(bytes), *got = malloc(bytes), *in = malloc(bytes), codes[2];

    fill(in, ints, rank);
    fill(expected, ints, rank + 100);
    memcpy(got, expected, bytes - sizeof(int));
    c.in = in;
    c.out = expected;
    c.ours = 0;
    codes[0] = call_move(&c);
    c.out = got;
    c.ours = 1;
    codes[1] = call_move(&c);
    const int ok = codes[0] == MPI_SUCCESS && codes[1] == MPI_SUCCESS &&
                   memcmp(expected, got, ints * sizeof(int)) == 0;
    free(expected);
    free(got);
    free(in);
    return ok;
}

/* Counts for each pair of ranks: the same in both directions; in allgatherv for each rank, of
 * `most` on average. */
static size_t draw_counts(int most, int *counts, int *displs)
{
    int r, at = 0;

    MPI_Comm_rank(comm, &r);
    for (int j = 0; j < size; j++) {
        const int pair = r < j ? r * size + j : j * size + r;
        counts[j] = pair % 3 == 0 ? 0 : (pair * 7 + most) % (most + 1);
        if (OPERATION == ALLGATHERV)
            counts[j] = j == size - 1 && size % 2 ? most : j % 2 ? 2 * most - most / 3 : most / 3;
        displs[j] = at;
        at += counts[j] + 1;
    }
    return (size_t)at;
}

static int check_size(int count, MPI_Datatype type, int stride, int place)
{
    int *counts = malloc(sizeof(int) * (size_t)size), *displs = malloc(sizeof(int) * (size_t)size);
    const int roots = OPERATION == BCAST || OPERATION == REDUCE ? size : 1;
    const int blocks = OPERATION == ALLTOALL || OPERATION == ALLGATHER ? size : 1;
    size_t units = (size_t)blocks * (size_t)count;
    int ok = 1;

    if (OPERATION == ALLTOALLV || OPERATION == ALLGATHERV)
        units = draw_counts(count, counts, displs);
    for (int root = 0; root < roots; root++)
        ok = same((call){.place = place,
                         .count = count,
                         .type = type,
                         .root = root,
                         .counts = counts,
                         .displs = displs},
                  units * (size_t)stride) &&
             ok;
    free(counts);
    free(displs);
    return ok;
}

/* MPICH 4.0.2 crashes in a native MPI_Reduce with MPI_IN_PLACE. */
#ifdef SIZES
enum { IN_PLACE = OPERATION != BCAST && OPERATION != REDUCE };
#else
enum { IN_PLACE = OPERATION != BCAST };
#endif

static void report(int count, int before)
{
#ifdef SIZES
    if (rank == 0)
        printf("# %d %s\n", count, native_calls > before ? "native" : "generated");
#else
    (void)count, (void)before;
#endif
}

static void check_all(const char *where)
{
#ifdef SIZES
    static const int sizes[] = {SIZES};
#else
    static const int sizes[] = {0, 1, 7, 3000, 20000};
#endif
    const int reduces = OPERATION == REDUCE || OPERATION == ALLREDUCE;
    MPI_Datatype holes = MPI_INT, inner;
    char name[120];

    MPI_Type_vector(2, 1, 2, MPI_INT, &inner);
    MPI_Type_create_resized(inner, 0, 4 * sizeof(int), &holes);
    MPI_Type_commit(&holes);
    for (int place = 0; place <= IN_PLACE; place++) {
        for (int derived = 0; derived <= !reduces; derived++) {
            int ok = 1;
            for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
                const int before = native_calls;
                const MPI_Datatype type = derived ? holes : MPI_INT;
                const int unit = derived ? 2 : 1; /* integers with data of an element */
                ok = check_size(sizes[i] / unit, type, derived ? 4 : 1, place) && ok;
                report(sizes[i] / unit * unit, before);
            }
            snprintf(name, sizeof name, "%s%s%s", where, derived ? ", type with holes" : "",
                     place ? ", in place" : "");
            point(ok, name);
        }
    }
    MPI_Type_free(&holes);
    MPI_Type_free(&inner);
}

/* A communicator of another size is rejected, and nothing is sent; or the call is native. */
static void check_refusal(void)
{
    int data[64] = {0}, zero[64] = {0};
    MPI_Comm world = comm;

    comm = MPI_COMM_SELF;
    const call c = {.ours = 1,
                    .count = 1,
                    .type = MPI_INT,
                    .in = data,
                    .out = data + 32,
                    .counts = zero,
                    .displs = zero};
    const int code = size > 1 ? call_move(&c) : MPI_ERR_COMM;
    comm = world;
#ifdef SIZES
    point(size == 1 || code == MPI_SUCCESS, "another number of ranks is native");
#else
    point(code == MPI_ERR_COMM, "another number of ranks is rejected");
#endif
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    comm = MPI_COMM_WORLD;
    check_all("world");
    check_refusal();
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &comm);
    check_all("reversed");
    MPI_Comm_free(&comm);
    if (rank == 0)
        printf("1..%d\n", points);
    MPI_Finalize();
    return failures > 0;
}
