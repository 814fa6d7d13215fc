/* svg.h - writes SVG shapes.  Colours are in a style sheet, so that a drawing can be light or dark;
 * shapes only name their class. */
#ifndef ATN_REPORT_SVG_H
#define ATN_REPORT_SVG_H

#include "base/base.h"

typedef struct {
    double x, y;
} atn_point;

/* `style` is CSS; `title` is the accessible name. */
void atn_report_svg_begin(FILE *f, double width, double height, const char *style,
                          const char *title);
void atn_report_svg_end(FILE *f);

void atn_report_svg_rect(FILE *f, const char *class, double x, double y, double w, double h,
                         double radius);
void atn_report_svg_circle(FILE *f, const char *class, double x, double y, double radius);
void atn_report_svg_line(FILE *f, const char *class, atn_point from, atn_point to);
/* A smooth curve of this width from left to right that reaches the height of its end within
 * `reach` and continues straight. */
void atn_report_svg_curve(FILE *f, const char *class, atn_point from, double reach, atn_point to,
                          double width);
/* A line with an arrow head; its class colours the line, "<class>-head" the head. */
void atn_report_svg_arrow(FILE *f, const char *class, atn_point from, atn_point to, double head);
/* A line through n points, and an area bounded by them. */
void atn_report_svg_polyline(FILE *f, const char *class, const atn_point *points, int n);
void atn_report_svg_polygon(FILE *f, const char *class, const atn_point *points, int n);
/* A mark with a tooltip. */
void atn_report_svg_dot(FILE *f, const char *class, atn_point at, double radius, const char *format,
                        ...) __attribute__((format(printf, 5, 6)));
/* `anchor`: start, middle or end. */
void atn_report_svg_text(FILE *f, const char *class, const char *anchor, double x, double y,
                         const char *format, ...) __attribute__((format(printf, 6, 7)));

#endif
