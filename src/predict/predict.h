/* predict.h - predictors of the next message of a rank, from its earlier messages.
 *
 * The messages of a rank are a stream of requests.  Each request has a symbol (partner and other
 * attributes, as a small number) and a site (the call site in the program).  A predictor offers
 * symbols before each request; the request is a hit if its symbol is among them.  Predictors do
 * not distinguish sends from receives: these differ in their symbols only.
 *
 *   atn_predictor *p = atn_predict_predictor_make(&choice, &rules);
 *   before request i:  atn_predict_predictor_offers(p, &site_i, 1, 1, 1, &offers);
 *   after it:          atn_predict_predictor_update(p, request_i);
 *
 * docs/prediction.md explains the predictors. */
#ifndef ATN_PREDICT_PREDICT_H
#define ATN_PREDICT_PREDICT_H

#include "base/base.h"

enum { ATN_NO_SYMBOL = -1, ATN_NO_SITE = -1 };

/* Symbols and sites are numbered from 0 without gaps: they index arrays. */
typedef struct {
    int symbol, site;
    bool hinted; /* the program announced the site */
} atn_stream_request;
typedef ATN_VEC(atn_stream_request) atn_stream;
typedef ATN_VEC(int) atn_symbols;

/* ---- the table of predictors ---- */

typedef enum { ATN_VICTIM_LRU, ATN_VICTIM_FIFO, ATN_VICTIM_LFU, ATN_VICTIM_LFU_PERFECT } atn_victim;

/* How a predictor uses call sites. */
typedef enum {
    ATN_SITES_NONE,
    ATN_SITES_HINTED,   /* the program announces the site of the next request */
    ATN_SITES_PREDICTED /* the predictor predicts the next site where there is no hint */
} atn_sites_use;

typedef enum { ATN_SIZE_NONE, ATN_SIZE_NEEDED, ATN_SIZE_OPTIONAL } atn_size_rule;

struct atn_predict_memory;

typedef struct {
    const char *name;    /* without size */
    const char *summary; /* no full stop */
    const struct atn_predict_memory *memory;
    atn_victim victim;   /* windows */
    int keep;            /* cycles: number kept per head; 0: only the one in use */
    bool repeats_last;   /* cycles: offers the last symbol while a cycle is formed */
    atn_sites_use sites; /* one memory per site, or one for all */
    atn_size_rule size;  /* "lru-4": the size of the window; "all-cycle-4": cycles per head */
    const char *base;    /* the row whose memory size is a factor of this row's; or NULL */
} atn_predictor_row;

int atn_predict_predictor_rows(void);
const atn_predictor_row *atn_predict_predictor_row_at(int i);

/* A row with its size. */
typedef struct {
    const atn_predictor_row *row;
    int size; /* window, or cycles per head; 0: not specified */
} atn_predictor_choice;

/* "better-cycle", "lru-4".  If a row that needs a size is named without one, size is 0. */
atn_status atn_predict_predictor_find(const char *name, atn_predictor_choice *choice_p,
                                      atn_error *err);
const char *atn_predict_predictor_name(const atn_predictor_choice *c, char out[48]);

/* ---- a predictor ---- */

typedef struct {
    int max_log;                             /* a longer log is discarded; 0: no limit */
    const atn_predictor_row *site_predictor; /* predicts sites that have no hint */
} atn_predict_rules;

typedef struct atn_predictor atn_predictor;

/* NULL: out of memory. */
atn_predictor *atn_predict_predictor_make(const atn_predictor_choice *c,
                                          const atn_predict_rules *rules);
void atn_predict_predictor_free(atn_predictor *p);

/* The offers for the requests `ahead` .. `ahead + count - 1` from now (1 is the next one); a window
 * offers its entire content.  `sites` are the sites of the next requests, ATN_NO_SITE where there
 * is no hint; the last one is repeated.  Predictors that use no sites need none.  False: out of
 * memory. */
bool atn_predict_predictor_offers(atn_predictor *p, const int *sites, int nsites, int ahead,
                                  int count, atn_symbols *out);
bool atn_predict_predictor_update(atn_predictor *p, atn_stream_request x);

/* Table sizes: the factors of the published formulas, and the actual peak. */
typedef struct {
    int sites;                    /* with a memory of their own */
    int longest;                  /* cycle */
    int heads;                    /* most of one memory */
    int cycles;                   /* most of one head */
    int64_t peak;                 /* most symbols held, including logs */
    int site_longest, site_heads; /* of the site predictor */
} atn_predict_size;
void atn_predict_predictor_size(const atn_predictor *p, atn_predict_size *size_p);

#endif
