/* to_synthetic.c - writes a tree as a synthetic string, where possible.
 *
 * Finds the levels (or the chain), writes candidates from the shortest on, and keeps the first one
 * that reads back as the same topology: the reader alone defines what can be expressed. */
#include <stdlib.h>
#include <string.h>

#include "topo/draft.h"
#include "topo/hostlist.h"
#include "topo/routes.h"
#include "topo/units.h"
#include "topo/write.h"

enum { MAX_LEVELS = 8, MAX_CHAIN = 4096 };

typedef struct {
    const atn_topo *t;
    bool chain;
    struct {
        int count;
        int like; /* a node with the link of this level */
    } levels[MAX_LEVELS];
    int nlevels;
    int *hosts; /* in the order of the string */
    int *row;   /* the nodes of a level */
    int *next;  /* those of the level below */
    int nhosts;
} shape;

/* ---- nodes ---- */

static int by_name(const void *a, const void *b, void *t)
{
    const atn_topo_node *nodes = ((const atn_topo *)t)->nodes;
    return atn_topo_name_compare(nodes[*(const int *)a].name, nodes[*(const int *)b].name);
}

/* Children of one kind, by name; parts count as hosts do, to be refused. */
static int children(const atn_topo *t, int v, bool switches, int *out)
{
    int n = 0;
    for (int c = v + 1; c < t->nnodes && t->nodes[c].depth > t->nodes[v].depth; c++)
        if (t->nodes[c].parent == v && (t->nodes[c].kind == ATN_TOPO_SWITCH) == switches)
            out[n++] = c;
    qsort_r(out, (size_t)n, sizeof *out, by_name, (void *)t);
    return n;
}

static bool same_link(const atn_topo *t, const int *nodes, int n)
{
    for (int i = 1; i < n; i++)
        if (t->nodes[nodes[i]].rate != t->nodes[nodes[0]].rate ||
            t->nodes[nodes[i]].delay_ns != t->nodes[nodes[0]].delay_ns)
            return false;
    return true;
}

static bool add_level(shape *s, int count, int like)
{
    if (s->nlevels == MAX_LEVELS)
        return false;
    s->levels[s->nlevels].count = count;
    s->levels[s->nlevels++].like = like;
    return true;
}

/* ---- levels ---- */

/* The level below `row`: all of them with as many children, of one kind.  Returns their number. */
static int next_row(const shape *s, int n, bool switches)
{
    int total = 0, each = -1;
    for (int i = 0; i < n; i++) {
        const int k = children(s->t, s->row[i], switches, s->next + total);
        if (each >= 0 && k != each)
            return 0;
        each = k;
        total += k;
    }
    return total;
}

static bool find_levels(shape *s)
{
    int n = 1;
    s->row[0] = 0;
    for (bool switches = true; switches;) {
        int below = next_row(s, n, true);
        switches = below > 0;
        if (!switches)
            below = next_row(s, n, false);
        if (below == 0 || !same_link(s->t, s->next, below) || !add_level(s, below / n, s->next[0]))
            return false;
        memcpy(s->row, s->next, sizeof *s->row * (size_t)below);
        n = below;
    }
    memcpy(s->hosts, s->row, sizeof *s->row * (size_t)n);
    s->nhosts = n;
    return true;
}

/* ---- chains ---- */

static bool joined(const atn_topo *t, int a, int b)
{
    return t->nodes[a].parent == b || t->nodes[b].parent == a;
}

static int degree(const atn_topo *t, const int *switches, int n, int v)
{
    int k = 0;
    for (int i = 0; i < n; i++)
        k += joined(t, v, switches[i]);
    return k;
}

/* Orders the switches (given by name) along the chain, from the end that comes first. */
static bool order_chain(const atn_topo *t, int *v, int n)
{
    int first = 0;
    while (first < n && degree(t, v, n, v[first]) != 1)
        first++;
    for (int at = 0; at < n; at++) {
        int pick = at == 0 ? first : at;
        while (at > 0 && pick < n && !joined(t, v[at - 1], v[pick]))
            pick++;
        if (pick == n)
            return false;
        const int taken = v[pick];
        memmove(v + at + 1, v + at, sizeof *v * (size_t)(pick - at));
        v[at] = taken;
    }
    return true;
}

static bool find_chain(shape *s)
{
    int n = 0, trunks = 0;
    for (int v = 0; v < s->t->nnodes; v++)
        if (s->t->nodes[v].kind == ATN_TOPO_SWITCH)
            s->row[n++] = v;
    if (n < 2 || n > MAX_CHAIN)
        return false;
    for (int i = 0; i < n; i++)
        if (s->row[i] != 0)
            s->next[trunks++] = s->row[i];
    const int trunk = s->next[0];
    if (!same_link(s->t, s->next, trunks))
        return false;
    qsort_r(s->row, (size_t)n, sizeof *s->row, by_name, (void *)s->t);
    if (!order_chain(s->t, s->row, n))
        return false;
    s->nhosts = next_row(s, n, false);
    if (s->nhosts == 0 || !same_link(s->t, s->next, s->nhosts))
        return false;
    memcpy(s->hosts, s->next, sizeof *s->hosts * (size_t)s->nhosts);
    s->chain = true;
    s->nlevels = 0;
    return add_level(s, n, trunk) && add_level(s, s->nhosts / n, s->hosts[0]);
}

/* ---- words ---- */

static bool says_like_right(const shape *s, int level)
{
    const int pair[2] = {s->levels[level].like, s->levels[atn_min(level + 1, s->nlevels - 1)].like};
    return level < s->nlevels - 1 && same_link(s->t, pair, 2);
}

/* A missing value is inherited from the right; the last one is then unknown. */
static void write_link(const shape *s, FILE *f, int level)
{
    const atn_topo_node *link = &s->t->nodes[s->levels[level].like];
    const bool unknown = link->rate == 0 && link->delay_ns == 0;
    char text[32];
    if (says_like_right(s, level) || (unknown && level == s->nlevels - 1))
        return;
    fprintf(f, "@%s", link->rate > 0 ? atn_topo_format_rate(link->rate, text) : "");
    if (link->delay_ns > 0 || link->rate == 0)
        fprintf(f, "+%s", atn_topo_format_delay(link->delay_ns, text));
}

static void write_levels(const shape *s, FILE *f)
{
    fputs(s->chain ? "chain:" : "", f);
    for (int i = 0; i < s->nlevels; i++) {
        fprintf(f, "%s%d", i ? "x" : "", s->levels[i].count);
        write_link(s, f, i);
        if (i < s->nlevels - 1 && !says_like_right(s, i))
            fputc(' ', f);
    }
}

/* Numbers in a row become ranges, as the reader takes them. */
static void write_list(const shape *s, FILE *f)
{
    const atn_topo *t = s->t;
    for (int r = 0, end; r < t->p; r = end) {
        int host = 0;
        while (s->hosts[host] != t->node_of[r])
            host++;
        for (end = r + 1; end < t->p && host + end - r < s->nhosts &&
                          s->hosts[host + end - r] == t->node_of[end];)
            end++;
        fprintf(f, "%s%d", r ? "," : "", host);
        if (end - r > 1)
            fprintf(f, "-%d", host + end - r - 1);
    }
}

static void write_order(const shape *s, FILE *f, int order)
{
    const int each = s->nhosts > 0 ? s->t->p / s->nhosts : 0;
    if (order < 2 && each > 1)
        fprintf(f, ";ranks=%d", each);
    if (order == 1)
        fputs(";order=roundrobin", f);
    if (order == 2) {
        fputs(";order=", f);
        write_list(s, f);
    }
}

static void write_hosts(const shape *s, FILE *f)
{
    const char **names = malloc(sizeof *names * (size_t)s->nhosts);
    char plain[32];
    bool usual = true;
    for (int i = 0; names && i < s->nhosts; i++) {
        names[i] = s->t->nodes[s->hosts[i]].name;
        snprintf(plain, sizeof plain, "n%d", i);
        usual = usual && strcmp(names[i], plain) == 0;
    }
    if (names && !usual) {
        fputs(";hosts=", f);
        atn_topo_hostlist_print(f, names, s->nhosts);
    }
    free(names);
}

/* ---- candidates ---- */

/* The fingerprint covers links and ranks; host names must be equal, too. */
static bool says_same(const char *text, const atn_topo *t)
{
    atn_topo *back;
    if (atn_topo_parse_synthetic(text, &back, NULL) != ATN_OK)
        return false;
    bool same = atn_topo_fingerprint(back) == atn_topo_fingerprint(t);
    for (int r = 0; same && r < t->p; r++)
        same = strcmp(t->nodes[t->node_of[r]].name, back->nodes[back->node_of[r]].name) == 0;
    atn_topo_free(back);
    return same;
}

/* The string with one form of rank placement; NULL: it does not read back as the same tree. */
static char *try_order(const shape *s, int order)
{
    char *text = NULL;
    size_t bytes;
    FILE *f = atn_open_text(&text, &bytes);
    if (f == NULL)
        return NULL;
    if (s->t->routes)
        fputs(s->t->routes->text, f);
    else
        write_levels(s, f);
    write_order(s, f, order);
    if (!s->t->routes)
        write_hosts(s, f);
    if (fclose(f) == 0 && says_same(text, s->t))
        return text;
    free(text);
    return NULL;
}

/* No host was passed over, and none has parts. */
static bool complete(const shape *s)
{
    int n = 0;
    for (int v = 0; v < s->t->nnodes; v++)
        n += s->t->nodes[v].kind != ATN_TOPO_SWITCH;
    return n == s->nhosts;
}

/* The string of a network with routes, of which no host is missing, is known. */
static bool find_routed(shape *s)
{
    s->nhosts = atn_topo_hosts(s->t);
    if (s->t->routes->text == NULL || s->nhosts != s->t->routes->nhosts)
        return false;
    for (int v = 0; v < s->t->nnodes; v++)
        if (s->t->nodes[v].kind == ATN_TOPO_HOST)
            s->hosts[s->t->nodes[v].number] = v;
    return true;
}

static char *print_any(shape *s)
{
    char *text = NULL;
    if (s->t->routes && !(find_routed(s) && complete(s)))
        return NULL;
    if (!s->t->routes && !(find_levels(s) && complete(s)) && !(find_chain(s) && complete(s)))
        return NULL;
    for (int order = 0; order < 3 && text == NULL; order++)
        text = try_order(s, order);
    return text;
}

/* A string always has ranks, so a tree without them gets them in the order of its hosts. */
static atn_topo *with_ranks(const atn_topo *t)
{
    int *node_of = malloc(sizeof *node_of * (size_t)t->nnodes), p = 0;
    for (int v = 0; node_of && v < t->nnodes; v++)
        if (t->nodes[v].kind == ATN_TOPO_HOST)
            node_of[p++] = v;
    atn_topo *placed = node_of ? atn_topo_like(t, t->nodes, t->nnodes, t->p ? t->node_of : node_of,
                                               t->p ? t->p : p)
                               : NULL;
    free(node_of);
    return placed;
}

atn_status atn_topo_to_synthetic(const atn_topo *t, char **text_p, atn_error *err)
{
    const size_t n = (size_t)t->nnodes;
    atn_topo *placed = with_ranks(t);
    int *room = malloc(sizeof *room * 3 * n);
    char *text = NULL;
    if (placed && room) {
        shape s = {.t = placed, .hosts = room, .row = room + n, .next = room + 2 * n};
        text = print_any(&s);
    }
    const bool memory = placed && room;
    atn_topo_free(placed);
    free(room);
    if (text)
        *text_p = text;
    if (text || !memory)
        return text ? ATN_OK : atn_fail(err, ATN_MEMORY, "out of memory");
    return atn_fail(err, ATN_INPUT,
                    "%s: no synthetic string describes this %s; convert it to slurm", t->origin,
                    t->routes ? "part of a network"
                              : "tree, which is neither regular nor a chain of equal switches");
}
