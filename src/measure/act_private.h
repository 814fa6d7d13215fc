/* act_private.h - between act.c (who acts when) and pattern.c (what they do). */
#ifndef ATN_ACT_PRIVATE_H
#define ATN_ACT_PRIVATE_H

#include <sched.h>

#include "measure/act.h"

struct atn_theatre {
    int p, r;
    MPI_Comm control, wire;
    bool yield, off_cache, spread;
    cpu_set_t own;     /* processors that this rank may use */
    char *out, *in;    /* where messages come from and go to */
    size_t area, next; /* bytes of each; where the next message is */
    atn_stage *stage;
    MPI_Datatype scattered; /* eight of sixteen bytes */
};

void atn_fill_ones(char *at, size_t bytes); /* with doubles */
/* Before the repetitions: numbers that were reduced often, or as another type, would be slow. */
void atn_pattern_prepare(atn_theatre *t, const atn_act *a);
/* One repetition, seen by actor `me`: seconds of a turn; 0 where another one holds the watch. */
double atn_pattern_act(atn_theatre *t, const atn_act *a, int me);

#endif
