/* summary_exec.c - operations whose sizes differ between ranks are planned for the mean block of
 * all ranks, independent of the distribution of the total.  Three ranks. */
#include "harness.h"
#include "tune/drivers/driver.h"

enum { P = 3, TOTAL = 9000 };

static const int64_t shares[][P] = {
    {3000, 3000, 3000}, {9000, 0, 0}, {0, 9000, 0}, {1, 4499, 4500}, {8998, 1, 1},
};
static const struct {
    atn_operation op;
    int64_t mean;
} cases[] = {
    {ATN_GATHERV, TOTAL / P},
    {ATN_SCATTERV, TOTAL / P},
    {ATN_ALLTOALLV, TOTAL / (P * P)},
    {ATN_ALLTOALLW, TOTAL / (P * P)},
};

typedef struct {
    int plans;
    int64_t mean; /* the planned size */
} planner;

static atn_advice expect_more(void *context, const atn_call_class *x)
{
    (void)context;
    (void)x;
    return ATN_ADVICE_RACE;
}

static atn_advice advise(void *context, const atn_call_class *x, atn_candidate_set *field_p,
                         atn_deferral *off_p)
{
    planner *const seen = context;
    (void)field_p;
    (void)off_p;
    seen->plans++;
    seen->mean = x->mean;
    return ATN_ADVICE_LATER;
}

static void heard(void *context, const atn_call_class *x, atn_advice advice)
{
    (void)context;
    (void)x;
    (void)advice;
}

static void result(void *context, atn_call_class *x, int before)
{
    (void)context;
    (void)x;
    (void)before;
}

/* One call in which this rank has `bytes` bytes. */
static void check_mean(atn_operation op, int64_t own, int64_t mean)
{
    planner seen = {.mean = -1};
    const atn_driver_setup setup = {
        .p = t_ranks,
        .r = t_rank,
        .comm = MPI_COMM_WORLD,
        .bcast = PMPI_Bcast,
        .allreduce = PMPI_Allreduce,
        .iallreduce = PMPI_Iallreduce,
        .tune = atn_tune_defaults,
        .budget = 20,
        .expect = expect_more,
        .advise = advise,
        .advised = heard,
        .agreed = result,
        .context = &seen,
    };
    const atn_subject subject = {.q = {.op = op, .p = t_ranks, .bytes = -1}};
    atn_driver *const d = atn_tune_driver_new(&setup);
    atn_call_class *const x = d != NULL ? atn_tune_driver_class(d, &subject) : NULL;
    atn_turn turn;
    if (x == NULL)
        t_die("out of memory");
    x->volume = own;
    atn_tune_driver_turn(d, x, -1, &turn);
    t_check(x->mean == mean, "a mean of %lld, expected %lld", (long long)x->mean, (long long)mean);
    t_check(seen.plans == (t_rank == 0), "planned %d times", seen.plans);
    t_check(t_rank != 0 || seen.mean == mean, "planned for %lld", (long long)seen.mean);
    atn_tune_driver_stop(d);
    atn_tune_driver_free(d);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    t_start(60);
    if (t_ranks != P)
        t_die("needs %d ranks", P);
    for (int i = 0; i < (int)(sizeof cases / sizeof *cases); i++) {
        t_point(atn_sched_operation_get(cases[i].op)->name);
        for (int k = 0; k < (int)(sizeof shares / sizeof *shares); k++) {
            t_where("%lld bytes", (long long)shares[k][t_rank]);
            check_mean(cases[i].op, shares[k][t_rank], cases[i].mean);
        }
    }
    const int code = t_finish();
    MPI_Finalize();
    return code;
}
