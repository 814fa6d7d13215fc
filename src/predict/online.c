/* online.c - see online.h. */
#include "predict/online.h"

#include <stdlib.h>
#include <string.h>

#include "predict/numbers.h"

/* Bounds for requests that never repeat: beyond these numbers of keys, sites or requests without a
 * cycle the state is discarded.  Predictions are used after TRUST hits in a row. */
enum { MAX_KEYS = 128, MAX_LOG = 256, TRUST = 4 };

struct atn_online {
    atn_predictor_choice choice;
    size_t key_bytes;
    atn_predictor *p;
    atn_numbers keys, sites;
    atn_symbols offers;
    int hint;  /* number of a site, or ATN_NO_SITE */
    int right; /* hits in a row */
    bool dead; /* out of memory */
    atn_prediction_stats stats;
};

static bool begin(atn_online *o)
{
    const atn_predict_rules rules = {.max_log = MAX_LOG};
    o->p = atn_predict_predictor_make(&o->choice, &rules);
    o->hint = ATN_NO_SITE;
    o->right = 0;
    return o->p != NULL;
}

static void forget(atn_online *o)
{
    atn_predict_predictor_free(o->p);
    o->p = NULL;
    atn_predict_numbers_free(&o->keys);
    atn_predict_numbers_free(&o->sites);
}

atn_online *atn_predict_online_make(const atn_predictor_choice *c, size_t key_bytes)
{
    atn_online *o = calloc(1, sizeof *o);
    if (!o)
        return NULL;
    o->choice = *c;
    o->key_bytes = key_bytes;
    if (begin(o))
        return o;
    free(o);
    return NULL;
}

void atn_predict_online_free(atn_online *o)
{
    if (!o)
        return;
    forget(o);
    atn_vec_free(&o->offers);
    free(o);
}

atn_prediction_stats atn_predict_online_stats(const atn_online *o) { return o->stats; }

/* ---- requests ---- */

static int site_number(atn_online *o, int64_t site)
{
    if (o->choice.row->sites == ATN_SITES_NONE)
        return ATN_NO_SITE;
    const int n = o->dead ? -1 : atn_predict_number_of(&o->sites, &site, sizeof site);
    o->dead = o->dead || n < 0;
    return n < 0 ? ATN_NO_SITE : n;
}

void atn_predict_online_hint(atn_online *o, int64_t site) { o->hint = site_number(o, site); }

static bool offer(atn_online *o, int ahead, int count)
{
    return !o->dead && atn_predict_predictor_offers(o->p, &o->hint, 1, ahead, count, &o->offers);
}

static void count_prediction(atn_online *o, int offered, int n)
{
    const bool predicted = o->right >= TRUST && offered != ATN_NO_SYMBOL;
    o->stats.requests++;
    o->stats.hits += predicted && offered == n;
    o->stats.misses += predicted && offered != n;
    o->right = offered == n ? o->right + 1 : 0;
}

/* A predicted key need not be looked up. */
static int key_number(atn_online *o, const void *key, int offered)
{
    if (offered != ATN_NO_SYMBOL &&
        memcmp(atn_predict_numbered(&o->keys, offered), key, o->key_bytes) == 0)
        return offered;
    return atn_predict_number_of(&o->keys, key, o->key_bytes);
}

/* A hint is valid for one request. */
static void learn(atn_online *o, const void *key, int64_t site)
{
    const int offered = offer(o, 1, 1) && o->offers.n > 0 ? o->offers.v[0] : ATN_NO_SYMBOL;
    const atn_stream_request x = {.symbol = key_number(o, key, offered),
                                  .site = site_number(o, site)};
    o->hint = ATN_NO_SITE;
    o->dead = o->dead || x.symbol < 0 || !atn_predict_predictor_update(o->p, x);
    count_prediction(o, offered, x.symbol);
}

void atn_predict_online_add(atn_online *o, const void *key, int64_t site)
{
    if (!o->dead && (o->keys.keys.n > MAX_KEYS || o->sites.keys.n > MAX_KEYS)) {
        forget(o);
        o->dead = !begin(o);
    }
    if (!o->dead)
        learn(o, key, site);
}

/* ---- predictions ---- */

const void *atn_predict_online_predict(atn_online *o, int ahead)
{
    if (o->right < TRUST || !offer(o, ahead, 1) || o->offers.n == 0)
        return NULL;
    return atn_predict_numbered(&o->keys, o->offers.v[0]);
}
