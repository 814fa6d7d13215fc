/* drawing.h - drawings of schedules inside of pages. */
#ifndef ATN_CLI_TUNING_DRAWING_H
#define ATN_CLI_TUNING_DRAWING_H

#include "base/base.h"

enum { ATN_DRAWN_RANKS = 8 };

/* The command that draws an algorithm ("chain{segment=8K}") on `ranks` ranks, which opens its
 * drawing on at most ATN_DRAWN_RANKS, if need be as hosts on one switch.  Nothing if it cannot be
 * drawn or is large. */
void atn_cli_drawing_put(FILE *f, const char *operation, const char *use, int ranks);

#endif
