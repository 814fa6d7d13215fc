/* html.c - see html.h. */
#include "report/html.h"

#include <stdarg.h>
#include <string.h>
#include <time.h>

extern const char atn_report_page_css[], atn_report_page_js[];

/* ---- text ---- */

static void put_escaped(FILE *f, const char *text, size_t n)
{
    static const struct {
        char c;
        const char *entity;
    } entities[] = {{'<', "&lt;"}, {'>', "&gt;"}, {'&', "&amp;"}, {'"', "&quot;"}};
    for (size_t i = 0; i < n; i++) {
        const char *entity = NULL;
        for (size_t k = 0; k < sizeof entities / sizeof *entities; k++)
            entity = text[i] == entities[k].c ? entities[k].entity : entity;
        if (entity != NULL)
            fputs(entity, f);
        else
            fputc(text[i], f);
    }
}

void atn_report_html_text(FILE *f, const char *text) { put_escaped(f, text, strlen(text)); }

void atn_report_html_sentence(FILE *f, const char *text)
{
    for (bool inside = false; *text != '\0'; inside = !inside) {
        const size_t n = strcspn(text, "`");
        fputs(inside ? "<code>" : "", f);
        put_escaped(f, text, n);
        fputs(inside ? "</code>" : "", f);
        text += n + (text[n] != '\0');
    }
}

const char *atn_report_html_date(int64_t seconds, char out[32])
{
    const time_t when = (time_t)seconds;
    struct tm parts;
    *out = '\0';
    if (seconds > 0 && gmtime_r(&when, &parts) != NULL)
        strftime(out, 32, "%Y-%m-%d %H:%M UTC", &parts);
    return out;
}

void atn_report_html_base64(FILE *f, const uint8_t *v, int n)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (int i = 0; i < n; i += 3) {
        const uint32_t b1 = i + 1 < n ? v[i + 1] : 0, b2 = i + 2 < n ? v[i + 2] : 0;
        const uint32_t bits = (uint32_t)v[i] << 16 | b1 << 8 | b2;
        const char four[4] = {digits[bits >> 18], digits[bits >> 12 & 63],
                              i + 1 < n ? digits[bits >> 6 & 63] : '=',
                              i + 2 < n ? digits[bits & 63] : '='};
        fwrite(four, 1, 4, f);
    }
}

/* ---- the frame ---- */

static void put_meta(FILE *f, const char *name, const char *content)
{
    fprintf(f, "<meta name=\"attune:%s\" content=\"", name);
    atn_report_html_text(f, content);
    fputs("\">\n", f);
}

static void put_header(FILE *f, const atn_html_page *p, const char *date)
{
    fprintf(f, "<header>\n<div class=\"kind\"><b>attune</b> %s</div>\n<h1>", p->kind);
    atn_report_html_text(f, p->title);
    fputs("</h1>\n<div class=\"about\">", f);
    atn_report_html_text(f, p->about);
    if (*date != '\0')
        fprintf(f, "%s%s", *p->about != '\0' ? " · " : "", date);
    fputs("</div>\n<nav aria-label=\"Sections\"></nav>\n</header>\n<main>\n", f);
}

void atn_report_html_begin(FILE *f, const atn_html_page *p)
{
    char date[32];
    atn_report_html_date(p->date, date);
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n",
          f);
    put_meta(f, "kind", p->kind);
    put_meta(f, "date", date);
    put_meta(f, "key", p->key);
    fputs("<title>", f);
    atn_report_html_text(f, p->title);
    fprintf(f, "</title>\n<style>\n%s%s</style>\n</head>\n<body>\n", atn_report_page_css,
            p->style != NULL ? p->style : "");
    put_header(f, p, date);
}

void atn_report_html_end(FILE *f, const char *script)
{
    fprintf(f, "</main>\n<script>\n%s</script>\n", atn_report_page_js);
    if (script != NULL)
        fprintf(f, "<script>\n%s</script>\n", script);
    fputs("</body>\n</html>\n", f);
}

void atn_report_html_section(FILE *f, const char *id, const char *title)
{
    fprintf(f, "<h2 id=\"%s\">", id);
    atn_report_html_text(f, title);
    fputs("</h2>\n", f);
}

void atn_report_html_tile(FILE *f, const char *what, const char *format, ...)
{
    char text[128];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    fputs("<div class=\"tile\"><b>", f);
    atn_report_html_text(f, text);
    fputs("</b><span>", f);
    atn_report_html_text(f, what);
    fputs("</span></div>\n", f);
}

/* ---- bars ---- */

void atn_report_html_bars_begin(FILE *f) { fputs("<div class=\"bars\">\n", f); }
void atn_report_html_bars_end(FILE *f) { fputs("</div>\n", f); }

static void put_part(FILE *f, const atn_html_part *p, double most)
{
    if (!(p->value > 0) || !(most > 0))
        return;
    fprintf(f, "<i class=\"%s\" style=\"width:%.2f%%\" title=\"", p->class, 100 * p->value / most);
    atn_report_html_text(f, p->title);
    fputs("\"></i>", f);
}

void atn_report_html_bar(FILE *f, const char *name, const char *value, const atn_html_part *parts,
                         int nparts, double most)
{
    fputs("<span class=\"name\">", f);
    atn_report_html_text(f, name);
    fprintf(f, "</span><span class=\"time\">%s</span><span class=\"bar\">", value);
    for (int i = 0; i < nparts; i++)
        put_part(f, &parts[i], most);
    fputs("</span>\n", f);
}

void atn_report_html_count(FILE *f, const char *name, int64_t count, int64_t second, int64_t most)
{
    char value[64];
    const atn_html_part parts[] = {{.class = "b0", .value = (double)count},
                                   {.class = "b2", .value = (double)second}};
    snprintf(value, sizeof value, "%lld", (long long)count + second);
    atn_report_html_bar(f, name, value, parts, 2, (double)most);
}

void atn_report_html_keys(FILE *f, const atn_html_key *keys, int n)
{
    fputs("<div class=\"keys\">", f);
    for (int i = 0; i < n; i++)
        fprintf(f, "<span><span class=\"key %s\"></span>%s</span>", keys[i].class, keys[i].name);
    fputs("</div>\n", f);
}

/* ---- tables ---- */

enum { LONG_CELL = 60, WORDS = 24 }; /* characters; longer ones are wrapped, words between blanks */

static const char *class_of(const char *text)
{
    const size_t n = strlen(text);
    return n > LONG_CELL ? "w long" : n > WORDS && strchr(text, ' ') != NULL ? "w words" : "w";
}

static void put_cell(FILE *f, const atn_table *t, int column, const char *text)
{
    const bool words = t->columns[column].type != ATN_CELL_NUMBER;
    if (!words && *text == '\0') {
        fputs("<td class=\"none\">&ndash;</td>", f); /* there is no such number */
        return;
    }
    if (words)
        fprintf(f, "<td class=\"%s\">", class_of(text));
    else
        fputs("<td>", f);
    atn_report_html_text(f, text);
    fputs("</td>", f);
}

void atn_report_html_table(FILE *f, const char *id, const atn_table *t, int most)
{
    const int rows = t->cells.n / t->ncolumns;
    const int shown = most > 0 ? atn_min(rows, most) : rows;
    fprintf(f, "<div class=\"scroll\"><table class=\"sorted\" id=\"%s\"><thead><tr>", id);
    for (int i = 0; i < t->ncolumns; i++)
        fprintf(f, "<th%s>%s</th>", t->columns[i].type != ATN_CELL_NUMBER ? " class=\"w\"" : "",
                t->columns[i].name);
    fputs("</tr></thead><tbody>\n", f);
    for (int i = 0; i < shown; i++) {
        fputs("<tr>", f);
        for (int k = 0; k < t->ncolumns; k++)
            put_cell(f, t, k, t->cells.v[i * t->ncolumns + k]);
        fputs("</tr>\n", f);
    }
    fputs("</tbody></table></div>\n", f);
    if (rows > shown)
        fprintf(f, "<p class=\"note\">The first %d of %d rows.</p>\n", shown, rows);
}

void atn_report_html_folded(FILE *f, const char *id, const char *title, const atn_table *t,
                            int most)
{
    fputs("<details><summary>", f);
    atn_report_html_text(f, title);
    fputs("</summary>\n", f);
    atn_report_html_table(f, id, t, most);
    fputs("</details>\n", f);
}
