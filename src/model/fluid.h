/* fluid.h - activities that share resources fairly, in continuous time.
 *
 * An activity has an amount of work left and goes on at a rate; at rate x it uses weight * x of the
 * capacity of each of its resources, and x never exceeds its cap.  Rates are max-min fair: all rise
 * together, each in proportion to its share, until its cap or one of its resources stops it. */
#ifndef ATN_FLUID_H
#define ATN_FLUID_H

#include "base/base.h"

typedef struct {
    int resource;
    double weight;
} atn_use;

typedef struct {
    double left, rate, share, cap;
    int owner; /* what the caller knows it by */
    int use, nuses;
    bool fixed; /* while rates are found */
} atn_activity;

typedef struct {
    int nresources, max_uses;
    double *capacity;      /* 0: unlimited */
    double *room, *weight; /* while rates are found */
    double *used;          /* of each resource, by all activities */
    int *touched, *open, open_cap;
    bool *full, *limits; /* while rates are found; whether it has stopped anybody */
    ATN_VEC(atn_activity) list;
    ATN_VEC(atn_use) uses; /* max_uses for each place of the list */
    bool stale;            /* rates have to be found anew */
    double instant;        /* seconds that count as none: what ends within them ends together */
    double now;
} atn_fluid;

bool atn_fluid_make(atn_fluid *f, int nresources, int max_uses);
void atn_fluid_free(atn_fluid *f);
/* cap 0: none.  False: out of memory.  An amount of 0 is done at the next look. */
bool atn_fluid_add(atn_fluid *f, int owner, double amount, double share, double cap,
                   const atn_use *uses, int n);
/* When the first activity is done if nothing changes; infinity: there is none. */
double atn_fluid_next(atn_fluid *f);
/* Goes on until `time`, takes out what is done and puts the owners into `done` (room for all);
 * returns how many. */
int atn_fluid_advance(atn_fluid *f, double time, int *done);

#endif
