/* ledger.c - see ledger.h. */
#include "report/ledger.h"

#include <math.h>
#include <string.h>

/* ---- booking ---- */

static bool same_key(const atn_ledger_key *x, const atn_ledger_key *y)
{
    return x->kind == y->kind && x->choice == y->choice && x->op == y->op && x->p == y->p &&
           x->form == y->form && x->size_class == y->size_class && x->why == y->why;
}

atn_job_row *atn_report_ledger_row(atn_ledger *l, const atn_ledger_key *key)
{
    int i = 0;
    while (i < l->rows.n && !same_key(&l->key[i], key))
        i++;
    if (i == ATN_LEDGER_ROWS)
        return NULL;
    if (i == l->rows.n) {
        l->key[i] = *key;
        l->rows.row[l->rows.n++] = (atn_job_row){.op = key->op,
                                                 .p = key->p,
                                                 .form = key->form,
                                                 .size_class = key->size_class,
                                                 .reason = {.why = key->why}};
    }
    return &l->rows.row[i];
}

void atn_report_ledger_book(atn_job_row *row, double seconds, double bytes)
{
    if (row->calls++ == 0)
        row->first = seconds;
    row->seconds += seconds;
    row->squares += seconds * seconds;
    row->bytes += bytes;
}

/* ---- comparing ---- */

static bool same_row(const atn_job_row *x, const atn_job_row *y)
{
    return x->op == y->op && x->p == y->p && x->form == y->form && x->size_class == y->size_class &&
           x->reason.why == y->reason.why && strcmp(x->algorithm, y->algorithm) == 0;
}

static bool similar_sizes(const atn_job_row *x, const atn_job_row *y)
{
    const double a = x->bytes / (double)x->calls, b = y->bytes / (double)y->calls;
    return fabs(a - b) <= ATN_LEDGER_APART * (a > b ? a : b) / 100;
}

/* Variance of one call, widened for few calls by Student's distribution. */
static double mean_variance(const atn_job_row *x)
{
    const double n = (double)x->calls, mean = x->seconds / n;
    const double variance = (x->squares - n * mean * mean) / (n - 1);
    return variance > 0 ? variance / n * (n - 1) / (n - 3) : 0;
}

static void compare(atn_job_row *row, const atn_job_row *native)
{
    if (native->calls < ATN_LEDGER_LEAST || !similar_sizes(row, native))
        return;
    const double n = (double)row->calls;
    row->compared = row->calls;
    row->native = n * native->seconds / (double)native->calls;
    row->variance = n * n * mean_variance(native);
}

static void add(atn_job_row *to, const atn_job_row *from)
{
    if (from->seconds > to->seconds)
        to->reason = from->reason;
    to->calls += from->calls;
    to->seconds += from->seconds;
    to->squares += from->squares;
    to->bytes += from->bytes;
    to->compared += from->compared;
    to->native += from->native;
    to->variance += from->variance;
}

static atn_job_row without_first(const atn_job_row *row)
{
    atn_job_row rest = *row;
    rest.bytes -= row->bytes / (double)row->calls;
    rest.calls--;
    rest.seconds -= row->first;
    rest.squares -= row->first * row->first;
    return rest;
}

/* The native calls of a class that were made during trials, or also before. */
static atn_job_row reference(const atn_ledger *l, const void *kind)
{
    atn_job_row all = {0}, earlier = {0};
    for (int i = 0; i < l->rows.n; i++) {
        if (l->key[i].kind != kind || l->key[i].why == ATN_WHY_SERVED)
            continue;
        const atn_job_row rest = without_first(&l->rows.row[i]);
        if (l->key[i].why == ATN_WHY_TRYING)
            add(&all, &l->rows.row[i]);
        else
            add(&earlier, &rest);
    }
    if (all.calls < ATN_LEDGER_LEAST)
        add(&all, &earlier);
    return all;
}

/* ---- closing ---- */

/* Merges rows without class that have equal keys. */
static void merge_closed(atn_ledger *l)
{
    atn_ledger_rows *const r = &l->rows;
    int n = 0;
    for (int i = 0; i < r->n; i++) {
        int k = 0;
        while (k < n && (l->key[i].kind != NULL || l->key[k].kind != NULL ||
                         l->key[k].why != l->key[i].why || !same_row(&r->row[k], &r->row[i])))
            k++;
        if (k < n) {
            add(&r->row[k], &r->row[i]);
        } else {
            r->row[n] = r->row[i];
            l->key[n++] = l->key[i];
        }
    }
    r->n = n;
}

void atn_report_ledger_close(atn_ledger *l, const void *kind, const atn_job_reason *reason)
{
    const atn_job_row native = reference(l, kind);
    for (int i = 0; i < l->rows.n; i++)
        if (l->key[i].kind == kind && l->key[i].why == ATN_WHY_SERVED)
            compare(&l->rows.row[i], &native);
    for (int i = 0; i < l->rows.n; i++) {
        if (l->key[i].kind != kind)
            continue;
        if (l->key[i].why != ATN_WHY_SERVED) {
            l->rows.row[i].reason = *reason;
            l->key[i].why = reason->why;
        }
        l->key[i].kind = NULL;
    }
    merge_closed(l);
}

/* ---- all ranks ---- */

void atn_report_ledger_join(atn_ledger_rows *to, const atn_ledger_rows *from)
{
    to->lost = from->lost > to->lost ? from->lost : to->lost;
    for (int i = 0; i < from->n; i++) {
        const atn_job_row *const x = &from->row[i];
        int k = 0;
        while (k < to->n && !same_row(&to->row[k], x))
            k++;
        if (k == ATN_LEDGER_ROWS)
            to->lost += x->calls;
        else if (k == to->n || x->seconds > to->row[k].seconds)
            to->row[k] = *x;
        to->n += k == to->n && k < ATN_LEDGER_ROWS;
    }
}
