/* skeleton.c - the table of skeletons. */
#include "research/skeleton/skeleton.h"

#include <stdlib.h>
#include <string.h>

#define ATN_SKELETON(id) extern const atn_skeleton atn_skeleton_##id;
#include "research/skeleton/skeletons.def"
#undef ATN_SKELETON

static const atn_skeleton *const skeletons[] = {
#define ATN_SKELETON(id) &atn_skeleton_##id,
#include "research/skeleton/skeletons.def"
#undef ATN_SKELETON
};
enum { SKELETONS = sizeof skeletons / sizeof *skeletons };

int atn_skeletons(void) { return SKELETONS; }
const atn_skeleton *atn_skeleton_at(int i) { return skeletons[i]; }

const atn_skeleton *atn_skeleton_find(const char *name)
{
    for (int i = 0; i < SKELETONS; i++)
        if (strcmp(skeletons[i]->name, name) == 0)
            return skeletons[i];
    return NULL;
}

void atn_skeleton_call_add(atn_skeleton_run *run, atn_skeleton_call call)
{
    if (!run->failed && !atn_push(&run->calls, call))
        run->failed = true;
}

atn_status atn_skeleton_emit(const atn_skeleton *s, int p, int rank, int iterations,
                             atn_skeleton_run *run_p, atn_error *err)
{
    if (p < 1 || !s->fits(p))
        return atn_fail(err, ATN_USAGE, "skeleton %s: %d ranks do not fit; it needs %s", s->name, p,
                        s->ranks);
    atn_skeleton_run run = {
        .p = p, .rank = rank, .iterations = iterations > 0 ? iterations : s->iterations};
    s->emit(&run);
    if (run.failed) {
        atn_vec_free(&run.calls);
        return atn_fail(err, ATN_MEMORY, "skeleton %s: out of memory", s->name);
    }
    *run_p = run;
    return ATN_OK;
}
