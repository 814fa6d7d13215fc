/* act_private.h - between act.c (who acts when) and pattern.c (what they do). */
#ifndef ATN_ACT_PRIVATE_H
#define ATN_ACT_PRIVATE_H

#include "measure/act.h"

struct atn_theatre {
    int p, r;
    MPI_Comm control, wire;
    bool yield, off_cache;
    char *out, *in;    /* where messages come from and go to */
    size_t area, next; /* bytes of each; where the next message is */
    atn_stage *stage;
    MPI_Datatype scattered; /* eight of sixteen bytes */
};

/* One repetition, seen by actor `me`: seconds of a turn; 0 where another one holds the watch. */
double atn_pattern_act(atn_theatre *t, const atn_act *a, int me);

#endif
