/* ron_draw.c - circuits as a picture. */
#include "report/ron_draw.h"

#include <math.h>

#include "report/svg.h"

enum { MAX_ROWS = 1024, MAX_MESSAGES = 20000, LEFT = 90, TOP = 64, ROW = 20, WIDTH = 960 };

static const char style[] =
    "text{font:12px system-ui,-apple-system,'Segoe UI','DejaVu Sans',sans-serif;fill:#1f2328}\n"
    ".page{fill:#ffffff}\n"
    ".title{font-size:17px;font-weight:600}\n"
    ".note{fill:#656d76}\n"
    ".tick{font-size:10px;fill:#656d76}\n"
    ".band{fill:#f6f8fa}\n"
    ".grid{stroke:#d0d7de}\n"
    ".change{fill:#fff1e5;stroke:#bc4c00}\n"
    ".message{fill:#b6d7ff;stroke:#0969da}\n"
    ".to{font-size:10px;fill:#0550ae}\n"
    "@media (prefers-color-scheme:dark){\n"
    "text{fill:#e6edf3}\n"
    ".page{fill:#0d1117}\n"
    ".note,.tick{fill:#8d96a0}\n"
    ".band{fill:#161b22}\n"
    ".grid{stroke:#3d444d}\n"
    ".change{fill:#3d2311;stroke:#f0883e}\n"
    ".message{fill:#1c3d66;stroke:#58a6ff}\n"
    ".to{fill:#a5d6ff}\n"
    "}\n";

typedef struct {
    FILE *f;
    const atn_ron *net;
    const atn_circuits *c;
    int p;
    double from, scale; /* the first time, and pixels per unit of it */
    double bottom;
} drawing;

static double x_of(const drawing *d, double time) { return LEFT + (time - d->from) * d->scale; }
static double y_of(const drawing *d, const atn_ron_transfer *t)
{
    return TOP + (double)(t->rank * d->net->ports + t->port) * ROW;
}

static void bar(const drawing *d, const char *class, double y, double from, double to)
{
    atn_report_svg_rect(d->f, class, x_of(d, from), y + 3, fmax(1.0, (to - from) * d->scale),
                        ROW - 6, 2);
}

static void draw_rows(const drawing *d)
{
    for (int r = 0; r < d->p; r++) {
        const double y = TOP + (double)r * d->net->ports * ROW;
        if (r % 2 == 0)
            atn_report_svg_rect(d->f, "band", 0, y, LEFT + WIDTH + 24, (double)d->net->ports * ROW,
                                0);
        atn_report_svg_text(d->f, "rank", "start", 12, y + 14, "rank %d", r);
        for (int port = 0; d->net->ports > 1 && port < d->net->ports; port++)
            atn_report_svg_text(d->f, "tick", "end", LEFT - 8, y + port * ROW + 14, "%d", port);
    }
}

static void draw_times(const drawing *d)
{
    const double span = WIDTH / d->scale;
    double step = pow(10, floor(log10(span / 4)));
    step *= span / step > 20 ? 5 : span / step > 10 ? 2 : 1;
    for (double t = ceil(d->from / step) * step; t <= d->from + span * 1.0001; t += step) {
        const double at = fabs(t) < step / 2 ? 0 : t;
        atn_report_svg_line(d->f, "grid", (atn_point){x_of(d, at), TOP},
                            (atn_point){x_of(d, at), d->bottom});
        atn_report_svg_text(d->f, "tick", "middle", x_of(d, at), TOP - 6, "%g", at);
    }
}

static void draw_transfers(const drawing *d)
{
    for (int i = 0; i < d->c->n; i++) {
        const atn_ron_transfer *t = &d->c->v[i];
        const double y = y_of(d, t);
        if (t->changed && t->ready > t->since)
            bar(d, "change", y, t->since, t->ready);
        bar(d, "message", y, t->begin, t->end);
        if ((t->end - t->begin) * d->scale > 14)
            atn_report_svg_text(d->f, "to", "middle", x_of(d, (t->begin + t->end) / 2), y + 14,
                                "%d", t->to);
    }
}

atn_status atn_report_circuits_draw(FILE *f, const char *title, const atn_ron *net,
                                    const atn_circuits *c, int p, atn_error *err)
{
    drawing d = {.f = f, .net = net, .c = c, .p = p};
    const int64_t rows = (int64_t)p * net->ports;
    if (rows > MAX_ROWS || c->n > MAX_MESSAGES)
        return atn_fail(err, ATN_INPUT, "too large to draw: at most %d ports and %d messages",
                        MAX_ROWS, MAX_MESSAGES);
    for (int i = 0; i < c->n; i++)
        d.from = fmin(d.from, c->v[i].changed ? c->v[i].since : 0);
    d.scale = WIDTH / fmax(c->time - d.from, 1e-9);
    d.bottom = TOP + (double)rows * ROW;
    atn_report_svg_begin(f, LEFT + WIDTH + 24, d.bottom + 16, style, title);
    atn_report_svg_rect(f, "page", 0, 0, LEFT + WIDTH + 24, d.bottom + 16, 0);
    atn_report_svg_text(f, "title", "start", 12, 24, "%s", title);
    atn_report_svg_text(f, "note", "start", 12, 42,
                        "a row per port; reconfigurations in orange, messages in blue with their "
                        "destination; %d reconfigurations, complete at %.6g us",
                        c->changes, c->time);
    draw_rows(&d);
    draw_times(&d);
    draw_transfers(&d);
    atn_report_svg_end(f);
    return ATN_OK;
}
