/* test_binary.c - binary trees: that they are trees, and the properties of each kind. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "algo/binary.h"

enum { MOST = 40 };

typedef struct {
    atn_binary at[MOST];
    int first[MOST], last[MOST], size[MOST]; /* of the ranks in each subtree */
} tree;

static void cover(tree *t, int r)
{
    t->first[r] = t->last[r] = r;
    t->size[r] = 1;
    for (int i = 0; i < t->at[r].children; i++) {
        const int child = t->at[r].child[i];
        assert_int_equal(t->at[child].parent, r);
        assert_int_equal(t->at[child].depth, t->at[r].depth + 1);
        cover(t, child);
        t->size[r] += t->size[child];
        t->first[r] = atn_min(t->first[r], t->first[child]);
        t->last[r] = atn_max(t->last[r], t->last[child]);
    }
}

/* All ranks are connected to the root, and the height is the maximum depth. */
static void check_tree(tree *t, int p, int root)
{
    int depth = 0;

    assert_int_equal(t->at[root].parent, -1);
    assert_int_equal(t->at[root].depth, 0);
    cover(t, root);
    assert_int_equal(t->size[root], p);
    for (int r = 0; r < p; r++) {
        depth = atn_max(depth, t->at[r].depth);
        assert_int_equal(t->at[r].height, t->at[root].height);
        if (t->at[r].children == 2)
            assert_true(t->size[t->at[r].child[0]] <= t->size[t->at[r].child[1]]);
    }
    assert_int_equal(depth, t->at[root].height);
}

static void for_all(void (*check)(int p, int root))
{
    for (int p = 1; p <= MOST; p++)
        for (int root = 0; root < p; root++)
            check(p, root);
}

static void check_complete(int p, int root)
{
    tree t;

    for (int r = 0; r < p; r++)
        t.at[r] = atn_algo_binary_complete(p, r, root);
    check_tree(&t, p, root);
    assert_int_equal(t.at[root].height, atn_floor_log2(p));
}

static void check_inorder(int p, int root)
{
    tree t;

    for (int r = 0; r < p; r++)
        t.at[r] = atn_algo_binary_inorder(p, r, root);
    check_tree(&t, p, root);
    for (int r = 0; r < p; r++) {
        assert_int_equal(t.at[r].first, t.first[r]);
        assert_int_equal(t.at[r].end, t.last[r] + 1);
        assert_int_equal(t.at[r].end - t.at[r].first, t.size[r]);
    }
}

static void complete_trees(void **state) { (void)state, for_all(check_complete); }
static void inorder_trees(void **state) { (void)state, for_all(check_inorder); }

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(complete_trees),
        cmocka_unit_test(inorder_trees),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
