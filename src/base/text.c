/* text.c - sizes such as 64K, list items, the nearest word, word lists for
 * messages. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"

static const char units[] = "KMGT";

/* The factor of a unit letter (either case), 1 for the end of the text, 0 for anything else. */
static int64_t unit_factor(char letter)
{
    if (letter == '\0')
        return 1;
    for (int i = 0; units[i] != '\0'; i++)
        if (letter == units[i] || letter == units[i] - 'A' + 'a')
            return INT64_C(1) << (10 * (i + 1));
    return 0;
}

bool atn_parse_size(const char *text, int64_t *bytes_p)
{
    int64_t number = 0;
    const char *at = text;
    for (; *at >= '0' && *at <= '9'; at++)
        if (__builtin_mul_overflow(number, 10, &number) ||
            __builtin_add_overflow(number, *at - '0', &number))
            return false;
    const int64_t factor = unit_factor(*at);
    if (at == text || factor == 0 || (*at != '\0' && at[1] != '\0') ||
        __builtin_mul_overflow(number, factor, &number))
        return false;
    *bytes_p = number;
    return true;
}

const char *atn_format_size(int64_t bytes, char out[32])
{
    int unit = -1;
    while (bytes != 0 && bytes % 1024 == 0 && units[unit + 1] != '\0') {
        bytes /= 1024;
        unit++;
    }
    const char letter[2] = {unit < 0 ? '\0' : units[unit], '\0'};
    snprintf(out, 32, "%" PRId64 "%s", bytes, letter);
    return out;
}

char *atn_next_item(char **rest_p, const char *separators)
{
    char *item = *rest_p + strspn(*rest_p, separators), *at = item;
    for (int depth = 0; *at != '\0' && (depth > 0 || strchr(separators, *at) == NULL); at++)
        depth += (*at == '{') - (*at == '}');
    *rest_p = *at != '\0' ? at + 1 : at;
    *at = '\0';
    return *item != '\0' ? item : NULL;
}

atn_status atn_check_list(const char *name, const char *text, atn_status status, atn_error *err)
{
    int depth = 0, comma = 0; /* character of the last one outside of braces; 0: none yet */
    bool filled = false;      /* something follows it */
    for (const char *at = text; *at != '\0'; at++) {
        const bool separates = *at == ',' && depth <= 0;
        if (separates && !filled)
            return atn_fail(err, status,
                            "%s: nothing is before the comma at character %d; remove it, or write "
                            "what is missing",
                            name, (int)(at - text) + 1);
        if (separates)
            comma = (int)(at - text) + 1;
        filled = separates ? false : filled || strchr(" \t", *at) == NULL;
        depth += (*at == '{') - (*at == '}');
    }
    if (comma == 0 || filled)
        return ATN_OK;
    return atn_fail(err, status,
                    "%s: nothing follows the comma at character %d; remove it, or write what is "
                    "missing",
                    name, comma);
}

enum { MAX_WORD = 64 };

/* Insertions, deletions, replacements and swaps of neighbours; both shorter than MAX_WORD. */
static int edit_distance(const char *a, const char *b)
{
    int rows[3][MAX_WORD + 1];
    int *older = rows[0], *old = rows[1], *now = rows[2];
    const int n = (int)strlen(b);
    for (int j = 0; j <= n; j++)
        old[j] = j;
    for (int i = 1; a[i - 1] != '\0'; i++) {
        now[0] = i;
        for (int j = 1; j <= n; j++) {
            const int replaced = old[j - 1] + (a[i - 1] != b[j - 1]);
            now[j] = atn_min(replaced, 1 + atn_min(old[j], now[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                now[j] = atn_min(now[j], older[j - 2] + 1);
        }
        int *const spare = older;
        older = old;
        old = now;
        now = spare;
    }
    return old[n];
}

const char *atn_nearest(const char *word, const char *const *words, int n)
{
    const size_t length = strlen(word);
    if (length >= MAX_WORD)
        return NULL;
    const char *best = NULL;
    int least = 1 + atn_max(1, (int)length / 3);
    for (int i = 0; i < n; i++) {
        if (strlen(words[i]) >= MAX_WORD)
            continue;
        const int distance = edit_distance(word, words[i]);
        if (distance < least) {
            least = distance;
            best = words[i];
        }
    }
    return best;
}

/* Appends after `used` bytes; words are never truncated. */
static void append_words(const char *const *words, int n, const char *before_last, size_t used,
                         char out[ATN_ERROR_ROOM])
{
    for (int i = 0; i < n; i++) {
        const char *const between = i == 0 ? "" : i + 1 < n ? ", " : before_last;
        if (used + strlen(between) + strlen(words[i]) >= ATN_ERROR_ROOM)
            return;
        used += (size_t)sprintf(out + used, "%s%s", between, words[i]);
    }
}

const char *atn_enumerate(const char *const *words, int n, const char *before_last,
                          char out[ATN_ERROR_ROOM])
{
    *out = '\0';
    append_words(words, n, before_last, 0, out);
    return out;
}

const char *atn_offer(const char *word, const char *const *words, int n, char out[ATN_ERROR_ROOM])
{
    const char *const near = atn_nearest(word, words, n);
    if (near != NULL)
        sprintf(out, "did you mean \"%.*s\"? There are: ", MAX_WORD, near);
    else
        strcpy(out, "there are: ");
    append_words(words, n, ", ", strlen(out), out);
    return out;
}
