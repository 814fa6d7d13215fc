/* part.c - embedded algorithms named by a parameter. */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "algo/algo.h"
#include "algo/levels.h"
#include "topo/topo.h"

/* ---- values ---- */

/* Interned texts were checked when they were read; reading them again needs no memory. */
static atn_algo_use read_part(atn_operation op, const char *text)
{
    char word[ATN_NAME_ROOM], *inside = word + strcspn(text, "{");
    atn_algo_use part;

    snprintf(word, sizeof word, "%s", text);
    word[strlen(word) - 1] = '\0';
    *inside++ = '\0';
    part.row = atn_algo_catalog_find(op, word);
    atn_algo_params_parse(part.row, inside, &part.prm, NULL);
    return part;
}

atn_algo_use atn_algo_part_named(atn_operation op, const char *name)
{
    atn_algo_use part = {.row = atn_algo_catalog_find(op, name)};

    atn_algo_params_default(part.row, &part.prm);
    return part;
}

/* On a single level, `levels` is the default row. */
atn_algo_use atn_algo_part(atn_operation op, const atn_param *param, int64_t value)
{
    if (param->type == ATN_WORD && value >= ATN_NESTED)
        return read_part(op, atn_interned(value - ATN_NESTED));
    return atn_algo_part_named(op, param->type == ATN_LEVELS
                                       ? atn_algo_level_default(op, false)->algo->name
                                       : param->words[value]);
}

int64_t atn_algo_part_value(const atn_param *param, const atn_algo_use *part)
{
    char name[2 * ATN_NAME_ROOM];

    atn_algo_params_print(part->row, &part->prm, name, sizeof name);
    const char *const text = strchr(name, '/') + 1;
    if (strchr(text, '{')) {
        const int64_t number = strlen(name) < ATN_NAME_ROOM ? atn_intern(text) : -1;
        return number > 0 ? ATN_NESTED + number : -1;
    }
    for (int64_t i = param->min; i <= param->max; i++)
        if (strcmp(param->words[i], text) == 0)
            return i;
    return -1;
}

/* ---- properties ---- */

static bool is_placed(const atn_row *row, const atn_params *prm)
{
    const atn_param *own = row->algo->params;

    if (row->algo->needs & ATN_NEEDS_TOPOLOGY)
        return true;
    if ((row->algo->passes & ATN_PASS_ORDER) && atn_algo_params_get(row, prm, "order", 0) != 0)
        return true;
    for (int i = 0; i < ATN_MAX_PARTS && own && own[i].name; i++) {
        const atn_operation op = atn_algo_part_operation(row->algo, i);
        const bool nested = op != ATN_BARRIER && prm->v[i] >= ATN_NESTED;
        const atn_algo_use part =
            nested ? atn_algo_part(op, &own[i], prm->v[i]) : (atn_algo_use){0};
        if (nested && is_placed(part.row, &part.prm))
            return true;
    }
    return false;
}

bool atn_algo_part_is_placed(const atn_algo_use *part) { return is_placed(part->row, &part->prm); }

bool atn_algo_part_has_pass(const atn_algo_use *part)
{
    const atn_param *list[ATN_MAX_PARAMS];
    const int n = atn_algo_row_params(part->row, list);
    int own = 0;

    while (part->row->algo->params && part->row->algo->params[own].name)
        own++;
    for (int i = own; i < n; i++)
        if (part->prm.v[i] != list[i]->fallback)
            return true;
    return false;
}

static const char *refuses(const atn_algo_use *part, const atn_problem *q)
{
    atn_problem inner = *q;

    inner.op = part->row->op;
    inner.segments = 1;
    return atn_algo_refuses(part->row, &inner, &part->prm);
}

const char *atn_algo_part_refuses(atn_operation op, const atn_param *param, int64_t value,
                                  const atn_problem *q)
{
    const atn_algo_use part = atn_algo_part(op, param, value);

    return refuses(&part, q);
}

const char *atn_algo_part_refuses_on(atn_operation op, const atn_param *param, int64_t value,
                                     const atn_problem *q, const int *ranks, int n)
{
    const atn_algo_use part = atn_algo_part(op, param, value);
    const bool known = ranks && q->topo && q->topo->p == q->p && atn_algo_part_is_placed(&part);
    atn_topo *sub = known ? atn_topo_sub(q->topo, ranks, n) : NULL;
    const atn_problem inner = {
        .op = op, .p = n, .ordered = q->ordered, .shared = q->shared, .topo = sub};
    const char *why = known && !sub ? atn_algo_no_memory : refuses(&part, &inner);

    atn_topo_free(sub);
    return why;
}

int atn_algo_part_depth(atn_operation op, const atn_param *param, int64_t value,
                        const atn_problem *q)
{
    const atn_algo_use part = atn_algo_part(op, param, value);

    return part.row->algo->depth ? part.row->algo->depth(q, &part.prm) : 0;
}

/* ---- closed forms ---- */

/* `operation(param, ranks, bytes)` in a closed form. */
typedef struct {
    const char *begin, *end; /* the whole call */
    const char *arg[4];      /* start of each argument; the last entry: end of the last one */
} call;

static size_t name_length(const char *at)
{
    size_t n = 0;

    while (isalnum((unsigned char)at[n]) || at[n] == '_')
        n++;
    return n;
}

static bool is_operation(const char *at, size_t n, atn_operation *op_p)
{
    char name[32] = "";

    if (n == 0 || n >= sizeof name || at[n] != '(')
        return false;
    memcpy(name, at, n);
    return atn_sched_operation_find(name, op_p);
}

/* Splits the arguments; closed forms are well-formed: tests evaluate all of them. */
static void read_call(const char *begin, size_t name, call *c)
{
    int depth = 0, n = 0;
    const char *at = begin + name + 1;

    *c = (call){.begin = begin, .arg = {at}};
    for (; *at && !(depth == 0 && *at == ')'); at++) {
        depth += (*at == '(') - (*at == ')');
        if (depth == 0 && *at == ',' && n < 2)
            c->arg[++n] = at + 1;
    }
    c->arg[3] = at;
    c->end = *at ? at + 1 : at;
}

/* The first call of a part, or false. */
static bool find_call(const char *text, call *c, atn_operation *op_p)
{
    while (*text) {
        const size_t n = name_length(text);
        if (is_operation(text, n, op_p)) {
            read_call(text, n, c);
            return true;
        }
        text += n > 0 ? n : 1;
    }
    return false;
}

/* The part that a call refers to; without a row: none. */
static atn_algo_use part_of_call(const atn_row *row, const atn_params *prm, const call *c,
                                 atn_operation op)
{
    const atn_param *list[ATN_MAX_PARAMS];
    const int n = atn_algo_row_params(row, list);
    const size_t length = name_length(c->arg[0]);

    for (int i = 0; i < n; i++)
        if (strlen(list[i]->name) == length && strncmp(list[i]->name, c->arg[0], length) == 0)
            return atn_algo_part(op, list[i], prm->v[i]);
    return (atn_algo_use){.row = NULL};
}

/* The part uses one segment. */
static char *part_text(const atn_algo_use *part, const call *c)
{
    const atn_param *list[ATN_MAX_PARAMS];
    const int n = atn_algo_row_params(part->row, list);
    char *out = NULL;
    size_t size;
    FILE *f = atn_open_text(&out, &size);

    char *inner = atn_algo_cost_text(part->row, &part->prm);
    if (!f || !inner) {
        free(inner);
        return NULL;
    }
    fprintf(f, "let(part_n, %.*s, let(part_p, %.*s, let(p, part_p, let(n, part_n, let(k, 1, ",
            (int)(c->arg[3] - c->arg[2]), c->arg[2], (int)(c->arg[2] - 1 - c->arg[1]), c->arg[1]);
    for (int i = 0; i < n; i++)
        fprintf(f, "let(%s, %" PRId64 ", ", list[i]->name,
                atn_algo_param_number(list[i], part->prm.v[i]));
    fputs(inner, f);
    for (int i = 0; i < n + 5; i++)
        fputc(')', f);
    free(inner);
    return fclose(f) == 0 ? out : NULL;
}

/* before + part + after */
static char *fill_in(const char *text, const call *c, const char *part)
{
    const size_t before = (size_t)(c->begin - text), size = strlen(text) + strlen(part) + 1;
    char *out = malloc(size);

    if (out)
        snprintf(out, size, "%.*s%s%s", (int)before, text, part, c->end);
    return out;
}

char *atn_algo_cost_text(const atn_row *row, const atn_params *prm)
{
    char *text = strdup(row->algo->cost ? row->algo->cost : "");
    atn_operation op;
    call c;

    while (text && find_call(text, &c, &op)) {
        const atn_algo_use part = part_of_call(row, prm, &c, op);
        char *inner = part.row ? part_text(&part, &c) : NULL;
        char *longer = inner ? fill_in(text, &c, inner) : NULL;
        free(inner);
        free(text);
        text = longer;
    }
    return text;
}
