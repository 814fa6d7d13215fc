/* fields.c - key=value words and lines. */
#include "topo/fields.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "topo/units.h"

/* ---- words ---- */

static char *skip_blanks(char *at)
{
    while (isspace((unsigned char)*at))
        at++;
    return at;
}

static atn_line_field *find_key(atn_line_field *fields, int n, const char *key)
{
    for (int i = 0; i < n; i++)
        if (strcasecmp(fields[i].key, key) == 0)
            return &fields[i];
    return NULL;
}

static void unknown_key(const atn_line_field *fields, int n, const char *key, atn_findings *found,
                        int line)
{
    enum { MOST = 8 };
    const char *words[MOST];
    char all[160] = "";
    size_t used = 0;
    for (int i = 0; i < n && i < MOST; i++) {
        words[i] = fields[i].key;
        used +=
            (size_t)snprintf(all + used, sizeof all - used, "%s%s=", i ? ", " : "", fields[i].key);
    }
    const char *near = atn_nearest(key, words, atn_min(n, MOST));
    atn_topo_found(found, line, "unknown key %s; this line may have %s%s%s%s", key, all,
                   near ? " (did you mean " : "", near ? near : "", near ? "?)" : "");
}

/* An empty value is followed by the next key, not by its own text. */
static bool is_key(const char *at) { return at[strcspn(at, "=\" \t")] == '='; }

/* Cuts out the value behind an =; `*at_p` moves behind it.  NULL: a quote is open. */
static char *cut_value(char **at_p, char *equals)
{
    char *at = skip_blanks(equals + 1);
    if (at > equals + 1 && is_key(at)) {
        *at_p = at;
        *equals = '\0';
        return equals;
    }
    const bool quoted = *at == '"';
    char *value = quoted ? at + 1 : at;
    char *end = quoted ? strchr(value, '"') : value + strcspn(value, " \t\r\f\v");
    if (end == NULL)
        return NULL;
    *at_p = *end != '\0' ? end + 1 : end;
    *end = '\0';
    return value;
}

bool atn_topo_fields_read(char *text, atn_line_field *fields, int n, atn_findings *found, int line)
{
    const int before = found->wrong;
    for (char *at = skip_blanks(text); *at != '\0'; at = skip_blanks(at)) {
        char *key = at, *key_end = at + strcspn(at, "= \t");
        char *equals = skip_blanks(key_end);
        if (*equals != '=' || key_end == key) {
            at = at + strcspn(at, " \t");
            atn_topo_found(found, line, "'%.*s' is no key=value; write its key or remove it",
                           (int)(at - key), key);
            continue;
        }
        char *value = cut_value(&at, equals);
        *key_end = '\0';
        if (value == NULL) {
            atn_topo_found(found, line, "%s= has a quote that is not closed; close it", key);
            break;
        }
        atn_line_field *field = find_key(fields, n, key);
        if (field == NULL)
            unknown_key(fields, n, key, found, line);
        else if (field->value != NULL)
            atn_topo_found(found, line, "%s= stands twice on this line; keep one", field->key);
        else
            field->value = value;
    }
    return found->wrong == before;
}

/* ---- lines ---- */

/* A backslash at the end continues the line, unless it belongs to a comment. */
static bool continued(const char *text, size_t bytes)
{
    while (bytes > 0 && isspace((unsigned char)text[bytes - 1]))
        bytes--;
    return bytes > 0 && text[bytes - 1] == '\\' && memchr(text, '#', bytes) == NULL;
}

/* From here to the end of the line, with the lines that continue it. */
static size_t line_length(const char *at, bool joined)
{
    size_t length = strcspn(at, "\n"), start = 0;
    while (joined && at[length] == '\n' && continued(at + start, length - start)) {
        start = length + 1;
        length = start + strcspn(at + start, "\n");
    }
    return length;
}

char *atn_topo_next_line(const char **at_p, int *line_p, bool joined, atn_findings *found)
{
    const char *at = *at_p;
    if (*at == '\0')
        return NULL;
    const size_t length = line_length(at, joined);
    char *text = strndup(at, length);
    if (text == NULL) {
        found->no_memory = true;
        return NULL;
    }
    ++*line_p;
    for (char *c = text; (c = strchr(c, '\n')) != NULL; *c++ = ' ') {
        char *back = c;
        while (*back != '\\')
            back--;
        *back = ' ';
        ++*line_p;
    }
    for (size_t n = length; n > 0 && isspace((unsigned char)text[n - 1]); n--)
        text[n - 1] = '\0';
    *at_p = at + length + (at[length] == '\n');
    return text;
}

/* ---- values ---- */

int64_t atn_topo_field_rate(const atn_line_field *field, atn_findings *found, int line)
{
    int64_t rate = 0;
    if (field->value != NULL && !atn_topo_parse_rate(field->value, &rate))
        atn_topo_found(found, line, "%s=%s is no rate; " ATN_RATE_REMEDY, field->key, field->value);
    return rate;
}

int64_t atn_topo_field_delay(const atn_line_field *field, atn_findings *found, int line)
{
    int64_t ns = 0;
    if (field->value != NULL && !atn_topo_parse_delay(field->value, &ns))
        atn_topo_found(found, line, "%s=%s is no time; " ATN_DELAY_REMEDY, field->key,
                       field->value);
    return ns;
}
