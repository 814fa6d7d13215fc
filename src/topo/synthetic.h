/* synthetic.h - what a synthetic string describes, between its text and its topology. */
#ifndef ATN_TOPO_SYNTHETIC_H
#define ATN_TOPO_SYNTHETIC_H

#include "topo/draft.h"
#include "topo/hostlist.h"
#include "topo/routes.h"

enum { ATN_SYNTH_LEVELS = 8 };

typedef struct {
    int count;
    bool given; /* has an @ of its own */
    int64_t rate, delay_ns;
} atn_synth_level;

/* A number for each of the last levels of switches. */
typedef struct {
    int v[ATN_SYNTH_LEVELS];
    int n; /* 0: not given */
} atn_synth_list;

typedef struct {
    atn_draft *d;
    int line; /* of a file; 0: none */
    const struct atn_synth_kind *kind;
    bool chain;
    atn_synth_level levels[ATN_SYNTH_LEVELS]; /* from the top; the last one are hosts */
    int nlevels;
    const char *order; /* NULL: sequential */
    int ranks;         /* per host */
    bool ranks_given;
    int rails;                         /* equal networks side by side */
    atn_synth_list up;                 /* links up of a switch of a fat tree */
    atn_synth_list over;               /* oversubscription of its switches */
    bool dmodk;                        /* its routes are fixed */
    int per;                           /* hosts of a router of a torus */
    atn_synth_level inject;            /* their links */
    int global;                        /* links between two groups of a dragonfly */
    char *text;                        /* the string without placement */
    atn_name_list names;               /* of hosts; empty: n0, n1 ... */
    ATN_VEC(int) hosts;                /* nodes in order */
    ATN_VEC(int) at[ATN_SYNTH_LEVELS]; /* nodes of each level of switches */
    int nhosts;
} atn_synth;

/* Reports "what 'text'; remedy". */
void atn_topo_synth_bad(const atn_synth *s, const char *what, const char *text, const char *remedy);

/* Starts the routes of the draft: hosts at routers in order, links to be filled in.  NULL: too many
 * links or no memory (reported). */
atn_routes *atn_topo_synth_routes(atn_synth *s, const atn_routes *shape, int64_t links, int each);

/* What kinds have beside levels.  Sets the rates of the levels of switches to those of all links of
 * a switch up together. */
void atn_topo_synth_fattree(atn_synth *s);
/* Routes between the nodes of the levels; these add a level of hosts. */
void atn_topo_synth_torus(atn_synth *s);
void atn_topo_synth_mesh(atn_synth *s);
void atn_topo_synth_dragonfly(atn_synth *s);

#endif
