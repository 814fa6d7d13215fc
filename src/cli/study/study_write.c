/* study_write.c - results of studies as text, as pictures and as a page. */
#include <stdlib.h>
#include <string.h>

#include "cli/study/study.h"
#include "report/table.h"

const char *const atn_cli_study_formats[] = {"table", "csv", "json", "markdown", NULL};

/* ---- lists: csv, json ---- */

static const char *text_of(const char *text) { return text != NULL ? text : ""; }

static void add_cell(atn_table *t, const atn_study_result *r, const atn_study_item *item,
                     const atn_sheet_cell *c)
{
    atn_report_cell(t, "%s", r->study->document);
    atn_report_cell(t, "%s", item->name);
    atn_report_cell(t, "%s", item->sheet.rows.v[c->row]);
    atn_report_cell(t, "%s", item->sheet.columns.v[c->column]);
    atn_report_cell(t, "%s", text_of(c->ours));
    atn_report_cell(t, "%s", text_of(c->published));
}

static void add_remark(atn_table *t, const atn_study_result *r, const char *text)
{
    const char *const words[] = {r->study->document, "remark", "", "", text, ""};
    for (int i = 0; i < 6; i++)
        atn_report_cell(t, "%s", words[i]);
}

static atn_status write_list(FILE *f, const atn_study_result *r, const char *format, atn_error *err)
{
    static const atn_column columns[] = {
        {"document", ATN_CELL_TEXT}, {"item", ATN_CELL_TEXT},  {"row", ATN_CELL_TEXT},
        {"column", ATN_CELL_TEXT},   {"ours", ATN_CELL_VALUE}, {"published", ATN_CELL_VALUE},
    };
    atn_table t = {.columns = columns, .ncolumns = 6};
    for (int i = 0; i < r->items.n; i++)
        for (int k = 0; k < r->items.v[i].sheet.cells.n; k++)
            add_cell(&t, r, &r->items.v[i], &r->items.v[i].sheet.cells.v[k]);
    for (int i = 0; i < r->remarks.n; i++)
        add_remark(&t, r, r->remarks.v[i]);
    const atn_status st = atn_report_table_write(f, &t, format, false, err);
    atn_report_table_free(&t);
    return st;
}

/* ---- text ---- */

/* "24 of 30 published values agree within 5 %." */
static void write_agreement(FILE *f, const atn_study_result *r)
{
    int both, agree;
    atn_cli_study_agreement(r, -1, &both, &agree);
    if (both == 0)
        return;
    fprintf(f, "%d of %d published values agree", agree, both);
    if (r->study->share > 0)
        fprintf(f, " within %.4g %%", 100 * r->study->share);
    fputs(".\n", f);
}

static void write_notes(FILE *f, const atn_study_result *r)
{
    int both, agree;
    atn_cli_study_agreement(r, -1, &both, &agree);
    write_agreement(f, r);
    if (both == 0 || agree < both)
        fprintf(f, "%s\n", r->study->why);
    for (int i = 0; i < r->remarks.n; i++)
        fprintf(f, "%s\n", r->remarks.v[i]);
}

static atn_status write_text(FILE *f, const atn_study_result *r, const char *format, bool terminal,
                             atn_error *err)
{
    const bool markdown = strcmp(format, "markdown") == 0;
    atn_status st = ATN_OK;
    for (int i = 0; st == ATN_OK && i < r->items.n; i++) {
        const atn_sheet *const s = &r->items.v[i].sheet;
        fprintf(f, markdown ? "*%s*\n\n" : "%s\n", s->title);
        st = atn_report_sheet_write(f, s, format, terminal, err);
        fputs("\n", f);
    }
    if (st == ATN_OK)
        write_notes(f, r);
    return st;
}

atn_status atn_cli_study_write(FILE *f, const atn_study_result *r, const char *format,
                               bool terminal, atn_error *err)
{
    const bool list = strcmp(format, "csv") == 0 || strcmp(format, "json") == 0;
    return list ? write_list(f, r, format, err) : write_text(f, r, format, terminal, err);
}

void atn_cli_study_draw(FILE *f, const atn_study_result *r)
{
    char title[300];
    atn_sheet *const sheets = calloc((size_t)r->items.n + 1, sizeof *sheets);
    snprintf(title, sizeof title, "%s", r->study->what);
    for (int i = 0; sheets != NULL && i < r->items.n; i++)
        sheets[i] = r->items.v[i].sheet;
    if (sheets != NULL)
        atn_report_sheet_draw(f, title,
                              "filled: computed by Attune; hollow, or in parentheses: published",
                              sheets, r->items.n);
    free(sheets);
}

/* ---- the page of all studies ---- */

static const struct {
    const char *name, *title;
} documents[] = {
#define ATN_DOCUMENT(n, t) {(n), (t)},
#include "cli/study/published.def"
};

static const struct {
    const char *document, *item, *title;
} items[] = {
#define ATN_ITEM(d, i, t, c) {(d), (i), (t)},
#include "cli/study/published.def"
};

static const struct {
    const char *document, *items, *title, *command;
} shown[] = {
#define ATN_SHOWN(d, i, t, c) {(d), (i), (t), (c)},
#include "cli/study/published.def"
};

enum {
    SHOWN = sizeof shown / sizeof *shown,
    DOCUMENTS = sizeof documents / sizeof *documents,
    ITEMS = sizeof items / sizeof *items
};

/* The result that has the item, and its number there; NULL: no study has it. */
static const atn_study_result *result_of(const atn_study_result *all, const char *document,
                                         const char *item, int *number_p)
{
    for (int i = 0; i < atn_cli_study_count; i++)
        for (int k = 0; k < all[i].items.n; k++)
            if (strcmp(all[i].study->document, document) == 0 &&
                strcmp(all[i].items.v[k].name, item) == 0) {
                *number_p = k;
                return &all[i];
            }
    return NULL;
}

static void write_index(FILE *f, const atn_study_result *all, char *const *missing)
{
    fputs("| document | table or figure | command | where | published values that agree |\n"
          "|---|---|---|---|---|\n",
          f);
    for (int i = 0; i < ITEMS; i++) {
        int both = 0, agree = 0, number = 0;
        const atn_study_result *const r = result_of(all, items[i].document, items[i].item, &number);
        fprintf(f, "| %s | %s: %s | ", items[i].document, items[i].item, items[i].title);
        if (r == NULL) {
            fputs("| | |\n", f);
            continue;
        }
        const char *const name = r->study->name;
        atn_cli_study_agreement(r, number, &both, &agree);
        fprintf(f, "[`attune study %s`](#%s) | %s | ", name, name,
                atn_cli_study_places[r->study->place]);
        if (missing[r->study - atn_cli_studies] != NULL)
            fputs("not run |\n", f);
        else if (both == 0)
            fputs("none published |\n", f);
        else
            fprintf(f, "%d of %d |\n", agree, both);
    }
}

/* What needs no study, because another command or benchmark shows it. */
static void write_others(FILE *f)
{
    fputs("\n## Other tables and figures\n"
          "Run these commands in the sources. FOLDER is a trace (`attune trace record -o FOLDER -- "
          "mpirun ...`), SEQUENCE a\ntext of symbols, SAMPLES comes from `attune bench --raw "
          "SAMPLES`, "
          "MACHINE from `attune measure -o MACHINE`. Before `attune\nlab run`, `attune lab up "
          "'16@100M'` starts an emulated cluster.\n\n"
          "| document | tables and figures | content | command |\n|---|---|---|---|\n",
          f);
    for (int i = 0; i < SHOWN; i++)
        fprintf(f, "| %s | %s | %s | `%s` |\n", shown[i].document, shown[i].items, shown[i].title,
                shown[i].command);
}

static atn_status write_section(FILE *f, const atn_study_result *r, const char *why_not,
                                const char *link, atn_error *err)
{
    fprintf(f, "\n### %s\n%s. %s: %s; about %d s.\n\n", r->study->name, r->study->what,
            r->study->document, r->study->items, r->study->seconds);
    if (why_not != NULL) {
        fprintf(f, "Not run: %s.\n", why_not);
        return ATN_OK;
    }
    fprintf(f, "![%s](%s%s.svg)\n\n", r->study->what, link, r->study->name);
    return write_text(f, r, "markdown", false, err);
}

atn_status atn_cli_study_page(FILE *f, const atn_study_result *results, char *const *missing,
                              const char *link, atn_error *err)
{
    atn_status st = ATN_OK;
    fputs(
        "# Studies\n"
        "Tables and figures of the documents that Attune builds on, computed again by `attune "
        "study`. Cells have the\ncomputed value and, in parentheses, the published one; `=` marks "
        "equal values. Figures whose values were not\npublished have none in parentheses. `attune "
        "study all -o FOLDER` computes everything and writes this page. What other commands show "
        "is in the "
        "last\n[table](#other-tables-and-figures).\n\n",
        f);
    write_index(f, results, missing);
    for (int d = 0; d < DOCUMENTS; d++) {
        fprintf(f, "\n## %s\n*%s*\n", documents[d].name, documents[d].title);
        for (int i = 0; st == ATN_OK && i < atn_cli_study_count; i++)
            if (strcmp(results[i].study->document, documents[d].name) == 0)
                st = write_section(f, &results[i], missing[i], link, err);
    }
    write_others(f);
    return st;
}
