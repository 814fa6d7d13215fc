/* trace_page.c - HTML report of a trace: where the time of collectives goes, ranks, time line,
 * skew, messages; its tables are those of the commands. */
#include <stdlib.h>
#include <string.h>

#include "cli/forecast.h"
#include "cli/traces/trace_page.h"

extern const char atn_cli_trace_page_css[], atn_cli_trace_data_js[], atn_cli_trace_line_js[],
    atn_cli_trace_save_js[];

enum { ROWS_SHOWN = 500 }; /* csv has all */

/* ---- tables ---- */

static const atn_trace_table *find_table(const char *name)
{
    static const atn_trace_table *const lists[] = {atn_cli_stats_tables, atn_arrival_tables};
    for (int k = 0; k < 2; k++)
        for (const atn_trace_table *t = lists[k]; t->name != NULL; t++)
            if (strcmp(t->name, name) == 0)
                return t;
    return NULL;
}

/* An empty table is left out. */
static bool put_table(FILE *f, const atn_trace_view *v, const char *name, bool folded)
{
    const atn_trace_table *const table = find_table(name);
    atn_table t = {.columns = table->columns, .ncolumns = table->ncolumns};
    table->fill(&t, v);
    const bool ok = !t.failed;
    if (t.cells.n > 0 && folded)
        atn_report_html_folded(f, name, table->title, &t, ROWS_SHOWN);
    else if (t.cells.n > 0)
        atn_report_html_table(f, name, &t, ROWS_SHOWN);
    atn_report_table_free(&t);
    return ok;
}

/* ---- sections: a heading, a sentence, a chart, folded tables ---- */

typedef struct {
    const char *id, *title, *note;
    bool (*draw)(FILE *f, const atn_trace_view *v);
    const char *tables[3];
} section;

static const section time_section = {
    "time",
    "Where the time of collectives goes",
    "Time of all ranks in collective calls, by operation, communicator and message size. A rank "
    "that arrives early waits for the others; this time is part of the call.",
    atn_cli_trace_draw_shares,
    {"collectives"}};

static const section sections[] = {
    {"ranks",
     "Ranks",
     "Computation and communication of each rank between MPI_Init and MPI_Finalize. Ranks that "
     "compute longer than others make the others wait in collectives.",
     atn_cli_trace_draw_ranks,
     {"waiting", "ranks"}},
    {"skew",
     "Arrival skew",
     "Collective calls by the time between the first and the last arrival, in units of the time "
     "of one message of that size.",
     atn_cli_trace_draw_factors,
     {"operations", "factors"}},
    {"traffic",
     "Bytes from rank to rank",
     "Messages and one-sided data of the program; collectives are not included.",
     atn_cli_trace_draw_matrix,
     {"partners"}},
    {"sizes", "Messages by size", NULL, atn_cli_trace_draw_sizes, {"sizes"}},
    {"gaps",
     "Computation between two sends",
     "Of one rank, without the MPI calls between them.",
     atn_cli_trace_draw_between,
     {"between"}},
};

/* Without anything to draw, the section is left out: heading and note are written only then. */
static bool put_section(FILE *f, const atn_trace_view *v, const section *s)
{
    char *chart = NULL;
    size_t bytes = 0;
    FILE *const m = atn_open_text(&chart, &bytes);
    if (m == NULL)
        return false;
    const bool any = s->draw(m, v);
    bool ok = fclose(m) == 0;
    if (ok && any) {
        atn_report_html_section(f, s->id, s->title);
        if (s->note != NULL)
            fprintf(f, "<p class=\"note\">%s</p>\n", s->note);
        fwrite(chart, 1, bytes, f);
        for (int i = 0; i < 3 && s->tables[i] != NULL && ok; i++)
            ok = put_table(f, v, s->tables[i], s != &time_section);
    }
    free(chart);
    return ok;
}

/* ---- the summary ---- */

static void put_share_tile(FILE *f, const char *what, double part, double whole)
{
    if (whole > 0)
        atn_report_html_tile(f, what, "%.1f %%", 100 * part / whole);
}

static void put_tiles(FILE *f, const atn_trace_view *v)
{
    double mpi = 0, all = 0;
    int64_t calls = 0;
    char time[32];
    for (int r = 0; r < v->t->p; r++) {
        mpi += v->stats.ranks[r].mpi_s;
        all += v->stats.ranks[r].mpi_s + v->stats.ranks[r].compute_s;
    }
    for (int i = 0; i < ATN_TRACE_OPS; i++)
        calls += v->stats.ops[i].calls;
    fputs("<div class=\"tiles\">\n", f);
    atn_report_html_tile(f, "ranks", "%d", v->t->p);
    atn_report_html_tile(f, "duration", "%s",
                         atn_cli_forecast_time(1e-9 * (double)v->t->end, time));
    atn_report_html_tile(f, "recorded calls", "%lld", (long long)calls);
    put_share_tile(f, "of the time of all ranks in MPI", mpi, all);
    put_share_tile(f, "of it in collectives", v->shares.seconds, mpi);
    put_share_tile(f, "of that before the last rank entered", v->shares.waited_s,
                   v->shares.seconds);
    fputs("</div>\n", f);
}

static void put_note(FILE *f, const char *text)
{
    fputs("<p class=\"problem\">", f);
    atn_report_html_text(f, text);
    fputs("</p>\n", f);
}

/* Readers must see that the trace is incomplete. */
static void put_problems(FILE *f, const atn_trace_view *v)
{
    char text[128];
    for (int i = 0; i < v->t->problems.n; i++)
        put_note(f, v->t->problems.v[i].text);
    snprintf(text, sizeof text,
             "%lld collective calls are left out: they are not recorded on all their ranks",
             (long long)v->arrivals.cut);
    if (v->arrivals.cut > 0)
        put_note(f, text);
}

/* ---- the page ---- */

static const char *base_name(const char *path)
{
    const char *const slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

static void begin(FILE *f, const atn_trace_view *v)
{
    const atn_trace_rank *const head = &v->t->ranks[0];
    char about[300], key[96], time[32];
    snprintf(about, sizeof about, "trace of %d ranks in %s%s%s", v->t->p, v->t->where,
             head->library != NULL ? ", recorded by Attune " : "",
             head->library != NULL ? head->library : "");
    snprintf(key, sizeof key, "%s in collectives on all ranks",
             atn_cli_forecast_time(v->shares.seconds, time));
    atn_report_html_begin(
        f, &(atn_html_page){.kind = "trace",
                            .title = head->program != NULL ? base_name(head->program) : "trace",
                            .about = about,
                            .key = key,
                            .date = v->t->wall_ns / 1000000000,
                            .style = atn_cli_trace_page_css});
}

static bool put_other_tables(FILE *f, const atn_trace_view *v)
{
    atn_report_html_section(f, "tables", "Tables");
    fputs("<p class=\"note\">As written by <code>attune trace stats</code> and <code>attune trace "
          "arrivals</code>. Message times are from ",
          f);
    atn_report_html_text(f, v->message_from);
    fputs(".</p>\n", f);
    return put_table(f, v, "summary", true) && put_table(f, v, "calls", true) &&
           put_table(f, v, "invocations", true);
}

atn_status atn_cli_trace_page(FILE *f, const atn_trace_view *v, atn_error *err)
{
    begin(f, v);
    put_tiles(f, v);
    put_problems(f, v);
    bool ok = put_section(f, v, &time_section);
    atn_cli_trace_put_explained(f, v);
    const atn_status status = atn_cli_trace_put_line(f, v, err);
    if (status != ATN_OK)
        return status;
    for (size_t i = 0; i < sizeof sections / sizeof *sections && ok; i++)
        ok = put_section(f, v, &sections[i]);
    ok = ok && put_other_tables(f, v);
    fprintf(f, "<script>\n%s%s%s</script>\n", atn_cli_trace_data_js, atn_cli_trace_save_js,
            atn_cli_trace_line_js);
    atn_report_html_end(f, NULL);
    return ok ? ATN_OK : atn_fail(err, ATN_MEMORY, "out of memory");
}
