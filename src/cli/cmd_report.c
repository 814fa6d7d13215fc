/* cmd_report.c - attune report: an index of the pages in a folder. */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "cli/cli.h"
#include "report/html.h"

static atn_status no_memory(atn_error *err) { return atn_fail(err, ATN_MEMORY, "out of memory"); }

/* ---- pages: what html.c has written into their heads ---- */

enum { HEAD = 4096, FIELD = 256, DEEPEST = 4 /* folders below the one that is given */ };

typedef struct {
    char *path; /* below the folder */
    char kind[FIELD], date[FIELD], key[FIELD], title[FIELD];
} entry;

typedef struct {
    ATN_VEC(entry) list;
    size_t prefix; /* length of the folder's name with its slash */
} collection;

/* Decodes the entities that html.c writes. */
static void decode(char *text)
{
    static const char *const entities[][2] = {
        {"&lt;", "<"}, {"&gt;", ">"}, {"&quot;", "\""}, {"&amp;", "&"}};
    char *to = text;
    while (*text != '\0') {
        size_t k = 0;
        while (k < 4 && strncmp(text, entities[k][0], strlen(entities[k][0])) != 0)
            k++;
        *to++ = k < 4 ? *entities[k][1] : *text;
        text += k < 4 ? strlen(entities[k][0]) : 1;
    }
    *to = '\0';
}

/* The text between two others; false: there is none. */
static bool copy_between(const char *text, const char *before, const char *after, char out[FIELD])
{
    const char *const begin = strstr(text, before);
    const char *const from = begin != NULL ? begin + strlen(before) : NULL;
    const char *const to = from != NULL ? strstr(from, after) : NULL;
    if (to == NULL || to - from >= FIELD)
        return false;
    memcpy(out, from, (size_t)(to - from));
    out[to - from] = '\0';
    decode(out);
    return true;
}

static bool read_head(const char *path, entry *e)
{
    char text[HEAD];
    FILE *const f = fopen(path, "r");
    const size_t n = f != NULL ? fread(text, 1, sizeof text - 1, f) : 0;
    if (f != NULL)
        fclose(f);
    text[n] = '\0';
    return copy_between(text, "<meta name=\"attune:kind\" content=\"", "\">", e->kind) &&
           copy_between(text, "<meta name=\"attune:date\" content=\"", "\">", e->date) &&
           copy_between(text, "<meta name=\"attune:key\" content=\"", "\">", e->key) &&
           copy_between(text, "<title>", "</title>", e->title);
}

/* ---- the folder ---- */

static bool is_page(const char *name)
{
    const size_t n = strlen(name);
    return n > 5 && strcmp(name + n - 5, ".html") == 0;
}

static bool add_page(collection *c, const char *path)
{
    entry e = {.path = NULL};
    if (!read_head(path, &e) || strcmp(e.kind, "index") == 0)
        return true;
    e.path = strdup(path + c->prefix);
    if (e.path != NULL && atn_push(&c->list, e))
        return true;
    free(e.path);
    return false;
}

/* Subfolders that cannot be read are passed over. */
static atn_status add_folder(collection *c, const char *folder, int depth, atn_error *err)
{
    DIR *const d = opendir(folder);
    atn_status status = ATN_OK;
    if (d == NULL && depth == 0)
        return atn_fail(err, ATN_INPUT, "%s: cannot be read: %s; name a folder with pages", folder,
                        strerror(errno));
    for (struct dirent *x; d != NULL && status == ATN_OK && (x = readdir(d)) != NULL;) {
        char path[PATH_MAX];
        struct stat is;
        if (x->d_name[0] == '.' ||
            snprintf(path, sizeof path, "%s/%s", folder, x->d_name) >= PATH_MAX ||
            lstat(path, &is) != 0)
            continue;
        if (S_ISDIR(is.st_mode) && depth < DEEPEST)
            status = add_folder(c, path, depth + 1, err);
        else if (S_ISREG(is.st_mode) && is_page(x->d_name) && !add_page(c, path))
            status = no_memory(err);
    }
    if (d != NULL)
        closedir(d);
    return status;
}

/* By kind, the newest first. */
static int by_kind(const void *x, const void *y)
{
    const entry *const a = x, *const b = y;
    const int kind = strcmp(a->kind, b->kind), date = strcmp(b->date, a->date);
    return kind != 0 ? kind : date != 0 ? date : strcmp(a->path, b->path);
}

static void free_collection(collection *c)
{
    for (int i = 0; i < c->list.n; i++)
        free(c->list.v[i].path);
    atn_vec_free(&c->list);
}

/* ---- output ---- */

/* Of a path, for the attribute of a link: relative, so that no scheme is read from it. */
static void put_link(FILE *f, const char *path)
{
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._/";
    fputs("./", f);
    for (; *path != '\0'; path++)
        if (strchr(plain, *path) != NULL)
            fputc(*path, f);
        else
            fprintf(f, "%%%02X", (unsigned char)*path);
}

/* The kinds that this version writes; others may be anything. */
static void put_kind(FILE *f, const char *kind)
{
    static const char *const titles[][2] = {{"bench", "Benchmarks"},
                                            {"calibration", "Calibrations"},
                                            {"job", "Jobs"},
                                            {"trace", "Traces"},
                                            {"tune", "Tuning"}};
    size_t i = 0;
    while (i < 5 && strcmp(titles[i][0], kind) != 0)
        i++;
    atn_report_html_section(f, i < 5 ? titles[i][0] : "other", i < 5 ? titles[i][1] : kind);
}

static void put_row(FILE *f, const entry *e)
{
    fputs("<tr><td class=\"w\"><a href=\"", f);
    put_link(f, e->path);
    fputs("\">", f);
    atn_report_html_text(f, e->title);
    fputs("</a></td><td class=\"w words\">", f);
    atn_report_html_text(f, e->key);
    fputs("</td><td class=\"w\">", f);
    atn_report_html_text(f, e->date);
    fputs("</td><td class=\"w\">", f);
    atn_report_html_text(f, e->path);
    fputs("</td></tr>\n", f);
}

static void put_rows(FILE *f, const collection *c)
{
    const char *kind = "";
    for (int i = 0; i < c->list.n; i++) {
        const entry *const e = &c->list.v[i];
        const bool begins = strcmp(kind, e->kind) != 0;
        if (begins && i > 0)
            fputs("</tbody></table></div>\n", f);
        if (begins) {
            put_kind(f, e->kind);
            fputs(
                "<div class=\"scroll\"><table class=\"sorted\"><thead><tr><th class=\"w\">page</th>"
                "<th class=\"w\">result</th><th class=\"w\">date</th><th class=\"w\">file</th></tr>"
                "</thead><tbody>\n",
                f);
        }
        kind = e->kind;
        put_row(f, e);
    }
    fputs(c->list.n > 0 ? "</tbody></table></div>\n" : "<p class=\"note\">No pages.</p>\n", f);
}

/* "results", also if the folder is given as ".". */
static const char *name_of(const char *folder, char full[PATH_MAX])
{
    if (realpath(folder, full) == NULL)
        return folder;
    const char *const last = strrchr(full, '/');
    return last[1] != '\0' ? last + 1 : full;
}

static void put_page(FILE *f, const char *folder, const collection *c)
{
    char key[64], full[PATH_MAX];
    snprintf(key, sizeof key, "%d page%s", c->list.n, c->list.n == 1 ? "" : "s");
    atn_report_html_begin(f, &(atn_html_page){.kind = "index",
                                              .title = name_of(folder, full),
                                              .about = key,
                                              .key = key,
                                              .date = (int64_t)time(NULL)});
    put_rows(f, c);
    atn_report_html_end(f, NULL);
}

static const atn_column columns[] = {{"kind", ATN_CELL_TEXT},
                                     {"title", ATN_CELL_TEXT},
                                     {"date", ATN_CELL_TEXT},
                                     {"result", ATN_CELL_TEXT},
                                     {"file", ATN_CELL_TEXT}};

static atn_status put_table(const atn_args *a, const collection *c, atn_error *err)
{
    atn_table t = {.columns = columns, .ncolumns = sizeof columns / sizeof *columns};
    for (int i = 0; i < c->list.n; i++) {
        const entry *const e = &c->list.v[i];
        atn_report_cell(&t, "%s", e->kind);
        atn_report_cell(&t, "%s", e->title);
        atn_report_cell(&t, "%s", e->date);
        atn_report_cell(&t, "%s", e->key);
        atn_report_cell(&t, "%s", e->path);
    }
    return atn_cli_arg_table(a, &t, err);
}

static int report(const atn_args *a, atn_error *err)
{
    char folder[PATH_MAX];
    collection c = {.prefix = 0};
    snprintf(folder, sizeof folder, "%s", a->operands[0]);
    for (size_t n = strlen(folder); n > 1 && folder[n - 1] == '/'; n--)
        folder[n - 1] = '\0';
    c.prefix = strlen(folder) + 1;
    atn_status status = add_folder(&c, folder, 0, err);
    if (status == ATN_OK && c.list.n > 0)
        qsort(c.list.v, (size_t)c.list.n, sizeof *c.list.v, by_kind);
    if (status == ATN_OK && strcmp(atn_cli_arg_format(a), "html") == 0)
        put_page(a->out, folder, &c);
    else if (status == ATN_OK)
        status = put_table(a, &c, err);
    free_collection(&c);
    return status;
}

static const char *const formats[] = {"html", "table", "csv", "json", "markdown", NULL};

const atn_command atn_cmd_report = {
    .noun = "report",
    ATN_OPERANDS("DIR", 1, 1),
    .help = "Collect the pages of a job or a cluster into an index",
    .detail = "The pages of 'attune run --report', 'trace report', 'bench --plot', 'tune --report' "
              "and 'calibrate --report' below DIR, with title, date and key number. Links are "
              "relative: write the index into DIR. Other HTML files are ignored.",
    .examples =
        ATN_NOTES({"attune report . -o index.html", "Write an index of the pages in this folder"}),
    .formats = formats,
    .flags = ATN_CMD_OUTPUT,
    .run = report,
};
