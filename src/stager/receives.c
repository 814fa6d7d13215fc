/* receives.c - handlers of calls that receive or probe. */
#include <stdlib.h>

#include "stager/requests.h"
#include "stager/staging.h"
#include "stager/warmup.h"
#include "trace/handles.h"

/* ---- matched messages ----
 *
 * A matched probe returns a message handle, which only MPI can make: that of an empty message of
 * this rank to itself, which represents the staged one. */

typedef struct {
    atn_staged_message *m; /* NULL: free */
    MPI_Request sent;
} token;

static ATN_VEC(token) tokens;
static atn_handles by_message;
enum { TOKEN_TAG = 2 };

static void make_handle(atn_staged_message *m, MPI_Message *message)
{
    int i = 0;
    while (i < tokens.n && tokens.v[i].m != NULL)
        i++;
    if (i == tokens.n && !atn_push(&tokens, (token){0}))
        PMPI_Abort(MPI_COMM_WORLD, 1);
    tokens.v[i].m = m;
    atn_stager_pmpi.Isend(NULL, 0, MPI_BYTE, 0, TOKEN_TAG, atn_stager.self, &tokens.v[i].sent);
    atn_stager_pmpi.Mprobe(0, TOKEN_TAG, atn_stager.self, message, MPI_STATUS_IGNORE);
    if (!atn_trace_handles_set(&by_message, ATN_KEY(*message), (uint32_t)i))
        PMPI_Abort(MPI_COMM_WORLD, 1);
}

/* The staged message that a handle represents; NULL: a message in MPI. */
static atn_staged_message *take_message(MPI_Message *message)
{
    const int64_t i = by_message.n > 0 && message != NULL
                          ? atn_trace_handles_remove(&by_message, ATN_KEY(*message))
                          : ATN_HANDLE_NONE;
    if (i < 0)
        return NULL;
    atn_staged_message *const m = tokens.v[i].m;
    atn_stager_pmpi.Mrecv(NULL, 0, MPI_BYTE, message, MPI_STATUS_IGNORE);
    atn_stager_pmpi.Wait(&tokens.v[i].sent, MPI_STATUS_IGNORE);
    tokens.v[i].m = NULL;
    return m;
}

/* ---- probes ---- */

int atn_stager_Probe(int (*next)(int, int, MPI_Comm, MPI_Status *), const void *from, int source,
                     int tag, MPI_Comm comm, MPI_Status *status)
{
    const atn_staged_message *const m =
        atn_stager.on ? atn_stager_probe(source, tag, comm, from) : NULL;
    if (m == NULL)
        return next(source, tag, comm, status);
    atn_stager_staged_get_status(m, status);
    return MPI_SUCCESS;
}

int atn_stager_Iprobe(int (*next)(int, int, MPI_Comm, int *, MPI_Status *), const void *from,
                      int source, int tag, MPI_Comm comm, int *flag, MPI_Status *status)
{
    const atn_staged_message *const m =
        atn_stager.on ? atn_stager_probe(source, tag, comm, from) : NULL;
    if (m == NULL)
        return next(source, tag, comm, flag, status);
    *flag = 1;
    atn_stager_staged_get_status(m, status);
    return MPI_SUCCESS;
}

int atn_stager_Mprobe(int (*next)(int, int, MPI_Comm, MPI_Message *, MPI_Status *),
                      const void *from, int source, int tag, MPI_Comm comm, MPI_Message *message,
                      MPI_Status *status)
{
    if (!atn_stager.on || atn_stager_probe(source, tag, comm, from) == NULL)
        return next(source, tag, comm, message, status);
    atn_stager_enter();
    atn_staged_message *const m = atn_stager_match(source, tag, comm, from);
    atn_stager_staged_get_status(m, status);
    make_handle(m, message);
    return atn_stager_leave(MPI_SUCCESS);
}

int atn_stager_Improbe(int (*next)(int, int, MPI_Comm, int *, MPI_Message *, MPI_Status *),
                       const void *from, int source, int tag, MPI_Comm comm, int *flag,
                       MPI_Message *message, MPI_Status *status)
{
    if (!atn_stager.on || atn_stager_probe(source, tag, comm, from) == NULL)
        return next(source, tag, comm, flag, message, status);
    *flag = 1;
    return atn_stager_Mprobe(NULL, from, source, tag, comm, message, status);
}

/* ---- receives ---- */

#define RECEIVES(_c, ATN_N)                                                                        \
    int atn_stager_Recv##_c(                                                                       \
        int (*next)(void *, ATN_N, MPI_Datatype, int, int, MPI_Comm, MPI_Status *),                \
        const void *from, void *buf, ATN_N count, MPI_Datatype type, int source, int tag,          \
        MPI_Comm comm, MPI_Status *status)                                                         \
    {                                                                                              \
        if (!atn_stager.on)                                                                        \
            return next(buf, count, type, source, tag, comm, status);                              \
        atn_stager_enter();                                                                        \
        atn_staged_message *const m = atn_stager_match(source, tag, comm, from);                   \
        return atn_stager_leave(                                                                   \
            m != NULL ? atn_stager_staged_receive(m, ATN_BUFFER(buf, count, type, comm), status)   \
                      : next(buf, count, type, source, tag, comm, status));                        \
    }                                                                                              \
    int atn_stager_Irecv##_c(                                                                      \
        int (*next)(void *, ATN_N, MPI_Datatype, int, int, MPI_Comm, MPI_Request *),               \
        const void *from, void *buf, ATN_N count, MPI_Datatype type, int source, int tag,          \
        MPI_Comm comm, MPI_Request *request)                                                       \
    {                                                                                              \
        if (!atn_stager.on)                                                                        \
            return next(buf, count, type, source, tag, comm, request);                             \
        atn_stager_enter();                                                                        \
        atn_staged_message *const m = atn_stager_match(source, tag, comm, from);                   \
        return atn_stager_leave(m != NULL ? atn_stager_bind(m, ATN_BUFFER(buf, count, type, comm), \
                                                            MPI_REQUEST_NULL, NULL, request)       \
                                          : next(buf, count, type, source, tag, comm, request));   \
    }                                                                                              \
    int atn_stager_Recv_init##_c(                                                                  \
        int (*next)(void *, ATN_N, MPI_Datatype, int, int, MPI_Comm, MPI_Request *),               \
        const void *from, void *buf, ATN_N count, MPI_Datatype type, int source, int tag,          \
        MPI_Comm comm, MPI_Request *request)                                                       \
    {                                                                                              \
        if (!atn_stager.on)                                                                        \
            return next(buf, count, type, source, tag, comm, request);                             \
        atn_stager.depth++;                                                                        \
        const int code = next(buf, count, type, source, tag, comm, request);                       \
        atn_stager.depth--;                                                                        \
        atn_stager_comm *const c =                                                                 \
            atn_stager.depth == 0 && code == MPI_SUCCESS && source != MPI_PROC_NULL                \
                ? atn_stager_comm_find(comm, from)                                                 \
                : NULL;                                                                            \
        return c == NULL                                                                           \
                   ? code                                                                          \
                   : atn_stager_add_persistent(c, source, tag, ATN_BUFFER(buf, count, type, comm), \
                                               from, *request);                                    \
    }                                                                                              \
    int atn_stager_Mrecv##_c(                                                                      \
        int (*next)(void *, ATN_N, MPI_Datatype, MPI_Message *, MPI_Status *), const void *from,   \
        void *buf, ATN_N count, MPI_Datatype type, MPI_Message *message, MPI_Status *status)       \
    {                                                                                              \
        (void)from;                                                                                \
        atn_staged_message *const m = take_message(message);                                       \
        return m != NULL                                                                           \
                   ? atn_stager_staged_receive(m, ATN_BUFFER(buf, count, type, m->comm), status)   \
                   : next(buf, count, type, message, status);                                      \
    }                                                                                              \
    int atn_stager_Imrecv##_c(                                                                     \
        int (*next)(void *, ATN_N, MPI_Datatype, MPI_Message *, MPI_Request *), const void *from,  \
        void *buf, ATN_N count, MPI_Datatype type, MPI_Message *message, MPI_Request *request)     \
    {                                                                                              \
        (void)from;                                                                                \
        atn_staged_message *const m = take_message(message);                                       \
        return m != NULL ? atn_stager_bind(m, ATN_BUFFER(buf, count, type, m->comm),               \
                                           MPI_REQUEST_NULL, NULL, request)                        \
                         : next(buf, count, type, message, request);                               \
    }

/* ---- send and receive; with a staged message only the send remains ---- */

#define EXCHANGES(_c, ATN_N)                                                                       \
    int atn_stager_Sendrecv##_c(                                                                   \
        int (*next)(const void *, ATN_N, MPI_Datatype, int, int, void *, ATN_N, MPI_Datatype, int, \
                    int, MPI_Comm, MPI_Status *),                                                  \
        const void *from, const void *sendbuf, ATN_N sendcount, MPI_Datatype sendtype, int dest,   \
        int sendtag, void *recvbuf, ATN_N recvcount, MPI_Datatype recvtype, int source,            \
        int recvtag, MPI_Comm comm, MPI_Status *status)                                            \
    {                                                                                              \
        MPI_Request sent;                                                                          \
        atn_stager_warmup_note_send(dest, comm, from);                                             \
        if (!atn_stager.on)                                                                        \
            return next(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, \
                        source, recvtag, comm, status);                                            \
        atn_stager_enter();                                                                        \
        atn_staged_message *const m = atn_stager_match(source, recvtag, comm, from);               \
        if (m == NULL)                                                                             \
            return atn_stager_leave(next(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf,     \
                                         recvcount, recvtype, source, recvtag, comm, status));     \
        int code =                                                                                 \
            atn_stager_pmpi.Isend##_c(sendbuf, sendcount, sendtype, dest, sendtag, comm, &sent);   \
        const int got =                                                                            \
            atn_stager_staged_receive(m, ATN_BUFFER(recvbuf, recvcount, recvtype, comm), status);  \
        if (code == MPI_SUCCESS)                                                                   \
            code = atn_stager_pmpi.Wait(&sent, MPI_STATUS_IGNORE);                                 \
        return atn_stager_leave(code != MPI_SUCCESS ? code : got);                                 \
    }                                                                                              \
    int atn_stager_Sendrecv_replace##_c(                                                           \
        int (*next)(void *, ATN_N, MPI_Datatype, int, int, int, int, MPI_Comm, MPI_Status *),      \
        const void *from, void *buf, ATN_N count, MPI_Datatype type, int dest, int sendtag,        \
        int source, int recvtag, MPI_Comm comm, MPI_Status *status)                                \
    {                                                                                              \
        atn_stager_warmup_note_send(dest, comm, from);                                             \
        if (!atn_stager.on)                                                                        \
            return next(buf, count, type, dest, sendtag, source, recvtag, comm, status);           \
        atn_stager_enter();                                                                        \
        atn_staged_message *const m = atn_stager_match(source, recvtag, comm, from);               \
        if (m == NULL)                                                                             \
            return atn_stager_leave(                                                               \
                next(buf, count, type, dest, sendtag, source, recvtag, comm, status));             \
        const int code = atn_stager_pmpi.Send##_c(buf, count, type, dest, sendtag, comm);          \
        const int got = atn_stager_staged_receive(m, ATN_BUFFER(buf, count, type, comm), status);  \
        return atn_stager_leave(code != MPI_SUCCESS ? code : got);                                 \
    }

RECEIVES(, int)
EXCHANGES(, int)
#if MPI_VERSION >= 4
RECEIVES(_c, MPI_Count)
EXCHANGES(_c, MPI_Count)

/* One request for the send and the receive. */
static int bind_both(int code, atn_staged_message *m, const atn_receive_buffer *b, MPI_Request sent,
                     void *packed, MPI_Request *request)
{
    return atn_stager_bind(m, b, code == MPI_SUCCESS ? sent : MPI_REQUEST_NULL, packed, request);
}

/* The data is sent from a copy, because the receive overwrites it. */
static int send_copy(const void *buf, MPI_Count count, MPI_Datatype type, int dest, int tag,
                     MPI_Comm comm, void **packed_p, MPI_Request *sent_p)
{
    MPI_Count bytes = 0, at = 0;
    PMPI_Pack_size_c(count, type, comm, &bytes);
    *packed_p = malloc((size_t)bytes + 1);
    if (*packed_p == NULL)
        PMPI_Abort(MPI_COMM_WORLD, 1);
    const int code = PMPI_Pack_c(buf, count, type, *packed_p, bytes, &at, comm);
    return code != MPI_SUCCESS
               ? code
               : atn_stager_pmpi.Isend_c(*packed_p, at, MPI_PACKED, dest, tag, comm, sent_p);
}

#define NONBLOCKING_EXCHANGES(_c, ATN_N)                                                           \
    int atn_stager_Isendrecv##_c(                                                                  \
        int (*next)(const void *, ATN_N, MPI_Datatype, int, int, void *, ATN_N, MPI_Datatype, int, \
                    int, MPI_Comm, MPI_Request *),                                                 \
        const void *from, const void *sendbuf, ATN_N sendcount, MPI_Datatype sendtype, int dest,   \
        int sendtag, void *recvbuf, ATN_N recvcount, MPI_Datatype recvtype, int source,            \
        int recvtag, MPI_Comm comm, MPI_Request *request)                                          \
    {                                                                                              \
        MPI_Request sent;                                                                          \
        atn_stager_warmup_note_send(dest, comm, from);                                             \
        if (!atn_stager.on)                                                                        \
            return next(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, \
                        source, recvtag, comm, request);                                           \
        atn_stager_enter();                                                                        \
        atn_staged_message *const m = atn_stager_match(source, recvtag, comm, from);               \
        if (m == NULL)                                                                             \
            return atn_stager_leave(next(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf,     \
                                         recvcount, recvtype, source, recvtag, comm, request));    \
        const int code =                                                                           \
            atn_stager_pmpi.Isend##_c(sendbuf, sendcount, sendtype, dest, sendtag, comm, &sent);   \
        const int got = bind_both(code, m, ATN_BUFFER(recvbuf, recvcount, recvtype, comm), sent,   \
                                  NULL, request);                                                  \
        return atn_stager_leave(code != MPI_SUCCESS ? code : got);                                 \
    }                                                                                              \
    int atn_stager_Isendrecv_replace##_c(                                                          \
        int (*next)(void *, ATN_N, MPI_Datatype, int, int, int, int, MPI_Comm, MPI_Request *),     \
        const void *from, void *buf, ATN_N count, MPI_Datatype type, int dest, int sendtag,        \
        int source, int recvtag, MPI_Comm comm, MPI_Request *request)                              \
    {                                                                                              \
        MPI_Request sent;                                                                          \
        void *packed = NULL;                                                                       \
        atn_stager_warmup_note_send(dest, comm, from);                                             \
        if (!atn_stager.on)                                                                        \
            return next(buf, count, type, dest, sendtag, source, recvtag, comm, request);          \
        atn_stager_enter();                                                                        \
        atn_staged_message *const m = atn_stager_match(source, recvtag, comm, from);               \
        if (m == NULL)                                                                             \
            return atn_stager_leave(                                                               \
                next(buf, count, type, dest, sendtag, source, recvtag, comm, request));            \
        const int code = send_copy(buf, count, type, dest, sendtag, comm, &packed, &sent);         \
        const int got =                                                                            \
            bind_both(code, m, ATN_BUFFER(buf, count, type, comm), sent, packed, request);         \
        return atn_stager_leave(code != MPI_SUCCESS ? code : got);                                 \
    }
NONBLOCKING_EXCHANGES(, int)
NONBLOCKING_EXCHANGES(_c, MPI_Count)
#endif
