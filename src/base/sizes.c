/* sizes.c - lists and ranges of sizes: 16K,128K,1M and 1K:1M:x4. */
#include <stdlib.h>
#include <string.h>

#include "base/base.h"

enum { MAX_SIZES = 1000, MAX_ITEM = 80 };

typedef struct {
    int64_t lo, hi, factor, step; /* factor 0: add the step */
} range;

static bool parse_step(const char *text, range *r)
{
    if (*text == 'x' || *text == 'X')
        return atn_parse_size(text + 1, &r->factor) && r->factor >= 2;
    r->factor = 0;
    return *text == '+' && atn_parse_size(text + 1, &r->step) && r->step >= 1;
}

/* "LO" or "LO:HI:STEP"; false when it is neither. */
static bool parse_range(char *item, range *r)
{
    char *hi = strchr(item, ':'), *step = NULL;
    if (hi != NULL) {
        *hi++ = '\0';
        step = strchr(hi, ':');
    }
    if (step != NULL)
        *step++ = '\0';
    *r = (range){.factor = 0};
    if (!atn_parse_size(item, &r->lo))
        return false;
    if (hi == NULL) {
        r->hi = r->lo;
        return true;
    }
    return atn_parse_size(hi, &r->hi) && r->hi >= r->lo && step != NULL && parse_step(step, r) &&
           (r->factor == 0 || r->lo > 0 || r->hi == 0);
}

static bool next_size(const range *r, int64_t *size)
{
    const bool overflow = r->factor > 0 ? __builtin_mul_overflow(*size, r->factor, size)
                                        : __builtin_add_overflow(*size, r->step, size);
    return !overflow && *size <= r->hi;
}

static bool holds(const atn_sizes *list, int64_t size)
{
    for (int i = 0; i < list->n; i++)
        if (list->v[i] == size)
            return true;
    return false;
}

static atn_status add_range(const range *r, atn_sizes *list, atn_error *err)
{
    int64_t size = r->lo;
    do {
        if (list->n == MAX_SIZES)
            return atn_fail(err, ATN_USAGE, "more than %d sizes; use a wider step", MAX_SIZES);
        if (!holds(list, size) && !atn_push(list, size))
            return atn_fail(err, ATN_MEMORY, "out of memory");
    } while (r->lo < r->hi && next_size(r, &size));
    return ATN_OK;
}

/* "LO:HI": without a step, the sizes are not defined. */
static bool lacks_step(const char *item)
{
    const char *const colon = strchr(item, ':');
    return colon != NULL && colon[1] != '\0' && strchr(colon + 1, ':') == NULL;
}

static atn_status add_item(const char *text, size_t n, atn_sizes *list, atn_error *err)
{
    char item[MAX_ITEM];
    range r;
    snprintf(item, sizeof item, "%.*s", (int)atn_min((int)n, MAX_ITEM - 1), text);
    if (lacks_step(item))
        return atn_fail(err, ATN_USAGE,
                        "range '%s' has no step; write %s:x4 to multiply by 4 or %s:+1K to add 1K",
                        item, item, item);
    if (n >= MAX_ITEM || !parse_range(item, &r))
        return atn_fail(err, ATN_USAGE,
                        "'%.*s' is neither a size such as 4096 or 64K nor a range such as "
                        "1K:1M:x4 or 0:64:+8",
                        (int)n, text);
    return add_range(&r, list, err);
}

atn_status atn_parse_sizes(const char *text, atn_sizes *list_p, atn_error *err)
{
    atn_sizes list = {0};
    atn_status status;
    do {
        const size_t n = strcspn(text, ",");
        status = add_item(text, n, &list, err);
        text += n;
    } while (status == ATN_OK && *text++ == ',');
    if (status == ATN_OK)
        *list_p = list;
    else
        atn_vec_free(&list);
    return status;
}
