/* ron_draw.h - circuits as a picture. */
#ifndef ATN_RON_DRAW_H
#define ATN_RON_DRAW_H

#include "model/ron.h"

/* SVG: a row per port of each rank, time to the right; changes of circuits and messages, with the
 * rank they go to.  ATN_INPUT when there is too much to draw. */
atn_status atn_circuits_draw(FILE *f, const char *title, const atn_ron *net, const atn_circuits *c,
                             int p, atn_error *err);

#endif
