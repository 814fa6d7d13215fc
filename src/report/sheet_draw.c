/* sheet_draw.c - sheets as a picture: see sheet.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/sheet.h"
#include "report/svg.h"

static const char style[] =
    "text{font:12px system-ui,-apple-system,'Segoe UI','DejaVu Sans',sans-serif;fill:#1f2328}\n"
    ".page{fill:#ffffff}\n"
    ".title{font-size:18px;font-weight:600}\n"
    ".panel-title{font-size:13px;font-weight:600}\n"
    ".note,.tick{fill:#656d76}\n"
    ".tick{font-size:10.5px}\n"
    ".frame{fill:#f6f8fa}\n"
    ".grid{stroke:#dfe4ea;stroke-width:1}\n"
    ".differs{fill:#bc4c00}\n"
    ".line{fill:none;stroke-width:1.8}\n"
    ".hollow{fill:none;stroke-width:1.6}\n"
    ".c0{stroke:#0969da}.c0-fill{fill:#0969da}\n"
    ".c1{stroke:#bc4c00}.c1-fill{fill:#bc4c00}\n"
    ".c2{stroke:#1a7f37}.c2-fill{fill:#1a7f37}\n"
    ".c3{stroke:#8250df}.c3-fill{fill:#8250df}\n"
    ".c4{stroke:#9a6700}.c4-fill{fill:#9a6700}\n"
    ".c5{stroke:#bf3989}.c5-fill{fill:#bf3989}\n"
    ".c6{stroke:#1b7c83}.c6-fill{fill:#1b7c83}\n"
    ".c7{stroke:#57606a}.c7-fill{fill:#57606a}\n"
    "@media (prefers-color-scheme:dark){\n"
    "text{fill:#e6edf3}\n"
    ".page{fill:#0d1117}\n"
    ".note,.tick{fill:#8d96a0}\n"
    ".frame{fill:#161b22}\n"
    ".grid{stroke:#2b333c}\n"
    ".differs{fill:#f0883e}\n"
    ".c0{stroke:#58a6ff}.c0-fill{fill:#58a6ff}\n"
    ".c1{stroke:#f0883e}.c1-fill{fill:#f0883e}\n"
    ".c2{stroke:#3fb950}.c2-fill{fill:#3fb950}\n"
    ".c3{stroke:#d2a8ff}.c3-fill{fill:#d2a8ff}\n"
    ".c4{stroke:#e3b341}.c4-fill{fill:#e3b341}\n"
    ".c5{stroke:#ff9bce}.c5-fill{fill:#ff9bce}\n"
    ".c6{stroke:#56d4dd}.c6-fill{fill:#56d4dd}\n"
    ".c7{stroke:#afb8c1}.c7-fill{fill:#afb8c1}\n"
    "}\n";

enum {
    MARGIN = 24,
    HEAD = 74,     /* title, subtitle */
    PANEL_W = 560, /* of lines and dots, with labels */
    GAP = 26,
    ABOVE = 26, /* panel title */
    LEGEND = 18,
    BELOW = 24, /* labels of the horizontal axis */
    LINES_H = 220,
    ROW = 17,
    COLOURS = 8
};

static const double CHAR_W = 6.6; /* of 12 px text, on average */

typedef enum { AS_LINES, AS_DOTS, AS_TEXT } form;

typedef struct {
    double lo, hi; /* of the values, or of their logarithms */
    bool log;
} axis;

typedef struct {
    FILE *f;
    const atn_sheet *s;
    form as;
    axis value, row;
    double left, top, width, height; /* of the frame */
} canvas;

static double wide(const char *text) { return CHAR_W * (double)strlen(text); }
static double bold(const char *text) { return 1.25 * wide(text); }

/* ---- numbers ---- */

/* A row that is a number or a size (64K). */
static bool row_number(const char *name, double *v_p)
{
    int64_t bytes;
    if (atn_report_sheet_number(name, v_p) && strchr(name, ' ') == NULL)
        return true;
    *v_p = atn_parse_size(name, &bytes) ? (double)bytes : 0;
    return *v_p > 0;
}

static form form_of(const atn_sheet *s)
{
    int numbers = 0, texts = 0, rows = 0;
    double v;
    for (int i = 0; i < s->cells.n; i++)
        for (int k = 0; k < 2; k++) {
            const char *const text = k ? s->cells.v[i].ours : s->cells.v[i].published;
            numbers += atn_report_sheet_number(text, &v);
            texts += text != NULL && !atn_report_sheet_number(text, &v);
        }
    for (int r = 0; r < s->rows.n; r++)
        rows += row_number(s->rows.v[r], &v);
    if (texts >= numbers)
        return AS_TEXT;
    return rows == s->rows.n && rows >= 3 ? AS_LINES : AS_DOTS;
}

static void widen(axis *a, double *least_p, double v)
{
    a->lo = fmin(a->lo, v);
    a->hi = fmax(a->hi, v);
    *least_p = v > 0 ? fmin(*least_p, v) : *least_p;
}

/* Logarithmic if the greatest value is many times the least one, except for shares of one; zeros
 * are then at the edge. */
static axis lay_axis(axis a, double least)
{
    if (a.hi < a.lo)
        return (axis){0, 1, false};
    if (a.lo >= 0 && a.hi > 30 * least && a.hi > 1)
        return (axis){floor(log10(least) * 3) / 3, ceil(log10(a.hi) * 3) / 3, true};
    const double room = 0.06 * fmax(a.hi - a.lo, 1e-9);
    return (axis){a.lo >= 0 ? 0 : a.lo - room, a.hi + room + (a.hi <= 0 ? 1 : 0), false};
}

static double share_of(axis a, double v)
{
    const double at = a.log ? log10(fmax(v, 1e-300)) : v;
    return fmin(1, fmax(0, (at - a.lo) / (a.hi - a.lo)));
}

static void lay_axes(canvas *c)
{
    axis value = {INFINITY, -INFINITY, false}, row = value;
    double least = INFINITY, least_row = INFINITY, v;
    for (int i = 0; i < c->s->cells.n; i++) {
        if (atn_report_sheet_number(c->s->cells.v[i].ours, &v))
            widen(&value, &least, v);
        if (atn_report_sheet_number(c->s->cells.v[i].published, &v))
            widen(&value, &least, v);
    }
    for (int r = 0; c->as == AS_LINES && r < c->s->rows.n; r++)
        if (row_number(c->s->rows.v[r], &v))
            widen(&row, &least_row, v);
    c->value = lay_axis(value, least);
    c->row = row.lo > 0 && row.hi > 10 * row.lo ? (axis){log10(row.lo), log10(row.hi), true} : row;
    if (c->row.hi <= c->row.lo)
        c->row.hi = c->row.lo + 1;
}

/* ---- axes ---- */

/* The values that get a mark: at most about eight. */
static int marks_of(axis a, double marks[40])
{
    static const double steps[] = {1, 2, 5};
    int n = 0;
    if (!a.log) {
        const double rough = (a.hi - a.lo) / 6, power = pow(10, floor(log10(rough)));
        const double step = power * (rough / power > 5 ? 10 : rough / power > 2 ? 5 : 2);
        for (double v = ceil(a.lo / step) * step; v <= a.hi && n < 40; v += step)
            marks[n++] = fabs(v) < step / 1e6 ? 0 : v;
        return n;
    }
    const int fine = a.hi - a.lo < 2.5 ? 3 : 1, every = a.hi - a.lo > 9 ? 2 : 1;
    for (int e = (int)floor(a.lo); e <= (int)ceil(a.hi); e += every)
        for (int i = 0; i < fine; i++) {
            const double v = steps[i] * pow(10, e);
            if (log10(v) >= a.lo - 1e-9 && log10(v) <= a.hi + 1e-9 && n < 40)
                marks[n++] = v;
        }
    return n;
}

static const char *mark_text(double v, char out[32])
{
    if (v >= 1e6)
        snprintf(out, 32, "%gM", v / 1e6);
    else if (v >= 1e4)
        snprintf(out, 32, "%gk", v / 1e3);
    else
        snprintf(out, 32, "%.4g", v);
    return out;
}

/* Values are on the vertical axis of lines, on the horizontal one of dots. */
static void draw_marks(const canvas *c)
{
    double marks[40];
    char text[32];
    const int n = marks_of(c->value, marks);
    const double bottom = c->top + c->height, right = c->left + c->width;
    for (int i = 0; i < n; i++) {
        const double share = share_of(c->value, marks[i]);
        const double x = c->left + share * c->width, y = bottom - share * c->height;
        const bool up = c->as == AS_LINES;
        atn_report_svg_line(c->f, "grid", (atn_point){up ? c->left : x, up ? y : c->top},
                            (atn_point){up ? right : x, up ? y : bottom});
        if (up)
            atn_report_svg_text(c->f, "tick", "end", c->left - 6, y + 3.5, "%s",
                                mark_text(marks[i], text));
        else
            atn_report_svg_text(c->f, "tick", "middle", x, bottom + 14, "%s",
                                mark_text(marks[i], text));
    }
}

/* ---- lines and dots ---- */

static atn_point place(const canvas *c, int row, double v)
{
    double at;
    const double share = share_of(c->value, v);
    if (c->as == AS_DOTS)
        return (atn_point){c->left + share * c->width, c->top + (row + 0.5) * ROW + 4};
    row_number(c->s->rows.v[row], &at);
    return (atn_point){c->left + 10 + share_of(c->row, at) * (c->width - 20),
                       c->top + (1 - share) * c->height};
}

static void draw_rows(const canvas *c)
{
    double last = -INFINITY;
    for (int r = 0; r < c->s->rows.n; r++) {
        const atn_point at = place(c, r, 1);
        const char *const name = c->s->rows.v[r];
        if (c->as == AS_DOTS)
            atn_report_svg_text(c->f, "name", "end", c->left - 8, at.y + 4, "%s", name);
        else if (at.x - last > wide(name) + 6) {
            atn_report_svg_text(c->f, "tick", "middle", at.x, c->top + c->height + 14, "%s", name);
            last = at.x;
        }
    }
}

static void draw_value(const canvas *c, const atn_sheet_cell *cell, bool published)
{
    const char *const text = published ? cell->published : cell->ours;
    char class[32];
    double v;
    if (!atn_report_sheet_number(text, &v))
        return;
    snprintf(class, sizeof class, published ? "hollow c%d" : "c%d-fill", cell->column % COLOURS);
    atn_report_svg_dot(c->f, class, place(c, cell->row, v), published ? 5 : 3.2, "%s, %s: %s%s",
                       c->s->rows.v[cell->row], c->s->columns.v[cell->column], text,
                       published ? " (published)" : "");
}

static void draw_line(const canvas *c, int column)
{
    atn_point *const points = malloc(sizeof *points * ((size_t)c->s->rows.n + 1));
    char class[32];
    int n = 0;
    for (int r = 0; points != NULL && r < c->s->rows.n; r++) {
        const atn_sheet_cell *const cell = atn_report_sheet_at(c->s, r, column);
        double v;
        if (cell != NULL && atn_report_sheet_number(cell->ours, &v))
            points[n++] = place(c, r, v);
    }
    snprintf(class, sizeof class, "line c%d", column % COLOURS);
    if (n > 1)
        atn_report_svg_polyline(c->f, class, points, n);
    free(points);
}

/* Lines of names that fit into the width; draws them if `f` is not NULL. */
static int legend(FILE *f, const atn_sheet *s, double left, double top, double width)
{
    double x = left;
    int line = 0;
    for (int i = 0; i < s->columns.n; i++) {
        char class[32];
        const double more = 22 + wide(s->columns.v[i]) + 12;
        if (x > left && x + more > left + width) {
            x = left;
            line++;
        }
        snprintf(class, sizeof class, "c%d-fill", i % COLOURS);
        if (f != NULL) {
            atn_report_svg_circle(f, class, x + 6, top + line * LEGEND - 4, 3.6);
            atn_report_svg_text(f, "note", "start", x + 14, top + line * LEGEND, "%s",
                                s->columns.v[i]);
        }
        x += more;
    }
    return line + 1;
}

static void draw_plot(canvas *c)
{
    lay_axes(c);
    atn_report_svg_rect(c->f, "frame", c->left, c->top, c->width, c->height, 4);
    draw_marks(c);
    draw_rows(c);
    for (int i = 0; c->as == AS_LINES && i < c->s->columns.n; i++)
        draw_line(c, i);
    for (int k = 1; k >= 0; k--)
        for (int i = 0; i < c->s->cells.n; i++)
            draw_value(c, &c->s->cells.v[i], k == 1);
}

/* ---- text ---- */

/* "n0>n4", or "n0>n4 (n0>n3)" if the published value differs. */
static void cell_text(const atn_sheet_cell *cell, char out[160])
{
    const char *const ours = cell->ours != NULL ? cell->ours : "-";
    if (cell->published == NULL || strcmp(ours, cell->published) == 0)
        snprintf(out, 160, "%s", ours);
    else
        snprintf(out, 160, "%s (%s)", ours, cell->published);
}

/* Column -1: the names of rows. */
static double column_width(const atn_sheet *s, int column)
{
    double width = column < 0 ? 0 : wide(s->columns.v[column]);
    char text[160];
    for (int r = 0; r < s->rows.n; r++) {
        const atn_sheet_cell *const cell = column < 0 ? NULL : atn_report_sheet_at(s, r, column);
        if (cell != NULL)
            cell_text(cell, text);
        else
            snprintf(text, sizeof text, "%s", column < 0 ? s->rows.v[r] : "");
        width = fmax(width, wide(text));
    }
    return width + 18;
}

static void draw_column(const canvas *c, int column, double x)
{
    char text[160];
    atn_report_svg_text(c->f, "note", "start", x, c->top + 14, "%s",
                        column < 0 ? "" : c->s->columns.v[column]);
    for (int r = 0; r < c->s->rows.n; r++) {
        const atn_sheet_cell *const cell = column < 0 ? NULL : atn_report_sheet_at(c->s, r, column);
        const double y = c->top + 14 + (r + 1) * ROW;
        if (column < 0)
            atn_report_svg_text(c->f, "note", "start", x, y, "%s", c->s->rows.v[r]);
        if (cell == NULL)
            continue;
        cell_text(cell, text);
        atn_report_svg_text(c->f, strchr(text, '(') ? "differs" : "same", "start", x, y, "%s",
                            text);
    }
}

static void draw_text(const canvas *c)
{
    double x = c->left + 8;
    atn_report_svg_rect(c->f, "frame", c->left, c->top - 4, c->width, c->height + 4, 4);
    for (int i = -1; i < c->s->columns.n; i++) {
        draw_column(c, i, x);
        x += column_width(c->s, i);
    }
}

/* ---- panels ---- */

static double panel_width(const atn_sheet *s)
{
    double width = 0;
    if (form_of(s) != AS_TEXT)
        return fmax(PANEL_W, bold(s->title));
    for (int i = -1; i < s->columns.n; i++)
        width += column_width(s, i);
    return fmax(width + 8, bold(s->title));
}

static double names_width(const atn_sheet *s)
{
    double width = 46;
    for (int r = 0; r < s->rows.n && form_of(s) == AS_DOTS; r++)
        width = fmax(width, wide(s->rows.v[r]) + 12);
    return width;
}

static double legend_height(const atn_sheet *s)
{
    return form_of(s) == AS_TEXT ? 0 : LEGEND * legend(NULL, s, 0, 0, panel_width(s));
}

static double frame_height(const atn_sheet *s)
{
    const form as = form_of(s);
    return as == AS_LINES  ? LINES_H
           : as == AS_DOTS ? s->rows.n * ROW + 8
                           : (s->rows.n + 1) * ROW + 6;
}

static double panel_height(const atn_sheet *s)
{
    return ABOVE + legend_height(s) + frame_height(s) + BELOW + GAP;
}

static void draw_panel(FILE *f, const atn_sheet *s, double left, double top)
{
    canvas c = {.f = f, .s = s, .as = form_of(s)};
    const double names = c.as == AS_TEXT ? 0 : names_width(s);
    c.left = left + names;
    c.top = top + ABOVE + legend_height(s);
    c.width = panel_width(s) - names;
    c.height = frame_height(s);
    atn_report_svg_text(f, "panel-title", "start", left, top + 12, "%s", s->title);
    if (c.as == AS_TEXT) {
        draw_text(&c);
        return;
    }
    legend(f, s, left, top + ABOVE + 6, panel_width(s));
    draw_plot(&c);
}

/* One below the other, or in two columns if there are many; draws if `f` is not NULL. */
static atn_point lay_panels(FILE *f, const atn_sheet *sheets, int n)
{
    double all = 0, x = MARGIN, y = HEAD, across = 0, lowest = 0;
    for (int i = 0; i < n; i++)
        all += panel_height(&sheets[i]);
    for (int i = 0; i < n; i++) {
        if (n > 2 && y > HEAD && x == MARGIN && y - HEAD + panel_height(&sheets[i]) / 2 > all / 2) {
            x += across + GAP;
            across = 0;
            y = HEAD;
        }
        if (f != NULL)
            draw_panel(f, &sheets[i], x, y);
        across = fmax(across, panel_width(&sheets[i]));
        y += panel_height(&sheets[i]);
        lowest = fmax(lowest, y);
    }
    return (atn_point){x + across + MARGIN, lowest};
}

void atn_report_sheet_draw(FILE *f, const char *title, const char *subtitle,
                           const atn_sheet *sheets, int n)
{
    const atn_point size = lay_panels(NULL, sheets, n);
    const double width = fmax(size.x, 2 * MARGIN + fmax(wide(subtitle), 1.8 * wide(title)));
    atn_report_svg_begin(f, width, size.y, style, title);
    atn_report_svg_rect(f, "page", 0, 0, width, size.y, 0);
    atn_report_svg_text(f, "title", "start", MARGIN, 34, "%s", title);
    atn_report_svg_text(f, "note", "start", MARGIN, 54, "%s", subtitle);
    lay_panels(f, sheets, n);
    atn_report_svg_end(f);
}
