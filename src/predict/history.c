/* history.c - see history.h. */
#include "predict/history.h"

#include <stdlib.h>
#include <string.h>

struct atn_history {
    atn_online *online;
    atn_problem last;
};

/* The shared attributes, without padding. */
typedef struct {
    int64_t op, root, bytes, ordered;
} call_key;

static call_key key_of(const atn_problem *q)
{
    return (call_key){.op = q->op, .root = q->root, .bytes = q->bytes, .ordered = q->ordered};
}

atn_history *atn_predict_history_make(void)
{
    atn_predictor_choice c;
    atn_history *h = calloc(1, sizeof *h);
    if (h && atn_predict_predictor_find("better-cycle", &c, NULL) == ATN_OK)
        h->online = atn_predict_online_make(&c, sizeof(call_key));
    if (h && h->online)
        return h;
    free(h);
    return NULL;
}

void atn_predict_history_free(atn_history *h)
{
    if (h)
        atn_predict_online_free(h->online);
    free(h);
}

void atn_predict_history_add(atn_history *h, const atn_problem *q)
{
    const call_key k = key_of(q);
    h->last = *q;
    atn_predict_online_add(h->online, &k, 0);
}

bool atn_predict_history_predict(atn_history *h, int ahead, atn_problem *q_p)
{
    const void *key = atn_predict_online_predict(h->online, ahead);
    call_key k;
    if (!key)
        return false;
    memcpy(&k, key, sizeof k);
    *q_p = h->last;
    q_p->op = (atn_operation)k.op;
    q_p->root = (int)k.root;
    q_p->bytes = k.bytes;
    q_p->ordered = k.ordered != 0;
    return true;
}

atn_prediction_stats atn_predict_history_stats(const atn_history *h)
{
    return atn_predict_online_stats(h->online);
}

atn_outlook atn_predict_history_outlook(atn_history *h,
                                        bool (*like)(const void *context, const atn_problem *q),
                                        const void *context)
{
    enum { WITHIN = 256 }; /* longer cycles are not kept */
    atn_problem q;
    for (int ahead = 2; ahead <= WITHIN + 1; ahead++) {
        if (!atn_predict_history_predict(h, ahead, &q))
            return ATN_OUTLOOK_OPEN;
        if (like(context, &q))
            return ATN_OUTLOOK_COMES;
    }
    return ATN_OUTLOOK_ABSENT;
}
