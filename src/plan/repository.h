/* repository.h - the algorithms that STAR-MPI chooses from, as choices of the catalogue.
 *
 * Faraj, Yuan, Lowenthal: STAR-MPI, 2006: 13 of all-to-all, 12 of all-gather (also for all-gatherv)
 * and 20 of all-reduce, in groups that optimise the same costs. */
#ifndef ATN_PLAN_REPOSITORY_H
#define ATN_PLAN_REPOSITORY_H

#include "plan/choice.h"

typedef struct {
    atn_operation op;
    const char *name;     /* in the document: "ring with light barrier" */
    const char *choice;   /* "spread{sync=pair}" */
    const char *unplaced; /* where the topology is unknown; NULL: none */
    int group;            /* from 1, as in the document */
    int64_t most;         /* bytes of a message or block; 0: any */
} atn_repository_entry;

int atn_plan_repository_entries(void);
const atn_repository_entry *atn_plan_repository_entry(int i);
/* Whether an entry, or any, is for the operation. */
bool atn_plan_repository_is_for(const atn_repository_entry *e, atn_operation op);
bool atn_plan_repository_has(atn_operation op);
/* The group of a choice in the document; 0: it is not in the repository. */
int atn_plan_repository_group(const atn_choice *choice);
/* The choice of an entry for a problem; false: the entry is for another operation or for shorter
 * messages, needs a topology, or does not apply. */
bool atn_plan_repository_choice(const atn_repository_entry *e, const atn_problem *q,
                                atn_choice *choice_p);

#endif
