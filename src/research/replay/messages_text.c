/* messages_text.c - messages as comma-separated values. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "research/replay/messages.h"

enum { MAX_RANKS = 1 << 20, MAX_COLUMNS = 64 };

typedef enum {
    RANK,
    OP,
    PARTNER,
    TAG,
    BYTES,
    COMM,
    TYPE,
    BUFFER,
    SITE,
    DEPTH,
    POSTED,
    COLUMNS
} column;
static const char *const column_names[] = {"rank", "op",     "partner", "tag",   "bytes", "comm",
                                           "type", "buffer", "site",    "depth", "asked"};

static const char *const senders[] = {"send",
                                      "bsend",
                                      "ssend",
                                      "rsend",
                                      "isend",
                                      "ibsend",
                                      "issend",
                                      "irsend",
                                      "sendrecv",
                                      "start-send",
                                      "sendrecv_replace",
                                      "isendrecv",
                                      "isendrecv_replace"};
static const char *const hints[] = {[ATN_SENDS] = "pre_send", [ATN_RECEIVES] = "pre_recv"};
static const char *const receivers[] = {"recv", "mrecv", "irecv", "imrecv", "start-receive"};

typedef struct {
    const char *origin;
    int line;
    int place[COLUMNS]; /* of each column in the heading; -1: missing */
    int width;          /* columns of the heading */
    atn_numbers words;  /* of columns with arbitrary text */
    atn_messages *m;
} reader;

static bool is_one_of(const char *word, const char *const *words, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(word, words[i]) == 0)
            return true;
    return false;
}

/* ---- fields ---- */

/* Removes the quotes of a field in place; returns its end. */
static char *unquote(char *field)
{
    char *out = field, *in = field + 1;
    for (; *in && !(in[0] == '"' && in[1] != '"'); in++) {
        in += in[0] == '"';
        *out++ = *in;
    }
    char *end = *in ? in + 1 : in;
    *out = '\0';
    return end;
}

/* Splits a line at commas outside quotes; returns the number of fields. */
static int cut(char *line, char *fields[MAX_COLUMNS])
{
    int n = 0;
    for (char *at = line; at && n < MAX_COLUMNS;) {
        char *comma = *at == '"' ? unquote(at) : at;
        fields[n++] = at;
        comma += strcspn(comma, ",");
        at = *comma ? comma + 1 : NULL;
        *comma = '\0';
    }
    return n;
}

static const char *field(const reader *r, char **fields, column c)
{
    return r->place[c] >= 0 ? fields[r->place[c]] : "";
}

static atn_status number(const reader *r, char **fields, column c, int most, int *v_p,
                         atn_error *err)
{
    const char *text = field(r, fields, c);
    char *end;
    errno = 0;
    const long v = strtol(text, &end, 10);
    if (errno || end == text || *end || v < 0 || v > most)
        return atn_fail(err, ATN_INPUT, "%s:%d: invalid %s \"%s\"; write a number from 0 to %d",
                        r->origin, r->line, column_names[c], text, most);
    *v_p = (int)v;
    return ATN_OK;
}

/* This column holds the wildcards of a receive, the others describe the message received. */
static bool has_wildcard(const reader *r, char **fields, const char *what)
{
    const char *posted = field(r, fields, POSTED);
    return strcmp(posted, "any") == 0 || strcmp(posted, what) == 0;
}

static atn_status word(reader *r, char **fields, column c, int *v_p, atn_error *err)
{
    const char *text = c == TAG && has_wildcard(r, fields, "any-tag") ? "any" : field(r, fields, c);
    *v_p = atn_predict_number_of(&r->words, text, strlen(text));
    return *v_p < 0 ? atn_fail(err, ATN_MEMORY, "%s: out of memory", r->origin) : ATN_OK;
}

/* ---- lines ---- */

static atn_status read_heading(reader *r, char *line, atn_error *err)
{
    char *fields[MAX_COLUMNS];
    r->width = cut(line, fields);
    for (column c = 0; c < COLUMNS; c++) {
        r->place[c] = -1;
        for (int i = 0; i < r->width; i++)
            if (strcmp(fields[i], column_names[c]) == 0)
                r->place[c] = i;
        if (r->place[c] < 0 && c <= PARTNER)
            return atn_fail(
                err, ATN_INPUT,
                "%s:%d: missing column \"%s\"; the heading must name rank, op and partner",
                r->origin, r->line, column_names[c]);
    }
    return ATN_OK;
}

static atn_status read_message(reader *r, char **fields, atn_message *x, atn_error *err)
{
    const char *partner = field(r, fields, PARTNER);
    int bytes = 0, buffer = 0;
    atn_status st = ATN_OK;
    if (strcmp(partner, "any") == 0 || has_wildcard(r, fields, "any-source"))
        x->partner = ATN_ANY_PARTNER;
    else if (strcmp(partner, "foreign") == 0)
        x->partner = ATN_FOREIGN_PARTNER;
    else
        st = number(r, fields, PARTNER, MAX_RANKS, &x->partner, err);
    st = st ? st : word(r, fields, TAG, &x->tag, err);
    st = st ? st : word(r, fields, BYTES, &bytes, err);
    st = st ? st : word(r, fields, COMM, &x->comm, err);
    st = st ? st : word(r, fields, TYPE, &x->type, err);
    st = st ? st : word(r, fields, BUFFER, &buffer, err);
    st = st ? st : word(r, fields, SITE, &x->site, err);
    x->bytes = bytes;
    x->buffer = buffer;
    return st;
}

/* Messages inside collectives belong to the MPI library. */
static bool is_inside(const reader *r, char **fields)
{
    const char *depth = field(r, fields, DEPTH);
    return *depth && strcmp(depth, "0") != 0;
}

/* False: neither a message nor a hint. */
static bool read_op(const char *op, atn_message *x)
{
    x->hint = is_one_of(op, hints, ATN_DIRECTIONS);
    const bool sends =
        is_one_of(op, senders, sizeof senders / sizeof *senders) || strcmp(op, hints[0]) == 0;
    x->side = sends ? ATN_SENDS : ATN_RECEIVES;
    return x->hint || sends || is_one_of(op, receivers, sizeof receivers / sizeof *receivers);
}

static atn_status read_line(reader *r, char *line, atn_error *err)
{
    char *fields[MAX_COLUMNS];
    const int n = cut(line, fields);
    if (n != r->width)
        return atn_fail(
            err, ATN_INPUT,
            "%s:%d: %d fields, but the heading has %d: the line is damaged or truncated", r->origin,
            r->line, n, r->width);
    int rank;
    atn_message x = {0};
    atn_status st = number(r, fields, RANK, MAX_RANKS - 1, &rank, err);
    if (st || is_inside(r, fields) || !read_op(field(r, fields, OP), &x) ||
        strcmp(field(r, fields, PARTNER), "null") == 0)
        return st;
    st = x.hint ? word(r, fields, TAG, &x.tag, err) : read_message(r, fields, &x, err);
    if (st)
        return st;
    atn_message_list *list = atn_replay_messages_of(r->m, rank);
    return list && atn_push(list, x) ? ATN_OK
                                     : atn_fail(err, ATN_MEMORY, "%s: out of memory", r->origin);
}

atn_status atn_replay_messages_parse(char *text, const char *origin, atn_messages *m_p,
                                     atn_error *err)
{
    atn_messages m = {0};
    reader r = {.origin = origin, .m = &m};
    atn_status st = ATN_OK;
    for (char *line = text, *next; line && *line && !st; line = next) {
        next = strchr(line, '\n');
        if (next)
            *next++ = '\0';
        r.line++;
        line[strcspn(line, "\r")] = '\0';
        if (*line)
            st = r.width == 0 ? read_heading(&r, line, err) : read_line(&r, line, err);
    }
    if (!st && m.ranks.n == 0)
        st = atn_fail(err, ATN_INPUT, "%s: no rank sends or receives anything", origin);
    atn_predict_numbers_free(&r.words);
    if (st)
        atn_replay_messages_free(&m);
    else
        *m_p = m;
    return st;
}

/* ---- writing ---- */

static void write_message(FILE *f, int rank, const atn_message *x)
{
    if (x->hint) {
        fprintf(f, "%d,%s,,%d,,,,,\n", rank, hints[x->side], x->tag);
        return;
    }
    fprintf(f, "%d,%s,", rank, x->side == ATN_SENDS ? "send" : "recv");
    if (x->partner < 0)
        fputs(x->partner == ATN_ANY_PARTNER ? "any" : "foreign", f);
    else
        fprintf(f, "%d", x->partner);
    fprintf(f, ",%d,%" PRId64 ",%d,%d,%" PRId64 ",%d\n", x->tag, x->bytes, x->comm, x->type,
            x->buffer, x->site);
}

void atn_replay_messages_write(FILE *f, const atn_messages *m)
{
    for (column c = 0; c <= SITE; c++)
        fprintf(f, "%s%s", c > 0 ? "," : "", column_names[c]);
    fputc('\n', f);
    for (int r = 0; r < m->ranks.n; r++)
        for (int i = 0; i < m->ranks.v[r].n; i++)
            write_message(f, r, &m->ranks.v[r].v[i]);
}
