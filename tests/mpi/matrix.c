/* matrix.c - every blocking collective with all kinds of arguments, compared with the expected
 * result and with the native routine.  The algorithm is forced from outside.
 *
 *   matrix [--ops a,b] [--cases N] [--seed S] [--slice I/N] [--oracle K] [--native a,b]
 *          [--comms 1|2]
 *
 * --slice runs part I of N of the (type, operator) combinations; --oracle K compares with the
 * native routine in every K-th case (0: never); --native (or "all") names the operations that the
 * native routine may serve: these skip cases with library bugs. */
#include "matrix.h"
#include "operands.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const char *ops, *native;
    int cases, slice, slices, oracle, comms;
    uint64_t seed;
} options;

/* ---- communicators: overlapping, reordered, small ---- */

typedef struct {
    const char *name;
    MPI_Comm comm; /* MPI_COMM_NULL: this rank is not in it */
    int p, r;
} member;

enum { COMMS = 4 }; /* at most */

/* Each run has one or two of these besides MPI_COMM_WORLD and MPI_COMM_SELF: creating communicators
 * is slow on some MPIs when oversubscribed. */
enum { REVERSED, SHUFFLED, PARITY, ALL_BUT_LAST, HALVES, KINDS };
static const char *const kind_names[] = {"reversed ranks", "shuffled ranks", "odd and even ranks",
                                         "all but the last", "two halves, reversed"};

static MPI_Comm split(int kind, uint64_t seed)
{
    const int r = t_rank, p = t_ranks;
    t_rng rng = t_seed(seed, 4, 4);
    int *order = t_alloc(sizeof(int) * (size_t)p);
    t_shuffle(&rng, order, p);
    const struct {
        int color, key;
    } how[KINDS] = {
        [REVERSED] = {0, p - r},
        [SHUFFLED] = {0, order[r]},
        [PARITY] = {r % 2, r},
        [ALL_BUT_LAST] = {p > 1 && r == p - 1 ? MPI_UNDEFINED : 0, r},
        [HALVES] = {r < p / 2, p - r},
    };
    MPI_Comm comm;
    MPI_Comm_split(MPI_COMM_WORLD, how[kind].color, how[kind].key, &comm);
    free(order);
    return comm;
}

static void make_comms(member *m, uint64_t seed, int more)
{
    const int a = (int)(seed % KINDS), b = (int)((seed + 1 + seed / KINDS % (KINDS - 1)) % KINDS);
    m[0] = (member){.name = "MPI_COMM_WORLD", .comm = MPI_COMM_WORLD};
    m[1] = (member){.name = "MPI_COMM_SELF", .comm = MPI_COMM_SELF};
    m[2] = (member){.name = kind_names[a], .comm = split(a, seed)};
    m[3] = more > 1 ? (member){.name = kind_names[b], .comm = split(b, seed)} : m[0];
    for (int i = 0; i < COMMS; i++) {
        if (m[i].comm != MPI_COMM_NULL) {
            MPI_Comm_size(m[i].comm, &m[i].p);
            MPI_Comm_rank(m[i].comm, &m[i].r);
        }
    }
}

static void free_comms(member *m)
{
    for (int i = 2; i < COMMS; i++)
        if (m[i].comm != MPI_COMM_NULL && m[i].comm != MPI_COMM_WORLD)
            MPI_Comm_free(&m[i].comm);
}

/* ---- random cases, equal on all ranks ---- */

static int draw_bytes(t_rng *rng, int index)
{
    if (index % 12 == 11)
        return 20000 + t_below(rng, 280000);
    if (index % 9 == 0)
        return 0;
    const int scale = t_below(rng, 13); /* about as many cases in 1..2 as in 2K..4K */
    return (1 << scale) + t_below(rng, 1 << scale);
}

/* False: this rank is not in the communicator. */
static bool draw_case(const options *o, const member *comms, int op, int index, t_case *c)
{
    t_rng rng = t_seed(o->seed, 10 + (uint64_t)op, (uint64_t)index);
    static const int often[] = {0, 0, 0, 1, 2, 2, 3, 3};
    const int pick = often[t_below(&rng, 8)], bytes = draw_bytes(&rng, index);
    const member *m = &comms[index < t_ranks ? 0 : pick];
    *c = (t_case){.index = index,
                  .seed = t_next(&rng) >> 8,
                  .comm_name = m->name,
                  .comm = m->comm,
                  .p = m->p,
                  .r = m->r,
                  .bytes = bytes,
                  .in_place = t_below(&rng, 3) == 0,
                  .oracle = o->oracle && (index + (int)(o->seed % 97)) % o->oracle == 0};
    const int draw = t_below(&rng, 1 << 20);
    if (m->comm == MPI_COMM_NULL)
        return false;
    c->root = index < m->p ? index : draw % m->p; /* every root, then any root */
    c->rng = t_seed(c->seed, 6, 6);
    return true;
}

/* ---- the points ---- */

/* Is `name` in the comma-separated list? */
static bool listed(const char *list, const char *name)
{
    const size_t n = strlen(name);
    for (const char *at = list; at && (at = strstr(at, name)); at += n)
        if ((at == list || at[-1] == ',') && (at[n] == '\0' || at[n] == ','))
            return true;
    return false;
}

static bool wanted(const options *o, const char *name)
{
    return o->ops == NULL || listed(o->ops, name);
}

static bool may_be_native(const options *o, const char *name)
{
    return o->native != NULL && (!strcmp(o->native, "all") || listed(o->native, name));
}

/* No rank leaves before the last has entered: a message sent before that must have arrived. */
static void late_to_barrier(int last)
{
    int late = 0, done = 0;
    MPI_Request request = MPI_REQUEST_NULL;
    t_where("barrier with rank %d late", last);
    if (t_rank != last)
        MPI_Irecv(&late, 1, MPI_INT, last, 5, MPI_COMM_WORLD, &request);
    for (int r = 0; t_rank == last && r < t_ranks; r++)
        if (r != last)
            MPI_Ssend(&(int){1}, 1, MPI_INT, r, 5, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int tries = 0; tries < 10000 && !done; tries++)
        MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    t_check(done, "left the barrier before rank %d had entered it", last);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void run_barrier(const options *o, const member *comms)
{
    t_case c;
    t_point("barrier");
    for (int i = 0; i < o->cases; i++) {
        if (!draw_case(o, comms, 50, i, &c))
            continue;
        t_where("barrier case %d on %s", i, c.comm_name);
        t_check(MPI_Barrier(c.comm) == MPI_SUCCESS, "failed");
    }
    for (int last = 0; last<t_ranks; last += t_ranks> 4 ? 3 : 1)
        late_to_barrier(last);
}

static void run_move(const options *o, const member *comms, int i)
{
    t_case c;
    const bool native = may_be_native(o, t_move_get(i)->name);
    t_point(t_move_get(i)->name);
    for (int k = 0; k < o->cases; k++)
        if (draw_case(o, comms, i, k, &c)) {
            c.native = native;
            t_move_run(t_move_get(i), &c);
        }
}

static void run_reduction(const options *o, const member *comms, int i)
{
    t_case c;
    int index = 0;
    const int all = t_operands(), user = t_user_operands();
    const bool native = may_be_native(o, t_reduction_get(i)->name);
    t_point(t_reduction_get(i)->name);
    for (int od = 0; od < all; od++) {
        if (od < all - user && od % o->slices != (o->slice + i) % o->slices)
            continue;
        /* Non-commutative operators may be native, which may be very slow. */
        const bool slow = native && !t_operand_get(od)->commutes;
        const int repeat = od < all - user || slow ? 1 : 3;
        for (int k = 0; k < repeat; k++)
            if (draw_case(o, comms, 20 + i, index++, &c)) {
                c.native = native;
                t_reduction_run(t_reduction_get(i), &c, od);
            }
    }
}

/* ---- arguments ---- */

static bool parse(int argc, char **argv, options *o)
{
    *o = (options){.cases = 48, .slices = 1, .oracle = 1, .seed = 1, .comms = 2};
    for (int i = 1; i + 1 < argc; i += 2) {
        if (!strcmp(argv[i], "--ops"))
            o->ops = argv[i + 1];
        else if (!strcmp(argv[i], "--cases"))
            o->cases = atoi(argv[i + 1]);
        else if (!strcmp(argv[i], "--seed"))
            o->seed = strtoull(argv[i + 1], NULL, 10);
        else if (!strcmp(argv[i], "--native"))
            o->native = argv[i + 1];
        else if (!strcmp(argv[i], "--comms"))
            o->comms = atoi(argv[i + 1]);
        else if (!strcmp(argv[i], "--oracle"))
            o->oracle = atoi(argv[i + 1]);
        else if (strcmp(argv[i], "--slice") != 0 ||
                 sscanf(argv[i + 1], "%d/%d", &o->slice, &o->slices) != 2 || o->slices < 1)
            return false;
    }
    return argc % 2 == 1;
}

int main(int argc, char **argv)
{
    options o;
    member comms[COMMS];
    t_fake_hosts();
    MPI_Init(&argc, &argv);
    t_start(120);
    if (!parse(argc, argv, &o))
        t_die("usage: matrix [--ops LIST] [--cases N] [--seed S] [--slice I/N] [--oracle K] "
              "[--native LIST] [--comms 1|2]");
    make_comms(comms, o.seed, o.comms);
    if (wanted(&o, "barrier"))
        run_barrier(&o, comms);
    for (int i = 0; i < t_moves(); i++)
        if (wanted(&o, t_move_get(i)->name))
            run_move(&o, comms, i);
    for (int i = 0; i < t_reductions(); i++)
        if (wanted(&o, t_reduction_get(i)->name))
            run_reduction(&o, comms, i);
    t_operands_free();
    free_comms(comms);
    const int code = t_finish();
    MPI_Finalize();
    return code;
}
