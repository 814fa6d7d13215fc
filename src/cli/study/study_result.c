/* study_result.c - the values of a study, beside the published ones. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cli/study/study.h"

/* ---- what is published ---- */

typedef struct {
    const char *document, *item, *title, *columns; /* of an item */
    const char *row, *values;                      /* of an entry */
} line;

static const line published[] = {
#define ATN_ITEM(d, i, t, c) {.document = (d), .item = (i), .title = (t), .columns = (c)},
#define ATN_ENTRY(r, v)      {.row = (r), .values = (v)},
#include "cli/study/published.def"
};
enum { LINES = sizeof published / sizeof *published };

/* The next part of a text between bars, copied to `out`; false: the end. */
static bool next_part(const char **text, char out[200])
{
    const char *const at = *text;
    if (at == NULL)
        return false;
    const size_t n = strcspn(at, "|");
    snprintf(out, 200, "%.*s", (int)n, at);
    *text = at[n] == '|' ? at + n + 1 : NULL;
    return true;
}

static bool add_entry(atn_sheet *s, const char *columns, const line *entry)
{
    char column[200], value[200];
    const char *values = entry->values;
    bool ok = true;
    while (ok && next_part(&values, value) && next_part(&columns, column))
        ok = value[0] == '\0' || atn_report_sheet_put(s, entry->row, column, value, true);
    return ok;
}

static bool add_columns(atn_sheet *s, const char *columns)
{
    char column[200];
    bool ok = true;
    while (ok && next_part(&columns, column))
        ok = column[0] == '\0' || atn_report_sheet_column(s, column);
    return ok;
}

static bool add_item(atn_study_result *r, int at)
{
    const line *const x = &published[at];
    atn_study_item item = {.name = x->item};
    snprintf(item.title, sizeof item.title, "%s (%s): %s", x->item, x->document, x->title);
    bool ok = add_columns(&item.sheet, x->columns);
    for (int i = at + 1; ok && i < LINES && published[i].row != NULL; i++)
        ok = add_entry(&item.sheet, x->columns, &published[i]);
    if (ok && atn_push(&r->items, item))
        return true;
    atn_report_sheet_free(&item.sheet);
    return false;
}

/* Whether the list "Table 3.1, Table 6.1" has the item. */
static bool is_listed(const char *list, const char *item)
{
    const size_t n = strlen(item);
    for (const char *at = strstr(list, item); at != NULL; at = strstr(at + 1, item))
        if ((at == list || at[-1] == ' ') && (at[n] == '\0' || at[n] == ';'))
            return true;
    return false;
}

atn_status atn_cli_study_begin(const atn_study *study, atn_study_result *r, atn_error *err)
{
    *r = (atn_study_result){.study = study};
    bool ok = true;
    for (int i = 0; ok && i < LINES; i++)
        if (published[i].item != NULL && strcmp(published[i].document, study->document) == 0 &&
            is_listed(study->items, published[i].item))
            ok = add_item(r, i);
    for (int i = 0; i < r->items.n; i++) /* the titles do not move any more */
        r->items.v[i].sheet.title = r->items.v[i].title;
    return ok ? ATN_OK : atn_fail(err, ATN_MEMORY, "out of memory");
}

void atn_cli_study_end(atn_study_result *r)
{
    for (int i = 0; i < r->items.n; i++)
        atn_report_sheet_free(&r->items.v[i].sheet);
    for (int i = 0; i < r->remarks.n; i++)
        free(r->remarks.v[i]);
    atn_vec_free(&r->items);
    atn_vec_free(&r->remarks);
}

/* ---- what is computed ---- */

static atn_study_item *item_of(atn_study_result *r, const char *name)
{
    for (int i = 0; i < r->items.n; i++)
        if (strcmp(r->items.v[i].name, name) == 0)
            return &r->items.v[i];
    return NULL;
}

bool atn_cli_study_put(atn_study_result *r, const char *item, const char *row, const char *column,
                       const char *format, ...)
{
    char value[200];
    va_list args;
    va_start(args, format);
    vsnprintf(value, sizeof value, format, args);
    va_end(args);
    atn_study_item *const to = item_of(r, item);
    return to != NULL && atn_report_sheet_put(&to->sheet, row, column, value, false);
}

bool atn_cli_study_remark(atn_study_result *r, const char *format, ...)
{
    char *text = NULL;
    va_list args;
    va_start(args, format);
    const int n = vasprintf(&text, format, args);
    va_end(args);
    if (n >= 0 && atn_push(&r->remarks, text))
        return true;
    free(n >= 0 ? text : NULL);
    return false;
}

void atn_cli_study_agreement(const atn_study_result *r, int item, int *both_p, int *agree_p)
{
    *both_p = *agree_p = 0;
    for (int i = item < 0 ? 0 : item; i < (item < 0 ? r->items.n : item + 1); i++)
        for (int k = 0; k < r->items.v[i].sheet.cells.n; k++) {
            const atn_sheet_cell *const c = &r->items.v[i].sheet.cells.v[k];
            if (c->ours == NULL || c->published == NULL)
                continue;
            ++*both_p;
            *agree_p += atn_report_sheet_agrees(c, r->study->share);
        }
}

static atn_status take_words(atn_study_result *r, char *const word[4], atn_error *err)
{
    if (item_of(r, word[0]) == NULL)
        return atn_fail(err, ATN_INPUT,
                        "%s: unknown item \"%s\"; a study has the items of its row: %s",
                        r->study->name, word[0], r->study->items);
    return atn_cli_study_put(r, word[0], word[1], word[2], "%s", word[3])
               ? ATN_OK
               : atn_fail(err, ATN_MEMORY, "out of memory");
}

atn_status atn_cli_study_take(atn_study_result *r, const char *text, atn_error *err)
{
    char copy[2000], *word[4], *rest = copy;
    int n = 0;
    if (text[0] == '\0')
        return ATN_OK;
    if (text[0] == '#')
        return atn_cli_study_remark(r, "%s", text + 1 + strspn(text + 1, " "))
                   ? ATN_OK
                   : atn_fail(err, ATN_MEMORY, "out of memory");
    snprintf(copy, sizeof copy, "%s", text);
    while (n < 4 && rest != NULL)
        word[n++] = strsep(&rest, "\t");
    if (n < 4 || rest != NULL)
        return atn_fail(err, ATN_INPUT,
                        "%s: invalid line \"%.100s\"; it must have four words between tabs",
                        r->study->name, text);
    return take_words(r, word, err);
}

/* ---- stored results ---- */

enum { FIELDS = 6 }; /* document, item, row, column, ours, published */

/* Takes a field off a line of CSV, in place. */
static char *next_field(char **text)
{
    char *const from = *text, *to = from, *at = from;
    const bool quoted = at != NULL && *at == '"';
    if (at == NULL)
        return NULL;
    for (at += quoted; *at != '\0' && (quoted || *at != ','); at++) {
        if (quoted && *at == '"' && *++at != '"')
            break;
        *to++ = *at;
    }
    *text = *at == ',' ? at + 1 : NULL;
    *to = '\0';
    return from;
}

static atn_status read_line(atn_study_result *r, const char *path, int number, char *text,
                            atn_error *err)
{
    char *field[FIELDS];
    int n = 0;
    while (n < FIELDS && (field[n] = next_field(&text)) != NULL)
        n++;
    if (n < FIELDS || text != NULL)
        return atn_fail(err, ATN_INPUT,
                        "%s:%d: %d fields; a result has six: document, item, row, column, ours, "
                        "published (attune study %s --format csv)",
                        path, number, n, r->study->name);
    if (strcmp(field[1], "remark") == 0)
        return atn_cli_study_remark(r, "%s", field[4]) ? ATN_OK
                                                       : atn_fail(err, ATN_MEMORY, "out of memory");
    if (item_of(r, field[1]) == NULL)
        return atn_fail(err, ATN_INPUT, "%s:%d: unknown item \"%s\"; %s has: %s", path, number,
                        field[1], r->study->name, r->study->items);
    return field[4][0] == '\0' ? ATN_OK : take_words(r, &field[1], err);
}

atn_status atn_cli_study_read(atn_study_result *r, const char *path, atn_error *err)
{
    char *text, *rest, *one;
    atn_status st = atn_read_file(path, &text, NULL, err);
    if (st)
        return st;
    rest = text;
    for (int i = 1; st == ATN_OK && (one = strsep(&rest, "\n")) != NULL; i++)
        if (i > 1 && one[0] != '\0')
            st = read_line(r, path, i, one, err);
    free(text);
    return st;
}
