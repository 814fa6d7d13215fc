/* planned.c - ATTUNE_SELECT=model: what no rule covers is planned by predicted time.
 *
 * Predictions are floating point and so never trusted to agree: rank 0 of a communicator plans, the
 * others hear of it in the same call.  Sizes are put into kinds, two for each doubling, so that few
 * plans serve a program; what was planned once is never forgotten, so that only the first call of a
 * kind, which all ranks share, is collective. */
#include <stdlib.h>
#include <string.h>

#include "plan/planner.h"
#include "pmpi/comm.h"

enum { MAX_KINDS = 512, CHUNK = 4096 };

typedef struct {
    atn_operation op;
    int root, size;
    bool ordered;
} kind;

typedef struct {
    kind of;
    atn_choice choice;
} decision;

typedef struct atn_planned {
    int n;
    decision v[MAX_KINDS];
} planned;

/* With room for all: a lack of memory later would not be shared by all ranks. */
bool atn_planned_start(atn_comm *c)
{
    if (atn_rules_plan(atn_the_job.rules) && c->planned == NULL)
        c->planned = calloc(1, sizeof *c->planned);
    return c->planned != NULL || !atn_rules_plan(atn_the_job.rules);
}

void atn_planned_free(planned *p) { free(p); }

/* ---- the machine: one rank reads, all get the same text ---- */

/* NULL: none named, or bad, which is said. */
static char *read_machine(const atn_job *job)
{
    const char *const file = atn_setting_given(&job->settings, ATN_SET_MACHINE);
    atn_machine *m = NULL;
    atn_error err = {0};
    char *text = NULL;
    if (file == NULL) {
        if (job->verbose > 0)
            atn_say("ATTUNE_MACHINE names no machine; plans assume a built-in one");
        return NULL;
    }
    if (atn_machine_read(file, &m, &err) != ATN_OK) {
        atn_say("%s; plans assume a built-in machine", err.text);
        return NULL;
    }
    const char *const why = atn_machine_refuses(m, job->topo);
    if (why == NULL)
        text = atn_machine_print(m);
    else
        atn_say("%s: %s; plans assume a built-in machine", file, why);
    atn_machine_free(m);
    return text;
}

/* In portions, so that a rank without memory can still take part. */
static char *share_text(char *text, bool from)
{
    int64_t left = from && text != NULL ? (int64_t)strlen(text) : 0, at = 0;
    atn_real.Bcast(&left, 1, MPI_INT64_T, 0, MPI_COMM_WORLD);
    if (!from)
        text = left > 0 ? malloc((size_t)left + 1) : NULL;
    for (; left > 0; left -= CHUNK, at += CHUNK) {
        char portion[CHUNK];
        const int n = left < CHUNK ? (int)left : CHUNK;
        if (from)
            memcpy(portion, text + at, (size_t)n);
        atn_real.Bcast(portion, n, MPI_CHAR, 0, MPI_COMM_WORLD);
        if (!from && text != NULL) {
            memcpy(text + at, portion, (size_t)n);
            text[at + n] = '\0';
        }
    }
    return text;
}

void atn_job_machine(atn_job *job)
{
    if (!atn_rules_plan(job->rules))
        return;
    char *const text = share_text(job->r == 0 ? read_machine(job) : NULL, job->r == 0);
    if (text == NULL)
        job->machine = atn_machine_builtin();
    else
        atn_machine_parse(text, strlen(text), "machine", &job->machine, NULL);
    free(text);
}

/* ---- plans ---- */

/* Two kinds for each doubling: below and from one and a half times a power of two on. */
static int size_kind(int64_t bytes)
{
    int power = 0;
    while (power < 62 && bytes >> (power + 1) > 0)
        power++;
    return bytes <= 0 ? -1 : 2 * power + (power > 0 && (bytes >> (power - 1) & 1));
}

static kind kind_of(const atn_problem *q)
{
    return (kind){.op = q->op, .root = q->root, .size = size_kind(q->bytes), .ordered = q->ordered};
}

static bool same_kind(kind x, kind y)
{
    return x.op == y.op && x.root == y.root && x.size == y.size && x.ordered == y.ordered;
}

/* As text, because some parameters are numbers of this process; empty: native. */
static void plan(const atn_comm *c, const atn_problem *q, char text[ATN_NAME_ROOM])
{
    atn_problem shared = *q;
    atn_ranking r = {.n = 0};
    *text = '\0';
    shared.r = 0;
    shared.in_place = false;
    shared.topo = c->topo;
    if (atn_the_job.machine == NULL || atn_planner_rank(&shared, atn_the_job.machine, NULL,
                                                        atn_plan_budget(c->p), &r, NULL) != ATN_OK)
        return;
    if (r.n > 0) {
        char name[ATN_NAME_ROOM];
        atn_params_print(r.v[0].choice.row, &r.v[0].choice.params, name, sizeof name);
        snprintf(text, ATN_NAME_ROOM, "%s", strchr(name, '/') + 1);
    }
    atn_ranking_free(&r);
}

static void choose_new(atn_comm *c, const atn_problem *q, atn_choice *choice_p)
{
    char text[ATN_NAME_ROOM];
    if (c->r == 0)
        plan(c, q, text);
    if (c->p > 1)
        atn_real.Bcast(text, sizeof text, MPI_CHAR, 0, c->user);
    if (*text == '\0' || atn_choice_read(q->op, text, choice_p, NULL) != ATN_OK)
        *choice_p = (atn_choice){.row = atn_catalog_native(q->op)};
}

/* Sizes of a kind may differ in what applies to them. */
static void check_choice(const atn_problem *q, atn_choice *choice_p)
{
    atn_problem shared = *q;
    shared.r = 0;
    shared.in_place = false;
    shared.pieces = atn_pieces(choice_p->row, &shared, &choice_p->params);
    if (choice_p->row->algo->build && atn_refuses(choice_p->row, &shared, &choice_p->params))
        *choice_p = (atn_choice){.row = atn_catalog_native(q->op)};
}

void atn_planned_choose(atn_comm *c, const atn_problem *q, atn_choice *choice_p)
{
    planned *const p = c->planned;
    const kind of = kind_of(q);
    int i = 0;
    if (p == NULL || q->bytes < 0)
        return;
    while (i < p->n && !same_kind(p->v[i].of, of))
        i++;
    if (i == MAX_KINDS)
        return;
    if (i == p->n) {
        choose_new(c, q, &p->v[i].choice);
        p->v[p->n++].of = of;
    }
    *choice_p = p->v[i].choice;
    check_choice(q, choice_p);
}
