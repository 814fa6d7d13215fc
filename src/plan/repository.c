/* repository.c - see repository.h. */
#include "plan/repository.h"

#include <stdlib.h>
#include <string.h>

#include "topo/topo.h"

static const atn_repository_entry entries[] = {
#define ATN_ENTRY(op, name, ...) {ATN_##op, name, __VA_ARGS__},
#include "plan/repository.def"
#undef ATN_ENTRY
};
enum { ENTRIES = sizeof entries / sizeof *entries };

int atn_plan_repository_entries(void) { return ENTRIES; }
const atn_repository_entry *atn_plan_repository_entry(int i) { return &entries[i]; }

/* "MPI_Allgatherv has exactly the same sets of algorithms as MPI_Allgather." */
bool atn_plan_repository_is_for(const atn_repository_entry *e, atn_operation op)
{
    return e->op == op || (e->op == ATN_ALLGATHER && op == ATN_ALLGATHERV);
}

bool atn_plan_repository_has(atn_operation op)
{
    for (int i = 0; i < ENTRIES; i++)
        if (atn_plan_repository_is_for(&entries[i], op))
            return true;
    return false;
}

bool atn_plan_repository_choice(const atn_repository_entry *e, const atn_problem *q,
                                atn_choice *choice_p)
{
    const bool placed = q->topo != NULL && q->topo->p == q->p;
    const char *const text = placed ? e->choice : e->unplaced;
    char *const copy = text != NULL ? strdup(text) : NULL;
    const bool fits = copy != NULL && atn_plan_repository_is_for(e, q->op) &&
                      (e->most == 0 || q->bytes <= e->most) &&
                      atn_plan_choice_read(q->op, copy, choice_p, NULL) == ATN_OK &&
                      atn_plan_choice_refuses(choice_p, q) == NULL;
    free(copy);
    return fits;
}

int atn_plan_repository_group(const atn_choice *choice)
{
    char name[ATN_NAME_ROOM];
    atn_plan_choice_print(choice, name);
    for (int i = 0; i < ENTRIES; i++) {
        const atn_repository_entry *const e = &entries[i];
        if (atn_plan_repository_is_for(e, choice->row->op) &&
            (strcmp(e->choice, name) == 0 ||
             (e->unplaced != NULL && strcmp(e->unplaced, name) == 0)))
            return e->group;
    }
    return 0;
}
