/* topo_draw.c - topology diagrams: the tree grows from left to right, a row per host.
 *
 * Line width shows bandwidth; the bottlenecks of an alltoall are highlighted. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/svg.h"
#include "report/topo_report.h"
#include "topo/routes.h"
#include "topo/units.h"

enum { MAX_ROWS = 2048, MAX_RANKS_SHOWN = 16, MAX_SPEEDS = 6, GAP = 64 };

static const char style[] =
    "text{font:12px system-ui,-apple-system,'Segoe UI','DejaVu Sans',sans-serif;fill:#1f2328}\n"
    ".page{fill:#ffffff}\n"
    ".title{font-size:17px;font-weight:600}\n"
    ".note{fill:#656d76}\n"
    ".small{font-size:10px;fill:#656d76}\n"
    ".hot-text{font-size:10px;fill:#bc4c00;font-weight:600}\n"
    ".band{fill:#f6f8fa}\n"
    ".link,.hot{fill:none;stroke:#8c959f;stroke-linecap:round}\n"
    ".hot{stroke:#e36209}\n"
    ".port{stroke:#d0d7de;stroke-width:1.5}\n"
    ".switch{fill:#ddf4ff;stroke:#0969da;stroke-width:1.5}\n"
    ".host{fill:#ffffff;stroke:#57606a;stroke-width:1.2}\n"
    ".part{fill:#fff8e5;stroke:#9a6700;stroke-width:1.2}\n"
    ".idle{fill:#f6f8fa;stroke:#d0d7de;stroke-width:1.2}\n"
    ".name{font-weight:600}\n"
    ".rank{fill:#8250df}\n"
    ".number{fill:#ffffff;font-weight:600}\n"
    "@media (prefers-color-scheme:dark){\n"
    "text{fill:#e6edf3}\n"
    ".page{fill:#0d1117}\n"
    ".note,.small{fill:#8d96a0}\n"
    ".hot-text{fill:#f0883e}\n"
    ".band{fill:#161b22}\n"
    ".link{stroke:#6e7681}\n"
    ".hot{stroke:#f0883e}\n"
    ".port{stroke:#3d444d}\n"
    ".switch{fill:#0c2d4d;stroke:#58a6ff}\n"
    ".host{fill:#0d1117;stroke:#8d96a0}\n"
    ".part{fill:#2e2109;stroke:#d29922}\n"
    ".idle{fill:#161b22;stroke:#3d444d}\n"
    ".rank{fill:#a371f7}\n"
    ".number{fill:#0d1117}\n"
    "}\n";

typedef struct {
    FILE *f;
    const atn_topo *t;
    const atn_topo_facts *facts;
    double *y;  /* middle of each node */
    bool *leaf; /* nothing below */
    double row, top, bottom;
    double left, column, box; /* of switches */
    double host_x, host_w, part_x, part_w, rank_x;
    double band_end, width, height, digit;
    bool uniform; /* all hosts have the same link: labelled once */
} picture;

/* ---- places ---- */

static int inner_depth(const atn_topo *t, int v)
{
    int depth = 0;
    for (; t->nodes[v].kind == ATN_TOPO_PART; v = t->nodes[v].parent)
        depth++;
    return depth;
}

static double x_of(const picture *d, int v)
{
    const atn_topo_node *node = &d->t->nodes[v];
    if (node->kind == ATN_TOPO_SWITCH)
        return d->left + node->depth * d->column;
    if (node->kind == ATN_TOPO_HOST)
        return d->host_x;
    return d->part_x + (inner_depth(d->t, v) - 1) * (d->part_w + GAP / 2.0);
}

static double width_of(const picture *d, int v)
{
    const double widths[] = {d->box, d->host_w, d->part_w};
    return widths[d->t->nodes[v].kind];
}

static double box_height(const picture *d, int v)
{
    return d->t->nodes[v].kind == ATN_TOPO_SWITCH ? 32 : d->row - 6;
}

/* The name of a part begins with that of its host, which stands beside it. */
static const char *label_of(const picture *d, int v)
{
    const atn_topo_node *node = &d->t->nodes[v];
    const char *slash = node->kind == ATN_TOPO_PART ? strrchr(node->name, '/') : NULL;
    return slash ? slash + 1 : node->name;
}

/* Letters are about this wide; there is no way to measure them here. */
static double text_width(const char *text) { return 7.2 * (double)strlen(text); }

static double widest(const picture *d, atn_topo_kind kind)
{
    double most = 0;
    for (int v = 0; v < d->t->nnodes; v++)
        if (d->t->nodes[v].kind == kind)
            most = fmax(most, text_width(label_of(d, v)));
    return most;
}

static int deepest(const picture *d, atn_topo_kind kind)
{
    int depth = -1;
    for (int v = 0; v < d->t->nnodes; v++)
        if (d->t->nodes[v].kind == kind)
            depth = atn_max(depth, kind == ATN_TOPO_PART ? inner_depth(d->t, v) - 1
                                                         : d->t->nodes[v].depth);
    return depth;
}

/* The nearest node above that is no part of a host. */
static int ground_of(const atn_topo *t, int v)
{
    do
        v = t->nodes[v].parent;
    while (v >= 0 && t->nodes[v].kind != ATN_TOPO_SWITCH);
    return v;
}

/* Rows from top to bottom; a gap where the switch changes, a small one between insides of hosts.
 * Returns the bottom. */
static double place_leaves(picture *d)
{
    double y = d->top;
    int last = -1;
    for (int v = 0; v < d->t->nnodes; v++) {
        if (!d->leaf[v])
            continue;
        if (last >= 0 && ground_of(d->t, v) != ground_of(d->t, last))
            y += 12;
        else if (last >= 0 && d->t->nodes[v].parent != d->t->nodes[last].parent)
            y += 4;
        last = v;
        d->y[v] = y + d->row / 2;
        y += d->row;
    }
    return y;
}

/* Between the first and the last of its children. */
static void place_inner(picture *d)
{
    const atn_topo *t = d->t;
    double *low = calloc((size_t)t->nnodes, sizeof *low);
    for (int v = t->nnodes - 1; low && v >= 0; v--) {
        if (!d->leaf[v])
            d->y[v] = (d->y[v] + low[v]) / 2;
        if (v == 0)
            continue;
        const int up = t->nodes[v].parent;
        d->y[up] = d->y[v]; /* the first child is the last to come */
        low[up] = low[up] > 0 ? low[up] : d->y[v];
    }
    free(low);
}

/* ---- links ---- */

static int by_rate(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

/* The different rates, slowest first. */
static int speeds(const picture *d, int64_t rates[MAX_SPEEDS])
{
    int n = 0;
    for (int v = 1; v < d->t->nnodes; v++) {
        int i = 0;
        while (i < n && rates[i] != d->t->nodes[v].rate)
            i++;
        if (i == n && n < MAX_SPEEDS && d->t->nodes[v].rate > 0)
            rates[n++] = d->t->nodes[v].rate;
    }
    qsort(rates, (size_t)n, sizeof *rates, by_rate);
    return n;
}

/* Ten times as fast is twice as wide, from the slowest on. */
static double stroke(const picture *d, int64_t rate)
{
    int64_t rates[MAX_SPEEDS];
    if (speeds(d, rates) == 0 || rate == 0)
        return 2;
    return fmin(2 * pow(2, log10((double)rate / (double)rates[0])), 9);
}

static void draw_link(const picture *d, int v)
{
    const int up = d->t->nodes[v].parent;
    const atn_point from = {x_of(d, up) + width_of(d, up), d->y[up]}, to = {x_of(d, v), d->y[v]};
    atn_report_svg_curve(d->f, d->facts->bottleneck[v] ? "hot" : "link", from,
                         fmin(GAP, to.x - from.x), to, stroke(d, d->t->nodes[v].rate));
}

/* ---- nodes ---- */

static void link_text(const picture *d, int v, char *out, size_t size)
{
    const atn_topo_node *node = &d->t->nodes[v];
    char rate[32], delay[32];
    int used = 0;
    out[0] = '\0';
    if (node->rate > 0)
        used += snprintf(out, size, "%s", atn_topo_format_rate(node->rate, rate));
    if (node->delay_ns > 0)
        used += snprintf(out + used, size - (size_t)used, "%s%s", used ? " + " : "",
                         atn_topo_format_delay(node->delay_ns, delay));
    if (d->t->p > 1 && d->facts->loads[v] > 0)
        snprintf(out + used, size - (size_t)used, "%sload %" PRId64, used ? " \xc2\xb7 " : "",
                 d->facts->loads[v]);
}

static void draw_switch(const picture *d, int v)
{
    const double x = x_of(d, v), y = d->y[v], h = box_height(d, v);
    char text[120];
    link_text(d, v, text, sizeof text);
    atn_report_svg_rect(d->f, "switch", x, y - h / 2, d->box, h, 6);
    atn_report_svg_text(d->f, "name", "middle", x + d->box / 2, y + (v && text[0] ? -1 : 4), "%s",
                        d->t->nodes[v].name);
    if (v && text[0])
        atn_report_svg_text(d->f, d->facts->bottleneck[v] ? "hot-text" : "small", "middle",
                            x + d->box / 2, y + 11, "%s", text);
}

static void draw_ranks(const picture *d, int v)
{
    const int *ranks = d->facts->ranks + d->facts->first[v];
    const int n = d->facts->first[v + 1] - d->facts->first[v];
    const double h = d->row - 8, y = d->y[v];
    const int shown = n > MAX_RANKS_SHOWN ? MAX_RANKS_SHOWN - 1 : n;
    if (n > 0)
        atn_report_svg_line(d->f, "port", (atn_point){x_of(d, v) + width_of(d, v), y},
                            (atn_point){d->rank_x + 2, y});
    for (int k = 0; k < shown; k++) {
        const double x = d->rank_x + k * (d->digit + 4);
        atn_report_svg_rect(d->f, "rank", x, y - h / 2, d->digit, h, h / 2);
        atn_report_svg_text(d->f, "number", "middle", x + d->digit / 2, y + 4, "%d", ranks[k]);
    }
    if (shown < n)
        atn_report_svg_text(d->f, "note", "start", d->rank_x + shown * (d->digit + 4), y + 4,
                            "and %d more", n - shown);
}

static void draw_machine(const picture *d, int v)
{
    static const char *const classes[] = {[ATN_TOPO_HOST] = "host", [ATN_TOPO_PART] = "part"};
    const atn_topo_node *node = &d->t->nodes[v];
    const double x = x_of(d, v), w = width_of(d, v), y = d->y[v], h = box_height(d, v);
    const bool idle = d->t->p > 0 && d->facts->below[v] == 0;
    draw_ranks(d, v);
    atn_report_svg_rect(d->f, idle ? "idle" : classes[node->kind], x, y - h / 2, w, h, 4);
    atn_report_svg_text(d->f, idle ? "note" : "host-name", "middle", x + w / 2, y + 4, "%s",
                        label_of(d, v));
    if (node->kind == ATN_TOPO_HOST && !d->uniform) {
        char text[120];
        link_text(d, v, text, sizeof text);
        atn_report_svg_text(d->f, d->facts->bottleneck[v] ? "hot-text" : "small", "end", x - 6,
                            y - 3 - stroke(d, node->rate) / 2, "%s", text);
    }
}

/* ---- around the tree ---- */

/* Hosts of one switch on one ground. */
static void draw_bands(const picture *d)
{
    const atn_topo *t = d->t;
    int above = -1;
    double first = 0, last = 0;
    for (int v = 0; v <= t->nnodes; v++) {
        if (v < t->nnodes && !d->leaf[v])
            continue;
        const int up = v < t->nnodes ? ground_of(t, v) : -2;
        if (up != above && last > 0)
            atn_report_svg_rect(d->f, "band", d->host_x - 10, first - d->row / 2 - 3,
                                d->band_end - d->host_x + 10, last - first + d->row + 6, 6);
        if (v == t->nnodes)
            break;
        first = up != above ? d->y[v] : first;
        last = d->y[v];
        above = up;
    }
}

static const char *plural(int n) { return n == 1 ? "" : "s"; }

/* A file is labelled by its base name; other origins are the topology themselves. */
static const char *title_of(const atn_topo *t)
{
    const char *slash = strrchr(t->origin, '/');
    return slash ? slash + 1 : t->origin;
}

static void draw_title(const picture *d)
{
    const atn_topo_facts *facts = d->facts;
    char ranks[32] = "";
    if (d->t->p > 0)
        snprintf(ranks, sizeof ranks, "%d rank%s \xc2\xb7 ", d->t->p, plural(d->t->p));
    atn_report_svg_text(d->f, "title", "start", 20, 32, "%s", title_of(d->t));
    atn_report_svg_text(d->f, "note", "start", 20, 51, "%s%d host%s \xc2\xb7 %d switch%s", ranks,
                        facts->hosts, plural(facts->hosts), facts->switches,
                        facts->switches == 1 ? "" : "es");
    if (d->t->routes)
        atn_report_svg_text(d->f, "note", "start", 20, 66,
                            "%s \xc2\xb7 lines are all links of a branch together",
                            d->t->routes->rule->name);
}

typedef struct {
    const char *class;
    int64_t rate;
    char text[80];
} sample;

/* Every width, then the bottleneck. */
static int list_samples(const picture *d, sample samples[MAX_SPEEDS + 1])
{
    int64_t rates[MAX_SPEEDS];
    const int worst = d->facts->worst;
    int n = speeds(d, rates);
    char rate[32];
    for (int i = 0; i < n; i++) {
        samples[i] = (sample){.class = "link", .rate = rates[i]};
        snprintf(samples[i].text, sizeof samples[i].text, "%sbit/s",
                 atn_topo_format_rate(rates[i], rate));
    }
    if (worst >= 0) {
        const int64_t load = d->facts->loads[worst];
        samples[n] = (sample){.class = "hot", .rate = d->facts->worst_rate};
        snprintf(samples[n].text, sizeof samples[n].text,
                 "bottleneck: an alltoall sends %" PRId64 " message%s %s way", load,
                 load == 1 ? "" : "s", worst < d->t->nnodes ? "each" : "one");
        n++;
    }
    return n;
}

static double sample_width(const sample *s) { return 52 + 6.6 * (double)strlen(s->text); }

static double legend_width(const picture *d)
{
    sample samples[MAX_SPEEDS + 1];
    double width = 20;
    for (int i = list_samples(d, samples) - 1; i >= 0; i--)
        width += sample_width(&samples[i]);
    return width;
}

static void draw_legend(const picture *d)
{
    sample samples[MAX_SPEEDS + 1];
    const int n = list_samples(d, samples);
    const double y = d->height - 22;
    double x = 20;
    for (int i = 0; i < n; i++) {
        atn_report_svg_curve(d->f, samples[i].class, (atn_point){x, y}, 24, (atn_point){x + 24, y},
                             stroke(d, samples[i].rate));
        atn_report_svg_text(d->f, "note", "start", x + 32, y + 4, "%s", samples[i].text);
        x += sample_width(&samples[i]);
    }
}

/* ---- the whole ---- */

static bool uniform_hosts(const picture *d)
{
    int first = -1;
    for (int v = 1; v < d->t->nnodes; v++) {
        const atn_topo_node *node = &d->t->nodes[v];
        if (node->kind != ATN_TOPO_HOST)
            continue;
        first = first < 0 ? v : first;
        if (node->rate != d->t->nodes[first].rate || node->delay_ns != d->t->nodes[first].delay_ns)
            return false;
    }
    return true;
}

static int most_ranks(const picture *d)
{
    int most = 0;
    for (int v = 0; v < d->t->nnodes; v++)
        most = atn_max(most, d->facts->first[v + 1] - d->facts->first[v]);
    return atn_min(most, MAX_RANKS_SHOWN);
}

/* From left to right: switches, hosts, parts, ranks. */
static void lay_columns(picture *d)
{
    double label = 0;
    char text[120];
    for (int v = 1; v < d->t->nnodes; v++)
        if (d->t->nodes[v].kind == ATN_TOPO_SWITCH) {
            link_text(d, v, text, sizeof text);
            label = fmax(label, 5.6 * (double)strlen(text));
        }
    const int switches = deepest(d, ATN_TOPO_SWITCH), parts = deepest(d, ATN_TOPO_PART);
    d->uniform = uniform_hosts(d);
    d->left = 20;
    d->box = fmax(fmax(widest(d, ATN_TOPO_SWITCH), label) + 20, 64);
    d->column = d->box + GAP;
    d->host_w = fmax(widest(d, ATN_TOPO_HOST) + 16, 44);
    d->host_x =
        switches < 0 ? d->left + 12 : d->left + (switches + 1) * d->column + (d->uniform ? 0 : 84);
    d->part_w = widest(d, ATN_TOPO_PART) + 16;
    d->part_x = d->host_x + d->host_w + GAP / 2.0;
    d->rank_x = parts < 0 ? d->host_x + d->host_w + 18
                          : d->part_x + parts * (d->part_w + GAP / 2.0) + d->part_w + 18;
    d->digit = d->t->p > 1000 ? 40 : d->t->p > 100 ? 32 : 26;
    d->band_end = d->rank_x + most_ranks(d) * (d->digit + 4) + 6;
    const double title = 20 + 10 * (double)strlen(title_of(d->t));
    const double note = d->t->routes ? 460 : 0;
    d->width = fmax(fmax(d->band_end, note), fmax(legend_width(d), title)) + 20;
}

static void lay_rows(picture *d)
{
    int rows = 0;
    for (int v = 0; v < d->t->nnodes; v++) {
        d->leaf[v] = v + 1 == d->t->nnodes || d->t->nodes[v + 1].parent != v;
        rows += d->leaf[v];
    }
    d->row = rows <= 64 ? 26 : 22;
    d->top = 76;
    d->bottom = place_leaves(d);
    d->bottom = fmax(d->bottom, d->top + 40);
    place_inner(d);
    d->height = d->bottom + 52;
}

static void draw(picture *d)
{
    char title[200];
    snprintf(title, sizeof title, "Topology %.150s", d->t->origin);
    atn_report_svg_begin(d->f, d->width, d->height, style, title);
    atn_report_svg_rect(d->f, "page", 0, 0, d->width, d->height, 0);
    draw_bands(d);
    for (int v = 1; v < d->t->nnodes; v++)
        draw_link(d, v);
    for (int v = 0; v < d->t->nnodes; v++) {
        if (d->t->nodes[v].kind == ATN_TOPO_SWITCH)
            draw_switch(d, v);
        else
            draw_machine(d, v);
    }
    draw_title(d);
    draw_legend(d);
    atn_report_svg_end(d->f);
}

atn_status atn_report_topo_draw(FILE *f, const atn_topo *t, atn_error *err)
{
    atn_topo_facts facts;
    if (t->nnodes > MAX_ROWS)
        return atn_fail(err, ATN_INPUT, "%s: %d nodes cannot be drawn legibly; at most %d",
                        t->origin, t->nnodes, MAX_ROWS);
    if (!atn_report_topo_facts_make(t, &facts))
        return atn_fail(err, ATN_MEMORY, "out of memory");
    picture d = {.f = f, .t = t, .facts = &facts};
    d.y = calloc((size_t)t->nnodes, sizeof *d.y);
    d.leaf = malloc(sizeof *d.leaf * (size_t)t->nnodes);
    const bool room = d.y && d.leaf;
    if (room) {
        lay_columns(&d);
        lay_rows(&d);
        draw(&d);
    }
    free(d.y);
    free(d.leaf);
    atn_report_topo_facts_free(&facts);
    return room ? ATN_OK : atn_fail(err, ATN_MEMORY, "out of memory");
}
