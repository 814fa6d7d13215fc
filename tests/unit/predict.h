/* predict.h - the time of an algorithm by one model, and mappings of ranks to hosts. */
#ifndef ATN_TEST_PREDICT_H
#define ATN_TEST_PREDICT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "algo/algo.h"
#include "model_time.h"

typedef struct {
    int p;
    atn_schedule **s;
} all;

static inline all build(const char *name, const char *params, int p, int64_t bytes,
                        const atn_topo *t)
{
    all a = {p, calloc((size_t)p, sizeof *a.s)};
    const atn_row *row = atn_algo_catalog_by_name(name);
    atn_params prm;
    atn_error err = {0};
    assert_non_null(row);
    if (atn_algo_params_parse(row, params, &prm, &err) != ATN_OK)
        fail_msg("%s", err.text);
    for (int r = 0; r < p; r++) {
        atn_problem q = {.op = row->op, .p = p, .r = r, .bytes = bytes, .topo = t};
        q.segments = atn_algo_segments(row, &q, &prm);
        if (atn_algo_build(row, &q, &prm, &a.s[r], &err) != ATN_OK)
            fail_msg("%s", err.text);
    }
    return a;
}

static inline void drop(all *a)
{
    for (int r = 0; r < a->p; r++)
        atn_sched_schedule_free(a->s[r]);
    free(a->s);
}

static inline double predict(const char *model, const char *name, const char *params, int p,
                             int64_t bytes, const atn_machine *m, const atn_topo *t)
{
    all a = build(name, params, p, bytes, t);
    double time = -1;
    atn_error err = {0};
    if (model_time(atn_model_find(model), a.s, p, bytes, m, t, &time, &err) != ATN_OK)
        fail_msg("%s %s: %s", model, name, err.text);
    drop(&a);
    return time;
}

/* q ranks on each of `hosts` hosts on one switch, with block or cyclic mapping. */
static inline atn_topo *cluster(int hosts, int q, bool cyclic)
{
    char names[128][16];
    const char *list[128];
    atn_topo *t = NULL;
    for (int r = 0; r < hosts * q; r++) {
        snprintf(names[r], sizeof names[r], "h%d", cyclic ? r % hosts : r / q);
        list[r] = names[r];
    }
    assert_int_equal(atn_topo_from_hosts(list, hosts * q, &t, NULL), ATN_OK);
    return t;
}

#endif
