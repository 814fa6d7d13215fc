/* test_repository.c - the algorithms of STAR-MPI, by the names of its document: each is a choice of
 * the catalogue that is verified for 2 to 33 ranks, on a topology and without.  One TAP line per
 * entry. */
#include "all_ranks.h"
#include "plan/repository.h"
#include "trees.h"

typedef struct {
    atn_operation op;
    const char *name;
    int proofs; /* numbers of ranks it applies to, on a topology */
} entry;

/* Section 4.3.1.1 of the document.  2D and 3D meshes need a product of two or three numbers, pairs
 * and recursive doubling of all-to-all a power of two, Rab1 a mesh of the power of two inside. */
static const entry wanted_entries[] = {
    {ATN_ALLTOALL, "simple", 32},
    {ATN_ALLTOALL, "2D mesh", 21},
    {ATN_ALLTOALL, "3D mesh", 10},
    {ATN_ALLTOALL, "recursive doubling", 5},
    {ATN_ALLTOALL, "bruck", 32},
    {ATN_ALLTOALL, "ring", 32},
    {ATN_ALLTOALL, "ring with light barrier", 32},
    {ATN_ALLTOALL, "ring with MPI barrier", 32},
    {ATN_ALLTOALL, "pair", 5},
    {ATN_ALLTOALL, "pair with light barrier", 5},
    {ATN_ALLTOALL, "pair with MPI barrier", 5},
    {ATN_ALLTOALL, "topology-specific with sender-sync", 32},
    {ATN_ALLTOALL, "topology-specific with receiver-sync", 32},
    {ATN_ALLGATHER, "simple", 32},
    {ATN_ALLGATHER, "2D mesh", 21},
    {ATN_ALLGATHER, "3D mesh", 10},
    {ATN_ALLGATHER, "recursive doubling", 32},
    {ATN_ALLGATHER, "bruck", 32},
    {ATN_ALLGATHER, "ring", 32},
    {ATN_ALLGATHER, "ring with light barrier", 32},
    {ATN_ALLGATHER, "ring with MPI barrier", 32},
    {ATN_ALLGATHER, "pair", 5},
    {ATN_ALLGATHER, "pair with light barrier", 5},
    {ATN_ALLGATHER, "pair with MPI barrier", 5},
    {ATN_ALLGATHER, "TSLR/LR", 32},
    {ATN_ALLREDUCE, "all-gather bruck", 32},
    {ATN_ALLREDUCE, "all-gather 2D mesh", 21},
    {ATN_ALLREDUCE, "all-gather 3D mesh", 10},
    {ATN_ALLREDUCE, "all-gather rdb", 32},
    {ATN_ALLREDUCE, "all-gather ring", 32},
    {ATN_ALLREDUCE, "Rab1-simple", 32},
    {ATN_ALLREDUCE, "Rab1-2D mesh", 30},
    {ATN_ALLREDUCE, "Rab1-3D mesh", 26},
    {ATN_ALLREDUCE, "Rab1-rdb", 32},
    {ATN_ALLREDUCE, "Rab1-bruck", 32},
    {ATN_ALLREDUCE, "Rab1-ring", 32},
    {ATN_ALLREDUCE, "Rab1-ring with light barrier", 32},
    {ATN_ALLREDUCE, "Rab1-ring with MPI barrier", 32},
    {ATN_ALLREDUCE, "Rab1-TSLR/LR", 32},
    {ATN_ALLREDUCE, "Rab2-(ring, TSLR/LR)", 32},
    {ATN_ALLREDUCE, "Rab2-(ring with light barrier, TSLR/LR)", 32},
    {ATN_ALLREDUCE, "Rab2-(ring with MPI barrier, TSLR/LR)", 32},
    {ATN_ALLREDUCE, "Rab2-(ring, ring)", 32},
    {ATN_ALLREDUCE, "Rab2-(ring with light barrier, ring with light barrier)", 32},
    {ATN_ALLREDUCE, "Rab2-(ring with MPI barrier, ring with MPI barrier)", 32},
};
enum { WANTED = sizeof wanted_entries / sizeof *wanted_entries };

static bool prove(const atn_problem *q, const atn_choice *c, char *why, size_t size)
{
    atn_error err = {0};
    atn_status status;
    atn_schedule **s = build_all(c->row, q, &c->params, IN_PLACE_NONE, &status, &err);

    if (s)
        status = atn_sched_verify(s, q->p, NULL, &err);
    free_all(s, q->p);
    if (status != ATN_OK)
        snprintf(why, size, "p=%d: %s", q->p, err.text);
    return status == ATN_OK;
}

/* The choice has exactly the written name. */
static bool is_written(const atn_choice *c, const char *text)
{
    char name[ATN_NAME_ROOM];

    atn_plan_choice_print(c, name);
    return text && strcmp(name, text) == 0;
}

static void check(const atn_repository_entry *e, const entry *w)
{
    char why[ATN_ERROR_ROOM + 40] = "", name[200];
    int proofs[2] = {0, 0};
    bool ok = strcmp(e->name, w->name) == 0 && e->op == w->op;

    for (int p = 2; ok && p <= 33; p++)
        for (int placed = 0; ok && placed < 2; placed++) {
            atn_topo *topo = placed ? tree_row(p) : NULL;
            const atn_problem q = {
                .op = e->op, .p = p, .bytes = e->most, .segments = 1, .topo = topo};
            atn_choice c;
            if (atn_plan_repository_choice(e, &q, &c)) {
                ok = is_written(&c, placed ? e->choice : e->unplaced) &&
                     prove(&q, &c, why, sizeof why);
                proofs[placed] += ok;
            }
            atn_topo_free(topo);
        }
    snprintf(name, sizeof name, "%s, %s: %s: %d and %d proofs",
             atn_sched_operation_get(w->op)->name, w->name, e->choice, proofs[1], proofs[0]);
    tap(ok && proofs[1] == w->proofs && proofs[0] == (e->unplaced ? w->proofs : 0), name, why);
}

int main(void)
{
    const atn_repository_entry *first = atn_plan_repository_entry(1);
    const atn_problem longer = {.op = ATN_ALLTOALL, .p = 16, .bytes = 257, .segments = 1};
    atn_choice c;

    tap(atn_plan_repository_entries() == WANTED, "13, 12 and 20 algorithms", "");
    for (int i = 0; i < WANTED && i < atn_plan_repository_entries(); i++)
        check(atn_plan_repository_entry(i), &wanted_entries[i]);
    tap(!atn_plan_repository_choice(first, &longer, &c), "meshes are for at most 256 bytes", "");
    tap(atn_plan_repository_has(ATN_ALLGATHERV) && !atn_plan_repository_has(ATN_BCAST),
        "allgatherv has the algorithms of allgather", "");
    return tap_end();
}
