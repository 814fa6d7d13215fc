/* netloc.c - networks of netloc, a part of hwloc: the text that netloc_ib_extract_dats writes, and
 * the later XML.  Identities are the physical ones, rates are in Gbit/s. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "import/document.h"
#include "import/fabric.h"
#include "import/import.h"
#include "topo/fields.h"

/* ---- text ---- */

/* Lines of the head, by number; then a line for each node, one for the links of each node, the
 * partitions, and paths. */
enum { VERSION = 1, SUBNET, MACHINES, NODES, FIRST_NODE };

typedef struct {
    atn_fabric f;
    int line;
    long nodes;
} reader;

/* The next field of a line, which is cut off; NULL: none. */
static char *field(char **at_p)
{
    char *const start = *at_p;
    if (start == NULL)
        return NULL;
    char *const comma = strchr(start, ',');
    if (comma)
        *comma = '\0';
    *at_p = comma ? comma + 1 : NULL;
    return start;
}

static void damaged(const reader *r, const char *what)
{
    atn_topo_found(r->f.found, r->line,
                   "%s is missing; give the unchanged file of netloc_ib_extract_dats", what);
}

/* A number from 0 to `most`; -1: it is none. */
static long number_of(const char *text, long most)
{
    char *end;
    const long n = strtol(text, &end, 10);
    return end != text && *end == '\0' && n >= 0 && n <= most ? n : -1;
}

/* identity,logical identity,type,partitions,description,host name */
static void node_line(reader *r, char *text)
{
    char *fields[6];
    for (int i = 0; i < 6; i++)
        if ((fields[i] = field(&text)) == NULL) {
            damaged(r, "a field of a node");
            return;
        }
    const int v = atn_import_fabric_node(&r->f, fields[0], r->line);
    const bool host = strcmp(fields[2], "0") == 0;
    atn_import_fabric_describe(&r->f, v, host ? ATN_FABRIC_HOST : ATN_FABRIC_SWITCH, fields[4]);
    atn_import_fabric_name(&r->f, v, fields[5]);
}

static int64_t rate_of(const char *gbits) { return (int64_t)llround(strtod(gbits, NULL) * 1e9); }

/* identity{,other end,Gbit/s,partitions,links{,9 fields of a link}} */
static void links_line(reader *r, char *text)
{
    enum { LINK_FIELDS = 9, MOST_LINKS = 1000 };
    const int from = atn_import_fabric_node(&r->f, field(&text), r->line);
    const char *end;
    while ((end = field(&text)) != NULL && *end != '\0') {
        const char *const gbits = field(&text), *const partitions = field(&text);
        const char *const links = field(&text);
        const long n = links != NULL ? number_of(links, MOST_LINKS) : -1;
        if (gbits == NULL || partitions == NULL || n < 0) {
            damaged(r, "a field of a link");
            return;
        }
        atn_import_fabric_cable(
            &r->f, (atn_fabric_cable){.from = from,
                                      .to = atn_import_fabric_node(&r->f, end, r->line),
                                      .rate = rate_of(gbits),
                                      .line = r->line});
        for (long i = 0; i < LINK_FIELDS * n; i++)
            field(&text);
    }
}

static void one_line(reader *r, char *text)
{
    enum { MOST_NODES = 1 << 20 };
    if (r->line == NODES)
        r->nodes = number_of(text, MOST_NODES);
    else if (r->line >= FIRST_NODE && r->line < FIRST_NODE + r->nodes)
        node_line(r, text);
    else if (r->line >= FIRST_NODE + r->nodes && r->line < FIRST_NODE + 2 * r->nodes)
        links_line(r, text);
}

void atn_import_netloc(atn_draft *d, const char *text)
{
    reader r = {.f.found = d->found};
    char *line;
    for (const char *at = text;
         (line = atn_topo_next_line(&at, &r.line, false, d->found)) != NULL;) {
        one_line(&r, line);
        free(line);
    }
    if (r.nodes < 1 || r.line < FIRST_NODE + 2 * r.nodes - 1)
        damaged(&r, "a line");
    atn_import_fabric_draft(&r.f, d);
    atn_import_fabric_free(&r.f);
}

/* Numbers in the first and fourth line, and identities with colons. */
bool atn_import_is_netloc(const char *text)
{
    const char *at = text;
    if (strspn(text, "0123456789") == 0 || text[strspn(text, "0123456789")] != '\n')
        return false;
    for (int line = 1; line < NODES; line++) {
        at = strchr(at, '\n');
        if (at == NULL)
            return false;
        at++;
    }
    return strspn(at, "0123456789") > 0 && at[strspn(at, "0123456789")] == '\n';
}

/* ---- XML ---- */

typedef struct {
    atn_fabric f;
    atn_document doc;
} xml_reader;

static bool is(const atn_import_value *v, const char *name)
{
    return v->key != NULL && v->kind == ATN_VALUE_MAP && strcmp(v->key, name) == 0;
}

static const char *content(const xml_reader *x, const atn_import_value *v, const char *name)
{
    const atn_import_value *const member = atn_import_member(&x->doc, v, name);
    return member && member->text ? member->text : "";
}

static void xml_node(xml_reader *x, const atn_import_value *v)
{
    const char *const identity = content(x, v, "mac_addr"), *const type = content(x, v, "type");
    const char *const name = content(x, v, "name");
    if (*identity == '\0')
        return;
    const int node = atn_import_fabric_node(&x->f, identity, v->line);
    atn_import_fabric_describe(&x->f, node,
                               strcmp(type, "CA") == 0 ? ATN_FABRIC_HOST : ATN_FABRIC_SWITCH, "");
    atn_import_fabric_name(&x->f, node, name);
}

static void xml_link(xml_reader *x, const atn_import_value *v)
{
    const char *const from = content(x, v, "src"), *const to = content(x, v, "dest");
    if (*from == '\0' || *to == '\0') {
        atn_topo_found(x->f.found, v->line, "a connexion without <src> and <dest>; add them");
        return;
    }
    atn_import_fabric_cable(&x->f,
                            (atn_fabric_cable){.from = atn_import_fabric_node(&x->f, from, v->line),
                                               .to = atn_import_fabric_node(&x->f, to, v->line),
                                               .rate = rate_of(content(x, v, "bandwidth")),
                                               .line = v->line});
}

/* Virtual nodes and links stand for several real ones, which follow inside of them. */
static bool is_virtual(const xml_reader *x, const atn_import_value *v)
{
    return strcmp(content(x, v, "virtual"), "yes") == 0;
}

void atn_import_netloc_xml(atn_draft *d, const char *text)
{
    xml_reader x = {.f.found = d->found, .doc.found = d->found};
    atn_import_read_xml(&x.doc, text);
    for (int i = 0; d->found->wrong == 0 && i < x.doc.values.n; i++) {
        const atn_import_value *const v = &x.doc.values.v[i];
        if (is(v, "node") && !is_virtual(&x, v))
            xml_node(&x, v);
        else if (is(v, "connexion") && !is_virtual(&x, v))
            xml_link(&x, v);
    }
    atn_import_fabric_draft(&x.f, d);
    atn_import_fabric_free(&x.f);
    atn_import_document_free(&x.doc);
}

bool atn_import_is_netloc_xml(const char *text)
{
    return text[strspn(text, " \t\r\n")] == '<' && strstr(text, "<connexion") != NULL;
}
