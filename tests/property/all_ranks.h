/* all_ranks.h - builds and compares the schedules of all ranks of a problem; TAP lines. */
#ifndef ALL_RANKS_H
#define ALL_RANKS_H

#include <stdlib.h>
#include <string.h>

#include "algo/algo.h"
#include "sched/neighbourhood.h"
#include "sched/verify.h"

static int tap_count, tap_failed;

static inline void tap(bool ok, const char *name, const char *why)
{
    printf("%sok %d - %s\n", ok ? "" : "not ", ++tap_count, name);
    if (!ok) {
        tap_failed++;
        printf("# %s\n", why);
    }
}

static inline int tap_end(void)
{
    printf("1..%d\n", tap_count);
    return tap_failed > 0;
}

/* Rows with a schedule whose name begins with the program's argument; without one, all. */
static inline bool wanted(const atn_row *row, char *const *argv)
{
    return row->algo->build && (!argv[1] || strncmp(row->name, argv[1], strlen(argv[1])) == 0);
}

/* Three edges from every rank to random ones, also to itself and several to the same one; NULL: the
 * operation has no neighbours. */
static inline atn_neighbourhood *neighbours_for(atn_operation op, int p)
{
    atn_neighbourhood *n = NULL;
    char word[40];

    snprintf(word, sizeof word, "random:3:%d", p);
    return atn_sched_on_neighbours(op) && atn_sched_neighbourhood_parse(word, p, &n, NULL) == ATN_OK
               ? n
               : NULL;
}

/* Neighbours to which the algorithm applies, if p ranks have such. */
static inline atn_neighbourhood *neighbours_of(const atn_row *row, int p)
{
    atn_neighbourhood *n = NULL;
    char word[40];
    int a = 2;

    while (a < p && p % a != 0)
        a++;
    snprintf(word, sizeof word, a == 2 ? "box:%dx%d" : "box:%dx%dp", a, p / a);
    if (strcmp(row->algo->name, "stencil") == 0 && a < p)
        atn_sched_neighbourhood_parse(word, p, &n, NULL);
    return n ? n : neighbours_for(row->op, p);
}

/* The ranks that pass MPI_IN_PLACE, if they may. */
typedef enum { IN_PLACE_NONE, IN_PLACE_ALL, IN_PLACE_ODD } in_place_ranks;

static inline atn_problem rank_problem(const atn_problem *q, int r, in_place_ranks placed)
{
    atn_problem mine = *q;
    const bool rooted = atn_sched_operation_get(q->op)->flags & ATN_ROOTED;
    const atn_place place = atn_sched_operation_place(q->op, !rooted || r == q->root);

    mine.r = r;
    mine.in_place = place != ATN_PLACE_NONE && place != ATN_PLACE_STAGED &&
                    (placed == IN_PLACE_ALL || (placed == IN_PLACE_ODD && r % 2 == 1));
    return mine;
}

static inline void free_all(atn_schedule **s, int p)
{
    for (int r = 0; s && r < p; r++)
        atn_sched_schedule_free(s[r]);
    free(s);
}

/* NULL with *status_p and err if a rank cannot be built. */
static inline atn_schedule **build_all(const atn_row *row, const atn_problem *q,
                                       const atn_params *prm, in_place_ranks placed,
                                       atn_status *status_p, atn_error *err)
{
    atn_schedule **s = calloc((size_t)q->p, sizeof *s);

    *status_p = s ? ATN_OK : ATN_MEMORY;
    for (int r = 0; r < q->p && *status_p == ATN_OK; r++) {
        const atn_problem mine = rank_problem(q, r, placed);
        *status_p = atn_algo_build(row, &mine, prm, &s[r], err);
    }
    if (*status_p == ATN_OK)
        return s;
    free_all(s, q->p);
    return NULL;
}

#endif
