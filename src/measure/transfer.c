/* transfer.c - see transfer.h. */
#include "measure/transfer.h"

#include <math.h>
#include <sched.h>
#include <stdlib.h>

#include "measure/quiet.h"

enum { WINDOW = 8 }; /* chunks under way */
enum { SERIES = 3, PINGS = 10 };
enum { TAG_ORDER, TAG_READY, TAG_GO, TAG_RESULT, TAG_DATA, TAG_PING, TAG_MEET };

typedef enum { STOP, TRANSFER, ASK, ANSWER } order_kind;

/* What rank 0 tells a rank. */
typedef struct {
    order_kind kind;
    int to, from; /* ranks to send to and to receive from; -1: none */
    int to_chunk, from_chunk;
} order;

typedef union {
    atn_arrivals arrivals;
    struct {
        double best, spread;
    } ping;
} result;

struct atn_stage {
    int p, r;
    MPI_Comm control, wire;
    double nap;
    char *send_buffer, *recv_buffer;
    order *orders;
};

/* ---- waiting ---- */

static void wait_awake(MPI_Request *request)
{
    int done = 0;
    while (!done) {
        MPI_Test(request, &done, MPI_STATUS_IGNORE);
        if (!done)
            sched_yield();
    }
}

static void hear(const atn_stage *s, void *data, size_t bytes, int from, int tag, double most)
{
    atn_hear(s->control, data, bytes, from, tag, most);
}

static void tell(const atn_stage *s, const void *data, size_t bytes, int to, int tag)
{
    atn_tell(s->control, data, bytes, to, tag);
}

/* ---- a transfer, seen from one end ---- */

typedef struct {
    int peer, chunk, posted, done;
    char *buffer;
    double *arrival; /* NULL: the sending end */
    MPI_Request requests[WINDOW];
} end;

static void post(const atn_stage *s, end *e, int slot)
{
    char *at = e->buffer + (size_t)slot * (size_t)e->chunk;
    if (e->posted == ATN_CHUNKS)
        return;
    e->posted++;
    if (e->arrival)
        MPI_Irecv(at, e->chunk, MPI_BYTE, e->peer, TAG_DATA, s->wire, &e->requests[slot]);
    else
        MPI_Isend(at, e->chunk, MPI_BYTE, e->peer, TAG_DATA, s->wire, &e->requests[slot]);
}

static void begin(const atn_stage *s, end *e)
{
    for (int i = 0; i < WINDOW; i++) {
        e->requests[i] = MPI_REQUEST_NULL;
        if (e->peer >= 0)
            post(s, e, i);
    }
    if (e->peer < 0)
        e->done = ATN_CHUNKS;
}

/* Takes what is complete; false: nothing was. */
static bool advance(const atn_stage *s, end *e, double start)
{
    int slots[WINDOW], n;
    if (e->done == ATN_CHUNKS)
        return false;
    MPI_Testsome(WINDOW, e->requests, &n, slots, MPI_STATUSES_IGNORE);
    for (int i = 0; n != MPI_UNDEFINED && i < n; i++) {
        if (e->arrival)
            e->arrival[e->done] = MPI_Wtime() - start;
        e->done++;
        post(s, e, slots[i]);
    }
    return n > 0;
}

/* Both ends of each transfer exchange a message, so that the connection exists. */
static void meet(const atn_stage *s, const order *o)
{
    MPI_Request requests[4];
    const int peers[2] = {o->to, o->from};
    int n = 0;
    for (int i = 0; i < 2; i++)
        if (peers[i] >= 0) {
            MPI_Isend(NULL, 0, MPI_BYTE, peers[i], TAG_MEET + i, s->wire, &requests[n++]);
            MPI_Irecv(NULL, 0, MPI_BYTE, peers[i], TAG_MEET + 1 - i, s->wire, &requests[n++]);
        }
    atn_wait_asleep(requests, n, atn_soon);
}

static void stream(const atn_stage *s, const order *o, atn_arrivals *arrivals)
{
    end out = {.peer = o->to, .chunk = o->to_chunk, .buffer = s->send_buffer};
    end in = {.peer = o->from,
              .chunk = o->from_chunk,
              .buffer = s->recv_buffer,
              .arrival = arrivals->arrival};
    const double start = MPI_Wtime();
    begin(s, &in);
    begin(s, &out);
    while (in.done < ATN_CHUNKS || out.done < ATN_CHUNKS) {
        const bool some = advance(s, &in, start);
        if (!advance(s, &out, start) && !some)
            atn_sleep(s->nap);
    }
}

/* ---- round trips ---- */

static void small(const atn_stage *s, int peer, bool send, char *more)
{
    MPI_Request request;
    if (send)
        MPI_Isend(more, 1, MPI_CHAR, peer, TAG_PING, s->wire, &request);
    else
        MPI_Irecv(more, 1, MPI_CHAR, peer, TAG_PING, s->wire, &request);
    wait_awake(&request);
}

static double there_and_back(const atn_stage *s, int peer, bool last)
{
    char more = !last;
    const double start = MPI_Wtime();
    small(s, peer, true, &more);
    small(s, peer, false, &more);
    return MPI_Wtime() - start;
}

/* The least of a series, which is cut short when the way is long. */
static double best_of_series(const atn_stage *s, int peer)
{
    const double start = MPI_Wtime();
    double least = INFINITY;
    for (int i = 0; i < PINGS && (i < 2 || MPI_Wtime() - start < 0.05); i++)
        least = fmin(least, there_and_back(s, peer, false));
    return least;
}

/* The first series makes the connection and does not count. */
static void ask(const atn_stage *s, int peer, double *best, double *spread)
{
    double worst = 0;
    *best = INFINITY;
    best_of_series(s, peer);
    for (int k = 0; k < SERIES; k++) {
        const double least = best_of_series(s, peer);
        *best = fmin(*best, least);
        worst = fmax(worst, least);
    }
    there_and_back(s, peer, true);
    *spread = worst - *best;
}

static void answer(const atn_stage *s, int peer)
{
    char more = 1;
    while (more) {
        small(s, peer, false, &more);
        small(s, peer, true, &more);
    }
}

/* ---- ranks other than 0 ---- */

static void obey(const atn_stage *s, const order *o)
{
    result res;
    if (o->kind == ANSWER) {
        answer(s, o->to);
        return;
    }
    if (o->kind == ASK) {
        ask(s, o->to, &res.ping.best, &res.ping.spread);
    } else {
        meet(s, o);
        tell(s, NULL, 0, 0, TAG_READY);
        hear(s, NULL, 0, 0, TAG_GO, atn_soon);
        stream(s, o, &res.arrivals);
    }
    if (o->kind == ASK || o->from >= 0)
        tell(s, &res, sizeof res, 0, TAG_RESULT);
}

void atn_stage_serve(atn_stage *s)
{
    for (;;) {
        order o;
        hear(s, &o, sizeof o, 0, TAG_ORDER, atn_some_time);
        if (o.kind == STOP)
            return;
        obey(s, &o);
    }
}

/* ---- rank 0 ---- */

static void give_orders(atn_stage *s, const atn_transfer *list, int n)
{
    for (int r = 0; r < s->p; r++)
        s->orders[r] = (order){.kind = TRANSFER, .to = -1, .from = -1};
    for (int i = 0; i < n; i++) {
        order *from = &s->orders[list[i].from], *to = &s->orders[list[i].to];
        from->to = list[i].to;
        from->to_chunk = list[i].chunk;
        to->from = list[i].from;
        to->from_chunk = list[i].chunk;
    }
}

static bool takes_part(const order *o) { return o->to >= 0 || o->from >= 0; }

void atn_stage_run(atn_stage *s, const atn_transfer *list, int n, atn_arrivals *arrivals)
{
    atn_arrivals own;
    give_orders(s, list, n);
    const order *mine = &s->orders[0];
    for (int r = 1; r < s->p; r++)
        if (takes_part(&s->orders[r]))
            tell(s, &s->orders[r], sizeof *s->orders, r, TAG_ORDER);
    if (takes_part(mine))
        meet(s, mine);
    for (int r = 1; r < s->p; r++)
        if (takes_part(&s->orders[r]))
            hear(s, NULL, 0, r, TAG_READY, atn_soon);
    for (int r = 1; r < s->p; r++)
        if (takes_part(&s->orders[r]))
            tell(s, NULL, 0, r, TAG_GO);
    if (takes_part(mine))
        stream(s, mine, &own);
    for (int i = 0; i < n; i++) {
        result res;
        if (list[i].to != 0)
            hear(s, &res, sizeof res, list[i].to, TAG_RESULT, atn_some_time);
        arrivals[i] = list[i].to != 0 ? res.arrivals : own;
    }
}

void atn_stage_ping(atn_stage *s, int a, int b, double *best, double *spread)
{
    if (b == 0) { /* it must be the one that asks */
        b = a;
        a = 0;
    }
    result res;
    tell(s, &(order){.kind = ANSWER, .to = a, .from = -1}, sizeof(order), b, TAG_ORDER);
    if (a == 0) {
        ask(s, b, best, spread);
        return;
    }
    tell(s, &(order){.kind = ASK, .to = b, .from = -1}, sizeof(order), a, TAG_ORDER);
    hear(s, &res, sizeof res, a, TAG_RESULT, atn_some_time);
    *best = res.ping.best;
    *spread = res.ping.spread;
}

void atn_stage_stop(atn_stage *s)
{
    for (int r = 1; r < s->p; r++)
        tell(s, &(order){.kind = STOP}, sizeof(order), r, TAG_ORDER);
}

/* ---- rates ---- */

/* A receiver that does not get the processor takes chunks later than they came, never earlier: what
 * counts is the lower convex hull of the times, taken as straight between its corners.  Only where
 * the rate does not change. */
static void straighten(double *at)
{
    int corner[ATN_CHUNKS], n = 0;
    for (int k = 0; k < ATN_CHUNKS; k++) {
        while (n >= 2 && (at[corner[n - 1]] - at[corner[n - 2]]) * (k - corner[n - 2]) >=
                             (at[k] - at[corner[n - 2]]) * (corner[n - 1] - corner[n - 2]))
            n--;
        corner[n++] = k;
    }
    for (int c = 1; c < n; c++) {
        const int from = corner[c - 1], to = corner[c];
        const double step = (at[to] - at[from]) / (to - from);
        for (int k = from + 1; k < to; k++)
            at[k] = at[from] + step * (k - from);
    }
}

/* Where the even part begins: chunks before it were waiting for the receiver. */
static int even_from(const double *at)
{
    const double step = (at[ATN_CHUNKS * 3 / 4] - at[ATN_CHUNKS / 4]) / (ATN_CHUNKS / 2);
    int k = 0;
    while (k < ATN_CHUNKS / 2 && at[k + 1] - at[k] < 0.6 * step)
        k++;
    return k;
}

/* Bits of a transfer that had come at some time; between chunks in proportion. */
static double arrived(const atn_transfer *t, const atn_arrivals *a, double when)
{
    int k = 0;
    while (k < ATN_CHUNKS && a->arrival[k] <= when)
        k++;
    double chunks = k;
    if (k > 0 && k < ATN_CHUNKS)
        chunks += (when - a->arrival[k - 1]) / (a->arrival[k] - a->arrival[k - 1]);
    return 8.0 * t->chunk * chunks;
}

static double rate_between(const atn_transfer *t, const atn_arrivals *a, double from, double to)
{
    return (arrived(t, a, to) - arrived(t, a, from)) / fmax(1e-9, to - from);
}

double atn_transfer_rates(const atn_transfer *list, int n, atn_arrivals *arrivals, double *rates)
{
    double all_begun = 0, one_done = INFINITY, shortest = INFINITY;
    for (int i = 0; i < n; i++) {
        double *at = arrivals[i].arrival;
        if (n == 1)
            straighten(at);
        all_begun = fmax(all_begun, at[even_from(at)]);
        one_done = fmin(one_done, at[ATN_CHUNKS - 1]);
        shortest = fmin(shortest, at[ATN_CHUNKS - 1] - at[0]);
    }
    if (n == 1) /* only the middle: both ends may suffer */
        one_done = arrivals[0].arrival[ATN_CHUNKS * 7 / 8];
    const bool together = one_done > all_begun;
    for (int i = 0; i < n; i++) {
        const double *at = arrivals[i].arrival;
        rates[i] = rate_between(&list[i], &arrivals[i], together ? all_begun : at[0],
                                together ? one_done : at[ATN_CHUNKS - 1]);
    }
    return together ? (one_done - all_begun) / fmax(1e-9, shortest) : 0;
}

/* ---- the stage ---- */

atn_stage *atn_stage_new(MPI_Comm comm, int max_chunk, double nap)
{
    atn_stage *s = calloc(1, sizeof *s);
    const size_t bytes = (size_t)max_chunk * WINDOW;
    int ok, all_ok;
    if (s) {
        MPI_Comm_size(comm, &s->p);
        s->orders = malloc(sizeof *s->orders * (size_t)s->p);
        s->send_buffer = calloc(1, bytes);
        s->recv_buffer = calloc(1, bytes);
        s->nap = nap;
    }
    ok = s && s->orders && s->send_buffer && s->recv_buffer;
    MPI_Allreduce(&ok, &all_ok, 1, MPI_INT, MPI_MIN, comm);
    if (!all_ok) {
        if (s) {
            free(s->orders);
            free(s->send_buffer);
            free(s->recv_buffer);
        }
        free(s);
        return NULL;
    }
    MPI_Comm_rank(comm, &s->r);
    MPI_Comm_dup(comm, &s->control);
    MPI_Comm_dup(comm, &s->wire);
    return s;
}

void atn_stage_free(atn_stage *s)
{
    if (!s)
        return;
    MPI_Comm_free(&s->control);
    MPI_Comm_free(&s->wire);
    free(s->orders);
    free(s->send_buffer);
    free(s->recv_buffer);
    free(s);
}
