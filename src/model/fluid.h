/* fluid.h - activities that share resources max-min fairly, in continuous time.
 *
 * An activity has an amount of work left and progresses at a rate.  At rate x it uses weight * x of
 * the capacity of each of its resources; x never exceeds its cap.  All rates increase together,
 * each in proportion to its share, until the cap or one of the resources limits them. */
#ifndef ATN_MODEL_FLUID_H
#define ATN_MODEL_FLUID_H

#include "base/base.h"

typedef struct {
    int resource;
    double weight;
} atn_fluid_use;

typedef struct {
    double left, rate, share, cap;
    int owner; /* identifier of the caller */
    int use, nuses;
    bool fixed; /* while rates are computed */
} atn_activity;

typedef struct {
    int nresources, max_uses;
    double *capacity;      /* 0: unlimited */
    double *room, *weight; /* while rates are computed */
    double *used;          /* of each resource, by all activities */
    int *users;            /* of each resource: activities that use it */
    int *touched, *open, open_cap;
    bool *full, *limits; /* while rates are computed; whether it limits an activity */
    ATN_VEC(atn_activity) list;
    ATN_VEC(atn_fluid_use) uses; /* max_uses for each entry of the list */
    bool stale;                  /* rates must be recomputed */
    double instant; /* resolution in seconds: activities that end within it end together */
    double now;
} atn_fluid;

bool atn_model_fluid_make(atn_fluid *f, int nresources, int max_uses);
void atn_model_fluid_free(atn_fluid *f);
/* cap 0: none.  False: out of memory.  An amount of 0 completes at the next advance. */
bool atn_model_fluid_add(atn_fluid *f, int owner, double amount, double share, double cap,
                         const atn_fluid_use *uses, int n);
/* Completion time of the first activity if nothing changes; infinity: there is none. */
double atn_model_fluid_next(atn_fluid *f);
/* Advances to `time`, removes completed activities and stores their owners in `done` (room for
 * all); returns their number. */
int atn_model_fluid_advance(atn_fluid *f, double time, int *done);

#endif
