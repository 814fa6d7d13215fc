/* test_ledger.c - the rows of a job's report: mean, native and saved time of a row come from the
 * same calls on the same clock, after any sequence of bookings, closings and joins. */
#include "report/ledger.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const int kinds[4]; /* addresses that distinguish classes */

static uint64_t next(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state >> 33;
}

static atn_ledger_key key_of(const int *kind, atn_why why, int algorithm)
{
    return (atn_ledger_key){.kind = kind,
                            .choice = (uint64_t)algorithm,
                            .op = ATN_ALLREDUCE,
                            .p = 4,
                            .size_class = 11,
                            .why = (int32_t)why};
}

static void book(atn_ledger *l, const int *kind, atn_why why, int algorithm, double seconds,
                 double bytes)
{
    static const char *const names[] = {"native", "ring", "chain"};
    const atn_ledger_key key = key_of(kind, why, algorithm);
    atn_job_row *const row = atn_report_ledger_row(l, &key);
    if (row == NULL)
        return;
    strcpy(row->algorithm, names[algorithm]);
    atn_report_ledger_book(row, seconds, bytes);
}

static const atn_job_row *find(const atn_ledger_rows *rows, const char *algorithm, atn_why why)
{
    for (int i = 0; i < rows->n; i++)
        if (strcmp(rows->row[i].algorithm, algorithm) == 0 && rows->row[i].reason.why == (int)why)
            return &rows->row[i];
    return NULL;
}

static const atn_job_reason replaced = {.why = ATN_WHY_REPLACED, .other = "ring"};

static void several(atn_ledger *l, atn_why why, int algorithm, int n, double seconds, double bytes)
{
    for (int i = 0; i < n; i++)
        book(l, &kinds[0], why, algorithm, seconds, bytes);
}

/* Calls before the first trial take longer: they are not a measure of native. */
static void test_native_calls_beside_trials_count(void **state)
{
    (void)state;
    atn_ledger *const l = calloc(1, sizeof *l);
    several(l, ATN_WHY_FEW, 0, 7, 9e-3, 1024);
    several(l, ATN_WHY_TRYING, 0, 10, 3e-3, 1024);
    several(l, ATN_WHY_SERVED, 1, 100, 2e-3, 1024);
    atn_report_ledger_close(l, &kinds[0], &replaced);
    const atn_job_row *const ring = find(&l->rows, "ring", ATN_WHY_SERVED);
    const atn_job_saving s = atn_report_job_saved(ring);
    assert_true(s.known);
    assert_true(fabs(s.native - 3e-3) < 1e-9 && fabs(s.mean - 2e-3) < 1e-9);
    assert_true(fabs(s.saved - 0.1) < 1e-9);
    const atn_job_row *const native = find(&l->rows, "native", ATN_WHY_REPLACED);
    assert_non_null(native);
    assert_int_equal(native->calls, 17);
    assert_int_equal(l->rows.n, 2);
    free(l);
}

/* Where one trial decides, native was called before it only. */
static void test_earlier_native_calls_replace_missing_ones(void **state)
{
    (void)state;
    atn_ledger *const l = calloc(1, sizeof *l);
    several(l, ATN_WHY_FEW, 0, 1, 90e-3, 1024);
    several(l, ATN_WHY_FEW, 0, 6, 3e-3, 1024);
    several(l, ATN_WHY_TRYING, 0, 2, 3e-3, 1024);
    several(l, ATN_WHY_SERVED, 1, 100, 2e-3, 1024);
    atn_report_ledger_close(l, &kinds[0], &replaced);
    const atn_job_saving s = atn_report_job_saved(find(&l->rows, "ring", ATN_WHY_SERVED));
    assert_true(s.known);
    assert_true(fabs(s.native - 3e-3) < 1e-9); /* without the first call */
    free(l);
}

static bool known_after(int native_calls, double native_bytes)
{
    atn_ledger *const l = calloc(1, sizeof *l);
    several(l, ATN_WHY_TRYING, 0, native_calls, 3e-3, native_bytes);
    several(l, ATN_WHY_SERVED, 1, 100, 2e-3, 1024);
    atn_report_ledger_close(l, &kinds[0], &replaced);
    const bool known = atn_report_job_saved(find(&l->rows, "ring", ATN_WHY_SERVED)).known;
    free(l);
    return known;
}

static void test_incomparable_rows_are_empty(void **state)
{
    (void)state;
    assert_true(known_after(ATN_LEDGER_LEAST, 1024));
    assert_false(known_after(ATN_LEDGER_LEAST - 1, 1024));
    assert_false(known_after(0, 1024));
    assert_true(known_after(100, 1100));
    assert_false(known_after(100, 2000)); /* other sizes of the same class */
}

/* Calls of another class with the same key are not a measure either, and make the row empty. */
static void test_classes_are_separate(void **state)
{
    (void)state;
    atn_ledger *const l = calloc(1, sizeof *l);
    several(l, ATN_WHY_TRYING, 0, 10, 3e-3, 1024);
    several(l, ATN_WHY_SERVED, 1, 100, 2e-3, 1024);
    for (int i = 0; i < 5; i++)
        book(l, &kinds[1], ATN_WHY_SERVED, 1, 1e-3, 1024);
    atn_report_ledger_close(l, &kinds[0], &replaced);
    assert_true(atn_report_job_saved(find(&l->rows, "ring", ATN_WHY_SERVED)).known);
    atn_report_ledger_close(l, &kinds[1], &replaced);
    const atn_job_row *const ring = find(&l->rows, "ring", ATN_WHY_SERVED);
    assert_int_equal(ring->calls, 105);
    assert_false(atn_report_job_saved(ring).known);
    free(l);
}

/* ---- random sequences ---- */

static void assert_consistent(const atn_job_row *row)
{
    const atn_job_saving s = atn_report_job_saved(row);
    const double difference = s.native - s.mean;
    assert_true(fabs(s.mean * (double)row->calls - row->seconds) <= 1e-9 * row->seconds);
    if (!s.known)
        return;
    assert_int_equal(row->reason.why, ATN_WHY_SERVED);
    assert_true((s.saved > 0) == (difference > 0) && (s.saved < 0) == (difference < 0));
    assert_true(fabs(s.saved - (double)row->calls * difference) <= 1e-9 * (fabs(s.saved) + 1e-9));
    assert_true(s.ci >= 0);
}

static void random_call(atn_ledger *l, uint64_t *random)
{
    static const atn_why whys[] = {ATN_WHY_SERVED, ATN_WHY_FEW, ATN_WHY_TRYING, ATN_WHY_SERVED};
    const int *const kind = &kinds[next(random) % 4];
    const atn_why why = whys[next(random) % 4];
    const int algorithm = why == ATN_WHY_SERVED ? 1 + (int)(next(random) % 2) : 0;
    book(l, kind, why, algorithm, 1e-6 * (double)(1 + next(random) % 5000),
         1024 + (double)(next(random) % 100));
}

static int random_rank(uint64_t *random, atn_ledger *l)
{
    const int calls = (int)(next(random) % 300);
    memset(l, 0, sizeof *l);
    for (int i = 0; i < calls; i++) {
        random_call(l, random);
        if (next(random) % 400 == 0)
            atn_report_ledger_close(l, &kinds[next(random) % 4], &replaced);
    }
    for (int k = 0; k < 4; k++)
        atn_report_ledger_close(l, &kinds[k], &replaced);
    return calls;
}

static void test_saved_has_the_sign_of_the_difference(void **state)
{
    (void)state;
    atn_ledger *const l = malloc(sizeof *l);
    atn_ledger_rows *const all = calloc(1, sizeof *all);
    uint64_t random = 17;
    int known = 0;
    for (int job = 0; job < 200; job++) {
        all->n = 0;
        for (int r = 0; r < 4; r++) {
            int64_t booked = 0;
            const int calls = random_rank(&random, l);
            for (int i = 0; i < l->rows.n; i++)
                booked += l->rows.row[i].calls;
            assert_int_equal(booked, calls);
            atn_report_ledger_join(all, &l->rows);
        }
        for (int i = 0; i < all->n; i++) {
            assert_consistent(&all->row[i]);
            known += atn_report_job_saved(&all->row[i]).known;
        }
    }
    assert_true(known > 50);
    free(all);
    free(l);
}

/* Calls and time of a row are those of one rank, in whatever order ranks are joined. */
static void test_rows_of_one_rank(void **state)
{
    (void)state;
    atn_ledger *const one = calloc(1, sizeof *one), *const two = calloc(1, sizeof *two);
    atn_ledger_rows *const all = calloc(1, sizeof *all);
    for (int i = 0; i < 10; i++)
        book(one, NULL, ATN_WHY_NO_RULE, 0, 1e-3, 8);
    for (int i = 0; i < 4; i++)
        book(two, NULL, ATN_WHY_NO_RULE, 0, 5e-3, 8);
    for (int turn = 0; turn < 2; turn++) {
        all->n = 0;
        atn_report_ledger_join(all, turn ? &one->rows : &two->rows);
        atn_report_ledger_join(all, turn ? &two->rows : &one->rows);
        assert_int_equal(all->n, 1);
        assert_int_equal(all->row[0].calls, 4);
        assert_true(fabs(all->row[0].seconds - 0.02) < 1e-12);
    }
    free(all);
    free(one);
    free(two);
}

/* The uncertainty of five calls follows Student's t distribution. */
static void test_uncertainty(void **state)
{
    (void)state;
    atn_ledger *const l = calloc(1, sizeof *l);
    for (int i = 0; i < 5; i++)
        book(l, &kinds[0], ATN_WHY_TRYING, 0, 3e-3 + 1e-3 * (i - 2), 8);
    several(l, ATN_WHY_SERVED, 1, 100, 2e-3, 8);
    atn_report_ledger_close(l, &kinds[0], &replaced);
    const atn_job_saving s = atn_report_job_saved(find(&l->rows, "ring", ATN_WHY_SERVED));
    const double expected = 100 * 2.776 * sqrt(2.5e-6 / 5);
    assert_true(fabs(s.ci - expected) < 0.01 * expected);
    free(l);
}

static void test_too_many_rows(void **state)
{
    (void)state;
    atn_ledger *const l = calloc(1, sizeof *l);
    for (int i = 0; i < ATN_LEDGER_ROWS; i++) {
        atn_ledger_key key = key_of(NULL, ATN_WHY_NO_RULE, 0);
        key.size_class = i;
        assert_non_null(atn_report_ledger_row(l, &key));
    }
    atn_ledger_key key = key_of(NULL, ATN_WHY_NO_RULE, 0);
    key.size_class = -1;
    assert_null(atn_report_ledger_row(l, &key));
    atn_ledger_rows *const all = malloc(sizeof *all);
    memcpy(all, &l->rows, sizeof *all);
    for (int i = 0; i < ATN_LEDGER_ROWS; i++)
        l->rows.row[i].calls = l->rows.row[i].p = 1;
    atn_report_ledger_join(all, &l->rows);
    assert_int_equal(all->n, ATN_LEDGER_ROWS);
    assert_int_equal(all->lost, ATN_LEDGER_ROWS);
    free(all);
    free(l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_native_calls_beside_trials_count),
        cmocka_unit_test(test_earlier_native_calls_replace_missing_ones),
        cmocka_unit_test(test_incomparable_rows_are_empty),
        cmocka_unit_test(test_classes_are_separate),
        cmocka_unit_test(test_saved_has_the_sign_of_the_difference),
        cmocka_unit_test(test_rows_of_one_rank),
        cmocka_unit_test(test_uncertainty),
        cmocka_unit_test(test_too_many_rows),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
