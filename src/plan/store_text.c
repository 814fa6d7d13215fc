/* store_text.c - entries of a store as text (docs/calibrate.md).
 *
 * The files within an entry stand behind bars ("| channel memory"), so that none of their lines can
 * be taken for one of the store. */
#include <stdlib.h>
#include <string.h>

#include "base/lines.h"
#include "model/machine.h"
#include "plan/rules_private.h"
#include "plan/store.h"
#include "topo/hostlist.h"

static const atn_format format = {.magic = "attune-calibration",
                                  .kind = "calibration",
                                  .version = ATN_STORE_VERSION,
                                  .remedy = "use a newer Attune or run 'attune calibrate' again",
                                  .comments = ATN_COMMENT_LINE,
                                  .whole = true,
                                  .ends = true};

typedef struct {
    atn_lines l;
    atn_store found;
    char **block; /* that lines behind bars extend; NULL: none may follow */
    unsigned seen;
} reader;

static atn_store_entry *last(reader *rd) { return &rd->found.list.v[rd->found.list.n - 1]; }

/* ---- values ---- */

static atn_status keep(reader *rd, char **text_p, const char *text)
{
    *text_p = strdup(text);
    return *text_p != NULL ? ATN_OK : atn_lines_no_memory(&rd->l);
}

static atn_status read_word(reader *rd, char **text_p, const char *value)
{
    if (value[strcspn(value, " \t")] != '\0')
        return atn_lines_fail(&rd->l, "\"%.60s\" is more than one word; remove the rest", value);
    return keep(rd, text_p, value);
}

static atn_status read_machine(reader *rd, const char *value)
{
    return read_word(rd, &last(rd)->machine, value);
}

static atn_status read_fabric(reader *rd, const char *value)
{
    return read_word(rd, &last(rd)->fabric, value);
}

static atn_status read_ranks(reader *rd, const char *value)
{
    if (strcmp(value, "*") == 0)
        return ATN_OK;
    if (atn_plan_count_parse(value, &last(rd)->ranks) && last(rd)->ranks > 0)
        return ATN_OK;
    return atn_lines_fail(&rd->l,
                          "ranks %.60s is no number of ranks per host; write 1, 2 ... or * if it "
                          "differs between hosts",
                          value);
}

static atn_status read_date(reader *rd, const char *value)
{
    return atn_plan_date_parse(value, &last(rd)->date)
               ? ATN_OK
               : atn_lines_fail(&rd->l,
                                "date %.60s is no date; write 2026-02-03 or 2026-02-03T09:15:07Z",
                                value);
}

static atn_status read_tool(reader *rd, const char *value)
{
    return keep(rd, &last(rd)->tool, value);
}

static atn_status read_launcher(reader *rd, const char *value)
{
    return keep(rd, &last(rd)->launcher, value);
}

static atn_status begin_block(reader *rd, const char *value, char **text_p, int *line_p)
{
    if (*value != '\0')
        return atn_lines_fail(&rd->l,
                              "\"%.60s\" is unexpected; the lines of the file follow, each "
                              "behind \"| \"",
                              value);
    *line_p = rd->l.line;
    rd->block = text_p;
    return keep(rd, text_p, "");
}

static atn_status read_topology(reader *rd, const char *value)
{
    return begin_block(rd, value, &last(rd)->topology, &last(rd)->topology_line);
}

static atn_status read_parameters(reader *rd, const char *value)
{
    return begin_block(rd, value, &last(rd)->parameters, &last(rd)->parameters_line);
}

/* ---- lines ---- */

static const struct {
    const char *word;
    atn_status (*read)(reader *rd, const char *value);
    bool optional;
} fields[] = {
    {"machine", read_machine, false},  {"fabric", read_fabric, false},
    {"ranks", read_ranks, false},      {"date", read_date, false},
    {"tool", read_tool, true},         {"launcher", read_launcher, true},
    {"topology", read_topology, true}, {"parameters", read_parameters, true},
};
enum { FIELDS = sizeof fields / sizeof *fields };

/* Before the next entry and at the end. */
static atn_status finish_entry(const reader *rd)
{
    for (int i = 0; i < FIELDS && rd->found.list.n > 0; i++)
        if (!fields[i].optional && (rd->seen & 1u << i) == 0) {
            const int line = rd->found.list.v[rd->found.list.n - 1].line;
            return atn_fail(rd->l.err, ATN_INPUT,
                            "%s:%d: the entry has no line \"%s\"; remove it, or run 'attune "
                            "calibrate' again",
                            rd->l.file, line, fields[i].word);
        }
    const atn_store_entry *const e =
        rd->found.list.n > 0 ? &rd->found.list.v[rd->found.list.n - 1] : NULL;
    if (e != NULL && e->topology == NULL && e->parameters == NULL)
        return atn_fail(
            rd->l.err, ATN_INPUT,
            "%s:%d: the entry has neither \"topology\" nor \"parameters\"; remove it, or "
            "run 'attune calibrate' again",
            rd->l.file, e->line);
    return ATN_OK;
}

static bool is_pattern(const char *text) { return strpbrk(text, "*?") != NULL; }

static atn_status check_hosts(const reader *rd, const char *text)
{
    atn_name_list names = {0};
    atn_error err = {0};
    atn_status status = ATN_OK;
    if (*text == '\0' || text[strcspn(text, " \t")] != '\0')
        return atn_lines_fail(&rd->l, "an entry names its hosts in one word; write entry n[0-15], "
                                      "or a pattern such as entry node*");
    if (!is_pattern(text))
        status = atn_topo_hostlist_expand(text, &names, &err);
    atn_topo_name_list_free(&names);
    return status == ATN_OK ? ATN_OK : atn_lines_fail(&rd->l, "%s", err.text);
}

static atn_status begin_entry(reader *rd, const char *value)
{
    atn_status status = finish_entry(rd);
    if (status == ATN_OK)
        status = check_hosts(rd, value);
    if (status != ATN_OK)
        return status;
    const atn_store_entry blank = {.line = rd->l.line};
    if (!atn_push(&rd->found.list, blank))
        return atn_lines_no_memory(&rd->l);
    rd->seen = 0;
    rd->block = NULL;
    return keep(rd, &last(rd)->hosts, value);
}

static atn_status read_field(reader *rd, const char *word, const char *value)
{
    const char *words[FIELDS];
    char offer[ATN_ERROR_ROOM];
    for (int i = 0; i < FIELDS; i++) {
        words[i] = fields[i].word;
        if (strcmp(fields[i].word, word) != 0)
            continue;
        if ((rd->seen & 1u << i) != 0)
            return atn_lines_fail(&rd->l, "%s is given twice in an entry; keep one", word);
        rd->seen |= 1u << i;
        rd->block = NULL;
        return fields[i].read(rd, value);
    }
    return atn_lines_fail(&rd->l, "unknown word \"%.40s\"; %s", word,
                          atn_offer(word, words, FIELDS, offer));
}

/* A line behind a bar, without the blank after it. */
static atn_status extend_block(reader *rd)
{
    const char *const text = rd->l.text + 1 + (rd->l.text[1] == ' ');
    char *longer = NULL;
    if (rd->block == NULL)
        return atn_lines_fail(&rd->l, "a line behind a bar belongs to \"topology\" or "
                                      "\"parameters\"; add one of these above it");
    if (asprintf(&longer, "%s%s\n", *rd->block, text) < 0)
        return atn_lines_no_memory(&rd->l);
    free(*rd->block);
    *rd->block = longer;
    return ATN_OK;
}

static atn_status read_line(reader *rd)
{
    if (*rd->l.text == '|')
        return extend_block(rd);
    const char *const word = atn_lines_word(&rd->l);
    const char *const value = rd->l.rest + strspn(rd->l.rest, " \t");
    if (strcmp(word, "entry") == 0)
        return begin_entry(rd, value);
    if (rd->found.list.n == 0)
        return atn_lines_fail(&rd->l,
                              "\"%.40s\" stands before the first entry; begin with entry "
                              "HOSTS",
                              word);
    return read_field(rd, word, value);
}

/* Moves the entries; all of them, or none. */
static bool move(atn_store *from, atn_store *to)
{
    if (!atn_vec_room((void **)&to->list.v, &to->list.cap, to->list.n + from->list.n,
                      sizeof *to->list.v))
        return false;
    for (int i = 0; i < from->list.n; i++)
        to->list.v[to->list.n++] = from->list.v[i];
    from->list.n = 0;
    return true;
}

atn_status atn_plan_store_parse(const char *text, size_t bytes, const char *origin, atn_store *s,
                                atn_error *err)
{
    reader rd = {.block = NULL};
    atn_status status = atn_lines_open(&rd.l, &format, origin, text, bytes, err);
    while (status == ATN_OK && atn_lines_next(&rd.l, &status))
        status = read_line(&rd);
    if (status == ATN_OK)
        status = finish_entry(&rd);
    if (status == ATN_OK && !move(&rd.found, s))
        status = atn_lines_no_memory(&rd.l);
    atn_lines_close(&rd.l);
    atn_plan_store_free(&rd.found);
    return status;
}

/* ---- the files within ---- */

/* Lines of the inner file become those of the store, whose name replaces the bar. */
static atn_status refuse_inner(const char *path, int above, const atn_error *why, atn_error *err)
{
    int line = 0, used = 0;
    if (sscanf(why->text, "|:%d: %n", &line, &used) == 1 && used > 0)
        return atn_fail(err, why->status, "%s:%d: %s", path, above + line, why->text + used);
    return atn_fail(err, why->status, "%s:%d: %s", path, above, why->text);
}

static atn_status check_entry(const char *path, const atn_store_entry *e, atn_error *err)
{
    atn_error why = {0};
    atn_topo *t = NULL;
    atn_machine *m = NULL;
    if (e->topology != NULL && atn_topo_parse_slurm(e->topology, "|", &t, &why) != ATN_OK)
        return refuse_inner(path, e->topology_line, &why, err);
    atn_topo_free(t);
    if (e->parameters != NULL &&
        atn_model_machine_parse(e->parameters, strlen(e->parameters), "|", &m, &why) != ATN_OK)
        return refuse_inner(path, e->parameters_line, &why, err);
    atn_model_machine_free(m);
    return ATN_OK;
}

atn_status atn_plan_store_read(const char *path, atn_store *s, atn_error *err)
{
    return atn_plan_store_read_of(path, ATN_NAMED, s, err);
}

atn_status atn_plan_store_read_of(const char *path, atn_provider provider, atn_store *s,
                                  atn_error *err)
{
    char *text = NULL;
    size_t bytes = 0;
    atn_store found = {{0}};
    atn_status status = atn_read_checked_file(path, provider, &text, &bytes, err);
    if (status == ATN_OK)
        status = atn_plan_store_parse(text, bytes, path, &found, err);
    for (int i = 0; i < found.list.n && status == ATN_OK; i++)
        status = check_entry(path, &found.list.v[i], err);
    if (status == ATN_OK && !move(&found, s))
        status = atn_fail(err, ATN_MEMORY, "out of memory");
    free(text);
    atn_plan_store_free(&found);
    return status;
}

/* ---- writing ---- */

/* A value may hold any byte; an entry needs one line for each. */
static void put_line(FILE *f, const char *word, const char *value)
{
    if (value == NULL)
        return;
    fprintf(f, "%s ", word);
    for (; *value != '\0'; value++)
        fputc((unsigned char)*value < ' ' ? '?' : *value, f);
    fputc('\n', f);
}

static void put_block(FILE *f, const char *word, const char *text)
{
    if (text == NULL)
        return;
    fprintf(f, "%s\n", word);
    while (*text != '\0') {
        const int n = (int)strcspn(text, "\n");
        fprintf(f, "|%s%.*s\n", n > 0 ? " " : "", n, text);
        text += n + (text[n] == '\n');
    }
}

static void put_entry(FILE *f, const atn_store_entry *e)
{
    char date[ATN_WORD_ROOM];
    atn_plan_date_print(e->date, date);
    put_line(f, "entry", e->hosts);
    put_line(f, "machine", e->machine);
    put_line(f, "fabric", e->fabric);
    if (e->ranks > 0)
        fprintf(f, "ranks %lld\n", (long long)e->ranks);
    else
        put_line(f, "ranks", "*");
    put_line(f, "date", date);
    put_line(f, "tool", e->tool);
    put_line(f, "launcher", e->launcher);
    put_block(f, "topology", e->topology);
    put_block(f, "parameters", e->parameters);
}

char *atn_plan_store_print(const atn_store *s, size_t *bytes_p)
{
    char *text = NULL;
    FILE *const f = atn_open_text(&text, bytes_p);
    if (f == NULL)
        return NULL;
    fprintf(f, "%s %d\n", format.magic, format.version);
    for (int i = 0; i < s->list.n; i++) {
        fputc('\n', f);
        put_entry(f, &s->list.v[i]);
    }
    fputs("\nend\n", f);
    if (fclose(f) == 0)
        return text;
    free(text);
    return NULL;
}
