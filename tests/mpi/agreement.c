/* agreement.c - random collective calls on random overlapping communicators.  The algorithm of each
 * call is random, set from outside; ranks that select different ones would deadlock.
 *
 *   agreement [CALLS [SEED [COMMUNICATORS]]] */
#include "exercise.h"

#include <stdio.h>
#include <stdlib.h>

enum { POOL = 10, MOST = 64 };

typedef struct {
    MPI_Comm comm; /* MPI_COMM_NULL on other ranks */
    long uses;
} slot;

/* A communicator of random ranks in random order, drawn equally on all ranks. */
static void make(slot *s, t_rng *rng)
{
    int *order = t_alloc(sizeof(int) * (size_t)t_ranks);
    const int colors = 1 + t_below(rng, 3);
    const uint64_t draw = t_next(rng);
    t_shuffle(rng, order, t_ranks);
    const bool out = colors == 3 && (draw >> t_rank) % 4 == 0;
    MPI_Comm_split(MPI_COMM_WORLD, out ? MPI_UNDEFINED : (order[t_rank] + (int)(draw % 7)) % colors,
                   order[(t_rank + 1) % t_ranks], &s->comm);
    s->uses = 0;
    free(order);
}

static void replace(slot *s, t_rng *rng)
{
    if (s->comm != MPI_COMM_NULL)
        MPI_Comm_free(&s->comm);
    make(s, rng);
}

static int draw_elements(t_rng *rng)
{
    const int scale = t_below(rng, 10);
    return t_below(rng, 20) == 0 ? 4000 + t_below(rng, 6000) : (1 << scale);
}

int main(int argc, char **argv)
{
    slot pool[MOST];
    MPI_Init(&argc, &argv);
    t_start(110);
    const int calls = argc > 1 ? atoi(argv[1]) : 3000;
    const uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    const int comms = argc > 3 ? atoi(argv[3]) % (MOST + 1) : POOL;
    char name[60];
    t_rng rng = t_seed(seed, 1, 1);
    snprintf(name, sizeof name, "%d random calls have correct values, seed %llu", calls,
             (unsigned long long)seed);
    t_point(name);
    t_exercise_begin();
    for (int i = 0; i < comms; i++)
        make(&pool[i], &rng);
    for (int i = 0; i < calls; i++) {
        const int pick = t_below(&rng, comms + 3), which = t_below(&rng, T_EXERCISES);
        const int elements = draw_elements(&rng);
        const bool renew = t_below(&rng, calls / 30 + 1) == 0;
        slot *s = pick < comms ? &pool[pick] : NULL;
        const MPI_Comm comm = s ? s->comm : MPI_COMM_WORLD;
        if (comm != MPI_COMM_NULL) {
            t_where("seed %llu, call %d: %s on communicator %d, use %ld, about %d elements",
                    (unsigned long long)seed, i, t_exercise_name(which), pick, s ? s->uses++ : 0,
                    elements);
            t_check(t_exercise(which, comm, seed * 100000 + (uint64_t)i, elements) == 0,
                    "wrong values");
        }
        if (s && renew)
            replace(s, &rng);
    }
    for (int i = 0; i < comms; i++)
        if (pool[i].comm != MPI_COMM_NULL)
            MPI_Comm_free(&pool[i].comm);
    t_exercise_end();
    const int code = t_finish();
    MPI_Finalize();
    return code;
}
