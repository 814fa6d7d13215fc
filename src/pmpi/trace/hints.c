/* hints.c - what a program tells ahead of its messages, by attune_pre_send, attune_pre_recv or
 * MPI_Pcontrol: recorded, and passed on to whoever stands behind. */
#include <dlfcn.h>

#include "attune/attune.h"
#include "pmpi/pcontrol.h"
#include "pmpi/trace/recorder.h"

/* Not under the names of doors.c: nobody need stand behind hints, and Pcontrol takes any words. */
static struct {
    int (*control)(int level, ...), (*pcontrol)(int level, ...);
    void (*pre_recv)(int tag), (*pre_send)(int tag);
} behind;

static void find_once(void)
{
    *(void **)&behind.control = dlsym(RTLD_NEXT, "MPI_Pcontrol");
    *(void **)&behind.pcontrol = dlsym(RTLD_NEXT, "PMPI_Pcontrol");
    *(void **)&behind.pre_recv = dlsym(RTLD_NEXT, "attune_pre_recv");
    *(void **)&behind.pre_send = dlsym(RTLD_NEXT, "attune_pre_send");
}

static void find(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, find_once);
}

static void record(atn_trace_op op, const void *from, int tag)
{
    const int64_t now = atn_now();
    atn_lock();
    const atn_trace_what what = {.op = (uint8_t)op,
                                 .thread = atn_thread,
                                 .partner = ATN_TRACE_NOBODY,
                                 .tag = tag,
                                 .comm = -1,
                                 .type = -1,
                                 .site = atn_find_site(from)};
    atn_trace_put(atn_rec.writer, &what, now, now, 0);
    atn_unlock();
}

/* What is behind may come here again by another name. */
static void hint(atn_trace_op op, const void *from, int tag, void (*next)(int tag))
{
    if (atn_wants() && atn_depth == 0 && tag >= 0)
        record(op, from, tag);
    atn_depth++;
    if (next != NULL)
        next(tag);
    atn_depth--;
}

ATN_EXPORT void attune_pre_recv(int tag)
{
    find();
    hint(ATN_TRACE_PRE_RECV, __builtin_return_address(0), tag, behind.pre_recv);
}

ATN_EXPORT void attune_pre_send(int tag)
{
    find();
    hint(ATN_TRACE_PRE_SEND, __builtin_return_address(0), tag, behind.pre_send);
}

static void read_level(const void *from, int level)
{
    int tag;
    const atn_saying saying = atn_read_level(level, &tag);
    if (saying == ATN_SAYS_RECV)
        hint(ATN_TRACE_PRE_RECV, from, tag, NULL);
    else if (saying == ATN_SAYS_SEND)
        hint(ATN_TRACE_PRE_SEND, from, tag, NULL);
}

#define PCONTROL(name, next)                                                                       \
    ATN_PCONTROL(name, find(); read_level(__builtin_return_address(0), level);                     \
                 ATN_PASS(behind.next(level, word));)
PCONTROL(MPI_Pcontrol, control)
PCONTROL(PMPI_Pcontrol, pcontrol)
