/* point_to_point.c - point-to-point calls. */
#include "tracer/polls.h"
#include "tracer/recent.h"

/* The arguments of a call; `rank`: in its communicator. */
typedef struct {
    const void *buf;
    int64_t count;
    MPI_Datatype type;
    int rank, tag;
    MPI_Comm comm;
} message;

static atn_trace_what what_of(atn_trace_op op, const void *from, const message *m)
{
    const atn_traced_type *const type = atn_tracer_find_type(m->type);
    const atn_traced_comm *const c = atn_tracer_find_comm(m->comm);
    const bool receives = atn_trace_op_get(op)->class == ATN_TRACE_IS_RECV;
    return (atn_trace_what){
        .op = (uint8_t)op,
        .depth = (uint8_t)atn_depth,
        .thread = atn_tracer_thread,
        .flags =
            (uint8_t)(receives ? (m->rank == MPI_ANY_SOURCE ? ATN_TRACE_ANY_SOURCE_POSTED : 0) |
                                     (m->tag == MPI_ANY_TAG ? ATN_TRACE_ANY_TAG_POSTED : 0)
                               : 0),
        .count = m->count,
        .bytes = m->count * type->bytes,
        .buffer = (uintptr_t)m->buf,
        .partner = atn_tracer_partner(c, m->rank),
        .tag = m->tag == MPI_ANY_TAG ? ATN_TRACE_ANY_TAG : m->tag,
        .comm = c->number,
        .type = type->number,
        .site = atn_tracer_find_site(from),
    };
}

static bool is_any(const message *m) { return m->rank == MPI_ANY_SOURCE || m->tag == MPI_ANY_TAG; }

/* Sender and tag of a receive with wildcards. */
static void name_sender(atn_trace_what *what, const message *m, const MPI_Status *status)
{
    if (!is_any(m) || status == MPI_STATUS_IGNORE)
        return;
    what->partner = atn_tracer_partner(atn_tracer_find_comm(m->comm), status->MPI_SOURCE);
    what->tag = status->MPI_TAG;
}

static ATN_RARE void record_described(atn_trace_op op, const void *from, const message *m,
                                      const MPI_Status *status, int64_t enter, int64_t exit)
{
    atn_trace_what what = what_of(op, from, m);
    if (status != NULL)
        name_sender(&what, m, status);
    atn_trace_put(atn_tracer_rec.writer, &what, enter, exit, 0);
}

/* A message without wildcards that does not repeat the one before. */
static ATN_RARE void record_new(const atn_recent_call *call, const message *m,
                                atn_recent_call *before, int64_t enter, int64_t exit)
{
    if (atn_tracer_record_repeated_type(atn_tracer_find_type(m->type), call, before, enter, exit))
        return;
    const atn_trace_what what = what_of((atn_trace_op)call->op, call->from, m);
    const unsigned number = atn_trace_put(atn_tracer_rec.writer, &what, enter, exit, 0);
    atn_tracer_recent_store(call, atn_tracer_find_comm(m->comm)->r, atn_tracer_find_type(m->type),
                            before, number);
}

ATN_FAST void record_exact(atn_trace_op op, bool starts, const void *from, const message *m,
                           atn_recent_call *before, int64_t enter, int64_t exit)
{
    const atn_recent_call call = {.from = from,
                                  .buf = m->buf,
                                  .count = m->count,
                                  .type = ATN_KEY(m->type),
                                  .comm = ATN_KEY(m->comm),
                                  .partner = m->rank,
                                  .tag = m->tag,
                                  .op = (uint8_t)op,
                                  .starts = starts};
    if (ATN_RARELY(!atn_tracer_record_repeated(&call, before, enter, exit)))
        record_new(&call, m, before, enter, exit);
}

static void record(atn_trace_op op, const void *from, const message *m, const MPI_Status *status,
                   atn_recent_call *before, int64_t enter, int64_t exit)
{
    if (ATN_RARELY(is_any(m)))
        record_described(op, from, m, status, enter, exit);
    else
        record_exact(op, false, from, m, before, enter, exit);
}

static void record_nonblocking(atn_trace_op op, const void *from, const message *m,
                               MPI_Request *request, atn_recent_call *before, int64_t enter,
                               int64_t exit)
{
    const bool any = is_any(m);
    if (ATN_RARELY(any))
        record_described(op, from, m, NULL, enter, exit);
    else
        record_exact(op, true, from, m, before, enter, exit);
    atn_tracer_add_request(*request, atn_tracer_rec.cursor->requests, any,
                           any ? atn_tracer_find_comm(m->comm)->number : -1);
}

static void record_persistent(atn_trace_op op, const void *from, const message *m,
                              MPI_Request *request)
{
    atn_tracer_lock();
    const atn_trace_what what = what_of(op, from, m);
    atn_tracer_add_persistent(*request, &what, is_any(m), what.comm);
    atn_tracer_unlock();
}

#define MESSAGE(where, n, of, peer, mark, on)                                                      \
    (&(message){.buf = where, .count = n, .type = of, .rank = peer, .tag = mark, .comm = on})

/* ---- sends ---- */

#define ATN_SEND(name, id)                                                                         \
    int atn_tracer_##name(int (*next)(const void *, ATN_N, MPI_Datatype, int, int, MPI_Comm),      \
                          const void *from, const void *buf, ATN_N count, MPI_Datatype type,       \
                          int dest, int tag, MPI_Comm comm)                                        \
    {                                                                                              \
        atn_recent_call *const before =                                                            \
            atn_tracer_recent_find(from, ATN_MIX(buf, count, dest, comm));                         \
        ATN_RECORD_CALL(next(buf, count, type, dest, tag, comm),                                   \
                        record(ATN_TRACE_##id, from, MESSAGE(buf, count, type, dest, tag, comm),   \
                               NULL, before, enter, exit);)                                        \
    }
#define ATN_ISEND(name, id)                                                                        \
    int atn_tracer_##name(                                                                         \
        int (*next)(const void *, ATN_N, MPI_Datatype, int, int, MPI_Comm, MPI_Request *),         \
        const void *from, const void *buf, ATN_N count, MPI_Datatype type, int dest, int tag,      \
        MPI_Comm comm, MPI_Request *request)                                                       \
    {                                                                                              \
        atn_recent_call *const before =                                                            \
            atn_tracer_recent_find(from, ATN_MIX(buf, count, dest, comm));                         \
        ATN_RECORD_CALL(next(buf, count, type, dest, tag, comm, request),                          \
                        record_nonblocking(ATN_TRACE_##id, from,                                   \
                                           MESSAGE(buf, count, type, dest, tag, comm), request,    \
                                           before, enter, exit);)                                  \
    }
#define ATN_SEND_INIT(name, id)                                                                    \
    int atn_tracer_##name(                                                                         \
        int (*next)(const void *, ATN_N, MPI_Datatype, int, int, MPI_Comm, MPI_Request *),         \
        const void *from, const void *buf, ATN_N count, MPI_Datatype type, int dest, int tag,      \
        MPI_Comm comm, MPI_Request *request)                                                       \
    {                                                                                              \
        const int code = next(buf, count, type, dest, tag, comm, request);                         \
        if (atn_tracer_is_recorded() && code == MPI_SUCCESS)                                       \
            record_persistent(ATN_TRACE_##id, from, MESSAGE(buf, count, type, dest, tag, comm),    \
                              request);                                                            \
        return code;                                                                               \
    }
#include "tracer/routines.def"

/* ---- receives; with int and with large counts ---- */

/* A receive with a wildcard needs a status, even if the program ignores it. */
#define RECORD_RECEIVE(m, invoked, ...)                                                            \
    MPI_Status own;                                                                                \
    if (status == MPI_STATUS_IGNORE && is_any(m) && atn_tracer_is_recorded())                      \
        status = &own;                                                                             \
    ATN_RECORD_CALL(invoked, __VA_ARGS__)

#define RECEIVES(_c, ATN_N)                                                                        \
    int atn_tracer_Recv##_c(                                                                       \
        int (*next)(void *, ATN_N, MPI_Datatype, int, int, MPI_Comm, MPI_Status *),                \
        const void *from, void *buf, ATN_N count, MPI_Datatype type, int source, int tag,          \
        MPI_Comm comm, MPI_Status *status)                                                         \
    {                                                                                              \
        const message *const m = MESSAGE(buf, count, type, source, tag, comm);                     \
        atn_recent_call *const before =                                                            \
            atn_tracer_recent_find(from, ATN_MIX(buf, count, source, comm));                       \
        RECORD_RECEIVE(m, next(buf, count, type, source, tag, comm, status),                       \
                       record(ATN_TRACE_RECV, from, m, status, before, enter, exit);)              \
    }                                                                                              \
    int atn_tracer_Irecv##_c(                                                                      \
        int (*next)(void *, ATN_N, MPI_Datatype, int, int, MPI_Comm, MPI_Request *),               \
        const void *from, void *buf, ATN_N count, MPI_Datatype type, int source, int tag,          \
        MPI_Comm comm, MPI_Request *request)                                                       \
    {                                                                                              \
        atn_recent_call *const before =                                                            \
            atn_tracer_recent_find(from, ATN_MIX(buf, count, source, comm));                       \
        ATN_RECORD_CALL(next(buf, count, type, source, tag, comm, request),                        \
                        record_nonblocking(ATN_TRACE_IRECV, from,                                  \
                                           MESSAGE(buf, count, type, source, tag, comm), request,  \
                                           before, enter, exit);)                                  \
    }                                                                                              \
    int atn_tracer_Recv_init##_c(                                                                  \
        int (*next)(void *, ATN_N, MPI_Datatype, int, int, MPI_Comm, MPI_Request *),               \
        const void *from, void *buf, ATN_N count, MPI_Datatype type, int source, int tag,          \
        MPI_Comm comm, MPI_Request *request)                                                       \
    {                                                                                              \
        const int code = next(buf, count, type, source, tag, comm, request);                       \
        if (atn_tracer_is_recorded() && code == MPI_SUCCESS)                                       \
            record_persistent(ATN_TRACE_START_RECEIVE, from,                                       \
                              MESSAGE(buf, count, type, source, tag, comm), request);              \
        return code;                                                                               \
    }

/* The message was matched by a probe, which has its sender. */
static void record_matched(atn_trace_op op, const void *from, const message *m, MPI_Message matched,
                           const MPI_Request *request, int64_t enter, int64_t exit)
{
    atn_tracer_lock();
    atn_trace_what what = what_of(op, from, m);
    atn_tracer_take_message(matched, &what);
    atn_trace_put(atn_tracer_rec.writer, &what, enter, exit, 0);
    if (request != NULL)
        atn_tracer_add_request(*request, atn_trace_last_request(atn_tracer_rec.writer), false, -1);
    atn_tracer_unlock();
}

#define MATCHED(name, id, last_type, last, made)                                                   \
    int atn_tracer_##name(int (*next)(void *, ATN_N, MPI_Datatype, MPI_Message *, last_type *),    \
                          const void *from, void *buf, ATN_N count, MPI_Datatype type,             \
                          MPI_Message *matched, last_type *last)                                   \
    {                                                                                              \
        if (!atn_tracer_is_recorded() || matched == NULL)                                          \
            ATN_PASS(next(buf, count, type, matched, last));                                       \
        const MPI_Message handle = *matched;                                                       \
        const int source = handle == MPI_MESSAGE_NO_PROC ? MPI_PROC_NULL : MPI_ANY_SOURCE;         \
        const int64_t enter = atn_tracer_enter();                                                  \
        const int code = next(buf, count, type, matched, last);                                    \
        const int64_t exit = atn_tracer_leave();                                                   \
        if (code == MPI_SUCCESS)                                                                   \
            record_matched(ATN_TRACE_##id, from,                                                   \
                           MESSAGE(buf, count, type, source, MPI_ANY_TAG, MPI_COMM_NULL), handle,  \
                           made, enter, exit);                                                     \
        return code;                                                                               \
    }

/* ---- send and receive ---- */

static void record_both(atn_trace_op op, const void *from, const message *out, const message *in,
                        const MPI_Status *status, int64_t enter, int64_t exit)
{
    const atn_trace_what sent = what_of(op, from, out);
    atn_trace_what received = what_of(ATN_TRACE_SENDRECV_RECEIVE, from, in);
    if (status != NULL)
        name_sender(&received, in, status);
    atn_trace_put(atn_tracer_rec.writer, &sent, enter, exit, 0);
    atn_trace_put(atn_tracer_rec.writer, &received, enter, exit, 0);
}

#define EXCHANGES(_c, ATN_N)                                                                       \
    int atn_tracer_Sendrecv##_c(                                                                   \
        int (*next)(const void *, ATN_N, MPI_Datatype, int, int, void *, ATN_N, MPI_Datatype, int, \
                    int, MPI_Comm, MPI_Status *),                                                  \
        const void *from, const void *sendbuf, ATN_N sendcount, MPI_Datatype sendtype, int dest,   \
        int sendtag, void *recvbuf, ATN_N recvcount, MPI_Datatype recvtype, int source,            \
        int recvtag, MPI_Comm comm, MPI_Status *status)                                            \
    {                                                                                              \
        const message *const in = MESSAGE(recvbuf, recvcount, recvtype, source, recvtag, comm);    \
        RECORD_RECEIVE(in,                                                                         \
                       next(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount,       \
                            recvtype, source, recvtag, comm, status),                              \
                       record_both(ATN_TRACE_SENDRECV, from,                                       \
                                   MESSAGE(sendbuf, sendcount, sendtype, dest, sendtag, comm), in, \
                                   status, enter, exit);)                                          \
    }                                                                                              \
    int atn_tracer_Sendrecv_replace##_c(                                                           \
        int (*next)(void *, ATN_N, MPI_Datatype, int, int, int, int, MPI_Comm, MPI_Status *),      \
        const void *from, void *buf, ATN_N count, MPI_Datatype type, int dest, int sendtag,        \
        int source, int recvtag, MPI_Comm comm, MPI_Status *status)                                \
    {                                                                                              \
        const message *const in = MESSAGE(buf, count, type, source, recvtag, comm);                \
        RECORD_RECEIVE(in, next(buf, count, type, dest, sendtag, source, recvtag, comm, status),   \
                       record_both(ATN_TRACE_SENDRECV_REPLACE, from,                               \
                                   MESSAGE(buf, count, type, dest, sendtag, comm), in, status,     \
                                   enter, exit);)                                                  \
    }

/* One request for send and receive. */
#if MPI_VERSION >= 4
static void record_both_nonblocking(atn_trace_op op, const void *from, const message *out,
                                    const message *in, const MPI_Request *request, int64_t enter,
                                    int64_t exit)
{
    const atn_trace_what sent = what_of(op, from, out);
    const atn_trace_what received = what_of(ATN_TRACE_ISENDRECV_RECEIVE, from, in);
    atn_trace_put(atn_tracer_rec.writer, &sent, enter, exit, 0);
    atn_trace_put(atn_tracer_rec.writer, &received, enter, exit, 0);
    atn_tracer_add_request(*request, atn_trace_last_request(atn_tracer_rec.writer), is_any(in),
                           received.comm);
}

#define NONBLOCKING_EXCHANGES(_c, ATN_N)                                                           \
    int atn_tracer_Isendrecv##_c(                                                                  \
        int (*next)(const void *, ATN_N, MPI_Datatype, int, int, void *, ATN_N, MPI_Datatype, int, \
                    int, MPI_Comm, MPI_Request *),                                                 \
        const void *from, const void *sendbuf, ATN_N sendcount, MPI_Datatype sendtype, int dest,   \
        int sendtag, void *recvbuf, ATN_N recvcount, MPI_Datatype recvtype, int source,            \
        int recvtag, MPI_Comm comm, MPI_Request *request)                                          \
    {                                                                                              \
        ATN_RECORD_CALL(                                                                           \
            next(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype,        \
                 source, recvtag, comm, request),                                                  \
            record_both_nonblocking(ATN_TRACE_ISENDRECV, from,                                     \
                                    MESSAGE(sendbuf, sendcount, sendtype, dest, sendtag, comm),    \
                                    MESSAGE(recvbuf, recvcount, recvtype, source, recvtag, comm),  \
                                    request, enter, exit);)                                        \
    }                                                                                              \
    int atn_tracer_Isendrecv_replace##_c(                                                          \
        int (*next)(void *, ATN_N, MPI_Datatype, int, int, int, int, MPI_Comm, MPI_Request *),     \
        const void *from, void *buf, ATN_N count, MPI_Datatype type, int dest, int sendtag,        \
        int source, int recvtag, MPI_Comm comm, MPI_Request *request)                              \
    {                                                                                              \
        ATN_RECORD_CALL(next(buf, count, type, dest, sendtag, source, recvtag, comm, request),     \
                        record_both_nonblocking(ATN_TRACE_ISENDRECV_REPLACE, from,                 \
                                                MESSAGE(buf, count, type, dest, sendtag, comm),    \
                                                MESSAGE(buf, count, type, source, recvtag, comm),  \
                                                request, enter, exit);)                            \
    }
NONBLOCKING_EXCHANGES(, int)
NONBLOCKING_EXCHANGES(_c, MPI_Count)
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
    atn_tracer_lock();
    record_described(op, from, MESSAGE(NULL, 0, MPI_BYTE, source, tag, comm), NULL, enter, exit);
    atn_tracer_unlock();
}

/* Nonblocking probes. */
static int record_iprobe(atn_trace_op op, const void *from, int source, int tag, MPI_Comm comm,
                         int code, bool found, int64_t enter)
{
    atn_depth--;
    if (found) {
        const int64_t took = atn_tracer_poll_took(enter), exit = atn_tracer_now();
        record_probe(op, from, source, tag, comm, exit - took, exit);
    } else {
        atn_tracer_count_unsuccessful(enter);
    }
    return code;
}

int atn_tracer_Probe(int (*next)(int, int, MPI_Comm, MPI_Status *), const void *from, int source,
                     int tag, MPI_Comm comm, MPI_Status *status)
{
    ATN_RECORD_CALL(next(source, tag, comm, status),
                    record_described(ATN_TRACE_PROBE, from,
                                     MESSAGE(NULL, 0, MPI_BYTE, source, tag, comm), NULL, enter,
                                     exit);)
}

/* The status has the sender; it is requested even if the program ignores it. */
static void store_matched(const void *from, const message *m, MPI_Message matched,
                          const MPI_Status *status)
{
    if (matched == MPI_MESSAGE_NO_PROC || matched == MPI_MESSAGE_NULL)
        return;
    atn_tracer_lock();
    atn_trace_what what = what_of(ATN_TRACE_MRECV, from, m);
    name_sender(&what, m, status);
    atn_tracer_add_message(matched, &what);
    atn_tracer_unlock();
}

int atn_tracer_Mprobe(int (*next)(int, int, MPI_Comm, MPI_Message *, MPI_Status *),
                      const void *from, int source, int tag, MPI_Comm comm, MPI_Message *matched,
                      MPI_Status *status)
{
    if (!atn_tracer_is_recorded())
        ATN_PASS(next(source, tag, comm, matched, status));
    MPI_Status own;
    if (status == MPI_STATUS_IGNORE)
        status = &own;
    const int64_t enter = atn_tracer_enter();
    const int code = next(source, tag, comm, matched, status);
    const int64_t exit = atn_tracer_leave();
    if (code == MPI_SUCCESS) {
        store_matched(from, MESSAGE(NULL, 0, MPI_BYTE, source, tag, comm), *matched, status);
        record_probe(ATN_TRACE_MPROBE, from, source, tag, comm, enter, exit);
    }
    return code;
}

static int iprobe(int (*next)(int, int, MPI_Comm, int *, MPI_Status *), const void *from,
                  int source, int tag, MPI_Comm comm, int *flag, MPI_Status *status)
{
    if (!atn_tracer_is_recorded())
        ATN_PASS(next(source, tag, comm, flag, status));
    const int64_t enter = atn_tracer_enter_poll();
    const int code = next(source, tag, comm, flag, status);
    return record_iprobe(ATN_TRACE_IPROBE, from, source, tag, comm, code,
                         code == MPI_SUCCESS && *flag, enter);
}

ATN_RARE static int found(const void *from, int source, int tag, MPI_Comm comm)
{
    const int64_t took = atn_tracer_poll_took(atn_tracer_rec.entered), exit = atn_tracer_now();
    atn_tracer_rec.found++;
    record_probe(ATN_TRACE_IPROBE, from, source, tag, comm, exit - took, exit);
    return MPI_SUCCESS;
}

ATN_FAST int poll(const atn_tracer_routines *real, int source, int tag, MPI_Comm comm, int *flag,
                  MPI_Status *status)
{
    atn_recorder *const rec = atn_tracer_poller();
    if (ATN_RARELY(!atn_tracer_poll_is_fast(rec)))
        return iprobe(ATN_REAL(atn_tracer_, *real, Iprobe), ATN_FROM(), source, tag, comm, flag,
                      status);
    const int64_t state = atn_tracer_begin_poll(rec);
    const int code = real->Iprobe(source, tag, comm, flag, status);
    rec->poll_state = state;
    if (ATN_RARELY(code != MPI_SUCCESS))
        return code;
    if (ATN_RARELY(*flag))
        return found(ATN_FROM(), source, tag, comm);
    return atn_tracer_poll_unsuccessful(rec, state);
}
ATN_ENTRY_POINTS_TEST(Iprobe, poll,
                      (int source, int tag, MPI_Comm comm, int *flag, MPI_Status *status),
                      (source, tag, comm, flag, status))

int atn_tracer_Improbe(int (*next)(int, int, MPI_Comm, int *, MPI_Message *, MPI_Status *),
                       const void *from, int source, int tag, MPI_Comm comm, int *flag,
                       MPI_Message *matched, MPI_Status *status)
{
    if (!atn_tracer_is_recorded())
        ATN_PASS(next(source, tag, comm, flag, matched, status));
    MPI_Status own;
    if (status == MPI_STATUS_IGNORE)
        status = &own;
    const int64_t enter = atn_tracer_enter_poll();
    const int code = next(source, tag, comm, flag, matched, status);
    if (code == MPI_SUCCESS && *flag)
        store_matched(from, MESSAGE(NULL, 0, MPI_BYTE, source, tag, comm), *matched, status);
    return record_iprobe(ATN_TRACE_IMPROBE, from, source, tag, comm, code,
                         code == MPI_SUCCESS && *flag, enter);
}
