/* budget.c - see budget.h. */
#include "tune/budget.h"

#include <pthread.h>

void atn_tune_budget_begin(atn_budget *b, int share, int64_t agreement_ns)
{
    *b = (atn_budget){.share = share, .credit_ns = ATN_CREDIT_AGREEMENTS * agreement_ns};
}

/* a * b / c without overflow. */
static int64_t scaled(int64_t a, int64_t b, int64_t c)
{
    const __int128 product = (__int128)a * b / c;
    return product > INT64_MAX ? INT64_MAX : (int64_t)product;
}

/* Elapsed time, extrapolated from the number of calls. */
static int64_t now(const atn_budget *b)
{
    const int64_t since = b->calls - b->agreed_calls;
    if (b->agreed_calls == 0)
        return b->elapsed_ns;
    return b->elapsed_ns + scaled(b->elapsed_ns, since, b->agreed_calls);
}

/* The share of the first seconds counts twice: else the first trial of long calls would have to
 * wait for it.  A quarter of the savings is kept. */
int64_t atn_tune_budget_left(const atn_budget *b)
{
    const int64_t passed = now(b), twice = passed < ATN_CREDIT_NS ? passed : ATN_CREDIT_NS;
    return b->credit_ns + scaled(passed, b->share, 1000) + scaled(twice, b->share, 1000) +
           b->earned_ns - b->earned_ns / 4 - b->spent_ns - b->reserved_ns;
}

int64_t atn_tune_budget_wait(const atn_budget *b, int64_t regret_ns, int64_t cost_ns)
{
    const int64_t before_ns = regret_ns > 0 ? b->overhead_ns : 0;
    const int64_t missing = before_ns + regret_ns + cost_ns - atn_tune_budget_left(b);
    if (missing <= 0)
        return 0;
    if (b->elapsed_ns <= 0 || b->agreed_calls == 0 || b->share == 0)
        return INT64_MAX;
    const int64_t time = scaled(missing, 1000, b->share);
    const int64_t calls = scaled(time, b->agreed_calls, b->elapsed_ns);
    return calls == INT64_MAX ? calls : calls + 1;
}

int atn_tune_budget_agreement_delay(const atn_budget *b, int64_t call_ps)
{
    static const int64_t long_ps = INT64_C(1000000000), short_ps = 100000000;
    const int64_t pace_ps = b->agreed_calls > 0 ? scaled(b->elapsed_ns, 1000, b->agreed_calls) : 0;
    const int64_t ps = pace_ps > call_ps ? pace_ps : call_ps;
    return ps > long_ps ? 1 : ps > short_ps ? 2 : ATN_AHEAD_USUAL;
}

void atn_tune_budget_elapsed(atn_budget *b, int64_t elapsed_ns)
{
    if (elapsed_ns > b->elapsed_ns)
        b->elapsed_ns = elapsed_ns;
    b->agreed_calls = b->calls;
}

void atn_tune_budget_spend(atn_budget *b, int64_t ns)
{
    if (ns > 0)
        b->spent_ns += ns;
}

void atn_tune_budget_lose(atn_budget *b, int64_t ns)
{
    atn_tune_budget_spend(b, ns);
    if (ns > 0)
        b->lost_ns += ns;
}

void atn_tune_budget_earn(atn_budget *b, int64_t ns)
{
    if (ns > 0)
        b->earned_ns += ns;
}

int64_t atn_tune_budget_bid(atn_budget *b, const atn_bid *bid)
{
    const bool leads = b->bid.of == NULL || b->bid.of == bid->of || b->calls > b->bid.until ||
                       bid->priority > b->bid.priority;
    if (leads)
        b->bid = *bid;
    return leads ? 0 : b->bid.cost_ns;
}

void atn_tune_budget_withdraw(atn_budget *b, const void *of)
{
    if (b->bid.of == of)
        b->bid = (atn_bid){0};
}

void atn_tune_budget_overhead(atn_budget *b, int64_t ns)
{
    if (ns > b->overhead_ns)
        b->overhead_ns = ns;
}

void atn_tune_budget_add_ratio(atn_budget *b, int64_t measured_ps, int64_t predicted_ps)
{
    b->ratio[b->ratios++ % ATN_BUDGET_RATIOS] = scaled(measured_ps, 1000, predicted_ps) + 1;
}

int64_t atn_tune_budget_ratio(const atn_budget *b)
{
    int64_t v[ATN_BUDGET_RATIOS] = {0};
    const int n = b->ratios < ATN_BUDGET_RATIOS ? (int)b->ratios : ATN_BUDGET_RATIOS;
    if (n < ATN_BUDGET_LEAST)
        return 0;
    for (int i = 0; i < n; i++) {
        int j = i;
        for (; j > 0 && v[j - 1] > b->ratio[i]; j--)
            v[j] = v[j - 1];
        v[j] = b->ratio[i];
    }
    return v[(n - 1) / 2];
}

void atn_tune_budget_add_slowdown(atn_budget *b, int64_t measured_ps, int64_t native_ps)
{
    if (native_ps > 0)
        b->slowdown[b->slowdowns++ % ATN_BUDGET_RATIOS] = scaled(measured_ps, 1000, native_ps);
}

int64_t atn_tune_budget_slowdown(const atn_budget *b)
{
    enum { LEAST = 2000, MOST = 4000 };
    const int n = b->slowdowns < ATN_BUDGET_RATIOS ? (int)b->slowdowns : ATN_BUDGET_RATIOS;
    int64_t most = LEAST;
    for (int i = 0; i < n; i++)
        most = b->slowdown[i] > most ? b->slowdown[i] : most;
    return most < MOST ? most : MOST;
}

/* ---- accounts ---- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void atn_tune_account_open(atn_account *a, const atn_account *as)
{
    pthread_mutex_lock(&lock);
    if (a->of == 0)
        *a = *as;
    pthread_mutex_unlock(&lock);
}

atn_deferral atn_tune_account_check(atn_account *a, int64_t now_ns, int64_t cost_ns)
{
    pthread_mutex_lock(&lock);
    const int64_t early_ns = (now_ns < a->twice_ns ? now_ns : a->twice_ns) - a->now_ns,
                  time_ns = now_ns - a->now_ns + (early_ns > 0 ? early_ns : 0),
                  left_ns = a->left_ns + scaled(time_ns, a->share, a->of);
    a->left_ns = left_ns < a->most_ns ? left_ns : a->most_ns;
    a->now_ns = now_ns;
    atn_deferral off = {.cost_ns = cost_ns, .left_ns = a->left_ns};
    pthread_mutex_unlock(&lock);
    off.costs = off.left_ns < cost_ns && a->share > 0;
    off.wait_ns = off.costs ? scaled(cost_ns - off.left_ns, a->of, a->share) : 0;
    return off;
}

void atn_tune_account_spend(atn_account *a, int64_t ns)
{
    pthread_mutex_lock(&lock);
    a->left_ns -= ns;
    pthread_mutex_unlock(&lock);
}

void atn_tune_account_earn(atn_account *a, int64_t ns) { atn_tune_account_spend(a, -ns); }
