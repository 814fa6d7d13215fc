/* slurm.c - reads topology.conf, and what Attune writes into its comments.
 *
 *   SwitchName=s0 Nodes=n[0-3] LinkSpeed=100 #attune delay=50us
 *   #attune ranks=n[0-3]
 *
 * A line's LinkSpeed, rate and delay are those of the links to the switches and hosts that the line
 * names.  docs/topology-format.md has all of it. */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "topo/fields.h"
#include "topo/hostlist.h"
#include "topo/read.h"
#include "topo/routes.h"
#include "topo/units.h"

static const char mark[] = "#attune";

typedef struct {
    atn_draft *d;
    atn_findings *found;
    int line;
    ATN_VEC(bool) defined; /* per node: a SwitchName line has been seen */
    ATN_VEC(int) rank_lines;
    atn_name_list ranks; /* names, looked up when all hosts are known */
    char *routes;        /* a synthetic string; NULL: the network is a tree */
    int routes_line;
} reader;

/* ---- lists of names ---- */

/* Expands a list and reports what is wrong with it; false: nothing to go on with. */
static bool names_of(const reader *r, const char *key, const char *text, atn_name_list *names)
{
    const bool repeat = names == &r->ranks;
    atn_error err = {0};
    if ((repeat ? atn_topo_ranklist_expand : atn_topo_hostlist_expand)(text, names, &err) == ATN_OK)
        return true;
    if (err.status == ATN_MEMORY)
        r->found->no_memory = true;
    else
        atn_topo_found(r->found, r->line, "%s=: %s", key, err.text);
    return false;
}

/* Hangs every name of a list below a node. */
static void hang_all(reader *r, const atn_line_field *list, atn_topo_kind kind, int parent,
                     const atn_topo_node *like)
{
    atn_name_list names = {0};
    if (names_of(r, list->key, list->value, &names))
        for (int i = 0; i < names.n; i++) {
            const int v = atn_topo_draft_node_at(r->d, kind, names.v[i], r->line);
            if (v < 0)
                break;
            if (r->d->nodes.v[v].parent < 0)
                r->d->nodes.v[v].kind = kind; /* of= may have named a part before its own line */
            atn_topo_draft_hang(r->d, v, parent, r->line);
            r->d->nodes.v[v].rate = like->rate;
            r->d->nodes.v[v].delay_ns = like->delay_ns;
            if (like->level)
                atn_topo_draft_level(r->d, v, like->level);
        }
    atn_topo_name_list_free(&names);
}

/* ---- SwitchName lines ---- */

enum { SWITCH_NAME, SWITCHES, NODES, LINK_SPEED, SWITCH_KEYS };
enum { RATE, DELAY, LEVEL, LINK_KEYS };

/* Slurm's LinkSpeed has no unit; here a number alone is Mbit/s. */
static int64_t link_speed(const reader *r, const atn_line_field *speed)
{
    int64_t rate = 0;
    if (speed->value == NULL)
        return 0;
    const size_t digits = strspn(speed->value, "0123456789");
    char text[32];
    if (digits > 0 && digits < 20 && speed->value[digits] == '\0') {
        snprintf(text, sizeof text, "%sM", speed->value);
        if (atn_topo_parse_rate(text, &rate))
            return rate;
    }
    if (!atn_topo_parse_rate(speed->value, &rate))
        atn_topo_found(
            r->found, r->line,
            "LinkSpeed=%s is no rate; write Mbit/s as a number, or with a unit as 100M or 1G",
            speed->value);
    return rate;
}

static bool mark_defined(reader *r, int node)
{
    while (r->defined.n <= node)
        if (!atn_push(&r->defined, false)) {
            r->found->no_memory = true;
            return false;
        }
    r->defined.v[node] = true;
    return true;
}

static bool one_name(const char *name) { return *name != '\0' && strpbrk(name, "[],") == NULL; }

static void switch_line(reader *r, atn_line_field *keys, atn_line_field *extra)
{
    const char *name = keys[SWITCH_NAME].value;
    const int64_t speed = link_speed(r, &keys[LINK_SPEED]);
    const int64_t rate = atn_topo_field_rate(&extra[RATE], r->found, r->line);
    const atn_topo_node like = {.rate = rate ? rate : speed,
                                .delay_ns = atn_topo_field_delay(&extra[DELAY], r->found, r->line)};
    if (name == NULL || !one_name(name)) {
        atn_topo_found(
            r->found, r->line,
            name ? "SwitchName=%s is no name of one switch; give each switch its own line"
                 : "no SwitchName=%s on this line; name the switch of these Nodes= or Switches=",
            name ? name : "");
        return;
    }
    const int v = atn_topo_draft_node_at(r->d, ATN_TOPO_SWITCH, name, r->line);
    if (v < 0 || !mark_defined(r, v))
        return;
    if (extra[LEVEL].value)
        atn_topo_draft_level(r->d, v, extra[LEVEL].value);
    if (keys[SWITCHES].value)
        hang_all(r, &keys[SWITCHES], ATN_TOPO_SWITCH, v, &like);
    if (keys[NODES].value)
        hang_all(r, &keys[NODES], ATN_TOPO_HOST, v, &like);
}

/* ---- lines that are a comment to Slurm ---- */

enum {
    RANKS,
    PART,
    OF,
    HOST,
    OWN_RATE,
    OWN_DELAY,
    OWN_LEVEL,
    ROUTES,
    LINK,
    TO,
    ROUTE,
    BY,
    OWN_KEYS
};

static void ranks_line(reader *r, const char *text)
{
    if (!names_of(r, "ranks", text, &r->ranks))
        return;
    while (r->rank_lines.n < r->ranks.n)
        if (!atn_push(&r->rank_lines, r->line)) {
            r->found->no_memory = true;
            return;
        }
}

static void part_line(reader *r, atn_line_field *keys)
{
    const atn_topo_node like = {.rate = atn_topo_field_rate(&keys[OWN_RATE], r->found, r->line),
                                .delay_ns =
                                    atn_topo_field_delay(&keys[OWN_DELAY], r->found, r->line),
                                .level = keys[OWN_LEVEL].value};
    if (keys[OF].value == NULL || !one_name(keys[OF].value)) {
        atn_topo_found(r->found, r->line, "part= needs of=HOST, the host that it belongs to");
        return;
    }
    const int parent = atn_topo_draft_node_at(r->d, ATN_TOPO_HOST, keys[OF].value, r->line);
    if (parent >= 0)
        hang_all(r, &keys[PART], ATN_TOPO_PART, parent, &like);
}

/* Each of the first with each of the second, as in graph files. */
static void link_line(reader *r, const atn_line_field *keys)
{
    atn_name_list from = {0}, to = {0};
    const int64_t rate = atn_topo_field_rate(&keys[OWN_RATE], r->found, r->line);
    const int64_t delay = atn_topo_field_delay(&keys[OWN_DELAY], r->found, r->line);
    if (keys[TO].value == NULL)
        atn_topo_found(r->found, r->line, "link= needs to=SWITCH, its other end");
    else if (names_of(r, "link", keys[LINK].value, &from) && names_of(r, "to", keys[TO].value, &to))
        for (int i = 0; i < from.n; i++)
            for (int k = 0; k < to.n && !r->found->no_memory; k++)
                atn_topo_draft_link(r->d, from.v[i], to.v[k], rate, delay, r->line);
    atn_topo_name_list_free(&from);
    atn_topo_name_list_free(&to);
}

/* Messages at a switch to some hosts leave over the link to another switch. */
static void route_line(reader *r, const atn_line_field *keys)
{
    atn_name_list hosts = {0};
    if (keys[TO].value == NULL || keys[BY].value == NULL)
        atn_topo_found(r->found, r->line,
                       "route= needs by=SWITCH, the next one, and to=HOSTS, for which it is");
    else if (names_of(r, "to", keys[TO].value, &hosts))
        for (int i = 0; i < hosts.n && !r->found->no_memory; i++)
            atn_topo_draft_forward(r->d, keys[ROUTE].value, keys[BY].value, hosts.v[i], r->line);
    atn_topo_name_list_free(&hosts);
}

static void routes_line(reader *r, const char *text)
{
    if (r->routes) {
        atn_topo_found(r->found, r->line, "routes= again, the first is on line %d; remove one",
                       r->routes_line);
        return;
    }
    r->routes = strdup(text);
    r->routes_line = r->line;
    if (r->routes == NULL)
        r->found->no_memory = true;
}

static void version_line(const reader *r, const char *text)
{
    if (strcmp(text, "1") != 0)
        atn_topo_found(r->found, r->line,
                       "version %.20s of the topology format; this Attune reads version 1", text);
}

static void own_line(reader *r, char *text)
{
    atn_line_field keys[OWN_KEYS] = {
        [RANKS] = {.key = "ranks"},     [PART] = {.key = "part"},
        [OF] = {.key = "of"},           [HOST] = {.key = "host"},
        [OWN_RATE] = {.key = "rate"},   [OWN_DELAY] = {.key = "delay"},
        [OWN_LEVEL] = {.key = "level"}, [ROUTES] = {.key = "routes"},
        [LINK] = {.key = "link"},       [TO] = {.key = "to"},
        [ROUTE] = {.key = "route"},     [BY] = {.key = "by"},
    };
    text += strspn(text, " \t");
    if (strncmp(text, "topology ", 9) == 0) {
        version_line(r, text + 9 + strspn(text + 9, " \t"));
        return;
    }
    if (!atn_topo_fields_read(text, keys, OWN_KEYS, r->found, r->line))
        return;
    if (keys[RANKS].value)
        ranks_line(r, keys[RANKS].value);
    else if (keys[PART].value)
        part_line(r, keys);
    else if (keys[HOST].value)
        atn_topo_draft_node_at(r->d, ATN_TOPO_HOST, keys[HOST].value, r->line);
    else if (keys[ROUTES].value)
        routes_line(r, keys[ROUTES].value);
    else if (keys[LINK].value)
        link_line(r, keys);
    else if (keys[ROUTE].value)
        route_line(r, keys);
    else
        atn_topo_found(r->found, r->line,
                       "a separate line has ranks=, part=, host=, routes=, link= or route=; rates, "
                       "delays and levels of switches stand behind their SwitchName");
}

/* ---- the text ---- */

/* Where "#attune" begins, alone or followed by a blank; else where the comment begins. */
static char *find_comment(char *text, bool *own_p)
{
    char *hash = strchr(text, '#');
    const size_t n = sizeof mark - 1;
    *own_p = hash && strncasecmp(hash, mark, n) == 0 &&
             (hash[n] == '\0' || isspace((unsigned char)hash[n]));
    return hash;
}

static void one_line(reader *r, char *text)
{
    bool own;
    char *comment = find_comment(text, &own);
    atn_line_field keys[SWITCH_KEYS] = {
        [SWITCH_NAME] = {.key = "SwitchName"},
        [SWITCHES] = {.key = "Switches"},
        [NODES] = {.key = "Nodes"},
        [LINK_SPEED] = {.key = "LinkSpeed"},
    };
    atn_line_field extra[LINK_KEYS] = {
        [RATE] = {.key = "rate"}, [DELAY] = {.key = "delay"}, [LEVEL] = {.key = "level"}};
    if (comment)
        *comment = '\0';
    char *extra_text = own ? comment + sizeof mark - 1 : NULL;
    if (text[strspn(text, " \t")] == '\0') {
        if (own)
            own_line(r, extra_text);
        return;
    }
    const bool fine = atn_topo_fields_read(text, keys, SWITCH_KEYS, r->found, r->line);
    if ((!own || atn_topo_fields_read(extra_text, extra, LINK_KEYS, r->found, r->line)) && fine)
        switch_line(r, keys, extra);
}

static void check_defined(const reader *r)
{
    for (int v = 0; v < r->d->nodes.n; v++) {
        const atn_draft_node *node = &r->d->nodes.v[v];
        if (node->kind == ATN_TOPO_SWITCH && (v >= r->defined.n || !r->defined.v[v]))
            atn_topo_found(r->found, node->line,
                           "switch %s is named in Switches= but has no line of its own; add "
                           "SwitchName=%s with its Nodes= or Switches=",
                           node->name, node->name);
    }
}

/* Slurm's own plugin refuses such a switch; nothing else does.  One remark is enough. */
static void remark_mixed(const reader *r)
{
    const atn_draft_node *v = r->d->nodes.v, *end = v != NULL ? v + r->d->nodes.n : NULL;
    bool *hosts = calloc((size_t)r->d->nodes.n + 1, sizeof *hosts);
    for (const atn_draft_node *c = v; hosts && c < end; c++)
        if (c->kind == ATN_TOPO_HOST && c->parent >= 0)
            hosts[c->parent] = true;
    for (const atn_draft_node *c = v; hosts && c < end; c++)
        if (c->kind == ATN_TOPO_SWITCH && c->parent >= 0 && hosts[c->parent]) {
            atn_topo_remark(
                r->found, c->parent_line,
                "switch %s has hosts and switches below it; Slurm's topology/tree refuses "
                "that, Attune does not",
                v[c->parent].name);
            break;
        }
    free(hosts);
}

static void place_ranks(const reader *r)
{
    for (int i = 0; i < r->rank_lines.n; i++) {
        const char *name = r->ranks.v[i];
        const int v = atn_topo_draft_find(r->d, ATN_TOPO_HOST, name);
        const char *near = v < 0 ? atn_topo_draft_near(r->d, ATN_TOPO_HOST, name) : NULL;
        if (v >= 0)
            atn_topo_draft_rank(r->d, v);
        else
            atn_topo_found(r->found, r->rank_lines.v[i],
                           "host %s of rank %d is in no Nodes= list; add it%s%s%s", name, i,
                           near ? " (did you mean " : "", near ? near : "", near ? "?)" : "");
    }
}

/* Hosts of the file take the places of those of the string that have their names. */
static void take_routes(const reader *r, const atn_draft *network)
{
    for (int v = 0; v < r->d->nodes.n; v++) {
        atn_draft_node *host = &r->d->nodes.v[v];
        const int like = host->kind == ATN_TOPO_HOST
                             ? atn_topo_draft_find(network, ATN_TOPO_HOST, host->name)
                             : 0;
        host->number = network->nodes.v[like < 0 ? 0 : like].number;
        if (like < 0)
            atn_topo_found(r->found, r->routes_line,
                           "host %s is not in the network of routes=; list its hosts in order "
                           "with ;hosts=",
                           host->name);
    }
    r->d->routes = atn_topo_routes_share(network->routes);
}

static void read_routes(const reader *r)
{
    atn_draft network = {.found = r->found};
    if (r->d->forwards.n > 0 && r->d->links.n == 0)
        atn_topo_found(r->found, r->d->forwards.v[0].line,
                       "route= without any link=, along which messages go; add them");
    if (r->routes)
        atn_topo_read_string(&network, r->routes, r->routes_line);
    if (r->routes && r->d->links.n > 0)
        atn_topo_found(r->found, r->routes_line,
                       "routes= and link= (line %d) both describe the network; keep one",
                       r->d->links.v[0].line);
    if (r->routes && r->found->wrong == 0 && !network.routes)
        atn_topo_found(r->found, r->routes_line,
                       "routes= with a tree, in which there is one way only; remove it");
    if (network.routes && r->found->wrong == 0)
        take_routes(r, &network);
    atn_topo_draft_free(&network);
}

void atn_topo_read_slurm(atn_draft *d, const char *text)
{
    reader r = {.d = d, .found = d->found};
    char *line;
    int last = 0;
    for (const char *at = text; (line = atn_topo_next_line(&at, &last, true, r.found)) != NULL;) {
        r.line = last;
        one_line(&r, line);
        free(line);
    }
    check_defined(&r);
    remark_mixed(&r);
    place_ranks(&r);
    read_routes(&r);
    free(r.routes);
    atn_vec_free(&r.defined);
    atn_vec_free(&r.rank_lines);
    atn_topo_name_list_free(&r.ranks);
}

atn_status atn_topo_parse_slurm(const char *text, const char *file, atn_topo **topo_p,
                                atn_error *err)
{
    return atn_topo_read_text(atn_topo_read_slurm, text, file, topo_p, err);
}
