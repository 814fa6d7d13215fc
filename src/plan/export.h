/* export.h - wisdom as other MPI libraries read it, for sites that cannot preload.
 *
 * What the rules choose is worked out for every number of ranks and every range of sizes, and
 * named as the library names it (foreign.def).  Where the rules say native, or where the library
 * has no such algorithm, it is left to its own decision; the latter is told. */
#ifndef ATN_EXPORT_H
#define ATN_EXPORT_H

#include "plan/rules.h"

typedef struct {
    int ranks;         /* communicators of 2 .. ranks are told of */
    const char *notes; /* file name for messages */
    FILE *f, *told;    /* the result; one line for each choice without counterpart */
} atn_export;

/* Dynamic rules of coll_tuned, classic format: coll_tuned_dynamic_rules_filename. */
atn_status atn_export_openmpi(const atn_export *e, const atn_rules *rules, atn_error *err);
/* JSON for MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE.  It must hold every decision of the library,
 * so `library`, libmpich.so itself, is asked for those that stay as they are. */
atn_status atn_export_mpich(const atn_export *e, const atn_rules *rules, const char *library,
                            atn_error *err);

#endif
