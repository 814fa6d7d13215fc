/* sequence.c - see sequence.h. */
#include "research/replay/sequence.h"

#include <stdlib.h>
#include <string.h>

void atn_replay_sequence_free(atn_sequence *s)
{
    atn_vec_free(&s->stream);
    atn_predict_numbers_free(&s->symbols);
    atn_predict_numbers_free(&s->sites);
}

typedef struct {
    const char *origin;
    int line;
    atn_sequence *s;
} reader;

static atn_status add_word(reader *r, const char *word, atn_error *err)
{
    atn_sequence *s = r->s;
    const char *colon = strchr(word, ':');
    if (s->stream.n == 0)
        s->has_sites = colon != NULL;
    if (s->has_sites != (colon != NULL))
        return atn_fail(err, ATN_INPUT,
                        "%s:%d: \"%s\" has %s, others have %s; write all or none as SITE:SYMBOL",
                        r->origin, r->line, word, colon ? "a call site" : "no call site",
                        colon ? "none" : "one");
    const char *symbol = colon ? colon + 1 : word;
    if (!*symbol || colon == word)
        return atn_fail(err, ATN_INPUT, "%s:%d: \"%s\": nothing %s the colon; write SITE:SYMBOL",
                        r->origin, r->line, word, *symbol ? "before" : "after");
    const atn_stream_request x = {
        .symbol = atn_predict_number_of(&s->symbols, symbol, strlen(symbol)),
        .site = atn_predict_number_of(&s->sites, word, colon ? (size_t)(colon - word) : 0)};
    if (x.symbol < 0 || x.site < 0 || !atn_push(&s->stream, x))
        return atn_fail(err, ATN_MEMORY, "%s: out of memory", r->origin);
    return ATN_OK;
}

static atn_status add_line(reader *r, char *line, atn_error *err)
{
    atn_status st = ATN_OK;
    static const char between[] = " ,\t\r\v\f";
    char *save = NULL;
    line[strcspn(line, "#")] = '\0';
    for (char *w = strtok_r(line, between, &save); w && !st; w = strtok_r(NULL, between, &save))
        st = add_word(r, w, err);
    return st;
}

atn_status atn_replay_sequence_parse(char *text, size_t bytes, const char *origin,
                                     atn_sequence *s_p, atn_error *err)
{
    atn_sequence s = {0};
    reader r = {.origin = origin, .s = &s};
    atn_status st = ATN_OK;
    if (memchr(text, '\0', bytes))
        return atn_fail(err, ATN_INPUT, "%s: contains a NUL byte; write text", origin);
    for (char *line = text, *next; line && !st; line = next) {
        next = strchr(line, '\n');
        if (next)
            *next++ = '\0';
        r.line++;
        st = add_line(&r, line, err);
    }
    if (!st && s.stream.n == 0)
        st = atn_fail(err, ATN_INPUT, "%s: contains no symbol; write words separated by blanks",
                      origin);
    if (st)
        atn_replay_sequence_free(&s);
    else
        *s_p = s;
    return st;
}
