/* pattern.c - see pattern.h. */
#include "algo/pattern.h"

#include <stdlib.h>
#include <string.h>

#include "base/lines.h"

static const atn_format format = {.magic = "attune-pattern",
                                  .kind = "pattern",
                                  .version = ATN_PATTERN_VERSION,
                                  .remedy = "use a newer Attune",
                                  .comments = ATN_COMMENT_TAIL};

typedef struct {
    atn_lines l;
    atn_patterns *x;
    int row, rows; /* of the call being read; equal: complete */
    bool pairs;    /* its lines name pairs */
    ATN_VEC(int64_t) bytes;
    ATN_VEC(atn_operation) op;
    ATN_VEC(int64_t) times;
} reader;

static atn_status bad(const reader *d, const char *what, const char *word)
{
    return atn_lines_fail(&d->l, "%s%s%s", what, word ? " " : "", word ? word : "");
}

static bool number_in(const char *word, int lo, int hi, int *value_p)
{
    char *end;
    const long v = word ? strtol(word, &end, 10) : 0;

    *value_p = (int)v;
    return word && *end == '\0' && v >= lo && v <= hi;
}

static atn_status read_ranks(reader *d)
{
    const char *word = atn_lines_word(&d->l);

    if (d->x->p > 0)
        return bad(d, "ranks is given twice; keep one", NULL);
    if (!number_in(word, 1, 4096, &d->x->p))
        return bad(d, "ranks must be a number from 1 to 4096, not", word ? word : "nothing");
    return ATN_OK;
}

/* "allgatherv", "x20", "pairs", in this order; all optional. */
static atn_status read_words(reader *d, atn_operation *op_p, int64_t *times_p)
{
    const char *word = atn_lines_word(&d->l);

    *op_p = ATN_ALLTOALLV;
    *times_p = 1;
    if (word && *word != 'x' && strcmp(word, "pairs") != 0) {
        if (!atn_sched_operation_find(word, op_p) ||
            !(atn_sched_operation_get(*op_p)->flags & ATN_VARYING))
            return bad(d,
                       "sizes differ between ranks in gatherv, scatterv, allgatherv, alltoallv, "
                       "alltoallw and reduce_scatter, not in",
                       word);
        word = atn_lines_word(&d->l);
    }
    if (word && *word == 'x' && atn_parse_size(word + 1, times_p) && *times_p >= 1)
        word = atn_lines_word(&d->l);
    d->pairs = word && strcmp(word, "pairs") == 0;
    if (word && !d->pairs)
        return bad(d, "the number of repetitions is written as x20, not", word);
    if (d->pairs && atn_algo_pattern_is_line(*op_p))
        return bad(d, "pairs of ranks have sizes in alltoallv and alltoallw only", NULL);
    return ATN_OK;
}

/* Room for a matrix of which not all is in the file. */
static atn_status fill_up(reader *d, int64_t sizes)
{
    for (int64_t i = 0; i < sizes; i++)
        if (!atn_push(&d->bytes, 0))
            return atn_lines_no_memory(&d->l);
    return ATN_OK;
}

static atn_status read_call(reader *d)
{
    const int p = d->x->p;
    atn_operation op;
    int64_t times;

    if (p == 0)
        return bad(d, "ranks must come before the first call", NULL);
    if (d->row < d->rows)
        return bad(d, "the call before has too few lines, it must have one per rank", NULL);
    const atn_status st = read_words(d, &op, &times);
    if (st == ATN_OK && (!atn_push(&d->op, op) || !atn_push(&d->times, times)))
        return atn_lines_no_memory(&d->l);
    d->x->calls++;
    d->row = 0;
    d->rows = d->pairs ? 0 : atn_algo_pattern_is_line(op) ? 1 : p;
    return st == ATN_OK && d->pairs ? fill_up(d, (int64_t)p * p) : st;
}

/* "0 1:8K 2:16": a sender, then receivers with sizes. */
static atn_status read_pairs(reader *d, const char *word)
{
    const int p = d->x->p;
    int64_t *const matrix = d->bytes.v + d->bytes.n - (int64_t)p * p;
    int from, to;

    if (!number_in(word, 0, p - 1, &from))
        return bad(d, "expected call or the number of a sender, not", word);
    while ((word = atn_lines_word(&d->l)) != NULL) {
        char number[16] = "";
        const char *const colon = strchr(word, ':');
        if (colon && colon - word < (int)sizeof number)
            memcpy(number, word, (size_t)(colon - word));
        if (!number_in(*number ? number : NULL, 0, p - 1, &to) ||
            !atn_parse_size(colon + 1, &matrix[from * p + to]))
            return bad(d, "receivers are written as RECEIVER:SIZE, not", word);
        if (from == to)
            matrix[from * p + to] = 0;
    }
    return ATN_OK;
}

static atn_status read_row(reader *d, const char *word)
{
    int n = 0;

    const bool line = d->op.n > 0 && atn_algo_pattern_is_line(d->op.v[d->op.n - 1]);

    if (d->x->calls == 0 || d->row == d->rows)
        return bad(d, "expected ranks, call or a line of a matrix, not", word);
    for (; word; word = atn_lines_word(&d->l), n++) {
        int64_t bytes;
        if (!atn_parse_size(word, &bytes))
            return bad(d, "sizes are written as 4096, 4K or 1M, not", word);
        if (n < d->x->p && !atn_push(&d->bytes, n == d->row && !line ? 0 : bytes))
            return atn_lines_no_memory(&d->l);
    }
    if (n != d->x->p)
        return bad(d,
                   n < d->x->p ? "too few sizes, there must be one per rank"
                               : "too many sizes, there must be one per rank",
                   NULL);
    d->row++; /* a line is stored as a matrix whose other lines are zero */
    return line ? fill_up(d, (int64_t)d->x->p * (d->x->p - 1)) : ATN_OK;
}

static atn_status read_line(reader *d)
{
    const char *word = atn_lines_word(&d->l);

    if (strcmp(word, "ranks") == 0)
        return read_ranks(d);
    if (strcmp(word, "call") == 0)
        return read_call(d);
    return d->pairs ? read_pairs(d, word) : read_row(d, word);
}

atn_status atn_algo_patterns_parse(const char *text, const char *file, atn_patterns *x,
                                   atn_error *err)
{
    atn_patterns made = {0};
    reader d = {.x = &made};
    atn_status st = atn_lines_open(&d.l, &format, file, text, strlen(text), err);

    while (st == ATN_OK && atn_lines_next(&d.l, &st))
        st = read_line(&d);
    if (st == ATN_OK && (made.calls == 0 || d.row < d.rows))
        st = bad(&d, "the file ends before its matrix does", NULL);
    atn_lines_close(&d.l);
    if (st == ATN_OK) {
        made.bytes = d.bytes.v;
        made.op = d.op.v;
        made.times = d.times.v;
        *x = made;
    } else {
        atn_vec_free(&d.bytes);
        atn_vec_free(&d.op);
        atn_vec_free(&d.times);
    }
    return st;
}

void atn_algo_patterns_free(atn_patterns *x)
{
    free(x->bytes);
    free(x->op);
    free(x->times);
    *x = (atn_patterns){0};
}

bool atn_algo_pattern_is_line(atn_operation op)
{
    return op != ATN_ALLTOALLV && op != ATN_ALLTOALLW;
}

/* ---- grouping of similar patterns ---- */

static bool near(const atn_patterns *x, int a, int b, int percent)
{
    const int64_t *const u = atn_algo_pattern(x, a), *const v = atn_algo_pattern(x, b);
    double apart = 0, first = 0, second = 0;

    for (int i = 0; i < x->p * x->p; i++) {
        apart += u[i] > v[i] ? (double)(u[i] - v[i]) : (double)(v[i] - u[i]);
        first += (double)u[i];
        second += (double)v[i];
    }
    return 100 * apart <= percent * (first > second ? first : second);
}

int atn_algo_patterns_group(const atn_patterns *x, int percent, int *like)
{
    int different = 0;

    for (int i = 0; i < x->calls; i++) {
        like[i] = i;
        for (int j = 0; j < i && like[i] == i; j++)
            if (like[j] == j && x->op[i] == x->op[j] && near(x, i, j, percent))
                like[i] = j;
        different += like[i] == i;
    }
    return different;
}
