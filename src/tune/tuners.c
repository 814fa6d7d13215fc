/* tuners.c - see tuners.h. */
#include "tune/tuners.h"

#include <stdlib.h>

int atn_tune_size_class(int64_t bytes)
{
    int class = 0;
    for (; bytes > 0; bytes >>= 1)
        class ++;
    return bytes < 0 ? -1 : class;
}

int atn_tune_size_weight(int64_t bytes, int64_t fixed)
{
    const int class = atn_tune_size_class(bytes);
    const int64_t usual = class <= 1 ? class : (INT64_C(3) << (class - 1)) / 2;
    if (class < 0 || usual + fixed <= 0)
        return ATN_TUNE_WEIGHT;
    const __int128 weight = (__int128)ATN_TUNE_WEIGHT * (bytes + fixed) / (usual + fixed);
    return weight < 1 ? 1 : (int)weight;
}

int64_t atn_tune_size_usual_ps(int64_t bytes, int64_t fixed, int64_t ps)
{
    const int weight = atn_tune_size_weight(bytes, fixed);
    return ps > 0 ? (int64_t)((__int128)ps * ATN_TUNE_WEIGHT / weight) : ps;
}

void atn_tune_tuners_open(atn_tuners *all, int share, int64_t agreement_ns)
{
    all->n = 0;
    atn_tune_budget_begin(&all->budget, share, agreement_ns);
}

void atn_tune_tuners_close(atn_tuners *all)
{
    for (int i = 0; i < all->n; i++)
        atn_tune_tuner_free(all->entry[i].tuner);
    all->n = 0;
}

static const atn_tuners_entry *find_class(const atn_tuners *all, uint64_t kind, int size_class)
{
    for (int i = 0; i < all->n; i++)
        if (all->entry[i].kind == kind && all->entry[i].size_class == size_class)
            return &all->entry[i];
    return NULL;
}

static int candidate_of(const atn_candidate *candidates, int n, uint64_t id)
{
    for (int i = 0; i < n; i++)
        if (candidates[i].id == id)
            return i;
    return -1;
}

/* The winner of the nearest class of sizes; -1: none, or not a candidate here. */
static int borrow(const atn_tuners *all, uint64_t kind, int size_class,
                  const atn_candidate *candidates, int n)
{
    for (int away = 1; away <= ATN_TUNERS_REACH; away++)
        for (int side = -1; side <= 1; side += 2) {
            const atn_tuners_entry *entry = find_class(all, kind, size_class + side * away);
            atn_tuner_result result;
            if (entry == NULL || size_class < 0)
                continue;
            atn_tune_tuner_result(entry->tuner, &result);
            if (result.settled)
                return candidate_of(candidates, n, atn_tune_tuner_id(entry->tuner, result.best));
        }
    return -1;
}

atn_tuner *atn_tune_tuners_add(atn_tuners *all, uint64_t kind, int64_t bytes,
                               const atn_tune_settings *s, const atn_candidate *candidates, int n,
                               int native, int from_wisdom, int64_t wisdom_ps)
{
    const int size_class = atn_tune_size_class(bytes);
    if (all->n == ATN_TUNERS_MOST)
        return NULL;
    atn_tune_start kind_of_start = wisdom_ps > 0 ? ATN_START_WISE : ATN_START_BORROWED;
    int start = from_wisdom;
    if (start < 0) {
        start = s->shadow ? -1 : borrow(all, kind, size_class, candidates, n);
        kind_of_start = ATN_START_BORROWED;
    }
    if (kind_of_start == ATN_START_BORROWED && (start < 0 || start == native))
        kind_of_start = ATN_START_NATIVE;
    atn_tuner *t = atn_tune_tuner_new(s, &all->budget, candidates, n, native,
                                      start >= 0 ? start : native, kind_of_start, wisdom_ps);
    if (t != NULL)
        all->entry[all->n++] = (atn_tuners_entry){kind, size_class, t};
    return t;
}

void atn_tune_tuners_drop(atn_tuners *all, atn_tuner *t)
{
    if (all->n > 0 && all->entry[all->n - 1].tuner == t)
        all->n--;
    atn_tune_tuner_free(t);
}
