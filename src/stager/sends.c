/* sends.c - handlers of calls that send.  The sends themselves are unchanged: the stager notes
 * their destinations, and stages messages at the end of the call. */
#include "stager/staging.h"
#include "stager/synchronous.h"
#include "stager/warmup.h"

static void note_send(int dest, int tag, MPI_Comm comm, const void *from)
{
    atn_stager_warmup_note_send(dest, comm, from);
    atn_stager_note_send(dest, tag, comm, from);
}

static void note_synchronous(int dest, int tag, MPI_Comm comm, const void *from)
{
    note_send(dest, tag, comm, from);
    atn_stager_synchronous_announce(comm, dest, from);
}

#define SENDS(name, note, ATN_N)                                                                   \
    int atn_stager_##name(int (*next)(const void *, ATN_N, MPI_Datatype, int, int, MPI_Comm),      \
                          const void *from, const void *buf, ATN_N count, MPI_Datatype type,       \
                          int dest, int tag, MPI_Comm comm)                                        \
    {                                                                                              \
        if (!atn_stager.on) {                                                                      \
            atn_stager_warmup_note_send(dest, comm, from);                                         \
            return next(buf, count, type, dest, tag, comm);                                        \
        }                                                                                          \
        atn_stager_enter();                                                                        \
        note(dest, tag, comm, from);                                                               \
        return atn_stager_leave(next(buf, count, type, dest, tag, comm));                          \
    }
#define NONBLOCKING_SENDS(name, note, ATN_N)                                                       \
    int atn_stager_##name(                                                                         \
        int (*next)(const void *, ATN_N, MPI_Datatype, int, int, MPI_Comm, MPI_Request *),         \
        const void *from, const void *buf, ATN_N count, MPI_Datatype type, int dest, int tag,      \
        MPI_Comm comm, MPI_Request *request)                                                       \
    {                                                                                              \
        if (!atn_stager.on) {                                                                      \
            atn_stager_warmup_note_send(dest, comm, from);                                         \
            return next(buf, count, type, dest, tag, comm, request);                               \
        }                                                                                          \
        atn_stager_enter();                                                                        \
        note(dest, tag, comm, from);                                                               \
        return atn_stager_leave(next(buf, count, type, dest, tag, comm, request));                 \
    }
#define ALL(_c, ATN_N)                                                                             \
    SENDS(Send##_c, note_send, ATN_N)                                                              \
    SENDS(Ssend##_c, note_synchronous, ATN_N)                                                      \
    NONBLOCKING_SENDS(Isend##_c, note_send, ATN_N)                                                 \
    NONBLOCKING_SENDS(Issend##_c, note_synchronous, ATN_N)                                         \
    NONBLOCKING_SENDS(Ssend_init##_c, note_synchronous, ATN_N)
ALL(, int)
#if MPI_VERSION >= 4
ALL(_c, MPI_Count)
#endif
