/* fluid.h - activities that share resources max-min fairly, in continuous time.
 *
 * An activity has an amount of work left and progresses at a rate.  At rate x it uses weight * x of
 * the capacity of each of its resources; x never exceeds its cap.  All rates increase together,
 * each in proportion to its share, until the cap or one of the resources limits them.
 *
 * Resources that could serve all their activities at their caps limit nothing.  Only the others
 * connect activities, so a change affects the activities that are connected with it, and times of
 * others are kept. */
#ifndef ATN_MODEL_FLUID_H
#define ATN_MODEL_FLUID_H

#include "base/base.h"

typedef struct {
    int resource;
    double weight;
} atn_fluid_use;

/* A use in the list of those of its resource; -1: none. */
typedef struct {
    atn_fluid_use use;
    int activity, next, before;
} atn_fluid_member;

typedef struct {
    double left, since; /* amount left at that time */
    double rate, share, cap;
    double next_rate;  /* while rates are computed */
    int owner;         /* identifier of the caller */
    int nuses, queued; /* place in the queue */
    bool found, fixed; /* while rates are computed */
} atn_activity;

typedef struct {
    double demand, used; /* of all activities at their caps, at their rates */
    double room, weight; /* while rates are computed */
    int first, users;    /* of its members */
    bool stale;          /* rates of its activities must be computed */
    bool found;          /* while rates are computed */
    bool limits;         /* an activity */
} atn_fluid_resource;

typedef struct {
    double ends;
    int activity;
} atn_fluid_end;

typedef struct {
    int nresources, max_uses;
    double *capacity; /* 0: unlimited */
    atn_fluid_resource *resource;
    ATN_VEC(atn_activity) v;
    ATN_VEC(int) unused;          /* places in v */
    ATN_VEC(atn_fluid_member) m;  /* max_uses for each entry of v */
    ATN_VEC(atn_fluid_end) queue; /* a heap of all activities */
    ATN_VEC(int) stale;           /* resources */
    ATN_VEC(int) open;            /* activities, while rates are computed */
    ATN_VEC(int) found;           /* resources, while rates are computed */
    int64_t work;                 /* uses that were looked at */
    bool no_memory;
    double instant; /* resolution in seconds: activities that end within it end together */
    double now;
} atn_fluid;

bool atn_model_fluid_make(atn_fluid *f, int nresources, int max_uses);
void atn_model_fluid_free(atn_fluid *f);
/* cap 0: none.  False: out of memory.  An amount of 0 completes at the next advance. */
bool atn_model_fluid_add(atn_fluid *f, int owner, double amount, double share, double cap,
                         const atn_fluid_use *uses, int n);
/* The weights of an activity, of resources below `end`. */
void atn_model_fluid_weigh(atn_fluid *f, int activity, int end, double weight);
/* Completion time of the first activity if nothing changes; infinity: there is none. */
double atn_model_fluid_next(atn_fluid *f);
/* Advances to `time`, removes completed activities and stores their owners in `done` (room for
 * all); returns their number. */
int atn_model_fluid_advance(atn_fluid *f, double time, int *done);

#endif
