/* source.c - from what a user names to the reader of its format. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "topo/hostlist.h"
#include "topo/read.h"

/* ---- strings ---- */

static const struct {
    const char *prefix;
    atn_reader *read;
} strings[] = {
    {"hosts:", atn_topo_read_hostnames},
    {"hwloc:", atn_topo_read_hwloc},
};

enum { STRINGS = sizeof strings / sizeof *strings };

/* The reader of a string that describes a topology itself, and where its text begins; NULL: it must
 * be a file. */
static atn_reader *string_reader(const char *name, const char **text_p)
{
    *text_p = name;
    for (int i = 0; i < STRINGS; i++) {
        const size_t n = strlen(strings[i].prefix);
        if (strncmp(name, strings[i].prefix, n) == 0) {
            *text_p = name + n;
            return strings[i].read;
        }
    }
    if (atn_topo_has_synthetic_prefix(name))
        return atn_topo_read_synthetic;
    const bool digit = isdigit((unsigned char)name[strspn(name, " ")]);
    return digit && access(name, F_OK) != 0 ? atn_topo_read_synthetic : NULL;
}

/* ---- files ---- */

/* Whether the word at the beginning of a line is one of the list. */
static bool is_word(const char *at, const char *const *words)
{
    const size_t n = strcspn(at, "= \t\r\n");
    for (; *words != NULL; words++)
        if (strlen(*words) == n && strncasecmp(at, *words, n) == 0)
            return true;
    return false;
}

static bool starts_with(const char *text, const char *const *words)
{
    for (const char *at = text; *at != '\0';) {
        at += strspn(at, " \t\r\n");
        if (*at != '\0' && *at != '#')
            return is_word(at, words);
        at += strcspn(at, "\n");
    }
    return false;
}

static bool is_slurm(const char *text)
{
    static const char *const words[] = {"SwitchName", "Switches", "Nodes", "LinkSpeed", NULL};
    const char *own = strstr(text, "#attune");
    return own != NULL || starts_with(text, words);
}

static bool is_graph(const char *text)
{
    static const char *const words[] = {"switch", "host", "link", "tree", "routes", NULL};
    return starts_with(text, words);
}

static bool is_hwloc(const char *text)
{
    return text[strspn(text, " \t\r\n")] == '<' && strstr(text, "<topology") != NULL;
}

/* A synthetic string with comments. */
static bool is_synthetic(const char *text)
{
    text += strspn(text, " \t\r\n");
    while (*text == '#')
        text = text + strcspn(text, "\n") + strspn(text + strcspn(text, "\n"), " \t\r\n");
    return atn_topo_has_synthetic_prefix(text);
}

/* key=value is none of ours, yet nearer to topology.conf than to a list of hosts. */
static bool is_hostfile(const char *text)
{
    text += strspn(text, " \t\r\n");
    return text[strcspn(text, "=<\n")] != '=' && *text != '<';
}

static bool is_anything(const char *text)
{
    (void)text;
    return true;
}

static const atn_topo_format formats[] = {
    {"XML of hwloc", is_hwloc, atn_topo_read_hwloc},
    {"graph", is_graph, atn_topo_read_graph},
    {"synthetic string", is_synthetic, atn_topo_read_strings},
    {"topology.conf", is_slurm, atn_topo_read_slurm},
    {"list of hosts", is_hostfile, atn_topo_read_hostfile},
    {"topology.conf", is_anything, atn_topo_read_slurm},
};

static const atn_topo_format none = {0};
static const atn_topo_format *added = &none;

void atn_topo_formats_add(const atn_topo_format *list) { added = list; }

/* NULL: none of the list. */
static const atn_topo_format *format_of(const atn_topo_format *list, const char *text)
{
    while (list->name != NULL && !list->fits(text))
        list++;
    return list->name != NULL ? list : NULL;
}

static atn_reader *file_reader(const char *text)
{
    const atn_topo_format *const format = format_of(added, text);
    return format != NULL ? format->read : format_of(formats, text)->read;
}

const char *atn_topo_added_format(const char *name)
{
    const char *text;
    char *content = NULL;
    if (string_reader(name, &text) != NULL || atn_read_file(name, &content, NULL, NULL) != ATN_OK)
        return NULL;
    const atn_topo_format *const format = format_of(added, content);
    free(content);
    return format != NULL ? format->name : NULL;
}

/* ---- reading ---- */

/* Names that no list could hold, and levels that no line could, would make files that cannot be
 * read again. */
static void check_names(const atn_draft *d)
{
    static const char *const kinds[] = {"switch", "host", "part"};
    for (int i = 0; i < d->nodes.n; i++) {
        const atn_draft_node *const v = &d->nodes.v[i];
        if (!atn_topo_is_name(v->name))
            atn_topo_found(d->found, v->line, "%s '%s': " ATN_NAME_REMEDY, kinds[v->kind], v->name);
        if (v->level != NULL && strpbrk(v->level, "\"'#\r\n") != NULL)
            atn_topo_found(d->found, v->line, "level '%s' has a quote or #; rename it", v->level);
    }
    for (int i = 0; i < 2 * d->links.n; i++) {
        const atn_draft_link *const link = &d->links.v[i / 2];
        if (!atn_topo_is_name(link->end[i % 2]))
            atn_topo_found(d->found, link->line, "switch '%s': " ATN_NAME_REMEDY, link->end[i % 2]);
    }
}

static atn_topo *read_with(atn_reader *read, const char *text, atn_findings *found)
{
    atn_draft d = {.found = found};
    read(&d, text);
    check_names(&d);
    atn_topo *t = atn_topo_draft_finish(&d);
    if (t)
        atn_topo_draft_remarks(&d);
    atn_topo_draft_free(&d);
    atn_topo_findings_sort(found);
    return t;
}

atn_status atn_topo_read_text(atn_reader *read, const char *text, const char *file,
                              atn_topo **topo_p, atn_error *err)
{
    atn_findings found = {.file = file};
    atn_topo *t = read_with(read, text, &found);
    const atn_status st = atn_topo_findings_fail(&found, err);
    if (t)
        *topo_p = t;
    atn_topo_findings_free(&found);
    return st;
}

atn_status atn_topo_examine(const char *name, atn_findings *found, atn_topo **topo_p,
                            atn_error *err)
{
    const char *text;
    char *content = NULL;
    atn_reader *read = string_reader(name, &text);
    found->file = name;
    *topo_p = NULL;
    if (read == NULL) {
        const atn_status st = atn_read_file(name, &content, NULL, err);
        if (st)
            return st;
        text = content;
        read = file_reader(text);
    }
    *topo_p = read_with(read, text, found);
    free(content);
    return found->no_memory ? atn_fail(err, ATN_MEMORY, "%s: out of memory", name) : ATN_OK;
}

atn_status atn_topo_load(const char *name, atn_topo **topo_p, atn_error *err)
{
    atn_findings found = {0};
    atn_topo *t = NULL;
    atn_status st = atn_topo_examine(name, &found, &t, err);
    if (!st)
        st = atn_topo_findings_fail(&found, err);
    if (!st)
        *topo_p = t;
    atn_topo_findings_free(&found);
    return st;
}
