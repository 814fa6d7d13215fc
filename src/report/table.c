/* table.c - the cells of a table, and its writers. */
#include "report/table.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

void atn_report_cell(atn_table *t, const char *format, ...)
{
    va_list args;
    char *text = NULL;
    va_start(args, format);
    const bool printed = vasprintf(&text, format, args) >= 0;
    va_end(args);
    if (!printed || !atn_push(&t->cells, text)) {
        if (printed)
            free(text);
        t->failed = true;
    }
}

void atn_report_table_free(atn_table *t)
{
    for (int i = 0; i < t->cells.n; i++)
        free(t->cells.v[i]);
    atn_vec_free(&t->cells);
}

static const char *cell(const atn_table *t, int row, int column)
{
    return t->cells.v[row * t->ncolumns + column];
}

static int rows(const atn_table *t) { return t->cells.n / t->ncolumns; }

/* ---- aligned text ---- */

/* Columns on a screen: bytes that continue a UTF-8 character take none. */
static int width_of(const char *text)
{
    int n = 0;
    for (; *text; text++)
        n += ((unsigned char)*text & 0xC0) != 0x80;
    return n;
}

static const char *shown(const char *text) { return *text ? text : "-"; }

static int column_width(const atn_table *t, int column)
{
    int width = width_of(t->columns[column].name);
    for (int r = 0; r < rows(t); r++)
        width = atn_max(width, width_of(shown(cell(t, r, column))));
    return width;
}

static int terminal_width(void)
{
    struct winsize size;
    return ioctl(1, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

/* Puts the last cell of a line, broken between words where it would leave the screen. */
static void put_wrapped(FILE *f, const char *text, int indent, int room)
{
    int used = 0;
    while (*text) {
        const size_t length = strcspn(text, " ");
        const int width = (int)length;
        if (used > 0 && used + 1 + width > room) {
            fprintf(f, "\n%*s", indent, "");
            used = 0;
        }
        used += fprintf(f, "%s%.*s", used ? " " : "", (int)length, text);
        text += length;
        text += strspn(text, " ");
    }
}

typedef struct {
    FILE *f;
    const atn_table *t;
    int *width;
    int room; /* columns left for the last one; 0: never wrap */
} aligned;

static void put_padded(FILE *f, const char *text, int width, bool right)
{
    const int pad = atn_max(0, width - width_of(text));
    fprintf(f, "%*s%s%*s", right ? pad : 0, "", text, right ? 0 : pad, "");
}

/* `texts` holds a cell per column. */
static void put_line(const aligned *a, const char *const *texts)
{
    const int last = a->t->ncolumns - 1;
    int indent = 0;
    for (int c = 0; c <= last; c++) {
        const bool right = a->t->columns[c].type == ATN_CELL_NUMBER;
        if (c < last)
            put_padded(a->f, texts[c], a->width[c], right);
        else if (a->room > 0 && !right)
            put_wrapped(a->f, texts[c], indent, a->room);
        else
            put_padded(a->f, texts[c], right ? a->width[c] : 0, right);
        fputs(c < last ? "  " : "\n", a->f);
        indent += a->width[c] + 2;
    }
}

static int room_for_last(const atn_table *t, const int *width)
{
    int room = terminal_width();
    for (int c = 0; c + 1 < t->ncolumns; c++)
        room -= width[c] + 2;
    return room >= 20 ? room : 0;
}

static void put_heading(const aligned *a, const char *const *texts, bool bold)
{
    fputs(bold ? "\033[1m" : "", a->f);
    put_line(a, texts);
    fputs(bold ? "\033[0m" : "", a->f);
}

static void write_text(FILE *f, const atn_table *t, bool terminal)
{
    int *width = calloc((size_t)t->ncolumns, sizeof *width);
    const char **texts = calloc((size_t)t->ncolumns, sizeof *texts);
    aligned a = {.f = f, .t = t, .width = width};
    for (int c = 0; width && texts && c < t->ncolumns; c++) {
        width[c] = atn_max(column_width(t, c), t->widths ? t->widths[c] : 0);
        texts[c] = t->columns[c].name;
    }
    if (width && texts) {
        a.room = terminal ? room_for_last(t, width) : 0;
        if (!t->headless)
            put_heading(&a, texts, terminal && !getenv("NO_COLOR"));
        for (int r = 0; r < rows(t); r++) {
            for (int c = 0; c < t->ncolumns; c++)
                texts[c] = shown(cell(t, r, c));
            put_line(&a, texts);
        }
    }
    if (width && texts && t->widths)
        memcpy(t->widths, width, (size_t)t->ncolumns * sizeof *width);
    free(width);
    free(texts);
}

/* ---- csv, json, markdown ---- */

static void csv_field(FILE *f, const char *text, const char *end)
{
    const bool quote = text[strcspn(text, ",\"\r\n")] != '\0';
    fputs(quote ? "\"" : "", f);
    for (; *text; text++)
        fprintf(f, *text == '"' ? "\"\"" : "%c", *text);
    fprintf(f, "%s%s", quote ? "\"" : "", end);
}

static void write_csv(FILE *f, const atn_table *t, bool terminal)
{
    (void)terminal;
    for (int r = t->headless ? 0 : -1; r < rows(t); r++)
        for (int c = 0; c < t->ncolumns; c++)
            csv_field(f, r < 0 ? t->columns[c].name : cell(t, r, c),
                      c + 1 < t->ncolumns ? "," : "\n");
}

void atn_report_cell_json(atn_json *j, const atn_column *column, const char *text)
{
    const bool value = column->type == ATN_CELL_VALUE;
    if (column->type == ATN_CELL_NUMBER || (value && atn_report_json_is_number(text)))
        atn_report_json_number(j, column->name, text);
    else
        atn_report_json_text(j, column->name, value && *text == '\0' ? NULL : text);
}

void atn_report_table_json(atn_json *j, const char *key, const atn_table *t)
{
    atn_report_json_open(j, key, '[');
    for (int r = 0; r < rows(t); r++) {
        atn_report_json_open(j, NULL, '{');
        for (int c = 0; c < t->ncolumns; c++)
            atn_report_cell_json(j, &t->columns[c], cell(t, r, c));
        atn_report_json_close(j, '}');
    }
    atn_report_json_close(j, ']');
}

static void write_json(FILE *f, const atn_table *t, bool terminal)
{
    (void)terminal;
    atn_json j = {.f = f};
    atn_report_table_json(&j, NULL, t);
}

static void markdown_field(FILE *f, const char *text)
{
    fputs("| ", f);
    for (; *text; text++)
        fprintf(f, *text == '|' ? "\\|" : *text == '\n' ? "<br>" : "%c", *text);
    fputc(' ', f);
}

static void markdown_heading(FILE *f, const atn_table *t)
{
    for (int c = 0; c < t->ncolumns; c++)
        markdown_field(f, t->columns[c].name);
    fputs("|\n", f);
    for (int c = 0; c < t->ncolumns; c++)
        fputs(t->columns[c].type == ATN_CELL_NUMBER ? "|---:" : "|---", f);
    fputs("|\n", f);
}

static void write_markdown(FILE *f, const atn_table *t, bool terminal)
{
    (void)terminal;
    if (!t->headless)
        markdown_heading(f, t);
    for (int r = 0; r < rows(t); r++) {
        for (int c = 0; c < t->ncolumns; c++)
            markdown_field(f, cell(t, r, c));
        fputs("|\n", f);
    }
}

/* ---- choosing one ---- */

const char *const atn_report_table_formats[] = {"table", "csv", "json", "markdown", NULL};
static void (*const writers[])(FILE *, const atn_table *, bool) = {write_text, write_csv,
                                                                   write_json, write_markdown};

atn_status atn_report_table_write(FILE *f, const atn_table *t, const char *format, bool terminal,
                                  atn_error *err)
{
    if (t->failed)
        return atn_fail(err, ATN_MEMORY, "out of memory");
    for (int i = 0; atn_report_table_formats[i]; i++)
        if (strcmp(atn_report_table_formats[i], format) == 0) {
            writers[i](f, t, terminal);
            return ATN_OK;
        }
    return atn_fail(err, ATN_USAGE, "a table cannot be written as '%s'", format);
}
