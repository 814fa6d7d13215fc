/* job_html.c - the report of a job as one page: summary, a bar per operation, the table, advice. */
#include <string.h>
#include <time.h>

#include "report/html.h"
#include "report/job.h"

static void list(FILE *f, const char *tag, char **lines, const char *otherwise)
{
    const bool any = lines != NULL && lines[0] != NULL;
    if (any)
        fprintf(f, "<%s>\n", tag);
    else
        fprintf(f, "<p class=\"note\">%s</p>\n", otherwise);
    for (int i = 0; any && lines[i] != NULL; i++) {
        fputs("<li>", f);
        atn_report_html_sentence(f, lines[i]);
        fputs("</li>\n", f);
    }
    if (any)
        fprintf(f, "</%s>\n", tag);
    atn_report_lines_free(lines);
}

/* ---- bars ---- */

typedef struct {
    double served, native;
} bar;

static double length_of(const bar *b) { return b->served + b->native; }

static void draw_bar(FILE *f, const char *name, const bar *b, double most)
{
    char value[32];
    atn_html_part parts[] = {{.class = "attune", .value = b->served},
                             {.class = "native", .value = b->native}};
    for (int i = 0; i < 2; i++)
        snprintf(parts[i].title, sizeof parts[i].title, "%s: %.3f ms",
                 i == 0 ? "served by Attune" : "native", 1e3 * parts[i].value);
    snprintf(value, sizeof value, "%.3f ms", 1e3 * length_of(b));
    atn_report_html_bar(f, name, value, parts, 2, most);
}

static int collect(const atn_job_facts *j, bar bars[ATN_OPERATIONS], double *most_p)
{
    int n = 0;
    for (int i = 0; i < j->nrows; i++) {
        const atn_job_row *const row = &j->rows[i];
        *(row->reason.why == ATN_WHY_SERVED ? &bars[row->op].served : &bars[row->op].native) +=
            row->seconds;
    }
    for (int op = 0; op < ATN_OPERATIONS; op++) {
        n += length_of(&bars[op]) > 0;
        *most_p = length_of(&bars[op]) > *most_p ? length_of(&bars[op]) : *most_p;
    }
    return n;
}

/* The longest first; each is taken once. */
static void draw_bars(FILE *f, const atn_job_facts *j)
{
    static const atn_html_key keys[] = {{"attune", "served by Attune"}, {"native", "native"}};
    bar bars[ATN_OPERATIONS] = {{0}};
    double most = 0;
    const int n = collect(j, bars, &most);
    if (n == 0) {
        fputs("<p class=\"note\">no collectives were called</p>\n", f);
        return;
    }
    atn_report_html_keys(f, keys, 2);
    atn_report_html_bars_begin(f);
    for (int i = 0; i < n; i++) {
        int next = 0;
        for (int op = 1; op < ATN_OPERATIONS; op++)
            if (length_of(&bars[op]) > length_of(&bars[next]))
                next = op;
        draw_bar(f, atn_sched_operation_get((atn_operation)next)->name, &bars[next], most);
        bars[next] = (bar){0};
    }
    atn_report_html_bars_end(f);
}

/* ---- the table ---- */

/* An empty cell is a figure that was not measured; other tables have none there. */
static void write_table(FILE *f, const atn_job_facts *j)
{
    atn_table t;
    atn_report_job_table(j, true, &t);
    atn_report_html_table(f, "calls", &t, 0);
    fputs(
        "<p class=\"note\">&ndash; : not measured. Calls and times of a row are those of the rank "
        "that spent most time in them.</p>\n",
        f);
    atn_report_table_free(&t);
}

static void begin(FILE *f, const atn_job_facts *j)
{
    const atn_job_outcome o = atn_report_job_outcome(j);
    char about[200], key[96] = "", time_text[32];
    snprintf(about, sizeof about, "%d ranks on %d host%s, %s, %s", j->ranks, j->hosts,
             j->hosts == 1 ? "" : "s", j->mpi, atn_report_job_time(j->seconds, time_text));
    if (o.known)
        snprintf(key, sizeof key, "%s %s",
                 atn_report_job_time(o.gained < 0 ? -o.gained : o.gained, time_text),
                 o.gained < 0 ? "lost" : "saved");
    atn_report_html_begin(f, &(atn_html_page){.kind = "job",
                                              .title = "Report of a job",
                                              .about = about,
                                              .key = key,
                                              .date = (int64_t)time(NULL)});
}

void atn_report_job_html(FILE *f, const atn_job_facts *j)
{
    begin(f, j);
    atn_report_html_section(f, "summary", "Summary");
    list(f, "ul", atn_report_job_summary(j), "");
    atn_report_html_section(f, "time", "Time by operation");
    draw_bars(f, j);
    atn_report_html_section(f, "advice", "Recommendations");
    list(f, "ol", atn_report_job_advice(j), "none");
    atn_report_html_section(f, "calls-of-job", "Calls");
    write_table(f, j);
    atn_report_html_end(f, NULL);
}
