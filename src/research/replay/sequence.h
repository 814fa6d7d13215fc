/* sequence.h - requests as text: words separated by blanks, commas or newlines, each a symbol or
 * SITE:SYMBOL.
 *
 *   # comment up to the end of the line
 *   4 1 4 2            symbols only: one call site for all
 *   0:4 1:1 0:4 1:2    each symbol with its call site */
#ifndef ATN_RESEARCH_REPLAY_SEQUENCE_H
#define ATN_RESEARCH_REPLAY_SEQUENCE_H

#include "predict/numbers.h"
#include "predict/predict.h"

typedef struct {
    atn_stream stream;
    atn_numbers symbols, sites; /* their names */
    bool has_sites;
} atn_sequence;

/* `origin` is the prefix of error messages.  Modifies `text`. */
atn_status atn_replay_sequence_parse(char *text, size_t bytes, const char *origin,
                                     atn_sequence *s_p, atn_error *err);
void atn_replay_sequence_free(atn_sequence *s);

#endif
