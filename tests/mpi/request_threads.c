/* request_threads.c - nonblocking and persistent collectives with the thread levels of MPI.
 *
 *     request_threads single|funneled|serialized|multiple
 *
 * multiple: threads have communicators of their own, and requests are started in one thread and
 * completed in another, thousands at a time.  serialized: with one thread at a time inside of MPI,
 * and few requests. */
#include "completion.h"
#include "operation.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { THREADS = 3, ROUNDS = 30, QUEUE = 8 };

static pthread_mutex_t inside = PTHREAD_MUTEX_INITIALIZER;
static bool serialize;

static void enter(void)
{
    if (serialize)
        pthread_mutex_lock(&inside);
}

static void leave(void)
{
    if (serialize)
        pthread_mutex_unlock(&inside);
}

/* ---- each thread with a communicator of its own ---- */

typedef struct {
    pthread_t id;
    MPI_Comm comm;
    int number;
    long wrong;
} worker;

/* A blocking wait would keep the other threads of a serialized program out, and the collectives of
 * ranks whose threads enter in another order would wait for each other: polled instead. */
static void wait_politely(MPI_Request *request)
{
    int done = 0;
    while (!done) {
        enter();
        MPI_Test(request, &done, MPI_STATUS_IGNORE);
        leave();
        if (!done)
            sched_yield();
    }
}

static t_operation *make(MPI_Comm comm, int kind, uint64_t seed)
{
    int p;
    MPI_Comm_size(comm, &p);
    const t_shape shape = t_shape_random(kind, seed, p, seed % 5 ? 100 : 8000);
    return t_operation_new(&shape, comm, seed);
}

static void *work(void *argument)
{
    worker *w = argument;
    for (int i = 0; i < ROUNDS; i++) {
        t_operation *o[2];
        MPI_Request requests[2];
        enter();
        for (int k = 0; k < 2; k++) {
            o[k] = make(w->comm, (i + 5 * k) % T_WITHOUT_TOPOLOGY, (uint64_t)(100 * i + k));
            t_operation_call(o[k], T_NONBLOCKING, &requests[k]);
        }
        leave();
        wait_politely(&requests[1]);
        wait_politely(&requests[0]);
        enter();
        w->wrong += t_operation_end(o[0]) + t_operation_end(o[1]);
        leave();
    }
    return NULL;
}

/* Waits in blocking calls while other threads make progress with theirs. */
static void *work_blocking(void *argument)
{
    worker *w = argument;
    t_rng rng = t_seed(1, (uint64_t)w->number, (uint64_t)t_rank);
    for (int i = 0; i < ROUNDS; i++) {
        t_operation *o[4];
        MPI_Request requests[4];
        for (int k = 0; k < 4; k++) {
            o[k] = make(w->comm, (i + 3 * k) % T_WITHOUT_TOPOLOGY, (uint64_t)(200 * i + k));
            t_operation_call(o[k], T_NONBLOCKING, &requests[k]);
        }
        MPI_Barrier(w->comm);
        w->wrong += t_complete(i % T_MEANS, 4, requests, NULL, &rng);
        for (int k = 0; k < 4; k++)
            w->wrong += t_operation_end(o[k]);
    }
    return NULL;
}

/* Communicators are freed when no other thread is inside of MPI any more. */
static void own_communicators(const char *name, void *(*body)(void *))
{
    worker workers[THREADS];
    t_point(name);
    for (int i = 0; i < THREADS; i++) {
        workers[i] = (worker){.number = i};
        MPI_Comm_split(MPI_COMM_WORLD, 0, i % 2 ? -t_rank : t_rank, &workers[i].comm);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_create(&workers[i].id, NULL, body, &workers[i]);
    for (int i = 0; i < THREADS; i++)
        pthread_join(workers[i].id, NULL);
    for (int i = 0; i < THREADS; i++) {
        t_check(workers[i].wrong == 0, "thread %d: %ld wrong values", i, workers[i].wrong);
        MPI_Comm_free(&workers[i].comm);
    }
}

/* ---- started in one thread, completed in another ---- */

static struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    t_operation *o[QUEUE];
    MPI_Request requests[QUEUE];
    int first, n;
    bool persists[QUEUE];
} queue = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

static void push(t_operation *o, MPI_Request request, bool persists)
{
    pthread_mutex_lock(&queue.lock);
    while (queue.n == QUEUE)
        pthread_cond_wait(&queue.changed, &queue.lock);
    const int at = (queue.first + queue.n++) % QUEUE;
    queue.o[at] = o;
    queue.requests[at] = request;
    queue.persists[at] = persists;
    pthread_cond_broadcast(&queue.changed);
    pthread_mutex_unlock(&queue.lock);
}

static t_operation *pop(MPI_Request *request, bool *persists)
{
    pthread_mutex_lock(&queue.lock);
    while (queue.n == 0)
        pthread_cond_wait(&queue.changed, &queue.lock);
    const int at = queue.first;
    t_operation *o = queue.o[at];
    *request = queue.requests[at];
    *persists = queue.persists[at];
    queue.first = (queue.first + 1) % QUEUE;
    queue.n--;
    pthread_cond_broadcast(&queue.changed);
    pthread_mutex_unlock(&queue.lock);
    return o;
}

static void *complete_queued(void *argument)
{
    long *wrong = argument;
    MPI_Request request;
    t_operation *o;
    bool persists;
    while ((o = pop(&request, &persists))) {
        wait_politely(&request);
        enter();
        if (persists)
            MPI_Request_free(&request);
        *wrong += t_operation_end(o);
        leave();
    }
    return NULL;
}

static void handed_over(MPI_Comm comm)
{
    pthread_t id;
    long wrong = 0;
    t_point("started in one thread, completed in another");
    pthread_create(&id, NULL, complete_queued, &wrong);
    for (int i = 0; i < 4 * ROUNDS; i++) {
        MPI_Request request;
        const t_form form =
            i % 4 == 3 && t_form_exists(T_PERSISTENT) ? T_PERSISTENT : T_NONBLOCKING;
        enter();
        t_operation *o = make(comm, i % T_WITHOUT_TOPOLOGY, (uint64_t)i);
        t_operation_call(o, form, &request);
        if (t_form_persists(form))
            MPI_Start(&request);
        leave();
        push(o, request, t_form_persists(form));
    }
    push(NULL, MPI_REQUEST_NULL, false);
    pthread_join(id, NULL);
    t_check(wrong == 0, "%ld wrong values", wrong);
}

/* ---- thousands open: threads start them all, then complete those of each other ---- */

enum { EACH = 700, OPEN = THREADS * EACH, CHUNK = 20 };

static struct {
    pthread_barrier_t started;
    t_operation *o[OPEN];
    MPI_Request requests[OPEN];
    int order[OPEN];
    _Atomic int next; /* of the order */
} pool;

static void complete_chunk(worker *w, t_rng *rng, int first)
{
    MPI_Request requests[CHUNK];
    for (int i = 0; i < CHUNK; i++)
        requests[i] = pool.requests[pool.order[first + i]];
    w->wrong += t_complete(first / CHUNK % T_MEANS, CHUNK, requests, NULL, rng);
    for (int i = 0; i < CHUNK; i++)
        w->wrong += t_operation_end(pool.o[pool.order[first + i]]);
}

/* Rank 0 starts last, so that all calls of the others are open at the same time. */
static void *work_together(void *argument)
{
    worker *w = argument;
    if (t_rank == 0)
        usleep(100000);
    t_rng rng = t_seed(2, (uint64_t)w->number, (uint64_t)t_rank);
    for (int i = 0, at = w->number * EACH; i < EACH; i++, at++) {
        const t_shape shape = t_shape_random(i % T_WITHOUT_TOPOLOGY, (uint64_t)at, t_ranks, 10);
        pool.o[at] = t_operation_new(&shape, w->comm, (uint64_t)at);
        t_operation_call(pool.o[at], T_NONBLOCKING, &pool.requests[at]);
    }
    pthread_barrier_wait(&pool.started);
    for (int first; (first = atomic_fetch_add(&pool.next, CHUNK)) < OPEN;)
        complete_chunk(w, &rng, first);
    return NULL;
}

static void thousands(void)
{
    t_rng rng = t_seed(3, 0, (uint64_t)t_rank);
    pthread_barrier_init(&pool.started, NULL, THREADS);
    t_shuffle(&rng, pool.order, OPEN);
    own_communicators("2100 open calls of 3 threads, completed by other threads", work_together);
    pthread_barrier_destroy(&pool.started);
}

/* ---- one thread inside of MPI, others compute ---- */

static void *compute(void *argument)
{
    volatile long *sum = argument;
    for (long i = 0; i < 2000000; i++)
        *sum += i;
    return NULL;
}

static void only_main(MPI_Comm comm, bool with_thread)
{
    pthread_t id;
    long sum = 0;
    worker w = {.comm = comm};
    t_point("calls of the main thread, while another one computes if the level permits it");
    if (with_thread)
        pthread_create(&id, NULL, compute, &sum);
    work(&w);
    work_blocking(&w);
    if (with_thread)
        pthread_join(id, NULL);
    t_check(w.wrong == 0, "%ld wrong values", w.wrong);
}

/* ---- levels ---- */

static const struct {
    const char *name;
    int level;
} levels[] = {{"single", MPI_THREAD_SINGLE},
              {"funneled", MPI_THREAD_FUNNELED},
              {"serialized", MPI_THREAD_SERIALIZED},
              {"multiple", MPI_THREAD_MULTIPLE}};

static int level_named(const char *name)
{
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++)
        if (!strcmp(levels[i].name, name))
            return levels[i].level;
    return MPI_THREAD_MULTIPLE;
}

static void run(int level)
{
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    only_main(comm, level > MPI_THREAD_SINGLE);
    if (level >= MPI_THREAD_SERIALIZED) {
        handed_over(comm);
        own_communicators("threads with communicators of their own", work);
    }
    if (level == MPI_THREAD_MULTIPLE)
        own_communicators("threads that block", work_blocking);
    if (level == MPI_THREAD_MULTIPLE)
        thousands();
    MPI_Comm_free(&comm);
}

int main(int argc, char **argv)
{
    int provided;
    const int level = level_named(argc > 1 ? argv[1] : "multiple");
    MPI_Init_thread(&argc, &argv, level, &provided);
    t_start(100);
    serialize = level == MPI_THREAD_SERIALIZED;
    if (provided < level) {
        t_point("thread level");
        t_skip("this MPI does not provide it");
    } else {
        run(level);
    }
    const int code = t_finish();
    MPI_Finalize();
    return code;
}
