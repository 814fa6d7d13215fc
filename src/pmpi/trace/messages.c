/* messages.c - point-to-point calls. */
#include "pmpi/trace/recorder.h"

/* What a call says about a message; the partner still is a rank of its communicator. */
typedef struct {
    const void *buf;
    int64_t count;
    MPI_Datatype type;
    int rank, tag;
    MPI_Comm comm;
} message;

static atn_trace_what what_of(atn_trace_op op, const void *from, const message *m)
{
    const atn_traced_type *const type = atn_find_type(m->type);
    const atn_traced_comm *const c = atn_find_comm(m->comm);
    const bool receives = atn_trace_op_get(op)->class == ATN_TRACE_IS_RECV;
    return (atn_trace_what){
        .op = (uint8_t)op,
        .depth = (uint8_t)atn_depth,
        .thread = atn_thread,
        .flags = (uint8_t)(receives ? (m->rank == MPI_ANY_SOURCE ? ATN_TRACE_ANY_SOURCE_ASKED : 0) |
                                          (m->tag == MPI_ANY_TAG ? ATN_TRACE_ANY_TAG_ASKED : 0)
                                    : 0),
        .count = m->count,
        .bytes = m->count * type->bytes,
        .buffer = (uintptr_t)m->buf,
        .partner = atn_partner(c, m->rank),
        .tag = m->tag == MPI_ANY_TAG ? ATN_TRACE_ANY_TAG : m->tag,
        .comm = c->number,
        .type = type->number,
        .site = atn_find_site(from),
    };
}

static bool is_any(const message *m) { return m->rank == MPI_ANY_SOURCE || m->tag == MPI_ANY_TAG; }

/* Who sent it, for receives from anybody. */
static void name_sender(atn_trace_what *what, const message *m, const MPI_Status *status)
{
    if (!is_any(m) || status == MPI_STATUS_IGNORE)
        return;
    what->partner = atn_partner(atn_find_comm(m->comm), status->MPI_SOURCE);
    what->tag = status->MPI_TAG;
}

static ATN_RARE void record_whole(atn_trace_op op, const void *from, const message *m,
                                  const MPI_Status *status, int64_t enter, int64_t exit)
{
    atn_trace_what what = what_of(op, from, m);
    if (status != NULL)
        name_sender(&what, m, status);
    atn_trace_put(atn_rec.writer, &what, enter, exit, 0);
}

/* A message whose partner is known from the beginning, and which is not as the one before. */
static ATN_RARE void record_new(const atn_again *call, const message *m, atn_again *before,
                                int64_t enter, int64_t exit)
{
    if (atn_repeats_with(atn_find_type(m->type), call, before, enter, exit))
        return;
    const atn_trace_what what = what_of((atn_trace_op)call->op, call->from, m);
    const unsigned number = atn_trace_put(atn_rec.writer, &what, enter, exit, 0);
    atn_remember(call, atn_find_comm(m->comm)->r, atn_find_type(m->type), before, number);
}

ATN_QUICK void record_known(atn_trace_op op, bool starts, const void *from, const message *m,
                            atn_again *before, int64_t enter, int64_t exit)
{
    const atn_again call = {.from = from,
                            .buf = m->buf,
                            .count = m->count,
                            .type = ATN_KEY(m->type),
                            .comm = ATN_KEY(m->comm),
                            .partner = m->rank,
                            .tag = m->tag,
                            .op = (uint8_t)op,
                            .starts = starts};
    if (ATN_RARELY(!atn_repeats(&call, before, enter, exit)))
        record_new(&call, m, before, enter, exit);
}

static void record(atn_trace_op op, const void *from, const message *m, const MPI_Status *status,
                   atn_again *before, int64_t enter, int64_t exit)
{
    atn_lock();
    if (ATN_RARELY(is_any(m)))
        record_whole(op, from, m, status, enter, exit);
    else
        record_known(op, false, from, m, before, enter, exit);
    atn_unlock();
}

static void record_later(atn_trace_op op, const void *from, const message *m, MPI_Request *request,
                         atn_again *before, int64_t enter, int64_t exit)
{
    const bool any = is_any(m);
    atn_lock();
    if (ATN_RARELY(any))
        record_whole(op, from, m, NULL, enter, exit);
    else
        record_known(op, true, from, m, before, enter, exit);
    atn_add_request(*request, atn_rec.hand->requests, any,
                    any ? atn_find_comm(m->comm)->number : -1);
    atn_unlock();
}

static void prepare(atn_trace_op op, const void *from, const message *m, MPI_Request *request)
{
    atn_lock();
    const atn_trace_what what = what_of(op, from, m);
    atn_add_persistent(*request, &what, is_any(m), what.comm);
    atn_unlock();
}

#define MESSAGE(where, n, of, peer, mark, on)                                                      \
    (&(message){.buf = where, .count = n, .type = of, .rank = peer, .tag = mark, .comm = on})

/* ---- sends ---- */

#define ATN_SENDS(name, id)                                                                        \
    int atn_do_##name(int (*next)(const void *, ATN_N, MPI_Datatype, int, int, MPI_Comm),          \
                      const void *from, const void *buf, ATN_N count, MPI_Datatype type, int dest, \
                      int tag, MPI_Comm comm)                                                      \
    {                                                                                              \
        atn_again *const before = atn_expect(from, ATN_MIX(buf, count, dest, comm));               \
        if (!atn_wants())                                                                          \
            ATN_PASS(next(buf, count, type, dest, tag, comm));                                     \
        const int64_t enter = atn_enter();                                                         \
        const int code = next(buf, count, type, dest, tag, comm);                                  \
        const int64_t exit = atn_leave();                                                          \
        if (code == MPI_SUCCESS)                                                                   \
            record(ATN_TRACE_##id, from, MESSAGE(buf, count, type, dest, tag, comm), NULL, before, \
                   enter, exit);                                                                   \
        return code;                                                                               \
    }
#define ATN_SENDS_LATER(name, id)                                                                  \
    int atn_do_##name(                                                                             \
        int (*next)(const void *, ATN_N, MPI_Datatype, int, int, MPI_Comm, MPI_Request *),         \
        const void *from, const void *buf, ATN_N count, MPI_Datatype type, int dest, int tag,      \
        MPI_Comm comm, MPI_Request *request)                                                       \
    {                                                                                              \
        atn_again *const before = atn_expect(from, ATN_MIX(buf, count, dest, comm));               \
        if (!atn_wants())                                                                          \
            ATN_PASS(next(buf, count, type, dest, tag, comm, request));                            \
        const int64_t enter = atn_enter();                                                         \
        const int code = next(buf, count, type, dest, tag, comm, request);                         \
        const int64_t exit = atn_leave();                                                          \
        if (code == MPI_SUCCESS)                                                                   \
            record_later(ATN_TRACE_##id, from, MESSAGE(buf, count, type, dest, tag, comm),         \
                         request, before, enter, exit);                                            \
        return code;                                                                               \
    }
#define ATN_PREPARES(name)                                                                         \
    int atn_do_##name(                                                                             \
        int (*next)(const void *, ATN_N, MPI_Datatype, int, int, MPI_Comm, MPI_Request *),         \
        const void *from, const void *buf, ATN_N count, MPI_Datatype type, int dest, int tag,      \
        MPI_Comm comm, MPI_Request *request)                                                       \
    {                                                                                              \
        const int code = next(buf, count, type, dest, tag, comm, request);                         \
        if (atn_wants() && code == MPI_SUCCESS)                                                    \
            prepare(ATN_TRACE_START_SEND, from, MESSAGE(buf, count, type, dest, tag, comm),        \
                    request);                                                                      \
        return code;                                                                               \
    }
#include "pmpi/trace/points.def"

/* ---- receives; once more with large counts ---- */

#define RECEIVES(_c, ATN_N)                                                                        \
    int atn_do_Recv##_c(                                                                           \
        int (*next)(void *, ATN_N, MPI_Datatype, int, int, MPI_Comm, MPI_Status *),                \
        const void *from, void *buf, ATN_N count, MPI_Datatype type, int source, int tag,          \
        MPI_Comm comm, MPI_Status *status)                                                         \
    {                                                                                              \
        const message *const m = MESSAGE(buf, count, type, source, tag, comm);                     \
        MPI_Status own;                                                                            \
        atn_again *const before = atn_expect(from, ATN_MIX(buf, count, source, comm));             \
        if (!atn_wants())                                                                          \
            ATN_PASS(next(buf, count, type, source, tag, comm, status));                           \
        if (status == MPI_STATUS_IGNORE && is_any(m))                                              \
            status = &own;                                                                         \
        const int64_t enter = atn_enter();                                                         \
        const int code = next(buf, count, type, source, tag, comm, status);                        \
        const int64_t exit = atn_leave();                                                          \
        if (code == MPI_SUCCESS)                                                                   \
            record(ATN_TRACE_RECV, from, m, status, before, enter, exit);                          \
        return code;                                                                               \
    }                                                                                              \
    int atn_do_Irecv##_c(                                                                          \
        int (*next)(void *, ATN_N, MPI_Datatype, int, int, MPI_Comm, MPI_Request *),               \
        const void *from, void *buf, ATN_N count, MPI_Datatype type, int source, int tag,          \
        MPI_Comm comm, MPI_Request *request)                                                       \
    {                                                                                              \
        atn_again *const before = atn_expect(from, ATN_MIX(buf, count, source, comm));             \
        if (!atn_wants())                                                                          \
            ATN_PASS(next(buf, count, type, source, tag, comm, request));                          \
        const int64_t enter = atn_enter();                                                         \
        const int code = next(buf, count, type, source, tag, comm, request);                       \
        const int64_t exit = atn_leave();                                                          \
        if (code == MPI_SUCCESS)                                                                   \
            record_later(ATN_TRACE_IRECV, from, MESSAGE(buf, count, type, source, tag, comm),      \
                         request, before, enter, exit);                                            \
        return code;                                                                               \
    }                                                                                              \
    int atn_do_Recv_init##_c(                                                                      \
        int (*next)(void *, ATN_N, MPI_Datatype, int, int, MPI_Comm, MPI_Request *),               \
        const void *from, void *buf, ATN_N count, MPI_Datatype type, int source, int tag,          \
        MPI_Comm comm, MPI_Request *request)                                                       \
    {                                                                                              \
        const int code = next(buf, count, type, source, tag, comm, request);                       \
        if (atn_wants() && code == MPI_SUCCESS)                                                    \
            prepare(ATN_TRACE_START_RECEIVE, from, MESSAGE(buf, count, type, source, tag, comm),   \
                    request);                                                                      \
        return code;                                                                               \
    }

/* The message was matched by a probe, which has told its sender. */
static void record_matched(atn_trace_op op, const void *from, const message *m, MPI_Message matched,
                           const MPI_Request *request, int64_t enter, int64_t exit)
{
    atn_lock();
    atn_trace_what what = what_of(op, from, m);
    atn_take_message(matched, &what);
    atn_trace_put(atn_rec.writer, &what, enter, exit, 0);
    if (request != NULL)
        atn_add_request(*request, atn_trace_last_request(atn_rec.writer), false, -1);
    atn_unlock();
}

#define MATCHED(name, id, last_type, last, made)                                                   \
    int atn_do_##name(int (*next)(void *, ATN_N, MPI_Datatype, MPI_Message *, last_type *),        \
                      const void *from, void *buf, ATN_N count, MPI_Datatype type,                 \
                      MPI_Message *matched, last_type *last)                                       \
    {                                                                                              \
        if (!atn_wants() || matched == NULL)                                                       \
            ATN_PASS(next(buf, count, type, matched, last));                                       \
        const MPI_Message handle = *matched;                                                       \
        const int source = handle == MPI_MESSAGE_NO_PROC ? MPI_PROC_NULL : MPI_ANY_SOURCE;         \
        const int64_t enter = atn_enter();                                                         \
        const int code = next(buf, count, type, matched, last);                                    \
        const int64_t exit = atn_leave();                                                          \
        if (code == MPI_SUCCESS)                                                                   \
            record_matched(ATN_TRACE_##id, from,                                                   \
                           MESSAGE(buf, count, type, source, MPI_ANY_TAG, MPI_COMM_NULL), handle,  \
                           made, enter, exit);                                                     \
        return code;                                                                               \
    }

/* ---- both ---- */

static void record_both(atn_trace_op op, const void *from, const message *out, const message *in,
                        const MPI_Status *status, int64_t enter, int64_t exit)
{
    atn_lock();
    const atn_trace_what sent = what_of(op, from, out);
    atn_trace_what received = what_of(ATN_TRACE_SENDRECV_RECEIVE, from, in);
    if (status != NULL)
        name_sender(&received, in, status);
    atn_trace_put(atn_rec.writer, &sent, enter, exit, 0);
    atn_trace_put(atn_rec.writer, &received, enter, exit, 0);
    atn_unlock();
}

#define EXCHANGES(_c, ATN_N)                                                                       \
    int atn_do_Sendrecv##_c(int (*next)(const void *, ATN_N, MPI_Datatype, int, int, void *,       \
                                        ATN_N, MPI_Datatype, int, int, MPI_Comm, MPI_Status *),    \
                            const void *from, const void *sendbuf, ATN_N sendcount,                \
                            MPI_Datatype sendtype, int dest, int sendtag, void *recvbuf,           \
                            ATN_N recvcount, MPI_Datatype recvtype, int source, int recvtag,       \
                            MPI_Comm comm, MPI_Status *status)                                     \
    {                                                                                              \
        const message *const in = MESSAGE(recvbuf, recvcount, recvtype, source, recvtag, comm);    \
        MPI_Status own;                                                                            \
        if (!atn_wants())                                                                          \
            ATN_PASS(next(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount,         \
                          recvtype, source, recvtag, comm, status));                               \
        if (status == MPI_STATUS_IGNORE && is_any(in))                                             \
            status = &own;                                                                         \
        const int64_t enter = atn_enter();                                                         \
        const int code = next(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount,     \
                              recvtype, source, recvtag, comm, status);                            \
        const int64_t exit = atn_leave();                                                          \
        if (code == MPI_SUCCESS)                                                                   \
            record_both(ATN_TRACE_SENDRECV, from,                                                  \
                        MESSAGE(sendbuf, sendcount, sendtype, dest, sendtag, comm), in, status,    \
                        enter, exit);                                                              \
        return code;                                                                               \
    }                                                                                              \
    int atn_do_Sendrecv_replace##_c(                                                               \
        int (*next)(void *, ATN_N, MPI_Datatype, int, int, int, int, MPI_Comm, MPI_Status *),      \
        const void *from, void *buf, ATN_N count, MPI_Datatype type, int dest, int sendtag,        \
        int source, int recvtag, MPI_Comm comm, MPI_Status *status)                                \
    {                                                                                              \
        const message *const in = MESSAGE(buf, count, type, source, recvtag, comm);                \
        MPI_Status own;                                                                            \
        if (!atn_wants())                                                                          \
            ATN_PASS(next(buf, count, type, dest, sendtag, source, recvtag, comm, status));        \
        if (status == MPI_STATUS_IGNORE && is_any(in))                                             \
            status = &own;                                                                         \
        const int64_t enter = atn_enter();                                                         \
        const int code = next(buf, count, type, dest, sendtag, source, recvtag, comm, status);     \
        const int64_t exit = atn_leave();                                                          \
        if (code == MPI_SUCCESS)                                                                   \
            record_both(ATN_TRACE_SENDRECV_REPLACE, from,                                          \
                        MESSAGE(buf, count, type, dest, sendtag, comm), in, status, enter, exit);  \
        return code;                                                                               \
    }

/* One request for both. */
#if MPI_VERSION >= 4
static void record_both_later(atn_trace_op op, const void *from, const message *out,
                              const message *in, const MPI_Request *request, int64_t enter,
                              int64_t exit)
{
    atn_lock();
    const atn_trace_what sent = what_of(op, from, out);
    const atn_trace_what received = what_of(ATN_TRACE_ISENDRECV_RECEIVE, from, in);
    atn_trace_put(atn_rec.writer, &sent, enter, exit, 0);
    atn_trace_put(atn_rec.writer, &received, enter, exit, 0);
    atn_add_request(*request, atn_trace_last_request(atn_rec.writer), is_any(in), received.comm);
    atn_unlock();
}

#define EXCHANGES_LATER(_c, ATN_N)                                                                 \
    int atn_do_Isendrecv##_c(int (*next)(const void *, ATN_N, MPI_Datatype, int, int, void *,      \
                                         ATN_N, MPI_Datatype, int, int, MPI_Comm, MPI_Request *),  \
                             const void *from, const void *sendbuf, ATN_N sendcount,               \
                             MPI_Datatype sendtype, int dest, int sendtag, void *recvbuf,          \
                             ATN_N recvcount, MPI_Datatype recvtype, int source, int recvtag,      \
                             MPI_Comm comm, MPI_Request *request)                                  \
    {                                                                                              \
        if (!atn_wants())                                                                          \
            ATN_PASS(next(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount,         \
                          recvtype, source, recvtag, comm, request));                              \
        const int64_t enter = atn_enter();                                                         \
        const int code = next(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount,     \
                              recvtype, source, recvtag, comm, request);                           \
        const int64_t exit = atn_leave();                                                          \
        if (code == MPI_SUCCESS)                                                                   \
            record_both_later(ATN_TRACE_ISENDRECV, from,                                           \
                              MESSAGE(sendbuf, sendcount, sendtype, dest, sendtag, comm),          \
                              MESSAGE(recvbuf, recvcount, recvtype, source, recvtag, comm),        \
                              request, enter, exit);                                               \
        return code;                                                                               \
    }                                                                                              \
    int atn_do_Isendrecv_replace##_c(                                                              \
        int (*next)(void *, ATN_N, MPI_Datatype, int, int, int, int, MPI_Comm, MPI_Request *),     \
        const void *from, void *buf, ATN_N count, MPI_Datatype type, int dest, int sendtag,        \
        int source, int recvtag, MPI_Comm comm, MPI_Request *request)                              \
    {                                                                                              \
        if (!atn_wants())                                                                          \
            ATN_PASS(next(buf, count, type, dest, sendtag, source, recvtag, comm, request));       \
        const int64_t enter = atn_enter();                                                         \
        const int code = next(buf, count, type, dest, sendtag, source, recvtag, comm, request);    \
        const int64_t exit = atn_leave();                                                          \
        if (code == MPI_SUCCESS)                                                                   \
            record_both_later(                                                                     \
                ATN_TRACE_ISENDRECV_REPLACE, from, MESSAGE(buf, count, type, dest, sendtag, comm), \
                MESSAGE(buf, count, type, source, recvtag, comm), request, enter, exit);           \
        return code;                                                                               \
    }
EXCHANGES_LATER(, int)
EXCHANGES_LATER(_c, MPI_Count)
#endif

RECEIVES(, int)
#define ATN_N int
MATCHED(Mrecv, MRECV, MPI_Status, status, NULL)
MATCHED(Imrecv, IMRECV, MPI_Request, request, request)
#undef ATN_N
EXCHANGES(, int)
#if MPI_VERSION >= 4
RECEIVES(_c, MPI_Count)
#define ATN_N MPI_Count
MATCHED(Mrecv_c, MRECV, MPI_Status, status, NULL)
MATCHED(Imrecv_c, IMRECV, MPI_Request, request, request)
#undef ATN_N
EXCHANGES(_c, MPI_Count)
#endif

/* ---- probes ---- */

static void record_probe(atn_trace_op op, const void *from, int source, int tag, MPI_Comm comm,
                         int64_t enter, int64_t exit)
{
    atn_lock();
    record_whole(op, from, MESSAGE(NULL, 0, MPI_BYTE, source, tag, comm), NULL, enter, exit);
    atn_unlock();
}

/* Of a probe that does not wait. */
static int record_look(atn_trace_op op, const void *from, int source, int tag, MPI_Comm comm,
                       int code, bool found, int64_t enter)
{
    atn_depth--;
    if (found) {
        const int64_t took = atn_poll_took(enter), exit = atn_now();
        record_probe(op, from, source, tag, comm, exit - took, exit);
    } else {
        atn_count_poll(enter);
    }
    return code;
}

int atn_do_Probe(int (*next)(int, int, MPI_Comm, MPI_Status *), const void *from, int source,
                 int tag, MPI_Comm comm, MPI_Status *status)
{
    if (!atn_wants())
        ATN_PASS(next(source, tag, comm, status));
    const int64_t enter = atn_enter();
    const int code = next(source, tag, comm, status);
    const int64_t exit = atn_leave();
    if (code == MPI_SUCCESS)
        record_probe(ATN_TRACE_PROBE, from, source, tag, comm, enter, exit);
    return code;
}

/* The sender is known from the status, which is asked for even if the program does not. */
static void remember(const void *from, const message *m, MPI_Message matched,
                     const MPI_Status *status)
{
    if (matched == MPI_MESSAGE_NO_PROC || matched == MPI_MESSAGE_NULL)
        return;
    atn_lock();
    atn_trace_what what = what_of(ATN_TRACE_MRECV, from, m);
    name_sender(&what, m, status);
    atn_add_message(matched, &what);
    atn_unlock();
}

int atn_do_Mprobe(int (*next)(int, int, MPI_Comm, MPI_Message *, MPI_Status *), const void *from,
                  int source, int tag, MPI_Comm comm, MPI_Message *matched, MPI_Status *status)
{
    if (!atn_wants())
        ATN_PASS(next(source, tag, comm, matched, status));
    MPI_Status own;
    if (status == MPI_STATUS_IGNORE)
        status = &own;
    const int64_t enter = atn_enter();
    const int code = next(source, tag, comm, matched, status);
    const int64_t exit = atn_leave();
    if (code == MPI_SUCCESS) {
        remember(from, MESSAGE(NULL, 0, MPI_BYTE, source, tag, comm), *matched, status);
        record_probe(ATN_TRACE_MPROBE, from, source, tag, comm, enter, exit);
    }
    return code;
}

static int look(int (*next)(int, int, MPI_Comm, int *, MPI_Status *), const void *from, int source,
                int tag, MPI_Comm comm, int *flag, MPI_Status *status)
{
    if (!atn_wants())
        ATN_PASS(next(source, tag, comm, flag, status));
    const int64_t enter = atn_enter_poll();
    const int code = next(source, tag, comm, flag, status);
    return record_look(ATN_TRACE_IPROBE, from, source, tag, comm, code,
                       code == MPI_SUCCESS && *flag, enter);
}

ATN_RARE static int found(const void *from, int source, int tag, MPI_Comm comm)
{
    const int64_t took = atn_poll_took(atn_rec.entered), exit = atn_now();
    atn_rec.found++;
    record_probe(ATN_TRACE_IPROBE, from, source, tag, comm, exit - took, exit);
    return MPI_SUCCESS;
}

ATN_QUICK int poll(const atn_doors *doors, int source, int tag, MPI_Comm comm, int *flag,
                   MPI_Status *status)
{
    atn_recorder *const rec = atn_poller();
    if (ATN_RARELY(!atn_polls_quickly(rec)))
        return look(ATN_DOOR(*doors, Iprobe), ATN_FROM(), source, tag, comm, flag, status);
    const int64_t turn = atn_begin_poll(rec);
    const int code = doors->Iprobe(source, tag, comm, flag, status);
    rec->turn = turn;
    if (ATN_RARELY(code != MPI_SUCCESS))
        return code;
    if (ATN_RARELY(*flag))
        return found(ATN_FROM(), source, tag, comm);
    return atn_poll_in_vain(rec, turn);
}
ATN_EXPORTS_POLL(Iprobe, poll, (int source, int tag, MPI_Comm comm, int *flag, MPI_Status *status),
                 (source, tag, comm, flag, status))

int atn_do_Improbe(int (*next)(int, int, MPI_Comm, int *, MPI_Message *, MPI_Status *),
                   const void *from, int source, int tag, MPI_Comm comm, int *flag,
                   MPI_Message *matched, MPI_Status *status)
{
    if (!atn_wants())
        ATN_PASS(next(source, tag, comm, flag, matched, status));
    MPI_Status own;
    if (status == MPI_STATUS_IGNORE)
        status = &own;
    const int64_t enter = atn_enter_poll();
    const int code = next(source, tag, comm, flag, matched, status);
    if (code == MPI_SUCCESS && *flag)
        remember(from, MESSAGE(NULL, 0, MPI_BYTE, source, tag, comm), *matched, status);
    return record_look(ATN_TRACE_IMPROBE, from, source, tag, comm, code,
                       code == MPI_SUCCESS && *flag, enter);
}
