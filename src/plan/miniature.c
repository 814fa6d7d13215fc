/* miniature.c - see miniature.h. */
#include "plan/miniature.h"

#include <math.h>
#include <stdlib.h>

/* ---- the instance ---- */

/* Halves the number while it is too large; even numbers stay even, as rows may require. */
static int fewer_ranks(int p, int most)
{
    int few = p;

    while (few > most)
        few /= 2;
    return few + (p % 2 == 0 && few % 2 != 0 ? 1 : 0);
}

/* Without a topology all ranks are alike. */
static bool any_ranks(const atn_problem *q, int most, atn_miniature *x)
{
    x->q.p = fewer_ranks(q->p, most);
    x->ranks = malloc(sizeof *x->ranks * (size_t)x->q.p);
    for (int i = 0; x->ranks && i < x->q.p; i++)
        x->ranks[i] = (int)((q->root + (int64_t)i * q->p / x->q.p) % q->p);
    return x->ranks != NULL;
}

/* Whether it is half of a power of four times as few ranks: rows of radix 4 then need an incomplete
 * round that all ranks do not. */
static bool is_odd_part(int all, int few)
{
    int halves = 0;
    while (all % 2 == 0 && all > few) {
        all /= 2;
        halves++;
    }
    return all == few && halves % 2 != 0;
}

/* Hosts that keep fewer of their ranks share their links among fewer, too, which matters most if
 * all ranks send to all. */
static bool may_halve(const atn_problem *q, int most, const atn_topo *few)
{
    return few != NULL && few->p > most && q->p > 4 * most && q->op != ATN_ALLTOALL &&
           is_odd_part(q->p, few->p);
}

static bool ranks_of_tree(const atn_problem *q, int most, atn_miniature *x)
{
    x->topo = atn_topo_shrink(q->topo, most, q->root, &x->ranks);
    if (may_halve(q, most, x->topo)) {
        atn_topo_free(x->topo);
        free(x->ranks);
        x->ranks = NULL;
        x->topo = atn_topo_shrink(q->topo, most / 2, q->root, &x->ranks);
    }
    x->q.topo = x->topo;
    x->q.p = x->topo ? x->topo->p : 0;
    if (x->topo && !q->topo->routes)
        x->wide = atn_topo_sub(q->topo, x->ranks, x->q.p);
    return x->topo != NULL;
}

static bool keep_lateness(const atn_problem *q, atn_miniature *x)
{
    if (!q->lateness || q->lateness->p != q->p)
        return true;
    x->late = malloc(sizeof *x->late * (size_t)x->q.p);
    for (int i = 0; x->late && i < x->q.p; i++)
        x->late[i] = q->lateness->late[x->ranks[i]];
    x->lateness = (atn_lateness){x->q.p, x->late};
    x->q.lateness = &x->lateness;
    return x->late != NULL;
}

bool atn_plan_miniature_begin(const atn_problem *q, int most, atn_miniature *x)
{
    const bool placed = q->topo && q->topo->p == q->p;

    *x = (atn_miniature){0};
    if (q->neighbourhood) /* fewer ranks would have other neighbours */
        return false;
    *x = (atn_miniature){.q = *q, .p = q->p};
    x->q.topo = NULL;
    x->q.lateness = NULL;
    if (!(placed ? ranks_of_tree(q, most, x) : any_ranks(q, most, x)) || !keep_lateness(q, x)) {
        atn_plan_miniature_end(x);
        return false;
    }
    x->q.root = 0;
    for (int i = 0; i < x->q.p; i++)
        if (x->ranks[i] == q->root)
            x->q.root = i;
    return true;
}

void atn_plan_miniature_end(atn_miniature *x)
{
    atn_topo_free(x->topo);
    atn_topo_free(x->wide);
    free(x->ranks);
    free(x->late);
    *x = (atn_miniature){.p = 0};
}

atn_problem atn_plan_miniature_problem(const atn_miniature *x, const atn_choice *choice)
{
    const atn_row *const row = choice->row;
    atn_problem q = x->q;

    if (q.lateness)
        q.lateness = &x->lateness; /* the structure may have moved */
    if (row->algo->shares && q.bytes > 0)
        q.bytes = (q.bytes - 1) * q.p / x->p + 1;
    return q;
}

/* ---- extrapolation ---- */

static bool is_latency(const atn_form_terms *f) { return f->latency > f->bytes; }

/* seconds = rest + excess * most on few ranks, rest + excess * most of all ranks on all. */
static double transform(const atn_form_terms *from, const atn_form_terms *to, bool latency,
                        double seconds)
{
    const double most = latency ? from->latency : from->bytes;
    const double rest = latency ? from->bytes : from->latency;
    const double excess = most > 0 ? fmax(0, seconds - rest) / most : 1;

    return (latency ? to->bytes : to->latency) + excess * (latency ? to->latency : to->bytes);
}

double atn_plan_miniature_extend(const atn_form_terms *few, const atn_form_terms *all,
                                 double seconds)
{
    return transform(few, all, is_latency(few), seconds);
}

double atn_plan_miniature_reduce(const atn_form_terms *few, const atn_form_terms *all,
                                 double seconds)
{
    return transform(all, few, is_latency(few), seconds);
}
