/* hosts.c - a list of hosts: all below one switch. */
#include <stdlib.h>
#include <string.h>

#include "topo/fields.h"
#include "topo/hostlist.h"
#include "topo/read.h"

static const char only_switch[] = "switch";

/* The host below the only switch, with `ranks` more ranks. */
static void add_host(atn_draft *d, const char *name, int ranks, int line)
{
    const int above = atn_topo_draft_node_at(d, ATN_TOPO_SWITCH, only_switch, line);
    const int v = above < 0 ? -1 : atn_topo_draft_node_at(d, ATN_TOPO_HOST, name, line);
    if (v < 0)
        return;
    if (d->nodes.v[v].parent < 0)
        atn_topo_draft_hang(d, v, above, line);
    for (int i = 0; i < ranks; i++)
        atn_topo_draft_rank(d, v);
}

static void add_list(atn_draft *d, const char *text, int ranks, int line)
{
    atn_name_list names = {0};
    atn_error err = {0};
    const atn_status st = atn_topo_ranklist_expand(text, &names, &err);
    if (st == ATN_MEMORY)
        d->found->no_memory = true;
    else if (st)
        atn_topo_found(d->found, line, "%s", err.text);
    for (int i = 0; !st && i < names.n; i++)
        add_host(d, names.v[i], ranks, line);
    atn_topo_name_list_free(&names);
}

void atn_topo_read_hostnames(atn_draft *d, const char *text) { add_list(d, text, 1, 0); }

/* ---- files ---- */

static int count_of(const char *text)
{
    const size_t digits = strspn(text, "0123456789");
    return digits > 0 && digits < 7 && text[digits] == '\0' ? atoi(text) : -1;
}

/* "n0", "n0:4", "n0 slots=4 max_slots=8" */
static void host_line(atn_draft *d, char *text, int line)
{
    atn_line_field keys[] = {{.key = "slots"}, {.key = "max_slots"}};
    char *name = text, *rest = text + strcspn(text, " \t");
    if (*rest != '\0')
        *rest++ = '\0';
    char *colon = strrchr(name, ':');
    if (colon)
        *colon++ = '\0';
    if (!atn_topo_fields_read(rest, keys, 2, d->found, line))
        return;
    const char *count = keys[0].value ? keys[0].value : colon;
    const int ranks = count ? count_of(count) : 1;
    if (ranks < 0)
        atn_topo_found(d->found, line, "'%s' is no number of ranks; write %s:2 or %s slots=2",
                       count, name, name);
    else
        add_list(d, name, ranks, line);
}

void atn_topo_read_hostfile(atn_draft *d, const char *text)
{
    char *line;
    int number = 0;
    for (const char *at = text;
         (line = atn_topo_next_line(&at, &number, false, d->found)) != NULL;) {
        line[strcspn(line, "#")] = '\0';
        char *start = line + strspn(line, " \t");
        if (*start != '\0')
            host_line(d, start, number);
        free(line);
    }
}

/* ---- names known to a program ---- */

atn_status atn_topo_from_hosts(const char *const *hosts, int p, atn_topo **topo_p, atn_error *err)
{
    atn_findings found = {.file = "hosts"};
    atn_draft d = {.found = &found};
    for (int r = 0; r < p; r++)
        add_host(&d, hosts[r], 1, 0);
    atn_topo *t = atn_topo_draft_finish(&d);
    const atn_status st = atn_topo_findings_fail(&found, err);
    if (t)
        *topo_p = t;
    atn_topo_draft_free(&d);
    atn_topo_findings_free(&found);
    return st;
}
