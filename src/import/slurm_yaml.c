/* slurm_yaml.c - topology.yaml of Slurm: a list of topologies, of which one is the default. */
#include <string.h>
#include <strings.h>

#include "import/document.h"
#include "import/import.h"
#include "topo/hostlist.h"

typedef struct {
    const atn_document *doc;
    atn_draft *d;
} reader;

/* Hangs every name of a list below a node. */
static void hang_all(const reader *r, const atn_import_value *list, atn_topo_kind kind, int parent)
{
    atn_name_list names = {0};
    atn_error err = {0};
    if (list->kind != ATN_VALUE_TEXT) {
        atn_topo_found(r->d->found, list->line, "%s: is no text; write a list such as n[0-3]",
                       list->key);
        return;
    }
    if (atn_topo_hostlist_expand(list->text, &names, &err) == ATN_MEMORY)
        r->d->found->no_memory = true;
    else if (err.status)
        atn_topo_found(r->d->found, list->line, "%s: %s", list->key, err.text);
    for (int i = 0; !err.status && i < names.n; i++) {
        const int v = atn_topo_draft_node_at(r->d, kind, names.v[i], list->line);
        if (v >= 0)
            atn_topo_draft_hang(r->d, v, parent, list->line);
    }
    atn_topo_name_list_free(&names);
}

/* An entry of `switches` or `blocks`; -1: it has no name. */
static int entry_node(const reader *r, const atn_import_value *entry, const char *key)
{
    const char *const name = atn_import_text(r->doc, entry, key);
    if (name != NULL && *name != '\0')
        return atn_topo_draft_node_at(r->d, ATN_TOPO_SWITCH, name, entry->line);
    atn_topo_found(r->d->found, entry->line, "no %s: in this entry; name the %s", key, key);
    return -1;
}

static void read_switch(const reader *r, const atn_import_value *entry)
{
    const atn_import_value *const children = atn_import_member(r->doc, entry, "children");
    const atn_import_value *const nodes = atn_import_member(r->doc, entry, "nodes");
    const int v = entry_node(r, entry, "switch");
    if (v >= 0 && children != NULL)
        hang_all(r, children, ATN_TOPO_SWITCH, v);
    if (v >= 0 && nodes != NULL)
        hang_all(r, nodes, ATN_TOPO_HOST, v);
}

/* Blocks have fast links inside; all of them are linked with each other. */
static void read_block(const reader *r, const atn_import_value *entry)
{
    const atn_import_value *const nodes = atn_import_member(r->doc, entry, "nodes");
    const int top = atn_topo_draft_node_at(r->d, ATN_TOPO_SWITCH, "blocks", entry->line);
    const int v = entry_node(r, entry, "block");
    if (v < 0 || top < 0)
        return;
    if (nodes == NULL) /* Slurm allows blocks whose nodes are not there yet */
        return;
    if (r->d->nodes.v[v].parent < 0)
        atn_topo_draft_hang(r->d, v, top, entry->line);
    atn_topo_draft_level(r->d, v, "block");
    hang_all(r, nodes, ATN_TOPO_HOST, v);
}

static const struct {
    const char *kind, *list;
    void (*read)(const reader *r, const atn_import_value *entry);
} kinds[] = {
    {"tree", "switches", read_switch},
    {"block", "blocks", read_block},
};

enum { KINDS = sizeof kinds / sizeof *kinds };

static void read_topology(const reader *r, const atn_import_value *topology)
{
    for (int k = 0; k < KINDS; k++) {
        const atn_import_value *const body = atn_import_member(r->doc, topology, kinds[k].kind);
        const atn_import_value *const list = atn_import_member(r->doc, body, kinds[k].list);
        if (body == NULL)
            continue;
        if (list == NULL || list->kind != ATN_VALUE_LIST)
            atn_topo_found(r->d->found, body->line, "%s: without a list %s:; add it", kinds[k].kind,
                           kinds[k].list);
        for (const atn_import_value *v = atn_import_first(r->doc, list); v != NULL;
             v = atn_import_next(r->doc, v))
            kinds[k].read(r, v);
        return;
    }
    atn_topo_found(r->d->found, topology->line,
                   "topology %s is neither tree: nor block:, so it names no hosts; give the hosts "
                   "as hosts:n[0-7]",
                   atn_import_text(r->doc, topology, "topology"));
}

/* The first one with cluster_default: true, or the first of all, as in Slurm. */
static const atn_import_value *select_topology(const reader *r, const atn_import_value *list,
                                               int *n_p)
{
    const atn_import_value *selected = NULL;
    bool is_default = false;
    *n_p = 0;
    for (const atn_import_value *v = atn_import_first(r->doc, list); v != NULL;
         v = atn_import_next(r->doc, v)) {
        const char *const word = atn_import_text(r->doc, v, "cluster_default");
        const bool wanted = word && (strcasecmp(word, "true") == 0 || strcasecmp(word, "yes") == 0);
        if (atn_import_text(r->doc, v, "topology") == NULL) {
            atn_topo_found(r->d->found, v->line, "no topology: NAME in this entry; add it");
            continue;
        }
        ++*n_p;
        if (selected == NULL || (wanted && !is_default))
            selected = v;
        is_default = is_default || wanted;
    }
    return selected;
}

void atn_import_slurm_yaml(atn_draft *d, const char *text)
{
    atn_document doc = {.found = d->found};
    const reader r = {&doc, d};
    int n = 0;
    atn_import_read_yaml(&doc, text);
    const atn_import_value *const list =
        d->found->wrong == 0 && doc.values.n > 0 ? atn_import_first(&doc, &doc.values.v[0]) : NULL;
    const atn_import_value *const selected = list ? select_topology(&r, list, &n) : NULL;
    if (selected != NULL && d->found->wrong == 0) {
        if (n > 1)
            atn_topo_remark(d->found, selected->line, "%d topologies, of which %s is used", n,
                            atn_import_text(&doc, selected, "topology"));
        read_topology(&r, selected);
    }
    atn_import_document_free(&doc);
}

bool atn_import_is_slurm_yaml(const char *text)
{
    for (const char *at = text; at != NULL; at = strchr(at, '\n')) {
        at += strspn(at, "\n \t-");
        if (strncmp(at, "topology:", 9) == 0)
            return true;
        if (*at != '#' && *at != '\0' && *at != '\r')
            return false;
    }
    return false;
}
