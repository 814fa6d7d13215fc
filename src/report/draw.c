/* draw.c - space-time diagram of a schedule. */
#include "report/draw.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/svg.h"
#include "report/timeline.h"

enum { MAX_RANKS = 512, MAX_MESSAGES = 20000, MAX_LABEL = 7, LABEL_ROOM = 96 };

/* Light first; the media query turns every colour that matters on a dark page. */
static const char style[] =
    "text{font:12px system-ui,-apple-system,'Segoe UI','DejaVu Sans',sans-serif;fill:#1f2328}\n"
    ".page{fill:#ffffff}\n"
    ".title{font-size:17px;font-weight:600}\n"
    ".note,.tick{fill:#656d76}\n"
    ".tick{font-size:10px}\n"
    ".rank{font-weight:600}\n"
    ".root{fill:#8250df;font-weight:600}\n"
    ".band{fill:#f6f8fa}\n"
    ".grid{stroke:#eaeef2}\n"
    ".life{stroke:#d0d7de;stroke-width:1.5}\n"
    ".busy{fill:#b6d7ff}\n"
    ".msg{stroke:#0969da;stroke-width:1.5}\n"
    ".msg-head,.leave{fill:#0969da}\n"
    ".sync{stroke:#8c959f;stroke-width:1.2;stroke-dasharray:4 3}\n"
    ".sync-head{fill:#8c959f}\n"
    ".reduce{fill:#fff1e5;stroke:#bc4c00;stroke-width:1.5}\n"
    ".plus{stroke:#bc4c00;stroke-width:1.5}\n"
    ".copy{fill:#dafbe1;stroke:#1a7f37;stroke-width:1.5}\n"
    ".block{font-size:10px;fill:#0550ae;stroke:#ffffff;stroke-width:3px;stroke-linejoin:round;"
    "paint-order:stroke}\n"
    "@media (prefers-color-scheme:dark){\n"
    "text{fill:#e6edf3}\n"
    ".page{fill:#0d1117}\n"
    ".note,.tick{fill:#8d96a0}\n"
    ".root{fill:#d2a8ff}\n"
    ".band{fill:#161b22}\n"
    ".grid{stroke:#21262d}\n"
    ".life{stroke:#3d444d}\n"
    ".busy{fill:#1c3d66}\n"
    ".msg{stroke:#58a6ff}\n"
    ".msg-head,.leave{fill:#58a6ff}\n"
    ".sync{stroke:#6e7681}\n"
    ".sync-head{fill:#6e7681}\n"
    ".reduce{fill:#3d2311;stroke:#f0883e}\n"
    ".plus{stroke:#f0883e}\n"
    ".copy{fill:#12361e;stroke:#3fb950}\n"
    ".block{fill:#a5d6ff;stroke:#0d1117}\n"
    "}\n";
/* Many lines cross: let them shine through each other. */
static const char dense[] = ".msg,.sync{stroke-width:1;stroke-opacity:.7}\n";

typedef struct {
    FILE *f;
    atn_schedule *const *schedules;
    const atn_timeline *t;
    int p;
    double unit, row, left, top, width, height; /* pixels */
    double mark;                                /* radius of marks on a row */
    bool labels;
} drawing;

static double x_at(const drawing *d, double time) { return d->left + time * d->unit; }
static double y_at(const drawing *d, int rank) { return d->top + (rank + 0.5) * d->row; }
static double bottom(const drawing *d) { return d->top + d->p * d->row; }

/* ---- what is in the schedules ---- */

/* Reads are shown as messages to the reader. */
static bool is_arrow(const atn_op *o) { return o->kind == ATN_OP_SEND || atn_sched_is_read(o); }

static bool shown_as(const atn_op *o, atn_op_kind kind)
{
    return kind == ATN_OP_SEND     ? is_arrow(o)
           : kind == ATN_OP_REDUCE ? atn_sched_reduces(o)
                                   : o->kind == kind;
}

static int count_kind(const drawing *d, atn_op_kind kind, bool data)
{
    int n = 0;
    for (int r = 0; r < d->p; r++)
        for (int i = 0; i < d->schedules[r]->nops; i++) {
            const atn_op *o = &d->schedules[r]->ops[i];
            n += shown_as(o, kind) && (atn_sched_moved(o)->n > 0) == data;
        }
    return n;
}

/* The block that a reader should see: scratch is named after the block whose shape it has, a
 * rank's only entry after the place that it has in the vector of all. */
static int named_block(const atn_schedule *s, const atn_slot *slot, int block)
{
    const atn_operation_info *o = atn_sched_operation_get(s->q.op);
    if (slot->space == ATN_TMP)
        return s->tmp_shape[block];
    const atn_side side = slot->space == ATN_SRC ? o->source : o->result;
    return side == ATN_SIDE_ONE ? s->q.r * s->split + block : block;
}

/* "3", "0-3", "1,4"; empty when it would be too long to be read. */
static void block_label(const atn_schedule *s, const atn_slot *slot, char out[LABEL_ROOM])
{
    const atn_range *range = atn_sched_slot_ranges(s, slot);
    int used = 0;
    out[0] = '\0';
    for (int i = 0; i < slot->n && used <= MAX_LABEL; i++) {
        const int first = named_block(s, slot, range[i].first);
        const int last = named_block(s, slot, range[i].first + range[i].count - 1);
        used += snprintf(out + used, (size_t)(LABEL_ROOM - used),
                         last > first ? "%s%d\xe2\x80\x93%d" : "%s%d", i ? "," : "", first, last);
    }
    if (used > MAX_LABEL)
        out[0] = '\0';
}

static int most_blocks(const drawing *d)
{
    int most = 0;
    for (int r = 0; r < d->p; r++)
        for (int space = ATN_SRC; space <= ATN_DST; space++)
            most = atn_max(most, atn_sched_space_blocks(d->schedules[r], (atn_space)space));
    return most;
}

static double clamp(double v, double lo, double hi) { return v < lo ? lo : v > hi ? hi : v; }

/* ---- background ---- */

typedef struct {
    double start, end;
} band;

static band *round_bands(const drawing *d, int rounds)
{
    band *bands = malloc(sizeof *bands * ((size_t)rounds + 1));
    for (int k = 0; bands && k < rounds; k++)
        bands[k] = (band){INFINITY, -INFINITY};
    for (int r = 0; bands && r < d->p; r++)
        for (int i = 0; i < d->schedules[r]->nops; i++) {
            band *k = &bands[d->schedules[r]->ops[i].round];
            k->start = fmin(k->start, d->t->spans[r][i].start);
            k->end = fmax(k->end, d->t->spans[r][i].end);
        }
    return bands;
}

/* Rounds that overlap in time (a pipeline) cannot be shown as columns. */
static bool in_columns(const band *bands, int rounds)
{
    double end = 0;
    for (int k = 0; k < rounds; k++) {
        if (bands[k].end < 0)
            continue;
        if (bands[k].start < end - 1e-9)
            return false;
        end = bands[k].end;
    }
    return rounds > 1;
}

static void draw_bands(const drawing *d, const band *bands, int rounds)
{
    bool shade = false;
    for (int k = 0; k < rounds; k++) {
        if (bands[k].end < 0)
            continue;
        const double x = x_at(d, bands[k].start), w = (bands[k].end - bands[k].start) * d->unit;
        if ((shade = !shade))
            atn_report_svg_rect(d->f, "band", x, d->top - 20, w, bottom(d) - d->top + 20, 4);
        if (w >= 44)
            atn_report_svg_text(d->f, "tick", "middle", x + w / 2, d->top - 8, "round %d", k);
    }
}

static void draw_rounds(const drawing *d)
{
    int rounds = 0;
    for (int r = 0; r < d->p; r++)
        rounds = atn_max(rounds, d->schedules[r]->nrounds);
    band *bands = round_bands(d, rounds);
    if (bands && in_columns(bands, rounds))
        draw_bands(d, bands, rounds);
    free(bands);
}

/* Whole messages of time, thinned out so that the numbers do not touch. */
static void draw_axis(const drawing *d)
{
    const double y = bottom(d) + 4;
    int every = 1;
    while (every * d->unit < 28)
        every *= every % 2 ? 5 : 2;
    for (int k = 0; k <= (int)(d->t->end + 1e-9); k += every) {
        const double x = x_at(d, k);
        atn_report_svg_line(d->f, "grid", (atn_point){x, d->top - 2}, (atn_point){x, y});
        atn_report_svg_text(d->f, "tick", "middle", x, y + 11, "%d", k);
    }
    atn_report_svg_text(d->f, "tick", "end", d->left - 12, y + 11, "time");
}

/* ---- rows ---- */

static void draw_mark(const drawing *d, const atn_op *o, atn_interval span, double y)
{
    const double x = x_at(d, (span.start + span.end) / 2), m = d->mark;
    if (o->kind == ATN_OP_COPY) {
        const double side = m * 0.75;
        atn_report_svg_rect(d->f, "copy", x - side, y - side, 2 * side, 2 * side, 1.5);
        return;
    }
    atn_report_svg_circle(d->f, "reduce", x, y, m);
    atn_report_svg_line(d->f, "plus", (atn_point){x - m / 2, y}, (atn_point){x + m / 2, y});
    atn_report_svg_line(d->f, "plus", (atn_point){x, y - m / 2}, (atn_point){x, y + m / 2});
}

static void draw_row(const drawing *d, int r)
{
    const atn_schedule *s = d->schedules[r];
    const bool root = (atn_sched_operation_get(s->q.op)->flags & ATN_ROOTED) && s->q.root == r;
    const double y = y_at(d, r);
    if (d->row >= 14)
        atn_report_svg_text(d->f, root ? "root" : "rank", "end", d->left - 12, y + 4,
                            root ? "root %d" : "rank %d", r);
    atn_report_svg_line(d->f, "life", (atn_point){d->left, y}, (atn_point){x_at(d, d->t->end), y});
    for (int i = 0; i < s->nops; i++) {
        const atn_interval span = d->t->spans[r][i];
        if (atn_sched_is_message(&s->ops[i]) || atn_sched_is_read(&s->ops[i]))
            atn_report_svg_rect(d->f, "busy", x_at(d, span.start), y - 2,
                                (span.end - span.start) * d->unit, 4, 2);
    }
}

/* The reduction of a message or of exposed blocks, which are not stored. */
static void draw_reduction(const drawing *d, int r, int i)
{
    const atn_op *o = &d->schedules[r]->ops[i];
    const double end = d->t->spans[r][i].end;
    draw_mark(d, o, (atn_interval){end, end + atn_report_timeline_reduces(o)}, y_at(d, r));
}

static void draw_marks(const drawing *d)
{
    for (int r = 0; r < d->p; r++)
        for (int i = 0; i < d->schedules[r]->nops; i++)
            if (atn_sched_is_local(&d->schedules[r]->ops[i]))
                draw_mark(d, &d->schedules[r]->ops[i], d->t->spans[r][i], y_at(d, r));
            else if (atn_sched_reduces(&d->schedules[r]->ops[i]))
                draw_reduction(d, r, i);
}

/* ---- messages ---- */

static int tail_of(const atn_op *o, int r) { return atn_sched_is_read(o) ? o->peer : r; }
static int head_of(const atn_op *o, int r) { return atn_sched_is_read(o) ? r : o->peer; }

static void draw_messages(const drawing *d)
{
    const double head = clamp(d->row / 4, 5, 8);
    for (int r = 0; r < d->p; r++)
        for (int i = 0; i < d->schedules[r]->nops; i++) {
            const atn_op *o = &d->schedules[r]->ops[i];
            if (!is_arrow(o))
                continue;
            const double start = d->t->spans[r][i].start;
            const bool data = atn_sched_moved(o)->n > 0;
            const atn_point from = {x_at(d, start), y_at(d, tail_of(o, r))};
            const atn_point to = {x_at(d, start + 1), y_at(d, head_of(o, r))};
            atn_report_svg_arrow(d->f, data ? "msg" : "sync", from, to, head);
            if (data)
                atn_report_svg_circle(d->f, "leave", from.x, from.y, d->mark * 0.45);
        }
}

/* Beside the start of the arrow, at the same height for every message of a row. */
static void draw_labels(const drawing *d)
{
    for (int r = 0; d->labels && r < d->p; r++)
        for (int i = 0; i < d->schedules[r]->nops; i++) {
            const atn_op *o = &d->schedules[r]->ops[i];
            char text[LABEL_ROOM];
            if (!is_arrow(o) || atn_sched_moved(o)->n == 0)
                continue;
            block_label(d->schedules[r], atn_sched_moved(o), text);
            if (!text[0])
                continue;
            const double from = y_at(d, tail_of(o, r)), to = y_at(d, head_of(o, r));
            const double rise = to > from ? d->row * 0.28 : -d->row * 0.28;
            const double x = x_at(d, d->t->spans[r][i].start + rise / (to - from));
            atn_report_svg_text(d->f, "block", "start", x + 4, from + rise + 3.5, "%s", text);
        }
}

/* ---- words around ---- */

static const char *plural(int n) { return n == 1 ? "" : "s"; }

static void draw_title(const drawing *d)
{
    const atn_schedule *s = d->schedules[0];
    const int reductions = count_kind(d, ATN_OP_REDUCE, true);
    char more[64] = "";
    if (reductions)
        snprintf(more, sizeof more, " \xc2\xb7 %d reduction%s", reductions, plural(reductions));
    atn_report_svg_text(d->f, "title", "start", 20, 32, "%s", s->name);
    atn_report_svg_text(d->f, "note", "start", 20, 51, "%d rank%s \xc2\xb7 %d message%s%s", d->p,
                        plural(d->p), d->t->messages, plural(d->t->messages), more);
}

/* Each entry draws its sample at (x, y) and is followed by its text. */
static void sample_message(const drawing *d, double x, double y)
{
    atn_report_svg_arrow(d->f, "msg", (atn_point){x, y}, (atn_point){x + 22, y}, 7);
    atn_report_svg_circle(d->f, "leave", x, y, 2.5);
}

static void sample_sync(const drawing *d, double x, double y)
{
    atn_report_svg_arrow(d->f, "sync", (atn_point){x, y}, (atn_point){x + 22, y}, 7);
}

static void sample_op(const drawing *d, atn_op_kind kind, double x, double y)
{
    drawing legend = *d;
    legend.mark = 5.5;
    legend.left = x + 11;
    draw_mark(&legend, &(atn_op){.kind = (uint8_t)kind}, (atn_interval){0, 0}, y);
}

static void sample_reduce(const drawing *d, double x, double y)
{
    sample_op(d, ATN_OP_REDUCE, x, y);
}

static void sample_copy(const drawing *d, double x, double y) { sample_op(d, ATN_OP_COPY, x, y); }

typedef struct {
    atn_op_kind kind;
    bool data;
    void (*sample)(const drawing *d, double x, double y);
    const char *text;
    double width;
} entry;

static const entry entries[] = {
    {ATN_OP_SEND, true, sample_message, "message", 112},
    {ATN_OP_SEND, false, sample_sync, "synchronisation", 150},
    {ATN_OP_REDUCE, true, sample_reduce, "reduction", 112},
    {ATN_OP_COPY, true, sample_copy, "local copy", 112},
};
enum { ENTRIES = sizeof entries / sizeof *entries, BLOCKS_WIDTH = 100 };

static void draw_legend(const drawing *d)
{
    const double y = bottom(d) + 48;
    double x = d->left;
    for (int i = 0; i < ENTRIES; i++) {
        const entry *e = &entries[i];
        if (count_kind(d, e->kind, e->data) == 0)
            continue;
        const bool blocks = d->labels && e->sample == sample_message;
        e->sample(d, x, y);
        atn_report_svg_text(d->f, "note", "start", x + 30, y + 4, "%s%s", e->text,
                            blocks ? " (with its blocks)" : "");
        x += e->width + (blocks ? BLOCKS_WIDTH : 0);
    }
}

static double legend_width(const drawing *d)
{
    double width = d->labels ? BLOCKS_WIDTH : 0;
    for (int i = 0; i < ENTRIES; i++)
        if (count_kind(d, entries[i].kind, entries[i].data) > 0)
            width += entries[i].width;
    return width;
}

/* ---- the whole ---- */

static void lay_out(drawing *d)
{
    d->row = d->p <= 8 ? 40 : d->p <= 16 ? 32 : d->p <= 32 ? 24 : 14;
    d->unit = clamp(1040 / fmax(d->t->end, 1), 16, 96);
    d->mark = d->row >= 32 ? 5.5 : d->row >= 24 ? 4.5 : 3;
    d->left = 78;
    d->top = 86;
    d->height = bottom(d) + 74;
    d->labels = most_blocks(d) > 1 && d->unit >= 40 && d->row >= 32;
    d->width = d->left + fmax(d->t->end * d->unit + 28, legend_width(d) + 8);
}

static void draw(drawing *d)
{
    char title[200], css[sizeof style + sizeof dense];
    snprintf(title, sizeof title, "%s on %d ranks", d->schedules[0]->name, d->p);
    snprintf(css, sizeof css, "%s%s", style, d->row < 32 ? dense : "");
    atn_report_svg_begin(d->f, d->width, d->height, css, title);
    atn_report_svg_rect(d->f, "page", 0, 0, d->width, d->height, 0);
    draw_rounds(d);
    draw_axis(d);
    draw_title(d);
    for (int r = 0; r < d->p; r++)
        draw_row(d, r);
    draw_messages(d);
    draw_marks(d);
    draw_labels(d);
    draw_legend(d);
    atn_report_svg_end(d->f);
}

atn_status atn_report_schedule_draw(FILE *f, atn_schedule *const *schedules, int p, atn_error *err)
{
    atn_timeline t;
    if (p > MAX_RANKS)
        return atn_fail(err, ATN_INPUT, "%s: %d ranks cannot be drawn legibly; use at most %d",
                        schedules[0]->name, p, MAX_RANKS);
    atn_status st = atn_report_timeline_make(schedules, p, &t, err);
    if (st)
        return st;
    drawing d = {.f = f, .schedules = schedules, .t = &t, .p = p};
    if (t.messages > MAX_MESSAGES) {
        st = atn_fail(err, ATN_INPUT,
                      "%s: %d messages cannot be drawn legibly (at most %d); use "
                      "fewer ranks or larger segments",
                      schedules[0]->name, t.messages, MAX_MESSAGES);
    } else {
        lay_out(&d);
        draw(&d);
    }
    atn_report_timeline_free(&t);
    return st;
}
