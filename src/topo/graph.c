/* graph.c - reads a network of any shape and drafts a tree of it.
 *
 *   switch s[0-3]
 *   host n[0-15]
 *   link s0 s[1-3] rate=1G delay=5us     each of the first with each of the second
 *   tree bfs root=s0                     or dfs, or random seed=7
 *   routes shortest                      messages use all links; the tree groups hosts
 *   ranks n[0-15]                                                                          */
#include "topo/graph.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "topo/fields.h"
#include "topo/hostlist.h"
#include "topo/read.h"

typedef struct {
    atn_net_graph g;
    atn_draft *d; /* also the index of names: one space for hosts and switches */
    atn_findings *found;
    int line;
    atn_draft names;
    char *root_name;
    int root_line;
    atn_name_list ranks;
    int rank_line;
} reader;

/* ---- words of a line ---- */

/* Cuts the next blank-separated word off; NULL: none, or the next one is a key=value. */
static char *next_word(char **at_p)
{
    char *word = *at_p + strspn(*at_p, " \t");
    const size_t n = strcspn(word, " \t");
    if (n == 0 || memchr(word, '=', n) != NULL)
        return NULL;
    *at_p = word + n;
    if (**at_p != '\0')
        *(*at_p)++ = '\0';
    return word;
}

static bool expand(const reader *r, const char *text, bool repeat, atn_name_list *names)
{
    atn_error err = {0};
    const atn_status st =
        (repeat ? atn_topo_ranklist_expand : atn_topo_hostlist_expand)(text, names, &err);
    if (st == ATN_MEMORY)
        r->found->no_memory = true;
    else if (st)
        atn_topo_found(r->found, r->line, "%s", err.text);
    return st == ATN_OK;
}

/* Any key=value that is left belongs to no one. */
static void no_more(reader *r, char *rest)
{
    rest += strspn(rest, " \t");
    if (*rest != '\0')
        atn_topo_found(r->found, r->line, "'%s' has no meaning on this line; remove it", rest);
}

/* ---- lines ---- */

static void add_node(reader *r, const char *name, bool host)
{
    const int known = r->names.nodes.n;
    const int v = atn_topo_draft_node_at(&r->names, ATN_TOPO_SWITCH, name, r->line);
    if (v >= 0 && v < known) {
        atn_topo_found(r->found, r->line, "%s is already defined (line %d); name it once", name,
                       r->g.nodes.v[v].line);
        return;
    }
    char *copy = strdup(name);
    if (v < 0 || !copy || !atn_push(&r->g.nodes, (atn_net_node){copy, host, r->line})) {
        free(copy);
        r->found->no_memory = true;
    }
}

static void node_line(reader *r, char *rest, bool host)
{
    char *word = next_word(&rest);
    if (word == NULL)
        atn_topo_found(r->found, r->line, "no name on this line; name at least one");
    for (; word != NULL; word = next_word(&rest)) {
        atn_name_list names = {0};
        if (expand(r, word, false, &names))
            for (int i = 0; i < names.n && !r->found->no_memory; i++)
                add_node(r, names.v[i], host);
        atn_topo_name_list_free(&names);
    }
    no_more(r, rest);
}

static void switch_line(reader *r, char *rest) { node_line(r, rest, false); }
static void host_line(reader *r, char *rest) { node_line(r, rest, true); }

static int find_node(const reader *r, const char *name, int line)
{
    const int v = atn_topo_draft_find(&r->names, ATN_TOPO_SWITCH, name);
    if (v >= 0)
        return v;
    const char *near = atn_topo_draft_near(&r->names, ATN_TOPO_SWITCH, name);
    atn_topo_found(r->found, line,
                   "%s is no switch and no host; add a line 'switch %s' or 'host %s'%s%s%s", name,
                   name, name, near ? " (did you mean " : "", near ? near : "", near ? "?)" : "");
    return -1;
}

static void add_link(reader *r, const char *from, const char *to, atn_net_link link)
{
    link.a = find_node(r, from, r->line);
    link.b = link.a < 0 ? -1 : find_node(r, to, r->line);
    link.line = r->line;
    if (link.b < 0)
        return;
    if (link.a == link.b)
        atn_topo_found(r->found, r->line, "%s is linked to itself; remove it", from);
    else if (!atn_push(&r->g.links, link))
        r->found->no_memory = true;
}

static void link_line(reader *r, char *rest)
{
    atn_line_field keys[] = {{.key = "rate"}, {.key = "delay"}};
    atn_name_list a = {0}, b = {0};
    const char *from = next_word(&rest), *to = next_word(&rest);
    if (from == NULL || to == NULL) {
        atn_topo_found(r->found, r->line, "a link has two ends; write link A B");
        return;
    }
    if (!atn_topo_fields_read(rest, keys, 2, r->found, r->line))
        return;
    const atn_net_link link = {.rate = atn_topo_field_rate(&keys[0], r->found, r->line),
                               .delay_ns = atn_topo_field_delay(&keys[1], r->found, r->line)};
    if (expand(r, from, false, &a) && expand(r, to, false, &b))
        for (int i = 0; i < a.n; i++)
            for (int j = 0; j < b.n && !r->found->no_memory; j++)
                add_link(r, a.v[i], b.v[j], link);
    atn_topo_name_list_free(&a);
    atn_topo_name_list_free(&b);
}

static void tree_line(reader *r, char *rest)
{
    static const char *const words[] = {"bfs", "dfs", "random"};
    atn_line_field keys[] = {{.key = "seed"}, {.key = "root"}};
    const char *word = next_word(&rest);
    int span = 0;
    while (word && span < 3 && strcmp(word, words[span]) != 0)
        span++;
    if (word == NULL || span == 3) {
        atn_topo_found(r->found, r->line, "unknown tree '%s'; write bfs, dfs or random",
                       word ? word : "");
        return;
    }
    if (!atn_topo_fields_read(rest, keys, 2, r->found, r->line))
        return;
    r->g.span = (atn_span_order)span;
    if (keys[0].value)
        r->g.seed = strtoull(keys[0].value, NULL, 10);
    if (keys[1].value) {
        free(r->root_name);
        r->root_name = strdup(keys[1].value);
        r->root_line = r->line;
    }
}

static void routes_line(reader *r, char *rest)
{
    const char *word = next_word(&rest);
    r->g.routed = word && strcmp(word, "shortest") == 0;
    if (!r->g.routed)
        atn_topo_found(r->found, r->line, "unknown routes '%s'; write shortest", word ? word : "");
    no_more(r, rest);
}

static void ranks_line(reader *r, char *rest)
{
    char *word = next_word(&rest);
    r->rank_line = r->line;
    for (; word != NULL; word = next_word(&rest))
        expand(r, word, true, &r->ranks);
    no_more(r, rest);
}

static const struct {
    const char *word;
    void (*read)(reader *r, char *rest);
} lines[] = {
    {"switch", switch_line}, {"host", host_line},   {"link", link_line},
    {"tree", tree_line},     {"ranks", ranks_line}, {"routes", routes_line},
};

enum { LINES = sizeof lines / sizeof *lines };

static void one_line(reader *r, char *text)
{
    text[strcspn(text, "#")] = '\0';
    char *rest = text + strspn(text, " \t");
    if (*rest == '\0')
        return;
    const char *word = next_word(&rest);
    for (int i = 0; word && i < LINES; i++)
        if (strcmp(word, lines[i].word) == 0) {
            lines[i].read(r, rest);
            return;
        }
    atn_topo_found(r->found, r->line,
                   "'%s' begins no line; there are switch, host, link, tree, routes and ranks",
                   word ? word : rest);
}

/* ---- checks of the whole ---- */

static int by_ends(const void *a, const void *b)
{
    const atn_net_link *x = a, *y = b;
    const int ax = atn_min(x->a, x->b), ay = atn_min(y->a, y->b);
    const int bx = atn_max(x->a, x->b), by = atn_max(y->a, y->b);
    if (ax != ay)
        return ax < ay ? -1 : 1;
    if (bx != by)
        return bx < by ? -1 : 1;
    return x->line < y->line ? -1 : x->line > y->line;
}

static void check_links(atn_draft *d, atn_net_graph *g)
{
    atn_net_link *v = g->links.v;
    if (g->links.n > 0)
        qsort(v, (size_t)g->links.n, sizeof *v, by_ends);
    for (int i = 1; i < g->links.n; i++)
        if (atn_min(v[i].a, v[i].b) == atn_min(v[i - 1].a, v[i - 1].b) &&
            atn_max(v[i].a, v[i].b) == atn_max(v[i - 1].a, v[i - 1].b))
            atn_topo_found(
                d->found, v[i].line,
                "%s and %s are linked already (line %d); write cables side by side as one "
                "link with the sum of their rates",
                g->nodes.v[v[i].a].name, g->nodes.v[v[i].b].name, v[i - 1].line);
}

static bool check_reached(const atn_draft *d, const atn_net_graph *g, const int *link_up, int root)
{
    for (int v = 0; v < g->nodes.n; v++)
        if (link_up[v] == -2)
            atn_topo_found(
                d->found, g->nodes.v[v].line,
                "no path from %s to %s: the network is not connected; add the missing link",
                g->nodes.v[root].name, g->nodes.v[v].name);
    return d->found->wrong == 0;
}

/* ---- from graph to draft ---- */

static int other_end(const atn_net_link *l, int v) { return l->a == v ? l->b : l->a; }

/* Hosts at or below each node.  Walks up from every host: depth times hosts. */
static void count_hosts(const atn_net_graph *g, const int *link_up, int *hosts)
{
    for (int h = 0; h < g->nodes.n; h++)
        for (int v = h; g->nodes.v[h].host; v = other_end(&g->links.v[link_up[v]], v)) {
            hosts[v]++;
            if (link_up[v] < 0)
                break;
        }
}

/* The draft's node for a node of the graph as seen from below: a host that passes messages on is a
 * switch of its own name with the host at it. */
static int draft_switch(atn_draft *d, const atn_net_graph *g, int v)
{
    const atn_net_node *node = &g->nodes.v[v];
    return atn_topo_draft_node_at(d, ATN_TOPO_SWITCH, node->name, node->line);
}

static int draft_host(atn_draft *d, const atn_net_graph *g, int v, bool passes)
{
    const atn_net_node *node = &g->nodes.v[v];
    const int host = atn_topo_draft_node_at(d, ATN_TOPO_HOST, node->name, node->line);
    const int above = passes && host >= 0 ? draft_switch(d, g, v) : -1;
    if (above >= 0)
        atn_topo_draft_hang(d, host, above, node->line);
    return passes ? above : host;
}

static void draft_node(atn_draft *d, const atn_net_graph *g, int v, const int *link_up,
                       const int *hosts)
{
    const bool host = g->nodes.v[v].host;
    if (hosts[v] == 0)
        return;
    const int node = host ? draft_host(d, g, v, hosts[v] > 1) : draft_switch(d, g, v);
    if (node < 0 || link_up[v] < 0)
        return;
    const atn_net_link *l = &g->links.v[link_up[v]];
    const int parent = draft_switch(d, g, other_end(l, v));
    if (parent < 0)
        return;
    atn_topo_draft_hang(d, node, parent, l->line);
    d->nodes.v[node].rate = l->rate;
    d->nodes.v[node].delay_ns = l->delay_ns;
}

/* ---- routes ---- */

/* Hosts do not pass messages on, and have one link each. */
static void check_hosts(atn_draft *d, const atn_net_graph *g)
{
    int *links = calloc((size_t)g->nodes.n, sizeof *links);
    if (links == NULL) {
        d->found->no_memory = true;
        return;
    }
    for (int i = 0; i < g->links.n; i++) {
        const atn_net_link *l = &g->links.v[i];
        const bool a = g->nodes.v[l->a].host, b = g->nodes.v[l->b].host;
        const int end = a ? l->a : l->b;
        links[end] += a || b;
        if ((!a && !b) || (a != b && links[end] == 1))
            continue;
        atn_topo_found(d->found, l->line,
                       "host %s has a second link, or one to a host; with routes a host has one to "
                       "a switch: write rails as one link with the sum of their rates",
                       g->nodes.v[end].name);
    }
    free(links);
}

static void draft_links(atn_draft *d, const atn_net_graph *g)
{
    for (int i = 0; i < g->links.n && !d->found->no_memory; i++) {
        const atn_net_link *l = &g->links.v[i];
        const atn_net_node *a = &g->nodes.v[l->a], *b = &g->nodes.v[l->b];
        if (!a->host && !b->host)
            atn_topo_draft_link(d, a->name, b->name, l->rate, l->delay_ns, l->line);
    }
}

static void remark_tree(const atn_draft *d, const atn_net_graph *g, int root)
{
    static const char *const words[] = {"breadth-first", "depth-first", "random"};
    const int used = d->nodes.n - 1;
    if (g->links.n > used)
        atn_topo_remark(d->found, 0, "%d links, of which the %s tree from %s uses %d", g->links.n,
                        words[g->span], g->nodes.v[root].name, used);
}

static void draft_tree(atn_draft *d, const atn_net_graph *g)
{
    const int n = g->nodes.n;
    int *link_up = malloc(sizeof *link_up * (size_t)n), *hosts = calloc((size_t)n, sizeof *hosts);
    const int root = link_up && hosts ? atn_topo_graph_span(g, link_up) : -1;
    if (root < 0)
        d->found->no_memory = true;
    if (root >= 0 && check_reached(d, g, link_up, root)) {
        count_hosts(g, link_up, hosts);
        for (int v = 0; v < n; v++)
            draft_node(d, g, v, link_up, hosts);
        if (g->routed)
            draft_links(d, g);
        else
            remark_tree(d, g, root);
    }
    free(link_up);
    free(hosts);
}

void atn_topo_graph_draft(atn_draft *d, atn_net_graph *g)
{
    check_links(d, g);
    if (g->routed)
        check_hosts(d, g);
    if (d->found->wrong == 0 && !d->found->no_memory && g->nodes.n > 0)
        draft_tree(d, g);
}

void atn_topo_graph_free(atn_net_graph *g)
{
    for (int i = 0; i < g->nodes.n; i++)
        free(g->nodes.v[i].name);
    atn_vec_free(&g->nodes);
    atn_vec_free(&g->links);
}

/* ---- the file ---- */

static void draft_ranks(reader *r)
{
    for (int i = 0; i < r->ranks.n; i++) {
        const int v = atn_topo_draft_find(r->d, ATN_TOPO_HOST, r->ranks.v[i]);
        if (v >= 0)
            atn_topo_draft_rank(r->d, v);
        else
            atn_topo_found(r->found, r->rank_line, "%s of rank %d is no host; add a line 'host %s'",
                           r->ranks.v[i], i, r->ranks.v[i]);
    }
}

static void free_reader(reader *r)
{
    atn_topo_graph_free(&r->g);
    atn_topo_name_list_free(&r->ranks);
    atn_topo_draft_free(&r->names);
    free(r->root_name);
}

void atn_topo_read_graph(atn_draft *d, const char *text)
{
    reader r = {.d = d, .found = d->found, .g.root = -1, .names.found = d->found};
    char *line;
    for (const char *at = text; (line = atn_topo_next_line(&at, &r.line, true, r.found)) != NULL;) {
        one_line(&r, line);
        free(line);
    }
    if (r.root_name)
        r.g.root = find_node(&r, r.root_name, r.root_line);
    atn_topo_graph_draft(d, &r.g);
    if (r.found->wrong == 0 && !r.found->no_memory)
        draft_ranks(&r);
    free_reader(&r);
}
