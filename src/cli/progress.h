/* progress.h - progress on standard error: a bar on a terminal, lines elsewhere. */
#ifndef ATN_PROGRESS_H
#define ATN_PROGRESS_H

#include "base/base.h"

typedef struct {
    bool shown;     /* a person may be watching */
    bool drawn;     /* the bar is on the screen now */
    double began_s; /* when the work began, and when the bar was last drawn */
    double drawn_s;
} atn_progress;

void atn_progress_begin(atn_progress *p);
/* `share` of the work is done (0 .. 1); `what` is under way.  Draws at most ten times a second. */
void atn_progress_show(atn_progress *p, double share, const char *what);
/* Takes the bar away, so that something else can be written; the next show brings it back. */
void atn_progress_clear(atn_progress *p);

/* "attune: 12 %, 1:05 left: bcast 64K" in a line of its own, where there is no bar. */
void atn_progress_line(const atn_progress *p, double share, const char *what);

double atn_seconds(void); /* steady clock */

#endif
