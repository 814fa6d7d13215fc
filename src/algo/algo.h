/* algo.h - the catalogue: descriptors of algorithms, their parameters, and how to build one.
 *
 * An algorithm is one file with one descriptor at its bottom, and one line per operation it
 * serves in catalog.def.  Its identity is the name "operation/name" plus k=v parameters. */
#ifndef ATN_ALGO_H
#define ATN_ALGO_H

#include "sched/builder.h"

/* What a problem must offer. */
enum {
    ATN_NEEDS_COMMUTATIVE = 1, /* combines operands out of rank order */
    ATN_NEEDS_POW2 = 2,        /* power-of-two ranks */
    ATN_NEEDS_EVEN = 4,        /* an even number of ranks */
    ATN_NEEDS_SIZES = 8,       /* inner ranks store other ranks' blocks: gatherv and scatterv
                                  exchange the sizes first, alltoallv agrees on the largest */
    ATN_NEEDS_TOPOLOGY = 16,   /* knows where the ranks are */
    ATN_NEEDS_COMPOSITE = 32,  /* a number of ranks that is a product */
    ATN_NEEDS_LATENESS = 64    /* refuses nothing, but is worth trying only where arrivals are
                                  known: early.h */
};

/* Passes that may be applied; each adds its standard parameter (see param.c). */
enum {
    ATN_PASS_SEGMENT = 1, /* segment=BYTES: pieces of at most that size, pipelined (0: whole) */
    ATN_PASS_WINDOW = 2,  /* window=N: at most N rounds of messages in flight (0: all) */
    ATN_PASS_SYNC = 4,    /* sync=none|pair|barrier, every=N rounds */
    ATN_PASS_ORDER = 8    /* order=rank|lr1|lr2|lr3|dfs: ranks along the wires (order.h) */
};

/* How an algorithm reacts to late ranks: all wait for all; data passes through other ranks; each
 * pair settles its own business. */
typedef enum { ATN_COORDINATED, ATN_STORE_FORWARD, ATN_DIRECT } atn_class;

/* ATN_LEVELS: words LEVEL:ALGORITHM instead of name=value (levels.h).  Of these and of ATN_FILE the
 * value is the number of their text (atn_intern). */
typedef enum { ATN_INT, ATN_BYTES, ATN_WORD, ATN_LEVELS, ATN_FILE } atn_param_type;
typedef enum { ATN_LINEAR, ATN_LOG2 } atn_param_scale;

typedef struct {
    const char *name;
    atn_param_type type;
    int64_t fallback, min, max; /* ATN_WORD: indices into words */
    atn_param_scale scale;      /* how a search should walk it */
    const char *doc;
    const char *const *words; /* ATN_WORD: NULL-terminated */
} atn_param;

/* A name with its parameters always fits ATN_NAME_ROOM. */
enum { ATN_MAX_PARAMS = 8, ATN_MAX_PIECES = 4096, ATN_NAME_ROOM = 256 };

/* Values in the order of atn_row_params: the algorithm's own first, then those of its passes. */
typedef struct {
    int64_t v[ATN_MAX_PARAMS];
} atn_params;

typedef struct {
    const char *name;      /* "ring"; the row's name adds the operation: "allreduce/ring" */
    const char *summary;   /* one line */
    const char *reference; /* where it comes from */
    /* Closed form of the time of one call in a full-duplex single-port network (model/expr.h):
     * p ranks, n bytes (whole, or one block), a per message, b per byte, g per reduced byte, k
     * pieces, own params by name; rooted operations with root 0.  Without a k it holds for one
     * piece.  bcast(down, p, n / 2) is the cost of the part that the param `down` names, for so
     * many ranks and bytes (atn_cost_text); with levels, that of the usual row.  `slots` and
     * `height` (free_tree.h) and `phases` (phases.h) are those of the topology; `depth` is what the
     * algorithm's own function says.  A test compares it with the schedule; the topology is then
     * one switch. */
    const char *cost;
    unsigned needs, passes;
    bool shares;        /* cuts each block into one share per rank: `segment` bounds a share */
    bool pieces_inside; /* the build itself sends q->pieces pieces of each block */
    atn_class klass;
    const char *group;       /* what it optimises: "latency", "bandwidth", "contention" ... */
    const atn_param *params; /* ends with a NULL name; NULL: none */
    /* The longest way in messages, where no formula tells it; NULL: the form does not need it. */
    int (*depth)(const atn_problem *q, const atn_params *prm);
    /* Only for what `needs` cannot say: NULL, or the reason in words when it does not apply. */
    const char *(*refuses)(const atn_problem *q, const atn_params *prm);
    void (*build)(atn_builder *b, const atn_problem *q, const atn_params *prm); /* NULL: native */
} atn_algo;

/* A row of the catalogue: an algorithm serving an operation. */
typedef struct {
    atn_operation op;
    const char *name; /* "allreduce/ring" */
    const atn_algo *algo;
} atn_row;

int atn_catalog_rows(void);
const atn_row *atn_catalog_row(int i);
/* "allreduce/ring", or "ring" when the operation is given; NULL when unknown. */
const atn_row *atn_catalog_find(atn_operation op, const char *name);
const atn_row *atn_catalog_by_name(const char *full_name);
const atn_row *atn_catalog_native(atn_operation op);
/* Schedules from files (supplied.h), which is no algorithm of its own: rows that are found by name
 * but are not among those above. */
const atn_row *atn_catalog_file(atn_operation op);

/* ---- parameters (param.c) ---- */

int atn_row_params(const atn_row *row, const atn_param *list[ATN_MAX_PARAMS]);
void atn_params_default(const atn_row *row, atn_params *prm);
/* Sets k=v with range check; the message names the row, the parameter and what is allowed. */
atn_status atn_params_set(const atn_row *row, atn_params *prm, const char *key, const char *value,
                          atn_error *err);
/* Parses "k=v,k=v" or "k=v:k=v" into defaults; with levels "site:flat,host:binomial,k=v". */
atn_status atn_params_parse(const atn_row *row, const char *text, atn_params *prm, atn_error *err);
/* "allreduce/ring{segment=8K}": only what differs from the default. */
void atn_params_print(const atn_row *row, const atn_params *prm, char *out, size_t size);
/* "segment=0", "LEVEL:ALGORITHM": a parameter with its default. */
void atn_param_label(const atn_param *p, char *out, size_t size);
/* A value as text, and what is allowed: "8K", "0 to 1M", "none, pair or barrier". */
const char *atn_param_value(const atn_param *p, int64_t value, char out[32]);
void atn_param_allowed(const atn_param *p, char out[ATN_ERROR_ROOM]);
/* The radix of k-nomial trees (shape.h), for algorithms that have no other parameter. */
extern const atn_param atn_knomial_params[];
/* Value of a parameter by name, or `fallback` when the row has none of that name. */
int64_t atn_params_get(const atn_row *row, const atn_params *prm, const char *name,
                       int64_t fallback);

/* ---- building ---- */

/* NULL when the row can serve the problem, else the reason in words. */
const char *atn_refuses(const atn_row *row, const atn_problem *q, const atn_params *prm);
/* Pieces that the parameters ask for at q->bytes (1 when the size is not shared): enough for
 * `segment`, rounded up to a number of four significant bits and at most ATN_MAX_PIECES, so that
 * messages of many sizes share few schedules and schedules stay small. */
int atn_pieces(const atn_row *row, const atn_problem *q, const atn_params *prm);
/* Builds one rank's schedule with all passes applied; q->pieces must be set.
 * ATN_NOT_APPLICABLE with a reason when the row refuses. */
atn_status atn_build(const atn_row *row, const atn_problem *q, const atn_params *prm,
                     atn_schedule **schedule_p, atn_error *err);
/* The same for one of many ranks, when it is known that the row does not refuse. */
atn_status atn_build_willing(const atn_row *row, const atn_problem *q, const atn_params *prm,
                             atn_schedule **schedule_p, atn_error *err);

/* Another algorithm as an embedded one, e.g. reduce_scatter then allgather; fills in e->build and
 * e->context.  Its own passes are not applied; `prm` NULL means its defaults. */
void atn_embed_algo(atn_builder *b, const atn_embed *e, const atn_algo *algo,
                    const atn_params *prm);

/* ---- reproducible results (canonical.c) ---- */

/* Whether the row combines operands as sched/canonical.h says; rows that do not refuse problems
 * that want it. */
bool atn_is_canonical(const atn_row *row, const atn_problem *q, const atn_params *prm);
/* A row that does, for when nobody has chosen one.  NULL: the operation combines nothing. */
const atn_row *atn_canonical_usual(const atn_problem *q, atn_params *prm);

/* ---- parts: words of a parameter that are names of algorithms (part.c) ---- */

const atn_algo *atn_part_algo(atn_operation op, const atn_param *param, int64_t value);
/* NULL, or why that part cannot serve the problem, its ranks and operator. */
const char *atn_part_refuses(atn_operation op, const atn_param *param, int64_t value,
                             const atn_problem *q);
/* What its closed form calls `depth`; 0: it does not ask. */
int atn_part_depth(atn_operation op, const atn_param *param, int64_t value, const atn_problem *q);
/* The row's closed form with those of its parts filled in; the caller frees it. NULL: no memory. */
char *atn_cost_text(const atn_row *row, const atn_params *prm);

/* Each algorithm's descriptor. */
#define ATN_ALGO(operation, name, home) extern const atn_algo atn_algo_##home##_##name;
#include "algo/catalog.def"
#undef ATN_ALGO
extern const atn_algo atn_algo_native, atn_algo_file;

#endif
