/* text.h - reads comma-separated values with a heading line by line. */
#ifndef ATN_RESEARCH_RON_TEXT_H
#define ATN_RESEARCH_RON_TEXT_H

#include "base/base.h"

enum { ATN_TEXT_WORDS = 16 };

typedef struct {
    const char *path;
    int line;
    char *word[ATN_TEXT_WORDS];
    int n;
    atn_error *err;
} atn_text_line;

/* "path:line: what "text"; remedy" */
atn_status atn_ron_text_refuse(const atn_text_line *l, const char *what, const char *text,
                               const char *remedy);
/* Word i as a finite number, or as a non-negative integer below `limit`; `what` names it in error
 * messages. */
atn_status atn_ron_text_number(const atn_text_line *l, int i, const char *what, double *v_p);
atn_status atn_ron_text_whole(const atn_text_line *l, int i, const char *what, int64_t limit,
                              int64_t *v_p);

/* Calls `take` for every line that is not empty, the heading first, until it fails. */
typedef atn_status (*atn_text_take)(void *to, const atn_text_line *l);
atn_status atn_ron_text_read(const char *path, atn_text_take take, void *to, atn_error *err);

#endif
