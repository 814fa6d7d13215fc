/* pattern.c - what actors do: see act.h. */
#include <string.h>
#include <sys/resource.h>

#include "exec/wait.h"
#include "kernel/kernel.h"
#include "measure/act_private.h"
#include "measure/quiet.h"

enum { TAG = 1, WINDOW = 8 };

typedef struct {
    atn_theatre *t;
    const atn_act *a;
    int me;
} actor;

/* ---- messages ---- */

/* Where message `slot` of a turn is. */
static size_t place(const actor *x, int slot)
{
    const size_t bytes = ((size_t)x->a->bytes + 63) / 64 * 64 + 64;
    return (x->t->next + (size_t)slot * bytes) % (x->t->area - bytes + 1) / 64 * 64;
}

static void turn_page(const actor *x)
{
    if (x->t->off_cache)
        x->t->next = place(x, 1);
}

static void start_send(const actor *x, int to, int64_t bytes, int slot, MPI_Request *request)
{
    MPI_Isend(x->t->out + place(x, slot), (int)bytes, MPI_BYTE, x->a->actor[to], TAG, x->t->wire,
              request);
}

static void start_recv(const actor *x, int from, int64_t bytes, int slot, MPI_Request *request)
{
    MPI_Irecv(x->t->in + place(x, slot), (int)bytes, MPI_BYTE, x->a->actor[from], TAG, x->t->wire,
              request);
}

static void wait_for(const actor *x, int n, MPI_Request *requests)
{
    atn_wait_all(x->t->yield, n, requests);
}

static void give(const actor *x, int to, int64_t bytes)
{
    MPI_Request request;
    if (!x->t->yield) {
        MPI_Send(x->t->out + place(x, 0), (int)bytes, MPI_BYTE, x->a->actor[to], TAG, x->t->wire);
        return;
    }
    start_send(x, to, bytes, 0, &request);
    wait_for(x, 1, &request);
}

static void take(const actor *x, int from, int64_t bytes)
{
    MPI_Request request;
    if (!x->t->yield) {
        MPI_Recv(x->t->in + place(x, 0), (int)bytes, MPI_BYTE, x->a->actor[from], TAG, x->t->wire,
                 MPI_STATUS_IGNORE);
        return;
    }
    start_recv(x, from, bytes, 0, &request);
    wait_for(x, 1, &request);
}

/* ---- turns: each returns what the actor timed itself, or 0 to be timed as a whole ---- */

static double ping(const actor *x)
{
    if (x->me == 0)
        give(x, 1, x->a->bytes);
    take(x, 1 - x->me, x->a->bytes);
    if (x->me != 0)
        give(x, 0, x->a->bytes);
    return 0;
}

static double ssend(const actor *x)
{
    if (x->me == 0)
        MPI_Ssend(x->t->out, (int)x->a->bytes, MPI_BYTE, x->a->actor[1], TAG, x->t->wire);
    else
        take(x, 0, x->a->bytes);
    return 0;
}

static void exchange(const actor *x, MPI_Request requests[2])
{
    start_recv(x, atn_mod(x->me - 1, x->a->n), x->a->bytes, 0, &requests[0]);
    start_send(x, (x->me + 1) % x->a->n, x->a->bytes, 0, &requests[1]);
}

static double ring(const actor *x)
{
    MPI_Request requests[2];
    exchange(x, requests);
    wait_for(x, 2, requests);
    return 0;
}

static double cross(const actor *x)
{
    const int next = (x->me + 1) % x->a->n, before = atn_mod(x->me - 1, x->a->n);
    if (x->me % 2 == 0)
        give(x, next, x->a->bytes);
    take(x, before, x->a->bytes);
    if (x->me % 2 == 1)
        give(x, next, x->a->bytes);
    return 0;
}

static double fan(const actor *x)
{
    MPI_Request requests[2 * ATN_ACTORS];
    const int n = x->a->n - 1;
    if (x->me != 0) {
        take(x, 0, 0);
        give(x, 0, x->a->bytes);
        return 0;
    }
    for (int i = 0; i < n; i++)
        start_recv(x, i + 1, x->a->bytes, i, &requests[i]);
    for (int i = 0; i < n; i++)
        start_send(x, i + 1, 0, 0, &requests[n + i]);
    wait_for(x, 2 * n, requests);
    return 0;
}

static double train(const actor *x)
{
    for (int i = 0; i < x->a->count; i++) {
        if (x->me == 0)
            give(x, 1, x->a->bytes);
        else
            take(x, 0, x->a->bytes);
        turn_page(x);
    }
    if (x->me == 0)
        take(x, 1, 0);
    else
        give(x, 0, 0);
    return 0;
}

static double burst(const actor *x)
{
    MPI_Request requests[WINDOW];
    for (int done = 0; done < x->a->count; done += WINDOW) {
        const int n = atn_min(WINDOW, x->a->count - done);
        for (int i = 0; i < n; i++)
            if (x->me == 0)
                start_send(x, 1, x->a->bytes, i, &requests[i]);
            else
                start_recv(x, 0, x->a->bytes, i, &requests[i]);
        wait_for(x, n, requests);
        turn_page(x);
    }
    if (x->me == 0)
        take(x, 1, 0);
    else
        give(x, 0, 0);
    return 0;
}

static double send_call(const actor *x)
{
    double start = 0;
    if (x->me != 0) {
        take(x, 0, x->a->bytes);
        give(x, 0, 0);
        return 0;
    }
    start = MPI_Wtime();
    give(x, 1, x->a->bytes);
    const double seconds = MPI_Wtime() - start;
    take(x, 1, 0);
    return seconds;
}

/* Awake, but not in MPI. */
static void pass_time(double seconds)
{
    const double until = MPI_Wtime() + seconds;
    while (MPI_Wtime() < until)
        ;
}

static double receive_call(const actor *x)
{
    if (x->me != 0) {
        take(x, 0, 0);
        give(x, 0, x->a->bytes);
        return 0;
    }
    give(x, 1, 0);
    pass_time(x->a->delay);
    const double start = MPI_Wtime();
    take(x, 1, x->a->bytes);
    return MPI_Wtime() - start;
}

/* In MPI, so that the library can work, but without a receive that fits. */
static void stay_late(const actor *x)
{
    const double until = MPI_Wtime() + x->a->delay;
    int there;
    while (MPI_Wtime() < until) {
        MPI_Iprobe(x->a->actor[0], TAG + 1, x->t->wire, &there, MPI_STATUS_IGNORE);
        atn_sleep(20e-6);
    }
}

static double late(const actor *x)
{
    if (x->me != 0) {
        give(x, 0, 0);
        stay_late(x);
        take(x, 0, x->a->bytes);
        return 0;
    }
    take(x, 1, 0);
    const double start = MPI_Wtime();
    give(x, 1, x->a->bytes);
    return MPI_Wtime() - start;
}

static double token(const actor *x)
{
    const int next = (x->me + 1) % x->a->n, before = atn_mod(x->me - 1, x->a->n);
    if (x->me == 0)
        give(x, next, x->a->bytes);
    take(x, before, x->a->bytes);
    if (x->me != 0)
        give(x, next, x->a->bytes);
    return 0;
}

static double processor_time(void)
{
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
           1e-6 * (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

/* Long naps: waking up costs, too. */
static double busy(const actor *x)
{
    const double nap = 2e-3;
    MPI_Request requests[2];
    int done = 0;
    const double start = processor_time();
    exchange(x, requests);
    while (!done) {
        atn_sleep(nap);
        MPI_Testall(2, requests, &done, MPI_STATUSES_IGNORE);
    }
    return processor_time() - start;
}

static double copy(const actor *x)
{
    memcpy(x->t->in + place(x, 0), x->t->out + place(x, 0), (size_t)x->a->bytes);
    return 0;
}

static double pack(const actor *x)
{
    int at = 0;
    MPI_Pack(x->t->out, (int)(x->a->bytes / (int64_t)sizeof(double)), x->t->scattered, x->t->in,
             (int)x->t->area, &at, MPI_COMM_SELF);
    return 0;
}

/* ---- operands ---- */

static const char *const operands[] = {"sum", "prod", "max", "min", "band", "bor"};
static const char *const types[] = {"f64", "f32", "i32", "i64"};
enum { OPERATORS = sizeof operands / sizeof *operands, TYPES = sizeof types / sizeof *types };

int atn_operand_find(const char *name)
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

/* What the executor would do. */
static double reduce(const actor *x)
{
    static const atn_kernel_op ops[] = {ATN_SUM, ATN_PROD, ATN_MAX, ATN_MIN, ATN_BAND, ATN_BOR};
    static const atn_kernel_type kinds[] = {ATN_F64, ATN_F32, ATN_I32, ATN_I64};
    const atn_kernel_type kind = kinds[x->a->count % TYPES];
    const atn_kernel kernel = atn_kernel_find(ops[x->a->count / TYPES], kind);
    char *const inout = x->t->in + place(x, 0);

    if (kernel)
        kernel(x->t->out + place(x, 0), inout, inout,
               (size_t)x->a->bytes / atn_kernel_stride(kind));
    return 0;
}

void atn_fill_ones(char *at, size_t bytes)
{
    double *v = (double *)(void *)at;
    for (size_t i = 0; i < bytes / sizeof *v; i++)
        v[i] = 1;
}

void atn_pattern_prepare(atn_theatre *t, const atn_act *a)
{
    if (a->pattern == ATN_ACT_REDUCE && !t->off_cache)
        atn_fill_ones(t->in + t->next, (size_t)a->bytes);
}

/* ---- repetitions ---- */

static const struct {
    double (*turn)(const actor *x);
    bool all; /* every actor holds a watch */
} patterns[ATN_ACT_PATTERNS] = {
    [ATN_ACT_PING] = {ping, false},
    [ATN_ACT_SSEND] = {ssend, false},
    [ATN_ACT_RING] = {ring, true},
    [ATN_ACT_CROSS] = {cross, true},
    [ATN_ACT_FAN] = {fan, false},
    [ATN_ACT_TRAIN] = {train, false},
    [ATN_ACT_BURST] = {burst, false},
    [ATN_ACT_SEND] = {send_call, false},
    [ATN_ACT_RECEIVE] = {receive_call, false},
    [ATN_ACT_LATE] = {late, false},
    [ATN_ACT_TOKEN] = {token, false},
    [ATN_ACT_BUSY] = {busy, true},
    [ATN_ACT_COPY] = {copy, true},
    [ATN_ACT_PACK] = {pack, true},
    [ATN_ACT_REDUCE] = {reduce, true},
};

/* Parts of a turn that are alike. */
static int parts(const atn_act *a)
{
    const atn_pattern p = a->pattern;
    return p == ATN_ACT_TRAIN || p == ATN_ACT_BURST ? a->count : p == ATN_ACT_TOKEN ? a->n : 1;
}

double atn_pattern_act(atn_theatre *t, const atn_act *a, int me)
{
    const actor x = {t, a, me};
    double own = 0;
    const double start = MPI_Wtime();
    for (int i = 0; i < a->loops; i++) {
        own += patterns[a->pattern].turn(&x);
        turn_page(&x);
    }
    const double seconds = own > 0 ? own : MPI_Wtime() - start;
    if (me != 0 && !patterns[a->pattern].all)
        return 0;
    return seconds / a->loops / parts(a);
}
