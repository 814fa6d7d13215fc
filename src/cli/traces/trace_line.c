/* trace_line.c - the data of the time line of a trace report.
 *
 * Operations, communicators and hosts are JSON, slices the stream of slices.h in base64, which
 * trace_line.js decodes in one pass. */
#include <stdlib.h>
#include <string.h>

#include "cli/traces/trace_page.h"
#include "report/json.h"
#include "trace/slices.h"

enum { MOST_SLICES = 1000000 }; /* about 8 MB of page */

static const char *const classes[] = {
    [ATN_TRACE_IS_SEND] = "send",           [ATN_TRACE_IS_RECV] = "receive",
    [ATN_TRACE_IS_COLL] = "collective",     [ATN_TRACE_IS_WAIT] = "wait",
    [ATN_TRACE_IS_DONE] = "wait",           [ATN_TRACE_IS_OTHER] = "other",
    [ATN_TRACE_IS_ONE_SIDED] = "one-sided", [ATN_TRACE_IS_FILE] = "file",
};

/* ---- the description ---- */

/* From the first end of MPI_Init to the last begin of MPI_Finalize, which would dominate the
 * picture of a short job; the whole job if nothing is in between. */
static void find_view(const atn_trace *t, int64_t *from_p, int64_t *to_p)
{
    int64_t from = INT64_MAX, to = 0;
    for (int r = 0; r < t->p; r++)
        for (int i = 0; i < t->ranks[r].events.n; i++) {
            const atn_trace_event *const e = &t->ranks[r].events.v[i];
            const int64_t end = e->op == ATN_TRACE_FINALIZE ? e->enter : e->exit;
            if (e->op == ATN_TRACE_INIT && e->exit < from)
                from = e->exit;
            to = end > to ? end : to;
        }
    *from_p = from < to ? from : 0;
    *to_p = from < to ? to : t->end;
}

static void put_kinds(atn_json *j, const atn_trace_slices *s)
{
    char seconds[32];
    atn_report_json_open(j, "kinds", '[');
    for (int i = 0; i < s->kinds.n; i++) {
        const atn_trace_slice_kind *const k = &s->kinds.v[i];
        const atn_trace_op_info *const op = atn_trace_op_get(k->op);
        snprintf(seconds, sizeof seconds, "%.9f", k->seconds);
        atn_report_json_open(j, NULL, '{');
        atn_report_json_text(j, "op", op->name);
        atn_report_json_text(j, "class", classes[op->class]);
        atn_report_json_int(j, "comm", k->comm);
        atn_report_json_int(j, "low", k->least);
        atn_report_json_int(j, "high", k->most);
        atn_report_json_number(j, "seconds", seconds);
        atn_report_json_close(j, '}');
    }
    atn_report_json_close(j, ']');
}

static void put_names(atn_json *j, const atn_trace *t)
{
    char name[64];
    atn_report_json_open(j, "comms", '[');
    for (int i = 0; i < t->comms.n; i++) {
        char text[96];
        snprintf(text, sizeof text, "%s (%d ranks)", atn_trace_comm_name(t, i, name, sizeof name),
                 t->comms.v[i].size);
        atn_report_json_text(j, NULL, text);
    }
    atn_report_json_close(j, ']');
    atn_report_json_open(j, "hosts", '[');
    for (int r = 0; r < t->p; r++)
        atn_report_json_text(j, NULL, t->ranks[r].host != NULL ? t->ranks[r].host : "?");
    atn_report_json_close(j, ']');
}

static void put_about(FILE *f, const atn_trace *t, const atn_trace_slices *s)
{
    atn_json j = {.f = f};
    int64_t from, to;
    find_view(t, &from, &to);
    atn_report_json_open(&j, NULL, '{');
    atn_report_json_int(&j, "ranks", t->p);
    atn_report_json_int(&j, "end_ns", t->end);
    atn_report_json_int(&j, "from_ns", from);
    atn_report_json_int(&j, "to_ns", to);
    atn_report_json_int(&j, "calls", s->calls);
    atn_report_json_int(&j, "slices", s->slices);
    atn_report_json_int(&j, "merged_ns", s->merged_ns);
    put_kinds(&j, s);
    put_names(&j, t);
    atn_report_json_close(&j, '}');
}

/* Names must not end the script element that they are in. */
static bool put_description(FILE *f, const atn_trace *t, const atn_trace_slices *s)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *const m = atn_open_text(&text, &bytes);
    if (m == NULL)
        return false;
    put_about(m, t, s);
    const bool ok = fclose(m) == 0;
    for (size_t i = 0; ok && i < bytes; i++)
        if (text[i] == '<')
            fputs("\\u003c", f);
        else
            fputc(text[i], f);
    free(text);
    return ok;
}

/* ---- the section ---- */

static const char controls[] =
    "<div id=\"line\" hidden>\n"
    "<div class=\"tools\" role=\"toolbar\" aria-label=\"Time line\">"
    "<button data-do=\"out\" aria-label=\"Zoom out\">&minus;</button>"
    "<button data-do=\"in\" aria-label=\"Zoom in\">+</button>"
    "<button data-do=\"left\" aria-label=\"Earlier\">&larr;</button>"
    "<button data-do=\"right\" aria-label=\"Later\">&rarr;</button>"
    "<button data-do=\"all\">whole job</button>"
    "<button data-do=\"up\" aria-label=\"Previous ranks\" hidden>&uarr;</button>"
    "<button data-do=\"down\" aria-label=\"Next ranks\" hidden>&darr;</button>"
    "<select id=\"line-comm\" aria-label=\"Communicator\"></select>"
    "<button data-do=\"save\">save for Perfetto</button>"
    "<button data-do=\"open\">open in Perfetto</button></div>\n"
    "<div id=\"line-keys\" class=\"keys\"></div>\n"
    "<canvas id=\"line-canvas\" tabindex=\"0\" role=\"img\" "
    "aria-label=\"Time line; the line of text below it describes the selected call\"></canvas>\n"
    "<p id=\"line-about\" aria-live=\"polite\" class=\"note\"></p>\n"
    "<p class=\"note\">Drag over a part to see it larger. Keys: &larr; &rarr; move, + &minus; "
    "zoom, "
    "&uarr; &darr; select a rank, n and p the next and the previous call, Enter zooms to it, Home "
    "shows the whole job. Click on an operation to see it alone. For Perfetto, calls are written "
    "to "
    "a file, or passed to a window of ui.perfetto.dev, which keeps them in the browser.</p>\n"
    "</div>\n<noscript><p class=\"note\">The time line needs JavaScript.</p></noscript>\n";

atn_status atn_cli_trace_put_line(FILE *f, const atn_trace_view *v, atn_error *err)
{
    atn_trace_slices s;
    atn_status status = atn_trace_slices_make(v->t, MOST_SLICES, &s, err);
    if (status != ATN_OK)
        return status;
    if (s.slices > 0) {
        atn_report_html_section(f, "timeline", "Time line");
        fputs(controls, f);
        if (s.merged_ns > 0)
            fprintf(f,
                    "<p class=\"note\">%lld calls are %lld slices: calls that follow each other "
                    "within %.3g µs are merged. <code>attune trace export</code> writes all.</p>\n",
                    (long long)s.calls, (long long)s.slices, 1e-3 * (double)s.merged_ns);
        fputs("<script type=\"application/json\" id=\"line-json\">\n", f);
        if (!put_description(f, v->t, &s))
            status = atn_fail(err, ATN_MEMORY, "out of memory");
        fputs("</script>\n<script type=\"application/octet-stream\" id=\"line-data\">", f);
        atn_report_html_base64(f, s.stream.v, s.stream.n);
        fputs("</script>\n", f);
    }
    atn_trace_slices_free(&s);
    return status;
}
