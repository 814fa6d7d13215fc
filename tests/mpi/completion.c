#include "completion.h"

#include <stdlib.h>
#include <string.h>

/* Requests under way.  One that is reported becomes MPI_REQUEST_NULL in `left`. */
typedef struct {
    int n, open, bad, *indices;
    MPI_Request *left, *requests;
    bool *reported;
    MPI_Status *statuses;
    t_rng *rng;
} array;

static void report(array *a, int i)
{
    if (i < 0 || i >= a->n || a->reported[i]) {
        a->bad++;
        return;
    }
    a->reported[i] = true;
    a->requests[i] = a->left[i];
    a->left[i] = MPI_REQUEST_NULL;
    a->open--;
}

static void report_open(array *a)
{
    for (int i = 0; i < a->n; i++)
        if (!a->reported[i])
            report(a, i);
}

static void report_indices(array *a, int n)
{
    if (n == MPI_UNDEFINED) {
        a->bad += a->open > 0;
        a->open = 0;
        return;
    }
    for (int k = 0; k < n; k++)
        report(a, a->indices[k]);
}

static int any_open(const array *a)
{
    int i = t_below(a->rng, a->n);
    while (a->reported[i])
        i = (i + 1) % a->n;
    return i;
}

/* ---- one step each ---- */

static void by_wait(array *a)
{
    const int i = any_open(a);
    MPI_Wait(&a->left[i], &a->statuses[i]);
    report(a, i);
}

static void by_wait_backwards(array *a)
{
    int i = a->n - 1;
    while (a->reported[i])
        i--;
    MPI_Wait(&a->left[i], MPI_STATUS_IGNORE);
    report(a, i);
}

static void by_waitall(array *a)
{
    MPI_Waitall(a->n, a->left, a->statuses);
    report_open(a);
}

static void by_waitall_ignoring(array *a)
{
    MPI_Waitall(a->n, a->left, MPI_STATUSES_IGNORE);
    report_open(a);
}

static void by_waitany(array *a)
{
    int i;
    MPI_Waitany(a->n, a->left, &i, &a->statuses[0]);
    report(a, i);
}

static void by_waitsome(array *a)
{
    int n;
    MPI_Waitsome(a->n, a->left, &n, a->indices, a->statuses);
    report_indices(a, n);
}

static void by_test(array *a)
{
    int done, i = any_open(a);
    MPI_Test(&a->left[i], &done, &a->statuses[i]);
    if (done)
        report(a, i);
}

static void by_testall(array *a)
{
    int done;
    MPI_Testall(a->n, a->left, &done, a->statuses);
    if (done)
        report_open(a);
}

static void by_testany(array *a)
{
    int done, i;
    MPI_Testany(a->n, a->left, &i, &done, &a->statuses[0]);
    if (done)
        report(a, i);
}

static void by_testsome(array *a)
{
    int n;
    MPI_Testsome(a->n, a->left, &n, a->indices, a->statuses);
    report_indices(a, n);
}

/* The request stays valid until the test that follows, which must succeed. */
static void by_get_status(array *a)
{
    int done, i = any_open(a);
    MPI_Request_get_status(a->left[i], &done, &a->statuses[i]);
    if (!done)
        return;
    MPI_Test(&a->left[i], &done, &a->statuses[i]);
    a->bad += !done;
    if (done)
        report(a, i);
}

static const struct {
    const char *name;
    void (*step)(array *a);
} table[T_MEANS] = {
    {"MPI_Wait in random order", by_wait},
    {"MPI_Wait in reverse order", by_wait_backwards},
    {"MPI_Waitall", by_waitall},
    {"MPI_Waitall without statuses", by_waitall_ignoring},
    {"MPI_Waitany", by_waitany},
    {"MPI_Waitsome", by_waitsome},
    {"MPI_Test", by_test},
    {"MPI_Testall", by_testall},
    {"MPI_Testany", by_testany},
    {"MPI_Testsome", by_testsome},
    {"MPI_Request_get_status", by_get_status},
};

bool t_means_persists(int means, bool served)
{
    return T_OPEN_MPI || served || table[means].step != by_testall;
}

const char *t_means_name(int means) { return table[means].name; }

/* Nothing is left: the routines return at once, with an empty answer. */
static int answers_when_empty(array *a)
{
    int i = 0, done = 0, some = 0, bad = 0;
    MPI_Waitany(a->n, a->left, &i, MPI_STATUS_IGNORE);
    bad += i != MPI_UNDEFINED;
    MPI_Testsome(a->n, a->left, &some, a->indices, MPI_STATUSES_IGNORE);
    bad += some != MPI_UNDEFINED;
    MPI_Testall(a->n, a->left, &done, MPI_STATUSES_IGNORE);
    return bad + !done;
}

int t_complete(int means, int n, MPI_Request *requests, const bool *persists, t_rng *rng)
{
    const size_t room = (size_t)(n > 0 ? n : 1);
    array a = {.n = n, .requests = requests, .rng = rng};
    a.left = t_alloc(room * sizeof *a.left);
    a.reported = t_alloc(room * sizeof *a.reported);
    a.indices = t_alloc(room * sizeof *a.indices);
    a.statuses = t_alloc(room * sizeof *a.statuses);
    memcpy(a.left, requests, (size_t)n * sizeof *requests);
    for (int i = 0; i < n; i++) {
        a.reported[i] = requests[i] == MPI_REQUEST_NULL;
        a.open += !a.reported[i];
    }
    while (a.open > 0)
        table[means].step(&a);
    for (int i = 0; i < n; i++)
        a.bad += (requests[i] != MPI_REQUEST_NULL) != (persists && persists[i]);
    a.bad += answers_when_empty(&a);
    free(a.left);
    free(a.reported);
    free(a.indices);
    free(a.statuses);
    return a.bad;
}
