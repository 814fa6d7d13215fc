/* mixture.c - a random program: collectives of every kind in every form and messages, on
 * overlapping communicators, many open at once and completed in random order by all routines.
 *
 *     mixture [SEED [CALLS [ELEMENTS]]]
 *
 * ELEMENTS: of blocks, at most; without it there are a few long calls among short ones.
 * All ranks derive the same program from the seed; what is waited for when, and how, differs
 * between them.  Contents of every buffer are compared exactly. */
#include "communicators.h"
#include "completion.h"
#include "exercise.h"
#include "operation.h"

#include <stdio.h>
#include <stdlib.h>

enum { MOST_OPEN = 32, PERSISTENT = 10, MESSAGE = 600, RENEW = 50 };

/* ---- open operations ---- */

typedef struct {
    t_operation *o; /* NULL: a message */
    int *message, peer, bytes;
    int persistent; /* index in `kept`, or -1 */
    bool receives;
    uint64_t seed;
    int number;
} item;

static item items[MOST_OPEN];
static MPI_Request requests[MOST_OPEN];
static int open_items;

/* Persistent requests, each made once and started many times. */
typedef struct {
    t_operation *o;
    MPI_Request request;
    int comm;
    bool active, served;
} kept;
static kept keeps[PERSISTENT];

/* ---- completion ---- */

static void check_message(item *it)
{
    int *want = t_alloc((size_t)it->bytes + sizeof(int));
    long bad = 0;
    t_bytes(it->seed, want, (size_t)it->bytes);
    for (int i = 0; i < it->bytes / (int)sizeof(int); i++)
        bad += it->message[i] != want[i];
    t_check(bad == 0, "call %d: %ld wrong ints in a message %s %d", it->number, bad,
            it->receives ? "from" : "to", it->peer);
    free(want);
    free(it->message);
}

static void check_item(item *it)
{
    if (!it->o) {
        check_message(it);
    } else if (it->persistent >= 0) {
        const long bad = t_operation_wrong(it->o);
        t_check(bad == 0, "call %d, %s, persistent: %ld wrong ints", it->number,
                t_operation_text(it->o), bad);
        keeps[it->persistent].active = false;
    } else {
        char text[120];
        snprintf(text, sizeof text, "%s", t_operation_text(it->o));
        const long bad = t_operation_end(it->o);
        t_check(bad == 0, "call %d, %s: %ld wrong ints", it->number, text, bad);
    }
}

static void remove_item(int i)
{
    items[i] = items[--open_items];
    requests[i] = requests[open_items];
}

/* Completes a random subset: entries of others are MPI_REQUEST_NULL in the array. */
static void complete_some(t_rng *rng, int one_in)
{
    MPI_Request chosen[MOST_OPEN];
    bool persists[MOST_OPEN], selected[MOST_OPEN], native = false; /* native: persistent ones */
    const int n = open_items;
    for (int i = 0; i < n; i++) {
        selected[i] = t_below(rng, one_in) == 0;
        chosen[i] = selected[i] ? requests[i] : MPI_REQUEST_NULL;
        persists[i] = selected[i] && items[i].persistent >= 0;
        native = native || (persists[i] && !keeps[items[i].persistent].served);
    }
    int means = t_below(rng, T_MEANS);
    if (!t_means_persists(means, !native))
        means = 0;
    t_where("%s with %d open", t_means_name(means), n);
    t_check(n == 0 || t_complete(means, n, chosen, persists, rng) == 0, "wrong answers of %s",
            t_means_name(means));
    for (int i = n - 1; i >= 0; i--)
        if (selected[i]) {
            check_item(&items[i]);
            remove_item(i);
        }
}

static item *new_item(int number)
{
    item *it = &items[open_items];
    *it = (item){.persistent = -1, .number = number};
    return it;
}

/* ---- calls ---- */

static int most_elements;

/* Mostly short; sometimes too long for an eager message. */
static int random_elements(t_rng *rng)
{
    if (most_elements > 0)
        return most_elements;
    static const int most[] = {4, 40, 40, 400, 400, 4000};
    return t_below(rng, 60) == 0 ? 30000 : most[t_below(rng, (int)(sizeof most / sizeof *most))];
}

/* Communicators of a split have different sizes, so that the root must be valid in all. */
static t_operation *random_operation(t_rng *rng, const t_member *m)
{
    int p;
    MPI_Comm_size(m->comm, &p);
    const int kind = t_kind_random(rng, m);
    const uint64_t seed = t_next(rng);
    const t_shape shape = t_shape_random(kind, seed, p, random_elements(rng));
    return t_operation_new(&shape, m->comm, seed);
}

static t_form random_form(t_rng *rng)
{
    static const t_form forms[] = {T_BLOCKING,    T_NONBLOCKING, T_NONBLOCKING,
                                   T_NONBLOCKING, T_NONBLOCKING, T_NONBLOCKING_LARGE};
    const t_form form = forms[t_below(rng, (int)(sizeof forms / sizeof *forms))];
    return t_form_exists(form) ? form : T_NONBLOCKING;
}

static void call_collective(t_rng *rng, int number)
{
    const t_member *m = &t_comms[t_below(rng, COMMS)];
    const t_form form = random_form(rng);
    const bool frees_handles = t_below(rng, 3) == 0;
    item *it = new_item(number);
    it->o = random_operation(rng, m);
    t_where("call %d: %s, %s on %s", number, t_operation_text(it->o), t_form_name(form), m->name);
    const int code = t_operation_call(it->o, form, &requests[open_items]);
    t_check(code == MPI_SUCCESS, "returns %d", code);
    if (frees_handles && (!T_OPEN_MPI || t_operation_served(it->o)))
        t_operation_free_handles(it->o);
    if (form == T_BLOCKING)
        check_item(it);
    else
        open_items++;
}

static void start_persistent(t_rng *rng, t_rng *own, int number)
{
    const int which = t_below(rng, PERSISTENT);
    const uint64_t seed = t_next(rng);
    kept *k = &keeps[which];
    if (!k->o)
        return;
    while (k->active) /* every rank completes it before the next start, at its own time */
        complete_some(own, 1);
    item *it = new_item(number);
    it->o = k->o;
    it->persistent = which;
    t_where("call %d: start of %s on %s", number, t_operation_text(k->o), t_comms[k->comm].name);
    t_operation_refill(k->o, seed);
    MPI_Start(&k->request);
    requests[open_items++] = k->request;
    k->active = true;
}

/* Every rank sends to the next one in a communicator. */
static void exchange_messages(t_rng *rng, int number)
{
    const t_member *m = &t_comms[t_below(rng, COMMS)];
    const int tag = t_below(rng, 3), bytes = 4 * t_below(rng, t_below(rng, 9) ? MESSAGE : 40000);
    const uint64_t seed = t_next(rng);
    int p, r;
    MPI_Comm_size(m->comm, &p);
    MPI_Comm_rank(m->comm, &r);
    const int shift = 1 + number % p, peers[2] = {(r + p - shift % p) % p, (r + shift) % p};
    t_where("call %d: messages of %d bytes on %s", number, bytes, m->name);
    for (int k = 0; k < 2; k++) {
        item *it = new_item(number);
        const int from = k ? r : peers[0];
        it->receives = k == 0;
        it->peer = peers[k];
        it->bytes = bytes;
        it->seed = seed + (uint64_t)from;
        it->message = t_alloc((size_t)bytes + sizeof(int));
        if (k)
            t_bytes(it->seed, it->message, (size_t)bytes);
        MPI_Request *request = &requests[open_items++];
        if (k)
            MPI_Isend(it->message, bytes, MPI_BYTE, it->peer, tag, m->comm, request);
        else
            MPI_Irecv(it->message, bytes, MPI_BYTE, it->peer, tag, m->comm, request);
    }
}

/* ---- the program ---- */

static void make_persistent(t_rng *rng)
{
    for (int i = 0; i < PERSISTENT && t_form_exists(T_PERSISTENT); i++) {
        const int any = t_below(rng, COMMS), comm = any == RENEWED ? WORLD : any;
        int p;
        MPI_Comm_size(t_comms[comm].comm, &p);
        int kind = t_kind_random(rng, &t_comms[comm]);
        const bool served = t_kind_served(kind, t_comms[comm].comm);
        if (!t_kind_persists(kind, served))
            kind = T_ALLREDUCE;
        const uint64_t seed = t_next(rng);
        const t_shape shape = t_shape_random(kind, seed, p, i % 2 ? 50 : 2000);
        const bool large = t_below(rng, 2) && t_form_exists(T_PERSISTENT_LARGE);
        keeps[i] = (kept){.comm = comm, .served = served};
        keeps[i].o = t_operation_new(&shape, t_comms[comm].comm, seed);
        t_operation_call(keeps[i].o, large ? T_PERSISTENT_LARGE : T_PERSISTENT, &keeps[i].request);
    }
}

static void free_persistent(void)
{
    for (int i = 0; i < PERSISTENT; i++) {
        if (!keeps[i].o)
            continue;
        MPI_Request_free(&keeps[i].request);
        t_operation_end(keeps[i].o);
    }
}

/* A new communicator with the members of another one; calls may be open on the old one.  Open MPI
 * itself crashes then. */
static void renew(t_rng *rng, t_rng *own)
{
    MPI_Comm dup;
    const int like =
        t_below(rng, 2) ? REVERSED : WORLD; /* communicators of one rank would stay native */
    while (T_OPEN_MPI && !getenv("TEST_SERVED") && open_items > 0)
        complete_some(own, 1);
    t_where("renewing a communicator");
    MPI_Comm_dup(t_comms[like].comm, &dup);
    MPI_Comm_free(&t_comms[RENEWED].comm);
    t_comms[RENEWED].comm = dup;
}

/* `common` is the same on all ranks, `own` is not. */
static void run(uint64_t seed, int calls)
{
    t_rng common = t_seed(seed, 1, 1), own = t_seed(seed, 2, (uint64_t)t_rank);
    make_persistent(&common);
    for (int number = 0; number < calls; number++) {
        const int which = t_below(&common, 20);
        if (which < 4)
            exchange_messages(&common, number);
        else if (which < 8)
            start_persistent(&common, &own, number);
        else if (which == 8)
            t_check(t_exercise(number % T_EXERCISES, t_comms[number % 6].comm, (uint64_t)number,
                               30) == 0,
                    "call %d: wrong blocking result", number);
        else
            call_collective(&common, number);
        if (number % RENEW == RENEW - 1)
            renew(&common, &own);
        while (open_items > MOST_OPEN - 3)
            complete_some(&own, 2);
        if (t_below(&own, 4) == 0)
            complete_some(&own, 1 + t_below(&own, 4));
    }
    while (open_items > 0)
        complete_some(&own, 1);
    free_persistent();
}

int main(int argc, char **argv)
{
    char name[64];
    t_fake_hosts();
    MPI_Init(&argc, &argv);
    t_start(100);
    const uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    const int calls = argc > 2 ? atoi(argv[2]) : 2000;
    most_elements = argc > 3 ? atoi(argv[3]) : 0;
    snprintf(name, sizeof name, "random program, seed %llu, %d calls", (unsigned long long)seed,
             calls);
    t_exercise_begin();
    t_point(name);
    t_comms_make(false);
    run(seed, calls);
    t_comms_free();
    t_exercise_end();
    const int code = t_finish();
    MPI_Finalize();
    return code;
}
