/* fast_side.c - given transfers that just fill a link: who else is on the senders' side?
 *
 * A unit is on the senders' side if the link stays full when it takes the place of a sender, and on
 * the other if it can take the place of a receiver.  Most units are on the same side, so several at
 * once are tried there first.  Where the smaller side turns out to have many members, all of them
 * together slow each other down so much that each can be looked at by itself once more. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "topo/infer/fast.h"

typedef enum { SENDER, RECEIVER, UNKNOWN } side;

typedef struct {
    atn_fast_search *w;
    side *of;     /* by unit */
    side usual;   /* where most are */
    double lanes; /* transfers that the link serves */
} sorting;

/* ---- in groups ---- */

/* Is the link full when these units take the places of the first senders or receivers? */
static bool fit_in(const sorting *q, const int *units, int n, side where)
{
    const atn_fast_search *w = q->w;
    memcpy(w->try, w->set, sizeof *w->try * (size_t)w->n);
    for (int i = 0; i < n; i++)
        if (where == SENDER)
            w->try[i].flow.from = w->units[units[i]].send;
        else
            w->try[i].flow.to = w->units[units[i]].recv;
    return atn_fast_full(w->s, w->try, w->n);
}

static void sort_units(sorting *q, const int *units, int n)
{
    if (n == 0 || q->w->s->broken)
        return;
    const bool usual = fit_in(q, units, n, q->usual);
    if (usual || n == 1) {
        const side other = q->usual == SENDER ? RECEIVER : SENDER;
        for (int i = 0; i < n; i++)
            q->of[units[i]] = usual ? q->usual : other;
    } else {
        sort_units(q, units, n / 2);
        sort_units(q, units + n / 2, n - n / 2);
    }
}

/* ---- one by one, with all of the side ---- */

/* Part of its rate that each sender reaches in the middle of three measurements with different
 * receivers. */
static void middle_parts(sorting *q, const int *senders, int n, const int *others, int m,
                         double *part)
{
    enum { SAMPLES = 3 };
    atn_infer_state *s = q->w->s;
    atn_flow flows[n];
    double rates[n], all[n][SAMPLES];
    int order[m];
    for (int i = 0; i < m; i++)
        order[i] = others[i];
    for (int k = 0; k < SAMPLES; k++) {
        atn_infer_shuffle(s, order, m);
        for (int i = 0; i < n; i++)
            flows[i] = (atn_flow){q->w->units[senders[i]].send, q->w->units[order[i]].recv};
        atn_infer_sample(s, flows, n, rates);
        for (int i = 0; i < n; i++)
            all[i][k] = rates[i] / atn_infer_limit(s, flows[i].from, flows[i].to);
    }
    for (int i = 0; i < n; i++)
        part[i] = atn_median(all[i], SAMPLES).mid;
}

static int list_of(const sorting *q, side wanted, int *list)
{
    int n = 0;
    for (int u = 0; u < q->w->d; u++)
        if (q->of[u] == wanted)
            list[n++] = u;
    return n;
}

/* All members of the smaller side send, and a few others with them: who is slow is a member.  Not
 * where other links of the kind might be full as well: few others, and few receivers behind
 * each. */
static void look_again(sorting *q)
{
    const int d = q->w->d;
    int senders[d], others[d];
    double part[d];
    const side small =
        list_of(q, SENDER, senders) < list_of(q, RECEIVER, others) ? SENDER : RECEIVER;
    const side large = small == SENDER ? RECEIVER : SENDER;
    const int n = list_of(q, small, senders), m = list_of(q, large, others);
    const int extra = atn_min((int)q->lanes, (m - n) / 2);
    const double border = 0.5 * (1 + q->lanes / n);
    if (q->lanes / n > 0.7 || extra < 1 || (n + extra) * n > q->lanes / 2 * (m - extra))
        return;
    for (int first = 0; first < m; first += extra) {
        const int some = atn_min(extra, m - first);
        int rest[d], nrest = 0;
        for (int i = 0; i < m; i++)
            if (i >= first && i < first + some)
                senders[n + i - first] = others[i];
            else
                rest[nrest++] = others[i];
        middle_parts(q, senders, n + some, rest, nrest, part);
        for (int i = first == 0 ? 0 : n; i < n + some; i++)
            q->of[senders[i]] = part[i] < border ? small : large;
    }
}

/* Which side most units are on: the first few tell, one by one. */
static side usual_side(sorting *q, const int *units, int n)
{
    int senders = 0;
    q->usual = RECEIVER;
    for (int i = 0; i < n; i++) {
        sort_units(q, &units[i], 1);
        senders += q->of[units[i]] == SENDER;
    }
    return 2 * senders > n ? SENDER : RECEIVER;
}

int atn_fast_side(atn_fast_search *w, bool *member)
{
    enum { FIRST = 3 };
    side of[w->d];
    int rest[w->d], n = 0, members = 0;
    sorting q = {.w = w, .of = of};
    for (int u = 0; u < w->d; u++)
        of[u] = UNKNOWN;
    for (int i = 0; i < w->n; i++) {
        of[w->set[i].from] = SENDER;
        of[w->set[i].to] = RECEIVER;
    }
    for (int u = 0; u < w->d; u++)
        if (of[u] == UNKNOWN)
            rest[n++] = u;
    atn_infer_shuffle(w->s, rest, n);
    q.lanes = w->n - atn_fast_missing(w->s, w->set, w->n, 5, true);
    q.usual = usual_side(&q, rest, atn_min(FIRST, n));
    for (int i = FIRST; i < n; i += w->n)
        sort_units(&q, rest + i, atn_min(w->n, n - i));
    look_again(&q);
    for (int u = 0; u < w->d; u++)
        members += member[u] = of[u] == SENDER;
    return members;
}
