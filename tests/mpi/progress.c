/* progress.c - nonblocking collectives advance while the process is inside any other MPI call.
 * Rank 0 starts collectives in which it has to forward data, and then blocks in a call that
 * returns only after the other ranks have completed them.
 *
 *     progress [FIRST]    every kind of blocking call, from number FIRST (0) on
 *     progress control    a barrier that advances only in its own wait: must hang in kind 0
 *
 * A kind that hangs is reported with its number, and ends the job; FIRST continues behind it.
 * TEST_SECONDS (8), times TEST_PATIENCE, is the limit of one kind.  TEST_MULTIPLE: with
 * MPI_THREAD_MULTIPLE. */
#include "progress.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { VECTOR = 20000, OPEN = 4, TOKEN_TAG = 9 };

static int kinds(void) { return p_kind_count + p_storage_kind_count; }
static const p_kind *kind(int i)
{
    return i < p_kind_count ? &p_kinds[i] : &p_storage_kinds[i - p_kind_count];
}

/* ---- limit of a kind ---- */

/* The limit of rank 0 is shorter, so that its message is printed before the launcher ends it. */
static void on_alarm(int signal_number)
{
    char line[200];
    (void)signal_number;
    snprintf(line, sizeof line, "not ok %d - %s: hangs\n", p_current,
             p_current < kinds() ? kind(p_current)->name : "MPI_Finalize");
    if (t_rank == 0 && write(1, line, strlen(line)) < 0)
        _exit(125);
    if (t_rank == 0)
        sleep(1); /* time for the launcher to read it */
    _exit(124);
}

static unsigned number(const char *name, unsigned otherwise)
{
    const char *text = getenv(name);
    return text ? (unsigned)atoi(text) : otherwise;
}

static void set_limit(void)
{
    alarm(number("TEST_SECONDS", 8) * number("TEST_PATIENCE", 1) + (t_rank > 0 ? 3 : 0));
}

/* ---- open collectives ---- */

static int ones[VECTOR], sums[VECTOR], small_sum, word;

static void start(MPI_Request *requests)
{
    memset(sums, 0, sizeof sums);
    small_sum = 0;
    word = t_rank == t_ranks - 1 ? 4711 : 0;
    MPI_Ibarrier(p_same, &requests[0]);
    MPI_Iallreduce(ones, &small_sum, 1, MPI_INT, MPI_SUM, p_same, &requests[1]);
    MPI_Iallreduce(ones, sums, VECTOR, MPI_INT, MPI_SUM, p_same, &requests[2]);
    MPI_Ibcast(&word, 1, MPI_INT, t_ranks - 1, p_same, &requests[3]);
}

static void complete(MPI_Request *requests)
{
    int wrong = 0;
    MPI_Waitall(OPEN, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < VECTOR; i++)
        wrong += sums[i] != t_ranks;
    p_expect(wrong, 0, "the number of wrong sums");
    p_expect(small_sum, t_ranks, "the small sum");
    p_expect(word, 4711, "the word");
}

/* The others start when rank 0 has started and is probably inside of its blocking call. */
static void run(const p_kind *k)
{
    MPI_Request requests[OPEN];
    char token = 0;
    if (k->before)
        k->before();
    if (t_rank == 0) {
        start(requests);
        for (int q = 1; q < t_ranks; q++)
            MPI_Send(&token, 1, MPI_CHAR, q, TOKEN_TAG, MPI_COMM_WORLD);
        k->blocked();
        complete(requests);
    } else {
        MPI_Recv(&token, 1, MPI_CHAR, 0, TOKEN_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        usleep(2000);
        start(requests);
        complete(requests);
        MPI_Barrier(p_others); /* so that the release depends on the completion of all */
        k->release();
    }
    if (k->after)
        k->after();
}

static bool can_run(const p_kind *k)
{
    const int library = T_OPEN_MPI ? P_NOT_OPEN_MPI : P_NOT_MPICH;
    if ((k->unless & library) == 0 || getenv("TEST_SERVED"))
        return true;
    if (t_rank == 0)
        printf("ok %d - %s # SKIP the library hangs\n", p_current, k->name);
    return false;
}

/* Prints at once, so that results remain when a later kind hangs. */
static void report(const char *name)
{
    long all = 0;
    MPI_Reduce(&p_failed, &all, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    if (t_rank == 0) {
        printf("%sok %d - %s\n", all ? "not " : "", p_current, name);
        fflush(stdout);
    }
}

/* ---- control: a barrier of two rounds that advances only in its own wait ---- */

static void control(void)
{
    char token[4] = {0};
    MPI_Request first[2];
    const int p = t_ranks;
    MPI_Isend(&token[0], 1, MPI_CHAR, (t_rank + 1) % p, 0, p_same, &first[0]);
    MPI_Irecv(&token[1], 1, MPI_CHAR, (t_rank + p - 1) % p, 0, p_same, &first[1]);
    if (t_rank == 0)
        p_receives();
    MPI_Waitall(2, first, MPI_STATUSES_IGNORE);
    MPI_Sendrecv(&token[2], 1, MPI_CHAR, (t_rank + 2) % p, 1, &token[3], 1, MPI_CHAR,
                 (t_rank + p - 2) % p, 1, p_same, MPI_STATUS_IGNORE);
    if (t_rank > 0)
        MPI_Barrier(p_others);
    p_partner_sends();
}

/* The root completes its part and finalizes at once; the others start later. */
static void finalize(void)
{
    static int data[VECTOR];
    MPI_Request request;
    MPI_Barrier(p_same);
    if (t_rank != 0)
        usleep(20000);
    MPI_Ibcast(data, 16, MPI_INT, 0, p_same, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Finalize();
    if (t_rank == 0)
        printf("ok %d - MPI_Finalize\n", p_current);
}

int main(int argc, char **argv)
{
    long all_failed = 0;
    int provided;
    MPI_Init_thread(&argc, &argv, getenv("TEST_MULTIPLE") ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE,
                    &provided);
    t_start(1000);
    signal(SIGALRM, on_alarm);
    const bool controls = argc > 1 && !strcmp(argv[1], "control");
    for (int i = 0; i < VECTOR; i++)
        ones[i] = 1;
    set_limit();
    p_begin();
    if (controls)
        control();
    for (p_current = argc > 1 ? atoi(argv[1]) : 0; p_current < kinds() && !controls; p_current++) {
        if (!can_run(kind(p_current)))
            continue;
        set_limit();
        run(kind(p_current));
        report(kind(p_current)->name);
        all_failed += p_failed;
        p_failed = 0;
    }
    set_limit();
    finalize();
    return all_failed > 0;
}
