/* levels.h - collectives over a hierarchy: clusters of ranks inside clusters, to any depth, which
 * may differ between branches, and at each level an algorithm of the catalogue.
 *
 * A cluster joins members: smaller clusters, or single ranks.  One rank leads each of them (the
 * first; the root where it is inside, so that it never adds a hop; for prefixes the last), and the
 * leaders of the members of a cluster carry out a *part* of the operation among themselves, e.g.
 * allreduce: reduce inside, level by level; allreduce at the top; broadcast back inside.
 * Ranks are numbered by *places*, in which every cluster is a run; operations that care about
 * order are served where places are ranks.
 * The level of a cluster is called after its members: "site" joins sites, "switch" switches,
 * "host" hosts, "rank" the ranks of a host.  All that is derived here is the same on all ranks. */
#ifndef ATN_LEVELS_H
#define ATN_LEVELS_H

#include <string.h>

#include "algo/algo.h"

/* ---- the text: "site:flat,switch:none,host:chain{chains=2}" (levels_words.c) ---- */

enum { ATN_LEVEL_WORDS = 16, ATN_LEVEL_NAME = 32 };

/* "node*16:ring": clusters of 16 consecutive ranks are called nodes, and joined by rings. */
typedef struct {
    char name[ATN_LEVEL_NAME];
    int size;                  /* 0: the topology knows them */
    char algo[ATN_LEVEL_NAME]; /* "": the usual one; "none": these are not told apart */
    char params[64];
} atn_level_word;

typedef struct {
    int n;
    bool given; /* the words have sizes, so no topology is needed */
    atn_level_word v[ATN_LEVEL_WORDS];
} atn_level_words;

/* False: not of that form; *bad_p is then the word in question. */
bool atn_level_words_read(const char *text, atn_level_words *words_p, char bad_p[ATN_LEVEL_NAME]);
static inline bool atn_level_is_none(const atn_level_words *w, int word)
{
    return word >= 0 && strcmp(w->v[word].algo, "none") == 0;
}

/* ---- the hierarchy (levels_tree.c) ---- */

typedef struct {
    int first, count; /* places */
    int cluster;      /* which it is; -1: a rank */
} atn_level_member;

typedef struct {
    int first, count;    /* places */
    int depth;           /* 0: all ranks */
    int member, members; /* members[member .. member + members) of the tree; at least two */
    int word;            /* that names its level; -1: none does */
    bool wide;           /* its members are far from each other */
    const char *level;   /* name of its members; as long as the topology or the words */
} atn_cluster;

typedef struct {
    int p, n, depth;       /* ranks, clusters, levels of them */
    int *rank, *place;     /* of a place, of a rank */
    atn_cluster *clusters; /* the one of all ranks first; none when there is one rank */
    atn_level_member *members;
} atn_levels;

/* From the topology, or from the words where they are given; false: out of memory. */
bool atn_levels_begin(const struct atn_topo *t, int p, const atn_level_words *words,
                      atn_levels *tree_p);
void atn_levels_end(atn_levels *tree);
bool atn_levels_sorted(const atn_levels *tree); /* places are ranks */

/* ---- parts (levels_parts.c) ---- */

/* Inwards to the leader; among the members of the outermost cluster (or, for operations that need
 * it, of every cluster); from the leader outwards. */
typedef enum { ATN_LEVEL_UP, ATN_LEVEL_ACROSS, ATN_LEVEL_DOWN, ATN_LEVEL_PARTS } atn_level_part;

typedef struct {
    const atn_row *row; /* NULL: this cluster has no such part */
    atn_params prm;
    bool signals;
    int rounds;
} atn_level_use;

/* The operation that a part is (ATN_OPERATIONS: there is none), and what it is when members
 * differ in size; the row of that name or of what it stands for there, NULL: none; the usual row.
 */
atn_operation atn_level_operation(atn_operation op, atn_level_part part);
atn_operation atn_level_varying(atn_operation op);
const atn_row *atn_level_row(atn_operation op, const char *name);
const atn_row *atn_level_usual(atn_operation op, bool wide);
/* Those of the word's parameters that the row has. */
void atn_level_set_params(const atn_row *row, const atn_level_word *w, atn_params *prm);
bool atn_level_is_row(const atn_algo *algo);

/* ---- all that is needed to emit (levels_plan.c) ---- */

typedef struct {
    const struct atn_topo *topo;
    atn_level_words words;
    atn_levels tree;
    int root;           /* its place; -1: the operation has none */
    bool last;          /* the last rank leads, not the first */
    atn_level_use *use; /* [cluster * ATN_LEVEL_PARTS + part] */
    int *rounds;        /* of the longest: [depth * ATN_LEVEL_PARTS + part] */
    const char *why;    /* it does not apply; NULL: it does */
    bool kept;          /* made once for all ranks (derived.h) */
} atn_level_plan;

atn_level_plan *atn_level_plan_new(const atn_problem *q, const atn_params *prm); /* NULL: memory */
void atn_level_plan_free(atn_level_plan *plan);
/* The place that leads some places. */
int atn_level_leader(const atn_level_plan *plan, int first, int count);
/* The sub-topology of the ranks that carry out a part of c, in their order; NULL: memory. */
struct atn_topo *atn_level_topo(const atn_level_plan *plan, const atn_cluster *c, bool all);
static inline const atn_level_use *atn_level_use_of(const atn_level_plan *plan,
                                                    const atn_cluster *c, atn_level_part part)
{
    return &plan->use[(c - plan->tree.clusters) * ATN_LEVEL_PARTS + (int)part];
}

/* For parameters: whether the words make sense for a row; for the catalogue: whether they replace a
 * topology; then `refuses` and parameters of every row. */
atn_status atn_levels_check(const atn_row *row, const char *text, atn_error *err);
/* Levels of clusters that a problem's topology has: 0 when it is not known or there is one rank. */
int atn_levels_depth(const atn_problem *q);
bool atn_levels_given(const atn_row *row, const atn_params *prm);
const char *atn_levels_refuses(const atn_problem *q, const atn_params *prm);
extern const atn_param atn_levels_params[];

/* ---- emitting (levels_run.c) ---- */

/* What a rank holds while it emits one piece; q counts in places. */
typedef struct {
    atn_builder *b;
    const atn_problem *q;
    const atn_level_plan *plan;
    atn_level_part part; /* being emitted */
    int due;             /* the round in which the next phase begins */
    atn_ref held;        /* result of the members that it leads so far; at first its source */
    bool moved;          /* held is no longer the source */
    atn_ref store;       /* a block for each place of a cluster that it leads ... */
    int base;            /* ... beginning with this one */
    int *bounds, *shape; /* for atn_level_members */
    int range[3][2];     /* for atn_level_range */
    void *more;          /* of the operation's own */
} atn_level_run;

typedef void (*atn_level_emit)(atn_level_run *x);
typedef void (*atn_level_step)(atn_level_run *x, const atn_cluster *c);

/* The `build` of a row. */
void atn_levels_build(atn_builder *b, const atn_problem *q, const atn_params *prm,
                      atn_level_emit emit);

/* One part in the cluster of that depth in which this rank leads a member, if there is one; with
 * `all`, in the cluster of that depth around this rank. */
void atn_level_phase(atn_level_run *x, atn_level_part part, int depth, bool all,
                     atn_level_step step);
/* The usual order: up from the innermost clusters, across at the top or up to it, down again.
 * NULL: the operation has no such part. */
void atn_level_phases(atn_level_run *x, atn_level_step up, atn_level_step across,
                      atn_level_step down);

/* Carries out the part of a cluster; sides as in atn_embed. */
typedef struct {
    atn_view src, dst, vec;
    bool in_place;
    bool all; /* all ranks of the cluster take part, not only leaders of members */
} atn_level_sides;
void atn_level_embed(atn_level_run *x, const atn_cluster *c, const atn_level_sides *s);

/* The member of c that this rank is in; whether it leads c; the largest cluster that it leads, not
 * counting the one of all ranks if `inner` (NULL: none). */
const atn_level_member *atn_level_own(const atn_level_run *x, const atn_cluster *c);
bool atn_level_leads(const atn_level_run *x, const atn_cluster *c);
const atn_cluster *atn_level_largest(const atn_level_run *x, bool inner);

/* Views of `at`, which has a block for each place from `base` on: one natural block per member of
 * c; one natural block of some places.  For the shape, `at` does not matter and base is 0.  Room is
 * one of x->bounds and x->shape, or of x->range. */
atn_view atn_level_members(const atn_level_run *x, const atn_cluster *c, atn_ref at, int base,
                           int *room);
atn_view atn_level_range(atn_ref at, int first, int count, int room[2]);

#endif
