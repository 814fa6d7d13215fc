/* vec.c - growth of arrays. */
#include <limits.h>
#include <stdlib.h>

#include "base/base.h"

static const int first_cap = 8;

/* Doubling keeps the cost of a push constant; near INT_MAX the capacity stops doubling. */
static int grown(int cap, int want)
{
    int next = cap < first_cap ? first_cap : cap;
    while (next < want)
        next = next > INT_MAX / 2 ? INT_MAX : 2 * next;
    return next;
}

bool atn_vec_room(void **v, int *cap, int want, size_t item)
{
    if (want <= *cap)
        return want >= 0;
    const int next = grown(*cap, want);
    if (item != 0 && (size_t)next > SIZE_MAX / item)
        return false;
    void *moved = realloc(*v, (size_t)next * item);
    if (moved == NULL)
        return false;
    *v = moved;
    *cap = next;
    return true;
}
