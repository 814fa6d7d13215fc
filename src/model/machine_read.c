/* machine_read.c - text to machine, all or nothing (docs/machine-format.md). */
#include <ctype.h>
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/lines.h"
#include "model/machine_private.h"

static const atn_format format = {.magic = "attune-machine",
                                  .kind = "machine",
                                  .version = ATN_MACHINE_VERSION,
                                  .remedy = "use a newer Attune or measure again",
                                  .comments = ATN_COMMENT_LINE,
                                  .whole = true,
                                  .ends = true};

typedef struct {
    atn_lines l;
    atn_machine *m;
    atn_channel *channel;  /* the current block; NULL: the machine itself */
    atn_cost_table *table; /* rows that follow belong to it; NULL: none */
    atn_machine_unit unit; /* of its values */
    const char *names[48]; /* lines of fields of this block so far */
    int nnames;
} reader;

#define refuse(rd, ...) atn_lines_fail(&(rd)->l, __VA_ARGS__)

/* ---- values ---- */

static atn_status read_plain(reader *rd, const char *what, const char *text, double *v_p)
{
    char *end;
    const double v = strtod(text, &end);
    if (end == text || *end != '\0' || !(isdigit((unsigned char)*text) || *text == '-'))
        return refuse(rd, "%s: invalid number \"%.40s\"; write one such as 12.5", what, text);
    if (!isfinite(v))
        return refuse(rd, "%s: %.40s is not finite; measure again", what, text);
    if (v < 0)
        return refuse(rd, "%s: %.40s is negative; measure again", what, text);
    *v_p = v;
    return ATN_OK;
}

/* "12.5", or "12.5~0.3" with half of its confidence interval. */
static atn_status read_number(reader *rd, const char *what, char *text, atn_machine_unit unit,
                              double *v_p, double *half_p)
{
    char *tilde = strchr(text, '~');
    double v = 0, half = 0;
    if (tilde != NULL)
        *tilde = '\0';
    atn_status status = read_plain(rd, what, text, &v);
    if (status == ATN_OK && tilde != NULL)
        status = read_plain(rd, "half an interval, after ~", tilde + 1, &half);
    *v_p = v / atn_model_machine_unit_scale(unit);
    *half_p = half / atn_model_machine_unit_scale(unit);
    return status;
}

static atn_status read_size(reader *rd, const char *what, const char *text, int64_t *size_p)
{
    if (atn_parse_size(text, size_p))
        return ATN_OK;
    return refuse(rd, "%s: invalid size \"%.40s\"; write 4096 or 64K", what, text);
}

static atn_status read_fingerprint(reader *rd, const char *text, uint64_t *v_p)
{
    char *end;
    errno = 0;
    *v_p = strtoull(text, &end, 16);
    if (strlen(text) == 16 && *end == '\0' && errno == 0 && isxdigit((unsigned char)*text))
        return ATN_OK;
    return refuse(rd, "invalid fingerprint topology=%.40s; write 16 digits of 0-9a-f", text);
}

static atn_status read_value(reader *rd, const atn_machine_field *d, void *base, char *text,
                             double *half)
{
    void *at = (char *)base + d->at;
    double v = 0;
    atn_status status = ATN_OK;
    if (d->unit == ATN_UNIT_FINGERPRINT)
        return read_fingerprint(rd, text, at);
    if (d->unit >= ATN_UNIT_SIZE) {
        status = read_size(rd, d->key, text, at);
        v = status == ATN_OK ? (double)*(int64_t *)at : 0;
    } else {
        status = read_number(rd, d->key, text, d->unit, &v, half);
        *(double *)at = v;
    }
    if (status == ATN_OK && (v < d->min || v > d->max))
        return refuse(rd, "%s=%.40s is out of range; it must be from %g to %g", d->key, text,
                      d->min * atn_model_machine_unit_scale(d->unit),
                      d->max * atn_model_machine_unit_scale(d->unit));
    return status;
}

/* ---- lines of fields ---- */

static const atn_machine_field *fields_of(const reader *rd, int *n_p)
{
    *n_p = rd->channel ? atn_nchannel_fields : atn_nglobal_fields;
    return rd->channel ? atn_channel_fields : atn_model_global_fields;
}

static atn_status unknown(reader *rd, const char *what, const char *word, const char **known, int n)
{
    char offer[ATN_ERROR_ROOM];
    return refuse(rd, "unknown %s \"%.40s\"; %s", what, word, atn_offer(word, known, n, offer));
}

static atn_status read_field(reader *rd, const char *line, char *word)
{
    const char *known[32];
    int n, nknown = 0;
    const atn_machine_field *list = fields_of(rd, &n);
    char *equals = strchr(word, '=');
    if (equals == NULL || equals == word || equals[1] == '\0')
        return refuse(rd, "invalid field \"%.40s\"; write key=value without spaces", word);
    *equals = '\0';
    for (int i = 0; i < n; i++) {
        if (strcmp(list[i].line, line) != 0)
            continue;
        known[nknown++] = list[i].key;
        if (strcmp(list[i].key, word) == 0)
            return read_value(rd, &list[i], rd->channel ? (void *)rd->channel : (void *)rd->m,
                              equals + 1, rd->channel ? &rd->channel->half[i] : &rd->m->half[i]);
    }
    return unknown(rd, "field", word, known, nknown);
}

static const char *find_line(const reader *rd, const char *word)
{
    int n;
    const atn_machine_field *list = fields_of(rd, &n);
    for (int i = 0; i < n; i++)
        if (strcmp(list[i].line, word) == 0)
            return list[i].line;
    return NULL;
}

static atn_status read_fields(reader *rd, const char *word)
{
    atn_status status = ATN_OK;
    for (int i = 0; i < rd->nnames; i++)
        if (strcmp(rd->names[i], word) == 0)
            return refuse(rd, "duplicate line \"%s\"; keep one", word);
    rd->names[rd->nnames++] = word;
    for (char *field; status == ATN_OK && (field = atn_lines_word(&rd->l)) != NULL;)
        status = read_field(rd, word, field);
    return status;
}

/* ---- tables ---- */

static atn_status find_table(reader *rd, const char *name)
{
    const char *known[16];
    const atn_machine_table *list = rd->channel ? atn_channel_tables : atn_model_global_tables;
    const int n = rd->channel ? atn_nchannel_tables : atn_nglobal_tables;
    char *base = rd->channel ? (char *)rd->channel : (char *)rd->m;
    for (int i = 0; i < n; i++) {
        known[i] = list[i].name;
        if (strcmp(list[i].name, name) != 0)
            continue;
        rd->table = (atn_cost_table *)(void *)(base + list[i].at);
        rd->unit = list[i].unit;
        return ATN_OK;
    }
    return unknown(rd, "table", name, known, n);
}

static atn_status find_gamma(reader *rd)
{
    const char *op = atn_lines_word(&rd->l), *type = atn_lines_word(&rd->l);
    if (op == NULL || type == NULL || strlen(op) > 15 || strlen(type) > 15)
        return refuse(rd, "a table gamma needs operator and type, as in: table gamma sum f64 1");
    rd->table = atn_model_machine_gamma(rd->m, op, type);
    rd->unit = ATN_UNIT_BYTE;
    return rd->table ? ATN_OK : refuse(rd, "more than %d tables gamma", ATN_MACHINE_GAMMAS);
}

static atn_status read_taus(reader *rd)
{
    atn_cost_table *t = rd->table;
    for (char *word; (word = atn_lines_word(&rd->l)) != NULL;) {
        int64_t tau;
        if (!atn_parse_size(word, &tau) || tau < 1 || tau > 1000000)
            return refuse(rd, "invalid number of concurrent ranks \"%.40s\"", word);
        if (t->ntaus == ATN_TABLE_TAUS)
            return refuse(rd, "more than %d columns; remove some", ATN_TABLE_TAUS);
        if (t->ntaus > 0 && tau <= t->tau[t->ntaus - 1])
            return refuse(rd, "numbers of concurrent ranks must ascend; sort the columns");
        t->tau[t->ntaus++] = (int)tau;
    }
    return t->ntaus > 0 ? ATN_OK
                        : refuse(rd, "the table has no columns; write the numbers of concurrent "
                                     "ranks, such as 1 2 4");
}

static atn_status read_table(reader *rd)
{
    const char *name = atn_lines_word(&rd->l);
    if (name == NULL)
        return refuse(rd, "missing name of a table; write table NAME 1 2 4");
    const bool gamma = rd->channel == NULL && strcmp(name, "gamma") == 0;
    atn_status status = gamma ? find_gamma(rd) : find_table(rd, name);
    if (status == ATN_OK && rd->table->ntaus > 0)
        return refuse(rd, "duplicate table %s; remove one", name);
    return status == ATN_OK ? read_taus(rd) : status;
}

static atn_status read_row(reader *rd)
{
    atn_cost_table *t = rd->table;
    char *word = atn_lines_word(&rd->l);
    int64_t size;
    int n = 0;
    if (t == NULL)
        return refuse(rd, "a row of numbers outside a table; write \"table NAME 1\" above it");
    atn_status status = read_size(rd, "row", word, &size);
    if (status != ATN_OK)
        return status;
    if (t->nsizes == ATN_TABLE_SIZES)
        return refuse(rd, "more than %d rows; remove some", ATN_TABLE_SIZES);
    if (t->nsizes > 0 && size <= t->size[t->nsizes - 1])
        return refuse(rd, "size %s does not ascend; sort the rows and keep one of each size", word);
    t->size[t->nsizes] = size;
    t->line[t->nsizes] = rd->l.line;
    for (; status == ATN_OK && (word = atn_lines_word(&rd->l)) != NULL; n++) {
        if (n == t->ntaus)
            return refuse(rd, "more values than the %d columns of the table", t->ntaus);
        status =
            read_number(rd, "row", word, rd->unit, &t->v[t->nsizes][n], &t->half[t->nsizes][n]);
    }
    if (status == ATN_OK && n < t->ntaus)
        return refuse(rd, "%d values for %d columns: the row is truncated; restore it", n,
                      t->ntaus);
    t->nsizes++;
    return status;
}

/* ---- lines ---- */

static atn_status read_channel(reader *rd)
{
    const char *name = atn_lines_word(&rd->l);
    if (name == NULL || strlen(name) > 31 || atn_lines_word(&rd->l) != NULL)
        return refuse(rd, "a channel needs one name of at most 31 letters, as in: channel memory");
    for (int i = -1; (i = atn_model_machine_next(rd->m, i)) >= 0;)
        if (strcmp(rd->m->channel[i].name, name) == 0)
            return refuse(rd, "duplicate channel %s; remove one", name);
    rd->channel = atn_model_machine_add_channel(rd->m, name);
    rd->nnames = 0;
    if (rd->channel == NULL)
        return refuse(rd, "more than %d channels", ATN_MACHINE_CHANNELS);
    rd->channel->line = rd->l.line;
    return ATN_OK;
}

static atn_status read_note(reader *rd, char *text, char *colon)
{
    if (rd->channel)
        return refuse(rd, "provenance (\"key: value\") must precede the channels");
    *colon++ = '\0';
    if (atn_model_machine_note(rd->m, text, colon + strspn(colon, " \t")))
        return ATN_OK;
    return refuse(rd, "more than %d lines of provenance", ATN_MACHINE_NOTES);
}

static atn_status read_words(reader *rd)
{
    static const char *words[] = {"channel",   "table",   "end",      "path",    "overhead",
                                  "processor", "hockney", "loggp",    "plogp",   "lmo",
                                  "quality",   "hosts",   "measured", "circuits"};
    const char *word = atn_lines_word(&rd->l), *line;
    rd->table = NULL;
    if (strcmp(word, "table") == 0)
        return read_table(rd);
    if (strcmp(word, "channel") == 0)
        return read_channel(rd);
    if ((line = find_line(rd, word)) != NULL)
        return read_fields(rd, line);
    return unknown(rd, "word", word, words, (int)(sizeof words / sizeof words[0]));
}

static atn_status read_line(reader *rd)
{
    char *text = rd->l.text, *end = text + strcspn(text, ": \t=");
    if (isdigit((unsigned char)*text))
        return read_row(rd);
    return *end == ':' && end > text ? read_note(rd, text, end) : read_words(rd);
}

static atn_status read_lines(reader *rd, const char *text, size_t bytes, const char *origin,
                             atn_error *err)
{
    atn_status status = atn_lines_open(&rd->l, &format, origin, text, bytes, err);
    while (status == ATN_OK && atn_lines_next(&rd->l, &status))
        status = read_line(rd);
    if (status == ATN_OK && rd->m->nchannels == 0)
        status = refuse(rd, "no channel; add at least channel memory");
    atn_lines_close(&rd->l);
    return status;
}

/* The application may have called setlocale before MPI_Init; numbers would then have commas. */
static atn_status read_plainly(reader *rd, const char *text, size_t bytes, const char *origin,
                               atn_error *err)
{
    const locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (plain == (locale_t)0)
        return atn_fail(err, ATN_MEMORY, "%s: out of memory", origin);
    const locale_t before = uselocale(plain);
    const atn_status status = read_lines(rd, text, bytes, origin, err);
    uselocale(before);
    freelocale(plain);
    return status;
}

atn_status atn_model_machine_parse(const char *text, size_t bytes, const char *origin,
                                   atn_machine **machine_p, atn_error *err)
{
    reader rd = {.m = atn_model_machine_new()};
    if (rd.m == NULL)
        return atn_fail(err, ATN_MEMORY, "%s: out of memory", origin);
    snprintf(rd.m->origin, sizeof rd.m->origin, "%s", origin);
    atn_status status = read_plainly(&rd, text, bytes, origin, err);
    if (status == ATN_OK)
        status = atn_model_machine_check(rd.m, err);
    if (status == ATN_OK)
        *machine_p = rd.m;
    else
        atn_model_machine_free(rd.m);
    return status;
}

atn_status atn_model_machine_read(const char *path, atn_machine **machine_p, atn_error *err)
{
    char *text;
    size_t bytes;
    atn_status status = atn_read_file(path, &text, &bytes, err);
    if (status != ATN_OK)
        return status;
    status = atn_model_machine_parse(text, bytes, path, machine_p, err);
    free(text);
    return status;
}
