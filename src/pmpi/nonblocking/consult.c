/* consult.c - see consult.h. */
#include "pmpi/nonblocking/consult.h"

#include <string.h>

#include "exec/traffic.h"
#include "exec/wait.h"

/* Numbers of the ranks below; the text from the rank above; the text to the ranks below. */
enum { GATHER, AWAIT, SPREAD, ENDED };

/* Rank r has the children r + 1, r + 2, r + 4 ... below r + its lowest bit. */
static int lowest_bit(const atn_consultation *x) { return x->r == 0 ? 1 << 30 : x->r & -x->r; }

static int child(const atn_consultation *x, int i) { return x->r + (1 << i); }

static int count_children(const atn_consultation *x)
{
    int n = 0;
    while (1 << n < lowest_bit(x) && child(x, n) < x->p)
        n++;
    return n;
}

static void note(atn_consultation *x, int code)
{
    if (code == MPI_SUCCESS)
        x->open++;
    else
        x->code = code;
}

static void receive(atn_consultation *x, void *to, int bytes, int from)
{
    note(x, PMPI_Irecv(to, bytes, MPI_BYTE, from, x->tag, x->comm, &x->requests[x->open]));
}

static void send(atn_consultation *x, const void *what, int bytes, int to)
{
    atn_exec_traffic_message(bytes);
    note(x, PMPI_Isend(what, bytes, MPI_BYTE, to, x->tag, x->comm, &x->requests[x->open]));
}

void atn_nonblocking_consult(atn_consultation *x)
{
    x->stage = GATHER;
    x->answered = false;
    x->code = MPI_SUCCESS;
    x->open = 0;
    x->children = count_children(x);
    for (int i = 0; i < x->children; i++)
        receive(x, x->from[i], sizeof x->from[i], child(x, i));
}

static int64_t join(int k, int64_t a, int64_t b)
{
    return k >= ATN_CONSULT_MAXIMA ? a + b : a > b ? a : b;
}

static void join_numbers(atn_consultation *x)
{
    for (int i = 0; i < x->children; i++)
        for (int k = 0; k < ATN_CONSULT_NUMBERS; k++)
            x->numbers[k] = join(k, x->numbers[k], x->from[i][k]);
}

static void spread(atn_consultation *x)
{
    x->stage = SPREAD;
    x->answered = true;
    for (int i = 0; i < x->children; i++)
        send(x, x->text, sizeof x->text, child(x, i));
}

static void request_order(atn_consultation *x)
{
    const int above = x->r - lowest_bit(x);
    x->stage = AWAIT;
    send(x, x->numbers, sizeof x->numbers, above);
    receive(x, x->text, sizeof x->text, above);
}

static void next_stage(atn_consultation *x)
{
    x->open = 0;
    if (x->stage == SPREAD) {
        x->stage = ENDED;
    } else if (x->stage == AWAIT) {
        spread(x);
    } else {
        join_numbers(x);
        if (x->r > 0) {
            request_order(x);
        } else {
            memset(x->text, 0, sizeof x->text);
            x->answer(x->context, x->numbers, x->text);
            spread(x);
        }
    }
}

/* After an error of MPI, messages may never arrive: nothing is answered. */
bool atn_nonblocking_consult_advance(atn_consultation *x)
{
    while (x->stage != ENDED && x->code == MPI_SUCCESS) {
        int done = 1;
        if (x->open > 0)
            x->code = atn_real_complete.testall(x->open, x->requests, &done, MPI_STATUSES_IGNORE);
        if (!done)
            return false;
        if (x->code == MPI_SUCCESS)
            next_stage(x);
    }
    return x->stage == ENDED;
}
