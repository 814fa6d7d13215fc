/* levels_words.c - the text of levels: LEVEL[*SIZE][:ALGORITHM[{PARAMETERS}]], separated by
 * commas. */
#include <stdlib.h>

#include "algo/levels.h"

static bool copy(char *to, size_t size, const char *from, size_t n)
{
    if (n >= size)
        return false;
    memcpy(to, from, n);
    to[n] = '\0';
    return true;
}

static bool read_size(const char *text, size_t n, int *size_p)
{
    char digits[8];

    if (n == 0 || !copy(digits, sizeof digits, text, n) || strspn(digits, "0123456789") != n)
        return false;
    *size_p = atoi(digits);
    return *size_p > 0;
}

static bool read_algo(const char *text, atn_level_word *w)
{
    const size_t n = strcspn(text, "{"), rest = strlen(text + n);

    if (n == 0 || text[strcspn(text, ":*=")] == ':' || !copy(w->algo, sizeof w->algo, text, n))
        return false;
    return rest == 0 || (rest > 2 && text[n + rest - 1] == '}' &&
                         copy(w->params, sizeof w->params, text + n + 1, rest - 2));
}

static bool read_word(const char *text, atn_level_word *w)
{
    const size_t n = strcspn(text, ":*"), m = n + strcspn(text + n, ":");

    *w = (atn_level_word){.size = 0};
    if (n == 0 || text[n] == '\0' || !copy(w->name, sizeof w->name, text, n))
        return false;
    if (text[n] == '*' && !read_size(text + n + 1, m - n - 1, &w->size))
        return false;
    return text[m] == '\0' || read_algo(text + m + 1, w);
}

/* If one word has a size, all have one, except the innermost level, which joins ranks. */
static bool sizes_fit(atn_level_words *words)
{
    int sizes = 0, ranks = 0;

    for (int i = 0; i < words->n; i++) {
        sizes += words->v[i].size > 0;
        ranks += words->v[i].size == 0 && strcmp(words->v[i].name, "rank") == 0;
    }
    words->given = sizes > 0;
    return sizes == 0 || sizes + ranks == words->n;
}

static bool named_before(const atn_level_words *words)
{
    for (int i = 0; i < words->n; i++)
        if (strcmp(words->v[i].name, words->v[words->n].name) == 0)
            return true;
    return false;
}

bool atn_algo_level_words_read(const char *text, atn_level_words *words_p,
                               char bad_p[ATN_LEVEL_NAME])
{
    char list[ATN_NAME_ROOM], *rest = list;
    bool ok = snprintf(list, sizeof list, "%s", text) < (int)sizeof list;

    *words_p = (atn_level_words){.n = 0};
    for (char *word; ok && (word = atn_next_item(&rest, ",")) != NULL;) {
        snprintf(bad_p, ATN_LEVEL_NAME, "%.*s", ATN_LEVEL_NAME - 1, word);
        ok = words_p->n < ATN_LEVEL_WORDS && read_word(word, &words_p->v[words_p->n]) &&
             !named_before(words_p);
        words_p->n += ok;
    }
    return ok && sizes_fit(words_p);
}
