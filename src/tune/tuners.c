/* tuners.c - see tuners.h. */
#include "tune/tuners.h"

#include <stdlib.h>
#include <string.h>

/* ---- call classes ---- */

static int find_class(const atn_class_key *keys, int n, atn_class_key key)
{
    for (int i = 0; i < n; i++)
        if (keys[i].kind == key.kind && keys[i].size_class == key.size_class)
            return i;
    return -1;
}

int atn_tune_class_index(atn_class_key *keys, int *n, int most, atn_class_key key)
{
    const int found = find_class(keys, *n, key);
    if (found >= 0 || *n == most)
        return found;
    keys[*n] = key;
    return (*n)++;
}

int atn_tune_size_class(int64_t bytes)
{
    int class = 0;
    for (; bytes > 0; bytes >>= 1)
        class ++;
    return bytes < 0 ? -1 : class;
}

atn_span atn_tune_size_span(int64_t bytes)
{
    if (bytes <= 0)
        return (atn_span){bytes < 0 ? -1 : 0, bytes < 0 ? INT64_MAX : 1};
    const int64_t from = INT64_C(1) << (atn_tune_size_class(bytes) - 1);
    return (atn_span){from, from > INT64_MAX / 2 ? INT64_MAX : 2 * from};
}

int atn_tune_size_half_class(int64_t bytes)
{
    const int class = atn_tune_size_class(bytes);
    return 2 * class + (class > 1 && (bytes >> (class - 2) & 1));
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

/* ---- tuners ---- */

void atn_tune_tuners_open(atn_tuners *all, int share, int64_t agreement_ns)
{
    all->n = 0;
    atn_tune_budget_begin(&all->budget, share, agreement_ns);
}

void atn_tune_tuners_close(atn_tuners *all)
{
    for (int i = 0; i < all->n; i++)
        atn_tune_tuner_free(all->tuner[i]);
    all->n = 0;
}

static int candidate_of(const atn_candidate *candidates, int n, uint64_t id)
{
    for (int i = 0; i < n; i++)
        if (candidates[i].id == id)
            return i;
    return -1;
}

enum { NEIGHBOURS = 2 * ATN_TUNERS_REACH };

/* The tuners of the nearest sizes, smaller ones first; returns their number. */
static int neighbours(const atn_tuners *all, atn_class_key key, const atn_tuner *near[NEIGHBOURS])
{
    int n = 0;
    for (int away = 1; away <= ATN_TUNERS_REACH && key.size_class >= 0; away++)
        for (int side = -1; side <= 1; side += 2) {
            const atn_class_key at = {key.kind, key.size_class + side * away};
            const int i = find_class(all->keys, all->n, at);
            if (i >= 0)
                near[n++] = all->tuner[i];
        }
    return n;
}

/* The winner of the nearest class of sizes; -1: none, or not a candidate here. */
static int borrow(const atn_tuners *all, atn_class_key key, const atn_candidate *candidates, int n)
{
    const atn_tuner *near[NEIGHBOURS];
    const int found = neighbours(all, key, near);
    for (int i = 0; i < found; i++) {
        atn_tuner_result result;
        atn_tune_tuner_result(near[i], &result);
        if (result.settled)
            return candidate_of(candidates, n, atn_tune_tuner_id(near[i], result.best));
    }
    return -1;
}

/* What was measured at neighbouring sizes bounds the first trials of this one. */
static void learn_ratios(const atn_tuners *all, atn_class_key key, atn_candidate *list, int n)
{
    const atn_tuner *near[NEIGHBOURS];
    const int found = neighbours(all, key, near);
    for (int i = 0; i < n; i++) {
        list[i].ratio = 0;
        for (int k = 0; k < found && list[i].ratio == 0; k++)
            list[i].ratio = atn_tune_tuner_ratio(near[k], list[i].id);
    }
}

atn_tuner *atn_tune_tuners_add(atn_tuners *all, atn_class_key key, const atn_tune_settings *s,
                               const atn_candidate *candidates, int n, int native, int from_wisdom,
                               int64_t wisdom_ps)
{
    if (all->n == ATN_TUNERS_MOST)
        return NULL;
    atn_tune_start kind_of_start = wisdom_ps > 0 ? ATN_START_WISE : ATN_START_BORROWED;
    int start = from_wisdom;
    if (start < 0) {
        start = s->shadow ? -1 : borrow(all, key, candidates, n);
        kind_of_start = ATN_START_BORROWED;
    }
    if (kind_of_start == ATN_START_BORROWED && (start < 0 || start == native))
        kind_of_start = ATN_START_NATIVE;
    atn_candidate list[ATN_TUNE_CANDIDATES];
    n = atn_min(n, ATN_TUNE_CANDIDATES);
    memcpy(list, candidates, (size_t)n * sizeof *list);
    learn_ratios(all, key, list, n);
    atn_tuner *t = atn_tune_tuner_new(s, &all->budget, list, n, native, start >= 0 ? start : native,
                                      kind_of_start, wisdom_ps);
    if (t != NULL) {
        all->keys[all->n] = key;
        all->tuner[all->n++] = t;
    }
    return t;
}

void atn_tune_tuners_drop(atn_tuners *all, atn_tuner *t)
{
    int i = 0;
    while (i < all->n && all->tuner[i] != t)
        i++;
    all->n -= i < all->n;
    for (; i < all->n; i++) {
        all->tuner[i] = all->tuner[i + 1];
        all->keys[i] = all->keys[i + 1];
    }
    atn_tune_tuner_free(t);
}
