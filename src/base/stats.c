/* stats.c - see stats.h. */
#include "base/stats.h"

#include <math.h>
#include <stdlib.h>

enum { EXACT = 1000 }; /* 2^-n is representable */

static int ascending(const void *x, const void *y)
{
    const double a = *(const double *)x, b = *(const double *)y;
    return (a > b) - (a < b);
}

/* The median lies below sample k (from 0) when at most k of n fair coins show heads. */
int atn_median_rank(int n)
{
    if (n > EXACT)
        return (int)floor((n - 1.959964 * sqrt(n)) / 2);
    double term = ldexp(1, -n), sum = term;
    int k = 0;
    while (sum + (term = term * (n - k) / (k + 1)) <= 0.025) {
        sum += term;
        k++;
    }
    return k;
}

atn_estimate atn_median(double *v, int n)
{
    qsort(v, (size_t)n, sizeof *v, ascending);
    const int k = atn_median_rank(n);
    const double mid = n % 2 ? v[n / 2] : 0.5 * (v[n / 2 - 1] + v[n / 2]);
    return (atn_estimate){mid, v[k], v[n - 1 - k]};
}

/* Normal approximation of the binomial: 1.96 * sqrt(n / 4 * 3 / 4) samples on each side. */
atn_estimate atn_quartile(double *v, int n)
{
    qsort(v, (size_t)n, sizeof *v, ascending);
    const double at = 0.25 * (n - 1), reach = 1.959964 * sqrt(n * 0.1875);
    const int i = (int)at, lo = (int)fmax(0, floor(at - reach)), hi = (int)ceil(at + reach);
    const double mid = i + 1 < n ? v[i] + (at - i) * (v[i + 1] - v[i]) : v[i];
    return (atn_estimate){mid, v[lo], v[hi < n ? hi : n - 1]};
}

double atn_spread(atn_estimate e) { return e.mid > 0 ? 0.5 * (e.hi - e.lo) / e.mid : 0; }

int atn_undisturbed(double *v, int n)
{
    qsort(v, (size_t)n, sizeof *v, ascending);
    const double mid = v[n / 2], width = v[(3 * n) / 4] - v[n / 4];
    int kept = n;
    while (kept > n - n / 4 && v[kept - 1] - mid > 5 * width && v[kept - 1] > 1.05 * mid)
        kept--;
    return kept;
}

static double square(double x) { return x * x; }

atn_estimate atn_ratio(atn_estimate a, atn_estimate b)
{
    const double mid = log(a.mid / b.mid);
    const double down = sqrt(square(log(a.mid / a.lo)) + square(log(b.hi / b.mid)));
    const double up = sqrt(square(log(a.hi / a.mid)) + square(log(b.mid / b.lo)));
    return (atn_estimate){exp(mid), exp(mid - down), exp(mid + up)};
}

atn_estimate atn_geometric_mean(const atn_estimate *v, int n)
{
    double mid = 0, down = 0, up = 0;
    for (int i = 0; i < n; i++) {
        mid += log(v[i].mid);
        down += square(log(v[i].mid / v[i].lo));
        up += square(log(v[i].hi / v[i].mid));
    }
    mid /= n;
    return (atn_estimate){exp(mid), exp(mid - sqrt(down) / n), exp(mid + sqrt(up) / n)};
}

double atn_mu(double e, double r) { return fmax(e, r) / fmin(e, r); }

double atn_rho_of_mu(double mu, bool high) { return high ? mu - 1 : 1 - 1 / mu; }

double atn_rho(double e, double r) { return atn_rho_of_mu(atn_mu(e, r), e > r); }

double atn_mu_of_rho(double rho, bool high)
{
    return high ? rho + 1 : rho < 1 ? 1 / (1 - rho) : INFINITY;
}
