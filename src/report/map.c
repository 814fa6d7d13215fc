/* map.c - see map.h. */
#include "report/map.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/html.h"

enum { COLOURS = 10 };

/* The algorithms in order of appearance, without parameters: "chain" of "chain{segment=8K}". */
typedef struct {
    const char *name;
    int length;
} family;

typedef struct {
    const atn_map *map;
    ATN_VEC(int64_t) sizes; /* ascending */
    ATN_VEC(family) families;
} layout;

static family family_of(const char *use) { return (family){use, (int)strcspn(use, "{:")}; }

static bool is_same(family a, family b)
{
    return a.length == b.length && strncmp(a.name, b.name, (size_t)a.length) == 0;
}

static bool is_native(family a) { return is_same(a, (family){"native", 6}); }

/* -1: native. */
static int number_of(const layout *l, const char *use)
{
    const family wanted = family_of(use);
    for (int i = 0; i < l->families.n; i++)
        if (is_same(l->families.v[i], wanted))
            return i;
    return -1;
}

static bool add_size(layout *l, int64_t bytes)
{
    int at = 0;
    while (at < l->sizes.n && l->sizes.v[at] < bytes)
        at++;
    if (at < l->sizes.n && l->sizes.v[at] == bytes)
        return true;
    if (!atn_push(&l->sizes, bytes))
        return false;
    memmove(&l->sizes.v[at + 1], &l->sizes.v[at],
            (size_t)(l->sizes.n - 1 - at) * sizeof *l->sizes.v);
    l->sizes.v[at] = bytes;
    return true;
}

static bool lay(const atn_map *map, layout *l)
{
    l->map = map;
    bool ok = true;
    for (int i = 0; i < map->n && ok; i++) {
        const family own = family_of(map->v[i].use);
        ok = add_size(l, map->v[i].bytes) &&
             (is_native(own) || number_of(l, own.name) >= 0 || atn_push(&l->families, own));
    }
    return ok;
}

/* ---- writing ---- */

static const char *colour_of(int number, char out[16])
{
    if (number < 0 || number >= COLOURS)
        return "other";
    snprintf(out, 16, "c%d", number);
    return out;
}

static void put_legend(FILE *f, const layout *l)
{
    char name[16];
    fputs("<div class=\"keys\">", f);
    for (int i = 0; i < l->families.n; i++)
        fprintf(f, "<span><span class=\"key\" style=\"background:var(--%s)\"></span>%.*s</span>",
                colour_of(i, name), l->families.v[i].length, l->families.v[i].name);
    fputs("<span><span class=\"key\" style=\"background:var(--empty)\"></span>native</span>"
          "<span>number: time relative to native; wavy: the interval includes 1</span></div>\n",
          f);
}

/* Half of the time of native or less has the deepest colour; text must remain readable on it. */
static int depth_of(const atn_map_cell *c)
{
    const double gain = c->vs_native.mid > 0 ? 1 - c->vs_native.mid : 0.25;
    return (int)lround(20 + 50 * fmin(1, fmax(0, 2 * gain)));
}

static void put_number(FILE *f, const atn_map_cell *c)
{
    if (c->vs_native.mid <= 0)
        return;
    const bool uncertain = c->vs_native.lo <= 1 && c->vs_native.hi >= 1;
    fprintf(f, "<br><small%s>%.2f</small>", uncertain ? " class=\"uncertain\"" : "",
            c->vs_native.mid);
}

static void put_cell(FILE *f, const layout *l, const atn_map_cell *c)
{
    char name[16], size[32];
    const family own = family_of(c->use);
    if (is_native(own))
        fputs("<td class=\"win\" title=\"", f);
    else
        fprintf(f, "<td class=\"win\" style=\"--k:var(--%s);--d:%d%%\" title=\"",
                colour_of(number_of(l, c->use), name), depth_of(c));
    fprintf(f, "%s %s: ", c->operation, atn_format_size(c->bytes, size));
    atn_report_html_text(f, c->use);
    if (c->vs_native.mid > 0)
        fprintf(f, "%s takes %.3f [%.3f .. %.3f] of native",
                is_native(own) ? "; the best other algorithm" : "", c->vs_native.mid,
                c->vs_native.lo, c->vs_native.hi);
    fprintf(f, "\">%.*s", own.length, own.name);
    put_number(f, c);
    fputs("</td>", f);
}

/* The cells from i on that belong to its operation; returns the next one. */
static int put_row(FILE *f, const layout *l, int i)
{
    const char *const operation = l->map->v[i].operation;
    fprintf(f, "<tr><th class=\"w\">%s</th>", operation);
    for (int k = 0; k < l->sizes.n; k++) {
        const bool here = i < l->map->n && l->map->v[i].bytes == l->sizes.v[k] &&
                          strcmp(l->map->v[i].operation, operation) == 0;
        if (here)
            put_cell(f, l, &l->map->v[i++]);
        else
            fputs("<td></td>", f);
    }
    fputs("</tr>\n", f);
    return i;
}

bool atn_report_map_write(FILE *f, const atn_map *map)
{
    layout l = {.map = map};
    char size[32];
    const bool ok = lay(map, &l);
    if (ok && map->n > 0) {
        put_legend(f, &l);
        fputs("<div class=\"scroll\"><table class=\"map\" id=\"map\"><thead><tr><th></th>", f);
        for (int i = 0; i < l.sizes.n; i++)
            fprintf(f, "<th>%s</th>", atn_format_size(l.sizes.v[i], size));
        fputs("</tr></thead><tbody>\n", f);
        for (int i = 0; i < map->n;)
            i = put_row(f, &l, i);
        fputs("</tbody></table></div>\n", f);
    }
    atn_vec_free(&l.sizes);
    atn_vec_free(&l.families);
    return ok;
}
