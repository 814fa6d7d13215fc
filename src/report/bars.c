/* bars.c - see bars.h. */
#include "report/bars.h"

#include <stdlib.h>

#include "report/svg.h"

static const char style[] =
    "text{font:12px system-ui,-apple-system,'Segoe UI','DejaVu Sans',sans-serif;fill:#1f2328}\n"
    ".page{fill:#ffffff}\n"
    ".title{font-size:18px;font-weight:600}\n"
    ".panel-title{font-size:14px;font-weight:600}\n"
    ".note,.tick{fill:#656d76}\n"
    ".tick,.value{font-size:10.5px}\n"
    ".frame{fill:#f6f8fa}\n"
    ".grid{stroke:#dfe4ea;stroke-width:1}\n"
    ".bar{fill:#0969da}\n"
    ".range{stroke:#bc4c00;stroke-width:1.6}\n"
    "@media (prefers-color-scheme:dark){\n"
    "text{fill:#e6edf3}\n"
    ".page{fill:#0d1117}\n"
    ".note,.tick{fill:#8d96a0}\n"
    ".frame{fill:#161b22}\n"
    ".grid{stroke:#2b333c}\n"
    ".bar{fill:#58a6ff}\n"
    ".range{stroke:#f0883e}\n"
    "}\n";

enum {
    MARGIN = 24,
    HEAD = 64,   /* title, subtitle */
    NAMES = 150, /* room for the names of rows, left of every line of panels */
    PANEL_W = 230,
    VALUE_W = 56, /* the number behind a bar */
    ABOVE = 30,   /* panel title */
    BELOW = 22,   /* marks of the axis */
    ROW = 17,
    APART = 7,
    ACROSS = 4 /* panels in a line */
};

typedef struct {
    FILE *f;
    const atn_bars *b;
    double left, top, height; /* of the frame under way */
} canvas;

static double row_y(const atn_bars *b, int row)
{
    double y = 4;
    for (int i = 0; i <= row; i++)
        y += (i > 0 ? ROW : 0) + (b->rows.v[i].apart && i > 0 ? APART : 0);
    return y;
}

static double frame_height(const atn_bars *b)
{
    return b->rows.n > 0 ? row_y(b, b->rows.n - 1) + ROW + 4 : 0;
}

static double x_at(const canvas *c, double share) { return c->left + share * PANEL_W; }

static void draw_frame(const canvas *c, const char *title)
{
    atn_report_svg_text(c->f, "panel-title", "start", c->left, c->top - 10, "%s", title);
    atn_report_svg_rect(c->f, "frame", c->left, c->top, PANEL_W, c->height, 0);
    for (int i = 0; i <= 4; i++) {
        const double x = x_at(c, i / 4.0), end = c->top + c->height;
        atn_report_svg_line(c->f, "grid", (atn_point){x, c->top}, (atn_point){x, end});
        atn_report_svg_text(c->f, "tick", "middle", x, end + 14, "%d %%", i * 25);
    }
}

static void draw_bar(const canvas *c, int row, atn_bar bar)
{
    const double y = c->top + row_y(c->b, row), middle = y + ROW / 2.0;
    atn_report_svg_rect(c->f, "bar", c->left, y + 3, bar.mean * PANEL_W, ROW - 6, 1.5);
    if (bar.most > bar.least)
        atn_report_svg_line(c->f, "range", (atn_point){x_at(c, bar.least), middle},
                            (atn_point){x_at(c, bar.most), middle});
    atn_report_svg_text(c->f, "value", "start", c->left + PANEL_W + 4, y + 12.5, "%.3f", bar.mean);
}

static void draw_names(const canvas *c)
{
    for (int i = 0; i < c->b->rows.n; i++)
        atn_report_svg_text(c->f, "name", "end", c->left - 8, c->top + row_y(c->b, i) + 12.5, "%s",
                            c->b->rows.v[i].name);
}

static void draw_panel(canvas *c, int i)
{
    const atn_bars_panel *panel = &c->b->panels.v[i];
    const int across = i % ACROSS, down = i / ACROSS;
    c->left = MARGIN + NAMES + across * (PANEL_W + VALUE_W);
    c->top = HEAD + ABOVE + down * (c->height + ABOVE + BELOW);
    draw_frame(c, panel->title);
    if (across == 0)
        draw_names(c);
    for (int row = 0; row < panel->bars.n && row < c->b->rows.n; row++)
        draw_bar(c, row, panel->bars.v[row]);
}

void atn_report_bars_write(FILE *f, const atn_bars *b)
{
    canvas c = {.f = f, .b = b, .height = frame_height(b)};
    const int across = atn_min(b->panels.n, ACROSS), down = (b->panels.n + ACROSS - 1) / ACROSS;
    const double width = 2 * MARGIN + NAMES + atn_max(across, 2) * (PANEL_W + VALUE_W);
    const double height = HEAD + down * (c.height + ABOVE + BELOW) + MARGIN;
    atn_report_svg_begin(f, width, height, style, b->title);
    atn_report_svg_rect(f, "page", 0, 0, width, height, 0);
    atn_report_svg_text(f, "title", "start", MARGIN, 34, "%s", b->title);
    atn_report_svg_text(f, "note", "start", MARGIN, 54, "%s", b->subtitle);
    for (int i = 0; i < b->panels.n; i++)
        draw_panel(&c, i);
    atn_report_svg_end(f);
}

void atn_report_bars_free(atn_bars *b)
{
    for (int i = 0; i < b->panels.n; i++)
        atn_vec_free(&b->panels.v[i].bars);
    atn_vec_free(&b->panels);
    atn_vec_free(&b->rows);
}
