/* fast_side.c - given transfers that just saturate a link: which units are on the senders' side?
 *
 * A unit is on the senders' side if the link stays full when it takes the place of a sender, and
 * on the other if it can take the place of a receiver.  That costs several measurements for
 * each, so several are tested together first: without one of the transfers the link is just not
 * full; units that then send to the other side, or receive from it, and disturb no transfer, are
 * where most units are.  Every unit that is known helps to look at the next ones. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "topo/infer/fast.h"

typedef enum { SENDER, RECEIVER, UNKNOWN } side;

typedef struct {
    atn_fast_search *w;
    side *of;                     /* by unit */
    side usual;                   /* where most are */
    double missing, missing_less; /* with all transfers, and with one less over the link */
} sorting;

static int list_of(const sorting *q, side wanted, int *list)
{
    int n = 0;
    for (int u = 0; u < q->w->d; u++)
        if (q->of[u] == wanted)
            list[n++] = u;
    return n;
}

/* ---- by itself ---- */

/* Is the link full when the unit takes the place of the first sender or receiver? */
static bool fits_in(const sorting *q, int unit, side where)
{
    const atn_fast_search *w = q->w;
    memcpy(w->try, w->set, sizeof *w->try * (size_t)w->n);
    if (where == SENDER)
        w->try[0].flow.from = w->units[unit].send;
    else
        w->try[0].flow.to = w->units[unit].recv;
    return atn_topo_fast_misses(w, w->try, w->n, 0.5 * (q->missing + q->missing_less));
}

/* Where all senders are below one switch and all receivers below another, the links of both may be
 * full.  Then units elsewhere fit in as both; they are not on the senders' side of the first. */
static side side_of(const sorting *q, int unit)
{
    return fits_in(q, unit, RECEIVER) || !fits_in(q, unit, SENDER) ? RECEIVER : SENDER;
}

/* ---- many at once ---- */

/* Units on the usual side that have no part in the transfers; returns how many. */
static int partners(const sorting *q, int *list)
{
    const atn_fast_search *w = q->w;
    const int n = list_of(q, q->usual, list);
    int kept = 0;
    for (int i = 0; i < n; i++) {
        bool busy = false;
        for (int k = 0; k < w->n - 1; k++)
            busy = busy || list[i] == w->set[k].from || list[i] == w->set[k].to;
        if (!busy)
            list[kept++] = list[i];
    }
    return kept;
}

/* Beside all transfers but one, each unit exchanges with a partner on the usual side, in the
 * direction in which the link is nearly full.  Those that suffer with the transfers are
 * suspicious. */
static void look_at(sorting *q, const int *units, int n, const int *partner)
{
    atn_fast_search *w = q->w;
    const int few = w->n - 1;
    const double border = 0.5 * (q->missing_less + q->missing * few / w->n);
    double part[few + n], missing = 0;
    memcpy(w->try, w->set, sizeof *w->try * (size_t)few);
    for (int i = 0; i < n; i++) {
        const int from = q->usual == RECEIVER ? units[i] : partner[i];
        const int to = q->usual == RECEIVER ? partner[i] : units[i];
        w->try[few + i].flow = (atn_infer_flow){w->units[from].send, w->units[to].recv};
    }
    atn_topo_fast_parts(w, w->try, few + n, 3, part);
    for (int i = 0; i < few; i++)
        missing += 1 - part[i];
    for (int i = 0; i < n; i++) {
        const bool suspicious = missing > border && part[few + i] < 0.98;
        q->of[units[i]] = suspicious ? side_of(q, units[i]) : q->usual;
    }
}

/* The side of most units, determined by testing the first few one by one. */
static side usual_side(sorting *q, const int *units, int n)
{
    int senders = 0;
    for (int i = 0; i < n; i++) {
        q->of[units[i]] = side_of(q, units[i]);
        senders += q->of[units[i]] == SENDER;
    }
    return 2 * senders > n ? SENDER : RECEIVER;
}

static void sort_units(sorting *q, const int *units, int n)
{
    const int first = atn_min(3, n), most = 2 * q->w->s->max_flows - q->w->n;
    int partner[q->w->d];
    q->usual = usual_side(q, units, first);
    for (int i = first, some; i < n && !q->w->s->broken; i += some) {
        some = atn_min(atn_min(most, n - i), partners(q, partner));
        if (some > 0)
            look_at(q, units + i, some, partner);
        else
            q->of[units[i]] = side_of(q, units[i]);
        some = atn_max(some, 1);
    }
}

int atn_topo_fast_side(atn_fast_search *w, double missing, bool *member)
{
    side of[w->d];
    int rest[w->d], n = 0, members = 0;
    sorting q = {.w = w, .of = of, .missing = missing, .missing_less = fmax(0, missing - 1)};
    for (int u = 0; u < w->d; u++)
        of[u] = UNKNOWN;
    for (int i = 0; i < w->n; i++) {
        of[w->set[i].from] = SENDER;
        of[w->set[i].to] = RECEIVER;
    }
    for (int u = 0; u < w->d; u++)
        if (of[u] == UNKNOWN)
            rest[n++] = u;
    atn_topo_infer_shuffle(w->s, rest, n);
    sort_units(&q, rest, n);
    for (int u = 0; u < w->d; u++)
        members += member[u] = of[u] == SENDER;
    return members;
}
