/* microbench.c - see microbench.h. */
#include "measure/microbench.h"

#include <string.h>
#include <sys/resource.h>

#include "exec/wait.h"
#include "kernel/kernel.h"
#include "measure/coordinator.h"
#include "measure/microbench_shared.h"

enum { TAG = 1, WINDOW = 8 };

typedef atn_mb_participant participant;

/* ---- messages ---- */

size_t atn_measure_message_at(const atn_mb_participant *x, int slot)
{
    const size_t bytes = ((size_t)x->b->bytes + 63) / 64 * 64 + 64;
    return (x->m->next + (size_t)slot * bytes) % (x->m->area - bytes + 1) / 64 * 64;
}

static void next_message(const participant *x)
{
    if (x->m->off_cache)
        x->m->next = atn_measure_message_at(x, 1);
}

static void start_send(const participant *x, int to, int64_t bytes, int slot, MPI_Request *request)
{
    MPI_Isend(x->m->out + atn_measure_message_at(x, slot), (int)bytes, MPI_BYTE, x->b->rank[to],
              TAG, x->m->comm, request);
}

static void start_recv(const participant *x, int from, int64_t bytes, int slot,
                       MPI_Request *request)
{
    MPI_Irecv(x->m->in + atn_measure_message_at(x, slot), (int)bytes, MPI_BYTE, x->b->rank[from],
              TAG, x->m->comm, request);
}

static void wait_for(const participant *x, int n, MPI_Request *requests)
{
    atn_exec_wait_all(x->m->yield, n, requests);
}

static void send_to(const participant *x, int to, int64_t bytes)
{
    MPI_Request request;
    if (!x->m->yield) {
        MPI_Send(x->m->out + atn_measure_message_at(x, 0), (int)bytes, MPI_BYTE, x->b->rank[to],
                 TAG, x->m->comm);
        return;
    }
    start_send(x, to, bytes, 0, &request);
    wait_for(x, 1, &request);
}

static void recv_from(const participant *x, int from, int64_t bytes)
{
    MPI_Request request;
    if (!x->m->yield) {
        MPI_Recv(x->m->in + atn_measure_message_at(x, 0), (int)bytes, MPI_BYTE, x->b->rank[from],
                 TAG, x->m->comm, MPI_STATUS_IGNORE);
        return;
    }
    start_recv(x, from, bytes, 0, &request);
    wait_for(x, 1, &request);
}

/* ---- patterns: each returns the time that it measured itself, or 0 to be timed as a whole ---- */

static double ping(const participant *x)
{
    if (x->me == 0)
        send_to(x, 1, x->b->bytes);
    recv_from(x, 1 - x->me, x->b->bytes);
    if (x->me != 0)
        send_to(x, 0, x->b->bytes);
    return 0;
}

static double ssend(const participant *x)
{
    if (x->me == 0)
        MPI_Ssend(x->m->out, (int)x->b->bytes, MPI_BYTE, x->b->rank[1], TAG, x->m->comm);
    else
        recv_from(x, 0, x->b->bytes);
    return 0;
}

static void exchange(const participant *x, MPI_Request requests[2])
{
    start_recv(x, atn_mod(x->me - 1, x->b->n), x->b->bytes, 0, &requests[0]);
    start_send(x, (x->me + 1) % x->b->n, x->b->bytes, 0, &requests[1]);
}

static double ring(const participant *x)
{
    MPI_Request requests[2];
    exchange(x, requests);
    wait_for(x, 2, requests);
    return 0;
}

static double cross(const participant *x)
{
    const int next = (x->me + 1) % x->b->n, before = atn_mod(x->me - 1, x->b->n);
    if (x->me % 2 == 0)
        send_to(x, next, x->b->bytes);
    recv_from(x, before, x->b->bytes);
    if (x->me % 2 == 1)
        send_to(x, next, x->b->bytes);
    return 0;
}

static double fan(const participant *x)
{
    MPI_Request requests[2 * ATN_PARTICIPANTS];
    const int n = x->b->n - 1;
    if (x->me != 0) {
        recv_from(x, 0, 0);
        send_to(x, 0, x->b->bytes);
        return 0;
    }
    for (int i = 0; i < n; i++)
        start_recv(x, i + 1, x->b->bytes, i, &requests[i]);
    for (int i = 0; i < n; i++)
        start_send(x, i + 1, 0, 0, &requests[n + i]);
    wait_for(x, 2 * n, requests);
    return 0;
}

/* An empty message from rank 1 ends the transfer. */
static void acknowledge(const participant *x)
{
    if (x->me == 0)
        recv_from(x, 1, 0);
    else
        send_to(x, 0, 0);
}

static double train(const participant *x)
{
    for (int i = 0; i < x->b->count; i++) {
        if (x->me == 0)
            send_to(x, 1, x->b->bytes);
        else
            recv_from(x, 0, x->b->bytes);
        next_message(x);
    }
    acknowledge(x);
    return 0;
}

static double burst(const participant *x)
{
    MPI_Request requests[WINDOW];
    for (int done = 0; done < x->b->count; done += WINDOW) {
        const int n = atn_min(WINDOW, x->b->count - done);
        for (int i = 0; i < n; i++)
            if (x->me == 0)
                start_send(x, 1, x->b->bytes, i, &requests[i]);
            else
                start_recv(x, 0, x->b->bytes, i, &requests[i]);
        wait_for(x, n, requests);
        next_message(x);
    }
    acknowledge(x);
    return 0;
}

static double send_call(const participant *x)
{
    double start = 0;
    if (x->me != 0) {
        recv_from(x, 0, x->b->bytes);
        send_to(x, 0, 0);
        return 0;
    }
    start = MPI_Wtime();
    send_to(x, 1, x->b->bytes);
    const double seconds = MPI_Wtime() - start;
    recv_from(x, 1, 0);
    return seconds;
}

static double receive_call(const participant *x)
{
    if (x->me != 0) {
        recv_from(x, 0, 0);
        send_to(x, 0, x->b->bytes);
        return 0;
    }
    send_to(x, 1, 0);
    atn_measure_busy_wait(x->b->delay);
    const double start = MPI_Wtime();
    recv_from(x, 1, x->b->bytes);
    return MPI_Wtime() - start;
}

/* Calls MPI, so that the library makes progress, but posts no matching receive. */
static void delay_receive(const participant *x)
{
    const double until = MPI_Wtime() + x->b->delay;
    int flag;
    while (MPI_Wtime() < until) {
        MPI_Iprobe(x->b->rank[0], TAG + 1, x->m->comm, &flag, MPI_STATUS_IGNORE);
        atn_measure_sleep(20e-6);
    }
}

static double late(const participant *x)
{
    if (x->me != 0) {
        send_to(x, 0, 0);
        delay_receive(x);
        recv_from(x, 0, x->b->bytes);
        return 0;
    }
    recv_from(x, 1, 0);
    const double start = MPI_Wtime();
    send_to(x, 1, x->b->bytes);
    return MPI_Wtime() - start;
}

static double token(const participant *x)
{
    const int next = (x->me + 1) % x->b->n, before = atn_mod(x->me - 1, x->b->n);
    if (x->me == 0)
        send_to(x, next, x->b->bytes);
    recv_from(x, before, x->b->bytes);
    if (x->me != 0)
        send_to(x, next, x->b->bytes);
    return 0;
}

static double processor_time(void)
{
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
           1e-6 * (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

/* Long pauses: waking up takes processor time, too. */
static double busy(const participant *x)
{
    const double pause = 2e-3;
    MPI_Request requests[2];
    int done = 0;
    const double start = processor_time();
    exchange(x, requests);
    while (!done) {
        atn_measure_sleep(pause);
        MPI_Testall(2, requests, &done, MPI_STATUSES_IGNORE);
    }
    return processor_time() - start;
}

static double copy(const participant *x)
{
    memcpy(x->m->in + atn_measure_message_at(x, 0), x->m->out + atn_measure_message_at(x, 0),
           (size_t)x->b->bytes);
    return 0;
}

static double pack(const participant *x)
{
    int at = 0;
    MPI_Pack(x->m->out, (int)(x->b->bytes / (int64_t)sizeof(double)), x->m->scattered, x->m->in,
             (int)x->m->area, &at, MPI_COMM_SELF);
    return 0;
}

/* ---- operands ---- */

static const char *const operands[] = {"sum", "prod", "max", "min", "band", "bor"};
static const char *const types[] = {"f64", "f32", "i32", "i64"};
enum { OPERATORS = sizeof operands / sizeof *operands, TYPES = sizeof types / sizeof *types };

int atn_measure_operand_find(const char *name)
{
    const char *dot = strchr(name, '.');
    for (int i = 0; dot && i < OPERATORS; i++)
        for (int k = 0; k < TYPES; k++)
            if (strlen(operands[i]) == (size_t)(dot - name) &&
                strncmp(operands[i], name, (size_t)(dot - name)) == 0 &&
                strcmp(types[k], dot + 1) == 0)
                return i * TYPES + k;
    return -1;
}

/* As the executor does it. */
static double reduce(const participant *x)
{
    static const atn_kernel_op ops[] = {ATN_SUM, ATN_PROD, ATN_MAX, ATN_MIN, ATN_BAND, ATN_BOR};
    static const atn_kernel_type kinds[] = {ATN_F64, ATN_F32, ATN_I32, ATN_I64};
    const atn_kernel_type kind = kinds[x->b->count % TYPES];
    const atn_kernel kernel = atn_kernel_find(ops[x->b->count / TYPES], kind);
    char *const inout = x->m->in + atn_measure_message_at(x, 0);

    if (kernel)
        kernel(x->m->out + atn_measure_message_at(x, 0), inout, inout,
               (size_t)x->b->bytes / atn_kernel_stride(kind));
    return 0;
}

void atn_measure_fill_ones(char *at, size_t bytes)
{
    double *v = (double *)(void *)at;
    for (size_t i = 0; i < bytes / sizeof *v; i++)
        v[i] = 1;
}

void atn_measure_microbench_prepare(const atn_mb_memory *m, const atn_microbench *b)
{
    if (b->pattern == ATN_MB_REDUCE && !m->off_cache)
        atn_measure_fill_ones(m->in + m->next, (size_t)b->bytes);
}

/* ---- repetitions ---- */

static const struct {
    double (*execute)(const participant *x);
    bool all; /* every participant measures */
} patterns[ATN_MB_PATTERNS] = {
    [ATN_MB_PING] = {ping, false},
    [ATN_MB_SSEND] = {ssend, false},
    [ATN_MB_RING] = {ring, true},
    [ATN_MB_CROSS] = {cross, true},
    [ATN_MB_FAN] = {fan, false},
    [ATN_MB_TRAIN] = {train, false},
    [ATN_MB_BURST] = {burst, false},
    [ATN_MB_SEND] = {send_call, false},
    [ATN_MB_RECEIVE] = {receive_call, false},
    [ATN_MB_LATE] = {late, false},
    [ATN_MB_TOKEN] = {token, false},
    [ATN_MB_BUSY] = {busy, true},
    [ATN_MB_COPY] = {copy, true},
    [ATN_MB_PACK] = {pack, true},
    [ATN_MB_REDUCE] = {reduce, true},
    [ATN_MB_SHARED_COPY] = {atn_measure_shared_ping_copy, false},
    [ATN_MB_SHARED_SINGLE] = {atn_measure_shared_ping_single, false},
    [ATN_MB_SHARED_RING_COPY] = {atn_measure_shared_ring_copy, true},
    [ATN_MB_SHARED_RING_SINGLE] = {atn_measure_shared_ring_single, true},
    [ATN_MB_EXPOSE] = {atn_measure_shared_expose, true},
    [ATN_MB_EXPOSED] = {atn_measure_shared_exposed, false},
    [ATN_MB_EXPOSED_RING] = {atn_measure_shared_exposed_ring, true},
};

/* Equal parts of a pattern. */
static int parts(const atn_microbench *b)
{
    const atn_mb_pattern p = b->pattern;
    return p == ATN_MB_TRAIN || p == ATN_MB_BURST ? b->count : p == ATN_MB_TOKEN ? b->n : 1;
}

double atn_measure_microbench_run(atn_mb_memory *m, const atn_microbench *b, int me)
{
    const participant x = {m, b, me};
    double own = 0;
    const double start = MPI_Wtime();
    for (int i = 0; i < b->loops; i++) {
        own += patterns[b->pattern].execute(&x);
        next_message(&x);
    }
    const double seconds = own > 0 ? own : MPI_Wtime() - start;
    if (me != 0 && !patterns[b->pattern].all)
        return 0;
    return seconds / b->loops / parts(b);
}
