/* receives.c - calls that receive or look for messages. */
#include <stdlib.h>

#include "pmpi/messages/early.h"
#include "pmpi/messages/partners.h"
#include "trace/handles.h"

/* ---- matched messages ----
 *
 * A matched probe gives the program a handle, which only MPI can make: that of an empty message to
 * ourselves, which stands for the one that is here. */

typedef struct {
    atn_early_message *m; /* NULL: free */
    MPI_Request sent;
} token;

static ATN_VEC(token) tokens;
static atn_handles by_message;
#define KEY(handle) ((uint64_t)(uintptr_t)(handle))
enum { TOKEN_TAG = 2 };

static void hand_out(atn_early_message *m, MPI_Message *message)
{
    int i = 0;
    while (i < tokens.n && tokens.v[i].m != NULL)
        i++;
    if (i == tokens.n && !atn_push(&tokens, (token){0}))
        PMPI_Abort(MPI_COMM_WORLD, 1);
    tokens.v[i].m = m;
    atn_pbehind.Isend(NULL, 0, MPI_BYTE, 0, TOKEN_TAG, atn_early.own, &tokens.v[i].sent);
    atn_pbehind.Mprobe(0, TOKEN_TAG, atn_early.own, message, MPI_STATUS_IGNORE);
    if (!atn_handles_set(&by_message, KEY(*message), (uint32_t)i))
        PMPI_Abort(MPI_COMM_WORLD, 1);
}

/* The message that a handle stands for; NULL: it is MPI's own. */
static atn_early_message *take_back(MPI_Message *message)
{
    const int64_t i = by_message.n > 0 && message != NULL
                          ? atn_handles_remove(&by_message, KEY(*message))
                          : ATN_HANDLE_NONE;
    if (i < 0)
        return NULL;
    atn_early_message *const m = tokens.v[i].m;
    atn_pbehind.Mrecv(NULL, 0, MPI_BYTE, message, MPI_STATUS_IGNORE);
    atn_pbehind.Wait(&tokens.v[i].sent, MPI_STATUS_IGNORE);
    tokens.v[i].m = NULL;
    return m;
}

/* ---- probes ---- */

int atn_on_Probe(int (*next)(int, int, MPI_Comm, MPI_Status *), const void *from, int source,
                 int tag, MPI_Comm comm, MPI_Status *status)
{
    const atn_early_message *const m =
        atn_early.on ? atn_early_peek(source, tag, comm, from) : NULL;
    if (m == NULL)
        return next(source, tag, comm, status);
    atn_early_status(m, status);
    return MPI_SUCCESS;
}

int atn_on_Iprobe(int (*next)(int, int, MPI_Comm, int *, MPI_Status *), const void *from,
                  int source, int tag, MPI_Comm comm, int *flag, MPI_Status *status)
{
    const atn_early_message *const m =
        atn_early.on ? atn_early_peek(source, tag, comm, from) : NULL;
    if (m == NULL)
        return next(source, tag, comm, flag, status);
    *flag = 1;
    atn_early_status(m, status);
    return MPI_SUCCESS;
}

int atn_on_Mprobe(int (*next)(int, int, MPI_Comm, MPI_Message *, MPI_Status *), const void *from,
                  int source, int tag, MPI_Comm comm, MPI_Message *message, MPI_Status *status)
{
    if (!atn_early.on || atn_early_peek(source, tag, comm, from) == NULL)
        return next(source, tag, comm, message, status);
    atn_early_enter();
    atn_early_message *const m = atn_early_claim(source, tag, comm, from);
    atn_early_status(m, status);
    hand_out(m, message);
    return atn_early_exit(MPI_SUCCESS);
}

int atn_on_Improbe(int (*next)(int, int, MPI_Comm, int *, MPI_Message *, MPI_Status *),
                   const void *from, int source, int tag, MPI_Comm comm, int *flag,
                   MPI_Message *message, MPI_Status *status)
{
    if (!atn_early.on || atn_early_peek(source, tag, comm, from) == NULL)
        return next(source, tag, comm, flag, message, status);
    *flag = 1;
    return atn_on_Mprobe(NULL, from, source, tag, comm, message, status);
}

/* ---- receives ---- */

#define RECEIVES(_c, ATN_N)                                                                        \
    int atn_on_Recv##_c(                                                                           \
        int (*next)(void *, ATN_N, MPI_Datatype, int, int, MPI_Comm, MPI_Status *),                \
        const void *from, void *buf, ATN_N count, MPI_Datatype type, int source, int tag,          \
        MPI_Comm comm, MPI_Status *status)                                                         \
    {                                                                                              \
        if (!atn_early.on)                                                                         \
            return next(buf, count, type, source, tag, comm, status);                              \
        atn_early_enter();                                                                         \
        atn_early_message *const m = atn_early_claim(source, tag, comm, from);                     \
        return atn_early_exit(                                                                     \
            m != NULL ? atn_early_receive(m, ATN_TARGET(buf, count, type, comm), status)           \
                      : next(buf, count, type, source, tag, comm, status));                        \
    }                                                                                              \
    int atn_on_Irecv##_c(                                                                          \
        int (*next)(void *, ATN_N, MPI_Datatype, int, int, MPI_Comm, MPI_Request *),               \
        const void *from, void *buf, ATN_N count, MPI_Datatype type, int source, int tag,          \
        MPI_Comm comm, MPI_Request *request)                                                       \
    {                                                                                              \
        if (!atn_early.on)                                                                         \
            return next(buf, count, type, source, tag, comm, request);                             \
        atn_early_enter();                                                                         \
        atn_early_message *const m = atn_early_claim(source, tag, comm, from);                     \
        return atn_early_exit(m != NULL ? atn_later_bind(m, ATN_TARGET(buf, count, type, comm),    \
                                                         MPI_REQUEST_NULL, NULL, request)          \
                                        : next(buf, count, type, source, tag, comm, request));     \
    }                                                                                              \
    int atn_on_Recv_init##_c(                                                                      \
        int (*next)(void *, ATN_N, MPI_Datatype, int, int, MPI_Comm, MPI_Request *),               \
        const void *from, void *buf, ATN_N count, MPI_Datatype type, int source, int tag,          \
        MPI_Comm comm, MPI_Request *request)                                                       \
    {                                                                                              \
        if (!atn_early.on)                                                                         \
            return next(buf, count, type, source, tag, comm, request);                             \
        atn_early.depth++;                                                                         \
        const int code = next(buf, count, type, source, tag, comm, request);                       \
        atn_early.depth--;                                                                         \
        atn_known *const c =                                                                       \
            atn_early.depth == 0 && code == MPI_SUCCESS && source != MPI_PROC_NULL                 \
                ? atn_known_comm(comm, from)                                                       \
                : NULL;                                                                            \
        return c == NULL ? code                                                                    \
                         : atn_later_prepare(c, source, tag, ATN_TARGET(buf, count, type, comm),   \
                                             from, *request);                                      \
    }                                                                                              \
    int atn_on_Mrecv##_c(int (*next)(void *, ATN_N, MPI_Datatype, MPI_Message *, MPI_Status *),    \
                         const void *from, void *buf, ATN_N count, MPI_Datatype type,              \
                         MPI_Message *message, MPI_Status *status)                                 \
    {                                                                                              \
        (void)from;                                                                                \
        atn_early_message *const m = take_back(message);                                           \
        return m != NULL ? atn_early_receive(m, ATN_TARGET(buf, count, type, m->comm), status)     \
                         : next(buf, count, type, message, status);                                \
    }                                                                                              \
    int atn_on_Imrecv##_c(int (*next)(void *, ATN_N, MPI_Datatype, MPI_Message *, MPI_Request *),  \
                          const void *from, void *buf, ATN_N count, MPI_Datatype type,             \
                          MPI_Message *message, MPI_Request *request)                              \
    {                                                                                              \
        (void)from;                                                                                \
        atn_early_message *const m = take_back(message);                                           \
        return m != NULL ? atn_later_bind(m, ATN_TARGET(buf, count, type, m->comm),                \
                                          MPI_REQUEST_NULL, NULL, request)                         \
                         : next(buf, count, type, message, request);                               \
    }

/* ---- both ways: the message is here, so only the sending is left ---- */

#define EXCHANGES(_c, ATN_N)                                                                       \
    int atn_on_Sendrecv##_c(int (*next)(const void *, ATN_N, MPI_Datatype, int, int, void *,       \
                                        ATN_N, MPI_Datatype, int, int, MPI_Comm, MPI_Status *),    \
                            const void *from, const void *sendbuf, ATN_N sendcount,                \
                            MPI_Datatype sendtype, int dest, int sendtag, void *recvbuf,           \
                            ATN_N recvcount, MPI_Datatype recvtype, int source, int recvtag,       \
                            MPI_Comm comm, MPI_Status *status)                                     \
    {                                                                                              \
        MPI_Request sent;                                                                          \
        atn_partners_saw(dest, comm, from);                                                        \
        if (!atn_early.on)                                                                         \
            return next(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, \
                        source, recvtag, comm, status);                                            \
        atn_early_enter();                                                                         \
        atn_early_message *const m = atn_early_claim(source, recvtag, comm, from);                 \
        if (m == NULL)                                                                             \
            return atn_early_exit(next(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf,       \
                                       recvcount, recvtype, source, recvtag, comm, status));       \
        int code =                                                                                 \
            atn_pbehind.Isend##_c(sendbuf, sendcount, sendtype, dest, sendtag, comm, &sent);       \
        const int got =                                                                            \
            atn_early_receive(m, ATN_TARGET(recvbuf, recvcount, recvtype, comm), status);          \
        if (code == MPI_SUCCESS)                                                                   \
            code = atn_pbehind.Wait(&sent, MPI_STATUS_IGNORE);                                     \
        return atn_early_exit(code != MPI_SUCCESS ? code : got);                                   \
    }                                                                                              \
    int atn_on_Sendrecv_replace##_c(                                                               \
        int (*next)(void *, ATN_N, MPI_Datatype, int, int, int, int, MPI_Comm, MPI_Status *),      \
        const void *from, void *buf, ATN_N count, MPI_Datatype type, int dest, int sendtag,        \
        int source, int recvtag, MPI_Comm comm, MPI_Status *status)                                \
    {                                                                                              \
        atn_partners_saw(dest, comm, from);                                                        \
        if (!atn_early.on)                                                                         \
            return next(buf, count, type, dest, sendtag, source, recvtag, comm, status);           \
        atn_early_enter();                                                                         \
        atn_early_message *const m = atn_early_claim(source, recvtag, comm, from);                 \
        if (m == NULL)                                                                             \
            return atn_early_exit(                                                                 \
                next(buf, count, type, dest, sendtag, source, recvtag, comm, status));             \
        const int code = atn_pbehind.Send##_c(buf, count, type, dest, sendtag, comm);              \
        const int got = atn_early_receive(m, ATN_TARGET(buf, count, type, comm), status);          \
        return atn_early_exit(code != MPI_SUCCESS ? code : got);                                   \
    }

RECEIVES(, int)
EXCHANGES(, int)
#if MPI_VERSION >= 4
RECEIVES(_c, MPI_Count)
EXCHANGES(_c, MPI_Count)

/* The parts of a request that sends and receives. */
static int bind_both(int code, atn_early_message *m, const atn_target *t, MPI_Request sent,
                     void *packed, MPI_Request *request)
{
    return atn_later_bind(m, t, code == MPI_SUCCESS ? sent : MPI_REQUEST_NULL, packed, request);
}

/* What is to be replaced goes out as a copy. */
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
               : atn_pbehind.Isend_c(*packed_p, at, MPI_PACKED, dest, tag, comm, sent_p);
}

#define BOTH_LATER(_c, ATN_N)                                                                      \
    int atn_on_Isendrecv##_c(int (*next)(const void *, ATN_N, MPI_Datatype, int, int, void *,      \
                                         ATN_N, MPI_Datatype, int, int, MPI_Comm, MPI_Request *),  \
                             const void *from, const void *sendbuf, ATN_N sendcount,               \
                             MPI_Datatype sendtype, int dest, int sendtag, void *recvbuf,          \
                             ATN_N recvcount, MPI_Datatype recvtype, int source, int recvtag,      \
                             MPI_Comm comm, MPI_Request *request)                                  \
    {                                                                                              \
        MPI_Request sent;                                                                          \
        atn_partners_saw(dest, comm, from);                                                        \
        if (!atn_early.on)                                                                         \
            return next(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, \
                        source, recvtag, comm, request);                                           \
        atn_early_enter();                                                                         \
        atn_early_message *const m = atn_early_claim(source, recvtag, comm, from);                 \
        if (m == NULL)                                                                             \
            return atn_early_exit(next(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf,       \
                                       recvcount, recvtype, source, recvtag, comm, request));      \
        const int code =                                                                           \
            atn_pbehind.Isend##_c(sendbuf, sendcount, sendtype, dest, sendtag, comm, &sent);       \
        const int got = bind_both(code, m, ATN_TARGET(recvbuf, recvcount, recvtype, comm), sent,   \
                                  NULL, request);                                                  \
        return atn_early_exit(code != MPI_SUCCESS ? code : got);                                   \
    }                                                                                              \
    int atn_on_Isendrecv_replace##_c(                                                              \
        int (*next)(void *, ATN_N, MPI_Datatype, int, int, int, int, MPI_Comm, MPI_Request *),     \
        const void *from, void *buf, ATN_N count, MPI_Datatype type, int dest, int sendtag,        \
        int source, int recvtag, MPI_Comm comm, MPI_Request *request)                              \
    {                                                                                              \
        MPI_Request sent;                                                                          \
        void *packed = NULL;                                                                       \
        atn_partners_saw(dest, comm, from);                                                        \
        if (!atn_early.on)                                                                         \
            return next(buf, count, type, dest, sendtag, source, recvtag, comm, request);          \
        atn_early_enter();                                                                         \
        atn_early_message *const m = atn_early_claim(source, recvtag, comm, from);                 \
        if (m == NULL)                                                                             \
            return atn_early_exit(                                                                 \
                next(buf, count, type, dest, sendtag, source, recvtag, comm, request));            \
        const int code = send_copy(buf, count, type, dest, sendtag, comm, &packed, &sent);         \
        const int got =                                                                            \
            bind_both(code, m, ATN_TARGET(buf, count, type, comm), sent, packed, request);         \
        return atn_early_exit(code != MPI_SUCCESS ? code : got);                                   \
    }
BOTH_LATER(, int)
BOTH_LATER(_c, MPI_Count)
#endif
