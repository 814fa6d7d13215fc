/* operators.c - every predefined operator with all of its types, on integers of the full range and
 * with many lengths: sums wrap, and unsigned values compare as unsigned.  MPI libraries have errors
 * here, so it is only for jobs in which Attune serves allreduce. */
#include "operands.h"

#include <stdlib.h>
#include <string.h>

static const int lengths[] = {1, 2, 3, 7, 8, 9, 31, 32, 33, 63, 64, 65, 100, 129, 1000, 4099};

/* The expected result, from the last rank to the first, as for any associative operator. */
static void expect(const t_operand *od, char *sum, char *in, int n)
{
    t_operand_fill(od, sum, n, (uint64_t)n, t_ranks - 1);
    for (int from = t_ranks - 2; from >= 0; from--) {
        t_operand_fill(od, in, n, (uint64_t)n, from);
        t_operand_combine(od, in, sum, n);
    }
}

static void run_length(const t_operand *od, int n, size_t offset)
{
    MPI_Aint lb, extent;
    MPI_Type_get_extent(od->type, &lb, &extent);
    const size_t bytes = (size_t)n * (size_t)extent, room = bytes + offset;
    char *in = calloc(1, room), *out = calloc(1, room), *want = calloc(1, room);

    expect(od, want + offset, in + offset, n);
    t_operand_fill(od, in + offset, n, (uint64_t)n, t_rank);
    MPI_Allreduce(in + offset, out + offset, n, od->type, od->op, MPI_COMM_WORLD);
    t_operand_blank(od, want + offset, n);
    t_operand_blank(od, out + offset, n);
    t_check(memcmp(out, want, room) == 0, "%s of %d %s differs", od->op_name, n, od->type_name);
    free(in);
    free(out);
    free(want);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    t_start(60);
    t_operands_wild();
    t_point("results of all operators are correct at all lengths");
    const int n = t_operands() - t_user_operands();
    for (int i = 0; i < n; i++)
        for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++)
            for (size_t offset = 0; offset <= 16; offset += 16)
                run_length(t_operand_get(i), lengths[k], offset);
    t_operands_free();
    const int code = t_finish();
    MPI_Finalize();
    return code;
}
