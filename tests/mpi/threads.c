/* threads.c - MPI_THREAD_MULTIPLE: every thread calls collectives on its own communicator. */
#include "exercise.h"

#include <pthread.h>
#include <stdlib.h>

enum { THREADS = 3, ROUNDS = 25 };

typedef struct {
    pthread_t id;
    MPI_Comm comm;
    int number;
    long wrong;
} worker;

static void *work(void *argument)
{
    worker *w = argument;
    for (int i = 0; i < ROUNDS; i++)
        w->wrong += t_exercise_all(w->comm, (uint64_t)(1000 * w->number + i), 20 << (i % 6));
    return NULL;
}

/* Threads create and free communicators while others are in collectives. */
static void *churn(void *argument)
{
    worker *w = argument;
    for (int i = 0; i < ROUNDS; i++) {
        MPI_Comm dup;
        MPI_Comm_dup(w->comm, &dup);
        w->wrong += t_exercise(12, dup, (uint64_t)(77 * w->number + i), 50);
        w->wrong += t_exercise(1, dup, (uint64_t)(78 * w->number + i), 50);
        MPI_Comm_free(&dup);
    }
    return NULL;
}

static void run(const char *name, void *(*body)(void *))
{
    worker workers[THREADS];
    t_point(name);
    for (int i = 0; i < THREADS; i++) {
        workers[i] = (worker){.number = i};
        MPI_Comm_split(MPI_COMM_WORLD, 0, i % 2 ? -t_rank : t_rank, &workers[i].comm);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_create(&workers[i].id, NULL, body, &workers[i]);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(workers[i].id, NULL);
        t_check(workers[i].wrong == 0, "thread %d: %ld wrong values", i, workers[i].wrong);
        MPI_Comm_free(&workers[i].comm);
    }
}

int main(int argc, char **argv)
{
    int provided, still;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    t_start(100);
    t_exercise_begin();
    if (provided < MPI_THREAD_MULTIPLE) {
        t_point("collectives of threads on different communicators");
        t_skip("this MPI does not provide MPI_THREAD_MULTIPLE");
    } else {
        run("collectives of threads on different communicators", work);
        run("collectives of threads that create and free communicators", churn);
    }
    MPI_Query_thread(&still);
    t_point("MPI_Query_thread returns the level of MPI_Init_thread");
    t_check(still == provided, "%d instead of %d", still, provided);
    t_exercise_end();
    const int code = t_finish();
    MPI_Finalize();
    return code;
}
