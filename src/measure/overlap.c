/* overlap.c - see overlap.h. */
#include "measure/overlap.h"

#include <math.h>

#include "exec/host.h"
#include "measure/coordinator.h"

enum { TRIALS = 8, TRIAL_STEPS = 4096 };

/* ---- the computation ---- */

/* A chain of dependent operations: neither memory nor the compiler changes its duration. */
static void loop(int64_t steps)
{
    volatile double result = 1;
    double x = result;
    for (int64_t i = 0; i < steps; i++)
        x = x * 0.999999 + 1e-6;
    result = x;
}

/* The fastest trial: others were interrupted. */
void atn_measure_overlap_calibrate(atn_overlap_setup *o)
{
    double least = HUGE_VAL;
    for (int i = 0; i < TRIALS; i++) {
        const double began = MPI_Wtime();
        loop(TRIAL_STEPS);
        least = fmin(least, MPI_Wtime() - began);
    }
    o->step_s = fmax(least, 1e-9) / TRIAL_STEPS;
    MPI_Allreduce(MPI_IN_PLACE, &o->step_s, 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
}

/* Where ranks share a processor, one that computes releases it, as if it had its own.  Simulated
 * time passes in calls only. */
static void compute(const atn_caller *c, const atn_overlap_setup *o, double seconds)
{
    if (c->oversubscribed || ATN_SIMULATED)
        atn_measure_sleep(seconds);
    else
        loop((int64_t)ceil(seconds / o->step_s));
}

/* ---- the parts of a sample ---- */

static double time_computation(const atn_caller *c, const atn_overlap_setup *o, double seconds)
{
    MPI_Barrier(MPI_COMM_WORLD);
    const double began = MPI_Wtime();
    compute(c, o, seconds);
    return MPI_Wtime() - began;
}

/* Returns the seconds that the tests took. */
static double compute_with_tests(atn_caller *c, const atn_overlap_setup *o, double seconds,
                                 atn_started_call *s)
{
    double spent = 0;
    for (int i = 0; i < o->tests; i++) {
        compute(c, o, seconds / (o->tests + 1));
        const double began = MPI_Wtime();
        atn_measure_call_test(c, s);
        spent += MPI_Wtime() - began;
    }
    compute(c, o, seconds / (o->tests + 1));
    return spent;
}

static void time_overall(atn_caller *c, const atn_callee *callee, const atn_overlap_setup *o,
                         double seconds, atn_overlap_times *t)
{
    atn_started_call s;
    MPI_Barrier(MPI_COMM_WORLD);
    const double began = MPI_Wtime();
    atn_measure_call_start(c, callee, &s);
    const double open = MPI_Wtime();
    const double spent = compute_with_tests(c, o, seconds, &s);
    t->inside_s = MPI_Wtime() - open - spent;
    atn_measure_call_wait(c, &s);
    t->overall_s = MPI_Wtime() - began;
}

void atn_measure_overlap_time(atn_caller *c, const atn_callee *callee, const atn_overlap_setup *o,
                              atn_overlap_times *times_p)
{
    atn_overlap_times t = {.pure_s = atn_measure_call_time(c, callee)};
    const double seconds = o->compute_s > 0 ? o->compute_s : t.pure_s;
    t.compute_s = time_computation(c, o, seconds);
    time_overall(c, callee, o, seconds, &t);
    double v[] = {t.compute_s, t.overall_s, t.inside_s};
    atn_measure_reduce_times(c, v, 3, MPI_MAX);
    *times_p = (atn_overlap_times){t.pure_s, v[0], v[1], v[2]};
}
