/* exchange.c - see exchange.h. */
#include "exec/exchange.h"

#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "exec/traffic.h"

/* Messages of a pair arrive in order, and a rank receives all that are meant for it before it
 * leaves, so the program cannot receive them, whatever its tags are. */
enum { TAG = 0 };

/* ---- all to all ---- */

static void reverse(char *blocks, int n, size_t bytes)
{
    for (int i = 0; i < n / 2; i++) {
        char *const a = blocks + (size_t)i * bytes, *const b = blocks + (size_t)(n - 1 - i) * bytes;
        for (size_t k = 0; k < bytes; k++) {
            const char held = a[k];
            a[k] = b[k];
            b[k] = held;
        }
    }
}

/* The block at 0 comes to `by`; in place. */
static void rotate(char *blocks, int n, int by, size_t bytes)
{
    reverse(blocks, n - by, bytes);
    reverse(blocks + (size_t)(n - by) * bytes, by, bytes);
    reverse(blocks, n, bytes);
}

/* With the blocks of ranks r .. r + k - 1, this rank sends them to rank r - k and receives as many
 * from rank r + k. */
int atn_exec_exchange(const void *own, int bytes, void *all, MPI_Comm comm)
{
    char *const blocks = all;
    int p, r, code = MPI_SUCCESS;

    PMPI_Comm_size(comm, &p);
    PMPI_Comm_rank(comm, &r);
    memcpy(blocks, own, (size_t)bytes);
    for (int k = 1; k < p && code == MPI_SUCCESS; k *= 2) {
        const int n = atn_min(k, p - k) * bytes;
        code = PMPI_Sendrecv(blocks, n, MPI_BYTE, (r - k + p) % p, TAG,
                             blocks + (size_t)k * (size_t)bytes, n, MPI_BYTE, (r + k) % p, TAG,
                             comm, MPI_STATUS_IGNORE);
        atn_exec_traffic_message(n);
    }
    rotate(blocks, p, r, (size_t)bytes);
    return code;
}

/* ---- all to rank 0 ---- */

enum { PORTION = 1 << 30 };

static void send(const void *data, int64_t bytes, int to, MPI_Comm comm)
{
    const char *at = data;

    for (int64_t left = bytes; left > 0; left -= PORTION, at += PORTION) {
        const int n = (int)(left < PORTION ? left : PORTION);
        PMPI_Send(at, n, MPI_BYTE, to, TAG, comm);
        atn_exec_traffic_message(n);
    }
}

static void receive(void *data, int64_t bytes, int from, MPI_Comm comm)
{
    char *at = data;

    for (int64_t left = bytes; left > 0; left -= PORTION, at += PORTION)
        PMPI_Recv(at, (int)(left < PORTION ? left : PORTION), MPI_BYTE, from, TAG, comm,
                  MPI_STATUS_IGNORE);
}

/* The sender waits until there is memory for its data. */
static void take(const atn_collection *x, int from, MPI_Comm comm)
{
    int64_t bytes = 0;

    receive(&bytes, sizeof bytes, from, comm);
    if (bytes == 0)
        return;
    char *const data = malloc((size_t)bytes);
    const char room = data != NULL;
    send(&room, sizeof room, from, comm);
    if (room)
        receive(data, bytes, from, comm);
    x->take(x->context, data, bytes);
    free(data);
}

static void give(const atn_collection *x, int to, MPI_Comm comm)
{
    int64_t bytes = 0;
    const char *const data = x->give(x->context, &bytes);
    char room = 0;

    send(&bytes, sizeof bytes, to, comm);
    if (bytes == 0)
        return;
    receive(&room, sizeof room, to, comm);
    if (room)
        send(data, bytes, to, comm);
}

void atn_exec_team_collect(const atn_collection *x, const atn_team *t)
{
    int k = 1;

    for (; k < t->n && (t->own & k) == 0; k *= 2)
        if (t->own + k < t->n)
            take(x, t->rank_of(t->context, t->own + k), t->comm);
    if (t->own != 0)
        give(x, t->rank_of(t->context, t->own - k), t->comm);
}

static int same_rank(const void *context, int i)
{
    (void)context;
    return i;
}

void atn_exec_collect(const atn_collection *x, MPI_Comm comm)
{
    atn_team all = {.comm = comm, .rank_of = same_rank};

    PMPI_Comm_size(comm, &all.n);
    PMPI_Comm_rank(comm, &all.own);
    atn_exec_team_collect(x, &all);
}

/* Along the same tree. */
void atn_exec_team_spread(int *value, const atn_team *t)
{
    int k = 1;

    while (k < t->n && (t->own & k) == 0)
        k *= 2;
    if (t->own != 0)
        receive(value, sizeof *value, t->rank_of(t->context, t->own - k), t->comm);
    for (k /= 2; k > 0; k /= 2)
        if (t->own + k < t->n)
            send(value, sizeof *value, t->rank_of(t->context, t->own + k), t->comm);
}
