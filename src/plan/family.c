/* family.c - see family.h. */
#include "plan/family.h"

#include <stdlib.h>

#include "algo/order.h"
#include "plan/candidates.h"
#include "plan/form.h"
#include "plan/planner.h"
#include "sched/canonical.h"
#include "topo/topo.h"

static const double margin = 1.05; /* closed forms of equally good algorithms differ by less */

/* ---- membership ---- */

static bool has_order(const atn_choice *choice, atn_order order)
{
    return atn_algo_params_get(choice->row, &choice->params, "order", ATN_ORDER_RANK) == order;
}

static bool is_canonical(const atn_choice *choice, const atn_problem *q)
{
    const atn_problem canonical = atn_sched_in_canonical_order(q);
    return atn_plan_choice_refuses(choice, &canonical) == NULL;
}

atn_family atn_plan_family_of(const atn_choice *choice, const atn_problem *q)
{
    atn_choice plain = *choice;
    if (choice->row->algo->build == NULL)
        return ATN_FAMILY_NONE;
    if (is_canonical(choice, q))
        return ATN_FAMILY_RANK;
    if (!has_order(choice, ATN_ORDER_NAME) || atn_plan_choice_refuses(choice, q) != NULL)
        return ATN_FAMILY_NONE;
    atn_algo_params_set(plain.row, &plain.params, "order", "rank", NULL);
    return is_canonical(&plain, q) ? ATN_FAMILY_NAME : ATN_FAMILY_NONE;
}

/* Row NULL: it has no parameter `order`. */
static void put_in_order(atn_family family, atn_choice *choice)
{
    if (family == ATN_FAMILY_NAME && choice->row != NULL &&
        atn_algo_params_set(choice->row, &choice->params, "order", "name", NULL) != ATN_OK)
        choice->row = NULL;
}

atn_choice atn_plan_family_default(atn_family family, const atn_problem *q)
{
    const atn_problem canonical = atn_sched_in_canonical_order(q);
    atn_choice choice = {.row = NULL};
    choice.row = atn_algo_canonical_default(&canonical, &choice.params);
    put_in_order(family, &choice);
    return choice;
}

atn_problem atn_plan_family_problem(atn_family family, const atn_problem *q)
{
    return family == ATN_FAMILY_RANK ? atn_sched_in_canonical_order(q) : *q;
}

/* ---- hosts ---- */

/* Ranks on the host of rank 0. */
static int ranks_on_first(const atn_topo *t)
{
    int n = 0;
    for (int r = 0; r < t->p; r++)
        n += atn_topo_host_of(t, r) == atn_topo_host_of(t, 0);
    return n;
}

/* Whether every host has `n` ranks; consecutive ones, unless hosts are ordered by name.  Without
 * allocation, which might fail on one rank only: networks with more nodes than there are counters
 * are not considered. */
static bool has_blocks(const atn_topo *t, int n, bool consecutive)
{
    uint16_t count[16384] = {0};
    bool yes = t->nnodes <= 16384 && t->p % n == 0 && n < UINT16_MAX;
    for (int r = 0; r < t->p && yes; r++) {
        const int host = atn_topo_host_of(t, r);
        yes = ++count[host] <= n &&
              (!consecutive || r % n == 0 || host == atn_topo_host_of(t, r - 1));
    }
    return yes;
}

atn_family atn_plan_family_suited(const atn_problem *q)
{
    const bool by_name = q->topo != NULL && !q->ordered && atn_algo_order_names_differ(q->topo) &&
                         atn_plan_family_default(ATN_FAMILY_NAME, q).row != NULL;
    return by_name ? ATN_FAMILY_NAME : ATN_FAMILY_RANK;
}

/* Several hosts, such that the canonical tree combines the ranks of a host first: one rank on each,
 * or a power of two of consecutive ones.  Otherwise a library that detects which ranks share a host
 * may be faster than the whole family. */
static bool is_suitable(const atn_problem *q)
{
    const atn_topo *const t = q->topo;
    if (t == NULL || t->p < 2)
        return false;
    const int n = ranks_on_first(t);
    return n < t->p && (n == 1 || (atn_is_pow2(n) && atn_is_pow2(t->p))) &&
           has_blocks(t, n, atn_plan_family_suited(q) == ATN_FAMILY_RANK);
}

bool atn_plan_family_may_begin(const atn_problem *q)
{
    return q->bytes >= ATN_FAMILY_BYTES &&
           (atn_sched_operation_get(q->op)->flags & ATN_TYPED) != 0 && is_suitable(q);
}

/* ---- prediction ---- */

/* The middle of its class: sizes between two powers of two. */
static int64_t typical(int64_t bytes)
{
    int64_t lo = 1;
    while (lo <= bytes / 2)
        lo *= 2;
    return lo + lo / 2;
}

/* The fastest candidate for the problem by its closed form; row NULL: there is none. */
static atn_status best_of(const atn_problem *q, const atn_alpha_beta *net, atn_choice *best_p,
                          double *seconds_p)
{
    atn_choice *list = NULL;
    atn_form_facts facts = {0};
    const int n = atn_plan_candidates_within(q, 0, &list);
    *best_p = (atn_choice){.row = NULL};
    for (int i = 0; i < n; i++) {
        atn_problem x = *q;
        double seconds;
        x.segments = atn_algo_segments(list[i].row, q, &list[i].params);
        if (atn_plan_form_times(&list[i], &x, &facts, net, 1, &seconds, NULL) == ATN_OK &&
            (best_p->row == NULL || seconds < *seconds_p)) {
            *best_p = list[i];
            *seconds_p = seconds;
        }
    }
    free(list);
    return n < 0 ? ATN_MEMORY : ATN_OK;
}

/* In segments below the eager limits of MPI libraries, usually 64 KB: beyond them messages in both
 * directions take up to twice as long over TCP, and nothing is known about this network. */
static void use_segments(atn_choice *choice, int64_t bytes)
{
    if (choice->row != NULL && (choice->row->algo->passes & ATN_PASS_SEGMENT) && bytes > 32768)
        atn_algo_params_set(choice->row, &choice->params, "segment", "32K", NULL);
}

atn_status atn_plan_family_forecast(atn_family family, const atn_problem *q, const atn_machine *m,
                                    atn_family_forecast *forecast_p)
{
    atn_family_forecast f = {.begins = false};
    atn_choice any;
    atn_problem plain = *q;
    plain.bytes = typical(q->bytes);
    const atn_alpha_beta net = atn_plan_planner_network(&plain, m);
    plain.topo = NULL;
    const atn_problem canonical = atn_sched_in_canonical_order(&plain);
    atn_status status = best_of(&plain, &net, &any, &f.unrestricted);
    if (status == ATN_OK)
        status = best_of(&canonical, &net, &f.best, &f.seconds);
    if (status != ATN_OK)
        return status;
    put_in_order(family, &f.best);
    if (f.best.row == NULL)
        f.best = atn_plan_family_default(family, q);
    use_segments(&f.best, plain.bytes);
    f.begins = f.best.row != NULL && f.seconds <= margin * f.unrestricted;
    *forecast_p = f;
    return ATN_OK;
}

int atn_plan_family_variants(const atn_choice *choice, int64_t bytes,
                             atn_choice list[ATN_FAMILY_VARIANTS])
{
    static const struct {
        int64_t bytes;
        const char *text;
    } others[ATN_FAMILY_VARIANTS - 1] = {{16384, "16K"}, {65536, "64K"}, {8192, "8K"}};
    int n = 1;
    list[0] = *choice;
    for (int i = 0; i < ATN_FAMILY_VARIANTS - 1; i++) {
        list[n] = *choice;
        if ((choice->row->algo->passes & ATN_PASS_SEGMENT) && others[i].bytes < typical(bytes) &&
            atn_algo_params_set(choice->row, &list[n].params, "segment", others[i].text, NULL) ==
                ATN_OK)
            n++;
    }
    return n;
}
