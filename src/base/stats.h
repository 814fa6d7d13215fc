/* stats.h - what can be said about a set of measured times.
 *
 * Times of messages are skewed and have outliers, so everything here rests on order: the median,
 * its 95 % confidence interval from order statistics (no distribution is assumed), and ratios whose
 * interval combines those of both sides.  docs/benchmarking.md explains them. */
#ifndef ATN_STATS_H
#define ATN_STATS_H

#include <stdbool.h>

/* A value and the interval that holds it with 95 % confidence. */
typedef struct {
    double mid, lo, hi;
} atn_estimate;

/* So many samples have an interval of 94 %, their whole range; fewer have none worth the name. */
enum { ATN_INTERVAL_SAMPLES = 5 };

/* Sorts v; n >= 1.  Fewer than six samples cannot give 95 %: their whole range is the interval. */
atn_estimate atn_median(double *v, int n);
/* Which of n sorted samples, from 0, is the lower end; the upper end is its mirror image. */
int atn_median_rank(int n);

/* The first quartile and its interval, likewise: for what can only be disturbed upwards, as it
 * stays where it is until three quarters of the samples are disturbed. */
atn_estimate atn_quartile(double *v, int n);

/* Half of the interval, relative to the value. */
double atn_spread(atn_estimate e);
/* Sorts v, n >= 1, and returns how many of its samples to keep, from the first: those far above the
 * others (five times as far from the median as the middle half is wide) were disturbed, but never
 * more than a quarter.  Nothing makes a message faster than it is, so small ones stay. */
int atn_undisturbed(double *v, int n);

/* a / b for independent positive estimates, by the method of variance estimates recovery on a
 * logarithmic scale (Zou, Donner: Construction of confidence limits about effect measures,
 * 2008). */
atn_estimate atn_ratio(atn_estimate a, atn_estimate b);
/* Geometric mean of n >= 1 independent positive estimates, the same way. */
atn_estimate atn_geometric_mean(const atn_estimate *v, int n);

/* How far an estimate e is from the real time r > 0: the relative error |e - r| / r, and the
 * proportional one, max / min, which is the same for twice and half.  One from the other, knowing
 * on which side of r the estimate is. */
double atn_rho(double e, double r);
double atn_mu(double e, double r);
double atn_rho_of_mu(double mu, bool above);
double atn_mu_of_rho(double rho, bool above);
double atn_mean_mu(const double *e, const double *r, int n);

#endif
