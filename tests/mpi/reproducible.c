/* reproducible.c - floating-point reductions of operands of very different magnitude, so that the
 * result depends on their order.  Compares the bits with the canonical order and writes a hash of
 * all results to FILE: all runs must write equal files.
 *
 *   reproducible FILE */
#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 40000 };
static const int counts[] = {1, 3, 1000, MOST};

static double in[MOST * 8], out[MOST * 8];
static FILE *file; /* on rank 0 */
static MPI_Op user, user_ordered;
static MPI_Datatype pair;

/* ---- operands ---- */

static double operand(int rank, int64_t i, int salt)
{
    t_rng rng = t_seed((uint64_t)rank, (uint64_t)i, (uint64_t)salt);
    const double x = (double)(int64_t)t_next(&rng) * 0x1p-63;
    return i % 5 == 4 ? (rank % 2 ? 0.0 : -0.0) : x * (double)(1 << t_below(&rng, 30));
}

/* Bitwise neither associative nor commutative, whatever its commute flag. */
static double mix(double a, double b) { return a * 0.75 + b; }

static void apply_mix(void *from, void *inout, int *n, MPI_Datatype *type)
{
    int size;
    MPI_Type_size(*type, &size);
    for (int i = 0; i < *n * (size / (int)sizeof(double)); i++)
        ((double *)inout)[i] = mix(((double *)from)[i], ((double *)inout)[i]);
}

/* ---- an independent implementation of the canonical order ---- */

typedef double (*combine_fn)(double a, double b);
static double add(double a, double b) { return a + b; }

static int log2_of(int n)
{
    int k = 0;
    while (n >> (k + 1))
        k++;
    return k;
}

/* 2^k groups; the first ones are pairs. */
static double halves(int p, int first, int groups, int64_t i, int salt, combine_fn f)
{
    const int pairs = p - (1 << log2_of(p));
    if (groups > 1)
        return f(halves(p, first, groups / 2, i, salt, f),
                 halves(p, first + groups / 2, groups / 2, i, salt, f));
    if (first < pairs)
        return f(operand(2 * first, i, salt), operand(2 * first + 1, i, salt));
    return operand(first + pairs, i, salt);
}

static double prefix(int lo, int hi, int64_t i, int salt, combine_fn f)
{
    if (hi - lo == 1)
        return operand(lo, i, salt);
    const int cut = hi - (1 << log2_of(hi - lo - 1));
    return f(prefix(lo, cut, i, salt, f), prefix(cut, hi, i, salt, f));
}

/* ---- hashes ---- */

static uint64_t hash(const void *data, size_t bytes)
{
    uint64_t h = 1469598103934665603u;
    for (size_t i = 0; i < bytes; i++)
        h = (h ^ ((const unsigned char *)data)[i]) * 1099511628211u;
    return h;
}

enum { MAX_NOTES = 400 };
static struct {
    char what[40];
    int n;
} notes[MAX_NOTES];
static uint64_t hashes[MAX_NOTES];
static int nnotes;

static void note(const char *what, int n, const void *result, size_t bytes)
{
    if (nnotes == MAX_NOTES)
        t_die("too many notes");
    snprintf(notes[nnotes].what, sizeof notes[nnotes].what, "%s", what);
    notes[nnotes].n = n;
    hashes[nnotes++] = hash(result, bytes);
}

/* A line for each result of every rank of the communicator.  `root`: rank 0 in it. */
static void write_notes(const char *name, MPI_Comm comm, int p, int root)
{
    uint64_t *all = t_alloc(sizeof *all * (size_t)nnotes * (size_t)p);
    MPI_Gather(hashes, 8 * nnotes, MPI_BYTE, all, 8 * nnotes, MPI_BYTE, root, comm);
    for (int i = 0; t_rank == 0 && i < nnotes; i++)
        for (int q = 0; q < p; q++)
            fprintf(file, "%s, %s, %d elements, rank %d: %016llx\n", name, notes[i].what,
                    notes[i].n, q, (unsigned long long)all[q * nnotes + i]);
    free(all);
    nnotes = 0;
}

static void fill(int rank, int n, int salt)
{
    for (int i = 0; i < n; i++)
        in[i] = operand(rank, i, salt);
    memset(out, 0x5a, sizeof *out * (size_t)n);
}

static void expect(const char *what, int64_t i, double got, double want)
{
    t_check(memcmp(&got, &want, sizeof got) == 0, "%s element %lld: %a, canonical is %a", what,
            (long long)i, got, want);
}

/* ---- the calls ---- */

static void check_allreduce(int p, int r, int n, MPI_Comm comm)
{
    const int groups = 1 << log2_of(p);
    fill(r, n, 1);
    MPI_Allreduce(in, out, n, MPI_DOUBLE, MPI_SUM, comm);
    for (int i = 0; i < n; i += 1 + n / 50)
        expect("allreduce", i, out[i], halves(p, 0, groups, i, 1, add));
    note("allreduce", n, out, sizeof *out * (size_t)n);
    fill(r, n, 2);
    memcpy(out, in, sizeof *out * (size_t)n);
    MPI_Allreduce(MPI_IN_PLACE, out, n, MPI_DOUBLE, user, comm);
    for (int i = 0; i < n; i += 1 + n / 50)
        expect("user operator", i, out[i], halves(p, 0, groups, i, 2, mix));
    note("user operator", n, out, sizeof *out * (size_t)n);
    fill(r, n, 3);
    MPI_Allreduce(in, out, n, MPI_DOUBLE, MPI_MAX, comm);
    note("max", n, out, sizeof *out * (size_t)n);
    fill(r, 2 * n, 4);
    MPI_Allreduce(in, out, n, pair, user_ordered, comm);
    note("derived type", n, out, sizeof *out * 2 * (size_t)n);
    float *const narrow = (float *)in;
    for (int i = 0; i < n; i++)
        narrow[i] = (float)operand(r, i, 5);
    MPI_Allreduce(in, out, n, MPI_FLOAT, MPI_SUM, comm);
    note("float", n, out, sizeof(float) * (size_t)n);
}

static void check_reduce(int p, int r, int n, MPI_Comm comm)
{
    for (int root = 0; root < p; root++) {
        char what[40];
        fill(r, n, 6);
        MPI_Reduce(in, out, n, MPI_DOUBLE, MPI_SUM, root, comm);
        snprintf(what, sizeof what, "reduce to %d", root);
        note(what, n, out, r == root ? sizeof *out * (size_t)n : 0);
    }
}

static void check_scatter(int p, int r, int n, MPI_Comm comm)
{
    int each[64];
    n /= 10;
    fill(r, n * p, 7);
    MPI_Reduce_scatter_block(in, out, n, MPI_DOUBLE, MPI_SUM, comm);
    for (int i = 0; i < n; i += 1 + n / 50)
        expect("reduce_scatter_block", i, out[i],
               halves(p, 0, 1 << log2_of(p), i + (int64_t)r * n, 7, add));
    note("reduce_scatter_block", n, out, sizeof *out * (size_t)n);
    for (int i = 0; i < p; i++)
        each[i] = i % 2 ? n / 2 : n;
    fill(r, n * p, 8);
    MPI_Reduce_scatter(in, out, each, MPI_DOUBLE, user, comm);
    note("reduce_scatter", n, out, sizeof *out * (size_t)each[r]);
}

static void check_prefix(int r, int n, MPI_Comm comm)
{
    fill(r, n, 9);
    MPI_Scan(in, out, n, MPI_DOUBLE, MPI_SUM, comm);
    for (int i = 0; i < n; i += 1 + n / 50)
        expect("scan", i, out[i], prefix(0, r + 1, i, 9, add));
    note("scan", n, out, sizeof *out * (size_t)n);
    fill(r, n, 10);
    MPI_Exscan(in, out, n, MPI_DOUBLE, MPI_SUM, comm);
    for (int i = 0; i < n && r > 0; i += 1 + n / 50)
        expect("exscan", i, out[i], prefix(0, r, i, 10, add));
    note("exscan", n, out, r > 0 ? sizeof *out * (size_t)n : 0);
}

static void check_all(const char *name, MPI_Comm comm, int root)
{
    int p, r;
    t_point(name);
    MPI_Comm_size(comm, &p);
    MPI_Comm_rank(comm, &r);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        check_allreduce(p, r, counts[i], comm);
        check_reduce(p, r, counts[i], comm);
        check_scatter(p, r, counts[i], comm);
        check_prefix(r, counts[i], comm);
    }
    write_notes(name, comm, p, root);
}

int main(int argc, char **argv)
{
    MPI_Comm other;
    MPI_Init(&argc, &argv);
    t_start(60);
    t_fake_hosts();
    if (t_rank == 0 && (argc < 2 || (file = fopen(argv[1], "w")) == NULL))
        t_die("usage: reproducible FILE");
    MPI_Op_create(apply_mix, 1, &user);
    MPI_Op_create(apply_mix, 0, &user_ordered);
    MPI_Type_contiguous(2, MPI_DOUBLE, &pair);
    MPI_Type_commit(&pair);
    check_all("MPI_COMM_WORLD", MPI_COMM_WORLD, 0);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -t_rank, &other);
    check_all("reversed ranks", other, t_ranks - 1);
    MPI_Comm_free(&other);
    MPI_Comm_split(MPI_COMM_WORLD, t_rank % 2, t_rank, &other);
    check_all("every second rank", other, 0);
    MPI_Comm_free(&other);
    MPI_Type_free(&pair);
    MPI_Op_free(&user);
    MPI_Op_free(&user_ordered);
    if (file != NULL)
        fclose(file);
    const int code = t_finish();
    MPI_Finalize();
    return code;
}
