/* replay.c - see replay.h. */
#include "research/replay/replay.h"

#include <stdlib.h>

#include "predict/memory.h"

typedef struct {
    atn_predictor *p;
    const atn_replay_rules *rules;
    const atn_stream *stream;
    int *sites;         /* of the stream; ATN_NO_SITE: no hint */
    atn_symbols *ahead; /* ring of offers for the current request and the next ones */
} replayer;

static bool has_hints(const atn_stream *s)
{
    for (int i = 0; i < s->n; i++)
        if (s->v[i].hinted)
            return true;
    return false;
}

static bool is_hinted(const replayer *x, const atn_predictor_row *row, bool hints,
                      const atn_stream_request *of)
{
    const atn_replay_rules *r = x->rules;
    if (r->hinted)
        return of->site < r->nhinted && r->hinted[of->site];
    return hints ? of->hinted : row->sites == ATN_SITES_HINTED;
}

static bool begin(replayer *x, const atn_predictor_choice *c)
{
    const int n = x->stream->n;
    const bool hints = has_hints(x->stream);
    x->p = atn_predict_predictor_make(c, &x->rules->rules);
    x->sites = malloc(sizeof *x->sites * ((size_t)n + 1));
    x->ahead = calloc((size_t)x->rules->ahead, sizeof *x->ahead);
    if (!x->p || !x->sites || !x->ahead)
        return false;
    for (int i = 0; i < n; i++) {
        const atn_stream_request *of = &x->stream->v[i];
        x->sites[i] = is_hinted(x, c->row, hints, of) ? of->site : ATN_NO_SITE;
    }
    return true;
}

static void end(replayer *x)
{
    for (int i = 0; x->ahead && i < x->rules->ahead; i++)
        atn_vec_free(&x->ahead[i]);
    free(x->ahead);
    free(x->sites);
    atn_predict_predictor_free(x->p);
}

/* Before request i, offers are made for request i + ahead - 1. */
static bool look_ahead(replayer *x, int i)
{
    const int m = x->rules->ahead, target = i + m - 1;
    if (target >= x->stream->n)
        return true;
    return atn_predict_predictor_offers(x->p, x->sites + i, m, m, x->rules->ports,
                                        &x->ahead[target % m]);
}

static bool is_among(const atn_symbols *list, int symbol)
{
    for (int i = 0; i < list->n; i++)
        if (list->v[i] == symbol)
            return true;
    return false;
}

static bool play(replayer *x, atn_replay *r, atn_symbols *offered)
{
    for (int i = 0; i < x->stream->n; i++) {
        const atn_symbols *offers = &x->ahead[i % x->rules->ahead];
        if (!look_ahead(x, i))
            return false;
        r->hits += is_among(offers, x->stream->v[i].symbol);
        r->requests++;
        if (offered && !atn_push(offered, offers->n > 0 ? offers->v[0] : ATN_NO_SYMBOL))
            return false;
        if (!atn_predict_predictor_update(x->p, x->stream->v[i]))
            return false;
    }
    atn_predict_predictor_size(x->p, &r->size);
    return true;
}

static atn_status replay_one(const atn_predictor_choice *c, const atn_replay_rules *rules,
                             const atn_stream *stream, atn_replay *r, atn_symbols *offered,
                             atn_error *err)
{
    replayer x = {.rules = rules, .stream = stream};
    const bool done = begin(&x, c) && play(&x, r, offered);
    end(&x);
    return done ? ATN_OK : atn_fail(err, ATN_MEMORY, "out of memory while replaying requests");
}

atn_status atn_replay_predict_replay(const atn_predictor_choice *c, const atn_replay_rules *rules,
                                     const atn_stream *stream, atn_replay *replay_p,
                                     atn_symbols *offered, atn_error *err)
{
    atn_replay r = {0}, under = {0};
    atn_predictor_choice base;
    atn_status st = replay_one(c, rules, stream, &r, offered, err);
    if (!st && c->row->base) {
        st = atn_predict_predictor_find(c->row->base, &base, err);
        st = st ? st : replay_one(&base, rules, stream, &under, NULL, err);
        r.base = under.size;
    }
    if (!st)
        *replay_p = r;
    return st;
}

/* ---- memory ---- */

/* The maximum of each factor: the table size of the rank that needs most. */
static void enlarge(atn_predict_size *most, const atn_predict_size *x)
{
    most->sites = atn_max(most->sites, x->sites);
    most->longest = atn_max(most->longest, x->longest);
    most->heads = atn_max(most->heads, x->heads);
    most->cycles = atn_max(most->cycles, x->cycles);
    most->peak = x->peak > most->peak ? x->peak : most->peak;
    most->site_longest = atn_max(most->site_longest, x->site_longest);
    most->site_heads = atn_max(most->site_heads, x->site_heads);
}

/* A cycle that was never closed has no length and no closing request. */
static int64_t length(int longest, bool closing) { return longest > 0 ? longest + closing : 0; }

int64_t atn_replay_predict_entries(const atn_predictor_choice *c, const atn_replay *r, bool closing)
{
    const atn_predictor_row *row = c->row;
    const atn_predict_size *s = &r->size;
    if (row->size == ATN_SIZE_NEEDED)
        return c->size;
    int64_t n = row->sites == ATN_SITES_NONE ? 1 : s->sites;
    if (row->memory == &atn_cycle_memory)
        n *= length(row->base ? r->base.longest : s->longest, closing);
    if (row->keep > 0)
        n *= (int64_t)s->heads * atn_max(s->cycles, 1);
    return n + length(s->site_longest, closing) * s->site_heads;
}

/* ---- over ranks ---- */

void atn_replay_tally_add(atn_tally *t, const atn_replay *r)
{
    const double ratio = r->requests > 0 ? (double)r->hits / (double)r->requests : 0;
    t->least = t->ranks == 0 || ratio < t->least ? ratio : t->least;
    t->most = t->ranks == 0 || ratio > t->most ? ratio : t->most;
    t->sum += ratio;
    t->ranks++;
    t->all.hits += r->hits;
    t->all.requests += r->requests;
    enlarge(&t->all.size, &r->size);
    enlarge(&t->all.base, &r->base);
}

double atn_replay_tally_mean(const atn_tally *t) { return t->ranks > 0 ? t->sum / t->ranks : 0; }
