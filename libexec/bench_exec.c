/* bench_exec.c - the MPI program behind `attune bench`: runs collectives in several variants,
 * interleaved in one job, and writes every sample (docs/measuring.md).
 *
 *   bench_exec [--seconds S] [--calls N] [--race] [--topology T] OPERATION/BYTES/VARIANTS ...
 *
 * VARIANTS are separated by ';': native, attune (as ATTUNE_RULES and ATTUNE_ALGORITHM say), all
 * (every candidate), or a name with parameters, "chain{segment=8K}".  Native always runs twice: as
 * "native" and as "control", so that every table shows its own noise.
 *
 * Output (rank 0): `attune-samples 1`, one `job` line, then for each task a `task` line, a `variant`
 * line per variant, `s VARIANT SECONDS` per call (maximum over ranks) and `done`; at the end `end`. */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exec/exec.h"
#include "exec/place.h"
#include "model/bound.h"
#include "plan/candidates.h"
#include "plan/rules.h"

enum { MAX_VARIANTS = 256, WARM_UP = 1, RACE_MIN = 3 };
static const double race_factor = 1.25; /* slower than the best by this much: out of the race */

typedef struct {
    char name[128];
    atn_choice choice; /* row NULL: the library's own routine */
    bool keep;         /* asked for by name: never dropped */
    bool out;
    int n;
    double best; /* smallest sample so far */
} variant;

typedef struct {
    int p, r;
    MPI_Comm wire;
    atn_exec *exec;
    atn_topo *topo;
    atn_rules *rules;
    double seconds;
    int calls;
    bool race;
    char *src, *dst;
    atn_choice current; /* what the executor is told to choose */
} bench;

/* ---- one call ---- */

static bool chosen(void *context, const atn_problem *q, atn_choice *choice_p)
{
    (void)q;
    *choice_p = ((const bench *)context)->current;
    return false;
}

static atn_call call_of(const bench *b, atn_operation op, int64_t bytes)
{
    const bool typed = atn_operation_get(op)->flags & ATN_TYPED;
    const MPI_Datatype type = typed ? MPI_LONG : MPI_BYTE;
    const int64_t count = typed ? bytes / (int64_t)sizeof(long) : bytes;

    return (atn_call){
        .op = op,
        .src = {.buf = op == ATN_BCAST || op == ATN_BARRIER ? NULL : b->src,
                .count = count,
                .type = type},
        .dst = {.buf = b->dst, .count = count, .type = type},
        .mpi_op = MPI_SUM,
    };
}

static int call_native(const bench *b, const atn_call *c)
{
    const int n = (int)c->dst.count;
    const MPI_Datatype t = c->dst.type;

    switch (c->op) {
    case ATN_BARRIER:
        return MPI_Barrier(MPI_COMM_WORLD);
    case ATN_BCAST:
        return MPI_Bcast(b->dst, n, t, 0, MPI_COMM_WORLD);
    case ATN_GATHER:
        return MPI_Gather(b->src, n, t, b->dst, n, t, 0, MPI_COMM_WORLD);
    case ATN_SCATTER:
        return MPI_Scatter(b->src, n, t, b->dst, n, t, 0, MPI_COMM_WORLD);
    case ATN_ALLGATHER:
        return MPI_Allgather(b->src, n, t, b->dst, n, t, MPI_COMM_WORLD);
    case ATN_ALLTOALL:
        return MPI_Alltoall(b->src, n, t, b->dst, n, t, MPI_COMM_WORLD);
    case ATN_REDUCE:
        return MPI_Reduce(b->src, b->dst, n, t, MPI_SUM, 0, MPI_COMM_WORLD);
    case ATN_ALLREDUCE:
        return MPI_Allreduce(b->src, b->dst, n, t, MPI_SUM, MPI_COMM_WORLD);
    case ATN_REDUCE_SCATTER_BLOCK:
        return MPI_Reduce_scatter_block(b->src, b->dst, n, t, MPI_SUM, MPI_COMM_WORLD);
    case ATN_SCAN:
        return MPI_Scan(b->src, b->dst, n, t, MPI_SUM, MPI_COMM_WORLD);
    case ATN_EXSCAN:
        return MPI_Exscan(b->src, b->dst, n, t, MPI_SUM, MPI_COMM_WORLD);
    default:
        return MPI_ERR_OTHER;
    }
}

static int call_once(bench *b, const variant *v, const atn_call *c)
{
    int code = MPI_SUCCESS;

    if (!v->choice.row || !v->choice.row->algo->build)
        return call_native(b, c);
    b->current = v->choice;
    atn_plan *plan = atn_exec_plan(b->exec, c, &code);
    return plan ? atn_exec_run(b->exec, plan, c, b->wire) : MPI_ERR_OTHER;
}

static double timed(bench *b, const variant *v, const atn_call *c)
{
    MPI_Barrier(MPI_COMM_WORLD);
    const double t0 = MPI_Wtime();
    const int code = call_once(b, v, c);
    double own = MPI_Wtime() - t0, worst;

    if (code != MPI_SUCCESS) {
        fprintf(stderr, "attune-bench: %s failed on rank %d with MPI error %d\n", v->name, b->r,
                code);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_Allreduce(&own, &worst, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return worst;
}

/* ---- variants ---- */

static variant *add_variant(variant *list, int *n, const char *name, const atn_choice *choice,
                            bool keep)
{
    if (*n == MAX_VARIANTS)
        return NULL;
    variant *v = &list[(*n)++];
    *v = (variant){.keep = keep, .best = INFINITY};
    if (choice)
        v->choice = *choice;
    snprintf(v->name, sizeof v->name, "%s", name);
    return v;
}

static void add_choice(variant *list, int *n, const atn_choice *c, bool keep)
{
    char name[128];

    atn_params_print(c->row, &c->params, name, sizeof name);
    add_variant(list, n, name, c, keep);
}

static void add_all(variant *list, int *n, const atn_problem *q)
{
    atn_choice *all = NULL;
    const int count = atn_candidates(q, &all);

    for (int i = 0; i < count; i++)
        add_choice(list, n, &all[i], false);
    free(all);
}

/* "chain{segment=8K}" -> row and parameters; false with a message from rank 0. */
static bool named(const bench *b, const atn_problem *q, char *text, atn_choice *c)
{
    char *brace = strchr(text, '{');
    atn_error err = {0};

    if (brace) {
        *brace++ = '\0';
        brace[strcspn(brace, "}")] = '\0';
    }
    c->row = atn_catalog_find(q->op, text);
    if (!c->row)
        atn_fail(&err, ATN_INPUT, "no algorithm %s/%s", atn_operation_get(q->op)->name, text);
    else if (atn_params_parse(c->row, brace ? brace : "", &c->params, &err) == ATN_OK) {
        atn_problem cut = *q;
        cut.pieces = atn_pieces(c->row, q, &c->params);
        const char *why = c->row->algo->build ? atn_refuses(c->row, &cut, &c->params) : NULL;
        if (why)
            atn_fail(&err, ATN_INPUT, "%s does not apply: %s", c->row->name, why);
    }
    if (err.status != ATN_OK && b->r == 0)
        fprintf(stderr, "attune-bench: %s\n", err.text);
    return err.status == ATN_OK;
}

static bool add_word(const bench *b, variant *list, int *n, const atn_problem *q, char *word)
{
    atn_choice c = {0};

    if (strcmp(word, "native") == 0)
        return true; /* always there */
    if (strcmp(word, "all") == 0) {
        add_all(list, n, q);
        return true;
    }
    if (strcmp(word, "attune") == 0) {
        atn_rules_choose(b->rules, q, 0, &c, NULL);
        add_variant(list, n, "attune", &c, true);
        if (b->r == 0) {
            char text[128];
            atn_params_print(c.row, &c.params, text, sizeof text);
            printf("attune-is %s\n", text);
        }
        return true;
    }
    if (!named(b, q, word, &c))
        return false;
    add_choice(list, n, &c, true);
    return true;
}

/* ---- a task ---- */

static double elapsed(const bench *b, double since)
{
    double t = MPI_Wtime() - since;

    (void)b;
    MPI_Bcast(&t, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    return t;
}

/* Drops candidates that cannot win any more; rank 0's samples are the maxima that all share. */
static void race(variant *list, int n)
{
    double best = INFINITY;

    for (int i = 0; i < n; i++)
        best = fmin(best, list[i].best);
    for (int i = 0; i < n; i++)
        list[i].out = list[i].out ||
                      (!list[i].keep && list[i].n >= RACE_MIN && list[i].best > race_factor * best);
}

static void run_task(bench *b, const atn_problem *q, variant *list, int n)
{
    const atn_call c = call_of(b, q->op, q->bytes);
    const double start = MPI_Wtime();

    for (int i = 0; i < n; i++)
        for (int k = 0; k < WARM_UP; k++)
            timed(b, &list[i], &c);
    for (int round = 0; round < b->calls; round++) {
        for (int k = 0; k < n; k++) {
            variant *v = &list[(k + round) % n]; /* another one begins each round */
            if (v->out)
                continue;
            const double t = timed(b, v, &c);
            v->best = fmin(v->best, t);
            v->n++;
            if (b->r == 0)
                printf("s %d %.9f\n", (int)(v - list), t);
        }
        if (b->race)
            race(list, n);
        if (round + 1 >= RACE_MIN && elapsed(b, start) > b->seconds)
            break;
    }
}

static void reserve(bench *b, const atn_problem *q)
{
    const size_t each = (size_t)q->bytes * (size_t)(q->op == ATN_BCAST || q->op == ATN_REDUCE ||
                                                            q->op == ATN_ALLREDUCE ||
                                                            q->op == ATN_SCAN || q->op == ATN_EXSCAN
                                                        ? 1
                                                        : q->p) +
                        64;
    free(b->src);
    free(b->dst);
    b->src = malloc(each);
    b->dst = malloc(each);
    if (!b->src || !b->dst) {
        fprintf(stderr, "attune-bench: no memory for %zu bytes\n", each);
        MPI_Abort(MPI_COMM_WORLD, 4);
    }
    memset(b->src, b->r, each);
    memset(b->dst, 0, each);
}

static bool parse_task(const bench *b, char *text, atn_problem *q, char **variants_p)
{
    char *op = strtok(text, "/"), *bytes = strtok(NULL, "/"), *rest = strtok(NULL, "");

    *q = (atn_problem){.p = b->p, .r = b->r, .pieces = 1, .topo = b->topo};
    *variants_p = rest;
    return op && bytes && rest && atn_operation_find(op, &q->op) &&
           atn_parse_size(bytes, &q->bytes) && call_of(b, q->op, q->bytes).op == q->op;
}

static bool task(bench *b, char *text)
{
    variant *list = calloc(MAX_VARIANTS, sizeof *list);
    atn_problem q;
    char *rest;
    int n = 0;
    bool ok = list && parse_task(b, text, &q, &rest);

    if (!ok && b->r == 0)
        fprintf(stderr, "attune-bench: '%s' is not OPERATION/BYTES/VARIANTS\n", text);
    if (ok) {
        if (b->r == 0)
            printf("task %s %lld %d %.9f\n", atn_operation_get(q.op)->name, (long long)q.bytes, q.p,
                   atn_bound(&q));
        add_variant(list, &n, "native", NULL, true);
        add_variant(list, &n, "control", NULL, true);
        for (char *word = strtok(rest, ";"); word && ok; word = strtok(NULL, ";"))
            ok = add_word(b, list, &n, &q, word);
    }
    if (ok) {
        for (int i = 0; i < n && b->r == 0; i++)
            printf("variant %d %s\n", i, list[i].name);
        fflush(stdout);
        reserve(b, &q);
        run_task(b, &q, list, n);
        if (b->r == 0)
            printf("done\n"), fflush(stdout);
    }
    free(list);
    return ok;
}

/* ---- the job ---- */

static void set_up(bench *b, const char *topology)
{
    const atn_place_mpi mpi = {MPI_Bcast, MPI_Allgather, MPI_Allreduce};
    char version[MPI_MAX_LIBRARY_VERSION_STRING];
    atn_error err = {0};
    int length, given = topology && *topology;

    MPI_Comm_size(MPI_COMM_WORLD, &b->p);
    MPI_Comm_rank(MPI_COMM_WORLD, &b->r);
    MPI_Comm_dup(MPI_COMM_WORLD, &b->wire);
    MPI_Bcast(&given, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (given)
        atn_place_ranks(&mpi, MPI_COMM_WORLD, topology, &b->topo, &err);
    if (err.status != ATN_OK && b->r == 0)
        fprintf(stderr, "attune-bench: %s; no topology is used\n", err.text);
    b->exec = atn_exec_new(b->p, b->r, false, chosen, b);
    atn_exec_set_topo(b->exec, b->topo);
    err.status = ATN_OK;
    if (atn_rules_load(getenv("ATTUNE_RULES"), getenv("ATTUNE_ALGORITHM"), "rules", &b->rules,
                       &err) != ATN_OK) {
        if (b->r == 0)
            fprintf(stderr, "attune-bench: %s\n", err.text);
        MPI_Abort(MPI_COMM_WORLD, ATN_INPUT);
    }
    MPI_Get_library_version(version, &length);
    version[strcspn(version, ",\n")] = '\0';
    if (b->r == 0)
        printf("attune-samples 1\njob %d %016llx %s\n", b->p,
               b->topo ? (unsigned long long)atn_topo_fingerprint(b->topo) : 0ULL, version);
}

static void tear_down(bench *b)
{
    atn_exec_free(b->exec);
    atn_topo_free(b->topo);
    atn_rules_free(b->rules);
    free(b->src);
    free(b->dst);
    MPI_Comm_free(&b->wire);
}

static const char *value_of(int argc, char **argv, int *i)
{
    return *i + 1 < argc ? argv[++*i] : "";
}

int main(int argc, char **argv)
{
    bench b = {.seconds = 5, .calls = 1000};
    const char *topology = getenv("ATTUNE_TOPOLOGY");
    bool ok = true;
    int i = 1;

    MPI_Init(&argc, &argv);
    for (; i < argc && strncmp(argv[i], "--", 2) == 0; i++) {
        if (strcmp(argv[i], "--seconds") == 0)
            b.seconds = atof(value_of(argc, argv, &i));
        else if (strcmp(argv[i], "--calls") == 0)
            b.calls = atoi(value_of(argc, argv, &i));
        else if (strcmp(argv[i], "--topology") == 0)
            topology = value_of(argc, argv, &i);
        else if (strcmp(argv[i], "--race") == 0)
            b.race = true;
        else
            ok = false;
    }
    set_up(&b, topology);
    if (!ok && b.r == 0)
        fprintf(stderr, "attune-bench: unknown option\n");
    for (; i < argc && ok; i++)
        ok = task(&b, argv[i]);
    if (b.r == 0)
        printf("%s\n", ok ? "end" : "failed");
    tear_down(&b);
    MPI_Finalize();
    return ok ? 0 : 3;
}
