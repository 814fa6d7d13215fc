/* recut.c - gives the schedules of all ranks the same split.
 *
 * Ranks may split blocks differently: a rank that takes no part in an exchange of shares need not
 * split at all.  Boundaries that two ranks share lie at the same byte, because a finer split has
 * all boundaries of a coarser one.  To compare the ranks, all get their common refinement. */
#include <stdlib.h>
#include <string.h>

#include "sched/neighbourhood.h"
#include "sched/recut.h"

enum { MAX_CUT = 1 << 16 };

static int gcd(int a, int b) { return b ? gcd(b, a % b) : a; }

static void *copy_of(const void *from, size_t bytes)
{
    void *to = malloc(bytes + 1);
    return to && bytes ? memcpy(to, from, bytes) : to;
}

static void scale(atn_range *r, int f)
{
    r->first *= f;
    r->count *= f;
}

/* A copy with every block divided into f parts. */
static atn_schedule *finer(const atn_schedule *s, int f)
{
    atn_schedule *to = copy_of(s, sizeof *s);

    if (!to)
        return NULL;
    atn_sched_neighbourhood_share(to->q.neighbourhood);
    to->split *= f;
    to->ntmp *= f;
    to->name = strdup(s->name);
    to->ops = copy_of(s->ops, sizeof *s->ops * (size_t)s->nops);
    to->ranges = copy_of(s->ranges, sizeof *s->ranges * (size_t)s->nranges);
    to->deps = copy_of(s->deps, sizeof *s->deps * (size_t)s->ndeps);
    to->tmp_shape = malloc(sizeof *s->tmp_shape * (size_t)to->ntmp + 1);
    if (!to->name || !to->ops || !to->ranges || !to->deps || !to->tmp_shape) {
        atn_sched_schedule_free(to);
        return NULL;
    }
    for (int i = 0; i < s->nops; i++) {
        scale(&to->ops[i].a.one, f);
        scale(&to->ops[i].b.one, f);
        scale(&to->ops[i].c.one, f);
    }
    for (int i = 0; i < s->nranges; i++)
        scale(&to->ranges[i], f);
    for (int t = 0; t < to->ntmp; t++)
        to->tmp_shape[t] = s->tmp_shape[t / f] * f + t % f;
    return to;
}

static int64_t common_cut(atn_schedule *const *schedules, int p)
{
    int64_t cut = 1;

    for (int r = 0; r < p && cut <= MAX_CUT; r++)
        cut = cut / gcd((int)cut, schedules[r]->split) * schedules[r]->split;
    return cut;
}

static bool alike(atn_schedule *const *schedules, int p)
{
    int r = 1;
    while (r < p && schedules[r]->split == schedules[0]->split)
        r++;
    return r >= p;
}

atn_status atn_sched_recut(atn_schedule *const *schedules, int p, atn_schedule ***alike_p,
                           atn_error *err)
{
    *alike_p = NULL;
    if (alike(schedules, p))
        return ATN_OK;
    const int64_t cut = common_cut(schedules, p);
    if (cut > MAX_CUT)
        return atn_fail(err, ATN_FINDING, "the common split of all ranks is too large");
    atn_schedule **list = calloc((size_t)p, sizeof *list);
    bool ok = list != NULL;
    for (int r = 0; r < p && ok; r++) {
        list[r] = finer(schedules[r], (int)cut / schedules[r]->split);
        ok = list[r] != NULL;
    }
    if (!ok) {
        atn_sched_recut_free(list, p);
        return atn_fail(err, ATN_MEMORY, "out of memory");
    }
    *alike_p = list;
    return ATN_OK;
}

void atn_sched_recut_free(atn_schedule **list, int p)
{
    for (int r = 0; list && r < p; r++)
        atn_sched_schedule_free(list[r]);
    free(list);
}
