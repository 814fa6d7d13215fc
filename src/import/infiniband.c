/* infiniband.c - what the tools of an InfiniBand network print: ibnetdiscover, iblinkinfo (also
 * with -l), and forwarding tables of dump_lfts.sh, dump_fts or opensm-lfts.dump behind one of them.
 *
 * Every line is recognised by itself, so outputs may follow each other in one file. */
#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "import/fabric.h"
#include "import/import.h"
#include "topo/fields.h"

enum { WORD = 256 };

typedef struct {
    atn_fabric f;
    int line;
    int node;     /* that the block of lines is about; -1: none */
    bool table;   /* the block is a forwarding table */
    char *header; /* of a block of iblinkinfo: the description; NULL: none */
    uint64_t guid;
    atn_fabric_kind kind;
} reader;

/* ---- rates ---- */

/* Signalling and data rate of one lane, in Mbit/s: coding takes a part of the first. */
static const struct {
    const char *name;
    double signal, data;
} speeds[] = {
    {"SDR", 2500, 2000},       {"DDR", 5000, 4000},          {"QDR", 10000, 8000},
    {"FDR10", 10312.5, 10000}, {"FDR", 14062.5, 13636.3636}, {"EDR", 25781.25, 25000},
    {"HDR", 53125, 50000},     {"NDR", 106250, 100000},      {"XDR", 212500, 200000},
};

enum { SPEEDS = sizeof speeds / sizeof *speeds };

static int64_t rate_of(int width, int speed)
{
    return (int64_t)llround(width * speeds[speed].data * 1e6);
}

/* "4xFDR"; 0: it is none. */
static int64_t rate_of_word(const char *word)
{
    char *name;
    const long width = strtol(word, &name, 10);
    if (name == word || *name != 'x' || width < 1 || width > 64)
        return 0;
    for (int i = 0; i < SPEEDS; i++)
        if (strcmp(name + 1, speeds[i].name) == 0)
            return rate_of((int)width, i);
    return 0;
}

/* "4X 14.0625 Gbps": the nearest speed; tools print one to four decimals. */
static int64_t rate_of_lanes(int width, double gbps)
{
    for (int i = 0; i < SPEEDS; i++)
        if (fabs(gbps * 1000 / speeds[i].signal - 1) < 0.01)
            return rate_of(width, i);
    return (int64_t)llround(width * gbps * 1e9);
}

/* ---- descriptions ---- */

static int words_in(const char *text)
{
    int n = 0;
    for (const char *at = text; *at != '\0'; at += strcspn(at, " ")) {
        at += strspn(at, " ");
        n += *at != '\0';
    }
    return n;
}

/* "node1 HCA-1" is a port of node1; descriptions of the type alone have more words. */
static void name_host(reader *r, int node, const char *text)
{
    char name[WORD];
    if (strstr(text, "Aggregation Node") != NULL) { /* part of a switch */
        r->f.nodes.v[node].ignored = true;
    } else if (words_in(text) == 1 || words_in(text) == 2) {
        snprintf(name, sizeof name, "%.*s", (int)strcspn(text, " "), text);
        atn_import_fabric_name(&r->f, node, name);
    }
}

/* "MF0;leaf1:SX6036/U1" is leaf1; "MF0;core:IS5200/L07/U1" is a part of core. */
static void name_switch(reader *r, int node, const char *text)
{
    char name[WORD], *colon, *slash;
    const char *const own = strchr(text, ';') != NULL ? strchr(text, ';') + 1 : text;
    if (words_in(text) != 1)
        return;
    snprintf(name, sizeof name, "%s", own);
    colon = own != text ? strchr(name, ':') : NULL;
    slash = colon != NULL ? strchr(colon, '/') : NULL;
    if (colon != NULL && slash != NULL && strchr(slash + 1, '/') != NULL)
        memmove(colon, slash, strlen(slash) + 1);
    else if (colon != NULL)
        *colon = '\0';
    atn_import_fabric_name(&r->f, node, name);
}

/* Once it is known which nodes have several ports. */
static void name_nodes(reader *r)
{
    for (int v = 0; v < r->f.nodes.n; v++) {
        const char *const text = r->f.nodes.v[v].description;
        if (text != NULL && atn_import_fabric_is_host(&r->f.nodes.v[v]))
            name_host(r, v, text);
        else if (text != NULL)
            name_switch(r, v, text);
    }
}

/* ---- ibnetdiscover ---- */

static int guid_node(reader *r, const char *identity)
{
    const int v = atn_import_fabric_node(&r->f, identity, r->line);
    if (v >= 0 && strlen(identity) > 2)
        r->f.nodes.v[v].guid = strtoull(identity + 2, NULL, 16);
    return v;
}

static atn_fabric_kind kind_of(const char *identity)
{
    return identity[0] == 'S' ? ATN_FABRIC_SWITCH : ATN_FABRIC_HOST;
}

static int lid_behind(const char *text)
{
    const char *const at = text != NULL ? strstr(text, "lid ") : NULL;
    return at != NULL ? atoi(at + 4) : 0;
}

/* Switch	36 "S-0002c903007b4410"		# "leaf1" base port 0 lid 3 lmc 0 */
static bool discovered_node(reader *r, const char *text)
{
    char kind[16], identity[WORD], name[WORD] = "";
    if (sscanf(text, "%15[A-Za-z] %*d \"%255[^\"]\" # \"%255[^\"]\"", kind, identity, name) < 2 ||
        (strcmp(kind, "Switch") != 0 && strcmp(kind, "Ca") != 0 && strcmp(kind, "Rt") != 0))
        return false;
    r->node = guid_node(r, identity);
    r->table = false;
    atn_import_fabric_describe(&r->f, r->node, kind_of(identity), name);
    if (r->node >= 0 && *kind == 'R')
        r->f.nodes.v[r->node].ignored = true;
    if (r->node >= 0 && *kind == 'S')
        r->f.nodes.v[r->node].lid = lid_behind(strstr(text, "base port"));
    return true;
}

static const char *behind_bracket(const char *at)
{
    at += strcspn(at, "(\" \t#");
    return *at == '(' ? at + strcspn(at, ")") + 1 : at;
}

static int64_t last_word_rate(const char *text)
{
    const char *const last = strrchr(text, ' ');
    return rate_of_word(last != NULL ? last + 1 : text);
}

/* [1]	"H-0002c90300fda3d0"[1](2c90300fda3d1)		# "node1 HCA-1" lid 4 4xFDR
 * [1](2c90300fda3d1)	"S-0002c903007b4410"[1]		# lid 4 lmc 0 "leaf1" lid 3 4xFDR */
static bool discovered_port(reader *r, const char *text)
{
    char identity[WORD], name[WORD] = "";
    int port = 0, used = 0;
    if (*text != '[')
        return false;
    if (r->node < 0 || sscanf(text, "[%d]", &port) != 1 ||
        sscanf(behind_bracket(text), " \"%255[^\"]\"%n", identity, &used) != 1 || used == 0) {
        atn_topo_found(r->f.found, r->line,
                       "not a port of a node: '%.60s'; give the unchanged output of ibnetdiscover",
                       text);
        return true;
    }
    const char *const tail = strchr(text, '#'), *const quoted = tail ? strchr(tail, '"') : NULL;
    const int other = guid_node(r, identity);
    if (quoted != NULL && sscanf(quoted, "\"%255[^\"]\"", name) == 1)
        atn_import_fabric_describe(&r->f, other, kind_of(identity), name);
    if (r->f.nodes.v[r->node].lid == 0 && quoted != NULL && quoted > strstr(tail, "lid "))
        r->f.nodes.v[r->node].lid = lid_behind(tail);
    atn_import_fabric_cable(&r->f, (atn_fabric_cable){.from = r->node,
                                                      .to = other,
                                                      .port = port,
                                                      .rate = tail ? last_word_rate(tail) : 0,
                                                      .line = r->line});
    return true;
}

/* ---- iblinkinfo ---- */

/* CA: node1 HCA-1:
 * Switch: 0x0002c903007b4410 MF0;leaf1:SX6036/U1: */
static bool linked_node(reader *r, const char *text)
{
    const bool host = strncmp(text, "CA: ", 4) == 0;
    int used = 0;
    if (!host && strncmp(text, "Switch: ", 8) != 0)
        return false;
    text += host ? 4 : 8;
    r->guid = 0;
    if (!host && sscanf(text, "%" SCNx64 " %n", &r->guid, &used) == 1)
        text += used;
    free(r->header);
    r->header = strndup(text, strlen(text) > 0 ? strlen(text) - 1 : 0);
    if (r->header == NULL)
        r->f.found->no_memory = true;
    r->kind = host ? ATN_FABRIC_HOST : ATN_FABRIC_SWITCH;
    r->node = -1;
    r->table = false;
    return true;
}

static int lid_node(reader *r, int lid)
{
    char identity[32];
    snprintf(identity, sizeof identity, "lid-%d", lid);
    const int v = atn_import_fabric_node(&r->f, identity, r->line);
    if (v >= 0)
        r->f.nodes.v[v].lid = lid;
    return v;
}

/* [GUID] ["NAME"] LID PORT[ */
typedef struct {
    uint64_t guid;
    char name[WORD];
    int lid, port;
} end;

static end read_end(const char *text)
{
    end e = {0};
    int used = 0;
    text += strspn(text, " \t");
    if (strncmp(text, "0x", 2) == 0 && sscanf(text, "%" SCNx64 " %n", &e.guid, &used) == 1)
        text += used;
    if (*text == '"' && sscanf(text, "\" %255[^\"]\" %n", e.name, &used) == 1)
        text += used;
    if (sscanf(text, "%d %d[", &e.lid, &e.port) != 2)
        e.lid = 0;
    return e;
}

static int linked_end(reader *r, const end *e, atn_fabric_kind kind, const char *description)
{
    const int v = lid_node(r, e->lid);
    atn_import_fabric_port(&r->f, v, e->port);
    atn_import_fabric_describe(&r->f, v, kind, description);
    if (v >= 0 && r->f.nodes.v[v].guid == 0)
        r->f.nodes.v[v].guid = e->guid;
    return v;
}

/* LEFT ==( 4X 14.0625 Gbps Active/  LinkUp)==> RIGHT "NAME" ( ), where the name on the left is that
 * of the block, or on the line. */
static bool linked_port(reader *r, const char *text)
{
    const char *const middle = strstr(text, "==("), *const arrow = strstr(text, ")==>");
    char name[WORD] = "";
    int width = 0;
    double gbps = 0;
    if (middle == NULL || arrow == NULL)
        return false;
    end left = read_end(text), right = read_end(arrow + 4);
    if (left.lid == 0)
        return true;
    if (r->guid != 0)
        left.guid = r->guid;
    const int from = linked_end(r, &left, r->kind, r->header ? r->header : left.name);
    if (strstr(middle, "LinkUp") == NULL || right.lid == 0)
        return true;
    const char *const quoted = strchr(arrow, '"');
    if (quoted == NULL || sscanf(quoted, "\" %255[^\"]\"", name) != 1)
        *name = '\0';
    if (sscanf(middle, "==( %dX %lf", &width, &gbps) != 2)
        atn_topo_found(r->f.found, r->line,
                       "no width and speed as in '4X 25.78125 Gbps'; give the unchanged output of "
                       "iblinkinfo");
    const int to = linked_end(r, &right, ATN_FABRIC_UNKNOWN, name);
    atn_import_fabric_cable(&r->f, (atn_fabric_cable){.from = from,
                                                      .to = to,
                                                      .port = left.port,
                                                      .rate = rate_of_lanes(width, gbps),
                                                      .line = r->line});
    return true;
}

/* ---- forwarding tables ---- */

/* Unicast lids [0x0-0x1f] of switch DR path slid 0; dlid 0; 0 guid 0x0002c903007b4410 (leaf1):
 * Unicast lids [0-31] of switch Lid 3 guid 0x0002c903007b4410 ('leaf1'): */
static bool table_header(reader *r, const char *text)
{
    const char *const guid = strstr(text, "guid 0x"), *const lid = strstr(text, " Lid ");
    if (strncmp(text, "Unicast lids", 12) != 0)
        return false;
    const atn_fabric_table table = {.guid = guid ? strtoull(guid + 5, NULL, 16) : 0,
                                    .lid = lid ? atoi(lid + 5) : 0,
                                    .line = r->line};
    if (!atn_push(&r->f.tables, table))
        r->f.found->no_memory = true;
    r->table = true;
    return true;
}

/* 0x0004 001 : (Channel Adapter portguid 0x0002c90300fda3d1: 'node1 HCA-1') */
static bool table_entry(reader *r, const char *text)
{
    atn_fabric_entry entry = {.table = r->f.tables.n - 1, .line = r->line};
    unsigned lid;
    if (!r->table || sscanf(text, "0x%x %d", &lid, &entry.port) != 2)
        return false;
    entry.lid = (int)lid;
    if (!atn_push(&r->f.entries, entry))
        r->f.found->no_memory = true;
    return true;
}

/* ---- lines without a link ---- */

static bool is_nothing(reader *r, const char *text)
{
    static const char *const starts[] = {"#",           "vendid=", "devid=",      "sysimgguid=",
                                         "caguid=",     "rtguid=", "switchguid=", "Chassis",
                                         "Non-Chassis", "Lid ",    "Port ",       NULL};
    (void)r;
    for (int i = 0; starts[i] != NULL; i++)
        if (strncmp(text, starts[i], strlen(starts[i])) == 0)
            return true;
    return *text == '\0' || strstr(text, "lids dumped") != NULL;
}

typedef bool line_reader(reader *r, const char *text);

static line_reader *const lines[] = {is_nothing,  discovered_node, discovered_port, linked_node,
                                     linked_port, table_header,    table_entry,     NULL};

static void one_line(reader *r, const char *text)
{
    text += strspn(text, " \t");
    for (int i = 0; lines[i] != NULL; i++)
        if (lines[i](r, text))
            return;
    atn_topo_found(r->f.found, r->line,
                   "no line of ibnetdiscover, iblinkinfo or a forwarding table: '%.60s'; remove it",
                   text);
}

void atn_import_infiniband(atn_draft *d, const char *text)
{
    reader r = {.f.found = d->found, .node = -1};
    char *line;
    for (const char *at = text;
         (line = atn_topo_next_line(&at, &r.line, false, d->found)) != NULL;) {
        one_line(&r, line);
        free(line);
    }
    name_nodes(&r);
    if (r.f.cables.n == 0 && r.f.tables.n > 0)
        atn_topo_found(d->found, r.f.tables.v[0].line,
                       "forwarding tables without links; append them to the output of "
                       "ibnetdiscover");
    atn_import_fabric_draft(&r.f, d);
    atn_import_fabric_free(&r.f);
    free(r.header);
}

bool atn_import_is_infiniband(const char *text)
{
    return strstr(text, "==>") != NULL || strncmp(text, "Unicast lids", 12) == 0 ||
           strstr(text, "\nUnicast lids") != NULL || strstr(text, "\nSwitch\t") != NULL ||
           strstr(text, "\nCa\t") != NULL || strncmp(text, "Switch\t", 7) == 0;
}
