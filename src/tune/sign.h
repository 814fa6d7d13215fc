/* sign.h - the sequential test behind every switch: a sign test on pairs of blocks.
 *
 * A pair is won when the challenger's block was faster than the neighbouring block of the incumbent
 * by more than the margin.  After every pair the counts are compared with a table; under the
 * hypothesis that the challenger wins only half of the pairs, the total probability of adoption is
 * less than 5 % (a unit test computes it).  Only order counts, so outliers cannot decide. */
#ifndef ATN_TUNE_SIGN_H
#define ATN_TUNE_SIGN_H

typedef enum { ATN_SIGN_OPEN, ATN_SIGN_ADOPT, ATN_SIGN_DROP } atn_sign;

atn_sign atn_tune_sign_test(int wins, int losses);

#endif
