/* order.c - ranks by a word: sequential, roundrobin, or the host of each rank. */
#include <stdlib.h>
#include <string.h>

#include "topo/draft.h"
#include "topo/hostlist.h"

typedef struct {
    const atn_topo *t; /* without ranks: its hosts stand by name */
    int *hosts;
    int n;
} host_list;

static void list_hosts(const atn_topo *t, host_list *h)
{
    h->n = 0;
    for (int v = 0; v < t->nnodes; v++)
        if (t->nodes[v].kind == ATN_TOPO_HOST)
            h->hosts[h->n++] = v;
}

/* Deals hosts out over the switches that hold some: all firsts, all seconds ...  `turn` is how many
 * hosts of a switch have been passed; sorting by it keeps the order of switches. */
static void order_cyclic(host_list *h, int *turn, int *cyclic)
{
    int n = 0;
    for (int v = 0; v < h->t->nnodes; v++)
        turn[v] = 0;
    for (int round = 0; n < h->n; round++)
        for (int i = 0; i < h->n; i++) {
            const int above = h->t->nodes[h->hosts[i]].parent;
            int *seen = above < 0 ? &turn[h->hosts[i]] : &turn[above];
            if (round == 0)
                cyclic[h->n + i] = (*seen)++;
            if (cyclic[h->n + i] == round)
                cyclic[n++] = h->hosts[i];
        }
    memcpy(h->hosts, cyclic, sizeof *cyclic * (size_t)h->n);
}

/* "roundrobin*2": two ranks on every host; 0: the word is none of the two. */
static int factor(const char *text, const char *word)
{
    const size_t n = strlen(word);
    if (strncmp(text, word, n) != 0)
        return 0;
    const size_t digits = text[n] == '*' ? strspn(text + n + 1, "0123456789") : 0;
    if (text[n] == '\0')
        return 1;
    return digits > 0 && digits < 7 && text[n + 1 + digits] == '\0' ? atoi(text + n + 1) : 0;
}

static atn_topo *place_all(const atn_topo *t, int each, bool cyclic)
{
    const size_t n = (size_t)t->nnodes;
    int *room = malloc(sizeof *room * 4 * n), *node_of = NULL;
    host_list h = {t, room, 0};
    atn_topo *placed = NULL;
    if (room) {
        list_hosts(t, &h);
        if (cyclic)
            order_cyclic(&h, room + n, room + 2 * n);
        node_of = malloc(sizeof *node_of * ((size_t)h.n * (size_t)each + 1));
    }
    for (int r = 0; node_of && r < h.n * each; r++)
        node_of[r] = h.hosts[cyclic ? r % h.n : r / each];
    if (node_of)
        placed = atn_topo_like(t, t->nodes, t->nnodes, node_of, h.n * each);
    free(room);
    free(node_of);
    return placed;
}

static atn_status place_list(const atn_topo *t, const char *text, atn_topo **topo_p, atn_error *err)
{
    atn_name_list names = {0};
    atn_status st = atn_topo_ranklist_expand(text, &names, err);
    if (!st)
        st = atn_topo_place(t, (const char *const *)names.v, names.n, topo_p, err);
    atn_topo_name_list_free(&names);
    return st;
}

atn_status atn_topo_order(const atn_topo *t, const char *order, atn_topo **topo_p, atn_error *err)
{
    enum { MOST = 1024 };
    const int block = factor(order, "sequential"), cyclic = factor(order, "roundrobin");
    if (block == 0 && cyclic == 0)
        return place_list(t, order, topo_p, err);
    if (block > MOST || cyclic > MOST)
        return atn_fail(err, ATN_INPUT, "%s: more than %d ranks on a host; write a smaller number",
                        order, MOST);
    atn_topo *bare = atn_topo_like(t, t->nodes, t->nnodes, NULL, 0);
    atn_topo *placed = bare ? place_all(bare, block ? block : cyclic, cyclic > 0) : NULL;
    atn_topo_free(bare);
    if (placed == NULL)
        return atn_fail(err, ATN_MEMORY, "out of memory");
    *topo_p = placed;
    return ATN_OK;
}
