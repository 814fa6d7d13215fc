/* text.c - see text.h. */
#include "research/ron/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/lines.h"

atn_status atn_ron_text_refuse(const atn_text_line *l, const char *what, const char *text,
                               const char *remedy)
{
    return atn_fail(l->err, ATN_INPUT, "%s:%d: %s \"%.60s\"; %s", l->path, l->line, what, text,
                    remedy);
}

atn_status atn_ron_text_number(const atn_text_line *l, int i, const char *what, double *v_p)
{
    char *end;
    const double v = strtod(l->word[i], &end);
    if (end == l->word[i] || *end != '\0' || !isfinite(v))
        return atn_ron_text_refuse(l, what, l->word[i], "write a number such as 12.5");
    *v_p = v;
    return ATN_OK;
}

atn_status atn_ron_text_whole(const atn_text_line *l, int i, const char *what, int64_t limit,
                              int64_t *v_p)
{
    char *end;
    const long long v = strtoll(l->word[i], &end, 10);
    if (end == l->word[i] || *end != '\0' || v < 0 || v >= limit)
        return atn_ron_text_refuse(l, what, l->word[i], "write a non-negative integer");
    *v_p = v;
    return ATN_OK;
}

static atn_status cut_words(atn_text_line *l, char *text)
{
    char *rest = text;

    l->n = 0;
    while (rest && l->n < ATN_TEXT_WORDS) {
        char *comma = strchr(rest, ',');
        l->word[l->n++] = rest;
        if (comma)
            *comma++ = '\0';
        rest = comma;
    }
    return rest ? atn_ron_text_refuse(l, "too many values on one line, after", l->word[l->n - 1],
                                      "check the name of the file")
                : ATN_OK;
}

static atn_status read_lines(atn_text_line *l, const char *text, size_t bytes, atn_text_take take,
                             void *to)
{
    static const atn_format format = {.whole = true};
    atn_lines lines;
    atn_status status = atn_lines_open(&lines, &format, l->path, text, bytes, l->err);

    while (!status && atn_lines_next(&lines, &status)) {
        l->line = lines.line;
        status = cut_words(l, lines.text);
        status = status ? status : take(to, l);
    }
    atn_lines_close(&lines);
    if (!status && bytes == 0)
        return atn_fail(l->err, ATN_INPUT, "%s:1: the file is empty; check its name", l->path);
    return status;
}

atn_status atn_ron_text_read(const char *path, atn_text_take take, void *to, atn_error *err)
{
    atn_text_line l = {.path = path, .err = err};
    char *text;
    size_t bytes;
    atn_status status = atn_read_file(path, &text, &bytes, err);
    if (status)
        return status;
    status = read_lines(&l, text, bytes, take, to);
    free(text);
    return status;
}
