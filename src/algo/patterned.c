/* patterned.c - see patterned.h. */
#include "algo/patterned.h"

#include <stdlib.h>

#include "algo/capacity.h"
#include "algo/derived.h"
#include "algo/known_pattern.h"
#include "algo/pattern.h"

/* ---- parameters ---- */

static const char *const link_words[] = {"rated", "equal", NULL};

const atn_param atn_algo_patterned_params[] = {
    {"pattern", ATN_FILE, 0, 0, INT64_MAX, ATN_LINEAR,
     "sizes of all blocks: a file, FILE or FILE#CALL (docs/code-generation.md); else all are equal",
     NULL},
    {"sync", ATN_WORD, ATN_PHASED_NONE, ATN_PHASED_NONE, ATN_PHASED_BARRIER_RECEIVER, ATN_LINEAR,
     "synchronisation of phases, as in aapc", atn_algo_phased_words},
    {"block", ATN_INT, 1, 1, 1 << 20, ATN_LOG2,
     "consecutive phases without synchronisation, or without barriers", NULL},
    {"links", ATN_WORD, 0, 0, 1, ATN_LINEAR,
     "links carry messages of a phase in proportion to their rate, or one each", link_words},
    {0},
};

const char *atn_algo_patterned_refuses(const atn_problem *q, const atn_params *prm)
{
    const int64_t name = prm->v[ATN_PATTERNED_PATTERN];
    const atn_known_pattern *const x = name > 0 ? atn_algo_known_find(name) : NULL;

    if (prm->v[ATN_PATTERNED_SYNC] == ATN_PHASED_DUMMY)
        return "messages that mean nothing need blocks of equal size";
    if (name == 0)
        return NULL;
    if (!x)
        return "the pattern was not read";
    if (x->p != q->p)
        return "the pattern is for another number of ranks";
    return x->line != atn_algo_pattern_is_line(q->op) ? "the pattern is of another operation"
                                                      : NULL;
}

/* ---- phases ---- */

static int64_t *sizes_of(const atn_problem *q, const atn_params *prm)
{
    const int64_t name = prm->v[ATN_PATTERNED_PATTERN];
    const size_t p = (size_t)q->p;
    int64_t *const bytes = malloc(sizeof *bytes * p * p);

    if (bytes && name > 0)
        atn_algo_known_fill(atn_algo_known_find(name), bytes);
    for (size_t i = 0; bytes && name == 0 && i < p * p; i++)
        bytes[i] = i / p != i % p;
    return bytes;
}

static void end_kept(void *thing)
{
    atn_algo_phases_end(thing);
    free(thing);
}

/* They are those of all ranks, each of which would compute them. */
static bool phases_of(const atn_problem *q, const atn_params *prm, const int *capacity,
                      const char *maker, atn_patterned_fn make, atn_phases *x)
{
    const bool rated = prm->v[ATN_PATTERNED_LINKS] == 0;
    const atn_derived_key key = {
        .maker = maker, .topo = q->topo, .n = {rated, prm->v[ATN_PATTERNED_PATTERN]}};
    atn_phases *kept = atn_algo_derived_find(&key);

    if (!kept) {
        int64_t *const bytes = sizes_of(q, prm);
        const bool ok = bytes && make(q->topo, capacity, rated, bytes, x);
        free(bytes);
        kept = ok ? malloc(sizeof *kept) : NULL;
        if (kept)
            *kept = *x;
        if (!kept || !atn_algo_derived_keep(&key, kept, end_kept)) {
            free(kept);
            return ok;
        }
    }
    *x = *kept;
    x->borrowed = true;
    return true;
}

void atn_algo_patterned_build(atn_builder *b, const atn_problem *q, const atn_params *prm,
                              const char *maker, atn_patterned_fn make)
{
    const atn_phased how = {(atn_phased_sync)prm->v[ATN_PATTERNED_SYNC],
                            (int)prm->v[ATN_PATTERNED_BLOCK]};
    int *capacity = malloc(sizeof *capacity * (size_t)atn_topo_edges(q->topo));
    atn_phases x = {0};

    if (capacity)
        atn_algo_capacities(q->topo, prm->v[ATN_PATTERNED_LINKS] == 0, capacity);
    if (capacity && phases_of(q, prm, capacity, maker, make, &x))
        atn_algo_phased_emit(b, q, &x, capacity, &how);
    else
        atn_builder_fail(b, ATN_MEMORY, "out of memory");
    atn_algo_phases_end(&x);
    free(capacity);
}
