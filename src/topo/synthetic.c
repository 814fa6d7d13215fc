/* synthetic.c - networks in one line.
 *
 *   [KIND:] COUNT[@[RATE][+DELAY]] { x COUNT[@[RATE][+DELAY]] } { ; option }
 *   options: order=sequential | roundrobin | 0-3,8,...   ranks=PER_HOST   hosts=NAMES   ...
 *
 * "2@1G+10ms x4x8@100M" has 2 switches of 4 switches of 8 hosts.  What follows an @ is that of the
 * links to the nodes that are counted before it, and of the levels to the left without one.
 * With "chain:" the switches of the first level hang in a row instead of below a core switch; a
 * fat tree ("fattree:", "kary:") has several links from each switch up (fattree.c).  The last
 * kinds have routes: their levels count dimensions of a torus, or groups of a dragonfly. */
#include "topo/synthetic.h"

#include <stdlib.h>
#include <string.h>

#include "topo/fields.h"
#include "topo/read.h"
#include "topo/units.h"

enum { MAX_HOSTS = 1 << 16, MAX_RANKS = 1 << 20 };

typedef atn_synth spec;
typedef atn_synth_level level;

void atn_topo_synth_bad(const spec *s, const char *what, const char *text, const char *remedy)
{
    atn_topo_found(s->d->found, s->line, "%s '%s'; %s", what, text, remedy);
}

static char *trim(char *text)
{
    text += strspn(text, " \t\n");
    for (size_t n = strlen(text); n > 0 && strchr(" \t\n", text[n - 1]); n--)
        text[n - 1] = '\0';
    return text;
}

/* ---- levels ---- */

static int parse_count(const char *text)
{
    const size_t digits = strspn(text, "0123456789");
    return digits > 0 && digits < 8 && text[digits] == '\0' ? atoi(text) : 0;
}

static void read_link(const spec *s, level *l, char *text)
{
    char *plus = strchr(text, '+');
    if (plus)
        *plus = '\0';
    const char *rate = trim(text), *delay = plus ? trim(plus + 1) : "";
    if (*rate && !atn_topo_parse_rate(rate, &l->rate))
        atn_topo_synth_bad(s, "unknown rate", rate, ATN_RATE_REMEDY);
    if (plus && !atn_topo_parse_delay(delay, &l->delay_ns))
        atn_topo_synth_bad(s, "unknown delay", delay, ATN_DELAY_REMEDY);
    if (*rate == '\0' && !plus)
        atn_topo_synth_bad(s, "nothing after", "@", "write a rate, +delay or both: 4@1G+10ms");
    l->given = true;
}

static void read_level(spec *s, char *text)
{
    if (s->nlevels == ATN_SYNTH_LEVELS) {
        atn_topo_synth_bad(s, "too many levels at", text, "eight are the most");
        return;
    }
    level *l = &s->levels[s->nlevels++];
    char *at = strchr(text, '@');
    if (at)
        *at = '\0';
    const char *count = trim(text);
    l->count = parse_count(count);
    if (l->count == 0)
        atn_topo_synth_bad(s, "not a number of switches or hosts:", count,
                           "write levels as in 4x8@100M");
    if (at)
        read_link(s, l, at + 1);
}

static void read_counts(spec *s, char *text)
{
    for (char *word = text, *next; word != NULL; word = next) {
        next = strchr(word, 'x');
        if (next)
            *next++ = '\0';
        read_level(s, word);
    }
}

/* "4,3@10G": three levels of four. */
static void read_kary(spec *s, char *text)
{
    char *comma = strchr(text, ','), *at = strchr(text, '@');
    if (comma)
        *comma = '\0';
    if (at)
        *at = '\0';
    const int k = parse_count(trim(text)), n = comma ? parse_count(trim(comma + 1)) : 0;
    if (k < 2 || n < 2 || n > ATN_SYNTH_LEVELS) {
        atn_topo_synth_bad(s, "not a k-ary n-tree:", text,
                           "write kary:K,N with K from 2 and N from 2 to 8, as in kary:4,3@10G");
        return;
    }
    for (int i = 0; i < n; i++)
        s->levels[s->nlevels++] = (level){.count = k};
    if (at)
        read_link(s, &s->levels[n - 1], at + 1);
}

enum { FOR_ALL = 1, FOR_FAT_TREES = 2, FOR_TORI = 4, FOR_DRAGONFLIES = 8, LEVEL_NAMES = 4 };

static const struct atn_synth_kind {
    const char *prefix;
    int options; /* that it has beside those for all */
    int fewest;  /* levels */
    void (*read)(spec *s, char *text);
    void (*finish)(spec *s); /* may be NULL */
    const char *example;
    const char *levels[LEVEL_NAMES]; /* names from the lowest switches up; the last for all above */
} kinds[] = {
    {.prefix = "", .fewest = 1, .read = read_counts, .example = "4x8"},
    {.prefix = "chain:", .fewest = 2, .read = read_counts, .example = "chain:4x8"},
    {.prefix = "fattree:",
     .options = FOR_FAT_TREES,
     .fewest = 2,
     .read = read_counts,
     .finish = atn_topo_synth_fattree,
     .example = "fattree:4x8x16@10G"},
    {.prefix = "kary:",
     .options = FOR_FAT_TREES,
     .fewest = 2,
     .read = read_kary,
     .finish = atn_topo_synth_fattree},
    {.prefix = "torus:",
     .options = FOR_TORI,
     .read = read_counts,
     .finish = atn_topo_synth_torus,
     .levels = {"router", "line", "plane", "block"}},
    {.prefix = "mesh:",
     .options = FOR_TORI,
     .read = read_counts,
     .finish = atn_topo_synth_mesh,
     .levels = {"router", "line", "plane", "block"}},
    {.prefix = "dragonfly:",
     .options = FOR_DRAGONFLIES,
     .read = read_counts,
     .finish = atn_topo_synth_dragonfly,
     .levels = {"router", "group", "group", "group"}},
};

/* The last one that fits; the first one fits all. */
static const struct atn_synth_kind *kind_of(const char *text)
{
    size_t i = sizeof kinds / sizeof *kinds;
    do
        i--;
    while (strncmp(text, kinds[i].prefix, strlen(kinds[i].prefix)) != 0);
    return &kinds[i];
}

bool atn_topo_has_synthetic_prefix(const char *text) { return kind_of(text) != kinds; }

static void read_levels(spec *s, char *text)
{
    text = trim(text);
    s->kind = kind_of(text);
    s->chain = strcmp(s->kind->prefix, "chain:") == 0;
    text += strlen(s->kind->prefix);
    s->kind->read(s, text);
    for (int i = s->nlevels - 2; i >= 0; i--)
        if (!s->levels[i].given) {
            s->levels[i].rate = s->levels[i + 1].rate;
            s->levels[i].delay_ns = s->levels[i + 1].delay_ns;
        }
    if (s->nlevels < s->kind->fewest && s->d->found->wrong == 0)
        atn_topo_found(s->d->found, s->line,
                       "%s without hosts: '%s'; write switches and hosts, as in %s",
                       s->chain ? "a chain" : "a fat tree", text, s->kind->example);
}

/* ---- options ---- */

static void order_option(spec *s, char *value) { s->order = value; }

static void ranks_option(spec *s, char *value)
{
    s->ranks = parse_count(value);
    s->ranks_given = true;
    if (s->ranks == 0)
        atn_topo_synth_bad(s, "not a number of ranks:", value,
                           "write the ranks of each host, as in ranks=4");
}

static void hosts_option(spec *s, char *value)
{
    atn_error err = {0};
    if (atn_topo_hostlist_expand(value, &s->names, &err) == ATN_MEMORY)
        s->d->found->no_memory = true;
    else if (err.status)
        atn_topo_found(s->d->found, s->line, "hosts=: %s", err.text);
}

static void rails_option(spec *s, char *value)
{
    s->rails = parse_count(value);
    if (s->rails == 0)
        atn_topo_synth_bad(s, "not a number of rails:", value,
                           "write how many equal networks each host is attached to, as in rails=2");
}

static void read_list(const spec *s, char *value, const char *remedy, atn_synth_list *list)
{
    list->n = 0;
    for (char *word = value, *next; word != NULL; word = next) {
        next = strchr(word, ',');
        if (next)
            *next++ = '\0';
        const int n = parse_count(trim(word));
        if (n == 0 || list->n == s->nlevels - 1) {
            atn_topo_synth_bad(s, n == 0 ? "not a number:" : "more numbers than levels at", word,
                               remedy);
            return;
        }
        list->v[list->n++] = n;
    }
}

static void up_option(spec *s, char *value)
{
    read_list(s, value, "write the links up of each switch for the last levels, as in up=4,8",
              &s->up);
}

static void oversubscribe_option(spec *s, char *value)
{
    read_list(s, value, "write a ratio for each of the last levels of switches, as in 2,4",
              &s->over);
}

static void routes_option(spec *s, char *value)
{
    s->dmodk = strcmp(value, "dmodk") == 0;
    if (!s->dmodk && strcmp(value, "even") != 0)
        atn_topo_synth_bad(s, "unknown routes", value,
                           "write even (messages are spread over all links) or dmodk (fixed by "
                           "the host at the end)");
}

static void per_option(spec *s, char *value)
{
    s->per = parse_count(value);
    if (s->per == 0)
        atn_topo_synth_bad(s, "not a number of hosts:", value,
                           "write the hosts of each router, as in per=2");
}

static void inject_option(spec *s, char *value) { read_link(s, &s->inject, value); }

static void global_option(spec *s, char *value)
{
    s->global = parse_count(value);
    if (s->global == 0)
        atn_topo_synth_bad(s, "not a number of links:", value,
                           "write the links between two groups, as in global=4");
}

static const struct {
    const char *name;
    int kinds;
    bool places; /* ranks: no property of the network */
    void (*read)(spec *s, char *value);
} options[] = {
    {"order", FOR_ALL, true, order_option},
    {"ranks", FOR_ALL, true, ranks_option},
    {"hosts", FOR_ALL, false, hosts_option},
    {"rails", FOR_ALL, false, rails_option},
    {"up", FOR_FAT_TREES, false, up_option},
    {"oversubscribe", FOR_FAT_TREES, false, oversubscribe_option},
    {"routes", FOR_FAT_TREES, false, routes_option},
    {"per", FOR_TORI, false, per_option},
    {"inject", FOR_TORI, false, inject_option},
    {"global", FOR_DRAGONFLIES, false, global_option},
};

enum { OPTIONS = sizeof options / sizeof *options };

static bool has_option(const spec *s, int i)
{
    return options[i].kinds & (FOR_ALL | s->kind->options);
}

static void unknown_option(const spec *s, const char *name)
{
    char list[128];
    int used = 0, last = OPTIONS - 1;
    while (!has_option(s, last))
        last--;
    for (int i = 0; i <= last; i++)
        if (has_option(s, i))
            used += snprintf(list + used, sizeof list - (size_t)used, "%s%s=",
                             i == 0      ? "there are "
                             : i == last ? " and "
                                         : ", ",
                             options[i].name);
    atn_topo_synth_bad(s, "unknown option", name, list);
}

/* Appends an option to the text of the network; without a name, its levels.  The text becomes an
 * attribute on a line of a topology file. */
static void keep_text(spec *s, const char *name, const char *value)
{
    char *longer = NULL;
    const int n = name ? asprintf(&longer, "%s;%s=%s", s->text ? s->text : "", name, value)
                       : asprintf(&longer, "%s", value);
    if (n < 0)
        s->d->found->no_memory = true;
    else
        for (char *at = longer; (at = strpbrk(at, "\t\n")) != NULL;)
            *at = ' ';
    free(s->text);
    s->text = n < 0 ? NULL : longer;
}

static void read_option(spec *s, char *text)
{
    char *equals = strchr(text, '=');
    if (equals)
        *equals = '\0';
    const char *name = trim(text);
    for (int i = 0; equals && i < OPTIONS; i++)
        if (has_option(s, i) && strcmp(name, options[i].name) == 0) {
            if (!options[i].places)
                keep_text(s, name, trim(equals + 1));
            options[i].read(s, trim(equals + 1));
            return;
        }
    unknown_option(s, name);
}

/* ---- the tree ---- */

static int hang(spec *s, atn_topo_kind kind, const char *name, int parent, const level *l)
{
    const int v = atn_topo_draft_node_at(s->d, kind, name, s->line);
    if (v < 0 || parent < 0)
        return v;
    atn_topo_draft_hang(s->d, v, parent, s->line);
    s->d->nodes.v[v].rate = l->rate;
    s->d->nodes.v[v].delay_ns = l->delay_ns;
    return v;
}

static void hang_host(spec *s, int parent, const level *l)
{
    char name[32];
    snprintf(name, sizeof name, "n%d", s->hosts.n);
    const bool named = s->hosts.n < s->names.n;
    const int v = hang(s, ATN_TOPO_HOST, named ? s->names.v[s->hosts.n] : name, parent, l);
    if (v < 0 || !atn_push(&s->hosts, v))
        s->d->found->no_memory = true;
    else
        s->d->nodes.v[v].number = s->hosts.n - 1;
}

/* Levels from `depth` on below a switch; names of switches are paths: s1.0 is the first below
 * s1. */
static void grow(spec *s, int depth, int parent, const char *prefix)
{
    const level *l = &s->levels[depth];
    char name[128];
    int above = parent;
    for (int i = 0; i < l->count && !s->d->found->no_memory; i++) {
        if (depth == s->nlevels - 1) {
            hang_host(s, parent, l);
            continue;
        }
        snprintf(name, sizeof name, depth == 0 ? "%.100s%d" : "%.100s.%d", prefix, i);
        const int v = hang(s, ATN_TOPO_SWITCH, name, above, l);
        if (v < 0 || !atn_push(&s->at[depth], v)) {
            s->d->found->no_memory = true;
            return;
        }
        grow(s, depth + 1, v, name);
        if (s->chain && depth == 0)
            above = v;
    }
}

/* The levels of a torus do not count hosts. */
static bool count_hosts(spec *s)
{
    int64_t n = s->per;
    for (int i = 0; i < s->nlevels && n <= MAX_HOSTS; i++)
        n *= s->levels[i].count;
    if (n > MAX_HOSTS || n * s->ranks > MAX_RANKS) {
        atn_topo_found(s->d->found, s->line, "more than %d hosts or %d ranks; describe less",
                       MAX_HOSTS, MAX_RANKS);
        return false;
    }
    s->nhosts = (int)n;
    if (s->names.n > 0 && s->names.n != s->nhosts)
        atn_topo_found(s->d->found, s->line,
                       "hosts= names %d hosts, the levels have %d; name them all", s->names.n,
                       s->nhosts);
    return s->d->found->wrong == 0;
}

/* ---- ranks ---- */

/* The k-th host of a cyclic mapping over the lowest switches. */
static int cyclic_host(const spec *s, int k)
{
    const int each = s->levels[s->nlevels - 1].count, switches = s->nhosts / each;
    return s->hosts.v[k % switches * each + k / switches];
}

static void listed_ranks(spec *s)
{
    char list[4096];
    atn_name_list numbers = {0};
    atn_error err = {0};
    const size_t used = (size_t)snprintf(list, sizeof list, "[%s]", s->order);
    if (used >= sizeof list || atn_topo_hostlist_expand(list, &numbers, &err) != ATN_OK)
        atn_topo_synth_bad(s, "unknown order", s->order,
                           "write sequential, roundrobin or numbers of hosts as in 0-3,8");
    for (int i = 0; i < numbers.n && s->d->found->wrong == 0; i++) {
        const int host = atoi(numbers.v[i]);
        if (host < s->nhosts)
            atn_topo_draft_rank(s->d, s->hosts.v[host]);
        else
            atn_topo_found(s->d->found, s->line,
                           "order= names host %d, the last one is %d; count from 0", host,
                           s->nhosts - 1);
    }
    if (s->ranks_given)
        atn_topo_synth_bad(s, "ranks= together with the list", s->order,
                           "a list is complete; name a host once per rank");
    atn_topo_name_list_free(&numbers);
}

static void place_ranks(spec *s)
{
    const int p = s->nhosts * s->ranks;
    if (s->order == NULL || strcmp(s->order, "sequential") == 0)
        for (int r = 0; r < p; r++)
            atn_topo_draft_rank(s->d, s->hosts.v[r / s->ranks]);
    else if (strcmp(s->order, "roundrobin") == 0)
        for (int r = 0; r < p; r++)
            atn_topo_draft_rank(s->d, cyclic_host(s, r % s->nhosts));
    else
        listed_ranks(s);
}

/* ---- the text ---- */

static void read_spec(spec *s, char *text)
{
    char *rest = strchr(text, ';');
    if (rest)
        *rest++ = '\0';
    keep_text(s, NULL, trim(text));
    read_levels(s, text);
    for (char *option = rest, *next; option != NULL; option = next) {
        next = strchr(option, ';');
        if (next)
            *next++ = '\0';
        if (*trim(option) != '\0' || next)
            read_option(s, option);
    }
}

/* Messages use all rails: networks side by side are one of their common rate.  With fixed routes,
 * each message uses one of them. */
static void add_rails(spec *s)
{
    if (s->dmodk)
        return;
    bool far = __builtin_mul_overflow(s->inject.rate, s->rails, &s->inject.rate);
    for (int i = 0; i < s->nlevels; i++)
        far = far || __builtin_mul_overflow(s->levels[i].rate, s->rails, &s->levels[i].rate);
    if (far)
        atn_topo_found(s->d->found, s->line, "rates beyond all numbers; write fewer rails");
}

/* ---- routes ---- */

atn_routes *atn_topo_synth_routes(spec *s, const atn_routes *shape, int64_t links, int each)
{
    enum { MAX_LINKS = 1 << 22 };
    atn_routes whole = *shape;
    if (links > MAX_LINKS) {
        atn_topo_found(s->d->found, s->line, "more than %d links; describe less", MAX_LINKS);
        return NULL;
    }
    whole.nlinks = (int)links;
    whole.nhosts = s->nhosts;
    atn_routes *x = atn_topo_routes_new(&whole);
    if (x == NULL) {
        s->d->found->no_memory = true;
        return NULL;
    }
    for (int h = 0; h < x->nhosts; h++)
        x->router_of[h] = h / each;
    x->text = s->text;
    s->text = NULL;
    atn_topo_routes_free(s->d->routes);
    return s->d->routes = x;
}

static void name_levels(const spec *s)
{
    for (int i = 0; i < s->nlevels - 1; i++)
        for (int k = 0; k < s->at[i].n; k++)
            atn_topo_draft_level(s->d, s->at[i].v[k],
                                 s->kind->levels[atn_min(s->nlevels - 2 - i, LEVEL_NAMES - 1)]);
}

/* The tree of routers has been grown. */
static void set_cuts(const spec *s, int root)
{
    const atn_routes *x = s->d->routes;
    int *home = malloc(sizeof *home * (size_t)x->nrouters);
    for (int v = 0; home && v < x->nrouters; v++) {
        int number;
        const int depth = atn_topo_router_depth(x, v, &number);
        home[v] = depth == 0            ? root
                  : depth == s->nlevels ? s->hosts.v[number]
                                        : s->at[depth - 1].v[number];
    }
    if (home)
        atn_topo_draft_cuts(s->d, home);
    else
        s->d->found->no_memory = true;
    free(home);
}

static void grow_all(spec *s)
{
    const char *const name = s->nlevels > 1 ? "core" : "s0";
    const int root = s->chain ? -1 : atn_topo_draft_node_at(s->d, ATN_TOPO_SWITCH, name, s->line);
    grow(s, 0, root, "s");
    if (s->d->found->wrong > 0 || s->d->found->no_memory)
        return;
    if (s->kind->levels[0])
        name_levels(s);
    if (s->d->routes)
        set_cuts(s, root);
    place_ranks(s);
}

void atn_topo_read_string(atn_draft *d, char *text, int line)
{
    spec s = {.d = d, .line = line, .ranks = 1, .rails = 1, .per = 1, .global = 1};
    read_spec(&s, text);
    if (d->found->wrong == 0 && count_hosts(&s))
        add_rails(&s);
    if (d->found->wrong == 0 && s.kind->finish)
        s.kind->finish(&s);
    if (d->found->wrong == 0 && !d->found->no_memory)
        grow_all(&s);
    atn_topo_name_list_free(&s.names);
    atn_vec_free(&s.hosts);
    for (int i = 0; i < ATN_SYNTH_LEVELS; i++)
        atn_vec_free(&s.at[i]);
    free(s.text);
}

void atn_topo_read_synthetic(atn_draft *d, const char *text)
{
    char *copy = strdup(text);
    if (copy)
        atn_topo_read_string(d, copy, 0);
    else
        d->found->no_memory = true;
    free(copy);
}

void atn_topo_read_strings(atn_draft *d, const char *text)
{
    int line = 0, first = 0;
    char *copy;
    for (const char *at = text; (copy = atn_topo_next_line(&at, &line, true, d->found)) != NULL;) {
        copy[strcspn(copy, "#")] = '\0';
        if (*trim(copy) != '\0' && first > 0)
            atn_topo_found(d->found, line,
                           "a second string, the first is on line %d; a file has "
                           "one, join options with ';'",
                           first);
        else if (*trim(copy) != '\0')
            atn_topo_read_string(d, copy, first = line);
        free(copy);
    }
}

atn_status atn_topo_parse_synthetic(const char *text, atn_topo **topo_p, atn_error *err)
{
    return atn_topo_read_text(atn_topo_read_synthetic, text, text, topo_p, err);
}
