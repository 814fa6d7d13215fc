/* hostlist.c - expands and folds lists of names. */
#include "topo/hostlist.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_NAME = 255, MAX_NAMES = 1 << 20, MAX_DIGITS = 9 };

void atn_topo_name_list_free(atn_name_list *list)
{
    for (int i = 0; i < list->n; i++)
        free(list->v[i]);
    atn_vec_free(list);
}

/* ---- expanding ---- */

typedef struct {
    const char *text; /* the whole list, for messages */
    atn_name_list *list;
    atn_error *err;
} reader;

static atn_status bad(const reader *r, const char *what)
{
    return atn_fail(r->err, ATN_INPUT, "list of names '%.120s' %s", r->text, what);
}

static atn_status add_name(const reader *r, const char *name)
{
    if (r->list->n >= MAX_NAMES)
        return bad(r, "has more than 1048576 names; is a range too long?");
    char *copy = strdup(name);
    if (copy != NULL && atn_push(r->list, copy))
        return ATN_OK;
    free(copy);
    return atn_fail(r->err, ATN_MEMORY, "out of memory");
}

bool atn_topo_is_name_char(char c)
{
    return isalnum((unsigned char)c) || (c && strchr("-_.:/", c));
}

bool atn_topo_is_name(const char *name)
{
    size_t n = 0;
    while (atn_topo_is_name_char(name[n]))
        n++;
    return n > 0 && n <= MAX_NAME && name[n] == '\0';
}

static const char *digits_end(const char *at)
{
    while (isdigit((unsigned char)*at))
        at++;
    return at;
}

static atn_status expand(const reader *r, const char *at, char *name, size_t used);

/* One number or range of a bracket; `*at_p` moves behind it. */
static atn_status expand_range(const reader *r, const char **at_p, const char *rest, char *name,
                               size_t used)
{
    const char *first = *at_p, *end = digits_end(first), *last = first;
    const int width = (int)(end - first);
    if (*end == '-') {
        last = end + 1;
        end = digits_end(last);
    }
    if (width == 0 || end == last || width > MAX_DIGITS || end - last > MAX_DIGITS)
        return bad(r, "needs numbers such as [0-3,7] between its brackets");
    const int from = atoi(first), to = atoi(last);
    if (from > to)
        return bad(r, "counts down in a range; write the smaller number first");
    for (int i = from; i <= to; i++) {
        if (used + MAX_DIGITS + 1 > MAX_NAME)
            return bad(r, "has a name of more than 255 letters");
        const int n = snprintf(name + used, MAX_NAME + 1 - used, "%0*d", width, i);
        const atn_status st = expand(r, rest, name, used + (size_t)n);
        if (st)
            return st;
    }
    *at_p = end;
    return ATN_OK;
}

static atn_status expand_bracket(const reader *r, const char *at, char *name, size_t used)
{
    const char *close = strpbrk(at, "[]");
    if (close == NULL || *close != ']')
        return bad(r, "has a [ without its ]; close it");
    for (;; at++) {
        const atn_status st = expand_range(r, &at, close + 1, name, used);
        if (st)
            return st;
        if (at == close)
            return ATN_OK;
        if (*at != ',')
            return bad(r, "needs numbers such as [0-3,7] between its brackets");
    }
}

/* One word of the list from `at` to its comma, after `used` letters already in `name`. */
static atn_status expand(const reader *r, const char *at, char *name, size_t used)
{
    for (; *at != '\0' && *at != ','; at++) {
        if (*at == '[')
            return expand_bracket(r, at + 1, name, used);
        if (!atn_topo_is_name_char(*at))
            return bad(r, "has a letter that no name may have; use letters, digits, - _ . : /");
        if (used >= MAX_NAME)
            return bad(r, "has a name of more than 255 letters");
        name[used++] = *at;
    }
    name[used] = '\0';
    return used > 0 ? add_name(r, name) : bad(r, "has an empty name; remove the extra comma");
}

/* Behind the comma that ends the word (brackets have commas of their own), or NULL at the end. */
static const char *next_word(const char *at)
{
    for (bool inside = false; *at != '\0'; at++) {
        inside = *at == '[' || (inside && *at != ']');
        if (*at == ',' && !inside)
            return at + 1;
    }
    return NULL;
}

atn_status atn_topo_hostlist_expand(const char *text, atn_name_list *list, atn_error *err)
{
    const reader r = {.text = text, .list = list, .err = err};
    char name[MAX_NAME + 16];
    if (*text == '\0')
        return atn_fail(err, ATN_INPUT, "list of names is empty; name at least one");
    for (const char *at = text; at != NULL; at = next_word(at)) {
        const atn_status st = expand(&r, at, name, 0);
        if (st)
            return st;
    }
    return ATN_OK;
}

/* ---- folding ---- */

/* A name ends in a number that fits an int and can be written again from its value and width. */
typedef struct {
    size_t prefix; /* letters before the number */
    int width;     /* of a number with leading zeros; 0: none */
    int number;    /* -1: no number */
} tail;

static tail split(const char *name)
{
    const size_t length = strlen(name);
    size_t at = length;
    while (at > 0 && isdigit((unsigned char)name[at - 1]) && length - at < MAX_DIGITS)
        at--;
    if (at == length)
        return (tail){.prefix = length, .number = -1};
    const bool padded = name[at] == '0' && at + 1 < length;
    return (tail){at, padded ? (int)(length - at) : 0, atoi(name + at)};
}

static bool digits_of(int number, int width)
{
    char text[16];
    return snprintf(text, sizeof text, "%d", number) == width;
}

/* Whether b is what a range that ends with a would name next. */
static bool follows(const char *a, tail ta, const char *b, tail tb)
{
    const int width = ta.width;
    return ta.number >= 0 && tb.number == ta.number + 1 && ta.prefix == tb.prefix &&
           strncmp(a, b, ta.prefix) == 0 &&
           (tb.width == width || (tb.width == 0 && digits_of(tb.number, width)));
}

static int run_length(const char *const *names, int n)
{
    int k = 1;
    tail now = split(names[0]);
    for (; k < n; k++) {
        tail next = split(names[k]);
        if (!follows(names[k - 1], now, names[k], next))
            break;
        next.width = now.width;
        now = next;
    }
    return k;
}

static bool same_prefix(const char *a, const char *b)
{
    const tail ta = split(a), tb = split(b);
    return ta.number >= 0 && tb.number >= 0 && ta.prefix == tb.prefix &&
           strncmp(a, b, ta.prefix) == 0;
}

/* Names from the first one on that share its prefix. */
static int group_length(const char *const *names, int n)
{
    int k = 1;
    while (k < n && same_prefix(names[0], names[k]))
        k++;
    return k;
}

static void print_group(FILE *f, const char *const *names, int n)
{
    const size_t prefix = split(names[0]).prefix;
    fprintf(f, "%.*s[", (int)prefix, names[0]);
    for (int i = 0; i < n;) {
        const int run = run_length(names + i, n - i);
        fprintf(f, "%s%s", i ? "," : "", names[i] + prefix);
        if (run > 1)
            fprintf(f, "-%s", names[i + run - 1] + prefix);
        i += run;
    }
    fputc(']', f);
}

/* `suffix` follows every word of the list. */
static void print_words(FILE *f, const char *const *names, int n, const char *suffix)
{
    for (int i = 0; i < n;) {
        const int group = group_length(names + i, n - i);
        if (i > 0)
            fputc(',', f);
        if (group > 1)
            print_group(f, names + i, group);
        else
            fputs(names[i], f);
        fputs(suffix, f);
        i += group;
    }
}

void atn_topo_hostlist_print(FILE *f, const char *const *names, int n)
{
    print_words(f, names, n, "");
}

char *atn_topo_hostlist_text(const char *const *names, int n)
{
    char *text = NULL;
    size_t bytes;
    FILE *const f = atn_open_text(&text, &bytes);
    if (f == NULL)
        return NULL;
    atn_topo_hostlist_print(f, names, n);
    fclose(f);
    return text;
}

/* ---- lists with repetition ---- */

/* How often the list repeats the name at its beginning. */
static int repeats(const char *const *names, int n)
{
    int k = 1;
    while (k < n && strcmp(names[k], names[0]) == 0)
        k++;
    return k;
}

/* Prints names that are all repeated k times, once each; `once` has room for them. */
static void print_repeated(FILE *f, const char *const *names, int n, int k, const char **once)
{
    char suffix[16] = "";
    if (k > 1)
        snprintf(suffix, sizeof suffix, "*%d", k);
    for (int i = 0; i < n; i += k)
        once[i / k] = names[i];
    print_words(f, once, n / k, suffix);
}

bool atn_topo_ranklist_print(FILE *f, const char *const *names, int n)
{
    const char **once = malloc(sizeof *once * ((size_t)n + 1));
    for (int i = 0, end; once && i < n; i = end) {
        const int k = repeats(names + i, n - i);
        for (end = i + k; end < n && repeats(names + end, n - end) == k; end += k)
            ;
        if (i > 0)
            fputc(',', f);
        print_repeated(f, names + i, end - i, k, once);
    }
    free(once);
    return once != NULL;
}

/* Takes "*4" off the end of a word; 1 when there is none, 0 when it is no number. */
static int cut_factor(char *word)
{
    char *star = strrchr(word, '*');
    if (star == NULL)
        return 1;
    *star = '\0';
    const size_t digits = strspn(star + 1, "0123456789");
    return digits > 0 && digits < 7 && star[digits + 1] == '\0' ? atoi(star + 1) : 0;
}

static atn_status expand_repeated(char *word, atn_name_list *list, atn_error *err)
{
    atn_name_list once = {0};
    const reader r = {.text = word, .list = list, .err = err};
    const int k = cut_factor(word);
    atn_status st = ATN_OK;
    if (k == 0)
        st = atn_fail(err, ATN_INPUT, "'%.120s' needs a number behind its *, as in n[0-3]*2", word);
    if (!st)
        st = atn_topo_hostlist_expand(word, &once, err);
    for (int i = 0; i < once.n && !st; i++)
        for (int j = 0; j < k && !st; j++)
            st = add_name(&r, once.v[i]);
    atn_topo_name_list_free(&once);
    return st;
}

atn_status atn_topo_ranklist_expand(const char *text, atn_name_list *list, atn_error *err)
{
    atn_status st = ATN_OK;
    if (*text == '\0')
        return atn_fail(err, ATN_INPUT, "list of names is empty; name at least one");
    for (const char *at = text, *next; at != NULL && !st; at = next) {
        next = next_word(at);
        char *word = next ? strndup(at, (size_t)(next - at - 1)) : strdup(at);
        st = word ? expand_repeated(word, list, err) : atn_fail(err, ATN_MEMORY, "out of memory");
        free(word);
    }
    return st;
}

/* ---- order ---- */

int atn_topo_name_compare(const char *a, const char *b)
{
    const char *p = a, *q = b;
    while (*p != '\0' && *q != '\0') {
        if (isdigit((unsigned char)*p) && isdigit((unsigned char)*q)) {
            p += strspn(p, "0");
            q += strspn(q, "0");
            const size_t np = (size_t)(digits_end(p) - p), nq = (size_t)(digits_end(q) - q);
            const int order = np != nq ? (np < nq ? -1 : 1) : strncmp(p, q, np);
            if (order != 0)
                return order;
            p += np;
            q += nq;
        } else {
            if (*p != *q)
                return (unsigned char)*p < (unsigned char)*q ? -1 : 1;
            p++;
            q++;
        }
    }
    const int order = (*p != '\0') - (*q != '\0');
    return order != 0 ? order : strcmp(a, b);
}
