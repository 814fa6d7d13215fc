/* trees.c - see trees.h. */
#include "pmpi/comm/trees.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Keeps `whole` as well, so that no other topology can have its address. */
typedef struct {
    atn_topo *whole, *part;
    uint64_t key; /* of the nodes of ranks */
    int users;
} shared_tree;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* never held in MPI */
static ATN_VEC(shared_tree) trees;

static uint64_t key_of(const atn_topo *whole, const int *ranks, int p)
{
    uint64_t key = (uint64_t)p;
    for (int i = 0; i < p; i++)
        key = atn_hash(&whole->node_of[ranks[i]], sizeof *whole->node_of, key);
    return key;
}

/* Nodes of a part have the names of those of the whole. */
static bool is_of(const shared_tree *x, const int *ranks, int p)
{
    const atn_topo *const a = x->whole, *const b = x->part;
    for (int i = 0; i < p; i++)
        if (strcmp(a->nodes[a->node_of[ranks[i]]].name, b->nodes[b->node_of[i]].name) != 0)
            return false;
    return true;
}

static shared_tree *find(const atn_topo *whole, uint64_t key, const int *ranks, int p)
{
    for (int i = 0; i < trees.n; i++) {
        shared_tree *const x = &trees.v[i];
        if (x->key == key && x->whole == whole && x->part->p == p && is_of(x, ranks, p))
            return x;
    }
    return NULL;
}

static atn_topo *add(atn_topo *whole, uint64_t key, const int *ranks, int p)
{
    atn_topo *const part = atn_topo_part(whole, ranks, p);
    if (part == NULL || !atn_push(&trees, (shared_tree){whole, part, key, 1})) {
        atn_topo_free(part);
        return NULL;
    }
    atn_topo_share(whole);
    return part;
}

atn_topo *atn_comm_tree_take(atn_topo *whole, const int *ranks, int p)
{
    const uint64_t key = key_of(whole, ranks, p);
    pthread_mutex_lock(&lock);
    shared_tree *const x = find(whole, key, ranks, p);
    if (x != NULL)
        x->users++;
    atn_topo *const t = x != NULL ? x->part : add(whole, key, ranks, p);
    pthread_mutex_unlock(&lock);
    return t;
}

static void drop(shared_tree *x)
{
    atn_topo_free(x->part);
    atn_topo_free(x->whole);
    *x = trees.v[--trees.n];
    if (trees.n == 0)
        atn_vec_free(&trees);
}

void atn_comm_tree_give(const atn_topo *t)
{
    pthread_mutex_lock(&lock);
    for (int i = 0; i < trees.n && t != NULL; i++)
        if (trees.v[i].part == t) {
            if (--trees.v[i].users == 0)
                drop(&trees.v[i]);
            break;
        }
    pthread_mutex_unlock(&lock);
}
