/* text.c - writes schedules as text; docs/schedule-format.md has the grammar. */
#include "sched/text.h"

#include <string.h>

#include "sched/neighbourhood.h"

static const char *const kind_names[ATN_OP_KINDS] = {
    [ATN_OP_SEND] = "send",
    [ATN_OP_RECV] = "recv",
    [ATN_OP_RECV_REDUCE] = "recv_reduce",
    [ATN_OP_COPY] = "copy",
    [ATN_OP_REDUCE] = "reduce",
    [ATN_OP_EXPOSE] = "expose",
    [ATN_OP_READ] = "read",
    [ATN_OP_READ_REDUCE] = "read_reduce",
    [ATN_OP_CLOSE] = "close",
};
static const char *const space_names[ATN_SPACES + 1] = {
    [ATN_SRC] = "src",
    [ATN_DST] = "dst",
    [ATN_TMP] = "tmp",
    [ATN_SHAPE] = "vec",
};

const char *atn_sched_op_name(const atn_op *o) { return o->ssend ? "ssend" : kind_names[o->kind]; }

const char *atn_sched_space_name(atn_space space) { return space_names[space]; }

static void print_range(FILE *f, int first, int count, bool comma)
{
    fprintf(f, count > 1 ? "%s%d..%d" : "%s%d", comma ? "," : "", first, first + count - 1);
}

void atn_sched_slot_print(FILE *f, const atn_schedule *s, const atn_slot *slot)
{
    const atn_range *range = atn_sched_slot_ranges(s, slot);

    if (slot->n == 0) {
        fputs("nothing", f);
        return;
    }
    fprintf(f, "%s[", space_names[slot->space]);
    for (int i = 0; i < slot->n; i++)
        print_range(f, range[i].first, range[i].count, i > 0);
    fputc(']', f);
}

static void print_slot(FILE *f, const char *preposition, const atn_schedule *s,
                       const atn_slot *slot)
{
    fprintf(f, " %s ", preposition);
    atn_sched_slot_print(f, s, slot);
}

static void print_exposure(FILE *f, const atn_schedule *s, const atn_op *o)
{
    fprintf(f, "%d", o->seq);
    if (o->kind == ATN_OP_CLOSE)
        return;
    print_slot(f, "of", s, &o->a);
    fprintf(f, " for %d", o->peer);
}

/* What the operation reads: a slot, or blocks of an exposure. */
static void print_source(FILE *f, const atn_schedule *s, const atn_op *o)
{
    if (atn_sched_is_read(o))
        fprintf(f, "%d.%d", o->peer, o->seq);
    if (atn_sched_is_read(o) && o->a.n > 0)
        print_slot(f, "skip", s, &o->a);
    if (atn_sched_is_message(o))
        fprintf(f, "%d ", o->peer);
    if (!atn_sched_is_read(o))
        atn_sched_slot_print(f, s, &o->a);
}

static void print_action(FILE *f, const atn_schedule *s, const atn_op *o)
{
    fprintf(f, "%s ", atn_sched_op_name(o));
    if (o->kind == ATN_OP_EXPOSE || o->kind == ATN_OP_CLOSE) {
        print_exposure(f, s, o);
        return;
    }
    print_source(f, s, o);
    if (o->c.n > 0)
        print_slot(f, "with", s, &o->c);
    if (atn_sched_written(o) == &o->b)
        print_slot(f, atn_sched_reduces(o) ? "into" : "to", s, &o->b);
}

static void print_op(FILE *f, const atn_schedule *s, int i)
{
    const atn_op *o = &s->ops[i];

    fprintf(f, "%d: ", i);
    print_action(f, s, o);
    for (int d = 0; d < o->nafter; d++)
        fprintf(f, "%s %d", d ? "" : " after", s->deps[o->dep + d]);
    fputc('\n', f);
}

/* Scratch blocks with consecutive shapes are printed as one range. */
static void print_tmp(FILE *f, const atn_schedule *s)
{
    for (int t = 0, n; t < s->ntmp; t += n) {
        for (n = 1; t + n < s->ntmp && s->tmp_shape[t + n] == s->tmp_shape[t] + n;)
            n++;
        fputs(t ? "" : "tmp vec[", f);
        print_range(f, s->tmp_shape[t], n, t > 0);
    }
    fputs(s->ntmp ? "]\n" : "", f);
}

static void print_rank(FILE *f, const atn_schedule *s)
{
    int round = -1;

    fprintf(f, "rank %d%s split=%d rounds=%d\n", s->q.r, s->q.in_place ? " in_place" : "", s->split,
            s->nrounds);
    print_tmp(f, s);
    for (int i = 0; i < s->nops; i++) {
        if (s->ops[i].round != round)
            fprintf(f, "round %d\n", s->ops[i].round);
        round = s->ops[i].round;
        print_op(f, s, i);
    }
}

static void print_problem(FILE *f, const atn_problem *q)
{
    const atn_operation_info *o = atn_sched_operation_get(q->op);
    char size[32];

    fprintf(f, "problem %s p=%d", o->name, q->p);
    if (o->flags & ATN_ROOTED)
        fprintf(f, " root=%d", q->root);
    if (q->ordered)
        fputs(" ordered", f);
    if (q->segments > 1)
        fprintf(f, " pieces=%d", q->segments);
    if (q->bytes >= 0)
        fprintf(f, " bytes=%s", atn_format_size(q->bytes, size));
    if (q->neighbourhood) {
        fputs(" neighbors=", f);
        atn_sched_neighbourhood_print(f, q->neighbourhood);
    }
    fputc('\n', f);
}

void atn_sched_schedule_print(FILE *f, atn_schedule *const *schedules, int p)
{
    fprintf(f, "attune-schedule %d\n", ATN_SCHEDULE_VERSION);
    fprintf(f, "name %s\n", schedules[0]->name);
    print_problem(f, &schedules[0]->q);
    for (int r = 0; r < p; r++)
        print_rank(f, schedules[r]);
    fputs("end\n", f);
}
