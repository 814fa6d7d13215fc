/* generate.c - schedules as tables in C; the rest of the file is fixed text. */
#include "sched/generate.h"

#include <inttypes.h>
#include <stdlib.h>

#include "sched/generate_private.h"
#include "sched/text.h"

enum { FEW_RANKS = 64 }; /* up to this size every operation has a readable comment */

/* Where the tables of one schedule begin in those of all. */
typedef struct {
    int ops, ranges, waits, shapes;
} place;

static const atn_schedule *first(const atn_generation *g) { return g->sets[0][0]; }

bool atn_sched_generates(atn_operation op) { return atn_sched_generate_entry(op) != NULL; }

/* ---- head ---- */

static int most_in_pair(const atn_schedule *s)
{
    int most = 0;

    for (int i = 0; i < s->nops; i++)
        if (atn_sched_is_message(&s->ops[i]))
            most = atn_max(most, s->ops[i].seq + 1);
    return most;
}

static int most_blocks(const atn_schedule *s)
{
    int most = 0;

    for (int i = 0; i < s->nops; i++)
        most = atn_max(most, atn_max(atn_sched_slot_blocks(s, &s->ops[i].a),
                                     atn_sched_slot_blocks(s, &s->ops[i].b)));
    return most;
}

/* The greatest value of a property over all schedules. */
static int greatest(const atn_generation *g, int (*of)(const atn_schedule *))
{
    int most = 1;

    for (int i = 0; i < g->nsets; i++)
        for (int r = 0; r < g->p; r++)
            most = atn_max(most, of(g->sets[i][r]));
    return most;
}

static void write_head(FILE *f, const atn_generation *g, const atn_entry *e)
{
    const char *op = atn_sched_operation_get(e->op)->name;

    fprintf(f,
            "/* attune_%s - %s\n"
            " *\n"
            " * Written by attune schedule generate.  Takes the arguments of MPI_%s, on any\n"
            " * communicator of %d ranks, for any size and datatype; returns MPI_ERR_COMM on\n"
            " * others.  Compile it with mpicc; with -DATTUNE_REPLACE it also defines MPI_%s,\n"
            " * which passes other calls to the library. */\n"
            "#include <mpi.h>\n#include <stdlib.h>\n#include <string.h>\n\n"
            "int attune_%s(\n%s);\n\n",
            op, g->about, e->mpi, g->p, e->mpi, op, e->arguments);
    fprintf(f,
            "/* ---- the schedule ---- */\n\n"
            "enum {\n    RANKS = %d,\n"
            "    MESSAGES = %d, /* from one rank to another at most */\n"
            "    BLOCKS = %d, /* of one operation at most */\n"
            "    SHARES = %d, /* SEGMENT bounds one rank's share of a block */\n"
            "    WINDOW = 256 /* operations considered at a time */\n};\n",
            g->p, greatest(g, most_in_pair), greatest(g, most_blocks), g->shares);
    fprintf(f,
            "#define SEGMENT ((MPI_Aint)%" PRId64 ") /* bytes of a segment; 0: all in one */\n"
            "#define CHUNK ((MPI_Aint)%" PRId64 ") /* bytes of one MPI message; 0: whole */\n",
            g->segment, g->chunk);
}

static void write_sets(FILE *f, const atn_generation *g, const atn_entry *e)
{
    if (atn_sched_operation_get(e->op)->flags & ATN_ROOTED)
        fprintf(f, "enum { FIRST_ROOT = %d, ROOTS = %d };\n", g->first_root, g->nsets);
    if (e->typed)
        fprintf(f, "enum { COMMUTATIVE = %d }; /* only operators that commute */\n",
                g->commutative);
    if (e->op != ATN_ALLTOALLV)
        return;
    fprintf(f,
            "enum { CALLS = %d }; /* period of the patterns */\n"
            "static const int set_of_call[CALLS] = {",
            g->ncalls > 0 ? g->ncalls : 1);
    for (int i = 0; i < atn_max(1, g->ncalls); i++)
        fprintf(f, "%s%d", i ? ", " : "", g->ncalls > 0 ? g->set_of_call[i] : 0);
    fprintf(f, "};\n");
}

/* ---- tables ---- */

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
    "} program;\n\n";

typedef void (*visitor)(FILE *f, const atn_generation *g, const atn_schedule *s, place *at);

/* Calls the function for all schedules in order; `at` accumulates. */
static void each(FILE *f, const atn_generation *g, visitor visit)
{
    place at = {0};

    for (int i = 0; i < g->nsets; i++)
        for (int r = 0; r < g->p; r++)
            visit(f, g, g->sets[i][r], &at);
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
    fprintf(f, "    /* rank %d", s->q.r);
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

static void write_tables(FILE *f, const atn_generation *g)
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
}

/* ---- the routine ---- */

static void write_entry(FILE *f, const atn_entry *e)
{
    const char *op = atn_sched_operation_get(e->op)->name;

    fprintf(f, "\n/* ---- the routine ---- */\n\nint attune_%s(\n%s)\n%s", op, e->arguments,
            e->body);
    fprintf(f,
            "\n#ifdef ATTUNE_REPLACE\nint MPI_%s(\n%s)\n{\n"
            "    const int code = attune_%s(%s);\n\n"
            "    if (code != MPI_ERR_COMM && code != MPI_ERR_ROOT && code != MPI_ERR_OP)\n"
            "        return code;\n"
            "    return PMPI_%s(%s);\n}\n#endif\n",
            e->mpi, e->arguments, op, e->names, e->mpi, e->names);
}

atn_status atn_sched_generate(FILE *f, const atn_generation *g, atn_error *err)
{
    const atn_operation op = first(g)->q.op;
    const atn_entry *e = atn_sched_generate_entry(op);

    if (!e)
        return atn_fail(err, ATN_INPUT, "no routine can be generated for %s",
                        atn_sched_operation_get(op)->name);
    for (int i = 0; i < g->nsets; i++)
        for (int r = 0; r < g->p; r++)
            if (atn_sched_is_shared(g->sets[i][r]))
                return atn_fail(err, ATN_INPUT,
                                "%s reads shared memory; generated routines use only messages",
                                g->sets[i][r]->name);
    write_head(f, g, e);
    write_sets(f, g, e);
    write_tables(f, g);
    fputs(atn_sched_generate_runtime, f);
    fprintf(f, "\n%s", e->typed ? atn_generate_typed : atn_generate_packed);
    write_entry(f, e);
    return ferror(f) ? atn_fail(err, ATN_ENVIRONMENT, "cannot write the routine") : ATN_OK;
}
