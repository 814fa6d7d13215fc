/* ron_sends.c - the sends of a job, from a list or a trace, and their predictions. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/ron/ron.h"
#include "cli/traces/trace.h"
#include "predict/numbers.h"
#include "research/replay/replay.h"
#include "research/ron/sends.h"

/* ---- traces ---- */

static atn_status read_trace(const atn_args *a, atn_ron_sends *to, atn_error *err)
{
    atn_trace *t = NULL;
    atn_status st = atn_cli_trace_load(a, &t, err);
    st = st ? st : atn_ron_sends_trace(t, to, err);
    atn_trace_free(t);
    return st;
}

atn_status atn_cli_ron_sends_load(const atn_args *a, atn_ron_sends *sends_p, bool *has_offers_p,
                                  atn_error *err)
{
    const char *path = a->operands[0];
    struct stat is;
    if (stat(path, &is) == 0 && S_ISDIR(is.st_mode)) {
        *has_offers_p = false;
        return read_trace(a, sends_p, err);
    }
    if (atn_cli_arg_given(a, "partial"))
        return atn_fail(err, ATN_USAGE, "%s is not a folder with a trace; omit --partial", path);
    return atn_ron_sends_read(path, sends_p, has_offers_p, err);
}

/* ---- predictors ---- */

/* The sends of one rank as requests: symbols are partners. */
typedef struct {
    atn_numbers partners, sites;
    atn_stream stream;
    atn_symbols offered;
    ATN_VEC(int) at; /* their positions in the list */
} requests;

static void requests_free(requests *x)
{
    atn_predict_numbers_free(&x->partners);
    atn_predict_numbers_free(&x->sites);
    atn_vec_free(&x->stream);
    atn_vec_free(&x->offered);
    atn_vec_free(&x->at);
}

static bool collect(const atn_ron_sends *sends, int rank, requests *x)
{
    for (int i = 0; i < sends->n; i++) {
        const atn_ron_send *s = &sends->v[i];
        if (s->rank != rank)
            continue;
        const atn_stream_request item = {
            .symbol = atn_predict_number_of(&x->partners, &s->partner, sizeof s->partner),
            .site = atn_predict_number_of(&x->sites, &s->site, sizeof s->site)};
        if (item.symbol < 0 || item.site < 0 || !atn_push(&x->stream, item) || !atn_push(&x->at, i))
            return false;
    }
    return true;
}

static int partner_of(const requests *x, int symbol)
{
    int partner = ATN_RON_NO_OFFER;
    if (symbol >= 0)
        memcpy(&partner, atn_predict_numbered(&x->partners, symbol), sizeof partner);
    return partner;
}

static atn_status predict_rank(const atn_predictor_choice *c, int rank, atn_ron_sends *sends,
                               atn_error *err)
{
    static const char site_predictor[] = "better-cycle2";
    atn_predictor_choice sites;
    atn_replay_rules rules = {.ahead = 1, .ports = 1};
    requests x = {.at = {0}};
    atn_replay replay;
    atn_status st = atn_predict_predictor_find(site_predictor, &sites, err);
    rules.rules.site_predictor = sites.row;
    if (!st && !collect(sends, rank, &x))
        st = atn_fail(err, ATN_MEMORY, "out of memory");
    st = st ? st : atn_replay_predict_replay(c, &rules, &x.stream, &replay, &x.offered, err);
    for (int i = 0; !st && i < x.at.n; i++)
        sends->v[x.at.v[i]].offer = partner_of(&x, x.offered.v[i]);
    requests_free(&x);
    return st;
}

atn_status atn_cli_ron_sends_predict(const atn_predictor_choice *c, atn_ron_sends *sends,
                                     atn_error *err)
{
    int p = 0;
    atn_status st = ATN_OK;
    for (int i = 0; i < sends->n; i++)
        p = atn_max(p, sends->v[i].rank + 1);
    for (int r = 0; r < p && !st; r++)
        st = predict_rank(c, r, sends, err);
    return st;
}
