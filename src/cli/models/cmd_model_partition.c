/* cmd_model_partition.c - attune model partition: partitions a matrix by process speed. */
#include <inttypes.h>
#include <stdlib.h>

#include "cli/cli.h"
#include "research/taulop/layout.h"

static int64_t blocks_of(const atn_summa *s, const atn_summa_process *p)
{
    return (int64_t)p->height * s->columns.v[p->column].width;
}

/* Comments of the layout: blocks and time of each process. */
static void print_times(FILE *f, const atn_summa *s)
{
    double longest = 0, sum = 0;
    for (int r = 0; r < s->processes.n; r++) {
        const atn_summa_process *p = &s->processes.v[r];
        const double blocks = (double)blocks_of(s, p);
        if (p->speed.n == 0)
            return;
        const double seconds = blocks / atn_tau_speed_at(&p->speed, blocks);
        fprintf(f, "# process %d: %.0f blocks at %.4g per second, %.4g s\n", r, blocks,
                atn_tau_speed_at(&p->speed, blocks), seconds);
        longest = longest > seconds ? longest : seconds;
        sum += seconds;
    }
    fprintf(f, "# maximum %.4g s, %.1f %% above the mean\n", longest,
            100 * (longest * s->processes.n / sum - 1));
}

static int partition(const atn_args *a, atn_error *err)
{
    atn_summa s = {0};
    char *text;
    size_t bytes;
    atn_status st = atn_read_file(a->operands[0], &text, &bytes, err);
    if (st)
        return st;
    st = atn_tau_summa_parse(text, a->operands[0], &s, err);
    free(text);
    if (st)
        return st;
    const int64_t before = atn_tau_summa_between(&s);
    if (atn_cli_arg_given(a, "arrange"))
        atn_tau_summa_arrange(&s);
    print_times(a->out, &s);
    fprintf(a->out, "# %" PRId64 " blocks are sent between nodes", atn_tau_summa_between(&s));
    if (atn_cli_arg_given(a, "arrange"))
        fprintf(a->out, ", %" PRId64 " before", before);
    fputc('\n', a->out);
    atn_tau_summa_print(a->out, &s);
    atn_tau_summa_free(&s);
    return ATN_OK;
}

static const atn_option options[] = {
    ATN_FLAG("arrange", "Reorder processes inside columns to reduce traffic between nodes"),
    {0},
};

const atn_command atn_cmd_model_partition = {
    .noun = "model",
    .verb = "partition",
    ATN_OPERANDS("LAYOUT", 1, 1),
    .help = "Partition a matrix among processes of different speed",
    .detail =
        "LAYOUT is a file such as examples/summa/speeds.conf: processes with their nodes and "
        "speeds. A speed is a number, or points BLOCKS:SPEED if it depends on the size of the "
        "partition. Blocks are distributed so that all processes finish at the same time, and "
        "arranged in columns with minimal perimeter. The result is a layout for 'attune model "
        "summa'. Columns given in the layout are kept.",
    .examples = ATN_NOTES({"attune model partition examples/summa/speeds.conf -o layout.conf",
                           "Partition a matrix by speed"}),
    .options = options,
    .flags = ATN_CMD_OUTPUT,
    .run = partition,
};
