/* algo.h - the catalogue: descriptors of algorithms, their parameters, and building schedules.
 *
 * An algorithm is one file with a descriptor at its end, and one line in catalog.def per operation
 * that it implements.  It is identified by "operation/name" and its k=v parameters. */
#ifndef ATN_ALGO_ALGO_H
#define ATN_ALGO_ALGO_H

#include "sched/builder.h"

/* Requirements on a problem. */
enum {
    ATN_NEEDS_COMMUTATIVE = 1, /* combines operands out of rank order */
    ATN_NEEDS_POW2 = 2,        /* power-of-two ranks */
    ATN_NEEDS_EVEN = 4,        /* an even number of ranks */
    ATN_NEEDS_SIZES = 8,       /* inner ranks store other ranks' blocks: gatherv and scatterv
                                  exchange the sizes first, alltoallv agrees on the largest */
    ATN_NEEDS_TOPOLOGY = 16,   /* a topology */
    ATN_NEEDS_COMPOSITE = 32,  /* a composite number of ranks */
    ATN_NEEDS_LATENESS = 64,   /* not a requirement: a candidate only where an arrival pattern is
                                  known (early.h) */
    ATN_NEEDS_SHARED = 128,    /* all ranks share memory (shared.h) */
    ATN_NEEDS_PATTERN = 256    /* not a requirement: a candidate only with a pattern of sizes
                                  (known_pattern.h) */
};

/* Passes that may be applied; each adds its standard parameters (see param.c). */
enum {
    ATN_PASS_SEGMENT = 1, /* segment=BYTES: segments of at most that size, pipelined (0: whole) */
    ATN_PASS_WINDOW = 2,  /* window=N: at most N rounds of messages in flight (0: all) */
    ATN_PASS_SYNC = 4,    /* sync=none|pair|barrier, every=N rounds */
    ATN_PASS_ORDER = 8    /* order=rank|lr1|lr2|lr3|dfs|name: see order.h */
};

/* Sensitivity to arrival skew: ranks wait for others before they send; data are forwarded by other
 * ranks; each pair of ranks is independent.  Of a descriptor: with default parameters; others may
 * change it (behaviour.h). */
typedef enum { ATN_COORDINATED, ATN_STORE_FORWARD, ATN_DIRECT } atn_class;

/* ATN_LEVELS: words LEVEL:ALGORITHM instead of name=value (levels.h).  The value of ATN_LEVELS and
 * ATN_FILE is the number of the interned text (atn_intern).  The value of ATN_WORD is an index into
 * the words; for a part with parameters of its own, "mesh{dims=3}", it is ATN_NESTED + the number
 * of that text.  Values are therefore compared and hashed as numbers inside a process, and
 * exchanged between processes as text. */
typedef enum { ATN_INT, ATN_BYTES, ATN_WORD, ATN_LEVELS, ATN_FILE } atn_param_type;
typedef enum { ATN_LINEAR, ATN_LOG2 } atn_param_scale;

typedef struct {
    const char *name;
    atn_param_type type;
    int64_t fallback, min, max; /* ATN_WORD: indices into words */
    atn_param_scale scale;      /* step of a search */
    const char *doc;
    const char *const *words; /* ATN_WORD: NULL-terminated */
} atn_param;

/* A name with its parameters always fits in ATN_NAME_ROOM. */
enum { ATN_MAX_PARAMS = 8, ATN_MAX_PARTS = 3, ATN_MAX_SEGMENTS = 4096, ATN_NAME_ROOM = 256 };
enum { ATN_NESTED = 1 << 20 };

/* Values in the order of atn_algo_row_params: the algorithm's own first, then those of its
 * passes. */
typedef struct {
    int64_t v[ATN_MAX_PARAMS];
} atn_params;

typedef struct {
    const char *name;      /* "ring"; the row's name adds the operation: "allreduce/ring" */
    const char *summary;   /* one line */
    const char *reference; /* publication or implementation */
    /* Closed form of the time of one call in a full-duplex single-port network (model/expr.h): p
     * ranks, n bytes (whole, or one block), a per message, b per byte, g per reduced byte, k
     * segments, own parameters by name; rooted operations with root 0.  Without k it holds for
     * one segment.  bcast(down, p, n / 2) is the cost of the embedded algorithm named by the
     * parameter `down` for p ranks and n / 2 bytes (atn_algo_cost_text); with levels, that of
     * the default row. `slots` and `height` (free_tree.h) and `phases` (phases.h) depend on the
     * topology; `depth` and `width` are computed by the functions below.  A test compares the form
     * with the schedule; the topology is then a single switch. */
    const char *cost;
    unsigned needs, passes;
    int most_ranks;       /* where work or memory of one rank grows with the square of the ranks, so
                       that more of them are refused; 0: any number */
    bool shares;          /* divides each block into one share per rank: `segment` bounds a share */
    bool segments_inside; /* the build itself sends q->segments segments of each block */
    atn_class klass;
    const char *group;       /* optimisation goal: "latency", "bandwidth", "contention" ... */
    const atn_param *params; /* ends with a NULL name; NULL: none */
    /* Operations of the rows that the first parameters name (part.c); ATN_BARRIER: no part. */
    atn_operation parts[ATN_MAX_PARTS];
    /* Messages on the longest path, where no formula gives it; NULL: not used by the form. */
    int (*depth)(const atn_problem *q, const atn_params *prm);
    /* Blocks of the largest message, or of all messages of a rank, likewise. */
    int (*width)(const atn_problem *q, const atn_params *prm);
    /* Requirements beyond `needs`: NULL, or the reason why the algorithm does not apply. */
    const char *(*refuses)(const atn_problem *q, const atn_params *prm);
    void (*build)(atn_builder *b, const atn_problem *q, const atn_params *prm); /* NULL: native */
} atn_algo;

/* A row of the catalogue: an algorithm for an operation. */
typedef struct {
    atn_operation op;
    const char *name; /* "allreduce/ring" */
    const atn_algo *algo;
} atn_row;

int atn_algo_catalog_rows(void);
const atn_row *atn_algo_catalog_row(int i);
/* "allreduce/ring", or "ring" when the operation is given; NULL when unknown. */
const atn_row *atn_algo_catalog_find(atn_operation op, const char *name);
const atn_row *atn_algo_catalog_by_name(const char *full_name);
const atn_row *atn_algo_catalog_native(atn_operation op);
/* The row `file` for schedules from files (supplied.h): found by name, but not listed. */
const atn_row *atn_algo_catalog_file(atn_operation op);

/* ---- parameters (param.c) ---- */

int atn_algo_row_params(const atn_row *row, const atn_param *list[ATN_MAX_PARAMS]);
void atn_algo_params_default(const atn_row *row, atn_params *prm);
/* Sets k=v with range check; the message names the row, the parameter and the allowed values. */
atn_status atn_algo_params_set(const atn_row *row, atn_params *prm, const char *key,
                               const char *value, atn_error *err);
/* Parses "k=v,k=v" or "k=v:k=v" into defaults; with levels "site:flat,host:binomial,k=v".  The
 * value of a part is a name with its own parameters: "gather=mesh{dims=3}", to any depth. */
atn_status atn_algo_params_parse(const atn_row *row, const char *text, atn_params *prm,
                                 atn_error *err);
/* "allreduce/ring{segment=8K}": only parameters that differ from their defaults. */
void atn_algo_params_print(const atn_row *row, const atn_params *prm, char *out, size_t size);
/* "segment=0", "LEVEL:ALGORITHM": a parameter with its default. */
void atn_algo_param_label(const atn_param *p, char *out, size_t size);
/* A value as text; the allowed values: "8K", "0 to 1M", "none, pair or barrier". */
const char *atn_algo_param_value(const atn_param *p, int64_t value, char out[32]);
/* A value in a closed form: that of a part is the index of its word. */
int64_t atn_algo_param_number(const atn_param *p, int64_t value);
/* The same order on all ranks; numbers of interned texts differ between them. */
int atn_algo_param_compare(const atn_param *p, int64_t x, int64_t y);
void atn_algo_param_allowed(const atn_param *p, char out[ATN_ERROR_ROOM]);
/* The radix of k-nomial trees (shape.h), for algorithms without other parameters. */
extern const atn_param atn_algo_knomial_params[];
/* Value of a parameter by name, or `fallback` when the row has none of that name. */
int64_t atn_algo_params_get(const atn_row *row, const atn_params *prm, const char *name,
                            int64_t fallback);

/* ---- building ---- */

/* Returned by `refuses` functions that cannot find out for lack of memory. */
extern const char atn_algo_no_memory[];
/* NULL when the row applies to the problem, else the reason as text.  Without memory a row applies:
 * a rank that refused what others accept would choose another algorithm, and all would wait for
 * ever, while building the schedule then fails with an error. */
const char *atn_algo_refuses(const atn_row *row, const atn_problem *q, const atn_params *prm);
/* The number of segments for q->bytes (1 when ranks do not share the size): determined by the
 * parameter `segment`, rounded up to four significant bits and at most ATN_MAX_SEGMENTS, so that
 * many message sizes share few schedules and schedules stay small. */
int atn_algo_segments(const atn_row *row, const atn_problem *q, const atn_params *prm);
/* Builds one rank's schedule with all passes applied; q->segments must be set.
 * ATN_NOT_APPLICABLE with a reason when the row refuses. */
atn_status atn_algo_build(const atn_row *row, const atn_problem *q, const atn_params *prm,
                          atn_schedule **schedule_p, atn_error *err);
/* The same without the check, for one of many ranks of a problem that was checked before; the name
 * of the schedule has no parameters. */
atn_status atn_algo_build_unchecked(const atn_row *row, const atn_problem *q, const atn_params *prm,
                                    atn_schedule **schedule_p, atn_error *err);
/* The same for some rounds of each segment: a part for predictions, which is not executed. */
atn_status atn_algo_build_rounds(const atn_row *row, const atn_problem *q, const atn_params *prm,
                                 atn_round_window window, atn_schedule **schedule_p,
                                 atn_error *err);

/* Embeds another algorithm, e.g. reduce_scatter, then allgather; sets e->build and e->context.  Its
 * passes are not applied; `prm` NULL: defaults. */
void atn_algo_embed_algo(atn_builder *b, const atn_embed *e, const atn_algo *algo,
                         const atn_params *prm);

/* ---- reproducible results (canonical.c) ---- */

/* Whether the row combines operands in the canonical order (sched/canonical.h); other rows refuse
 * problems that require it. */
bool atn_algo_is_canonical(const atn_row *row, const atn_problem *q, const atn_params *prm);
/* The default row in canonical order.  NULL: the operation combines nothing. */
const atn_row *atn_algo_canonical_default(const atn_problem *q, atn_params *prm);

/* ---- parts: embedded algorithms that are named by a parameter (part.c) ---- */

/* A row with its parameters; `segment` is not among them: the whole algorithm has segments. */
typedef struct {
    const atn_row *row;
    atn_params prm;
} atn_algo_use;

atn_algo_use atn_algo_part(atn_operation op, const atn_param *param, int64_t value);
atn_algo_use atn_algo_part_named(atn_operation op, const char *name); /* with default parameters */
/* The value of a parameter that names the part; -1: it has no such word, or out of memory. */
int64_t atn_algo_part_value(const atn_param *param, const atn_algo_use *part);
/* The operation of parameter i if it names a part. */
static inline atn_operation atn_algo_part_operation(const atn_algo *algo, int i)
{
    return i < ATN_MAX_PARTS ? algo->parts[i] : ATN_BARRIER;
}
/* Whether it depends on the topology by itself or in one of its parts. */
bool atn_algo_part_is_placed(const atn_algo_use *part);
/* Whether a pass applies to it. */
bool atn_algo_part_has_pass(const atn_algo_use *part);
/* Embeds it with its passes; where it is placed, on the topology of its ranks. */
void atn_algo_embed_part(atn_builder *b, const atn_embed *e, const atn_algo_use *part);
/* NULL, or why the part does not apply to the problem, or to n of its ranks (NULL: plain parts). */
const char *atn_algo_part_refuses(atn_operation op, const atn_param *param, int64_t value,
                                  const atn_problem *q);
const char *atn_algo_part_refuses_on(atn_operation op, const atn_param *param, int64_t value,
                                     const atn_problem *q, const int *ranks, int n);
/* The value of `depth` in its closed form; 0: not used. */
int atn_algo_part_depth(atn_operation op, const atn_param *param, int64_t value,
                        const atn_problem *q);
/* The row's closed form with those of its parts inserted; the caller frees it. NULL: no memory. */
char *atn_algo_cost_text(const atn_row *row, const atn_params *prm);

/* The descriptors. */
#define ATN_ALGO(operation, name, home) extern const atn_algo atn_algo_##home##_##name;
#include "algo/catalog.def"
#undef ATN_ALGO
extern const atn_algo atn_algo_native, atn_algo_file;

#endif
