/* neighbourhood_text.c - virtual topologies as words and as files of edges. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/lines.h"
#include "sched/neighbourhood.h"

enum { MAX_DIMS = 32, MAX_RANKS = 1 << 20, MAX_DEGREE = 1 << 16, MAX_EDGES = 1 << 26 };

/* Reads digits; false if there are none or the number exceeds `most`. */
static bool number(const char **at, int64_t most, int64_t *v_p)
{
    int64_t v = 0;
    const char *c = *at;

    for (; *c >= '0' && *c <= '9' && v <= most; c++)
        v = v * 10 + (*c - '0');
    if (c == *at || v > most)
        return false;
    *at = c;
    *v_p = v;
    return true;
}

static atn_status malformed(const char *word, const char *form, atn_error *err)
{
    return atn_fail(err, ATN_INPUT, "neighbours '%.80s': the form is %s", word, form);
}

/* ---- edges in the order in which they were given ---- */

typedef struct {
    int from, to;
} arc;
typedef ATN_VEC(arc) arcs;

/* Stable lists of one direction. */
static void fill_list(const arcs *a, int p, atn_way way, int *first, int *ranks)
{
    memset(first, 0, sizeof *first * ((size_t)p + 1));
    for (int e = 0; e < a->n; e++)
        first[(way == ATN_OUTWARD ? a->v[e].from : a->v[e].to) + 1]++;
    for (int r = 0; r < p; r++)
        first[r + 1] += first[r];
    for (int e = 0; e < a->n; e++) {
        const int own = way == ATN_OUTWARD ? a->v[e].from : a->v[e].to;
        ranks[first[own]++] = way == ATN_OUTWARD ? a->v[e].to : a->v[e].from;
    }
    memmove(first + 1, first, sizeof *first * (size_t)p);
    first[0] = 0;
}

static atn_status from_arcs(const arcs *a, int p, atn_neighbourhood **n_p, atn_error *err)
{
    int *first[ATN_WAYS_OF_EDGES] = {0}, *ranks[ATN_WAYS_OF_EDGES] = {0};
    atn_status status = ATN_OK;

    for (int w = 0; w < ATN_WAYS_OF_EDGES; w++) {
        first[w] = malloc(sizeof(int) * ((size_t)p + 1));
        ranks[w] = malloc(sizeof(int) * ((size_t)a->n + 1));
        if (first[w] && ranks[w])
            fill_list(a, p, (atn_way)w, first[w], ranks[w]);
        else
            status = atn_fail(err, ATN_MEMORY, "out of memory");
    }
    if (status == ATN_OK)
        status = atn_sched_neighbourhood_graph(p, (const int *const *)first,
                                               (const int *const *)ranks, n_p, err);
    for (int w = 0; w < ATN_WAYS_OF_EDGES; w++) {
        free(first[w]);
        free(ranks[w]);
    }
    return status;
}

/* ---- words ---- */

/* "4x4p"; returns the number of dimensions, 0: malformed. */
static int read_dims(const char *at, int most, int *dims, int *periods)
{
    for (int n = 0; n < most; n++) {
        int64_t v;
        if (!number(&at, MAX_RANKS, &v) || v < 1)
            return 0;
        dims[n] = (int)v;
        periods[n] = *at == 'p';
        at += periods[n];
        if (*at != 'x')
            return *at == '\0' ? n + 1 : 0;
        at++;
    }
    return 0;
}

static atn_status parse_cart(const char *word, const char *at, int p, atn_neighbourhood **n_p,
                             atn_error *err)
{
    int dims[MAX_DIMS], periods[MAX_DIMS];
    const int n = read_dims(at, MAX_DIMS, dims, periods);

    (void)p;
    return n > 0 ? atn_sched_neighbourhood_grid(n, dims, periods, n_p, err)
                 : malformed(word, "cart:4x4 or, with periodic dimensions, cart:4px4p", err);
}

/* Offsets that lead to the same rank, in short periodic dimensions, are several edges. */
static atn_status box_arcs(const atn_box *x, int p, atn_neighbourhood **n_p, atn_error *err)
{
    const int offsets = atn_sched_box_offsets(x), centre = offsets / 2;
    arcs a = {0};
    bool ok = true;

    for (int r = 0; r < p; r++)
        for (int o = 0; ok && o < offsets; o++) {
            const int to = o == centre ? -1 : atn_sched_box_rank(x, r, o);
            ok = to < 0 || atn_push(&a, (arc){r, to});
        }
    const atn_status status =
        ok ? from_arcs(&a, p, n_p, err) : atn_fail(err, ATN_MEMORY, "out of memory");
    atn_vec_free(&a);
    return status;
}

static atn_status parse_box(const char *word, const char *at, int p, atn_neighbourhood **n_p,
                            atn_error *err)
{
    int dims[ATN_BOX_DIMS], periods[ATN_BOX_DIMS];
    atn_box x = {.ndims = read_dims(at, ATN_BOX_DIMS, dims, periods)};
    int64_t ranks = 1;

    (void)p;
    for (int d = 0; d < x.ndims && ranks <= MAX_RANKS; d++) {
        x.dims[d] = dims[d];
        x.periodic[d] = periods[d] != 0;
        ranks *= dims[d];
    }
    if (x.ndims == 0 || ranks > MAX_EDGES / ATN_BOX_OFFSETS)
        return malformed(word, "box:4x4p with at most 5 dimensions and 276168 ranks", err);
    return box_arcs(&x, (int)ranks, n_p, err);
}

static atn_status parse_ring(const char *word, const char *at, int p, atn_neighbourhood **n_p,
                             atn_error *err)
{
    const int periodic = 1;

    if (*at != '\0')
        return malformed(word, "ring", err);
    return p < 1 ? atn_fail(err, ATN_INPUT, "neighbours 'ring' need a number of ranks")
                 : atn_sched_neighbourhood_grid(1, &p, &periodic, n_p, err);
}

static atn_status parse_random(const char *word, const char *at, int p, atn_neighbourhood **n_p,
                               atn_error *err)
{
    int64_t degree, seed = 0;
    arcs a = {0};
    bool ok = true;

    if (!number(&at, MAX_DEGREE, &degree) || (*at == ':' && (at++, !number(&at, INT_MAX, &seed))) ||
        *at != '\0')
        return malformed(word, "random:DEGREE:SEED", err);
    if (p < 1 || degree > MAX_EDGES / p)
        return atn_fail(err, ATN_INPUT,
                        "neighbours '%.80s' need a number of ranks, and at most %d edges", word,
                        MAX_EDGES);
    uint64_t state = (uint64_t)seed;
    for (int u = 0; ok && u < p; u++)
        for (int64_t j = 0; ok && j < degree; j++)
            ok = atn_push(&a, (arc){u, (int)(atn_random(&state) % (uint64_t)p)});
    const atn_status status =
        ok ? from_arcs(&a, p, n_p, err) : atn_fail(err, ATN_MEMORY, "out of memory");
    atn_vec_free(&a);
    return status;
}

/* ---- lists: what a schedule file contains ---- */

typedef ATN_VEC(int) ints;

static const char lists_form[] =
    "lists:SOURCES/DESTINATIONS;... with one entry of ranks between commas for every rank";

/* "1,2" up to `stop`, which is passed, or to the end of the text. */
static bool read_list(const char **at, char stop, ints *ranks)
{
    const char *c = *at;

    while (*c != stop && *c != '\0') {
        int64_t v;
        if (!number(&c, MAX_RANKS, &v) || !atn_push(ranks, (int)v))
            return false;
        if (*c == ',' && c[1] >= '0' && c[1] <= '9')
            c++;
        else if (*c != stop && *c != '\0')
            return false;
    }
    *at = *c == '\0' ? c : c + 1;
    return *c == stop || stop == ';';
}

static atn_status parse_lists(const char *word, const char *at, int p, atn_neighbourhood **n_p,
                              atn_error *err)
{
    ints first[ATN_WAYS_OF_EDGES] = {{0}}, ranks[ATN_WAYS_OF_EDGES] = {{0}};
    bool ok = atn_push(&first[0], 0) && atn_push(&first[1], 0);

    (void)p;
    do {
        ok = ok && read_list(&at, '/', &ranks[ATN_INWARD]) &&
             read_list(&at, ';', &ranks[ATN_OUTWARD]);
        for (int w = 0; ok && w < ATN_WAYS_OF_EDGES; w++)
            ok = atn_push(&first[w], ranks[w].n);
    } while (ok && *at != '\0');
    const atn_status status =
        ok ? atn_sched_neighbourhood_graph(first[0].n - 1, (const int *[]){first[0].v, first[1].v},
                                           (const int *[]){ranks[0].v, ranks[1].v}, n_p, err)
           : malformed(word, lists_form, err);
    for (int w = 0; w < ATN_WAYS_OF_EDGES; w++) {
        atn_vec_free(&first[w]);
        atn_vec_free(&ranks[w]);
    }
    return status;
}

static const struct {
    const char *start;
    atn_status (*parse)(const char *word, const char *at, int p, atn_neighbourhood **n_p,
                        atn_error *err);
} forms[] = {
    {"box:", parse_box},       {"cart:", parse_cart}, {"lists:", parse_lists},
    {"random:", parse_random}, {"ring", parse_ring},
};

atn_status atn_sched_neighbourhood_parse(const char *word, int p, atn_neighbourhood **n_p,
                                         atn_error *err)
{
    atn_neighbourhood *n = NULL;
    atn_status status = ATN_INPUT;
    size_t i = 0;

    while (i < sizeof forms / sizeof *forms &&
           strncmp(word, forms[i].start, strlen(forms[i].start)) != 0)
        i++;
    if (i == sizeof forms / sizeof *forms)
        return atn_fail(err, ATN_INPUT,
                        "neighbours '%.80s': unknown; write cart:4x4, cart:4px4p, box:4x4p, "
                        "ring, random:DEGREE:SEED or lists:...",
                        word);
    status = forms[i].parse(word, word + strlen(forms[i].start), p, &n, err);
    if (status == ATN_OK && p > 0 && n->p != p) {
        status = atn_fail(err, ATN_INPUT, "neighbours '%.80s' are those of %d ranks, not of %d",
                          word, n->p, p);
        atn_sched_neighbourhood_free(n);
    }
    if (status == ATN_OK)
        *n_p = n;
    return status;
}

/* ---- files of edges ---- */

static const atn_format edges_format = {.kind = "graph", .comments = ATN_COMMENT_TAIL};

/* A rank; with p 0 any. */
static bool read_rank(atn_lines *l, int p, int *rank_p)
{
    const char *word = atn_lines_word(l), *at = word;
    int64_t v;

    if (!word || !number(&at, p > 0 ? p - 1 : MAX_RANKS, &v) || *at != '\0')
        return false;
    *rank_p = (int)v;
    return true;
}

static atn_status read_arc(atn_lines *l, int p, arcs *a)
{
    arc x;

    if (!read_rank(l, p, &x.from) || !read_rank(l, p, &x.to) || atn_lines_word(l))
        return atn_lines_fail(l, "an edge is written FROM TO, with ranks from 0 to %d",
                              p > 0 ? p - 1 : MAX_RANKS);
    return atn_push(a, x) ? ATN_OK : atn_lines_no_memory(l);
}

static int ranks_of(const arcs *a)
{
    int most = 0;

    for (int e = 0; e < a->n; e++)
        most = atn_max(most, atn_max(a->v[e].from, a->v[e].to));
    return most + 1;
}

atn_status atn_sched_neighbourhood_edges(const char *text, const char *file, int p,
                                         atn_neighbourhood **n_p, atn_error *err)
{
    atn_lines l;
    arcs a = {0};
    atn_status status = atn_lines_open(&l, &edges_format, file, text, strlen(text), err);

    while (status == ATN_OK && atn_lines_next(&l, &status))
        status = read_arc(&l, p, &a);
    if (status == ATN_OK)
        status = from_arcs(&a, p > 0 ? p : ranks_of(&a), n_p, err);
    atn_lines_close(&l);
    atn_vec_free(&a);
    return status;
}

/* ---- printing ---- */

static void print_list(FILE *f, const atn_neighbourhood *n, int r, atn_way way)
{
    for (int i = 0; i < atn_sched_neighbourhood_count(n, r, way); i++)
        fprintf(f, "%s%d", i ? "," : "", atn_sched_neighbourhood_rank(n, r, way, i));
}

void atn_sched_neighbourhood_print(FILE *f, const atn_neighbourhood *n)
{
    fputs(n->grid ? "cart:" : "lists:", f);
    for (int d = 0; n->grid && d < n->ndims; d++)
        fprintf(f, "%s%d%s", d ? "x" : "", n->dims[d], n->periods[d] ? "p" : "");
    for (int r = 0; !n->grid && r < n->p; r++) {
        fputs(r ? ";" : "", f);
        print_list(f, n, r, ATN_INWARD);
        fputc('/', f);
        print_list(f, n, r, ATN_OUTWARD);
    }
}
