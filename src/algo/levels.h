/* levels.h - hierarchical collectives: nested clusters of ranks to any depth, which may differ
 * between branches, and an algorithm of the catalogue at each level.
 *
 * A cluster consists of members: smaller clusters, or single ranks.  Each member has a leader (the
 * first rank; the root if it is inside, so that it never adds a hop; the last rank for prefix
 * operations), and the leaders of the members of a cluster execute a *part* of the operation, e.g.
 * allreduce: reduce inside, level by level; allreduce at the top; broadcast back inside.
 * Ranks are numbered by *places*, such that every cluster is a run; operations that depend on rank
 * order require that places equal ranks.
 * The level of a cluster is named after its members: "site" joins sites, "switch" switches, "host"
 * hosts, "rank" the ranks of a host.  All derived data are the same on all ranks. */
#ifndef ATN_ALGO_LEVELS_H
#define ATN_ALGO_LEVELS_H

#include <string.h>

#include "algo/algo.h"

/* ---- the text: "site:flat,switch:none,host:chain{chains=2}" (levels_words.c) ---- */

enum { ATN_LEVEL_WORDS = 16, ATN_LEVEL_NAME = 32 };

/* "node*16:ring": clusters of 16 consecutive ranks are called nodes and joined by rings. */
typedef struct {
    char name[ATN_LEVEL_NAME];
    int size;                  /* 0: from the topology */
    char algo[ATN_LEVEL_NAME]; /* "": the default; "none": this level is skipped */
    char params[ATN_NAME_ROOM];
} atn_level_word;

typedef struct {
    int n;
    bool given; /* the words specify sizes, so no topology is needed */
    atn_level_word v[ATN_LEVEL_WORDS];
} atn_level_words;

/* False: syntax error; bad_p is then the offending word. */
bool atn_algo_level_words_read(const char *text, atn_level_words *words_p,
                               char bad_p[ATN_LEVEL_NAME]);
static inline bool atn_algo_level_is_none(const atn_level_words *w, int word)
{
    return word >= 0 && strcmp(w->v[word].algo, "none") == 0;
}

/* ---- the hierarchy (levels_tree.c) ---- */

typedef struct {
    int first, count; /* places */
    int cluster;      /* its index; -1: a rank */
} atn_level_member;

typedef struct {
    int first, count;    /* places */
    int depth;           /* 0: all ranks */
    int member, members; /* members[member .. member + members) of the tree; at least two */
    int word;            /* word that names its level; -1: none */
    bool wide;           /* its members are far from each other */
    const char *level;   /* name of its members; lives as long as the topology or the words */
} atn_cluster;

typedef struct {
    int p, n, depth;       /* ranks, clusters, levels of them */
    int *rank, *place;     /* place -> rank, rank -> place */
    atn_cluster *clusters; /* the cluster of all ranks first; none for a single rank */
    atn_level_member *members;
} atn_levels;

/* From the topology, or from words with sizes; false: out of memory. */
bool atn_algo_levels_begin(const struct atn_topo *t, int p, const atn_level_words *words,
                           atn_levels *tree_p);
void atn_algo_levels_end(atn_levels *tree);
bool atn_algo_levels_sorted(const atn_levels *tree); /* places are ranks */

/* ---- parts (levels_parts.c) ---- */

/* Up to the leader; across the members of the outermost cluster (or, if the operation requires it,
 * of every cluster); down from the leader. */
typedef enum { ATN_LEVEL_UP, ATN_LEVEL_ACROSS, ATN_LEVEL_DOWN, ATN_LEVEL_PARTS } atn_level_part;

typedef struct {
    atn_algo_use part; /* without a row: this cluster has no such part */
    bool signals;
    int rounds;
} atn_level_use;

/* The operation of a part (ATN_OPERATIONS: none), and its variant for members of different size;
 * the row of a name or abbreviation, NULL: none; the default row. */
atn_operation atn_algo_level_operation(atn_operation op, atn_level_part part);
atn_operation atn_algo_level_varying(atn_operation op);
const atn_row *atn_algo_level_row(atn_operation op, const char *name);
const atn_row *atn_algo_level_default(atn_operation op, bool wide);
/* Those of the word's parameters that the row has. */
void atn_algo_level_set_params(const atn_row *row, const atn_level_word *w, atn_params *prm);
bool atn_algo_level_is_row(const atn_algo *algo);

/* ---- plan (levels_plan.c) ---- */

typedef struct {
    const struct atn_topo *topo;
    atn_level_words words;
    atn_levels tree;
    int root;           /* place of the root; -1: not a rooted operation */
    bool last;          /* the leader is the last rank, not the first */
    atn_level_use *use; /* [cluster * ATN_LEVEL_PARTS + part] */
    int *rounds;        /* maximum: [depth * ATN_LEVEL_PARTS + part] */
    const char *why;    /* why it does not apply; NULL: it does */
    bool kept;          /* cached for all ranks (derived.h) */
} atn_level_plan;

atn_level_plan *atn_algo_level_plan_new(const atn_problem *q,
                                        const atn_params *prm); /* NULL: memory */
void atn_algo_level_plan_free(atn_level_plan *plan);
/* The leader of a run of places. */
int atn_algo_level_leader(const atn_level_plan *plan, int first, int count);
/* The subtopology of the ranks that execute a part of c, in their order; NULL: memory. */
struct atn_topo *atn_algo_level_topo(const atn_level_plan *plan, const atn_cluster *c, bool all);
static inline const atn_level_use *atn_algo_level_use_of(const atn_level_plan *plan,
                                                         const atn_cluster *c, atn_level_part part)
{
    return &plan->use[(c - plan->tree.clusters) * ATN_LEVEL_PARTS + (int)part];
}

/* Whether the words are valid for a row. */
atn_status atn_algo_levels_check(const atn_row *row, const char *text, atn_error *err);
/* The number of levels in a problem's topology; 0 without topology or for a single rank. */
int atn_algo_levels_depth(const atn_problem *q);
/* Whether the words specify sizes, so that the row needs no topology. */
bool atn_algo_levels_given(const atn_row *row, const atn_params *prm);
/* `refuses` and `params` of every row. */
const char *atn_algo_levels_refuses(const atn_problem *q, const atn_params *prm);
extern const atn_param atn_algo_levels_params[];

/* ---- emitting (levels_run.c) ---- */

/* The state of a rank while it emits one segment; ranks in q are places. */
typedef struct {
    atn_builder *b;
    const atn_problem *q;
    const atn_level_plan *plan;
    atn_level_part part; /* being emitted */
    int due;             /* round in which the next phase begins */
    atn_ref held;        /* result of the members led so far; initially the source */
    bool moved;          /* held is no longer the source */
    atn_ref store;       /* a block for each place of a cluster that it leads ... */
    int base;            /* ... beginning with this place */
    int *bounds, *shape; /* for atn_algo_level_members */
    int range[3][2];     /* for atn_algo_level_range */
    void *more;          /* private to the operation */
} atn_level_run;

typedef void (*atn_level_emit)(atn_level_run *x);
typedef void (*atn_level_step)(atn_level_run *x, const atn_cluster *c);

/* The `build` of a row. */
void atn_algo_levels_build(atn_builder *b, const atn_problem *q, const atn_params *prm,
                           atn_level_emit emit);

/* One part in the cluster of that depth in which this rank leads a member, if any; with `all`, in
 * the cluster of that depth that contains this rank. */
void atn_algo_level_phase(atn_level_run *x, atn_level_part part, int depth, bool all,
                          atn_level_step step);
/* The standard order: up from the innermost clusters, across at the top, down again.  NULL: the
 * operation has no such part; without `across`, up includes the top. */
void atn_algo_level_phases(atn_level_run *x, atn_level_step up, atn_level_step across,
                           atn_level_step down);

/* Executes the part of a cluster; sides as in atn_embed. */
typedef struct {
    atn_view src, dst, vec;
    bool in_place;
    bool all; /* all ranks of the cluster take part, not only the leaders of its members */
} atn_level_sides;
void atn_algo_level_embed(atn_level_run *x, const atn_cluster *c, const atn_level_sides *s);

/* The member of c that contains this rank; whether the rank leads c; the largest cluster that it
 * leads, excluding the cluster of all ranks if `inner` (NULL: none). */
const atn_level_member *atn_algo_level_own(const atn_level_run *x, const atn_cluster *c);
bool atn_algo_level_leads(const atn_level_run *x, const atn_cluster *c);
const atn_cluster *atn_algo_level_largest(const atn_level_run *x, bool inner);

/* Views of `at`, which has a block for each place from `base` on: one natural block per member of
 * c; one natural block for a run of places.  For the shape, `at` does not matter and base is 0.
 * `room` is one of x->bounds and x->shape, or of x->range. */
atn_view atn_algo_level_members(const atn_level_run *x, const atn_cluster *c, atn_ref at, int base,
                                int *room);
atn_view atn_algo_level_range(atn_ref at, int first, int count, int room[2]);
/* The part of the store that belongs to a member; for a single rank, its result. */
atn_view atn_algo_level_share(atn_level_run *x, const atn_level_member *m);

#endif
