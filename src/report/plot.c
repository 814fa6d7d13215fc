/* plot.c - panels of times against sizes. */
#include "report/plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/svg.h"

static const char style[] =
    "text{font:12px system-ui,-apple-system,'Segoe UI','DejaVu Sans',sans-serif;fill:#1f2328}\n"
    ".page{fill:#ffffff}\n"
    ".title{font-size:18px;font-weight:600}\n"
    ".panel-title{font-size:14px;font-weight:600}\n"
    ".note,.tick{fill:#656d76}\n"
    ".tick{font-size:10.5px}\n"
    ".frame{fill:#f6f8fa}\n"
    ".grid{stroke:#ffffff;stroke-width:1}\n"
    ".grid-main{stroke:#dfe4ea;stroke-width:1}\n"
    "polyline{fill:none;stroke-width:2.2;stroke-linejoin:round;stroke-linecap:round}\n"
    "circle{stroke:#ffffff;stroke-width:1.2}\n"
    ".whisker{stroke-width:1.4}\n"
    ".band{stroke:none;fill-opacity:.16}\n"
    ".native{stroke:#bc4c00}.native-fill{fill:#bc4c00}\n"
    ".attune{stroke:#1a7f37}.attune-fill{fill:#1a7f37}\n"
    ".best{stroke:#0969da}.best-fill{fill:#0969da}\n"
    ".other1{stroke:#8250df}.other1-fill{fill:#8250df}\n"
    ".other2{stroke:#0a7b83}.other2-fill{fill:#0a7b83}\n"
    ".other3{stroke:#bf3989}.other3-fill{fill:#bf3989}\n"
    ".other4{stroke:#7d6608}.other4-fill{fill:#7d6608}\n"
    ".bound{stroke:#6e7781;stroke-width:1.6;stroke-dasharray:5 4}\n"
    ".forbidden{fill:#8c959f;fill-opacity:.16}\n"
    "@media (prefers-color-scheme:dark){\n"
    "text{fill:#e6edf3}\n"
    ".page{fill:#0d1117}\n"
    ".note,.tick{fill:#8d96a0}\n"
    ".frame{fill:#161b22}\n"
    ".grid{stroke:#1d242c}\n"
    ".grid-main{stroke:#2b333c}\n"
    "circle{stroke:#161b22}\n"
    ".native{stroke:#f0883e}.native-fill{fill:#f0883e}\n"
    ".attune{stroke:#3fb950}.attune-fill{fill:#3fb950}\n"
    ".best{stroke:#58a6ff}.best-fill{fill:#58a6ff}\n"
    ".other1{stroke:#d2a8ff}.other1-fill{fill:#d2a8ff}\n"
    ".other2{stroke:#56d4dd}.other2-fill{fill:#56d4dd}\n"
    ".other3{stroke:#ff9bce}.other3-fill{fill:#ff9bce}\n"
    ".other4{stroke:#e3b341}.other4-fill{fill:#e3b341}\n"
    ".bound{stroke:#8d96a0}\n"
    "}\n";

/* ---- geometry ---- */

enum {
    MARGIN = 24,
    HEAD = 100,    /* title, subtitle, legend */
    PANEL_W = 320, /* with axis labels */
    PANEL_H = 290,
    LEFT = 52,  /* room for the labels of the vertical axis */
    ABOVE = 44, /* panel title and note */
    BELOW = 30,
    GAP = 22,
    LEGEND_MARK = 26 /* length of a line in the legend */
};

typedef struct {
    double lo, hi; /* logarithms */
} axis;

typedef struct {
    FILE *f;
    const atn_plot *plot;
    const atn_plot_panel *panel;
    axis x, y;
    double left, top, width, height; /* of the frame */
} canvas;

static double place(axis a, double v) { return (log2(v) - a.lo) / (a.hi - a.lo); }
static double x_at(const canvas *c, double bytes)
{
    return c->left + c->width * place(c->x, fmax(bytes, 1));
}
static double y_at(const canvas *c, double seconds)
{
    const double share = fmin(1, fmax(0, place(c->y, seconds)));
    return c->top + c->height * (1 - share);
}

static void widen(axis *a, double v)
{
    a->lo = fmin(a->lo, log2(v));
    a->hi = fmax(a->hi, log2(v));
}

static void lay_axes(canvas *c)
{
    c->x = c->y = (axis){INFINITY, -INFINITY};
    for (int s = 0; s < c->plot->series.n; s++) {
        const atn_plot_line *line = &c->panel->lines[s];
        for (int i = 0; i < line->n; i++) {
            widen(&c->x, fmax((double)line->v[i].bytes, 1));
            widen(&c->y, line->v[i].seconds.lo);
            widen(&c->y, line->v[i].seconds.hi);
        }
    }
    const double x_room = fmax(0.06 * (c->x.hi - c->x.lo), 0.35);
    const double y_room = fmax(0.08 * (c->y.hi - c->y.lo), 1.2 - (c->y.hi - c->y.lo) / 2);
    c->x = (axis){c->x.lo - x_room, c->x.hi + x_room};
    c->y = (axis){c->y.lo - y_room, c->y.hi + y_room};
}

/* ---- axes ---- */

static void time_label(double seconds, char out[24])
{
    static const struct {
        double least, factor;
        const char *unit;
    } units[] = {{0.9999, 1, "s"}, {0.9999e-3, 1e3, "ms"}, {0.9999e-6, 1e6, "µs"}, {0, 1e9, "ns"}};
    int i = 0;
    while (seconds < units[i].least)
        i++;
    snprintf(out, 24, "%.3g %s", seconds * units[i].factor, units[i].unit);
}

/* 1, 2, 5 of every power of ten; a label at each, or at powers of ten only when they are many. */
static void draw_times(const canvas *c)
{
    static const double steps[] = {1, 2, 5};
    const bool all = c->y.hi - c->y.lo < 10; /* powers of two */
    char label[24];
    for (int e = -9; e <= 6; e++)
        for (int i = 0; i < 3; i++) {
            const double v = steps[i] * pow(10, e), y = y_at(c, v);
            if (place(c->y, v) < 0 || place(c->y, v) > 1)
                continue;
            atn_report_svg_line(c->f, i == 0 ? "grid-main" : "grid", (atn_point){c->left, y},
                                (atn_point){c->left + c->width, y});
            if (i > 0 && !all)
                continue;
            time_label(v, label);
            atn_report_svg_text(c->f, "tick", "end", c->left - 7, y + 3.5, "%s", label);
        }
}

static const atn_plot_line *longest(const canvas *c)
{
    const atn_plot_line *line = &c->panel->lines[0];
    for (int s = 1; s < c->plot->series.n; s++)
        if (c->panel->lines[s].n > line->n)
            line = &c->panel->lines[s];
    return line;
}

/* The sizes that were measured, as many as have room. */
static void draw_sizes(const canvas *c)
{
    const atn_plot_line *line = longest(c);
    const double y = c->top + c->height;
    double last = -INFINITY;
    char size[32];
    for (int i = 0; i < line->n; i++) {
        const double x = x_at(c, (double)line->v[i].bytes);
        if (x - last < 30)
            continue;
        last = x;
        atn_report_svg_line(c->f, "grid-main", (atn_point){x, c->top}, (atn_point){x, y});
        atn_report_svg_text(c->f, "tick", "middle", x, y + 15, "%s",
                            atn_format_size(line->v[i].bytes, size));
    }
}

/* ---- lines ---- */

static bool is_bound(const atn_plot_series *s) { return strcmp(s->class, "bound") == 0; }

/* Points of a line, and behind them in reverse order those of its other edge. */
static atn_point *outline(const canvas *c, const atn_plot_line *line, bool bound)
{
    const int n = line->n;
    atn_point *points = malloc(sizeof *points * 2 * (size_t)n);
    for (int i = 0; points != NULL && i < n; i++) {
        const atn_plot_point *p = &line->v[i];
        const double x = x_at(c, (double)p->bytes);
        points[i] = (atn_point){x, y_at(c, bound ? p->seconds.mid : p->seconds.hi)};
        points[2 * n - 1 - i] = (atn_point){x, bound ? c->top + c->height : y_at(c, p->seconds.lo)};
    }
    return points;
}

/* The interval around a line, or what is below the bound. */
static void draw_area(const canvas *c, const atn_plot_series *s, const atn_plot_line *line)
{
    char class[64];
    atn_point *points = outline(c, line, is_bound(s));
    if (points == NULL)
        return;
    snprintf(class, sizeof class, is_bound(s) ? "forbidden" : "band %s-fill", s->class);
    if (line->n > 1)
        atn_report_svg_polygon(c->f, class, points, 2 * line->n);
    free(points);
}

static void draw_line(const canvas *c, const atn_plot_series *s, const atn_plot_line *line)
{
    atn_point *points = malloc(sizeof *points * (size_t)atn_max(line->n, 2));
    if (points == NULL)
        return;
    for (int i = 0; i < line->n; i++)
        points[i] = (atn_point){x_at(c, (double)line->v[i].bytes), y_at(c, line->v[i].seconds.mid)};
    if (line->n == 1 && is_bound(s)) { /* a lone bound is a level across the panel */
        points[1] = (atn_point){c->left + c->width, points[0].y};
        points[0].x = c->left;
    }
    atn_report_svg_polyline(c->f, s->class, points, is_bound(s) ? atn_max(line->n, 2) : line->n);
    free(points);
}

static void draw_dot(const canvas *c, const atn_plot_series *s, const atn_plot_point *p)
{
    char class[48], size[32], mid[24], lo[24], hi[24];
    const double x = x_at(c, (double)p->bytes);
    snprintf(class, sizeof class, "whisker %s", s->class);
    atn_report_svg_line(c->f, class, (atn_point){x, y_at(c, p->seconds.lo)},
                        (atn_point){x, y_at(c, p->seconds.hi)});
    snprintf(class, sizeof class, "%s-fill", s->class);
    time_label(p->seconds.mid, mid);
    time_label(p->seconds.lo, lo);
    time_label(p->seconds.hi, hi);
    atn_report_svg_dot(c->f, class, (atn_point){x, y_at(c, p->seconds.mid)}, 3.6,
                       "%s, %s: %s (%s .. %s)", s->name, atn_format_size(p->bytes, size), mid, lo,
                       hi);
}

/* Areas first, so that no line is below one. */
static void draw_series(const canvas *c)
{
    const atn_plot *p = c->plot;
    for (int s = 0; s < p->series.n; s++)
        if (c->panel->lines[s].n > 0)
            draw_area(c, &p->series.v[s], &c->panel->lines[s]);
    for (int s = 0; s < p->series.n; s++)
        if (c->panel->lines[s].n > 0)
            draw_line(c, &p->series.v[s], &c->panel->lines[s]);
    for (int s = 0; s < p->series.n; s++)
        for (int i = 0; i < c->panel->lines[s].n && !is_bound(&p->series.v[s]); i++)
            draw_dot(c, &p->series.v[s], &c->panel->lines[s].v[i]);
}

static void draw_panel(FILE *f, const atn_plot *p, const atn_plot_panel *panel, atn_point at)
{
    canvas c = {.f = f,
                .plot = p,
                .panel = panel,
                .left = at.x + LEFT,
                .top = at.y + ABOVE,
                .width = PANEL_W - LEFT,
                .height = PANEL_H - ABOVE - BELOW};
    lay_axes(&c);
    atn_report_svg_text(f, "panel-title", "start", c.left, at.y + 15, "%s", panel->title);
    atn_report_svg_text(f, "note", "start", c.left, at.y + 33, "%s", panel->note);
    atn_report_svg_rect(f, "frame", c.left, c.top, c.width, c.height, 5);
    draw_times(&c);
    draw_sizes(&c);
    draw_series(&c);
}

/* ---- words around ---- */

static double name_width(const char *name) { return 7.0 * (double)strlen(name); }

static void draw_legend(FILE *f, const atn_plot *p)
{
    double x = MARGIN;
    const double y = HEAD - 22;
    for (int s = 0; s < p->series.n; s++) {
        const atn_plot_series *series = &p->series.v[s];
        const atn_point ends[2] = {{x, y}, {x + LEGEND_MARK, y}};
        char class[32];
        atn_report_svg_polyline(f, series->class, ends, 2);
        snprintf(class, sizeof class, "%s-fill", series->class);
        if (!is_bound(series))
            atn_report_svg_circle(f, class, x + LEGEND_MARK / 2.0, y, 3.6);
        atn_report_svg_text(f, "note", "start", x + LEGEND_MARK + 8, y + 4, "%s", series->name);
        x += LEGEND_MARK + 8 + name_width(series->name) + 24;
    }
}

static double legend_width(const atn_plot *p)
{
    double width = 0;
    for (int s = 0; s < p->series.n; s++)
        width += LEGEND_MARK + 32 + name_width(p->series.v[s].name);
    return width;
}

/* ---- the whole ---- */

static int columns(int panels) { return panels <= 3 ? panels : panels == 4 ? 2 : 3; }

void atn_report_plot_write(FILE *f, const atn_plot *p)
{
    const int wide = columns(p->panels.n), high = (p->panels.n + wide - 1) / wide;
    const double needed = fmax(legend_width(p), 7.4 * (double)strlen(p->subtitle));
    const double width =
        2 * MARGIN + fmax(wide * PANEL_W + (wide - 1) * GAP, wide < 3 ? fmin(needed, 1010) : 0);
    const double height = HEAD + high * PANEL_H + (high - 1) * GAP + MARGIN;
    atn_report_svg_begin(f, width, height, style, p->title);
    atn_report_svg_rect(f, "page", 0, 0, width, height, 0);
    atn_report_svg_text(f, "title", "start", MARGIN, 34, "%s", p->title);
    atn_report_svg_text(f, "note", "start", MARGIN, 54, "%s", p->subtitle);
    draw_legend(f, p);
    for (int i = 0; i < p->panels.n; i++) {
        const int column = i % wide, row = i / wide;
        draw_panel(f, p, &p->panels.v[i],
                   (atn_point){MARGIN + column * (PANEL_W + GAP), HEAD + row * (PANEL_H + GAP)});
    }
    atn_report_svg_end(f);
}

void atn_report_plot_free(atn_plot *p)
{
    for (int i = 0; i < p->panels.n; i++) {
        for (int s = 0; p->panels.v[i].lines != NULL && s < p->series.n; s++)
            atn_vec_free(&p->panels.v[i].lines[s]);
        free(p->panels.v[i].lines);
    }
    atn_vec_free(&p->panels);
    atn_vec_free(&p->series);
}
