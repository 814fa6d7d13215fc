/* generate.c - schedules as C; what does not depend on them is fixed text. */
#include "sched/generate.h"

#include "sched/generate_private.h"

bool atn_sched_generates(atn_operation op) { return atn_sched_generate_entry(op) != NULL; }

const char *atn_sched_generate_refuses(const atn_schedule *s)
{
    if (atn_sched_is_shared(s))
        return "it reads shared memory; generated routines use only messages";
    if (s->q.op == ATN_ALLTOALLV && s->ntmp > 0)
        return "ranks forward blocks of unknown size";
    return NULL;
}

/* ---- limits of all schedules ---- */

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

/* The greatest value of a property over all schedules of a variant. */
static int greatest_of(const atn_generated *v, int p, int (*of)(const atn_schedule *))
{
    int most = 1;

    for (int i = 0; i < v->nsets; i++)
        for (int r = 0; r < p; r++)
            most = atn_max(most, of(v->sets[i][r]));
    return most;
}

static int greatest(const atn_generation *g, int (*of)(const atn_schedule *))
{
    int most = 1;

    for (int k = 0; k < g->n; k++)
        for (int j = 0; j < g->routines[k].n; j++)
            most = atn_max(most, greatest_of(&g->routines[k].v[j], g->p, of));
    return most;
}

/* Whether a routine with schedules has the property. */
static bool any(const atn_generation *g, bool (*is)(atn_operation op))
{
    for (int k = 0; k < g->n; k++)
        if (g->routines[k].n > 0 && is(g->routines[k].op))
            return true;
    return false;
}

static bool is_typed(atn_operation op) { return atn_sched_operation_get(op)->flags & ATN_TYPED; }
static bool is_packed(atn_operation op) { return !is_typed(op); }
static bool varies(atn_operation op) { return atn_sched_operation_get(op)->flags & ATN_VARYING; }
static bool has_sum(atn_operation op) { return op == ATN_ALLGATHERV; }
static bool has_size(atn_operation op) { return atn_sched_generate_entry(op)->bytes != NULL; }

/* ---- head ---- */

static const char *name_of(const atn_generated_routine *x)
{
    return atn_sched_operation_get(x->op)->name;
}

/* Names of files may hold anything. */
static void write_text(FILE *f, const char *text)
{
    for (; *text; text++)
        fprintf(f, *text == '*' && text[1] == '/' ? "%c " : "%c",
                (unsigned char)*text < ' ' ? ' ' : *text);
}

static void write_single(FILE *f, const atn_generation *g)
{
    const char *op = name_of(g->routines), *mpi = atn_sched_generate_entry(g->routines->op)->mpi;

    fprintf(f, "/* attune_%s - ", op);
    write_text(f, g->about);
    fprintf(f,
            "\n *\n"
            " * Written by attune schedule generate.  Takes the arguments of MPI_%s, on any\n"
            " * communicator of %d ranks, for any size and datatype; returns MPI_ERR_COMM on\n"
            " * others.  Compile it with mpicc; with -DATTUNE_REPLACE it also defines MPI_%s,\n"
            " * which passes other calls to the library. */\n",
            mpi, g->p, mpi);
}

static void write_tuned(FILE *f, const atn_generation *g)
{
    fprintf(f, "/* ");
    write_text(f, g->about);
    fprintf(
        f,
        "\n *\n"
        " * Written by attune schedule generate.  attune_bcast and so on take the arguments of\n"
        " * the MPI functions, on any communicator, for any size and datatype.  On %d ranks\n"
        " * the algorithms below serve sizes in bytes; other calls are passed to the library.\n"
        " * Compile it with mpicc; with -DATTUNE_REPLACE it also defines the MPI functions.\n"
        " *\n",
        g->p);
    for (int k = 0; k < g->n; k++) {
        for (int j = 0; j < g->routines[k].n; j++) {
            fprintf(f, " *   ");
            write_text(f, g->routines[k].v[j].about);
            fprintf(f, "\n");
        }
        if (g->routines[k].n == 0)
            fprintf(f, " *   %s: native\n", name_of(&g->routines[k]));
    }
    fprintf(f, " */\n");
}

static void write_calls(FILE *f, const atn_generation *g)
{
    fprintf(f,
            "enum { CALLS = %d }; /* period of the patterns */\n"
            "static const int set_of_call[CALLS] = {",
            g->ncalls > 0 ? g->ncalls : 1);
    for (int i = 0; i < atn_max(1, g->ncalls); i++)
        fprintf(f, "%s%d", i ? ", " : "", g->ncalls > 0 ? g->set_of_call[i] : 0);
    fprintf(f, "};\n");
}

static void write_head(FILE *f, const atn_generation *g)
{
    (g->tuned ? write_tuned : write_single)(f, g);
    fprintf(f, "#include <mpi.h>\n#include <stdlib.h>\n#include <string.h>\n");
    for (int k = 0; k < g->n; k++)
        fprintf(f, "\nint attune_%s(\n%s);\n", name_of(&g->routines[k]),
                atn_sched_generate_entry(g->routines[k].op)->arguments);
    fprintf(f,
            "\n/* ---- the schedules ---- */\n\n"
            "enum {\n    RANKS = %d,\n"
            "    FIRST_ROOT = %d, ROOTS = %d, /* of operations with a root */\n"
            "    MESSAGES = %d, /* from one rank to another at most */\n"
            "    BLOCKS = %d, /* of one operation at most */\n"
            "    WINDOW = 256 /* operations considered at a time */\n};\n",
            g->p, g->first_root, g->roots, greatest(g, most_in_pair), greatest(g, most_blocks));
    if (any(g, varies))
        write_calls(f, g);
}

/* ---- the routines ---- */

static void write_replacement(FILE *f, const atn_generation *g, const atn_entry *e)
{
    const char *op = atn_sched_operation_get(e->op)->name;

    fprintf(f, "\n#ifdef ATTUNE_REPLACE\nint MPI_%s(\n%s)\n{\n", e->mpi, e->arguments);
    if (g->tuned)
        fprintf(f, "    return attune_%s(%s);\n}\n#endif\n", op, e->names);
    else
        fprintf(f,
                "    const int code = attune_%s(%s);\n\n"
                "    if (code != MPI_ERR_COMM && code != MPI_ERR_ROOT && code != MPI_ERR_OP)\n"
                "        return code;\n"
                "    return PMPI_%s(%s);\n}\n#endif\n",
                op, e->names, e->mpi, e->names);
}

/* Calls that no variant serves, or that it rejects before it sends anything, are native. */
static void write_choice(FILE *f, const atn_generated_routine *x, const atn_entry *e, int first)
{
    if (x->n > 0)
        fprintf(f,
                "    const variant *v = find(%d, %d, %s);\n"
                "    const int code = v ? run_%s(v, %s) : MPI_ERR_COMM;\n\n"
                "    if (code != MPI_ERR_COMM && code != MPI_ERR_ROOT && code != MPI_ERR_OP)\n"
                "        return code;\n",
                first, x->n, e->bytes ? e->bytes : "0", name_of(x), e->names);
    fprintf(f, "    return PMPI_%s(%s);\n", e->mpi, e->names);
}

static void write_routine(FILE *f, const atn_generation *g, const atn_generated_routine *x,
                          int first)
{
    const atn_entry *e = atn_sched_generate_entry(x->op);

    fprintf(f, "\n/* ---- %s ---- */\n", name_of(x));
    if (x->n > 0)
        fprintf(f, "\nstatic int run_%s(\n    const variant *v,\n%s)\n%s", name_of(x), e->arguments,
                e->body);
    fprintf(f, "\nint attune_%s(\n%s)\n{\n", name_of(x), e->arguments);
    if (g->tuned)
        write_choice(f, x, e, first);
    else
        fprintf(f, "    return run_%s(&variants[0], %s);\n", name_of(x), e->names);
    fprintf(f, "}\n");
    write_replacement(f, g, e);
}

static void write_fixed(FILE *f, const atn_generation *g)
{
    fputs(atn_sched_generate_runtime, f);
    if (any(g, is_packed))
        fprintf(f, "\n%s", atn_generate_packed);
    if (any(g, is_typed))
        fprintf(f, "\n%s", atn_generate_typed);
    if (g->tuned)
        fprintf(f, "\n%s%s%s", atn_generate_find, any(g, has_size) ? atn_generate_size : "",
                any(g, has_sum) ? atn_generate_sum : "");
}

static atn_status check(const atn_generated *v, int p, atn_error *err)
{
    for (int i = 0; i < v->nsets; i++)
        for (int r = 0; r < p; r++) {
            const char *why = atn_sched_generate_refuses(v->sets[i][r]);
            if (why)
                return atn_fail(err, ATN_INPUT, "%s: no routine can be generated: %s",
                                v->sets[i][r]->name, why);
        }
    return ATN_OK;
}

atn_status atn_sched_generate(FILE *f, const atn_generation *g, atn_error *err)
{
    atn_status st = ATN_OK;

    for (int k = 0; k < g->n; k++)
        for (int j = 0; j < g->routines[k].n && !st; j++)
            st = check(&g->routines[k].v[j], g->p, err);
    if (st)
        return st;
    write_head(f, g);
    atn_sched_generate_tables(f, g);
    write_fixed(f, g);
    for (int k = 0, first = 0; k < g->n; first += g->routines[k++].n)
        write_routine(f, g, &g->routines[k], first);
    return ferror(f) ? atn_fail(err, ATN_ENVIRONMENT, "cannot write the routine") : ATN_OK;
}
