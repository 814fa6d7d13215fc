/* history.c - see history.h. */
#include "predict/history.h"

#include <stdlib.h>

#include "predict/numbers.h"
#include "predict/predict.h"

/* Programs whose calls never repeat cost no more than this: kinds of calls and calls without a
 * cycle, before all is forgotten.  A cycle must have been right some times before it is told. */
enum { MAX_KINDS = 128, MAX_LOG = 256, TRUST = 4 };

struct atn_history {
    atn_predictor *p;
    atn_numbers kinds;
    ATN_VEC(atn_problem) problems; /* by kind */
    atn_symbols offers;
    int right; /* in a row */
    bool dead; /* out of memory */
    atn_foresight foresight;
};

typedef struct {
    int64_t op, root, bytes, ordered;
} kind;

static bool begin(atn_history *h)
{
    const atn_predict_rules rules = {.max_log = MAX_LOG};
    atn_predictor_choice c;
    h->p = atn_predictor_find("better-cycle", &c, NULL) == ATN_OK ? atn_predictor_make(&c, &rules)
                                                                  : NULL;
    return h->p != NULL;
}

static void forget(atn_history *h)
{
    atn_predictor_free(h->p);
    atn_numbers_free(&h->kinds);
    h->problems.n = 0;
    h->right = 0;
    h->p = NULL;
}

atn_history *atn_history_make(void)
{
    atn_history *h = calloc(1, sizeof *h);
    if (h && !begin(h)) {
        free(h);
        h = NULL;
    }
    return h;
}

void atn_history_free(atn_history *h)
{
    if (!h)
        return;
    forget(h);
    atn_vec_free(&h->problems);
    atn_vec_free(&h->offers);
    free(h);
}

atn_foresight atn_history_foresight(const atn_history *h) { return h->foresight; }

static kind kind_of(const atn_problem *q)
{
    return (kind){.op = q->op, .root = q->root, .bytes = q->bytes, .ordered = q->ordered};
}

/* The number of the call's kind; -1: out of memory. */
static int number(atn_history *h, const atn_problem *q)
{
    const kind k = kind_of(q);
    const int n = atn_number_of(&h->kinds, &k, sizeof k);
    if (n >= 0 && n == h->problems.n && !atn_push(&h->problems, *q))
        return -1;
    if (n >= 0)
        h->problems.v[n] = *q;
    return n;
}

/* The kind of the call `ahead` calls from now, trusted or not. */
static int offer(atn_history *h, int ahead)
{
    if (h->dead || !atn_predictor_offers(h->p, NULL, 0, ahead, 1, &h->offers))
        return ATN_NO_SYMBOL;
    return h->offers.n > 0 ? h->offers.v[0] : ATN_NO_SYMBOL;
}

static void judge(atn_history *h, int offered, int n)
{
    const bool told = h->right >= TRUST && offered != ATN_NO_SYMBOL;
    h->foresight.calls++;
    h->foresight.foreseen += told && offered == n;
    h->foresight.wrong += told && offered != n;
    h->right = offered == n ? h->right + 1 : 0;
}

void atn_history_add(atn_history *h, const atn_problem *q)
{
    if (h->dead)
        return;
    if (h->kinds.keys.n > MAX_KINDS) {
        forget(h);
        h->dead = !begin(h);
    }
    const int offered = offer(h, 1), n = h->dead ? -1 : number(h, q);
    if (n < 0 || !atn_predictor_update(h->p, (atn_asked){.symbol = n})) {
        h->dead = true;
        return;
    }
    judge(h, offered, n);
}

bool atn_history_foresee(atn_history *h, int ahead, atn_problem *q_p)
{
    const int n = h->right >= TRUST ? offer(h, ahead) : ATN_NO_SYMBOL;
    if (n == ATN_NO_SYMBOL)
        return false;
    *q_p = h->problems.v[n];
    return true;
}

int atn_history_coming(atn_history *h, const atn_problem *q, int within)
{
    const kind wanted = kind_of(q);
    int n = 0;
    if (h->right < TRUST || h->dead || !atn_predictor_offers(h->p, NULL, 0, 1, within, &h->offers))
        return 0;
    for (int i = 0; i < h->offers.n; i++) {
        const kind k = kind_of(&h->problems.v[h->offers.v[i]]);
        n += k.op == wanted.op && k.root == wanted.root && k.bytes == wanted.bytes &&
             k.ordered == wanted.ordered;
    }
    return n;
}
