/* progress.h - progress on standard error: a bar on a terminal, lines elsewhere. */
#ifndef ATN_CLI_PROGRESS_H
#define ATN_CLI_PROGRESS_H

#include "base/base.h"

typedef struct {
    bool shown;     /* standard error is a terminal */
    bool drawn;     /* the bar is visible */
    double began_s; /* start time, and time of the last drawing */
    double drawn_s;
} atn_progress;

/* For a command that consists of several: until the next call, bars cover the part from `from` to
 * `to` of the whole, which began at `began_s`, and `title` precedes what is in progress.  NULL:
 * bars stand for themselves again. */
void atn_cli_progress_within(const char *title, double from, double to, double began_s);

void atn_cli_progress_begin(atn_progress *p);
/* `share` of the work is done (0 .. 1); `what` is in progress.  At most ten times a second. */
void atn_cli_progress_show(atn_progress *p, double share, const char *what);
/* Clears the bar before other output; the next call draws it again. */
void atn_cli_progress_clear(atn_progress *p);

/* Prints "attune: 12 %, 1:05 left: bcast 64K" if there is no bar. */
void atn_cli_progress_line(const atn_progress *p, double share, const char *what);

double atn_cli_seconds(void); /* monotonic clock */

#endif
