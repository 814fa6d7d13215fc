/* derived.c - see derived.h. */
#include "algo/derived.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    atn_derived_key key;
    void *thing;
    void (*end)(void *thing);
} entry;

static _Thread_local int depth;
static _Thread_local const struct atn_topo *scope;
static _Thread_local ATN_VEC(entry) kept;

void atn_algo_derived_open(const struct atn_topo *topo)
{
    if (depth++ == 0)
        scope = topo;
}

void atn_algo_derived_close(void)
{
    if (--depth > 0)
        return;
    for (int i = 0; i < kept.n; i++)
        kept.v[i].end(kept.v[i].thing);
    atn_vec_free(&kept);
    scope = NULL;
}

static bool is_ours(const atn_derived_key *key)
{
    return depth > 0 && scope != NULL && key->topo == scope;
}

void *atn_algo_derived_find(const atn_derived_key *key)
{
    for (int i = 0; is_ours(key) && i < kept.n; i++)
        if (strcmp(kept.v[i].key.maker, key->maker) == 0 &&
            memcmp(kept.v[i].key.n, key->n, sizeof key->n) == 0)
            return kept.v[i].thing;
    return NULL;
}

bool atn_algo_derived_keep(const atn_derived_key *key, void *thing, void (*end)(void *thing))
{
    return is_ours(key) && atn_push(&kept, (entry){*key, thing, end});
}
