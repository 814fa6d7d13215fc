/* test_derived.c - data that ranks derive from a topology: computed once, they give the same
 * schedules. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "algo/derived.h"
#include "made.h"
#include "plan/candidates.h"
#include "sched/text.h"

static char *text_of(const atn_choice *c, const atn_problem *q)
{
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    for (int r = 0; r < q->p; r++) {
        atn_schedule *s = NULL;
        atn_problem mine = *q;
        mine.r = r;
        mine.segments = atn_algo_segments(c->row, q, &c->params);
        if (atn_algo_build(c->row, &mine, &c->params, &s, NULL) == ATN_OK)
            for (int i = 0; i < s->nops; i++) {
                fprintf(f, "%s %d ", atn_sched_op_name(&s->ops[i]), s->ops[i].peer);
                atn_sched_slot_print(f, s, &s->ops[i].a);
                fputc('\n', f);
            }
        atn_sched_schedule_free(s);
    }
    fclose(f);
    return text;
}

/* Cached derived data give the same schedules as those computed by each rank. */
static void derived_data_are_cached(void **state)
{
    (void)state;
    atn_topo *t = made_topology("3x3@100M;order=roundrobin");
    for (int op = 0; op < ATN_OPERATIONS; op++) {
        const atn_problem q = {
            .op = (atn_operation)op, .p = t->p, .root = op % 2, .bytes = 3000, .topo = t};
        atn_choice *list = NULL;
        const int n = atn_plan_candidates(&q, &list);
        for (int i = 0; i < n; i += 3) {
            char *each = text_of(&list[i], &q);
            atn_algo_derived_open(t);
            char *once = text_of(&list[i], &q), *again = text_of(&list[i], &q);
            atn_algo_derived_close();
            assert_string_equal(each, once);
            assert_string_equal(each, again);
            free(each);
            free(once);
            free(again);
        }
        free(list);
    }
    atn_topo_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(derived_data_are_cached)};
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
