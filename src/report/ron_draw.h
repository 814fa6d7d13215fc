/* ron_draw.h - diagrams of circuit schedules. */
#ifndef ATN_REPORT_RON_DRAW_H
#define ATN_REPORT_RON_DRAW_H

#include "model/ron.h"

/* SVG: a row per port of each rank, time to the right; reconfigurations and messages with their
 * destination.  ATN_INPUT: too large to draw. */
atn_status atn_report_circuits_draw(FILE *f, const char *title, const atn_ron *net,
                                    const atn_circuits *c, int p, atn_error *err);

#endif
