/* fattree.c - fat trees: every switch has several links up, to different switches.
 *
 * The switches above that a branch can reach act as one: a message between two branches crosses one
 * of the links up of the first and one of the links down of the second, and routing that spreads
 * messages evenly (adaptive routing, or D-mod-k with all hosts) loads these equally.  So a tree
 * with the rate of all of them together has the same loads and bounds.  It has no faster flow than
 * the fat tree as long as one link up is as fast as the link of a host. */
#include "topo/synthetic.h"

/* The entry of a level of switches, counted from the top; lists are for the last levels. */
static int listed(const atn_synth *s, const atn_synth_list *list, int level)
{
    const int i = level - (s->nlevels - 1 - list->n);
    return i < 0 ? 0 : list->v[i];
}

static void check(atn_synth *s)
{
    const int64_t host = s->levels[s->nlevels - 1].rate;
    if (s->up.n > 0 && s->over.n > 0)
        atn_topo_found(s->d->found, s->line,
                       "both up= and oversubscribe=; one follows from the other, "
                       "give one of them");
    if (s->over.n > 0 && host == 0)
        atn_topo_found(s->d->found, s->line,
                       "oversubscribe= without a rate of hosts; write one, as in 4x16@10G");
    for (int i = s->nlevels - 2; i >= 0; i--) {
        if (s->levels[i].rate == 0) /* only a delay is given */
            s->levels[i].rate = s->levels[i + 1].rate;
        if (s->levels[i].rate < host)
            atn_topo_remark(s->d->found, s->line,
                            "a link up of level %d is slower than the link of a host; a single "
                            "message is slower than the tree shows",
                            i + 1);
    }
}

void atn_topo_synth_fattree(atn_synth *s)
{
    int64_t switches = 1; /* that a branch consists of at this level */
    check(s);
    for (int i = s->nlevels - 2; i >= 0; i--) {
        const int up = listed(s, &s->up, i), over = listed(s, &s->over, i);
        const atn_synth_level *below = &s->levels[i + 1];
        const int64_t one = s->levels[i].rate;
        int64_t rate = one;
        const bool far = up > 0 ? __builtin_mul_overflow(one, up, &rate) ||
                                      __builtin_mul_overflow(rate, switches, &rate)
                                : __builtin_mul_overflow(below->rate, below->count, &rate);
        if (far)
            atn_topo_found(s->d->found, s->line, "rates beyond all numbers; write lower ones");
        s->levels[i].rate = over > 1 ? rate / over : rate;
        switches = one > 0 ? s->levels[i].rate / one : 1;
    }
}
