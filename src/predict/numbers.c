/* numbers.c - a hash table with open addressing, half full at most. */
#include "predict/numbers.h"

#include <stdlib.h>
#include <string.h>

const char *atn_predict_numbered(const atn_numbers *t, int number)
{
    return t->text.v + t->keys.v[number].at;
}

void atn_predict_numbers_free(atn_numbers *t)
{
    atn_vec_free(&t->text);
    atn_vec_free(&t->keys);
    free(t->places);
    *t = (atn_numbers){0};
}

static bool is_key(const atn_numbers *t, int number, const void *key, size_t bytes)
{
    return t->keys.v[number].bytes == bytes &&
           memcmp(atn_predict_numbered(t, number), key, bytes) == 0;
}

/* The slot of the key, or the free slot for it. */
static int *place_of(const atn_numbers *t, const void *key, size_t bytes)
{
    const size_t mask = (size_t)t->nplaces - 1;
    size_t i = (size_t)atn_hash(key, bytes, 0) & mask;
    while (t->places[i] && !is_key(t, t->places[i] - 1, key, bytes))
        i = (i + 1) & mask;
    return &t->places[i];
}

static bool grow(atn_numbers *t)
{
    if (t->nplaces > 1 << 29)
        return false;
    atn_numbers wider = *t;
    wider.nplaces = t->nplaces > 0 ? 2 * t->nplaces : 64;
    wider.places = calloc((size_t)wider.nplaces, sizeof *wider.places);
    if (!wider.places)
        return false;
    for (int i = 0; i < t->keys.n; i++)
        *place_of(&wider, atn_predict_numbered(t, i), t->keys.v[i].bytes) = i + 1;
    free(t->places);
    *t = wider;
    return true;
}

static bool keep(atn_numbers *t, const void *key, size_t bytes)
{
    const atn_numbered_key k = {.at = (size_t)t->text.n, .bytes = bytes};
    if (bytes > INT32_MAX / 4 || t->text.n > INT32_MAX / 2 ||
        !atn_vec_room((void **)&t->text.v, &t->text.cap, t->text.n + (int)bytes + 1, 1) ||
        !atn_push(&t->keys, k))
        return false;
    memcpy(t->text.v + t->text.n, key, bytes);
    t->text.v[t->text.n + (int)bytes] = '\0';
    t->text.n += (int)bytes + 1;
    return true;
}

int atn_predict_number_of(atn_numbers *t, const void *key, size_t bytes)
{
    if (2 * (t->keys.n + 1) > t->nplaces && !grow(t))
        return -1;
    int *place = place_of(t, key, bytes);
    if (*place == 0) {
        if (!keep(t, key, bytes))
            return -1;
        *place = t->keys.n;
    }
    return *place - 1;
}
