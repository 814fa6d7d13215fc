/* cmd_schedule.c - attune schedule show | draw. */
#include <stdlib.h>
#include <string.h>

#include "cli/lookup.h"
#include "report/draw.h"
#include "report/json.h"
#include "sched/text.h"

/* A schedule file determines the number of ranks. */
static atn_status load(const atn_args *a, atn_set *set_p, atn_error *err)
{
    atn_request want;
    int p = 0;
    atn_status st = atn_cli_request_read(a, &want, err);
    if (st)
        return st;
    st = atn_cli_request_ranks(&want, (int)atn_cli_arg_int(a, "ranks"),
                               atn_cli_arg_given(a, "ranks"), &p, err);
    st = st ? st : atn_cli_request_build(a, &want, p, set_p, err);
    atn_cli_request_end(&want);
    for (int r = 0; !st && r < set_p->p; r++)
        set_p->v[r]->q.topo = NULL; /* freed */
    return st;
}

/* ---- show: the rows ---- */

/* The caller frees; NULL: out of memory. */
static char *slot_text(const atn_schedule *s, const atn_slot *slot)
{
    char *text = NULL;
    size_t bytes;
    FILE *f = atn_open_text(&text, &bytes);
    if (!f)
        return NULL;
    atn_sched_slot_print(f, s, slot);
    fclose(f);
    return text;
}

/* What the operation reads: "tmp[0]", "tmp[0] with src[0]" or "exposure 2 skip vec[0]". */
static char *operand_text(const atn_schedule *s, const atn_op *o)
{
    char *text = NULL;
    size_t bytes;
    FILE *f = atn_open_text(&text, &bytes);
    if (!f)
        return NULL;
    if (!atn_sched_is_read(o))
        atn_sched_slot_print(f, s, &o->a);
    else
        fprintf(f, o->a.n > 0 ? "exposure %d skip " : "exposure %d", o->seq);
    if (atn_sched_is_read(o) && o->a.n > 0)
        atn_sched_slot_print(f, s, &o->a);
    if (o->c.n > 0) {
        fputs(" with ", f);
        atn_sched_slot_print(f, s, &o->c);
    }
    fclose(f);
    return text;
}

static char *deps_text(const atn_schedule *s, const atn_op *o)
{
    char *text = NULL;
    size_t bytes;
    FILE *f = atn_open_text(&text, &bytes);
    if (!f)
        return NULL;
    for (int d = 0; d < o->ndeps; d++)
        fprintf(f, "%s%d", d ? " " : "", s->deps[o->dep + d]);
    fclose(f);
    return text;
}

/* Takes ownership of the text. */
static void own_cell(atn_table *t, char *text)
{
    atn_report_cell(t, "%s", text ? text : "");
    t->failed = t->failed || !text;
    free(text);
}

static const atn_column columns[] = {
    {"rank", ATN_CELL_NUMBER},    {"index", ATN_CELL_NUMBER}, {"round", ATN_CELL_NUMBER},
    {"operation", ATN_CELL_TEXT}, {"peer", ATN_CELL_NUMBER},  {"slot", ATN_CELL_TEXT},
    {"into", ATN_CELL_TEXT},      {"after", ATN_CELL_TEXT},
};

static void op_row(atn_table *t, const atn_schedule *s, int i)
{
    const atn_op *o = &s->ops[i];
    atn_report_cell(t, "%d", s->q.r);
    atn_report_cell(t, "%d", i);
    atn_report_cell(t, "%d", o->round);
    atn_report_cell(t, "%s", atn_sched_op_name(o));
    if (atn_sched_is_message(o) || atn_sched_is_read(o))
        atn_report_cell(t, "%d", o->peer);
    else
        atn_report_cell(t, "%s", "");
    own_cell(t, operand_text(s, o));
    if (atn_sched_written(o) == &o->b)
        own_cell(t, slot_text(s, &o->b));
    else if (o->kind == ATN_OP_EXPOSE || o->kind == ATN_OP_CLOSE)
        atn_report_cell(t, "exposure %d", o->seq);
    else
        atn_report_cell(t, "%s", "");
    own_cell(t, deps_text(s, o));
}

/* Ranks lo .. hi - 1. */
static atn_status show_table(const atn_args *a, const atn_set *set, int lo, int hi, atn_error *err)
{
    atn_table t = {.columns = columns, .ncolumns = sizeof columns / sizeof *columns};
    for (int r = lo; r < hi; r++)
        for (int i = 0; i < set->v[r]->nops; i++)
            op_row(&t, set->v[r], i);
    return atn_cli_arg_table(a, &t, err);
}

/* ---- show: json ---- */

static void json_slot(atn_json *j, const char *key, const atn_schedule *s, const atn_slot *slot)
{
    const atn_range *range = atn_sched_slot_ranges(s, slot);
    atn_report_json_open(j, key, '{');
    atn_report_json_text(j, "space", slot->n ? atn_sched_space_name((atn_space)slot->space) : NULL);
    atn_report_json_open(j, "blocks", '[');
    for (int i = 0; i < slot->n; i++)
        for (int k = 0; k < range[i].count; k++)
            atn_report_json_int(j, NULL, range[i].first + k);
    atn_report_json_close(j, ']');
    atn_report_json_close(j, '}');
}

static void json_op(atn_json *j, const atn_schedule *s, int i)
{
    const atn_op *o = &s->ops[i];
    atn_report_json_open(j, NULL, '{');
    atn_report_json_int(j, "index", i);
    atn_report_json_int(j, "round", o->round);
    atn_report_json_text(j, "operation", atn_sched_op_name(o));
    const bool exposes = o->kind == ATN_OP_EXPOSE || o->kind == ATN_OP_CLOSE;
    if (!atn_sched_is_local(o)) {
        atn_report_json_int(j, exposes ? "reads" : "peer", o->peer);
        atn_report_json_int(j, "sequence", o->seq);
    }
    json_slot(j, "slot", s, &o->a);
    if (o->c.n > 0)
        json_slot(j, "with", s, &o->c);
    if (atn_sched_written(o) == &o->b)
        json_slot(j, "into", s, &o->b);
    atn_report_json_open(j, "after", '[');
    for (int d = 0; d < o->ndeps; d++)
        atn_report_json_int(j, NULL, s->deps[o->dep + d]);
    atn_report_json_close(j, ']');
    atn_report_json_close(j, '}');
}

static void json_rank(atn_json *j, const atn_schedule *s)
{
    atn_report_json_open(j, NULL, '{');
    atn_report_json_int(j, "rank", s->q.r);
    atn_report_json_bool(j, "in_place", s->q.in_place);
    atn_report_json_int(j, "split", s->split);
    atn_report_json_int(j, "rounds", s->nrounds);
    atn_report_json_open(j, "tmp", '[');
    for (int t = 0; t < s->ntmp; t++)
        atn_report_json_int(j, NULL, s->tmp_shape[t]);
    atn_report_json_close(j, ']');
    atn_report_json_open(j, "operations", '[');
    for (int i = 0; i < s->nops; i++)
        json_op(j, s, i);
    atn_report_json_close(j, ']');
    atn_report_json_close(j, '}');
}

static atn_status show_json(const atn_args *a, const atn_set *set, int lo, int hi)
{
    const atn_schedule *s = set->v[0];
    const atn_operation_info *o = atn_sched_operation_get(s->q.op);
    atn_json j = {.f = a->out};
    atn_report_json_open(&j, NULL, '{');
    atn_report_json_int(&j, "version", 1); /* docs/schema/schedule-show.json */
    atn_report_json_text(&j, "name", s->name);
    atn_report_json_text(&j, "operation", o->name);
    atn_report_json_int(&j, "p", s->q.p);
    if (o->flags & ATN_ROOTED)
        atn_report_json_int(&j, "root", s->q.root);
    atn_report_json_bool(&j, "ordered", s->q.ordered);
    atn_report_json_int(&j, "pieces", s->q.segments);
    atn_report_json_open(&j, "ranks", '[');
    for (int r = lo; r < hi; r++)
        json_rank(&j, set->v[r]);
    atn_report_json_close(&j, ']');
    atn_report_json_close(&j, '}');
    return ATN_OK;
}

static atn_status show_text(const atn_args *a, const atn_set *set, atn_error *err)
{
    if (atn_cli_arg_given(a, "rank"))
        return atn_fail(err, ATN_USAGE, "--format text writes all ranks; omit --rank");
    atn_sched_schedule_print(a->out, set->v, set->p);
    return ATN_OK;
}

static int show(const atn_args *a, atn_error *err)
{
    const char *format = atn_cli_arg_format(a);
    atn_set set;
    atn_status st = load(a, &set, err);
    if (st)
        return st;
    const int rank = (int)atn_cli_arg_int(a, "rank");
    const bool one = atn_cli_arg_given(a, "rank");
    const int lo = one ? rank : 0, hi = one ? rank + 1 : set.p;
    if (hi > set.p)
        st = atn_fail(err, ATN_USAGE, "--rank %d: the ranks are 0 to %d", rank, set.p - 1);
    else if (strcmp(format, "text") == 0)
        st = show_text(a, &set, err);
    else if (strcmp(format, "json") == 0)
        st = show_json(a, &set, lo, hi);
    else
        st = show_table(a, &set, lo, hi, err);
    atn_cli_set_free(&set);
    return st;
}

/* ---- draw ---- */

static int draw(const atn_args *a, atn_error *err)
{
    atn_set set;
    atn_status st = load(a, &set, err);
    if (st)
        return st;
    st = atn_report_schedule_draw(a->out, set.v, set.p, err);
    atn_cli_set_free(&set);
    return st;
}

/* ---- descriptors ---- */

static const char name_detail[] =
    "NAME is an algorithm of 'attune algo list', optionally with parameters as in "
    "allreduce/ring{segment=8K}, or a file written by 'attune schedule show --format text'.";

static const char *const show_formats[] = {"table", "csv", "json", "text", NULL};
static const atn_option show_options[] = {
    ATN_OPTION_RANKS(1),
    ATN_INT("rank", "R", NULL, 0, 0, "Only this rank"),
    {0},
};

const atn_command atn_cmd_schedule_show = {
    .noun = "schedule",
    .verb = "show",
    ATN_OPERANDS("NAME", 1, 1),
    .help = "List the operations of a schedule by rank",
    .examples = ATN_NOTES({"attune schedule show allreduce/ring -p 4", "Show all ranks"},
                          {"attune schedule show bcast/chain -p 4 --format text -o chain.txt",
                           "Write a schedule file"}),
    .detail = name_detail,
    .options = show_options,
    .shared = atn_cli_schedule_options,
    .formats = show_formats,
    .flags = ATN_CMD_OUTPUT,
    .run = show,
};

static const atn_option draw_options[] = {
    ATN_OPTION_RANKS(1),
    {0},
};

const atn_command atn_cmd_schedule_draw = {
    .noun = "schedule",
    .verb = "draw",
    ATN_OPERANDS("NAME", 1, 1),
    .help = "Draw a schedule as a space-time diagram (SVG)",
    .examples = ATN_NOTES({"attune schedule draw allreduce/ring -p 4 -o ring.svg",
                           "Draw the ring algorithm on 4 ranks"}),
    .detail = name_detail,
    .options = draw_options,
    .shared = atn_cli_schedule_options,
    .flags = ATN_CMD_OUTPUT,
    .run = draw,
};
