/* parse.c - recursive descent parser of tau-Lop expressions.  A factor is tried as a number first,
 * because "(k - 1) L0(S,2)" and "(T0(m) + T1(m))" have the same beginning. */
#include <ctype.h>
#include <string.h>

#include "research/taulop/expr.h"

typedef struct {
    const char *text, *at;
    int depth;
    const char *wrong, *where; /* the first error */
} reader;

enum { MAX_DEPTH = 60 };

static void fault(reader *x, const char *what)
{
    if (!x->wrong) {
        x->wrong = what;
        x->where = x->at;
    }
}

static void skip_space(reader *x) { x->at += strspn(x->at, " \t\r\n"); }

static bool accept(reader *x, const char *word)
{
    const size_t n = strlen(word);
    skip_space(x);
    if (strncmp(x->at, word, n) != 0)
        return false;
    x->at += n;
    return true;
}

static bool accept_any(reader *x, const char *const *words)
{
    for (; *words; words++)
        if (accept(x, *words))
            return true;
    return false;
}

static const char *const stars[] = {"*", "·", "×", NULL};
static const char *const bars[] = {"||", "‖", NULL};

/* The closing bracket for the opening one, or NULL. */
static const char *open_bracket(reader *x)
{
    return accept(x, "(") ? ")" : accept(x, "[") ? "]" : accept(x, "{") ? "}" : NULL;
}

static void expect(reader *x, const char *word, const char *what)
{
    if (!accept(x, word))
        fault(x, what);
}

/* ---- heads: o0, L^1, γ ... ---- */

static const struct {
    const char *word;
    atn_tau_kind kind;
    bool channel, bare; /* has a channel; arguments are optional */
} heads[] = {
    {"gamma", ATN_TAU_G, false, false}, {"γ", ATN_TAU_G, false, false},
    {"max", ATN_TAU_MAX, false, false}, {"g", ATN_TAU_G, false, false},
    {"c", ATN_TAU_C, false, false},     {"o", ATN_TAU_O, true, true},
    {"L", ATN_TAU_L, true, false},      {"T", ATN_TAU_T, true, false},
};

static const char *const superscripts[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", NULL};

static int read_channel(reader *x)
{
    for (int i = 0; superscripts[i]; i++)
        if (strncmp(x->at, superscripts[i], strlen(superscripts[i])) == 0) {
            x->at += strlen(superscripts[i]);
            return i;
        }
    x->at += *x->at == '^' && isdigit((unsigned char)x->at[1]);
    if (*x->at >= '0' && *x->at < '0' + ATN_TAU_CHANNELS)
        return *x->at++ - '0';
    return 0;
}

/* Reads the head of a leaf or of max; -1: there is none, and nothing was read. */
static int read_head(reader *x, int *channel_p)
{
    skip_space(x);
    const char *const start = x->at;
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
        const size_t n = strlen(heads[i].word);
        if (strncmp(start, heads[i].word, n) != 0)
            continue;
        x->at = start + n;
        *channel_p = heads[i].channel ? read_channel(x) : 0;
        const char next = x->at[strspn(x->at, " ")];
        if (next == '(' || (heads[i].kind == ATN_TAU_MAX && next == '{') ||
            (heads[i].bare && !isalnum((unsigned char)*x->at) && *x->at != '_'))
            return (int)i;
        x->at = start;
    }
    return -1;
}

/* ---- linear forms ---- */

static bool read_form(reader *x, atn_form *a);

static bool read_integer(reader *x, atn_form *a)
{
    int64_t n = 0;
    for (; isdigit((unsigned char)*x->at); x->at++)
        if (__builtin_mul_overflow(n, 10, &n) || __builtin_add_overflow(n, *x->at - '0', &n))
            return false;
    *a = atn_tau_form_int(n);
    return true;
}

static bool read_symbol(reader *x, atn_form *a)
{
    char name[ATN_FORM_NAME] = "";
    size_t n = 0;
    while (isalnum((unsigned char)x->at[n]) || x->at[n] == '_')
        n++;
    if (n == 0 || n >= sizeof name)
        return false;
    memcpy(name, x->at, n);
    x->at += n;
    *a = atn_tau_form_symbol(name);
    return true;
}

static bool read_form_factor(reader *x, atn_form *a)
{
    int channel;
    skip_space(x);
    if (isdigit((unsigned char)*x->at))
        return read_integer(x, a);
    if (*x->at == '(') {
        const char *const start = x->at++;
        if (++x->depth < MAX_DEPTH && read_form(x, a) && accept(x, ")")) {
            x->depth--;
            return true;
        }
        x->depth--;
        x->at = start;
        return false;
    }
    const char *const start = x->at;
    if (read_head(x, &channel) >= 0) {
        x->at = start;
        return false;
    }
    return read_symbol(x, a);
}

/* The longest prefix: "2k" of "2k * L0(S,4)". */
static bool read_form_product(reader *x, atn_form *a)
{
    if (!read_form_factor(x, a))
        return false;
    for (;;) {
        const char *const start = x->at;
        atn_form b;
        const bool over = accept(x, "/");
        if (!over)
            (void)accept_any(x, stars);
        if (!read_form_factor(x, &b)) {
            x->at = start;
            return true;
        }
        *a = over ? atn_tau_form_div(*a, b) : atn_tau_form_mul(*a, b);
    }
}

static bool read_form(reader *x, atn_form *a)
{
    const bool minus = accept(x, "-");
    if (!read_form_product(x, a))
        return false;
    if (minus)
        *a = atn_tau_form_sub(atn_tau_form_int(0), *a);
    for (;;) {
        const char *const start = x->at;
        atn_form b;
        const bool less = accept(x, "-");
        if ((!less && !accept(x, "+")) || !read_form_product(x, &b)) {
            x->at = start;
            return true;
        }
        *a = less ? atn_tau_form_sub(*a, b) : atn_tau_form_add(*a, b);
    }
}

static atn_form argument(reader *x, const char *what)
{
    atn_form a = atn_tau_form_int(0);
    const atn_form zero = a;
    if (!read_form(x, &a))
        fault(x, what);
    else if (atn_tau_form_is_bad(&a))
        fault(x, "product of symbols or too large a number before this");
    else if (a.n == 0 && !atn_tau_form_at_least(&a, &zero))
        fault(x, "negative number before this");
    return a;
}

/* ---- expressions ---- */

static atn_tau *read_sum(reader *x);

static atn_tau *read_max(reader *x)
{
    const char *close = open_bracket(x);
    atn_tau *y = read_sum(x);
    while (!x->wrong && accept(x, ","))
        y = atn_tau_pair(ATN_TAU_MAX, y, read_sum(x));
    expect(x, close, "the bracket of max is not closed");
    return y;
}

static atn_tau *read_leaf(reader *x, int head, int channel)
{
    static const char form[] =
        "write L0(size,concurrent), c(size,concurrent) or g(size,concurrent)";
    const atn_tau_kind kind = heads[head].kind;
    atn_form size = atn_tau_form_int(0), tau = atn_tau_form_int(1);
    const bool sizeless = heads[head].bare && *x->at != '(';
    if (!sizeless) {
        expect(x, "(", "a '(' is missing");
        size = argument(x, "a size is missing");
        if (kind != ATN_TAU_O && kind != ATN_TAU_T) {
            expect(x, ",", form);
            tau = argument(x, "the number of concurrent transfers is missing");
        }
        expect(x, ")", "a ')' is missing");
    }
    atn_tau *y = x->wrong ? NULL : atn_tau_leaf(kind, channel, size, tau);
    if (y)
        y->sizeless = sizeless;
    return y;
}

static atn_tau *read_primary(reader *x)
{
    int channel = 0;
    const int head = read_head(x, &channel);
    if (head >= 0)
        return heads[head].kind == ATN_TAU_MAX ? read_max(x) : read_leaf(x, head, channel);
    const char *close = open_bracket(x);
    if (!close) {
        fault(x, "o, L, T, c, g, max or a bracket is missing");
        return NULL;
    }
    atn_tau *y = read_sum(x);
    expect(x, close, "the bracket is not closed");
    return y;
}

/* A primary after factors. */
static atn_tau *read_operand(reader *x)
{
    const char *const start = x->at;
    atn_form by;
    atn_tau *y = NULL;
    if (++x->depth >= MAX_DEPTH) {
        fault(x, "nested too deeply");
    } else if (!read_form_product(x, &by)) {
        x->at = start;
        y = read_primary(x);
    } else if (atn_tau_form_is_bad(&by)) {
        fault(x, "product of symbols or too large a number before this");
    } else if (accept_any(x, bars)) {
        y = atn_tau_factor(ATN_TAU_WITH, by, read_operand(x));
    } else {
        (void)accept_any(x, stars);
        y = atn_tau_factor(ATN_TAU_TIMES, by, read_operand(x));
    }
    x->depth--;
    return y;
}

static atn_tau *read_term(reader *x)
{
    atn_tau *y = read_operand(x);
    while (!x->wrong && accept_any(x, bars))
        y = atn_tau_pair(ATN_TAU_JOIN, y, read_operand(x));
    return y;
}

static atn_tau *read_sum(reader *x)
{
    atn_tau *y = read_term(x);
    while (!x->wrong && accept(x, "+"))
        y = atn_tau_pair(ATN_TAU_SUM, y, read_term(x));
    return y;
}

atn_status atn_tau_parse(const char *text, atn_tau **x_p, atn_error *err)
{
    reader x = {.text = text, .at = text};
    atn_tau *y = read_sum(&x);
    skip_space(&x);
    if (!x.wrong && *x.at)
        fault(&x, "an operator is missing");
    if (!x.wrong && y) {
        *x_p = y;
        return ATN_OK;
    }
    atn_tau_free(y);
    return x.wrong ? atn_fail(err, ATN_INPUT, "'%.200s': character %d: %s", text,
                              (int)(x.where - text) + 1, x.wrong)
                   : atn_fail(err, ATN_MEMORY, "out of memory");
}
