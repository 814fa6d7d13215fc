/* machine_read.c - text to machine, all or nothing (docs/machine-format.md). */
#include <ctype.h>
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "model/machine_private.h"

typedef struct {
    const char *origin;
    int line;
    bool ended;
    atn_machine *m;
    atn_channel *channel;  /* the current block; NULL: the machine itself */
    atn_cost_table *table; /* rows that follow belong to it; NULL: none */
    atn_machine_unit unit; /* of its values */
    const char *names[48]; /* lines of fields of this block so far */
    int nnames;
    atn_error *err;
} reader;

__attribute__((format(printf, 2, 3))) static atn_status refuse(reader *rd, const char *format, ...)
{
    char text[ATN_ERROR_ROOM];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return atn_fail(rd->err, ATN_INPUT, "%s:%d: %s", rd->origin, rd->line, text);
}

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
    *v_p = v / atn_machine_unit_scale(unit);
    *half_p = half / atn_machine_unit_scale(unit);
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
                      d->min * atn_machine_unit_scale(d->unit),
                      d->max * atn_machine_unit_scale(d->unit));
    return status;
}

/* ---- lines of fields ---- */

static const atn_machine_field *fields_of(const reader *rd, int *n_p)
{
    *n_p = rd->channel ? atn_nchannel_fields : atn_nglobal_fields;
    return rd->channel ? atn_channel_fields : atn_global_fields;
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

static atn_status read_fields(reader *rd, const char *word, char **rest)
{
    atn_status status = ATN_OK;
    for (int i = 0; i < rd->nnames; i++)
        if (strcmp(rd->names[i], word) == 0)
            return refuse(rd, "duplicate line \"%s\"; keep one", word);
    rd->names[rd->nnames++] = word;
    for (char *field; status == ATN_OK && (field = strtok_r(NULL, " \t", rest)) != NULL;)
        status = read_field(rd, word, field);
    return status;
}

/* ---- tables ---- */

static atn_status find_table(reader *rd, const char *name)
{
    const char *known[16];
    const atn_machine_table *list = rd->channel ? atn_channel_tables : atn_global_tables;
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

static atn_status find_gamma(reader *rd, char **rest)
{
    const char *op = strtok_r(NULL, " \t", rest), *type = strtok_r(NULL, " \t", rest);
    if (op == NULL || type == NULL || strlen(op) > 15 || strlen(type) > 15)
        return refuse(rd, "a table gamma needs operator and type, as in: table gamma sum f64 1");
    rd->table = atn_machine_gamma(rd->m, op, type);
    rd->unit = ATN_UNIT_BYTE;
    return rd->table ? ATN_OK : refuse(rd, "more than %d tables gamma", ATN_MACHINE_GAMMAS);
}

static atn_status read_taus(reader *rd, char **rest)
{
    atn_cost_table *t = rd->table;
    for (char *word; (word = strtok_r(NULL, " \t", rest)) != NULL;) {
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

static atn_status read_table(reader *rd, char **rest)
{
    const char *name = strtok_r(NULL, " \t", rest);
    if (name == NULL)
        return refuse(rd, "missing name of a table; write table NAME 1 2 4");
    const bool gamma = rd->channel == NULL && strcmp(name, "gamma") == 0;
    atn_status status = gamma ? find_gamma(rd, rest) : find_table(rd, name);
    if (status == ATN_OK && rd->table->ntaus > 0)
        return refuse(rd, "duplicate table %s; remove one", name);
    return status == ATN_OK ? read_taus(rd, rest) : status;
}

static atn_status read_row(reader *rd, char *text)
{
    atn_cost_table *t = rd->table;
    char *rest, *word = strtok_r(text, " \t", &rest);
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
    t->line[t->nsizes] = rd->line;
    for (; status == ATN_OK && (word = strtok_r(NULL, " \t", &rest)) != NULL; n++) {
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

static atn_status read_channel(reader *rd, char **rest)
{
    const char *name = strtok_r(NULL, " \t", rest);
    if (name == NULL || strlen(name) > 31 || strtok_r(NULL, " \t", rest) != NULL)
        return refuse(rd, "a channel needs one name of at most 31 letters, as in: channel memory");
    for (int i = 0; i < rd->m->nchannels; i++)
        if (strcmp(rd->m->channel[i].name, name) == 0)
            return refuse(rd, "duplicate channel %s; remove one", name);
    rd->channel = atn_machine_add_channel(rd->m, name);
    rd->nnames = 0;
    if (rd->channel == NULL)
        return refuse(rd, "more than %d channels", ATN_MACHINE_CHANNELS);
    rd->channel->line = rd->line;
    return ATN_OK;
}

static atn_status read_note(reader *rd, char *text, char *colon)
{
    if (rd->channel)
        return refuse(rd, "provenance (\"key: value\") must precede the channels");
    *colon++ = '\0';
    if (atn_machine_note(rd->m, text, colon + strspn(colon, " \t")))
        return ATN_OK;
    return refuse(rd, "more than %d lines of provenance", ATN_MACHINE_NOTES);
}

static atn_status read_words(reader *rd, char *text)
{
    static const char *words[] = {"channel",   "table",   "end",      "path",    "overhead",
                                  "processor", "hockney", "loggp",    "plogp",   "lmo",
                                  "quality",   "hosts",   "measured", "circuits"};
    char *rest;
    const char *word = strtok_r(text, " \t", &rest), *line;
    rd->table = NULL;
    if (strcmp(word, "table") == 0)
        return read_table(rd, &rest);
    if (strcmp(word, "channel") == 0)
        return read_channel(rd, &rest);
    if (strcmp(word, "end") == 0) {
        if (rd->m->nchannels == 0)
            return refuse(rd, "no channel; add at least channel memory");
        rd->ended = true;
        return ATN_OK;
    }
    if ((line = find_line(rd, word)) != NULL)
        return read_fields(rd, line, &rest);
    return unknown(rd, "word", word, words, (int)(sizeof words / sizeof words[0]));
}

static atn_status read_line(reader *rd, char *text)
{
    text += strspn(text, " \t");
    size_t n = strlen(text);
    while (n > 0 && strchr(" \t\r", text[n - 1]) != NULL)
        text[--n] = '\0';
    for (size_t i = 0; i < n; i++)
        if ((unsigned char)text[i] < ' ' && text[i] != '\t')
            return refuse(rd, "byte 0x%02x is not text; the file is damaged or not a machine file",
                          (unsigned char)text[i]);
    if (n == 0 || *text == '#')
        return ATN_OK;
    if (rd->ended)
        return refuse(rd, "text after \"end\"; remove it");
    if (isdigit((unsigned char)*text))
        return read_row(rd, text);
    char *end = text + strcspn(text, ": \t=");
    return *end == ':' && end > text ? read_note(rd, text, end) : read_words(rd, text);
}

static atn_status read_version(reader *rd, const char *text)
{
    static const char magic[] = "attune-machine ";
    const size_t n = sizeof magic - 1;
    if (strncmp(text, magic, n) != 0)
        return refuse(rd, "not a machine file; the first line must be \"attune-machine %d\"",
                      ATN_MACHINE_VERSION);
    const long version = strtol(text + n, NULL, 10);
    if (version < 1)
        return refuse(rd, "no version; the first line must be \"attune-machine %d\"",
                      ATN_MACHINE_VERSION);
    if (version > ATN_MACHINE_VERSION)
        return refuse(rd,
                      "machine file of version %ld, this Attune reads version %d; use a newer "
                      "Attune or measure again",
                      version, ATN_MACHINE_VERSION);
    return ATN_OK;
}

/* Splits the text into lines in place. */
static atn_status read_lines(reader *rd, char *text, size_t bytes)
{
    atn_status status = read_version(rd, text);
    const char *why = NULL;
    char *at = text, *line;
    while (status == ATN_OK && (line = atn_cut_line(&at, text + bytes, &why)) != NULL) {
        if (line != text)
            status = read_line(rd, line);
        rd->line++;
    }
    if (why != NULL)
        return refuse(rd, "%s", why);
    if (status == ATN_OK && !rd->ended)
        return refuse(rd, "the line \"end\" is missing: the file is truncated; restore it");
    return status;
}

/* The application may have called setlocale before MPI_Init; numbers would then have commas. */
static atn_status read_plainly(reader *rd, char *text, size_t bytes)
{
    const locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (plain == (locale_t)0)
        return atn_fail(rd->err, ATN_MEMORY, "%s: out of memory", rd->origin);
    const locale_t before = uselocale(plain);
    const atn_status status = read_lines(rd, text, bytes);
    uselocale(before);
    freelocale(plain);
    return status;
}

atn_status atn_machine_parse(const char *text, size_t bytes, const char *origin,
                             atn_machine **machine_p, atn_error *err)
{
    reader rd = {.origin = origin, .line = 1, .m = atn_machine_new(), .err = err};
    char *copy = malloc(bytes + 1);
    atn_status status = ATN_OK;
    if (copy == NULL || rd.m == NULL) {
        status = atn_fail(err, ATN_MEMORY, "%s: out of memory", origin);
    } else {
        memcpy(copy, text, bytes);
        copy[bytes] = '\0';
        snprintf(rd.m->origin, sizeof rd.m->origin, "%s", origin);
        status = read_plainly(&rd, copy, bytes);
    }
    if (status == ATN_OK)
        status = atn_machine_check(rd.m, err);
    if (status == ATN_OK)
        *machine_p = rd.m;
    else
        atn_machine_free(rd.m);
    free(copy);
    return status;
}

atn_status atn_machine_read(const char *path, atn_machine **machine_p, atn_error *err)
{
    char *text;
    size_t bytes;
    atn_status status = atn_read_file(path, &text, &bytes, err);
    if (status != ATN_OK)
        return status;
    status = atn_machine_parse(text, bytes, path, machine_p, err);
    free(text);
    return status;
}
