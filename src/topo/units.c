/* units.c - exact decimal numbers with units. */
#include "topo/units.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

typedef struct {
    const char *name;
    int zeros; /* the unit is 10^zeros */
} unit;

static const unit rate_units[] = {{"", 0}, {"K", 3}, {"M", 6}, {"G", 9}, {"T", 12}};
static const unit delay_units[] = {{"ns", 0}, {"us", 3}, {"ms", 6}, {"s", 9}};
static const char *const rate_tails[] = {"", "b", "bit", "bps", "b/s", "bit/s"};

enum { RATE_UNITS = 5, DELAY_UNITS = 4, RATE_TAILS = 6 };

/* Digits with at most one point; `places_p` counts the digits after it.  Returns where they end. */
static const char *read_digits(const char *at, int64_t *number_p, int *places_p)
{
    bool point = false;
    *number_p = 0;
    *places_p = 0;
    for (; isdigit((unsigned char)*at) || (*at == '.' && !point && isdigit((unsigned char)at[1]));
         at++) {
        if (*at == '.') {
            point = true;
            continue;
        }
        if (__builtin_mul_overflow(*number_p, 10, number_p) ||
            __builtin_add_overflow(*number_p, *at - '0', number_p))
            return NULL;
        *places_p += point;
    }
    return at;
}

/* number * 10^zeros, where that is a whole number. */
static bool scale(int64_t number, int zeros, int64_t *out)
{
    for (; zeros > 0; zeros--)
        if (__builtin_mul_overflow(number, 10, &number))
            return false;
    for (; zeros < 0; zeros++) {
        if (number % 10 != 0)
            return false;
        number /= 10;
    }
    *out = number;
    return true;
}

static bool is_rate_tail(const char *text)
{
    for (int i = 0; i < RATE_TAILS; i++)
        if (strcmp(text, rate_tails[i]) == 0)
            return true;
    return false;
}

/* "" and "b..." mean bits; else one of the letters of rate_units, of either case. */
static int rate_zeros(const char *text)
{
    for (int i = 1; i < RATE_UNITS; i++)
        if (toupper((unsigned char)*text) == rate_units[i].name[0])
            return is_rate_tail(text + 1) ? rate_units[i].zeros : -1;
    return is_rate_tail(text) ? 0 : -1;
}

bool atn_topo_parse_rate(const char *text, int64_t *rate_p)
{
    int64_t number, rate;
    int places;
    const char *at = read_digits(text, &number, &places);
    if (at == NULL || at == text)
        return false;
    const int zeros = rate_zeros(at);
    if (zeros < 0 || !scale(number, zeros - places, &rate) || rate <= 0)
        return false;
    *rate_p = rate;
    return true;
}

bool atn_topo_parse_delay(const char *text, int64_t *ns_p)
{
    int64_t number;
    int places;
    const char *at = read_digits(text, &number, &places);
    if (at == NULL || at == text)
        return false;
    if (*at == '\0' && number == 0) {
        *ns_p = 0;
        return true;
    }
    for (int i = 0; i < DELAY_UNITS; i++)
        if (strcmp(at, delay_units[i].name) == 0)
            return scale(number, delay_units[i].zeros - places, ns_p);
    return strcmp(at, "\xc2\xb5s") == 0 && scale(number, 3 - places, ns_p);
}

/* The largest unit that leaves at most three decimal places, so that 2.5G is not 2500M. */
static const char *format(int64_t number, const unit *units, int n, char out[32])
{
    int best = 0;
    for (int i = 1; i < n; i++) {
        int64_t thousandths;
        if (scale(number, 3 - units[i].zeros, &thousandths) && thousandths >= 1000)
            best = i;
    }
    int64_t whole = number, rest = 0;
    for (int i = 0; i < units[best].zeros; i++)
        whole /= 10;
    scale(number, 3 - units[best].zeros, &rest);
    rest = units[best].zeros > 0 ? rest % 1000 : 0;
    int used = snprintf(out, 32, "%" PRId64, whole);
    if (rest > 0) {
        used += snprintf(out + used, (size_t)(32 - used), ".%03d", (int)rest);
        while (out[used - 1] == '0')
            used--;
    }
    snprintf(out + used, (size_t)(32 - used), "%s", units[best].name);
    return out;
}

const char *atn_topo_format_rate(int64_t rate, char out[32])
{
    return format(rate, rate_units, RATE_UNITS, out);
}

const char *atn_topo_format_delay(int64_t ns, char out[32])
{
    return ns == 0 ? strcpy(out, "0") : format(ns, delay_units, DELAY_UNITS, out);
}
