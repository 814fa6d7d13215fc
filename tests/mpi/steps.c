#include "steps.h"
#include "exercise.h"
#include "operands.h"
#include "wrong_calls.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_STEPS = 20000, MOST_OPEN = 12, ELEMENTS = 300 };

/* What a step left on this rank. */
typedef struct {
    int number, class;
    uint64_t hash;
} outcome;

typedef struct {
    t_operation *o;
    MPI_Request request;
    int due; /* number of the step before which it is completed */
    outcome *to;
} pending;

static outcome outcomes[MOST_STEPS];
static pending opened[MOST_OPEN];
static int done, open_now;
static bool threaded;
static const char *spoiled; /* TEST_SPOIL: a kind of step with a wrong result, to test the test */

static int class_of(int code)
{
    int class = MPI_SUCCESS;
    if (code != MPI_SUCCESS)
        MPI_Error_class(code, &class);
    return class;
}

static uint64_t hash_bytes(const void *data, size_t bytes)
{
    const unsigned char *at = data;
    uint64_t hash = 14695981039346656037u;
    for (size_t i = 0; i < bytes; i++)
        hash = (hash ^ at[i]) * 1099511628211u;
    return hash;
}

/* ---- names, as in a C program ---- */

static const char *const what_names[] = {"T_COLLECTIVE", "T_REDUCTION", "T_WRONG",
                                         "T_MESSAGE",    "T_RENEW",     "T_THREADS"};

void t_step_print(FILE *f, const t_step *s)
{
    const t_shape *h = &s->shape;
    fprintf(
        f,
        "    t_step_run(&(t_step){.number = %d, .what = %s, .comm = %d, .form = %d, .which = %d, "
        ".open = %d, .seed = %lluu,\n"
        "        .shape = {.kind = %d, .elements = %d, .root = %d, .reduction = %d, .in_place = "
        "%d, .holes = %d}}); /* %s on %s */\n",
        s->number, what_names[s->what], s->comm, s->form, s->which, s->open,
        (unsigned long long)s->seed, h->kind, h->elements, h->root, h->reduction, h->in_place,
        h->holes, s->what == T_COLLECTIVE ? t_form_name(s->form) : what_names[s->what],
        t_comms[s->comm].name ? t_comms[s->comm].name : "a communicator");
}

/* ---- drawing ---- */

static t_form draw_form(t_rng *rng)
{
    static const t_form forms[] = {T_BLOCKING,    T_BLOCKING,   T_NONBLOCKING,
                                   T_NONBLOCKING, T_PERSISTENT, T_NONBLOCKING_LARGE};
    const t_form form = forms[t_below(rng, (int)(sizeof forms / sizeof *forms))];
    return t_form_exists(form) ? form : T_NONBLOCKING;
}

static int size_of(int comm)
{
    int p;
    MPI_Comm_size(t_comms[comm].comm, &p);
    return p;
}

static void draw_collective(t_step *s, t_rng *rng)
{
    static const int most[] = {4, 40, 400, 4000};
    const int size = t_below(rng, 40) == 0 ? 30000 : most[t_below(rng, 4)];
    s->form = draw_form(rng);
    s->shape = t_shape_random(t_kind_random(rng, &t_comms[s->comm]), s->seed, 1, size);
    if (t_form_persists(s->form) && !t_kind_persists(s->shape.kind, false))
        s->form = T_NONBLOCKING;
    /* MPICH itself dereferences MPI_IN_PLACE in long messages to a root other than 0. */
    if (!T_OPEN_MPI && s->shape.kind == T_REDUCE && s->shape.elements > 400)
        s->shape.in_place = false;
    s->shape.root = t_below(rng, 64); /* of any communicator: taken modulo its size */
    s->open = s->form == T_NONBLOCKING || s->form == T_NONBLOCKING_LARGE ? t_below(rng, 8) : 0;
}

t_step t_step_draw(uint64_t seed, int number)
{
    static const t_what_step kinds[] = {T_COLLECTIVE, T_COLLECTIVE, T_COLLECTIVE, T_COLLECTIVE,
                                        T_COLLECTIVE, T_REDUCTION,  T_REDUCTION,  T_WRONG,
                                        T_MESSAGE,    T_RENEW};
    t_rng rng = t_seed(seed, (uint64_t)number, 9);
    t_step s = {.number = number, .seed = t_next(&rng)};
    s.what = kinds[t_below(&rng, (int)(sizeof kinds / sizeof *kinds))];
    s.comm = t_below(&rng, COMMS);
    if (threaded && t_below(&rng, 25) == 0)
        s.what = T_THREADS;
    if (s.what == T_COLLECTIVE)
        draw_collective(&s, &rng);
    if (s.what == T_REDUCTION)
        s.which = t_below(&rng, 1 << 20);
    if (s.what == T_WRONG) {
        s.comm = t_below(&rng, 2) ? REVERSED : WORLD;
        s.which = t_below(&rng, t_wrongs());
    }
    return s;
}

/* ---- completion ---- */

static void finish(pending *x, int code)
{
    x->to->class = class_of(code);
    x->to->hash ^= t_operation_hash(x->o);
    t_check(t_operation_wrong(x->o) == 0, "step %d: wrong contents", x->to->number);
    t_operation_end(x->o);
}

/* Completes what is due before a step, and others if no further one could be opened. */
static void complete_due(int number)
{
    for (int i = open_now - 1; i >= 0; i--) {
        if (opened[i].due > number && open_now < MOST_OPEN)
            continue;
        t_where("completion of step %d", opened[i].to->number);
        finish(&opened[i], MPI_Wait(&opened[i].request, MPI_STATUS_IGNORE));
        opened[i] = opened[--open_now];
    }
}

/* ---- steps ---- */

static void run_persistent(t_operation *o, const t_step *s, outcome *to)
{
    MPI_Request request;
    int code = t_operation_call(o, s->form, &request);
    for (int start = 0; start < 3 && code == MPI_SUCCESS; start++) {
        t_operation_refill(o, s->seed + (uint64_t)start);
        MPI_Start(&request);
        code = MPI_Wait(&request, MPI_STATUS_IGNORE);
        to->hash = to->hash * 31 + t_operation_hash(o);
        t_check(t_operation_wrong(o) == 0, "step %d, start %d: wrong contents", s->number, start);
    }
    if (code == MPI_SUCCESS)
        MPI_Request_free(&request);
    finish(&(pending){.o = o, .to = to}, code);
}

static void run_collective(const t_step *s, outcome *to)
{
    t_shape shape = s->shape;
    shape.root %= size_of(s->comm);
    t_operation *o = t_operation_new(&shape, t_comms[s->comm].comm, s->seed);
    pending *x = &opened[open_now];
    if (t_form_persists(s->form)) {
        run_persistent(o, s, to);
        return;
    }
    *x = (pending){.o = o, .due = s->number + 1 + s->open, .to = to, .request = MPI_REQUEST_NULL};
    const int code = t_operation_call(o, s->form, &x->request);
    if (s->form == T_BLOCKING || code != MPI_SUCCESS)
        finish(x, code);
    else
        open_now++;
}

/* Bits of results do not depend on the order of these operands. */
static void run_reduction(const t_step *s, outcome *to)
{
    enum { COUNT = 40 };
    const t_operand *od = t_operand_get(s->which % (t_operands() - t_user_operands()));
    const MPI_Comm comm = t_comms[s->comm].comm;
    const int p = size_of(s->comm), count = 1 + (int)(s->seed % COUNT), root = s->which % p;
    MPI_Aint low, extent;
    int r, code;
    MPI_Comm_rank(comm, &r);
    MPI_Type_get_extent(od->type, &low, &extent);
    const size_t bytes = (size_t)extent * COUNT;
    void *in = t_alloc(bytes), *out = t_alloc(bytes);
    t_operand_fill(od, in, count, s->seed, r);
    switch (s->seed >> 32 & 3) {
    case 0:
        code = MPI_Reduce(in, out, count, od->type, od->op, root, comm);
        break;
    case 1:
        code = MPI_Scan(in, out, count, od->type, od->op, comm);
        break;
    case 2:
        memcpy(out, in, bytes);
        code = MPI_Allreduce(MPI_IN_PLACE, out, count, od->type, od->op, comm);
        break;
    default:
        code = MPI_Allreduce(in, out, count, od->type, od->op, comm);
    }
    t_operand_blank(od, out, count);
    *to = (outcome){s->number, class_of(code), hash_bytes(out, bytes)};
    free(in);
    free(out);
}

static void run_wrong(const t_step *s, outcome *to)
{
    if (t_wrong_noticed(s->which))
        to->class = class_of(t_wrong_call(s->which, &t_mpi, t_comms[s->comm].comm));
}

static void run_message(const t_step *s, outcome *to)
{
    enum { MOST = 8000 };
    const MPI_Comm comm = t_comms[s->comm].comm;
    const int p = size_of(s->comm), bytes = (int)(s->seed % MOST);
    char *out = t_alloc(MOST), *in = t_alloc(MOST);
    int r;
    MPI_Comm_rank(comm, &r);
    t_bytes(s->seed + (uint64_t)r, out, (size_t)bytes);
    to->class = class_of(MPI_Sendrecv(out, bytes, MPI_BYTE, (r + 1) % p, 3, in, MOST, MPI_BYTE,
                                      (r + p - 1) % p, 3, comm, MPI_STATUS_IGNORE));
    to->hash = hash_bytes(in, MOST);
    free(in);
    free(out);
}

/* Open MPI itself crashes if calls are open on the communicator. */
static void run_renew(const t_step *s)
{
    MPI_Comm dup;
    complete_due(s->number + MOST_STEPS);
    MPI_Comm_dup(s->seed & 1 ? t_comms[REVERSED].comm : MPI_COMM_WORLD, &dup);
    MPI_Comm_set_errhandler(dup, MPI_ERRORS_RETURN);
    MPI_Comm_free(&t_comms[RENEWED].comm);
    t_comms[RENEWED].comm = dup;
}

typedef struct {
    pthread_t id;
    MPI_Comm comm;
    uint64_t seed;
    long wrong;
} worker;

static void *work(void *argument)
{
    worker *w = argument;
    w->wrong = t_exercise_all(w->comm, w->seed, 30);
    return NULL;
}

static void run_threads(const t_step *s, outcome *to)
{
    worker workers[2];
    for (int i = 0; i < 2; i++) {
        workers[i] = (worker){.seed = s->seed + (uint64_t)i};
        MPI_Comm_dup(MPI_COMM_WORLD, &workers[i].comm);
    }
    for (int i = 0; i < 2; i++)
        if (pthread_create(&workers[i].id, NULL, work, &workers[i]) != 0)
            t_die("no thread");
    for (int i = 0; i < 2; i++) {
        pthread_join(workers[i].id, NULL);
        to->hash += (uint64_t)workers[i].wrong;
        MPI_Comm_free(&workers[i].comm);
    }
    t_check(to->hash == 0, "step %d: wrong values in threads", s->number);
}

void t_step_run(const t_step *s)
{
    if (done == MOST_STEPS)
        t_die("more than %d steps", MOST_STEPS);
    outcome *to = &outcomes[done++];
    *to = (outcome){.number = s->number};
    complete_due(s->number);
    t_where("step %d", s->number);
    if (s->what == T_COLLECTIVE)
        run_collective(s, to);
    else if (s->what == T_REDUCTION)
        run_reduction(s, to);
    else if (s->what == T_WRONG)
        run_wrong(s, to);
    else if (s->what == T_MESSAGE)
        run_message(s, to);
    else if (s->what == T_RENEW)
        run_renew(s);
    else
        run_threads(s, to);
    if (spoiled && strcmp(spoiled, what_names[s->what]) == 0)
        to->hash++;
}

/* ---- the whole program ---- */

void t_steps_begin(int *argc, char ***argv, bool threads)
{
    int provided;
    t_fake_hosts();
    MPI_Init_thread(argc, argv, threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
    t_start(100);
    threaded = threads && provided == MPI_THREAD_MULTIPLE;
    spoiled = getenv("TEST_SPOIL");
    t_exercise_begin();
    t_comms_make(true);
    t_point("random program");
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    for (int i = 0; i < COMMS; i++)
        MPI_Comm_set_errhandler(t_comms[i].comm, MPI_ERRORS_RETURN);
}

/* The outcomes of all ranks as one. */
static void merge(const outcome *of, int rank)
{
    for (int i = 0; i < done; i++) {
        outcomes[i].hash = outcomes[i].hash * 1099511628211u + of[i].hash;
        if (outcomes[i].class == MPI_SUCCESS)
            outcomes[i].class = of[i].class;
        if (of[i].number != outcomes[i].number)
            t_die("rank %d has other steps", rank);
    }
}

static void print_outcomes(void)
{
    const int bytes = (int)(sizeof *outcomes * (size_t)done);
    outcome *other = t_alloc(sizeof outcomes);
    for (int r = 1; r < t_ranks && t_rank == 0; r++) {
        MPI_Recv(other, bytes, MPI_BYTE, r, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        merge(other, r);
    }
    if (t_rank > 0)
        MPI_Send(outcomes, bytes, MPI_BYTE, 0, 4, MPI_COMM_WORLD);
    for (int i = 0; i < done && t_rank == 0; i++)
        printf("step %d %016llx %d\n", outcomes[i].number, (unsigned long long)outcomes[i].hash,
               outcomes[i].class);
    free(other);
}

int t_steps_end(void)
{
    complete_due(2 * MOST_STEPS);
    print_outcomes();
    t_comms_free();
    t_operands_free();
    t_exercise_end();
    const int code = t_finish();
    MPI_Finalize();
    return code;
}
