/* sequence.h - requests as text: words between blanks, commas or lines, each a symbol, or
 * SITE:SYMBOL.
 *
 *   # the rest of the line is a remark
 *   4 1 4 2            symbols alone: one call site for all
 *   0:4 1:1 0:4 1:2    or every symbol with its call site */
#ifndef ATN_PREDICT_SEQUENCE_H
#define ATN_PREDICT_SEQUENCE_H

#include "predict/numbers.h"
#include "predict/predict.h"

typedef struct {
    atn_stream stream;
    atn_numbers symbols, sites; /* their names */
    bool has_sites;
} atn_sequence;

/* `origin` begins error messages.  `text` is cut into words in place. */
atn_status atn_sequence_parse(char *text, size_t bytes, const char *origin, atn_sequence *s_p,
                              atn_error *err);
void atn_sequence_free(atn_sequence *s);

#endif
