/* early.c - which messages are taken before the program asks, and how it gets them. */
#include "pmpi/messages/early.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

atn_early_state atn_early = {
    .own = MPI_COMM_NULL, .receive_hint = ATN_NO_HINT, .send_hint = ATN_NO_HINT};

/* ---- learning ---- */

/* What a receive asks for, or a send is; without holes. */
typedef struct {
    int64_t comm;
    int partner, tag;
} message_key;
_Static_assert(sizeof(message_key) == sizeof(int64_t) + 2 * sizeof(int),
               "compared and hashed as bytes: no padding");

/* Hinted places have numbers of their own. */
static int64_t site_of(int64_t *hint, const void *from)
{
    const int64_t site = *hint == ATN_NO_HINT ? (int64_t)(uintptr_t)from : -1 - *hint;
    *hint = ATN_NO_HINT;
    return site;
}

static int any(int wanted, int mpi_any) { return wanted == mpi_any ? ATN_STAGED_ANY : wanted; }

static void begin_looking(void);

static void learn(const atn_known *c, int source, int tag, const void *from)
{
    const message_key k = {.comm = c->number, .partner = source, .tag = tag};
    atn_online_add(atn_early.receives, &k, site_of(&atn_early.receive_hint, from));
    begin_looking();
}

void atn_early_saw_send(int dest, int tag, MPI_Comm comm, const void *from)
{
    const atn_known *const c = atn_early.sends != NULL ? atn_known_comm(comm, from) : NULL;
    if (c == NULL || atn_early.depth != 1)
        return;
    const message_key k = {.comm = c->number, .partner = dest, .tag = tag};
    atn_online_add(atn_early.sends, &k, site_of(&atn_early.send_hint, from));
}

/* ---- taking ---- */

static void take(atn_known *c, const MPI_Status *probed, int bytes)
{
    MPI_Message matched;
    int flag = 0, really;
    atn_early_message *const m = malloc(sizeof *m + (size_t)bytes);
    if (m == NULL)
        return;
    atn_pbehind.Improbe(probed->MPI_SOURCE, probed->MPI_TAG, c->comm, &flag, &matched, &m->status);
    if (!flag) {
        free(m);
        return;
    }
    PMPI_Status_set_cancelled(&m->status, 0); /* MPICH leaves this to receives */
    PMPI_Get_count(&m->status, MPI_BYTE, &really);
    assert(really == bytes && m->status.MPI_SOURCE == probed->MPI_SOURCE);
    m->head = (atn_staged){
        .source = m->status.MPI_SOURCE, .tag = m->status.MPI_TAG, .bytes = (int64_t)bytes};
    m->comm = c->comm;
    m->code = atn_pbehind.Imrecv(m->bytes, bytes, MPI_PACKED, &matched, &m->request);
    atn_early_arrived(m);
    atn_staging_add(&c->queue, &atn_early.room, &m->head);
    atn_early.counts.found++;
}

/* The oldest message of a sender, whatever its tag: others of that sender may follow only then. */
static bool look(atn_known *c, int source)
{
    MPI_Status probed;
    int flag = 0, bytes = -1;
    const int from = source == ATN_STAGED_ANY ? MPI_ANY_SOURCE : source;
    if (atn_pbehind.Iprobe(from, MPI_ANY_TAG, c->comm, &flag, &probed) != MPI_SUCCESS || !flag)
        return false;
    PMPI_Get_count(&probed, MPI_BYTE, &bytes);
    if (probed.MPI_SOURCE == c->r || !atn_staging_fits(&atn_early.room, bytes) ||
        atn_notice_came(c->world[probed.MPI_SOURCE]))
        return false;
    const int before = atn_early.room.messages;
    take(c, &probed, bytes);
    return atn_early.room.messages > before;
}

/* Looking in vain costs time: some looks for each receive; when nothing was found lately, one now
 * and then. */
enum { AHEAD = 4, LOOKS = 8, IN_VAIN = 512, NOW_AND_THEN = 32 };
static struct {
    int left; /* looks until the next receive */
    int vain; /* looks in a row */
    int receives;
} patience = {.left = LOOKS};

static void looked(bool found)
{
    patience.left -= !found;
    patience.vain = found ? 0 : atn_min(patience.vain + 1, IN_VAIN);
}

static void begin_looking(void)
{
    const bool often = patience.vain < IN_VAIN;
    patience.left = often ? LOOKS : ++patience.receives % NOW_AND_THEN == 0;
}

/* How often a key is among the first `n`. */
static int among(const message_key *keys, int n, const message_key *k)
{
    int count = 0;
    for (int i = 0; i < n; i++)
        count += memcmp(&keys[i], k, sizeof *k) == 0;
    return count;
}

/* The next receives that are foreseen, as long as their messages are there. */
static void drain(void)
{
    message_key keys[AHEAD];
    for (int i = 0; i < AHEAD; i++) {
        const void *const foreseen = atn_online_predict(atn_early.receives, i + 1);
        if (foreseen == NULL)
            return;
        memcpy(&keys[i], foreseen, sizeof keys[i]);
        atn_known *const c = atn_known_number(keys[i].comm);
        if (c == NULL)
            return;
        const int wanted = among(keys, i, &keys[i]) + 1;
        if (atn_staging_count(&c->queue, keys[i].partner, keys[i].tag) >= wanted)
            continue;
        const bool found = look(c, keys[i].partner);
        atn_early.counts.looks++;
        looked(found);
        if (!found)
            return;
    }
}

void atn_early_enter(void) { atn_early.depth++; }

int atn_early_exit(int code)
{
    if (atn_early.depth == 1 && atn_early.draining && patience.left > 0)
        drain();
    atn_early.depth--;
    return code;
}

/* ---- hints ---- */

void atn_early_hint_recv(int tag)
{
    if (!atn_early.draining || atn_early.depth > 0)
        return;
    atn_early.receive_hint = tag;
    atn_online_hint(atn_early.receives, -1 - (int64_t)tag);
    atn_early.depth++;
    drain(); /* the program has said that now is the time */
    atn_early.depth--;
}

void atn_early_hint_send(int tag)
{
    atn_predictor_choice c;
    if (!atn_early.draining || atn_early.depth > 0)
        return;
    if (atn_early.sends == NULL && atn_predictor_find("two-level-bettercycle2", &c, NULL) == ATN_OK)
        atn_early.sends = atn_online_make(&c, sizeof(message_key));
    if (atn_early.sends == NULL)
        return;
    atn_early.send_hint = tag;
    atn_online_hint(atn_early.sends, -1 - (int64_t)tag);
}

/* ---- what a call gets ---- */

atn_early_message *atn_early_claim_of(atn_known *c, int source, int tag, const void *from)
{
    const int who = any(source, MPI_ANY_SOURCE), what = any(tag, MPI_ANY_TAG);
    if (atn_early.draining && atn_early.depth == 1)
        learn(c, who, what, from);
    atn_staged *const m = atn_staging_find(&c->queue, who, what);
    if (m == NULL)
        return NULL;
    atn_staging_take(&c->queue, m);
    atn_early.counts.bound++;
    return (atn_early_message *)m;
}

atn_early_message *atn_early_claim(int source, int tag, MPI_Comm comm, const void *from)
{
    atn_known *const c = source == MPI_PROC_NULL ? NULL : atn_known_comm(comm, from);
    return c != NULL ? atn_early_claim_of(c, source, tag, from) : NULL;
}

const atn_early_message *atn_early_peek(int source, int tag, MPI_Comm comm, const void *from)
{
    const atn_known *const c =
        source == MPI_PROC_NULL || atn_early.room.messages == 0 ? NULL : atn_known_comm(comm, from);
    return c == NULL ? NULL
                     : (const atn_early_message *)atn_staging_find(
                           &c->queue, any(source, MPI_ANY_SOURCE), any(tag, MPI_ANY_TAG));
}

void atn_early_status(const atn_early_message *m, MPI_Status *status)
{
    if (status == MPI_STATUS_IGNORE)
        return;
    const int error = status->MPI_ERROR; /* calls for one message leave it alone */
    *status = m->status;
    status->MPI_ERROR = error;
}

bool atn_early_arrived(atn_early_message *m)
{
    int flag = 1;
    if (m->request != MPI_REQUEST_NULL) {
        const int code = atn_pbehind.Test(&m->request, &flag, MPI_STATUS_IGNORE);
        m->code = code != MPI_SUCCESS ? code : m->code;
    }
    return flag != 0;
}

void atn_early_await(atn_early_message *m)
{
    if (m->request == MPI_REQUEST_NULL)
        return;
    const int code = atn_pbehind.Wait(&m->request, MPI_STATUS_IGNORE);
    m->code = code != MPI_SUCCESS ? code : m->code;
    atn_early.counts.waited++;
}

/* Its bytes are those of the message, in order. */
static bool is_plain(MPI_Datatype type, MPI_Count *size_p)
{
    int integers, addresses, types, combiner = 0, size = 0;
    MPI_Aint low = 1, extent = 0;
    if (type == MPI_DATATYPE_NULL ||
        PMPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner) != MPI_SUCCESS ||
        combiner != MPI_COMBINER_NAMED)
        return false;
    PMPI_Type_size(type, &size);
    PMPI_Type_get_extent(type, &low, &extent);
    *size_p = size;
    return low == 0 && extent == size;
}

/* MPI itself puts it where it belongs: any type, parts of one, and messages that are too long. */
static int send_to_self(const atn_early_message *m, const atn_target *t)
{
    enum { TAG = 1 };
    MPI_Request sent;
    int code =
        atn_pbehind.Isend(m->bytes, (int)m->head.bytes, MPI_PACKED, 0, TAG, atn_early.own, &sent);
    if (code != MPI_SUCCESS)
        return code;
#if MPI_VERSION >= 4
    code = atn_pbehind.Recv_c(t->buf, t->count, t->type, 0, TAG, atn_early.own, MPI_STATUS_IGNORE);
#else
    code =
        atn_pbehind.Recv(t->buf, (int)t->count, t->type, 0, TAG, atn_early.own, MPI_STATUS_IGNORE);
#endif
    atn_pbehind.Wait(&sent, MPI_STATUS_IGNORE);
    return code;
}

void atn_early_drop(atn_early_message *m)
{
    atn_staging_leave(&atn_early.room, &m->head);
    if (m->request == MPI_REQUEST_NULL) /* else MPI still writes to it; nobody received it */
        free(m);
}

int atn_early_deliver(atn_early_message *m, const atn_target *t)
{
    MPI_Count size = 0;
    int code = m->code;
    if (code == MPI_SUCCESS) {
        if (!atn_early.gpu && is_plain(t->type, &size) && t->count >= 0 &&
            m->head.bytes <= t->count * size) {
            if (m->head.bytes > 0)
                memcpy(t->buf, m->bytes, (size_t)m->head.bytes);
        } else
            code = send_to_self(m, t);
    }
    atn_early_drop(m);
    return code;
}

int atn_early_receive(atn_early_message *m, const atn_target *t, MPI_Status *status)
{
    atn_early_await(m);
    atn_early_status(m, status);
    const int code = atn_early_deliver(m, t);
    return code == MPI_SUCCESS ? code : (PMPI_Comm_call_errhandler(t->comm, code), code);
}
