/* generate_tables.c - schedules as tables of a generated file. */
#include <inttypes.h>

#include "sched/generate_private.h"
#include "sched/text.h"

enum { FEW_RANKS = 64 }; /* up to this size every operation has a readable comment */

/* Where the tables of one schedule begin in those of all. */
typedef struct {
    int ops, ranges, waits, shapes;
} place;

static const char types[] =
    "\nenum { SRC, DST, TMP }; /* the user's buffers, and scratch */\n"
    "enum { SEND, SSEND, RECV, RECV_REDUCE, COPY, REDUCE };\n"
    "enum { STARTED = 1, DONE = 2 };\n\n"
    "typedef struct {\n    int first, count;\n} range;\n\n"
    "typedef struct {\n"
    "    signed char kind, from, to, with; /* spaces of slots a, b and c */\n"
    "    int peer, number;         /* of a message: the other rank, its number in the pair */\n"
    "    int a, na, b, nb, c, nc;  /* slots: ranges[a], ..., ranges[a + na - 1] */\n"
    "    int wait, waits;          /* waits[wait], ...: operations to complete first */\n"
    "} operation;\n\n"
    "typedef struct {\n"
    "    int first, count;   /* its operations */\n"
    "    int scratch, shape; /* blocks of TMP; shapes[shape + t]: block t is as large as */\n"
    "    int split;          /* blocks per natural block */\n"
    "} program;\n\n"
    "/* The schedules of an algorithm. */\n"
    "typedef struct {\n"
    "    MPI_Aint from, below; /* sizes in bytes that they serve; below 0: all others */\n"
    "    int first;            /* in `programs` */\n"
    "    MPI_Aint segment;     /* bytes of a segment; 0: all in one */\n"
    "    MPI_Aint chunk;       /* bytes of one MPI message; 0: whole */\n"
    "    int shares;           /* `segment` bounds one rank's share of a block */\n"
    "    int commutative;      /* only operators that commute */\n"
    "} variant;\n\n";

typedef void (*visitor)(FILE *f, const atn_generation *g, const atn_schedule *s, place *at);

/* Calls the function for all schedules in order; `at` accumulates. */
static void each(FILE *f, const atn_generation *g, visitor visit)
{
    place at = {0};

    for (int k = 0; k < g->n; k++)
        for (int j = 0; j < g->routines[k].n; j++) {
            const atn_generated *v = &g->routines[k].v[j];
            for (int i = 0; i < v->nsets; i++)
                for (int r = 0; r < g->p; r++)
                    visit(f, g, v->sets[i][r], &at);
        }
}

static void slot_ranges(FILE *f, const atn_schedule *s, const atn_slot *slot, place *at)
{
    const atn_range *r = atn_sched_slot_ranges(s, slot);

    for (int i = 0; i < slot->n; i++, at->ranges++)
        fprintf(f, "%s{%d, %d},", at->ranges % 8 ? " " : "\n    ", r[i].first, r[i].count);
}

static void write_ranges(FILE *f, const atn_generation *g, const atn_schedule *s, place *at)
{
    (void)g;
    for (int i = 0; i < s->nops; i++) {
        slot_ranges(f, s, &s->ops[i].a, at);
        slot_ranges(f, s, &s->ops[i].b, at);
        slot_ranges(f, s, &s->ops[i].c, at);
    }
}

static void write_waits(FILE *f, const atn_generation *g, const atn_schedule *s, place *at)
{
    (void)g;
    for (int i = 0; i < s->ndeps; i++, at->waits++)
        fprintf(f, "%s%d,", at->waits % 16 ? " " : "\n    ", s->deps[i]);
}

static void write_shapes(FILE *f, const atn_generation *g, const atn_schedule *s, place *at)
{
    (void)g;
    for (int i = 0; i < s->ntmp; i++, at->shapes++)
        fprintf(f, "%s%d,", at->shapes % 16 ? " " : "\n    ", s->tmp_shape[i]);
}

/* "send 3 src[3]", as in the text format. */
static void write_remark(FILE *f, const atn_schedule *s, const atn_op *o)
{
    fprintf(f, " /* %s ", atn_sched_op_name(o));
    if (atn_sched_is_message(o))
        fprintf(f, "%d ", o->peer);
    atn_sched_slot_print(f, s, &o->a);
    if (atn_sched_reduces(o) && o->c.n > 0) {
        fprintf(f, " with ");
        atn_sched_slot_print(f, s, &o->c);
    }
    if (o->b.n > 0) {
        fprintf(f, " ");
        atn_sched_slot_print(f, s, &o->b);
    }
    fprintf(f, " */");
}

static void write_op(FILE *f, const atn_generation *g, const atn_schedule *s, int i, place *at)
{
    static const char *const kinds[] = {[ATN_OP_SEND] = "SEND",
                                        [ATN_OP_RECV] = "RECV",
                                        [ATN_OP_RECV_REDUCE] = "RECV_REDUCE",
                                        [ATN_OP_COPY] = "COPY",
                                        [ATN_OP_REDUCE] = "REDUCE"};
    static const char *const spaces[] = {"SRC", "DST", "TMP"};
    const atn_op *o = &s->ops[i];

    fprintf(f, "    {%s, %s, %s, %s, %d, %d, %d, %d, %d, %d, %d, %d, %d, %d},",
            o->ssend ? "SSEND" : kinds[o->kind], spaces[o->a.n ? o->a.space : 0],
            spaces[o->b.n ? o->b.space : 0], spaces[o->c.n ? o->c.space : 0], o->peer, o->seq,
            at->ranges, o->a.n, at->ranges + o->a.n, o->b.n, at->ranges + o->a.n + o->b.n, o->c.n,
            at->waits + o->dep, o->ndeps);
    at->ranges += o->a.n + o->b.n + o->c.n;
    if (g->p <= FEW_RANKS)
        write_remark(f, s, o);
    fprintf(f, "\n");
}

static void write_ops(FILE *f, const atn_generation *g, const atn_schedule *s, place *at)
{
    fprintf(f, "    /* %s, rank %d", atn_sched_operation_get(s->q.op)->name, s->q.r);
    if (atn_sched_operation_get(s->q.op)->flags & ATN_ROOTED)
        fprintf(f, " of root %d", s->q.root);
    fprintf(f, " */\n");
    for (int i = 0; i < s->nops; i++)
        write_op(f, g, s, i, at);
    at->ops += s->nops;
    at->waits += s->ndeps;
}

static void write_program(FILE *f, const atn_generation *g, const atn_schedule *s, place *at)
{
    fprintf(f, "%s{%d, %d, %d, %d, %d}%s", s->q.r == 0 ? "    {\n        " : "", at->ops, s->nops,
            s->ntmp, at->shapes, s->split,
            s->q.r == g->p - 1 ? "\n    },\n"
            : s->q.r % 5 == 4  ? ",\n        "
                               : ", ");
    at->ops += s->nops;
    at->shapes += s->ntmp;
}

static void write_variant(FILE *f, const atn_generated_routine *x, const atn_generated *v,
                          int first)
{
    fprintf(f,
            "    {.from = %" PRId64 ", .below = %" PRId64 ", .first = %d, .segment = %" PRId64
            ",\n     .chunk = %" PRId64 ", .shares = %d, .commutative = %d}, /* %s */\n",
            v->from, v->below, first, v->segment, v->chunk, v->shares, v->commutative,
            atn_sched_operation_get(x->op)->name);
}

static void write_variants(FILE *f, const atn_generation *g)
{
    int first = 0;

    fprintf(f, "static const variant variants[] = {\n");
    for (int k = 0; k < g->n; k++)
        for (int j = 0; j < g->routines[k].n; j++) {
            write_variant(f, &g->routines[k], &g->routines[k].v[j], first);
            first += g->routines[k].v[j].nsets;
        }
    fprintf(f, "};\n\n");
}

void atn_sched_generate_tables(FILE *f, const atn_generation *g)
{
    fprintf(f, "%sstatic const range ranges[] = {", types);
    each(f, g, write_ranges);
    fprintf(f, "\n    {0, 0},\n};\n\nstatic const int waits[] = {");
    each(f, g, write_waits);
    fprintf(f, "\n    0,\n};\n\nstatic const int shapes[] = {");
    each(f, g, write_shapes);
    fprintf(f, "\n    0,\n};\n\nstatic const operation operations[] = {\n");
    each(f, g, write_ops);
    fprintf(f, "    {COPY, SRC, SRC, SRC, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},\n};\n\n"
               "static const program programs[][RANKS] = {\n");
    each(f, g, write_program);
    fprintf(f, "};\n\n");
    write_variants(f, g);
}
