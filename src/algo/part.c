/* part.c - embedded algorithms named by a parameter. */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "algo/algo.h"
#include "algo/levels.h"

/* On a single level, `levels` is the default row. */
static const atn_row *part_row(atn_operation op, const atn_param *param, int64_t value)
{
    if (param->type == ATN_LEVELS)
        return atn_algo_level_default(op, false);
    return atn_algo_catalog_find(op, param->words[value]);
}

const atn_algo *atn_algo_part_algo(atn_operation op, const atn_param *param, int64_t value)
{
    return part_row(op, param, value)->algo;
}

const char *atn_algo_part_refuses(atn_operation op, const atn_param *param, int64_t value,
                                  const atn_problem *q)
{
    const atn_row *row = part_row(op, param, value);
    atn_problem part = *q;
    atn_params prm;

    part.op = op;
    part.segments = 1;
    atn_algo_params_default(row, &prm);
    return atn_algo_refuses(row, &part, &prm);
}

int atn_algo_part_depth(atn_operation op, const atn_param *param, int64_t value,
                        const atn_problem *q)
{
    const atn_row *row = part_row(op, param, value);
    atn_params prm;

    atn_algo_params_default(row, &prm);
    return row->algo->depth ? row->algo->depth(q, &prm) : 0;
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

/* The row of the part that a call refers to. */
static const atn_row *row_of_call(const atn_row *row, const atn_params *prm, const call *c,
                                  atn_operation op)
{
    const atn_param *list[ATN_MAX_PARAMS];
    const int n = atn_algo_row_params(row, list);
    const size_t length = name_length(c->arg[0]);

    for (int i = 0; i < n; i++)
        if (strlen(list[i]->name) == length && strncmp(list[i]->name, c->arg[0], length) == 0)
            return part_row(op, list[i], prm->v[i]);
    return NULL;
}

/* The part's parameters have their defaults; it uses one segment. */
static char *part_text(const atn_row *part, const call *c)
{
    const atn_param *list[ATN_MAX_PARAMS];
    const int n = atn_algo_row_params(part, list);
    atn_params prm;
    char *out = NULL;
    size_t size;
    FILE *f = open_memstream(&out, &size);

    atn_algo_params_default(part, &prm);
    char *inner = atn_algo_cost_text(part, &prm);
    if (!f || !inner) {
        free(inner);
        return NULL;
    }
    fprintf(f, "let(part_n, %.*s, let(part_p, %.*s, let(p, part_p, let(n, part_n, let(k, 1, ",
            (int)(c->arg[3] - c->arg[2]), c->arg[2], (int)(c->arg[2] - 1 - c->arg[1]), c->arg[1]);
    for (int i = 0; i < n; i++)
        fprintf(f, "let(%s, %" PRId64 ", ", list[i]->name, prm.v[i]);
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
        const atn_row *part = row_of_call(row, prm, &c, op);
        char *inner = part ? part_text(part, &c) : NULL;
        char *longer = inner ? fill_in(text, &c, inner) : NULL;
        free(inner);
        free(text);
        text = longer;
    }
    return text;
}
