/* cmd_study.c - attune study: published tables and figures, computed again. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/progress.h"
#include "cli/study/study.h"

/* ---- output ---- */

/* Text that goes to a file or to standard output as a whole. */
typedef struct {
    FILE *f;
    char *text;
    size_t bytes;
} page;

static atn_status open_page(page *p, atn_error *err)
{
    *p = (page){NULL, NULL, 0};
    p->f = atn_open_text(&p->text, &p->bytes);
    return p->f != NULL ? ATN_OK : atn_fail(err, ATN_MEMORY, "out of memory");
}

/* `path` NULL: standard output.  After a failure nothing is written. */
static atn_status close_page(page *p, const char *path, atn_status st, atn_error *err)
{
    if (fclose(p->f) != 0 && st == ATN_OK)
        st = atn_fail(err, ATN_MEMORY, "out of memory");
    if (st == ATN_OK && path != NULL)
        st = atn_write_file(path, p->text, p->bytes, err);
    else if (st == ATN_OK && (fwrite(p->text, 1, p->bytes, stdout) != p->bytes || fflush(stdout)))
        st = atn_fail(err, ATN_ENVIRONMENT, "cannot write to standard output: %s", strerror(errno));
    free(p->text);
    return st;
}

static atn_status save(const atn_study_result *r, const char *format, const char *path,
                       atn_error *err)
{
    page p;
    atn_status st = open_page(&p, err);
    if (st)
        return st;
    const bool terminal = path == NULL && isatty(STDOUT_FILENO);
    return close_page(&p, path, atn_cli_study_write(p.f, r, format, terminal, err), err);
}

static atn_status draw(const atn_study_result *r, const char *path, atn_error *err)
{
    page p;
    atn_status st = open_page(&p, err);
    if (st)
        return st;
    atn_cli_study_draw(p.f, r);
    return close_page(&p, path, ATN_OK, err);
}

/* ---- list ---- */

static void describe(atn_table *t, const atn_study *s)
{
    atn_report_cell(t, "%s", s->name);
    atn_report_cell(t, "%s", s->document);
    atn_report_cell(t, "%s", s->items);
    atn_report_cell(t, "%s", atn_cli_study_places[s->place]);
    atn_report_cell(t, "%d", s->seconds);
    atn_report_cell(t, "%s", s->what);
}

static atn_status list(const atn_args *a, atn_error *err)
{
    static const atn_column columns[] = {
        {"study", ATN_CELL_TEXT}, {"document", ATN_CELL_TEXT},  {"items", ATN_CELL_TEXT},
        {"where", ATN_CELL_TEXT}, {"seconds", ATN_CELL_NUMBER}, {"content", ATN_CELL_TEXT},
    };
    const char *const path = atn_cli_arg_text(a, "output");
    atn_table t = {.columns = columns, .ncolumns = 6};
    page p;
    atn_status st = open_page(&p, err);
    if (st)
        return st;
    for (int i = 0; i < atn_cli_study_count; i++)
        describe(&t, &atn_cli_studies[i]);
    st = atn_report_table_write(p.f, &t, atn_cli_arg_format(a),
                                path == NULL && isatty(STDOUT_FILENO), err);
    atn_report_table_free(&t);
    return close_page(&p, path, st, err);
}

/* ---- one study ---- */

static atn_study_request request_of(const atn_args *a)
{
    return (atn_study_request){.mpi = atn_cli_arg_text(a, "mpi"),
                               .seconds = (int)atn_cli_arg_int(a, "seconds"),
                               .folder = atn_cli_arg_text(a, "folder")};
}

static atn_status unknown(const char *name, atn_error *err)
{
    const char *names[64];
    char offer[ATN_ERROR_ROOM];
    int n = 0;
    for (int i = 0; i < atn_cli_study_count && n < 62; i++)
        names[n++] = atn_cli_studies[i].name;
    names[n++] = "list";
    names[n++] = "all";
    return atn_fail(err, ATN_INPUT, "unknown study \"%s\"; %s", name,
                    atn_offer(name, names, n, offer));
}

static atn_status check_paths(const atn_args *a, atn_error *err)
{
    const char *const paths[] = {atn_cli_arg_text(a, "output"), atn_cli_arg_text(a, "plot")};
    for (int i = 0; i < 2; i++)
        if (paths[i] != NULL && atn_may_write(paths[i], false, err))
            return err->status;
    return ATN_OK;
}

static atn_status one(const atn_args *a, const char *name, atn_error *err)
{
    const atn_study *const s = atn_cli_study_find(name);
    const char *const from = atn_cli_arg_text(a, "from"), *const plot = atn_cli_arg_text(a, "plot");
    const atn_study_request q = request_of(a);
    atn_study_result r;
    if (s == NULL)
        return unknown(name, err);
    atn_status st = check_paths(a, err);
    st = st ? st : atn_cli_study_begin(s, &r, err);
    if (st)
        return st;
    st = from != NULL ? atn_cli_study_read(&r, from, err) : atn_cli_study_run(&q, &r, err);
    if (!st && plot != NULL)
        st = draw(&r, plot, err);
    if (!st)
        st = save(&r, atn_cli_arg_format(a), atn_cli_arg_text(a, "output"), err);
    atn_cli_study_end(&r);
    return st;
}

/* ---- all studies ---- */

typedef struct {
    const atn_args *a;
    const char *from, *to; /* folders; NULL: none */
    atn_study_result *results;
    char **missing; /* why a study has no result */
} collection;

static const char *file_of(const char *folder, const char *name, const char *end, char out[4096])
{
    snprintf(out, 4096, "%s/%s%s", folder, name, end);
    return out;
}

/* A study that cannot run here does not end the others. */
static void skip(collection *c, int i, atn_error *why)
{
    c->missing[i] = strdup(why->text);
    fprintf(stderr, "attune: %s\n", why->text);
    *why = (atn_error){0};
}

static atn_status store(const collection *c, int i, atn_error *err)
{
    const char *const name = atn_cli_studies[i].name;
    char path[4096];
    atn_status st = save(&c->results[i], "csv", file_of(c->to, name, ".csv", path), err);
    st = st ? st : save(&c->results[i], "table", file_of(c->to, name, ".txt", path), err);
    return st ? st : draw(&c->results[i], file_of(c->to, name, ".svg", path), err);
}

static atn_status collect(collection *c, int i, atn_error *err)
{
    const atn_study_request q = request_of(c->a);
    atn_error why = {0};
    char path[4096];
    atn_status st = atn_cli_study_begin(&atn_cli_studies[i], &c->results[i], err);
    if (st)
        return st;
    if (c->from == NULL)
        st = atn_cli_study_run(&q, &c->results[i], &why);
    else
        st = atn_cli_study_read(&c->results[i],
                                file_of(c->from, atn_cli_studies[i].name, ".csv", path), &why);
    if (st)
        skip(c, i, &why);
    return !st && c->to != NULL ? store(c, i, err) : ATN_OK;
}

static atn_status write_page(const collection *c, atn_error *err)
{
    char path[4096];
    page p;
    atn_status st = open_page(&p, err);
    if (st)
        return st;
    st = atn_cli_study_page(p.f, c->results, c->missing, atn_cli_arg_text(c->a, "link"), err);
    return close_page(&p, c->to != NULL ? file_of(c->to, "index", ".md", path) : NULL, st, err);
}

static atn_status run_all(collection *c, atn_error *err)
{
    const double began = atn_cli_seconds();
    char path[4096];
    atn_status st = ATN_OK;
    if (c->to != NULL)
        atn_make_folders(file_of(c->to, "index", ".md", path));
    for (int i = 0; st == ATN_OK && i < atn_cli_study_count; i++) {
        if (c->from == NULL)
            fprintf(stderr, "attune: %3.0f s: study %d of %d, %s (about %d s)\n",
                    atn_cli_seconds() - began, i + 1, atn_cli_study_count, atn_cli_studies[i].name,
                    atn_cli_studies[i].seconds);
        st = collect(c, i, err);
    }
    return st ? st : write_page(c, err);
}

static atn_status all(const atn_args *a, atn_error *err)
{
    collection c = {a, atn_cli_arg_text(a, "from"), atn_cli_arg_text(a, "output"), NULL, NULL};
    if (c.from == NULL && c.to == NULL)
        return atn_fail(err, ATN_USAGE, "no folder for the results; add -o FOLDER");
    c.results = calloc((size_t)atn_cli_study_count, sizeof *c.results);
    c.missing = calloc((size_t)atn_cli_study_count, sizeof *c.missing);
    const atn_status st = c.results != NULL && c.missing != NULL
                              ? run_all(&c, err)
                              : atn_fail(err, ATN_MEMORY, "out of memory");
    for (int i = 0; i < atn_cli_study_count; i++) {
        if (c.results != NULL)
            atn_cli_study_end(&c.results[i]);
        if (c.missing != NULL)
            free(c.missing[i]);
    }
    free(c.results);
    free(c.missing);
    return st;
}

static int study(const atn_args *a, atn_error *err)
{
    const char *const name = a->operands[0];
    if (strcmp(name, "list") == 0)
        return list(a, err);
    return strcmp(name, "all") == 0 ? all(a, err) : one(a, name, err);
}

static const atn_option options[] = {
    {.name = "output",
     .letter = 'o',
     .argument = "FILE|FOLDER",
     .type = ATN_OPT_FILE,
     .doc = "Write to FILE, with 'all' to FOLDER, instead of standard output"},
    ATN_FILE("plot", "FILE", "Also write a picture (SVG)"),
    ATN_INT("seconds", "S", NULL, 1, 3600,
            "Limit for the measurements of a study; default: its time in 'attune study list'"),
    ATN_OPTION_MPI("MPI library of studies that measure; default: openmpi if it is installed"),
    ATN_FILE("folder", "FOLDER", "Keep raw results in this folder"),
    ATN_FILE("from", "FILE|FOLDER",
             "Show stored results (csv), with 'all' those of a folder, instead of computing them"),
    ATN_TEXT("link", "TEXT", "", "With 'all': precedes the names of pictures in the page"),
    {0},
};

const atn_command atn_cmd_study = {
    .noun = "study",
    ATN_OPERANDS("NAME|list|all", 1, 1),
    .help = "Compute published tables and figures again",
    .detail =
        "A study computes a table or figure of one of the documents that Attune builds on, and "
        "shows "
        "it beside the published values. 'attune study list' lists all studies, what they show, "
        "where they run and how long they take: 'model' needs nothing, 'simulated' SimGrid, "
        "'local' "
        "an MPI library, 'lab' network namespaces (root) and an MPI library. 'attune study all -o "
        "FOLDER' runs those that can run here and writes text, csv and pictures of each, and a "
        "page, "
        "index.md. docs/studies.md shows the result of such a run.",
    .examples = ATN_NOTES({"attune study list", "List the studies"},
                          {"attune study optical-tables --plot tables.svg",
                           "Show published tables beside computed values, also as a picture"},
                          {"attune study all -o studies", "Run all studies"}),
    .options = options,
    .formats = atn_cli_study_formats,
    .run = study,
};
