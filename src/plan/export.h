/* export.h - wisdom as selection files of MPI libraries, for sites that cannot preload.
 *
 * The rules are evaluated for every number of ranks and every range of sizes, and algorithms are
 * named as in the library (foreign.def).  Where the rules select native, or where the library
 * has no such algorithm, its own decision applies; the latter is reported. */
#ifndef ATN_PLAN_EXPORT_H
#define ATN_PLAN_EXPORT_H

#include "plan/rules.h"

typedef struct {
    int ranks;          /* communicators of 2 .. ranks are covered */
    const char *notes;  /* file name for messages */
    FILE *f, *notes_to; /* the result; a line for each choice without counterpart */
} atn_export;

/* Dynamic rules of coll_tuned, classic format: coll_tuned_dynamic_rules_filename. */
atn_status atn_plan_export_openmpi(const atn_export *e, const atn_rules *rules, atn_error *err);
/* JSON for MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE.  It must hold every decision of the library,
 * so those that do not change are read from `library`, libmpich.so itself. */
atn_status atn_plan_export_mpich(const atn_export *e, const atn_rules *rules, const char *library,
                                 atn_error *err);

#endif
