/* test_travel.c - plans for many ranks corrected by what was measured on few. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "made.h"
#include "plan/travel.h"

enum { FEW = 16, MANY = 128, BYTES = 32768 };

typedef struct {
    atn_topo *few, *many;
    atn_machine *m;
    int *ranks;
    atn_ranking before, after;
} fixture;

static atn_problem on(atn_topo *t, int64_t bytes)
{
    return (atn_problem){
        .op = ATN_BCAST, .p = t->p, .segments = 1, .bytes = bytes, .topo = t, .root = 0};
}

static atn_rules *read_rules(const char *text)
{
    atn_rules *rules = NULL;
    atn_error err = {0};
    if (atn_plan_rules_parse(text, strlen(text), "w", &rules, &err) != ATN_OK)
        fail_msg("%s", err.text);
    return rules;
}

static void begin(fixture *x)
{
    x->many = made_topology("8@4Gx16@1G");
    x->few = atn_topo_shrink(x->many, FEW, 0, &x->ranks);
    x->m = atn_model_machine_assumed(x->many);
    const atn_problem q = on(x->many, BYTES);
    for (int i = 0; i < 2; i++)
        assert_int_equal(atn_plan_planner_rank(&q, x->m, NULL, atn_plan_budget(q.p),
                                               i ? &x->after : &x->before, NULL),
                         ATN_OK);
}

static void end(fixture *x)
{
    atn_plan_ranking_free(&x->before);
    atn_plan_ranking_free(&x->after);
    atn_model_machine_free(x->m);
    free(x->ranks);
    atn_topo_free(x->few);
    atn_topo_free(x->many);
}

/* ---- factors ---- */

/* The first of another row than v[0]. */
static int second_row(const atn_ranking *r)
{
    int i = 1;
    while (i < r->n && r->v[i].choice.row == r->v[0].choice.row)
        i++;
    assert_true(i < r->n);
    return i;
}

/* Predicted microseconds on few ranks. */
static double predicted(const fixture *x, const atn_choice *c)
{
    const atn_problem q = on(x->few, BYTES);
    int64_t budget = INT64_MAX;
    double seconds = 0;
    assert_int_equal(atn_plan_planner_time(c, &q, x->m, NULL, &budget, &seconds, NULL), ATN_OK);
    return 1e6 * seconds;
}

static void print_name(const atn_choice *c, char *out)
{
    atn_algo_params_print(c->row, &c->params, out, ATN_NAME_ROOM);
    memmove(out, strchr(out, '/') + 1, strlen(strchr(out, '/')));
}

/* The winner of a plan was measured `slower` times as slow as predicted, another row as fast. */
static atn_rules *measured(const fixture *x, double slower)
{
    char text[3 * ATN_NAME_ROOM], first[ATN_NAME_ROOM], other[ATN_NAME_ROOM];
    const atn_choice *const a = &x->before.v[0].choice;
    const atn_choice *const b = &x->before.v[second_row(&x->before)].choice;
    print_name(a, first);
    print_name(b, other);
    snprintf(text, sizeof text,
             "attune-wisdom 1\nrule bcast ranks=%d bytes=32K use=%s time=%.4fus samples=9 next=%s "
             "next_time=%.4fus\nend\n",
             FEW, first, slower * predicted(x, a), other, predicted(x, b));
    return read_rules(text);
}

static const atn_prospect *find(const atn_ranking *r, const atn_choice *c)
{
    for (int i = 0; i < r->n; i++)
        if (r->v[i].choice.row == c->row &&
            memcmp(&r->v[i].choice.params, &c->params, sizeof c->params) == 0)
            return &r->v[i];
    fail_msg("%s is not in the ranking", c->row->name);
    return NULL;
}

static void errors_of_the_model_are_corrected(void **state)
{
    (void)state;
    fixture x = {.few = NULL};
    begin(&x);
    atn_rules *const rules = measured(&x, 3);
    const atn_problem q = on(x.many, BYTES);
    const atn_row *const slow = x.before.v[0].choice.row;
    const atn_row *const right = x.before.v[second_row(&x.before)].choice.row;
    assert_int_equal(atn_plan_travel_apply(rules, &q, x.m, &x.after), 2);
    for (int i = 0; i < x.before.n; i++) {
        const atn_prospect *const was = &x.before.v[i], *const is = find(&x.after, &was->choice);
        const atn_row *const row = was->choice.row;
        const double wanted = row == slow ? 3 : row == right ? 1 : 1.03 * sqrt(3);
        assert_float_equal(is->seconds / was->seconds, wanted, 1e-3);
        assert_int_equal(is->travelled, row == slow || row == right);
    }
    assert_ptr_not_equal(x.after.v[0].choice.row, slow);
    for (int i = 1; i < x.after.n; i++)
        assert_true(x.after.v[i].seconds > 0.97 * x.after.v[i - 1].seconds);
    atn_plan_rules_free(rules);
    end(&x);
}

static void other_measurements_do_not_apply(void **state)
{
    static const char *const texts[] = {
        "rule bcast ranks=16 bytes=1M use=binomial time=1us samples=9\n",
        "rule bcast ranks=4 bytes=32K use=binomial time=1us samples=9\n",
        "rule bcast ranks=256 bytes=32K use=binomial time=1us samples=9\n",
        "rule bcast ranks=16:64 bytes=32K use=binomial time=1us samples=9\n",
        "rule reduce ranks=16 bytes=32K use=binomial time=1us samples=9\n",
        "rule bcast ranks=16 bytes=32K use=native time=1us samples=9\n",
        "rule bcast ranks=16 bytes=32K use=binomial\n",
    };
    (void)state;
    fixture x = {.few = NULL};
    begin(&x);
    const atn_problem q = on(x.many, BYTES);
    assert_int_equal(atn_plan_travel_apply(NULL, &q, x.m, &x.after), 0);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char text[200];
        snprintf(text, sizeof text, "attune-wisdom 1\n%send\n", texts[i]);
        atn_rules *const rules = read_rules(text);
        assert_int_equal(atn_plan_travel_apply(rules, &q, x.m, &x.after), 0);
        atn_plan_rules_free(rules);
    }
    assert_int_equal(x.after.n, x.before.n);
    assert_memory_equal(x.after.v, x.before.v, sizeof *x.after.v * (size_t)x.after.n);
    end(&x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_of_the_model_are_corrected),
        cmocka_unit_test(other_measurements_do_not_apply),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
