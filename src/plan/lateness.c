/* lateness.c - see lateness.h. */
#include "plan/lateness.h"

enum { MOST = 4096 };

static int64_t least_message(const atn_waited *ranks, int p)
{
    int64_t least = INT64_MAX;

    for (int r = 0; r < p; r++)
        if (ranks[r].message_ns < least)
            least = ranks[r].message_ns;
    return least > 0 ? least : 1;
}

static int64_t longest_wait(const atn_waited *ranks, int p)
{
    int64_t most = 0;

    for (int r = 0; r < p; r++)
        if (ranks[r].waited_ns > most)
            most = ranks[r].waited_ns;
    return most;
}

/* Ranks that come within the time of a broadcast are together: no tree is better for them than
 * another, and what is measured of them is chance. */
bool atn_plan_lateness_of(const atn_waited *ranks, int p, int *late)
{
    const int64_t message = least_message(ranks, p), most = longest_wait(ranks, p);
    const int together = 2 * atn_ceil_log2(p);
    bool apart = false;

    for (int r = 0; r < p; r++) {
        const int64_t n = (most - (ranks[r].waited_ns > 0 ? ranks[r].waited_ns : 0)) / message;
        late[r] = n <= together ? 0 : (int)(n < MOST ? n : MOST);
        apart = apart || late[r] > 0;
    }
    return apart;
}
