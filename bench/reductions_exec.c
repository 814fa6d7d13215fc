/* reductions_exec.c - Attune's reduction kernels compared with MPI_Reduce_local and with STREAM.
 *
 * Every pair of operator and type, 8 B to 1 MB: blocks of calls of both alternate, and each pair of
 * blocks gives one ratio.  Prints medians and the median ratio (library / kernel: above 1 the
 * kernel is faster) with its 95 % confidence interval.  Then compares the bandwidth of sums of
 * doubles beyond the caches of a core with that of STREAM add, a loop in this file.
 *
 *   reductions_exec [PAIRS [MICROSECONDS]]: pairs of blocks, duration of a block */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/stats.h"
#include "exec/type.h"

enum { MOST = 1 << 20, STREAM = 32 << 20, PAIRS_MOST = 1001 };

static char *left, *right, *room;
static int pairs = 31;
static double block_us = 20;

/* ---- variants ---- */

typedef struct {
    MPI_Op op;
    MPI_Datatype type;
    atn_kernel kernel;
    int n;
} job;

static void by_library(const job *j) { MPI_Reduce_local(left, right, j->n, j->type, j->op); }
static void by_kernel(const job *j) { j->kernel(left, right, right, (size_t)j->n); }

static void add(const double *restrict a, const double *restrict b, double *restrict c, size_t n)
{
    for (size_t i = 0; i < n; i++)
        c[i] = a[i] + b[i];
}

static void by_stream(const job *j)
{
    add((double *)left, (double *)right, (double *)room, (size_t)j->n);
}

static void by_kernel_apart(const job *j) { j->kernel(left, right, room, (size_t)j->n); }

/* ---- pairs of blocks ---- */

typedef void (*variant)(const job *j);

static double block(variant f, const job *j, int calls)
{
    const double start = MPI_Wtime();
    for (int i = 0; i < calls; i++)
        f(j);
    return (MPI_Wtime() - start) / calls * 1e6;
}

static int calls_of(variant f, const job *j)
{
    int calls = 1;
    while (block(f, j, calls) * calls < block_us && calls < 1 << 20)
        calls *= 2;
    return calls;
}

/* Medians of both in microseconds, and a / b. */
static void compare(variant a, variant b, const job *j, double us[2], atn_estimate *ratio_p)
{
    static double ta[PAIRS_MOST], tb[PAIRS_MOST], ratio[PAIRS_MOST];
    const int calls = calls_of(b, j);

    calls_of(a, j); /* warm-up */
    for (int i = 0; i < pairs; i++) {
        if (i % 2)
            ta[i] = block(a, j, calls);
        tb[i] = block(b, j, calls);
        if (i % 2 == 0)
            ta[i] = block(a, j, calls);
        ratio[i] = ta[i] / tb[i];
    }
    us[0] = atn_median(ta, pairs).mid;
    us[1] = atn_median(tb, pairs).mid;
    *ratio_p = atn_median(ratio, pairs);
}

/* ---- operands: finite, and finite after any number of sums and products ---- */

static void fill_located(MPI_Datatype type)
{
    const int words = type == MPI_DOUBLE_INT ? 4 : 2;
    for (int i = 0; i < MOST / 4 / words; i++)
        for (int side = 0; side < 2; side++) {
            int *const at = (int *)(side ? right : left) + (size_t)i * (size_t)words;
            const int value = rand() % 1000;
            if (type == MPI_DOUBLE_INT)
                *(double *)at = value;
            else if (type == MPI_FLOAT_INT)
                *(float *)at = (float)value;
            else
                *at = value;
            at[words / 2] = i;
        }
}

static void fill(MPI_Datatype type)
{
    if (type == MPI_FLOAT || type == MPI_C_FLOAT_COMPLEX)
        for (int i = 0; i < MOST / 4; i++)
            ((float *)left)[i] = 0, ((float *)right)[i] = 1;
    else if (type == MPI_DOUBLE || type == MPI_C_DOUBLE_COMPLEX)
        for (int i = 0; i < MOST / 8; i++)
            ((double *)left)[i] = 0, ((double *)right)[i] = 1;
    else if (type == MPI_LONG_DOUBLE || type == MPI_C_LONG_DOUBLE_COMPLEX)
        for (int i = 0; i < MOST / (int)sizeof(long double); i++)
            ((long double *)left)[i] = 0, ((long double *)right)[i] = 1;
    else if (type == MPI_DOUBLE_INT || type == MPI_FLOAT_INT || type == MPI_2INT)
        fill_located(type);
    else
        for (int i = 0; i < MOST; i++)
            left[i] = (char)(i % 3 == 0), right[i] = (char)(i % 5 == 0);
}

/* ---- tables ---- */

#define NAMED(x)                                                                                   \
    {                                                                                              \
        x, #x + 4                                                                                  \
    }

static void compare_pair(job *j, const char *op, const char *type, int64_t extent)
{
    double us[2];
    atn_estimate ratio;

    for (int bytes = 8; bytes <= MOST; bytes *= bytes < 1 << 18 ? 8 : 4) {
        j->n = bytes / (int)extent > 0 ? bytes / (int)extent : 1;
        fill(j->type);
        compare(by_library, by_kernel, j, us, &ratio);
        printf("%s,%s,%d,%d,%.4f,%.4f,%.3f,%.3f,%.3f\n", op, type, bytes, j->n, us[0], us[1],
               ratio.mid, ratio.lo, ratio.hi);
        fflush(stdout);
    }
}

static void compare_library(void)
{
    const struct {
        MPI_Op op;
        const char *name;
    } ops[] = {NAMED(MPI_SUM),  NAMED(MPI_PROD), NAMED(MPI_MIN),    NAMED(MPI_MAX),
               NAMED(MPI_LAND), NAMED(MPI_LOR),  NAMED(MPI_LXOR),   NAMED(MPI_BAND),
               NAMED(MPI_BOR),  NAMED(MPI_BXOR), NAMED(MPI_MINLOC), NAMED(MPI_MAXLOC)};
    const struct {
        MPI_Datatype type;
        const char *name;
    } types[] = {NAMED(MPI_INT8_T),
                 NAMED(MPI_UINT8_T),
                 NAMED(MPI_INT16_T),
                 NAMED(MPI_UINT16_T),
                 NAMED(MPI_INT32_T),
                 NAMED(MPI_UINT32_T),
                 NAMED(MPI_INT64_T),
                 NAMED(MPI_UINT64_T),
                 NAMED(MPI_FLOAT),
                 NAMED(MPI_DOUBLE),
                 NAMED(MPI_LONG_DOUBLE),
                 NAMED(MPI_C_FLOAT_COMPLEX),
                 NAMED(MPI_C_DOUBLE_COMPLEX),
                 NAMED(MPI_C_BOOL),
                 NAMED(MPI_BYTE),
                 NAMED(MPI_2INT),
                 NAMED(MPI_FLOAT_INT),
                 NAMED(MPI_DOUBLE_INT)};

    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        for (size_t o = 0; o < sizeof ops / sizeof *ops; o++) {
            MPI_Aint lb, extent;
            MPI_Type_get_extent(types[t].type, &lb, &extent);
            job j = {.op = ops[o].op, .type = types[t].type};
            j.kernel = atn_exec_kernel_of(j.op, j.type, extent);
            if (j.kernel)
                compare_pair(&j, ops[o].name, types[t].name, extent);
        }
}

static void compare_stream(void)
{
    double us[2];
    atn_estimate ratio;
    job j = {.op = MPI_SUM, .type = MPI_DOUBLE, .kernel = atn_kernel_find(ATN_SUM, ATN_F64)};

    for (int bytes = 4 << 20; bytes <= STREAM; bytes *= 2) {
        j.n = bytes / 8;
        compare(by_stream, by_kernel_apart, &j, us, &ratio);
        printf("stream,DOUBLE,%d,%d,%.4f,%.4f,%.3f,%.3f,%.3f\n", bytes, j.n, us[0], us[1],
               ratio.mid, ratio.lo, ratio.hi);
    }
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    if (argc > 1)
        pairs = atoi(argv[1]);
    if (argc > 2)
        block_us = atof(argv[2]);
    if (pairs < 1 || pairs > PAIRS_MOST || block_us <= 0) {
        fprintf(stderr, "usage: reductions_exec [PAIRS [MICROSECONDS]], PAIRS up to %d\n",
                PAIRS_MOST);
        return 2;
    }
    left = aligned_alloc(64, STREAM);
    right = aligned_alloc(64, STREAM);
    room = aligned_alloc(64, STREAM);
    if (!left || !right || !room)
        return 4;
    memset(left, 0, STREAM);
    memset(right, 0, STREAM);
    memset(room, 0, STREAM);
    printf("operator,type,bytes,elements,library_us,kernel_us,ratio,lo,hi\n");
    compare_library();
    compare_stream();
    free(left);
    free(right);
    free(room);
    MPI_Finalize();
    return 0;
}
