/* predictor.c - the table of predictors, and their memories per site. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "predict/memory.h"

/* ---- the table ---- */

#define WINDOW(id, out, text)                                                                      \
    {                                                                                              \
        .name = (id), .summary = (text), .memory = &atn_window_memory, .victim = (out),            \
        .size = ATN_SIZE_NEEDED                                                                    \
    }
#define CYCLES(id, kept, last, use, under, text)                                                   \
    {                                                                                              \
        .name = (id), .summary = (text), .memory = &atn_cycle_memory, .keep = (kept),              \
        .repeats_last = (last), .sites = ATN_SITES_##use, .base = (under),                         \
        .size = (kept) == INT32_MAX ? ATN_SIZE_OPTIONAL : ATN_SIZE_NONE                            \
    }
#define LAST_OF_SITE(id, use, text)                                                                \
    {                                                                                              \
        .name = (id), .summary = (text), .memory = &atn_window_memory, .sites = ATN_SITES_##use    \
    }

enum { ALL = INT32_MAX };

static const atn_predictor_row rows[] = {
    WINDOW("lru", ATN_VICTIM_LRU, "The symbols requested last"),
    WINDOW("fifo", ATN_VICTIM_FIFO, "The symbols that entered last"),
    WINDOW("lfu", ATN_VICTIM_LFU, "The symbols requested most often since they entered"),
    WINDOW("lfu-perfect", ATN_VICTIM_LFU_PERFECT, "The symbols requested most often, ever"),
    CYCLES("single-cycle", 0, false, NONE, NULL, "One cycle; forgotten at the first misfit"),
    CYCLES("single-cycle2", 0, true, NONE, NULL,
           "single-cycle that offers the last symbol while it learns"),
    CYCLES("better-cycle", 1, false, NONE, "single-cycle", "The last cycle of every head"),
    CYCLES("better-cycle2", 1, true, NONE, "single-cycle",
           "better-cycle that offers the last symbol while it learns"),
    CYCLES("all-cycle", ALL, false, NONE, "single-cycle",
           "All cycles of every head, or the last N"),
    CYCLES("all-cycle2", ALL, true, NONE, "single-cycle",
           "all-cycle that offers the last symbol while it learns"),
    LAST_OF_SITE("tagging", HINTED, "The last symbol at the call site"),
    CYCLES("tag-cycle", 0, false, HINTED, NULL, "single-cycle for each call site"),
    CYCLES("tag-cycle2", 0, true, HINTED, NULL, "single-cycle2 for each call site"),
    CYCLES("tag-bettercycle", 1, false, HINTED, "tag-cycle", "better-cycle for each call site"),
    CYCLES("tag-bettercycle2", 1, true, HINTED, "tag-cycle", "better-cycle2 for each call site"),
    CYCLES("tag-allcycle", ALL, false, HINTED, "tag-cycle", "all-cycle for each call site"),
    CYCLES("tag-allcycle2", ALL, true, HINTED, "tag-cycle", "all-cycle2 for each call site"),
    LAST_OF_SITE("two-level-tagging", PREDICTED, "tagging at the predicted call site"),
    CYCLES("two-level-cycle", 0, false, PREDICTED, NULL, "tag-cycle at the predicted call site"),
    CYCLES("two-level-cycle2", 0, true, PREDICTED, NULL, "tag-cycle2 at the predicted call site"),
    CYCLES("two-level-bettercycle", 1, false, PREDICTED, "tag-cycle",
           "tag-bettercycle at the predicted call site"),
    CYCLES("two-level-bettercycle2", 1, true, PREDICTED, "tag-cycle",
           "tag-bettercycle2 at the predicted call site"),
};
enum { ROWS = sizeof rows / sizeof *rows };

int atn_predict_predictor_rows(void) { return ROWS; }
const atn_predictor_row *atn_predict_predictor_row_at(int i) { return &rows[i]; }

static const atn_predictor_row *row_named(const char *name, size_t letters)
{
    for (int i = 0; i < ROWS; i++)
        if (strlen(rows[i].name) == letters && strncmp(rows[i].name, name, letters) == 0)
            return &rows[i];
    return NULL;
}

static atn_status not_found(const char *name, atn_error *err)
{
    const char *names[ROWS];
    char offer[ATN_ERROR_ROOM];
    for (int i = 0; i < ROWS; i++)
        names[i] = rows[i].name;
    return atn_fail(err, ATN_USAGE, "unknown predictor \"%s\"; %s", name,
                    atn_offer(name, names, ROWS, offer));
}

atn_status atn_predict_predictor_find(const char *name, atn_predictor_choice *choice_p,
                                      atn_error *err)
{
    const char *dash = strrchr(name, '-');
    const atn_predictor_row *row = row_named(name, strlen(name));
    if (row) {
        *choice_p = (atn_predictor_choice){.row = row};
        return ATN_OK;
    }
    row = dash ? row_named(name, (size_t)(dash - name)) : NULL;
    if (!row)
        return not_found(name, err);
    char *end;
    const long size = strtol(dash + 1, &end, 10);
    if (row->size == ATN_SIZE_NONE)
        return atn_fail(err, ATN_USAGE, "predictor \"%s\": %s has no size", name, row->name);
    if (*end || end == dash + 1 || size < 1 || size > 1000000)
        return atn_fail(err, ATN_USAGE, "predictor \"%s\": the size must be 1 .. 1000000", name);
    *choice_p = (atn_predictor_choice){.row = row, .size = (int)size};
    return ATN_OK;
}

const char *atn_predict_predictor_name(const atn_predictor_choice *c, char out[48])
{
    if (c->size > 0)
        snprintf(out, 48, "%s-%d", c->row->name, c->size);
    else
        snprintf(out, 48, "%s", c->row->name);
    return out;
}

/* ---- a predictor ---- */

struct atn_predictor {
    atn_predictor_choice choice;
    atn_predict_rules rules;
    ATN_VEC(void *) memories; /* one, or by site; NULL: the site is new */
    atn_predictor *of_sites;  /* ATN_SITES_PREDICTED */
    atn_symbols sites;        /* predicted ones; kept to save allocations */
    int64_t held, peak;
};

static const atn_predict_memory *kind(const atn_predictor *p) { return p->choice.row->memory; }

static bool make_site_predictor(atn_predictor *p)
{
    const atn_predictor_choice c = {
        .row = p->rules.site_predictor ? p->rules.site_predictor : row_named("better-cycle2", 13)};
    const atn_predict_rules rules = {.max_log = p->rules.max_log};
    if (p->choice.row->sites == ATN_SITES_PREDICTED)
        p->of_sites = atn_predict_predictor_make(&c, &rules);
    return p->choice.row->sites != ATN_SITES_PREDICTED || p->of_sites;
}

atn_predictor *atn_predict_predictor_make(const atn_predictor_choice *c,
                                          const atn_predict_rules *rules)
{
    atn_predictor *p = calloc(1, sizeof *p);
    if (!p)
        return NULL;
    p->choice = *c;
    p->rules = *rules;
    if (make_site_predictor(p))
        return p;
    atn_predict_predictor_free(p);
    return NULL;
}

void atn_predict_predictor_free(atn_predictor *p)
{
    if (!p)
        return;
    for (int i = 0; i < p->memories.n; i++)
        if (p->memories.v[i])
            kind(p)->free(p->memories.v[i]);
    atn_vec_free(&p->memories);
    atn_vec_free(&p->sites);
    atn_predict_predictor_free(p->of_sites);
    free(p);
}

static const void *memory_at(const atn_predictor *p, int site)
{
    return site < p->memories.n ? p->memories.v[site] : NULL;
}

static void *memory_for(atn_predictor *p, int site)
{
    while (p->memories.n <= site)
        if (!atn_push(&p->memories, NULL))
            return NULL;
    if (!p->memories.v[site])
        p->memories.v[site] = kind(p)->make(&p->choice, &p->rules);
    return p->memories.v[site];
}

static int site_at(const int *sites, int nsites, int j)
{
    return nsites > 0 ? sites[atn_min(j, nsites) - 1] : ATN_NO_SITE;
}

/* The offer for the j-th request from the memory of its site. */
static bool offer_at(const atn_predictor *p, const int *sites, int nsites, int j, atn_symbols *out)
{
    const int site = site_at(sites, nsites, j);
    const void *m = site != ATN_NO_SITE ? memory_at(p, site) : NULL;
    int turn = 1;
    for (int i = 1; i < j; i++)
        turn += site_at(sites, nsites, i) == site;
    return !m || kind(p)->offers(m, turn, 1, out);
}

/* The sites of the next `count` requests: hinted, else predicted. */
static bool predict_sites(atn_predictor *p, const int *sites, int nsites, int count)
{
    if (!atn_predict_predictor_offers(p->of_sites, NULL, 0, 1, count, &p->sites))
        return false;
    while (p->sites.n < count)
        if (!atn_push(&p->sites, ATN_NO_SITE))
            return false;
    for (int i = 0; i < atn_min(nsites, count); i++)
        if (sites[i] != ATN_NO_SITE)
            p->sites.v[i] = sites[i];
    return true;
}

bool atn_predict_predictor_offers(atn_predictor *p, const int *sites, int nsites, int ahead,
                                  int count, atn_symbols *out)
{
    out->n = 0;
    if (p->choice.row->sites == ATN_SITES_NONE) {
        const void *m = memory_at(p, 0);
        return !m || kind(p)->offers(m, ahead, count, out);
    }
    if (p->of_sites) {
        if (!predict_sites(p, sites, nsites, ahead + count - 1))
            return false;
        sites = p->sites.v;
        nsites = p->sites.n;
    }
    for (int j = ahead; j < ahead + count; j++)
        if (!offer_at(p, sites, nsites, j, out))
            return false;
    return true;
}

static int64_t held_by(const atn_predictor *p, const void *m)
{
    atn_predict_size ignored = {0};
    int64_t held = 0;
    if (m)
        kind(p)->measure(m, &ignored, &held);
    return held;
}

bool atn_predict_predictor_update(atn_predictor *p, atn_stream_request x)
{
    const int site = p->choice.row->sites == ATN_SITES_NONE ? 0 : x.site;
    void *m = memory_for(p, site);
    if (!m)
        return false;
    p->held -= held_by(p, m);
    if (!kind(p)->update(m, x.symbol))
        return false;
    p->held += held_by(p, m);
    p->peak = p->held > p->peak ? p->held : p->peak;
    return !p->of_sites ||
           atn_predict_predictor_update(p->of_sites, (atn_stream_request){.symbol = x.site});
}

void atn_predict_predictor_size(const atn_predictor *p, atn_predict_size *size_p)
{
    int64_t held = 0;
    *size_p = (atn_predict_size){.peak = p->peak};
    for (int i = 0; i < p->memories.n; i++)
        if (p->memories.v[i]) {
            size_p->sites++;
            kind(p)->measure(p->memories.v[i], size_p, &held);
        }
    if (p->of_sites) {
        atn_predict_size s;
        atn_predict_predictor_size(p->of_sites, &s);
        size_p->site_longest = s.longest;
        size_p->site_heads = s.heads;
        size_p->peak += s.peak;
    }
}
