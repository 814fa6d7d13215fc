/* account.c - see account.h. */
#include "tune/budget.h"

void atn_budget_begin(atn_budget *a, int budget, int64_t agreement_ns)
{
    *a = (atn_budget){.budget = budget, .credit_ns = ATN_CREDIT_AGREEMENTS * agreement_ns};
}

/* a * b / c without overflow. */
static int64_t scaled(int64_t a, int64_t b, int64_t c)
{
    const __int128 product = (__int128)a * b / c;
    return product > INT64_MAX ? INT64_MAX : (int64_t)product;
}

/* Time that has passed, as far as calls tell. */
static int64_t now(const atn_budget *a)
{
    const int64_t since = a->calls - a->agreed_calls;
    if (a->agreed_calls == 0)
        return a->elapsed_ns;
    return a->elapsed_ns + scaled(a->elapsed_ns, since, a->agreed_calls);
}

int64_t atn_budget_left(const atn_budget *a)
{
    return a->credit_ns + scaled(now(a), a->budget, 1000) - a->spent_ns - a->reserved_ns;
}

int64_t atn_budget_wait(const atn_budget *a, int64_t regret_ns, int64_t cost_ns)
{
    const int64_t before_ns = regret_ns > 0 ? a->overhead_ns : 0;
    const int64_t missing = before_ns + regret_ns + cost_ns - atn_budget_left(a);
    if (missing <= 0)
        return 0;
    if (a->elapsed_ns <= 0 || a->agreed_calls == 0 || a->budget == 0)
        return INT64_MAX;
    const int64_t time = scaled(missing, 1000, a->budget);
    const int64_t calls = scaled(time, a->agreed_calls, a->elapsed_ns);
    return calls == INT64_MAX ? calls : calls + 1;
}

enum { PART = 2 };

int64_t atn_budget_spare(int budget, int64_t credit_ns, int64_t cost_ns, int64_t passed_ns)
{
    return credit_ns + scaled(passed_ns, budget, 1000 * PART) - cost_ns;
}

int64_t atn_budget_pays(int budget, int64_t credit_ns, int64_t cost_ns, int64_t passed_ns)
{
    const int64_t over_ns = cost_ns - credit_ns;
    if (over_ns <= 0 || budget == 0)
        return 0;
    const int64_t missing_ns = scaled(over_ns, 1000 * PART, budget) - passed_ns;
    return missing_ns > 0 ? missing_ns : 0;
}

int atn_budget_agreement_delay(const atn_budget *a, int64_t call_ps)
{
    static const int64_t long_ps = INT64_C(1000000000), short_ps = 100000000;
    const int64_t pace_ps = a->agreed_calls > 0 ? scaled(a->elapsed_ns, 1000, a->agreed_calls) : 0;
    const int64_t ps = pace_ps > call_ps ? pace_ps : call_ps;
    return ps > long_ps ? 1 : ps > short_ps ? 2 : ATN_AHEAD_USUAL;
}

void atn_budget_elapsed(atn_budget *a, int64_t elapsed_ns)
{
    if (elapsed_ns > a->elapsed_ns)
        a->elapsed_ns = elapsed_ns;
    a->agreed_calls = a->calls;
}

void atn_budget_spend(atn_budget *a, int64_t ns)
{
    if (ns > 0)
        a->spent_ns += ns;
}

void atn_budget_overhead(atn_budget *a, int64_t ns)
{
    if (ns > a->overhead_ns)
        a->overhead_ns = ns;
}

void atn_budget_add_ratio(atn_budget *a, int64_t measured_ps, int64_t predicted_ps)
{
    a->ratio[a->ratios++ % ATN_BUDGET_RATIOS] = scaled(measured_ps, 1000, predicted_ps) + 1;
}

int64_t atn_budget_ratio(const atn_budget *a)
{
    int64_t v[ATN_BUDGET_RATIOS] = {0};
    const int n = a->ratios < ATN_BUDGET_RATIOS ? (int)a->ratios : ATN_BUDGET_RATIOS;
    if (n < ATN_BUDGET_LEAST)
        return 0;
    for (int i = 0; i < n; i++) {
        int j = i;
        for (; j > 0 && v[j - 1] > a->ratio[i]; j--)
            v[j] = v[j - 1];
        v[j] = a->ratio[i];
    }
    return v[(n - 1) / 2];
}
