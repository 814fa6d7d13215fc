/* sheet.c - see sheet.h. */
#include "report/sheet.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/table.h"

/* ---- cells ---- */

/* The number of a name, which is added if it is new; -1: no memory. */
static int number_of(atn_sheet_names *list, const char *name)
{
    for (int i = 0; i < list->n; i++)
        if (strcmp(list->v[i], name) == 0)
            return i;
    char *const copy = strdup(name);
    if (copy != NULL && atn_push(list, copy))
        return list->n - 1;
    free(copy);
    return -1;
}

static atn_sheet_cell *find(const atn_sheet *s, int row, int column)
{
    for (int i = 0; i < s->cells.n; i++)
        if (s->cells.v[i].row == row && s->cells.v[i].column == column)
            return &s->cells.v[i];
    return NULL;
}

const atn_sheet_cell *atn_report_sheet_at(const atn_sheet *s, int row, int column)
{
    return find(s, row, column);
}

bool atn_report_sheet_put(atn_sheet *s, const char *row, const char *column, const char *value,
                          bool published)
{
    const int r = number_of(&s->rows, row), c = number_of(&s->columns, column);
    char *const copy = strdup(value);
    if (r < 0 || c < 0 || copy == NULL ||
        (find(s, r, c) == NULL && !atn_push(&s->cells, (atn_sheet_cell){.row = r, .column = c}))) {
        free(copy);
        return false;
    }
    char **const to = published ? &find(s, r, c)->published : &find(s, r, c)->ours;
    free(*to);
    *to = copy;
    return true;
}

bool atn_report_sheet_column(atn_sheet *s, const char *column)
{
    return number_of(&s->columns, column) >= 0;
}

void atn_report_sheet_free(atn_sheet *s)
{
    for (int i = 0; i < s->rows.n; i++)
        free(s->rows.v[i]);
    for (int i = 0; i < s->columns.n; i++)
        free(s->columns.v[i]);
    for (int i = 0; i < s->cells.n; i++) {
        free(s->cells.v[i].ours);
        free(s->cells.v[i].published);
    }
    atn_vec_free(&s->rows);
    atn_vec_free(&s->columns);
    atn_vec_free(&s->cells);
}

/* ---- comparison ---- */

bool atn_report_sheet_number(const char *text, double *v_p)
{
    char *end;
    if (text == NULL || strchr("+-.0123456789", text[0]) == NULL || text[0] == '\0')
        return false;
    *v_p = strtod(text, &end);
    return end != text && isfinite(*v_p) && (*end == '\0' || *end == ' ');
}

bool atn_report_sheet_agrees(const atn_sheet_cell *c, double share)
{
    double a, b;
    if (strcmp(c->ours, c->published) == 0)
        return true;
    return atn_report_sheet_number(c->ours, &a) && atn_report_sheet_number(c->published, &b) &&
           fabs(a - b) <= share * fmin(fabs(a), fabs(b));
}

/* ---- text ---- */

/* "12 =" (equal), "1488 (1466)", "12" (none published), "- (12)". */
static void write_cell(atn_table *t, const atn_sheet_cell *c)
{
    if (c == NULL)
        atn_report_cell(t, "%s", "");
    else if (c->published == NULL)
        atn_report_cell(t, "%s", c->ours);
    else if (c->ours == NULL)
        atn_report_cell(t, "- (%s)", c->published);
    else if (strcmp(c->ours, c->published) == 0)
        atn_report_cell(t, "%s =", c->ours);
    else
        atn_report_cell(t, "%s (%s)", c->ours, c->published);
}

atn_status atn_report_sheet_write(FILE *f, const atn_sheet *s, const char *format, bool terminal,
                                  atn_error *err)
{
    atn_column *const columns = calloc((size_t)s->columns.n + 1, sizeof *columns);
    if (columns == NULL)
        return atn_fail(err, ATN_MEMORY, "out of memory");
    columns[0].name = " ";
    for (int c = 0; c < s->columns.n; c++)
        columns[c + 1].name = s->columns.v[c];
    atn_table t = {.columns = columns, .ncolumns = s->columns.n + 1};
    for (int r = 0; r < s->rows.n; r++) {
        atn_report_cell(&t, "%s", s->rows.v[r]);
        for (int c = 0; c < s->columns.n; c++)
            write_cell(&t, atn_report_sheet_at(s, r, c));
    }
    const atn_status status = atn_report_table_write(f, &t, format, terminal, err);
    atn_report_table_free(&t);
    free(columns);
    return status;
}
