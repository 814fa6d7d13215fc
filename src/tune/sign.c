/* sign.c - see sign.h. */
#include "tune/sign.h"

/* Wins that are needed, by number of losses: most of the error probability is spent on short
 * series, because clear winners should serve soon. */
static const int needed[] = {5, 8, 11, 13, 16};
enum { LOSSES = sizeof needed / sizeof needed[0] };

atn_sign atn_tune_sign_test(int wins, int losses)
{
    if (losses < LOSSES && wins >= needed[losses])
        return ATN_SIGN_ADOPT;
    if (losses >= LOSSES || (losses >= 2 && (wins == 0 || losses >= wins + 2)))
        return ATN_SIGN_DROP;
    return ATN_SIGN_OPEN;
}
