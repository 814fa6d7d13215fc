/* json.c - JSON as a stream. */
#include "report/json.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void quoted(FILE *f, const char *text)
{
    fputc('"', f);
    for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
        if (*c == '"' || *c == '\\')
            fprintf(f, "\\%c", *c);
        else if (*c == '\n')
            fputs("\\n", f);
        else if (*c < 0x20)
            fprintf(f, "\\u%04x", *c);
        else
            fputc(*c, f);
    }
    fputc('"', f);
}

/* The separator before the next value. */
static void begin(atn_json *j, const char *key)
{
    if (j->used)
        fputc(',', j->f);
    if (j->depth > 0)
        fprintf(j->f, "\n%*s", 2 * j->depth, "");
    if (key) {
        quoted(j->f, key);
        fputs(": ", j->f);
    }
    j->used = true;
}

void atn_report_json_open(atn_json *j, const char *key, char bracket)
{
    begin(j, key);
    fputc(bracket, j->f);
    j->depth++;
    j->used = false;
}

void atn_report_json_close(atn_json *j, char bracket)
{
    j->depth--;
    if (j->used)
        fprintf(j->f, "\n%*s", 2 * j->depth, "");
    fputc(bracket, j->f);
    if (j->depth == 0)
        fputc('\n', j->f);
    j->used = true;
}

void atn_report_json_text(atn_json *j, const char *key, const char *text)
{
    begin(j, key);
    if (text)
        quoted(j->f, text);
    else
        fputs("null", j->f);
}

void atn_report_json_int(atn_json *j, const char *key, int64_t v)
{
    begin(j, key);
    fprintf(j->f, "%" PRId64, v);
}

void atn_report_json_bool(atn_json *j, const char *key, bool v)
{
    begin(j, key);
    fputs(v ? "true" : "false", j->f);
}

bool atn_report_json_is_number(const char *text)
{
    static const char digits[] = "0123456789";
    const char *at = text + (*text == '-');
    size_t n = strspn(at, digits);
    if (n == 0 || (n > 1 && *at == '0'))
        return false;
    at += n;
    if (*at == '.') {
        n = strspn(at + 1, digits);
        at += n > 0 ? n + 1 : 0;
    }
    if (*at == 'e' || *at == 'E') {
        const char *const power = at + 1 + (at[1] == '-' || at[1] == '+');
        n = strspn(power, digits);
        at = n > 0 ? power + n : at;
    }
    return *at == '\0';
}

void atn_report_json_number(atn_json *j, const char *key, const char *digits)
{
    char *end;
    const double v = strtod(digits, &end);
    const bool valid = end != digits && *end == '\0' && isfinite(v);
    begin(j, key);
    fputs(valid ? digits : "null", j->f);
}
