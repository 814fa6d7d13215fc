/* predict.h - predictors of the next message, from those before it.
 *
 * A rank's messages are a stream of requests: each has a symbol (who and what, as a small number)
 * and a site (which call of the program it comes from).  A predictor offers symbols before each
 * request; the request is a hit if its symbol is among them.  Nothing here knows which side of a
 * message the requests are of: sends and receives differ in their symbols only.
 *
 *   atn_predictor *p = atn_predictor_make(&choice, &rules);
 *   before request i:  atn_predictor_offers(p, &site_i, 1, 1, 1, &offers);
 *   after it:          atn_predictor_update(p, request_i);
 *
 * docs/prediction.md explains the predictors. */
#ifndef ATN_PREDICT_H
#define ATN_PREDICT_H

#include "base/base.h"

enum { ATN_NO_SYMBOL = -1, ATN_NO_SITE = -1 };

/* Symbols and sites count from 0 without gaps: they are places in arrays. */
typedef struct {
    int symbol, site;
    bool told; /* the program said the site ahead */
} atn_asked;
typedef ATN_VEC(atn_asked) atn_stream;
typedef ATN_VEC(int) atn_symbols;

/* ---- the table of predictors ---- */

typedef enum { ATN_VICTIM_LRU, ATN_VICTIM_FIFO, ATN_VICTIM_LFU, ATN_VICTIM_LFU_PERFECT } atn_victim;

/* How a predictor uses call sites. */
typedef enum {
    ATN_SITES_NONE,    /* not at all */
    ATN_SITES_HINTED,  /* the program tells the site of the next request ahead of it */
    ATN_SITES_FORESEEN /* it predicts the next site where the program does not tell it */
} atn_sites_use;

typedef enum { ATN_SIZE_NONE, ATN_SIZE_NEEDED, ATN_SIZE_OPTIONAL } atn_size_rule;

struct atn_machine_kind;

typedef struct {
    const char *name;    /* without size */
    const char *summary; /* no full stop */
    const struct atn_machine_kind *machine;
    atn_victim victim;   /* windows */
    int keep;            /* cycles: how many are kept per head; 0: only the one in use */
    bool repeats_last;   /* cycles: offers the last symbol while a cycle is being formed */
    atn_sites_use sites; /* a machine for each site, or one for all */
    atn_size_rule size;  /* "lru-4": the size of the window; "all-cycle-4": cycles per head */
    const char *base;    /* the row whose memory is a factor of this one's; or NULL */
} atn_predictor_row;

int atn_predictor_rows(void);
const atn_predictor_row *atn_predictor_row_at(int i);

/* A row with its size. */
typedef struct {
    const atn_predictor_row *row;
    int size; /* window, or cycles per head; 0: none given */
} atn_predictor_choice;

/* "better-cycle", "lru-4".  A row that needs a size may be named without: size is then 0. */
atn_status atn_predictor_find(const char *name, atn_predictor_choice *choice_p, atn_error *err);
const char *atn_predictor_name(const atn_predictor_choice *c, char out[48]);

/* ---- a predictor ---- */

typedef struct {
    int max_log;                       /* a longer log begins anew; 0: it may grow for ever */
    const atn_predictor_row *foresees; /* predicts sites where the program does not tell them */
} atn_predict_rules;

typedef struct atn_predictor atn_predictor;

/* NULL: out of memory. */
atn_predictor *atn_predictor_make(const atn_predictor_choice *c, const atn_predict_rules *rules);
void atn_predictor_free(atn_predictor *p);

/* What it offers for the requests `ahead` .. `ahead + count - 1` from now (1 is the next one); a
 * window offers all it holds.  `sites` are those of the next requests that the program tells, and
 * ATN_NO_SITE where it does not; the last one is assumed to go on.  Predictors that use no sites
 * need none.  False: out of memory. */
bool atn_predictor_offers(atn_predictor *p, const int *sites, int nsites, int ahead, int count,
                          atn_symbols *out);
bool atn_predictor_update(atn_predictor *p, atn_asked x);

/* What its tables came to: the factors of the published formulas, and all it really held. */
typedef struct {
    int sites;                    /* with a machine of their own */
    int longest;                  /* cycle */
    int heads;                    /* most of one machine */
    int cycles;                   /* most of one head */
    int64_t peak;                 /* symbols held at most, logs included */
    int site_longest, site_heads; /* of the predictor of sites */
} atn_predict_size;
void atn_predictor_size(const atn_predictor *p, atn_predict_size *size_p);

/* ---- replaying a stream ---- */

typedef struct {
    atn_predict_rules rules;
    int ahead; /* the offers for a request are made this many requests before it; at least 1 */
    int ports; /* the offers are for this many requests, beginning with that one; at least 1 */
    const bool *hinted; /* by site: the program tells it ahead; NULL: those that it told, or if it
                           told none, all for predictors that need hints, none for those that
                           foresee sites */
    int nhinted;        /* sites beyond are not told */
} atn_replay_rules;

typedef struct {
    int64_t hits, requests;
    atn_predict_size size, base; /* of the predictor, and of its row's base */
} atn_replay;

/* `offered` (or NULL) receives the first offer for each request. */
atn_status atn_predict_replay(const atn_predictor_choice *c, const atn_replay_rules *rules,
                              const atn_stream *stream, atn_replay *replay_p, atn_symbols *offered,
                              atn_error *err);

/* The larger one of each factor: memory is what the neediest rank needs. */
void atn_predict_size_most(atn_predict_size *most, const atn_predict_size *x);
/* Symbols that the tables need by the published formulas.  `closing`: the request that closes a
 * cycle counts as a part of it, as in the published figures. */
int64_t atn_predict_entries(const atn_predictor_choice *c, const atn_replay *r, bool closing);

/* Hit ratios over ranks. */
typedef struct {
    int ranks;
    double least, sum, most;
    atn_replay all; /* hits and requests added up, sizes the most */
} atn_tally;
void atn_tally_add(atn_tally *t, const atn_replay *r);
double atn_tally_mean(const atn_tally *t);

#endif
