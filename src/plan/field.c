/* field.c - the words inside a line of wisdom: ranges, durations, algorithms.
 *
 * Numbers are read and written without the C library's locale-dependent functions: the host
 * program may have changed the locale before MPI_Init. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#include "plan/rules_private.h"

/* ---- ranges ---- */

/* One end of a range; an empty word leaves the end open. */
static bool end_parse(const char *text, size_t n, int64_t open, int64_t *end_p)
{
    char word[32];
    if (n >= sizeof word)
        return false;
    memcpy(word, text, n);
    word[n] = '\0';
    *end_p = open;
    return n == 0 || atn_parse_size(word, end_p);
}

bool atn_plan_span_parse(const char *text, atn_span *range_p)
{
    atn_span range = atn_plan_any;
    const char *colon = strchr(text, ':');
    if (strcmp(text, "*") != 0 && colon != NULL) {
        if (!end_parse(text, (size_t)(colon - text), 0, &range.lo) ||
            !end_parse(colon + 1, strlen(colon + 1), INT64_MAX, &range.hi))
            return false;
    } else if (strcmp(text, "*") != 0) {
        if (!atn_parse_size(text, &range.lo) || range.lo == INT64_MAX)
            return false;
        range.hi = range.lo + 1;
    }
    if (range.lo >= range.hi)
        return false;
    *range_p = range;
    return true;
}

static void end_print(int64_t end, bool sizes, char out[32])
{
    if (sizes)
        atn_format_size(end, out);
    else
        snprintf(out, 32, "%" PRId64, end);
}

void atn_plan_span_print(atn_span range, bool sizes, char out[ATN_WORD_ROOM])
{
    char lo[32], hi[32] = "";
    if (range.lo < 0) {
        strcpy(out, "*");
        return;
    }
    end_print(range.lo, sizes, lo);
    if (range.hi != INT64_MAX)
        end_print(range.hi, sizes, hi);
    if (range.hi == range.lo + 1)
        strcpy(out, lo);
    else
        snprintf(out, ATN_WORD_ROOM, "%s:%s", lo, hi);
}

/* ---- numbers and durations ---- */

bool atn_plan_count_parse(const char *text, int64_t *count_p)
{
    const size_t n = strlen(text);
    return n > 0 && text[n - 1] >= '0' && text[n - 1] <= '9' && atn_parse_size(text, count_p);
}

static const struct {
    const char *name;
    int64_t ps;
} units[] = {
    {"s", INT64_C(1000000000000)},
    {"ms", INT64_C(1000000000)},
    {"us", 1000000},
    {"ns", 1000},
    {"ps", 1},
};
enum { UNITS = sizeof units / sizeof units[0] };

static int64_t unit_ps(const char *name)
{
    for (int i = 0; i < UNITS; i++)
        if (strcmp(units[i].name, name) == 0)
            return units[i].ps;
    return 0;
}

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool atn_plan_duration_parse(const char *text, int64_t *ps_p)
{
    int64_t whole = 0, part = 0;
    const char *at = text;
    for (; is_digit(*at); at++)
        if (__builtin_mul_overflow(whole, 10, &whole) ||
            __builtin_add_overflow(whole, *at - '0', &whole))
            return false;
    if (at == text)
        return false;
    const char *decimals = *at == '.' ? ++at : at;
    while (is_digit(*at))
        at++;
    const int64_t ps = unit_ps(at);
    for (int64_t scale = ps / 10; decimals < at && scale > 0; scale /= 10)
        part += (*decimals++ - '0') * scale;
    if (ps == 0 || __builtin_mul_overflow(whole, ps, &whole) ||
        __builtin_add_overflow(whole, part, &whole))
        return false;
    *ps_p = whole;
    return true;
}

void atn_plan_duration_print(int64_t ps, char out[ATN_WORD_ROOM])
{
    int u = 0;
    while (u < UNITS - 1 && ps < units[u].ps)
        u++;
    int64_t rest = ps % units[u].ps;
    int n = snprintf(out, ATN_WORD_ROOM, "%" PRId64 "%s", ps / units[u].ps, rest > 0 ? "." : "");
    for (int64_t scale = units[u].ps / 10; rest > 0; scale /= 10) {
        out[n++] = (char)('0' + rest / scale);
        rest %= scale;
    }
    strcpy(out + n, units[u].name);
}

/* ---- dates, places, guesses ---- */

/* Days from 1970-01-01 to a day of the Gregorian calendar; years begin in March, so that the day of
 * a leap year comes last. */
static int64_t days_of(int64_t year, int month, int day)
{
    year -= month <= 2;
    const int64_t era = year / 400, of_era = year - era * 400;
    const int64_t of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

static void date_of(int64_t days, int *year_p, int *month_p, int *day_p)
{
    int year = 1970 + (int)(days / 366);
    while (days_of(year + 1, 1, 1) <= days)
        year++;
    int month = 1;
    while (month < 12 && days_of(year, month + 1, 1) <= days)
        month++;
    *year_p = year;
    *month_p = month;
    *day_p = (int)(days - days_of(year, month, 1)) + 1;
}

/* Digits where the pattern has a 0, the same character elsewhere. */
static bool looks_like(const char *text, const char *pattern)
{
    for (; *pattern != '\0'; text++, pattern++)
        if (*pattern == '0' ? !is_digit(*text) : *text != *pattern)
            return false;
    return *text == '\0';
}

static int two_digits(const char *at) { return (at[0] - '0') * 10 + at[1] - '0'; }

bool atn_plan_date_parse(const char *text, int64_t *seconds_p)
{
    const bool whole = looks_like(text, "0000-00-00T00:00:00Z");
    if (!whole && !looks_like(text, "0000-00-00"))
        return false;
    const int year = two_digits(text) * 100 + two_digits(text + 2);
    const int month = two_digits(text + 5), day = two_digits(text + 8);
    const int hour = whole ? two_digits(text + 11) : 0, minute = whole ? two_digits(text + 14) : 0,
              second = whole ? two_digits(text + 17) : 0;
    if (year < 1970 || month < 1 || month > 12 || day < 1 || day > 31 || hour > 23 || minute > 59 ||
        second > 59)
        return false;
    *seconds_p = ((days_of(year, month, day) * 24 + hour) * 60 + minute) * 60 + second;
    return true;
}

void atn_plan_date_print(int64_t seconds, char out[ATN_WORD_ROOM])
{
    const int64_t last = INT64_C(253402300799); /* of the year 9999 */
    int year, month, day;
    if (seconds > last)
        seconds = last;
    date_of(seconds / 86400, &year, &month, &day);
    const int rest = (int)(seconds % 86400);
    snprintf(out, ATN_WORD_ROOM, "%04d-%02d-%02dT%02d:%02d:%02dZ", year, month, day, rest / 3600,
             rest / 60 % 60, rest % 60);
}

bool atn_plan_place_parse(const char *text, int64_t *place_p)
{
    const char *slash = strchr(text, '/');
    if (strcmp(text, "*") == 0 || strcmp(text, "*/*") == 0) {
        *place_p = 0;
        return true;
    }
    if (slash == NULL || slash == text || slash[1] == '\0' || strchr(slash + 1, '/') != NULL ||
        strlen(text) >= ATN_WORD_ROOM)
        return false;
    for (const char *at = text; *at != '\0'; at++)
        if ((unsigned char)*at <= ' ')
            return false;
    const int64_t place = atn_intern(text);
    if (place > 0)
        *place_p = place;
    return place > 0;
}

const char *const atn_plan_guess_words[] = {
    [ATN_GUESS_NONE] = "",
    [ATN_GUESS_BETWEEN] = "between",
    [ATN_GUESS_MODEL] = "model",
    [ATN_GUESS_RACE] = "race",
    NULL,
};

/* ---- operations and algorithms ---- */

bool atn_plan_shares_bytes(atn_operation op)
{
    const atn_operation_info *info = atn_sched_operation_get(op);
    const bool pairs =
        info->source == ATN_SIDE_ROW || (info->flags & (ATN_ROOTED | ATN_ON_NEIGHBOURS));
    const bool empty = info->source == ATN_SIDE_NONE && info->result == ATN_SIDE_NONE;
    return !empty && !((info->flags & ATN_VARYING) && pairs);
}

atn_status atn_plan_unknown_operation(const char *word, atn_error *err)
{
    char offer[ATN_ERROR_ROOM];
    return atn_fail(err, ATN_INPUT, "unknown operation \"%.40s\"; %s", word,
                    atn_sched_operation_offer(word, offer));
}

enum { MAX_NAMES = 128 };

static atn_status unknown_algorithm(atn_operation op, const char *word, atn_error *err)
{
    const char *names[MAX_NAMES];
    char offer[ATN_ERROR_ROOM];
    int n = 0;
    for (int i = 0; i < atn_algo_catalog_rows() && n < MAX_NAMES; i++)
        if (atn_algo_catalog_row(i)->op == op)
            names[n++] = atn_algo_catalog_row(i)->algo->name;
    return atn_fail(err, ATN_INPUT, "unknown algorithm \"%.40s\" for %s; %s", word,
                    atn_sched_operation_get(op)->name, atn_offer(word, names, n, offer));
}

atn_status atn_plan_choice_parse(atn_operation op, const char *name, const char *params,
                                 atn_choice *choice_p, atn_error *err)
{
    atn_choice choice = {.row = atn_algo_catalog_find(op, name)};
    if (choice.row == NULL)
        return unknown_algorithm(op, name, err);
    atn_algo_params_default(choice.row, &choice.params);
    if (*params != '\0' && atn_algo_params_parse(choice.row, params, &choice.params, err) != ATN_OK)
        return ATN_INPUT;
    *choice_p = choice;
    return ATN_OK;
}

atn_status atn_plan_choice_read(atn_operation op, char *text, atn_choice *choice_p, atn_error *err)
{
    char *params = text + strcspn(text, "{:");
    if (*params == '{') {
        char *close = params + strlen(params) - 1;
        if (*close != '}')
            return atn_fail(err, ATN_INPUT,
                            "%.80s: parameters are written name{key=value,key=value}", text);
        *close = '\0';
    }
    if (*params != '\0')
        *params++ = '\0';
    return atn_plan_choice_parse(op, text, params, choice_p, err);
}

void atn_plan_choice_print(const atn_choice *choice, char out[ATN_NAME_ROOM])
{
    char full[ATN_NAME_ROOM];
    atn_algo_params_print(choice->row, &choice->params, full, sizeof full);
    const char *slash = strchr(full, '/');
    strcpy(out, slash != NULL ? slash + 1 : full);
}

/* ---- files ---- */

/* Devices are refused because some never end; a directory gets a plainer message than read(2)'s. */
atn_status atn_plan_check_kind(const char *path, const char *kind, atn_error *err)
{
    struct stat about;
    if (stat(path, &about) != 0)
        return atn_fail(err, ATN_INPUT, "%s: cannot be read: %s; name an existing %s file", path,
                        strerror(errno), kind);
    if (S_ISDIR(about.st_mode))
        return atn_fail(err, ATN_INPUT, "%s: is a directory; name the %s file in it", path, kind);
    if (!S_ISREG(about.st_mode) && !S_ISFIFO(about.st_mode))
        return atn_fail(err, ATN_INPUT, "%s: is not a file; name a %s file", path, kind);
    return ATN_OK;
}
