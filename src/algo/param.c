/* param.c - parameters of a row: the algorithm's own, then those of its passes. */
#include "algo/algo.h"
#include "algo/levels.h"
#include "algo/order.h"
#include "algo/shape.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char *const sync_words[] = {"none", "pair", "barrier", NULL};
static const char *const order_words[] = {"rank", "lr1", "lr2", "lr3", "dfs", "name", NULL};

static const struct {
    unsigned pass;
    atn_param param;
} standard[] = {
    {ATN_PASS_SEGMENT,
     {"segment", ATN_BYTES, 0, 0, INT64_C(1) << 40, ATN_LOG2,
      "segment size in bytes, pipelined (0: whole message)", NULL}},
    {ATN_PASS_WINDOW,
     {"window", ATN_INT, 0, 0, 1 << 20, ATN_LOG2, "maximum rounds of messages in flight (0: all)",
      NULL}},
    {ATN_PASS_SYNC,
     {"sync", ATN_WORD, ATN_SYNC_NONE, ATN_SYNC_NONE, ATN_SYNC_BARRIER, ATN_LINEAR,
      "before a round, wait not at all, for the receiver, or for all ranks", sync_words}},
    {ATN_PASS_SYNC,
     {"every", ATN_INT, 1, 1, 1 << 20, ATN_LOG2, "rounds between synchronisations", NULL}},
    {ATN_PASS_ORDER,
     {"order", ATN_WORD, ATN_ORDER_RANK, ATN_ORDER_RANK, ATN_ORDER_NAME, ATN_LINEAR,
      "rank order: by number, or topology-aware: a contention-free ring (lr1), with two hops "
      "(lr2), "
      "with the shortest distances (lr3), depth first from the root (dfs), by host names (name)",
      order_words}},
};

const atn_param atn_algo_knomial_params[] = {
    {"radix", ATN_INT, 4, 2, ATN_MAX_RADIX, ATN_LOG2, "radix of the tree (2: binomial)", NULL},
    {0},
};

int atn_algo_row_params(const atn_row *row, const atn_param *list[ATN_MAX_PARAMS])
{
    int n = 0;

    for (const atn_param *own = row->algo->params; own && own->name; own++)
        list[n++] = own;
    for (size_t i = 0; i < sizeof standard / sizeof *standard; i++)
        if (row->algo->passes & standard[i].pass)
            list[n++] = &standard[i].param;
    return n;
}

static int param_index(const atn_row *row, const char *name, const atn_param **param_p)
{
    const atn_param *list[ATN_MAX_PARAMS];
    const int n = atn_algo_row_params(row, list);

    for (int i = 0; i < n; i++)
        if (strcmp(list[i]->name, name) == 0) {
            *param_p = list[i];
            return i;
        }
    return -1;
}

void atn_algo_params_default(const atn_row *row, atn_params *prm)
{
    const atn_param *list[ATN_MAX_PARAMS];
    const int n = atn_algo_row_params(row, list);

    *prm = (atn_params){{0}};
    for (int i = 0; i < n; i++)
        prm->v[i] = list[i]->fallback;
}

int64_t atn_algo_params_get(const atn_row *row, const atn_params *prm, const char *name,
                            int64_t fallback)
{
    const atn_param *param;
    const int i = param_index(row, name, &param);

    return i < 0 ? fallback : prm->v[i];
}

/* ---- values as text ---- */

static bool parse_word(const char *text, const char *const *words, int64_t *value_p)
{
    for (int i = 0; words[i]; i++)
        if (strcmp(words[i], text) == 0) {
            *value_p = i;
            return true;
        }
    return false;
}

static bool parse_int(const char *text, int64_t *value_p)
{
    return text[strspn(text, "0123456789")] == '\0' && atn_parse_size(text, value_p);
}

static bool parse_value(const atn_param *p, const char *text, int64_t *value_p)
{
    switch (p->type) {
    case ATN_WORD:
        return parse_word(text, p->words, value_p);
    case ATN_INT:
        return parse_int(text, value_p);
    case ATN_FILE:
        *value_p = atn_intern(text);
        return *value_p > 0;
    default:
        return atn_parse_size(text, value_p);
    }
}

const char *atn_algo_param_value(const atn_param *p, int64_t value, char out[32])
{
    if (p->type == ATN_BYTES)
        return atn_format_size(value, out);
    if (p->type == ATN_WORD)
        return value < ATN_NESTED ? p->words[value] : atn_interned(value - ATN_NESTED);
    if (p->type >= ATN_LEVELS)
        return atn_interned(value);
    snprintf(out, 32, "%" PRId64, value);
    return out;
}

int64_t atn_algo_param_number(const atn_param *p, int64_t value)
{
    char name[ATN_NAME_ROOM];

    if (p->type != ATN_WORD || value < ATN_NESTED)
        return value;
    snprintf(name, sizeof name, "%s", atn_interned(value - ATN_NESTED));
    name[strcspn(name, "{")] = '\0';
    parse_word(name, p->words, &value);
    return value;
}

int atn_algo_param_compare(const atn_param *p, int64_t x, int64_t y)
{
    const bool texts = p->type >= ATN_LEVELS || (x >= ATN_NESTED && y >= ATN_NESTED);
    char room[2][32];

    if (x != y && texts && p->type >= ATN_WORD)
        return strcmp(atn_algo_param_value(p, x, room[0]), atn_algo_param_value(p, y, room[1]));
    return (x > y) - (x < y);
}

void atn_algo_param_label(const atn_param *p, char *out, size_t size)
{
    char value[32];

    if (p->type == ATN_LEVELS)
        snprintf(out, size, "LEVEL:ALGORITHM");
    else if (p->type == ATN_FILE)
        snprintf(out, size, "%s=FILE", p->name);
    else
        snprintf(out, size, "%s=%s", p->name, atn_algo_param_value(p, p->fallback, value));
}

/* "none, pair or barrier", "0 to 1M". */
void atn_algo_param_allowed(const atn_param *p, char out[ATN_ERROR_ROOM])
{
    char lo[32], hi[32];

    if (p->type == ATN_WORD)
        atn_enumerate(p->words + p->min, (int)(p->max - p->min + 1), " or ", out);
    else if (p->type == ATN_FILE)
        snprintf(out, ATN_ERROR_ROOM, "the name of a file");
    else if (p->type == ATN_LEVELS)
        snprintf(out, ATN_ERROR_ROOM, "levels of the topology with algorithms, or with none");
    else
        snprintf(out, ATN_ERROR_ROOM, "%s to %s", atn_algo_param_value(p, p->min, lo),
                 atn_algo_param_value(p, p->max, hi));
}

/* ---- setting ---- */

static atn_status unknown_param(const atn_row *row, const char *key, atn_error *err)
{
    const atn_param *list[ATN_MAX_PARAMS];
    const char *names[ATN_MAX_PARAMS] = {NULL};
    char all[ATN_ERROR_ROOM];
    const int n = atn_algo_row_params(row, list);

    for (int i = 0; i < n; i++)
        names[i] = list[i]->name;
    const char *near = atn_nearest(key, names, n);
    return atn_fail(err, ATN_INPUT, "%s has no parameter '%s'%s%s%s; it has: %s", row->name, key,
                    near ? " (did you mean '" : "", near ? near : "", near ? "'?)" : "",
                    n > 0 ? atn_enumerate(names, n, ", ", all) : "none");
}

/* The row's parameter of type ATN_LEVELS; NULL: none. */
static const atn_param *levels_of(const atn_row *row, int *i_p)
{
    const atn_param *list[ATN_MAX_PARAMS];
    const int n = atn_algo_row_params(row, list);

    for (*i_p = 0; *i_p < n; ++*i_p)
        if (list[*i_p]->type == ATN_LEVELS)
            return list[*i_p];
    return NULL;
}

static atn_status set_levels(const atn_row *row, int i, const char *text, atn_params *prm,
                             atn_error *err)
{
    const atn_status status = atn_algo_levels_check(row, text, err);
    const int64_t number = status == ATN_OK ? atn_intern(text) : 0;

    if (number < 0)
        return atn_fail(err, ATN_MEMORY, "out of memory");
    prm->v[i] = number;
    return status;
}

static atn_status bad_value(const atn_row *row, const atn_param *param, const char *value,
                            atn_error *err)
{
    char allowed[ATN_ERROR_ROOM];

    atn_algo_param_allowed(param, allowed);
    return atn_fail(err, ATN_INPUT, "%s: %s=%s is invalid; allowed: %s", row->name, param->name,
                    value, allowed);
}

/* "mesh{dims=3}": the name of a row, and its parameters in braces. */
static atn_status set_part(const atn_row *row, int i, const atn_param *param, const char *text,
                           atn_params *prm, atn_error *err)
{
    char word[ATN_NAME_ROOM], *inside = word + strcspn(text, "{");
    const size_t n = strlen(text);
    atn_algo_use part = {.row = NULL};
    int64_t known;

    if (n >= sizeof word || text[n - 1] != '}')
        return bad_value(row, param, text, err);
    memcpy(word, text, n);
    word[n - 1] = '\0';
    *inside++ = '\0';
    if (!parse_word(word, param->words, &known))
        return bad_value(row, param, word, err);
    part.row = atn_algo_catalog_find(row->algo->parts[i], word);
    const atn_status status = atn_algo_params_parse(part.row, inside, &part.prm, err);
    if (status == ATN_OK && atn_algo_params_get(part.row, &part.prm, "segment", 0) != 0)
        return atn_fail(err, ATN_INPUT, "%s: %s=%s: segment is a parameter of the whole algorithm",
                        row->name, param->name, text);
    const int64_t value = status == ATN_OK ? atn_algo_part_value(param, &part) : 0;
    if (value < 0)
        return atn_fail(err, ATN_MEMORY, "out of memory");
    prm->v[i] = value;
    return status;
}

atn_status atn_algo_params_set(const atn_row *row, atn_params *prm, const char *key,
                               const char *value, atn_error *err)
{
    const atn_param *param;
    const int i = param_index(row, key, &param);
    int64_t v;

    if (i < 0)
        return unknown_param(row, key, err);
    if (param->type == ATN_LEVELS)
        return set_levels(row, i, value, prm, err);
    if (atn_algo_part_operation(row->algo, i) != ATN_BARRIER && strchr(value, '{'))
        return set_part(row, i, param, value, prm, err);
    if (!parse_value(param, value, &v) || v < param->min || v > param->max)
        return bad_value(row, param, value, err);
    prm->v[i] = v;
    return ATN_OK;
}

/* Appends "site:flat", "host*4:binomial" or "host:none". */
static atn_status add_level(const atn_row *row, int i, const char *word, atn_params *prm,
                            atn_error *err)
{
    const char *old = atn_interned(prm->v[i]);
    char text[ATN_NAME_ROOM];

    if (snprintf(text, sizeof text, "%s%s%s", old, *old ? "," : "", word) >= (int)sizeof text)
        return atn_fail(err, ATN_INPUT, "%s: too many levels", row->name);
    return set_levels(row, i, text, prm, err);
}

/* A parameter is given once; bit i of *given_p: the row's parameter i is. */
static atn_status set_once(const atn_row *row, atn_params *prm, const char *key, const char *value,
                           unsigned *given_p, atn_error *err)
{
    const atn_param *param;
    const int i = param_index(row, key, &param);

    if (i >= 0 && *given_p & 1u << i)
        return atn_fail(err, ATN_INPUT, "%s: %s is given twice", row->name, key);
    *given_p |= i >= 0 ? 1u << i : 0;
    return atn_algo_params_set(row, prm, key, value, err);
}

static atn_status set_word(const atn_row *row, char *word, atn_params *prm, unsigned *given_p,
                           atn_error *err)
{
    char *eq = word + strcspn(word, "=:*");
    int i;

    if (*eq != '=' && levels_of(row, &i))
        return add_level(row, i, word, prm, err);
    if (*eq != '=')
        return atn_fail(err, ATN_INPUT, "%s: '%s' is not of the form parameter=value", row->name,
                        word);
    *eq = '\0';
    return set_once(row, prm, word, eq + 1, given_p, err);
}

static bool braces_match(const char *text)
{
    int depth = 0;

    for (; *text && depth >= 0; text++)
        depth += *text == '{' ? 1 : *text == '}' ? -1 : 0;
    return depth == 0;
}

static atn_status too_long(const atn_row *row, atn_error *err)
{
    return atn_fail(err, ATN_INPUT, "%s: its parameters exceed %d characters", row->name,
                    ATN_NAME_ROOM - 1);
}

static atn_status check_length(const atn_row *row, const atn_params *prm, atn_error *err)
{
    char name[2 * ATN_NAME_ROOM];

    atn_algo_params_print(row, prm, name, sizeof name);
    return strlen(name) < ATN_NAME_ROOM ? ATN_OK : too_long(row, err);
}

atn_status atn_algo_params_parse(const atn_row *row, const char *text, atn_params *prm,
                                 atn_error *err)
{
    char copy[2 * ATN_NAME_ROOM], *rest = copy; /* no allocation: ranks read it while they run */
    const bool fits = snprintf(copy, sizeof copy, "%s", text) < (int)sizeof copy;
    atn_status status = fits ? ATN_OK : too_long(row, err);
    atn_params got;
    unsigned given = 0;
    int i;
    const char *separators = levels_of(row, &i) ? "," : ",:";

    if (status == ATN_OK && !braces_match(text))
        status = atn_fail(err, ATN_INPUT, "%s: the braces of '%s' do not match", row->name, text);
    if (status == ATN_OK)
        status = atn_check_list(row->name, text, ATN_INPUT, err);
    atn_algo_params_default(row, &got);
    for (char *word; status == ATN_OK && (word = atn_next_item(&rest, separators)) != NULL;)
        status = set_word(row, word, &got, &given, err);
    if (status == ATN_OK)
        status = check_length(row, &got, err);
    if (status == ATN_OK)
        *prm = got;
    return status;
}

void atn_algo_params_print(const atn_row *row, const atn_params *prm, char *out, size_t size)
{
    const atn_param *list[ATN_MAX_PARAMS];
    const int n = atn_algo_row_params(row, list);
    size_t used = (size_t)snprintf(out, size, "%s", row->name);
    char text[32], between = '{';

    for (int i = 0; i < n; i++) {
        if (prm->v[i] == list[i]->fallback || used >= size)
            continue;
        const bool named = list[i]->type != ATN_LEVELS;
        used += (size_t)snprintf(out + used, size - used, "%c%s%s%s", between,
                                 named ? list[i]->name : "", named ? "=" : "",
                                 atn_algo_param_value(list[i], prm->v[i], text));
        between = ',';
    }
    if (between == ',' && used < size)
        snprintf(out + used, size - used, "}");
}
