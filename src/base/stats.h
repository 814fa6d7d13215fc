/* stats.h - statistics of measured times.
 *
 * Message times are skewed and have outliers, so everything here uses order statistics: the median,
 * its 95 % confidence interval (no distribution is assumed), and ratios whose interval combines
 * those of both sides.  See docs/benchmarking.md. */
#ifndef ATN_BASE_STATS_H
#define ATN_BASE_STATS_H

#include <stdbool.h>

/* A value and its 95 % confidence interval. */
typedef struct {
    double mid, lo, hi;
} atn_estimate;

/* The range of this many samples is a 94 % interval; fewer samples give no useful interval. */
enum { ATN_INTERVAL_SAMPLES = 5 };

/* Sorts v; n >= 1.  Fewer than six samples cannot give 95 %: the interval is then their range. */
atn_estimate atn_median(double *v, int n);
/* Index of the lower end among n sorted samples; the upper end is its mirror image. */
int atn_median_rank(int n);

/* The first quartile and its interval, likewise: for times that disturbances only increase; it is
 * stable until three quarters of the samples are disturbed. */
atn_estimate atn_quartile(double *v, int n);

/* Half of the interval, relative to the value. */
double atn_spread(atn_estimate e);
/* Sorts v, n >= 1, and returns how many samples to keep, from the smallest.  Samples far above the
 * median (by more than five times the interquartile range) count as disturbed, but never more than
 * a quarter.  Disturbances never make a message faster, so small samples are kept. */
int atn_undisturbed(double *v, int n);

/* a / b for independent positive estimates, by the method of variance estimates recovery on a
 * logarithmic scale (Zou, Donner: Construction of confidence limits about effect measures,
 * 2008). */
atn_estimate atn_ratio(atn_estimate a, atn_estimate b);
/* Geometric mean of n >= 1 independent positive estimates, the same way. */
atn_estimate atn_geometric_mean(const atn_estimate *v, int n);

/* Proportional error of an estimate e of a time r > 0: max / min, the same for twice and half. */
double atn_mu(double e, double r);
/* Relative error |e - r| / r: 1 for twice, 0.5 for half.  The two are functions of each other if it
 * is known whether the estimate is too high: rho = mu - 1, else 1 - 1/mu. */
double atn_rho(double e, double r);
double atn_rho_of_mu(double mu, bool high);
double atn_mu_of_rho(double rho, bool high); /* infinite for rho >= 1 and too low */

#endif
