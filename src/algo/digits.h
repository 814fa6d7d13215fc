/* digits.h - ranks as mixed-radix numbers: meshes, hypercubes and intermediate shapes.
 *
 *   12 ranks as a mesh of 3 x 4: rank 7 has the digits 1 and 2, 7 = 1 + 3 * 2
 *
 * The product of the radices may be less than p: extra ranks take part through a proxy (core.h). */
#ifndef ATN_ALGO_DIGITS_H
#define ATN_ALGO_DIGITS_H

#include "algo/algo.h"

enum { ATN_MAX_DIGITS = 31 };

typedef struct {
    int n, core;                                       /* digits; the product of their radices */
    int radix[ATN_MAX_DIGITS], weight[ATN_MAX_DIGITS]; /* least significant first */
} atn_digits;

/* As many digits of that radix as p ranks fill; if p < radix, one digit of radix p. */
atn_digits atn_algo_digits_equal(int p, int radix);
/* p as a product of `dims` nearly equal factors; some are 1 when p has no such factors. */
atn_digits atn_algo_digits_mesh(int p, int dims);
/* All ranks in one ring. */
atn_digits atn_algo_digits_ring(int p);
/* NULL, or why p ranks do not form a mesh of `dims` dimensions. */
const char *atn_algo_digits_no_mesh(int p, int dims);

/* For algorithms on meshes whose only parameter is the number of dimensions, 2 or 3; the sides in
 * their closed forms are x (1 where there are two), y and p / x / y. */
extern const atn_param atn_algo_mesh_params[];
const char *atn_algo_mesh_refuses(const atn_problem *q, const atn_params *prm);
#define ATN_MESH_SIDES(term)                                                                       \
    "let(x, max(1, is(dims, 3) * most(i, 1, p^0.5, i * is(p / i, floor(p / i))"                    \
    " * is(max(i^3, p), p))), let(y, most(i, 1, p^0.5, i * is(p / x / i, floor(p / x / i))"        \
    " * is(max(i^2, p / x), p / x)), " term "))"

/* The rank whose digit i is larger by `steps` (modulo its radix). */
static inline int atn_algo_digits_turn(const atn_digits *d, int rank, int i, int steps)
{
    const int w = d->weight[i], digit = rank / w % d->radix[i];

    return rank + (atn_mod(digit + steps, d->radix[i]) - digit) * w;
}

/* Allgather digit by digit: ranks that differ only in this digit exchange all blocks they hold.
 * With `near`, from the least significant digit on, the blocks of a rank are always a run;
 * otherwise distant ranks exchange the least data.  Extra ranks send their block to the proxy first
 * and receive all others at the end. */
void atn_algo_digits_allgather(atn_builder *b, const atn_problem *q, const atn_digits *d,
                               bool near);

/* Alltoall digit by digit, without extra ranks: ranks that differ only in this digit exchange the
 * blocks whose destination has the other's digit. */
void atn_algo_digits_alltoall(atn_builder *b, const atn_problem *q, const atn_digits *d);

#endif
