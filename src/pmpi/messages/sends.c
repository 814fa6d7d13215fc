/* sends.c - calls that send.  They go on unchanged; here is what they tell, and time to look for
 * messages. */
#include "pmpi/messages/early.h"
#include "pmpi/messages/partners.h"

static void saw(int dest, int tag, MPI_Comm comm, const void *from)
{
    atn_partners_saw(dest, comm, from);
    atn_early_saw_send(dest, tag, comm, from);
}

static void saw_synchronous(int dest, int tag, MPI_Comm comm, const void *from)
{
    saw(dest, tag, comm, from);
    atn_notice_tell(comm, dest, from);
}

#define SENDS(name, see, ATN_N)                                                                    \
    int atn_on_##name(int (*next)(const void *, ATN_N, MPI_Datatype, int, int, MPI_Comm),          \
                      const void *from, const void *buf, ATN_N count, MPI_Datatype type, int dest, \
                      int tag, MPI_Comm comm)                                                      \
    {                                                                                              \
        if (!atn_early.on) {                                                                       \
            atn_partners_saw(dest, comm, from);                                                    \
            return next(buf, count, type, dest, tag, comm);                                        \
        }                                                                                          \
        atn_early_enter();                                                                         \
        see(dest, tag, comm, from);                                                                \
        return atn_early_exit(next(buf, count, type, dest, tag, comm));                            \
    }
#define SENDS_LATER(name, see, ATN_N)                                                              \
    int atn_on_##name(                                                                             \
        int (*next)(const void *, ATN_N, MPI_Datatype, int, int, MPI_Comm, MPI_Request *),         \
        const void *from, const void *buf, ATN_N count, MPI_Datatype type, int dest, int tag,      \
        MPI_Comm comm, MPI_Request *request)                                                       \
    {                                                                                              \
        if (!atn_early.on) {                                                                       \
            atn_partners_saw(dest, comm, from);                                                    \
            return next(buf, count, type, dest, tag, comm, request);                               \
        }                                                                                          \
        atn_early_enter();                                                                         \
        see(dest, tag, comm, from);                                                                \
        return atn_early_exit(next(buf, count, type, dest, tag, comm, request));                   \
    }
#define ALL(_c, ATN_N)                                                                             \
    SENDS(Send##_c, saw, ATN_N)                                                                    \
    SENDS(Ssend##_c, saw_synchronous, ATN_N)                                                       \
    SENDS_LATER(Isend##_c, saw, ATN_N)                                                             \
    SENDS_LATER(Issend##_c, saw_synchronous, ATN_N)                                                \
    SENDS_LATER(Ssend_init##_c, saw_synchronous, ATN_N)
ALL(, int)
#if MPI_VERSION >= 4
ALL(_c, MPI_Count)
#endif
