/* compare.c - compares MPI_Allreduce as the application calls it (B, interposed by Attune) with a
 * baseline (A) in one run: the native routine, which bypasses Attune, or the same algorithm in C
 * with point-to-point calls: the textbook version (hand), or one that receives the first operand
 * into the result buffer and so avoids a copy (lean).
 *
 * Blocks of calls alternate A B, B A, ...; each pair of blocks gives one ratio B/A.  Prints the
 * medians of both, the median ratio and its 95 % confidence interval (order statistics).
 *
 *   compare BASELINE [PAIRS [SECONDS [BYTES ...]]]        BASELINE: native | hand | lean */
#include <dlfcn.h>
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int (*allreduce_fn)(const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm);

static allreduce_fn library;
static MPI_Comm hand_comm;
static double *scratch;

/* Textbook recursive doubling; the number of ranks is a power of two. */
static int by_hand(const void *src, void *dst, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    int p, r;

    (void)comm;
    MPI_Comm_size(hand_comm, &p);
    MPI_Comm_rank(hand_comm, &r);
    memcpy(dst, src, (size_t)n * sizeof(double));
    for (int d = 1; d < p; d *= 2) {
        MPI_Sendrecv(dst, n, type, r ^ d, 0, scratch, n, type, r ^ d, 0, hand_comm,
                     MPI_STATUS_IGNORE);
        MPI_Reduce_local(scratch, dst, n, type, op);
    }
    return MPI_SUCCESS;
}

/* The same steps as the schedule. */
static int lean(const void *src, void *dst, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    const void *mine = src;
    void *room = dst;
    int p, r;

    (void)comm;
    MPI_Comm_size(hand_comm, &p);
    MPI_Comm_rank(hand_comm, &r);
    for (int d = 1; d < p; d *= 2) {
        MPI_Sendrecv(mine, n, type, r ^ d, 0, room, n, type, r ^ d, 0, hand_comm,
                     MPI_STATUS_IGNORE);
        MPI_Reduce_local(d == 1 ? src : room, dst, n, type, op);
        mine = dst;
        room = scratch;
    }
    return MPI_SUCCESS;
}

/* Attune also exports the PMPI_ names, so look the symbol up in the MPI library itself. */
static allreduce_fn find_library(void)
{
    static const char *const names[] = {"libmpi.so.40", "libmpich.so.12"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        void *h = dlopen(names[i], RTLD_LAZY | RTLD_NOLOAD);
        if (h)
            return (allreduce_fn)dlsym(h, "PMPI_Allreduce");
    }
    return NULL;
}

/* Not inlined, so that both functions are called through a pointer; a call by name would go through
 * the procedure linkage table, with and without Attune. */
static __attribute__((noinline, noclone)) double block(allreduce_fn f, const double *src,
                                                       double *dst, int n, int calls)
{
    const double t0 = MPI_Wtime();
    for (int i = 0; i < calls; i++)
        f(src, dst, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return (MPI_Wtime() - t0) / calls;
}

static int ascending(const void *x, const void *y)
{
    const double a = *(const double *)x, b = *(const double *)y;
    return a < b ? -1 : a > b;
}

static double median(double *v, int n)
{
    qsort(v, (size_t)n, sizeof *v, ascending);
    return n % 2 ? v[n / 2] : 0.5 * (v[n / 2 - 1] + v[n / 2]);
}

/* Calls per block so that it takes about `seconds`; the same on all ranks.  A and B have separate
 * numbers, so that a rank delayed by a slow A has little effect on a fast B. */
static int choose_calls(allreduce_fn f, const double *src, double *dst, int n, double seconds)
{
    double t = block(f, src, dst, n, 1);
    for (int i = 0; i < 3; i++) {
        const double again = block(f, src, dst, n, 1 + i * i);
        t = again < t ? again : t;
    }
    int calls = (int)fmin(1e5, fmax(1, seconds / fmax(t, 1e-9)));
    library(MPI_IN_PLACE, &calls, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    return calls;
}

static void compare(allreduce_fn a, const char *name, long bytes, int pairs, double seconds)
{
    const int n = (int)(bytes / (long)sizeof(double));
    double *src = calloc((size_t)n + 1, sizeof *src), *dst = calloc((size_t)n + 1, sizeof *dst);
    double *ta = calloc((size_t)pairs, sizeof *ta), *tb = calloc((size_t)pairs, sizeof *tb);
    double *ratio = calloc((size_t)pairs, sizeof *ratio);
    int r, p;

    MPI_Comm_rank(MPI_COMM_WORLD, &r);
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    scratch = realloc(scratch, ((size_t)n + 1) * sizeof *scratch);
    for (int i = 0; i < n; i++)
        src[i] = r + i;
    int na = choose_calls(a, src, dst, n, seconds / pairs / 2);
    int nb = choose_calls(MPI_Allreduce, src, dst, n, seconds / pairs / 2);
    if (na < 4 * nb && nb < 4 * na) /* the ends of a block must weigh the same in both */
        na = nb = (na + nb) / 2;
    for (int i = 0; i < pairs; i++) {
        if (i % 2)
            tb[i] = block(MPI_Allreduce, src, dst, n, nb);
        ta[i] = block(a, src, dst, n, na);
        if (i % 2 == 0)
            tb[i] = block(MPI_Allreduce, src, dst, n, nb);
        ratio[i] = tb[i] / ta[i];
    }
    const double mid = median(ratio, pairs), half = 0.98 * sqrt(pairs);
    const int lo = (int)fmax(0, floor(pairs / 2.0 - half));
    const int hi = (int)fmin(pairs - 1, ceil(pairs / 2.0 + half));
    if (r == 0)
        printf("%s,%d,%ld,%d,%d,%.4f,%.4f,%.4f,%.4f,%.4f\n", name, p, bytes, pairs, nb,
               1e6 * median(ta, pairs), 1e6 * median(tb, pairs), mid, ratio[lo], ratio[hi]);
    fflush(stdout);
    free(src);
    free(dst);
    free(ta);
    free(tb);
    free(ratio);
}

static allreduce_fn baseline_of(const char *name)
{
    const struct {
        const char *name;
        allreduce_fn f;
    } all[] = {{"native", library}, {"hand", by_hand}, {"lean", lean}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (strcmp(all[i].name, name) == 0)
            return all[i].f;
    return NULL;
}

int main(int argc, char **argv)
{
    static const long sizes[] = {8, 64, 512, 4096, 32768, 262144, 1048576};
    const char *baseline = argc > 1 ? argv[1] : "native";
    const int pairs = argc > 2 ? atoi(argv[2]) : 201;
    const double seconds = argc > 3 ? atof(argv[3]) : 1.0;
    int r;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &r);
    MPI_Comm_dup(MPI_COMM_WORLD, &hand_comm);
    library = find_library();
    const allreduce_fn a = baseline_of(baseline);
    if (!library || pairs < 3 || !a) {
        if (r == 0)
            fprintf(stderr, "usage: compare native|hand|lean [PAIRS >= 3 [SECONDS [BYTES ...]]]\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    if (r == 0)
        printf("baseline,ranks,bytes,pairs,calls,a_us,b_us,ratio,lo,hi\n");
    if (argc > 4)
        for (int i = 4; i < argc; i++)
            compare(a, baseline, atol(argv[i]), pairs, seconds);
    else
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
            compare(a, baseline, sizes[i], pairs, seconds);
    free(scratch);
    MPI_Comm_free(&hand_comm);
    MPI_Finalize();
    return 0;
}
