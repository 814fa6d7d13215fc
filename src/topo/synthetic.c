/* synthetic.c - trees in one line.
 *
 *   [chain:] COUNT[@[RATE][+DELAY]] { x COUNT[@[RATE][+DELAY]] } { ; option }
 *   options: order=sequential | roundrobin | 0-3,8,...   ranks=PER_HOST   hosts=NAMES
 *
 * "2@1G+10ms x4x8@100M" has 2 switches of 4 switches of 8 hosts.  What follows an @ is that of the
 * links to the nodes that are counted before it, and of the levels to the left without one.
 * With "chain:" the switches of the first level hang in a row instead of below a core switch. */
#include <stdlib.h>
#include <string.h>

#include "topo/hostlist.h"
#include "topo/read.h"
#include "topo/units.h"

enum { MAX_LEVELS = 8, MAX_HOSTS = 1 << 16, MAX_RANKS = 1 << 20 };

typedef struct {
    int count;
    bool given; /* has an @ of its own */
    int64_t rate, delay_ns;
} level;

typedef struct {
    atn_draft *d;
    bool chain;
    level levels[MAX_LEVELS];
    int nlevels;
    const char *order; /* NULL: sequential */
    int ranks;         /* per host */
    bool ranks_given;
    atn_name_list names; /* of hosts; empty: n0, n1 ... */
    ATN_VEC(int) hosts;  /* nodes in order */
    int nhosts;
} spec;

static void bad(const spec *s, const char *what, const char *text, const char *remedy)
{
    atn_topo_found(s->d->found, 0, "%s '%s'; %s", what, text, remedy);
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
        bad(s, "unknown rate", rate, ATN_RATE_REMEDY);
    if (plus && !atn_topo_parse_delay(delay, &l->delay_ns))
        bad(s, "unknown delay", delay, ATN_DELAY_REMEDY);
    if (*rate == '\0' && !plus)
        bad(s, "nothing after", "@", "write a rate, +delay or both: 4@1G+10ms");
    l->given = true;
}

static void read_level(spec *s, char *text)
{
    if (s->nlevels == MAX_LEVELS) {
        bad(s, "too many levels at", text, "eight are the most");
        return;
    }
    level *l = &s->levels[s->nlevels++];
    char *at = strchr(text, '@');
    if (at)
        *at = '\0';
    const char *count = trim(text);
    l->count = parse_count(count);
    if (l->count == 0)
        bad(s, "not a number of switches or hosts:", count, "write levels as in 4x8@100M");
    if (at)
        read_link(s, l, at + 1);
}

static void read_levels(spec *s, char *text)
{
    static const char chain[] = "chain:";
    text = trim(text);
    s->chain = strncmp(text, chain, sizeof chain - 1) == 0;
    if (s->chain)
        text += sizeof chain - 1;
    for (char *word = text, *next; word != NULL; word = next) {
        next = strchr(word, 'x');
        if (next)
            *next++ = '\0';
        read_level(s, word);
    }
    for (int i = s->nlevels - 2; i >= 0; i--)
        if (!s->levels[i].given) {
            s->levels[i].rate = s->levels[i + 1].rate;
            s->levels[i].delay_ns = s->levels[i + 1].delay_ns;
        }
    if (s->chain && s->nlevels < 2)
        bad(s, "a chain without hosts:", text, "write chain:SWITCHESxHOSTS, as in chain:4x8");
}

/* ---- options ---- */

static void order_option(spec *s, char *value) { s->order = value; }

static void ranks_option(spec *s, char *value)
{
    s->ranks = parse_count(value);
    s->ranks_given = true;
    if (s->ranks == 0)
        bad(s, "not a number of ranks:", value, "write the ranks of each host, as in ranks=4");
}

static void hosts_option(spec *s, char *value)
{
    atn_error err = {0};
    if (atn_topo_hostlist_expand(value, &s->names, &err) == ATN_MEMORY)
        s->d->found->no_memory = true;
    else if (err.status)
        atn_topo_found(s->d->found, 0, "hosts=: %s", err.text);
}

static const struct {
    const char *name;
    void (*read)(spec *s, char *value);
} options[] = {{"order", order_option}, {"ranks", ranks_option}, {"hosts", hosts_option}};

enum { OPTIONS = sizeof options / sizeof *options };

static void read_option(spec *s, char *text)
{
    char *equals = strchr(text, '=');
    if (equals)
        *equals = '\0';
    const char *name = trim(text);
    for (int i = 0; equals && i < OPTIONS; i++)
        if (strcmp(name, options[i].name) == 0) {
            options[i].read(s, trim(equals + 1));
            return;
        }
    bad(s, "unknown option", name, "there are order=, ranks= and hosts=");
}

/* ---- the tree ---- */

static int hang(spec *s, atn_topo_kind kind, const char *name, int parent, const level *l)
{
    const int v = atn_topo_draft_node_at(s->d, kind, name, 0);
    if (v < 0 || parent < 0)
        return v;
    atn_topo_draft_hang(s->d, v, parent, 0);
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
        if (v < 0)
            return;
        grow(s, depth + 1, v, name);
        if (s->chain && depth == 0)
            above = v;
    }
}

static bool count_hosts(spec *s)
{
    int64_t n = 1;
    for (int i = 0; i < s->nlevels && n <= MAX_HOSTS; i++)
        n *= s->levels[i].count;
    if (n > MAX_HOSTS || n * s->ranks > MAX_RANKS) {
        atn_topo_found(s->d->found, 0, "more than %d hosts or %d ranks; describe less", MAX_HOSTS,
                       MAX_RANKS);
        return false;
    }
    s->nhosts = (int)n;
    if (s->names.n > 0 && s->names.n != s->nhosts)
        atn_topo_found(s->d->found, 0, "hosts= names %d hosts, the levels have %d; name them all",
                       s->names.n, s->nhosts);
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
        bad(s, "unknown order", s->order,
            "write sequential, roundrobin or numbers of hosts as in 0-3,8");
    for (int i = 0; i < numbers.n && s->d->found->wrong == 0; i++) {
        const int host = atoi(numbers.v[i]);
        if (host < s->nhosts)
            atn_topo_draft_rank(s->d, s->hosts.v[host]);
        else
            atn_topo_found(s->d->found, 0, "order= names host %d, the last one is %d; count from 0",
                           host, s->nhosts - 1);
    }
    if (s->ranks_given)
        bad(s, "ranks= together with the list", s->order,
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
    read_levels(s, text);
    for (char *option = rest, *next; option != NULL; option = next) {
        next = strchr(option, ';');
        if (next)
            *next++ = '\0';
        if (*trim(option) != '\0' || next)
            read_option(s, option);
    }
}

void atn_topo_read_synthetic(atn_draft *d, const char *text)
{
    spec s = {.d = d, .ranks = 1};
    char *copy = strdup(text);
    if (copy == NULL) {
        d->found->no_memory = true;
        return;
    }
    read_spec(&s, copy);
    if (d->found->wrong == 0 && count_hosts(&s)) {
        const bool star = !s.chain && s.nlevels > 1;
        const int root =
            s.chain ? -1 : atn_topo_draft_node_at(d, ATN_TOPO_SWITCH, star ? "core" : "s0", 0);
        grow(&s, 0, root, "s");
        if (d->found->wrong == 0 && !d->found->no_memory)
            place_ranks(&s);
    }
    free(copy);
    atn_topo_name_list_free(&s.names);
    atn_vec_free(&s.hosts);
}

atn_status atn_topo_parse_synthetic(const char *text, atn_topo **topo_p, atn_error *err)
{
    return atn_topo_read_text(atn_topo_read_synthetic, text, text, topo_p, err);
}
