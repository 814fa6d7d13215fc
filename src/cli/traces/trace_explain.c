/* trace_explain.c - what Attune would do for the longest classes of calls of a trace: the output of
 * `attune explain` if there is a machine file, else its command lines. */
#include <stdlib.h>
#include <string.h>

#include "cli/capture.h"
#include "cli/forecast.h"
#include "cli/sampling.h"
#include "cli/traces/trace_page.h"

enum { LONGEST = 5 };

/* A problem, and the time of the collectives that are one. */
typedef struct {
    char text[ATN_TRACE_PROBLEM];
    double seconds;
} problem;

/* Shares of several communicators may be the same problem. */
static int find_problems(const atn_trace_view *v, problem list[LONGEST])
{
    int n = 0;
    for (int i = 0; i < v->shares.v.n; i++) {
        problem p = {.seconds = v->shares.v.v[i].seconds};
        int k = 0;
        if (!atn_cli_trace_problem(&v->shares.v.v[i], p.text))
            continue;
        while (k < n && strcmp(list[k].text, p.text) != 0)
            k++;
        if (k < n)
            list[k].seconds += p.seconds;
        else if (n < LONGEST)
            list[n++] = p;
    }
    return n;
}

/* The output of the command; NULL: it does not support the problem, or there is no memory. */
static char *explain(const problem *p, const char *machine)
{
    atn_words words = {0};
    char *text = NULL;
    if (atn_cli_words_add(&words, p->text) && atn_cli_words_option(&words, "top", "5") &&
        atn_cli_words_option(&words, "machine", machine))
        text = atn_cli_capture(&atn_cmd_explain, &words);
    atn_cli_words_free(&words);
    return text;
}

static void put_problem(FILE *f, const atn_trace_view *v, const problem *p)
{
    char time[32];
    char *const text = v->machine != NULL ? explain(p, v->machine) : NULL;
    fprintf(f, text != NULL ? "<details><summary>" : "<p>");
    fprintf(f, "<code>attune explain %s", p->text);
    if (v->machine != NULL) {
        fputs(" --machine ", f);
        atn_report_html_text(f, v->machine);
    }
    fprintf(f, "</code> <span class=\"note\">%s, %.1f %% of the time of collectives</span>%s\n",
            atn_cli_forecast_time(p->seconds, time), 100 * p->seconds / v->shares.seconds,
            text != NULL ? "</summary>" : "</p>");
    if (text != NULL) {
        fputs("<pre>", f);
        atn_report_html_text(f, text);
        fputs("</pre></details>\n", f);
    }
    free(text);
}

void atn_cli_trace_put_explained(FILE *f, const atn_trace_view *v)
{
    problem list[LONGEST];
    const int n = find_problems(v, list);
    if (n == 0)
        return;
    atn_report_html_section(f, "explain", "What Attune would do");
    fputs("<p class=\"note\">", f);
    atn_report_html_sentence(
        f, v->machine != NULL
               ? "Algorithms ranked by predicted time on this machine, for the calls that took "
                 "longest."
               : "These commands rank the algorithms for the calls that took longest. Add "
                 "`--machine FILE` of `attune measure` or `attune calibrate` to the command that "
                 "wrote this page, and it contains the results.");
    fputs("</p>\n", f);
    for (int i = 0; i < n; i++)
        put_problem(f, v, &list[i]);
}
