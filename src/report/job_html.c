/* job_html.c - the report of a job as one page: summary, a bar per operation, the table, advice. */
#include <string.h>

#include "report/job.h"

static const char head[] =
    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
    "<title>attune report</title>\n<style>\n"
    ":root{color-scheme:light "
    "dark;--attune:#0969da;--native:#bc4c00;--quiet:#656d76;--line:#8884}\n"
    "@media (prefers-color-scheme:dark){"
    ":root{--attune:#58a6ff;--native:#f0883e;--quiet:#9198a1}}\n"
    "body{font:14px/1.5 system-ui,-apple-system,'Segoe UI','DejaVu Sans',sans-serif;"
    "max-width:1060px;margin:2em auto;padding:0 1em}\n"
    "h1{font-size:20px}h2{font-size:16px;margin-top:2em}\n"
    "ul,ol{padding-left:1.4em;max-width:75ch}\n"
    ".attune{background:var(--attune)}.native{background:var(--native)}\n"
    ".note,.none{color:var(--quiet)}\n"
    ".bars,table{font-variant-numeric:tabular-nums}\n"
    ".bars{display:grid;grid-template-columns:max-content 1fr max-content;gap:.3em .8em;"
    "align-items:center}\n"
    ".bars .name{text-align:right}\n"
    ".bars .time{text-align:right}\n"
    ".bar{display:flex;height:1.2em}\n"
    ".key{display:inline-block;width:.8em;height:.8em;margin:0 .4em 0 "
    "0}.key~.key{margin-left:1.2em}\n"
    "code{white-space:nowrap}.scroll{overflow-x:auto}\n"
    "table{border-collapse:collapse}\n"
    "td,th{padding:.25em .7em;text-align:right;border-bottom:1px solid var(--line);"
    "white-space:nowrap}\n"
    "td.w,th.w{text-align:left}\n"
    "</style>\n</head>\n<body>\n<h1>attune report</h1>\n";

static void put_escaped(FILE *f, const char *text, size_t n)
{
    for (size_t i = 0; i < n; i++)
        fprintf(f, text[i] == '<' ? "&lt;" : text[i] == '&' ? "&amp;" : "%c", text[i]);
}

/* Words between ` and ` are commands. */
static void put_sentence(FILE *f, const char *text)
{
    for (bool inside = false; *text != '\0'; inside = !inside) {
        const size_t n = strcspn(text, "`");
        fputs(inside ? "<code>" : "", f);
        put_escaped(f, text, n);
        fputs(inside ? "</code>" : "", f);
        text += n + (text[n] != '\0');
    }
}

static void list(FILE *f, const char *tag, char **lines, const char *otherwise)
{
    const bool any = lines != NULL && lines[0] != NULL;
    if (any)
        fprintf(f, "<%s>\n", tag);
    else
        fprintf(f, "<p class=\"note\">%s</p>\n", otherwise);
    for (int i = 0; any && lines[i] != NULL; i++) {
        fputs("<li>", f);
        put_sentence(f, lines[i]);
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

static void draw_part(FILE *f, const char *class, double seconds, double most)
{
    if (seconds > 0)
        fprintf(f, "<i class=\"%s\" style=\"width:%.2f%%\"></i>", class, 100 * seconds / most);
}

static void draw_bar(FILE *f, const char *name, const bar *b, double most)
{
    fprintf(f,
            "<span class=\"name\">%s</span><span class=\"bar\" "
            "title=\"served by Attune: %.3f ms, native: %.3f ms\">",
            name, 1e3 * b->served, 1e3 * b->native);
    draw_part(f, "attune", b->served, most);
    draw_part(f, "native", b->native, most);
    fprintf(f, "</span><span class=\"time note\">%.3f ms</span>\n", 1e3 * length_of(b));
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
    bar bars[ATN_OPERATIONS] = {{0}};
    double most = 0;
    const int n = collect(j, bars, &most);
    if (n == 0) {
        fputs("<p class=\"note\">no collectives were called</p>\n", f);
        return;
    }
    fputs("<p class=\"note\"><span class=\"key attune\"></span>served by Attune"
          "<span class=\"key native\"></span>native</p>\n<div class=\"bars\">\n",
          f);
    for (int i = 0; i < n; i++) {
        int next = 0;
        for (int op = 1; op < ATN_OPERATIONS; op++)
            if (length_of(&bars[op]) > length_of(&bars[next]))
                next = op;
        draw_bar(f, atn_sched_operation_get((atn_operation)next)->name, &bars[next], most);
        bars[next] = (bar){0};
    }
    fputs("</div>\n", f);
}

/* ---- the table ---- */

static const char *align(const atn_table *t, int column)
{
    return t->columns[column].type == ATN_CELL_TEXT ? " class=\"w\"" : "";
}

static bool is_measurement(const atn_table *t, int column)
{
    return strncmp(t->columns[column].name, "saved", 5) == 0 ||
           strcmp(t->columns[column].name, "native_us") == 0;
}

static void write_cell(FILE *f, const atn_table *t, int i)
{
    const int column = i % t->ncolumns;
    if (*t->cells.v[i] == '\0' && is_measurement(t, column)) {
        fputs("<td class=\"none\" title=\"not measured\">&ndash;</td>", f);
        return;
    }
    fprintf(f, "<td%s>", align(t, column));
    put_escaped(f, t->cells.v[i], strlen(t->cells.v[i]));
    fputs("</td>", f);
}

static void write_table(FILE *f, const atn_job_facts *j)
{
    atn_table t;
    atn_report_job_table(j, true, &t);
    fputs("<div class=\"scroll\"><table id=\"calls\">\n<tr>", f);
    for (int c = 0; c < t.ncolumns; c++)
        fprintf(f, "<th%s>%s</th>", align(&t, c), t.columns[c].name);
    fputs("</tr>\n", f);
    for (int i = 0; i < t.cells.n; i++) {
        fputs(i % t.ncolumns == 0 ? "<tr>" : "", f);
        write_cell(f, &t, i);
        fputs(i % t.ncolumns == t.ncolumns - 1 ? "</tr>\n" : "", f);
    }
    fputs("</table></div>\n<p class=\"note\">&ndash; : not measured. Calls and times of a row are "
          "those "
          "of the rank that spent most time in them.</p>\n",
          f);
    atn_report_table_free(&t);
}

void atn_report_job_html(FILE *f, const atn_job_facts *j)
{
    fputs(head, f);
    list(f, "ul", atn_report_job_summary(j), "");
    fputs("<h2>Time by operation</h2>\n", f);
    draw_bars(f, j);
    fputs("<h2>Recommendations</h2>\n", f);
    list(f, "ol", atn_report_job_advice(j), "none");
    fputs("<h2>Calls</h2>\n", f);
    write_table(f, j);
    fputs("</body>\n</html>\n", f);
}
