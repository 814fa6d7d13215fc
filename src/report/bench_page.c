/* bench_page.c - see bench_page.h. */
#include "report/bench_page.h"

#include <string.h>
#include <time.h>

#include "report/html.h"

/* ---- verdicts ---- */

typedef enum { FASTER, SLOWER, UNCERTAIN, NONE } verdict;
static const struct {
    const char *word, *class;
} verdicts[] = {
    {"faster", "faster"}, {"slower", "slower"}, {"no difference shown", "none"}, {"", ""}};

/* A ratio whose interval includes 1 is no evidence of a difference. */
static verdict verdict_of(const atn_bench_row *r)
{
    if (strcmp(r->variant, "native") == 0 || r->vs_native.mid <= 0)
        return NONE;
    if (r->vs_native.hi < 1)
        return FASTER;
    return r->vs_native.lo > 1 ? SLOWER : UNCERTAIN;
}

/* The control is native itself, and is expected to include 1. */
static bool is_compared(const atn_bench_row *r)
{
    return verdict_of(r) != NONE && strcmp(r->variant, "control") != 0;
}

static void put_warning(FILE *f, const atn_bench_rows *rows)
{
    int compared = 0, uncertain = 0;
    for (int i = 0; i < rows->n; i++) {
        compared += is_compared(&rows->v[i]);
        uncertain += is_compared(&rows->v[i]) && verdict_of(&rows->v[i]) == UNCERTAIN;
    }
    if (uncertain > 0)
        fprintf(f,
                "<p class=\"problem\">%d of %d comparisons with native have a 95 %% interval that "
                "includes 1: they show no difference. More rounds (<code>--seconds</code>) make "
                "intervals narrower.</p>\n",
                uncertain, compared);
}

static const atn_bench_row *best_of(const atn_bench_rows *rows)
{
    const atn_bench_row *best = NULL;
    for (int i = 0; i < rows->n; i++) {
        const atn_bench_row *const r = &rows->v[i];
        if (is_compared(r) && verdict_of(r) == FASTER && r->trust == ATN_TRUST_YES &&
            (best == NULL || r->vs_native.mid < best->vs_native.mid))
            best = r;
    }
    return best;
}

/* ---- the table ---- */

static void put_word(FILE *f, const char *text)
{
    fputs("<td class=\"w\">", f);
    atn_report_html_text(f, text);
    fputs("</td>", f);
}

/* Three significant digits, also of small ratios. */
static void put_ratio(FILE *f, double v)
{
    if (v > 0)
        fprintf(f, "<td>%.*f</td>", v >= 0.995 ? 2 : v >= 0.0995 ? 3 : 4, v);
    else
        fputs("<td class=\"none\">&ndash;</td>", f);
}

static void put_row(FILE *f, const atn_bench_row *r)
{
    char size[32], mid[32], interval[64];
    const verdict v = verdict_of(r);
    atn_report_bench_time(r->time_s, mid, interval);
    fprintf(f, "<tr class=\"%s%s\">", strcmp(r->variant, "best") == 0 ? "best" : "row",
            r->trust == ATN_TRUST_YES ? "" : " doubtful");
    put_word(f, r->task->operation);
    fprintf(f, "<td>%s</td>", atn_format_size(r->task->bytes, size));
    put_word(f, r->variant);
    fprintf(f, "<td>%s</td><td>%s</td>", mid, interval);
    put_ratio(f, r->vs_native.mid);
    if (v != NONE)
        fprintf(f, "<td>%.3f .. %.3f</td>", r->vs_native.lo, r->vs_native.hi);
    else
        fputs("<td class=\"none\">&ndash;</td>", f);
    fprintf(f, "<td class=\"w %s\">%s</td>", is_compared(r) ? verdicts[v].class : "none",
            is_compared(r) ? verdicts[v].word : "");
    put_ratio(f, r->vs_bound);
    fprintf(f, "<td>%d</td>", r->samples);
    put_word(f, atn_report_trust_words[r->trust]);
    put_word(f, r->algorithm);
    fputs("</tr>\n", f);
}

static void put_table(FILE *f, const atn_bench_rows *rows)
{
    fputs("<div class=\"scroll\"><table class=\"sorted\" id=\"bench\"><thead>\n"
          "<tr><th class=\"w\">operation</th><th>bytes</th><th class=\"w\">variant</th>"
          "<th>time</th><th>95 % interval</th><th>vs native</th><th>95 % interval</th>"
          "<th class=\"w\">verdict</th><th>vs bound</th><th>calls</th>"
          "<th class=\"w\">trusted</th><th class=\"w\">algorithm</th></tr></thead><tbody>\n",
          f);
    for (int i = 0; i < rows->n; i++)
        put_row(f, &rows->v[i]);
    fputs("</tbody></table></div>\n", f);
}

/* ---- the page ---- */

void atn_report_bench_page(FILE *f, const atn_plot *p, const atn_samples *s,
                           const atn_bench_rows *rows)
{
    const atn_bench_row *const best = best_of(rows);
    char key[128] = "no variant shown to be faster", about[200], size[32];
    if (best != NULL)
        snprintf(key, sizeof key, "%.3g× as fast as native: %s of %s", 1 / best->vs_native.mid,
                 best->task->operation, atn_format_size(best->task->bytes, size));
    snprintf(about, sizeof about, "%s, medians and 95 %% confidence intervals", s->mpi);
    atn_report_html_begin(f, &(atn_html_page){.kind = "bench",
                                              .title = p->title,
                                              .about = about,
                                              .key = key,
                                              .date = (int64_t)time(NULL)});
    put_warning(f, rows);
    atn_report_html_section(f, "plot", "Time against size");
    fputs("<div class=\"scroll\">\n", f);
    atn_report_plot_write(f, p);
    fputs("</div>\n", f);
    atn_report_html_section(f, "table", "All variants");
    put_table(f, rows);
    atn_report_bench_put_noise(f, "<p>", rows);
    atn_report_html_end(f, NULL);
}
