/* labels.c - where hosts are, as lists: a table with commas (site,rack,host), or nodes of
 * Kubernetes with their labels (kubectl get nodes --show-labels). */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "import/import.h"
#include "topo/fields.h"
#include "topo/hostlist.h"
#include "topo/units.h"

enum { MOST_COLUMNS = 16 };

typedef struct {
    atn_draft *d;
    int line;
    int columns, host, rate, delay;
    char *title[MOST_COLUMNS];
} table;

/* ---- the tree ---- */

/* The groups of a host from the outside in; a group has the names of all groups around it, so rack
 * r1 may be in two sites. */
typedef struct {
    const char *level, *name;
} group;

static int add_group(atn_draft *d, int parent, char *path, size_t size, const group *g, int line)
{
    const size_t used = strlen(path);
    snprintf(path + used, size - used, "%s%s", used ? "/" : "", g->name);
    const int known = d->nodes.n, v = atn_topo_draft_node_at(d, ATN_TOPO_SWITCH, path, line);
    if (v >= known) {
        atn_topo_draft_hang(d, v, parent, line);
        atn_topo_draft_level(d, v, g->level);
    }
    return v;
}

static int add_host(atn_draft *d, const group *groups, int n, const char *host, int line)
{
    char path[1024] = "";
    int parent = atn_topo_draft_node_at(d, ATN_TOPO_SWITCH, "top", line);
    for (int i = 0; i < n && parent >= 0; i++)
        parent = add_group(d, parent, path, sizeof path, &groups[i], line);
    if (parent < 0)
        return -1;
    const int known = d->nodes.n, v = atn_topo_draft_node_at(d, ATN_TOPO_HOST, host, line);
    if (v >= 0 && v < known)
        atn_topo_found(d->found, line, "host %s is on line %d already; name it once", host,
                       d->nodes.v[v].line);
    else if (v >= 0)
        atn_topo_draft_hang(d, v, parent, line);
    return v;
}

/* Of names with characters that lists of hosts do not have. */
static bool is_word(const char *text)
{
    return *text != '\0' && text[strcspn(text, " \t\"'[],;*=#")] == '\0';
}

/* ---- tables with commas ---- */

static int split(char *text, char *cells[MOST_COLUMNS])
{
    int n = 0;
    for (char *at = text; at != NULL && n < MOST_COLUMNS;) {
        char *const comma = strchr(at, ',');
        if (comma)
            *comma = '\0';
        at += strspn(at, " \t");
        for (size_t end = strlen(at); end > 0 && strchr(" \t\"", at[end - 1]) != NULL; end--)
            at[end - 1] = '\0';
        cells[n++] = at + (*at == '"');
        at = comma ? comma + 1 : NULL;
    }
    return n;
}

static bool is_one_of(const char *word, const char *const *words)
{
    while (*words != NULL && strcasecmp(word, *words) != 0)
        words++;
    return *words != NULL;
}

static const char *const host_words[] = {"host", "hostname", "node", "name", "server", NULL};

static void read_titles(table *t, char *text)
{
    char *cells[MOST_COLUMNS];
    t->columns = split(text, cells);
    t->host = t->rate = t->delay = -1;
    for (int i = 0; i < t->columns; i++) {
        t->title[i] = strdup(cells[i]);
        if (t->title[i] == NULL)
            t->d->found->no_memory = true;
        if (is_one_of(cells[i], host_words))
            t->host = i;
        else if (strcasecmp(cells[i], "rate") == 0)
            t->rate = i;
        else if (strcasecmp(cells[i], "delay") == 0)
            t->delay = i;
        else if (!is_word(cells[i]))
            atn_topo_found(t->d->found, t->line, "column %d has no name; name its level", i + 1);
    }
}

static void read_link(const table *t, int v, char *const *cells)
{
    atn_draft_node *const host = &t->d->nodes.v[v];
    const atn_line_field rate = {"rate", t->rate < 0 ? NULL : cells[t->rate]};
    const atn_line_field delay = {"delay", t->delay < 0 ? NULL : cells[t->delay]};
    host->rate = atn_topo_field_rate(&rate, t->d->found, t->line);
    host->delay_ns = atn_topo_field_delay(&delay, t->d->found, t->line);
}

static void read_row(const table *t, char *text)
{
    char *cells[MOST_COLUMNS];
    group groups[MOST_COLUMNS];
    const int columns = split(text, cells);
    int n = 0;
    if (columns != t->columns) {
        atn_topo_found(t->d->found, t->line,
                       "%d columns, but the first line names %d; give one "
                       "value for each",
                       columns, t->columns);
        return;
    }
    for (int i = 0; i < columns; i++) {
        if (i == t->rate || i == t->delay)
            continue;
        if (!is_word(cells[i])) {
            atn_topo_found(t->d->found, t->line,
                           "'%s' is no name for %s; write letters, digits "
                           "and -._/ without blanks",
                           cells[i], t->title[i]);
            return;
        }
        if (i != t->host)
            groups[n++] = (group){t->title[i], cells[i]};
    }
    const int v = add_host(t->d, groups, n, cells[t->host], t->line);
    if (v >= 0)
        read_link(t, v, cells);
}

void atn_import_table(atn_draft *d, const char *text)
{
    table t = {.d = d};
    char *line;
    for (const char *at = text;
         (line = atn_topo_next_line(&at, &t.line, false, d->found)) != NULL;) {
        line[strcspn(line, "#")] = '\0';
        if (line[strspn(line, " \t")] != '\0') {
            if (t.columns == 0)
                read_titles(&t, line);
            else if (t.host >= 0)
                read_row(&t, line);
        }
        free(line);
    }
    for (int i = 0; i < t.columns; i++)
        free(t.title[i]);
}

/* The first line that is no comment. */
static char *first_line(const char *text)
{
    while (*text != '\0' && (text[strspn(text, " \t")] == '#' || strcspn(text, "\r\n") == 0))
        text += strcspn(text, "\n") + (text[strcspn(text, "\n")] != '\0');
    return strndup(text, strcspn(text, "\r\n"));
}

bool atn_import_is_table(const char *text)
{
    char *cells[MOST_COLUMNS], *const line = first_line(text);
    const int n = line ? split(line, cells) : 0;
    bool host = false;
    for (int i = 0; i < n && n > 1; i++)
        host = host || is_one_of(cells[i], host_words);
    free(line);
    return host;
}

/* ---- nodes of Kubernetes ---- */

/* Labels that state where a node is, from the outside in. */
static const struct {
    const char *key, *level;
} places[] = {
    {"failure-domain.beta.kubernetes.io/region", "region"},
    {"topology.kubernetes.io/region", "region"},
    {"failure-domain.beta.kubernetes.io/zone", "zone"},
    {"topology.kubernetes.io/zone", "zone"},
    {"network.topology.nvidia.com/core", "core"},
    {"network.topology.nvidia.com/spine", "spine"},
    {"network.topology.nvidia.com/leaf", "leaf"},
    {"network.topology.nvidia.com/accelerator", "accelerator"},
    {"topology.k8s.aws/network-node-layer-1", "layer-1"},
    {"topology.k8s.aws/network-node-layer-2", "layer-2"},
    {"topology.k8s.aws/network-node-layer-3", "layer-3"},
    {"cloud.google.com/gce-topology-block", "block"},
    {"cloud.google.com/gce-topology-subblock", "subblock"},
    {"cloud.google.com/gce-topology-host", "machine"},
    {"site", "site"},
    {"room", "room"},
    {"row", "row"},
    {"rack", "rack"},
    {"chassis", "chassis"},
};

enum { PLACES = sizeof places / sizeof *places };

/* The value of a label in "a=b,c=d"; NULL: none. */
static char *label(const char *labels, const char *key)
{
    const size_t n = strlen(key);
    for (const char *at = labels; *at != '\0'; at += *at == ',') {
        const size_t length = strcspn(at, ",");
        if (length > n && strncmp(at, key, n) == 0 && at[n] == '=')
            return strndup(at + n + 1, length - n - 1);
        at += length;
    }
    return NULL;
}

static void read_node(atn_draft *d, char *text, int line)
{
    group groups[PLACES];
    char *values[PLACES], *name = text;
    int n = 0;
    const char *const labels = strrchr(text, ' ') ? strrchr(text, ' ') + 1 : "";
    for (int i = 0; i < PLACES; i++) {
        char *const value = label(labels, places[i].key);
        const bool again = n > 0 && strcmp(groups[n - 1].level, places[i].level) == 0;
        if (value != NULL && is_word(value) && !again) {
            values[n] = value;
            groups[n++] = (group){places[i].level, value};
        } else {
            free(value);
        }
    }
    name[strcspn(name, " \t")] = '\0';
    if (n == 0)
        atn_topo_found(d->found, line,
                       "node %s has no label of a place, such as topology.kubernetes.io/zone or "
                       "rack; add one, or write a table site,rack,host",
                       name);
    else
        add_host(d, groups, n, name, line);
    for (int i = 0; i < n; i++)
        free(values[i]);
}

void atn_import_nodes(atn_draft *d, const char *text)
{
    char *line;
    int number = 0;
    for (const char *at = text;
         (line = atn_topo_next_line(&at, &number, false, d->found)) != NULL;) {
        if (line[strspn(line, " \t")] != '\0' && strncmp(line, "NAME ", 5) != 0)
            read_node(d, line, number);
        free(line);
    }
}

bool atn_import_is_nodes(const char *text)
{
    const char *const labels = strstr(text, "LABELS");
    return strncmp(text, "NAME ", 5) == 0 && labels != NULL && labels < strchrnul(text, '\n');
}
