/* svg.c - SVG shapes. */
#include "report/svg.h"

#include <math.h>
#include <stdarg.h>

static void escaped(FILE *f, const char *text)
{
    for (; *text; text++) {
        switch (*text) {
        case '&':
            fputs("&amp;", f);
            break;
        case '<':
            fputs("&lt;", f);
            break;
        case '>':
            fputs("&gt;", f);
            break;
        case '"':
            fputs("&quot;", f);
            break;
        default:
            fputc(*text, f);
        }
    }
}

/* Tenths of a pixel are enough; whole numbers go without the dot to keep files small. */
static void number(FILE *f, const char *name, double v)
{
    const double tenths = floor(v * 10 + 0.5);
    if (fmod(tenths, 10) == 0)
        fprintf(f, " %s=\"%.0f\"", name, tenths / 10);
    else
        fprintf(f, " %s=\"%.1f\"", name, tenths / 10);
}

void atn_report_svg_begin(FILE *f, double width, double height, const char *style,
                          const char *title)
{
    fprintf(f,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" "
            "viewBox=\"0 0 %.0f %.0f\" role=\"img\">\n<title>",
            width, height, width, height);
    escaped(f, title);
    fprintf(f, "</title>\n<style>\n%s</style>\n", style);
}

void atn_report_svg_end(FILE *f) { fputs("</svg>\n", f); }

void atn_report_svg_rect(FILE *f, const char *class, double x, double y, double w, double h,
                         double radius)
{
    fprintf(f, "<rect class=\"%s\"", class);
    number(f, "x", x);
    number(f, "y", y);
    number(f, "width", w);
    number(f, "height", h);
    if (radius > 0)
        number(f, "rx", radius);
    fputs("/>\n", f);
}

void atn_report_svg_circle(FILE *f, const char *class, double x, double y, double radius)
{
    fprintf(f, "<circle class=\"%s\"", class);
    number(f, "cx", x);
    number(f, "cy", y);
    number(f, "r", radius);
    fputs("/>\n", f);
}

void atn_report_svg_line(FILE *f, const char *class, atn_point from, atn_point to)
{
    fprintf(f, "<line class=\"%s\"", class);
    number(f, "x1", from.x);
    number(f, "y1", from.y);
    number(f, "x2", to.x);
    number(f, "y2", to.y);
    fputs("/>\n", f);
}

void atn_report_svg_curve(FILE *f, const char *class, atn_point from, double reach, atn_point to,
                          double width)
{
    const double middle = from.x + reach / 2, turn = from.x + reach;
    fprintf(f, "<path class=\"%s\" d=\"M%.1f %.1fC%.1f %.1f %.1f %.1f %.1f %.1fH%.1f\"", class,
            from.x, from.y, middle, from.y, middle, to.y, turn, to.y, to.x);
    number(f, "stroke-width", width);
    fputs("/>\n", f);
}

static void many(FILE *f, const char *shape, const char *class, const atn_point *points, int n)
{
    fprintf(f, "<%s class=\"%s\" points=\"", shape, class);
    for (int i = 0; i < n; i++)
        fprintf(f, "%s%.1f,%.1f", i > 0 ? " " : "", points[i].x, points[i].y);
    fputs("\"/>\n", f);
}

void atn_report_svg_polyline(FILE *f, const char *class, const atn_point *points, int n)
{
    many(f, "polyline", class, points, n);
}

void atn_report_svg_polygon(FILE *f, const char *class, const atn_point *points, int n)
{
    many(f, "polygon", class, points, n);
}

void atn_report_svg_dot(FILE *f, const char *class, atn_point at, double radius, const char *format,
                        ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    fprintf(f, "<circle class=\"%s\"", class);
    number(f, "cx", at.x);
    number(f, "cy", at.y);
    number(f, "r", radius);
    fputs("><title>", f);
    escaped(f, text);
    fputs("</title></circle>\n", f);
}

void atn_report_svg_arrow(FILE *f, const char *class, atn_point from, atn_point to, double head)
{
    const double dx = to.x - from.x, dy = to.y - from.y, length = hypot(dx, dy);
    if (length <= 0)
        return;
    const double ux = dx / length, uy = dy / length;
    const atn_point neck = {to.x - ux * head, to.y - uy * head};
    const double half = head * 0.42;
    atn_report_svg_line(f, class, from, neck);
    fprintf(f, "<path class=\"%s-head\" d=\"M%.1f %.1fL%.1f %.1fL%.1f %.1fZ\"/>\n", class, to.x,
            to.y, neck.x - uy * half, neck.y + ux * half, neck.x + uy * half, neck.y - ux * half);
}

void atn_report_svg_text(FILE *f, const char *class, const char *anchor, double x, double y,
                         const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    fprintf(f, "<text class=\"%s\" text-anchor=\"%s\"", class, anchor);
    number(f, "x", x);
    number(f, "y", y);
    fputc('>', f);
    escaped(f, text);
    fputs("</text>\n", f);
}
