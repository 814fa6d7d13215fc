/* hints.c - hints of the program about its next message, by attune_pre_send, attune_pre_recv or
 * MPI_Pcontrol: recorded, and passed on to the next library that implements them. */
#include <dlfcn.h>

#include "attune/attune.h"
#include "interpose/pcontrol.h"
#include "tracer/recorder.h"

/* Not in routines.def: no other library need implement hints, and Pcontrol is variadic. */
static struct {
    int (*control)(int level, ...), (*pcontrol)(int level, ...);
    void (*pre_recv)(int tag), (*pre_send)(int tag);
} next_library;

static void resolve_once(void)
{
    *(void **)&next_library.control = dlsym(RTLD_NEXT, "MPI_Pcontrol");
    *(void **)&next_library.pcontrol = dlsym(RTLD_NEXT, "PMPI_Pcontrol");
    *(void **)&next_library.pre_recv = dlsym(RTLD_NEXT, "attune_pre_recv");
    *(void **)&next_library.pre_send = dlsym(RTLD_NEXT, "attune_pre_send");
}

static void resolve(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, resolve_once);
}

static void record(atn_trace_op op, const void *from, int tag)
{
    const int64_t now = atn_tracer_now();
    atn_tracer_lock();
    const atn_trace_what what = {.op = (uint8_t)op,
                                 .thread = atn_tracer_thread,
                                 .partner = ATN_TRACE_NO_RANK,
                                 .tag = tag,
                                 .comm = -1,
                                 .type = -1,
                                 .site = atn_tracer_find_site(from)};
    atn_trace_put(atn_tracer_rec.writer, &what, now, now, 0);
    atn_tracer_unlock();
}

/* The next routine may call the other name of a hint. */
static void hint(atn_trace_op op, const void *from, int tag, void (*next)(int tag))
{
    if (atn_tracer_is_recorded() && atn_depth == 0 && tag >= 0)
        record(op, from, tag);
    atn_depth++;
    if (next != NULL)
        next(tag);
    atn_depth--;
}

ATN_EXPORT void attune_pre_recv(int tag)
{
    resolve();
    hint(ATN_TRACE_PRE_RECV, __builtin_return_address(0), tag, next_library.pre_recv);
}

ATN_EXPORT void attune_pre_send(int tag)
{
    resolve();
    hint(ATN_TRACE_PRE_SEND, __builtin_return_address(0), tag, next_library.pre_send);
}

static void read_level(const void *from, int level)
{
    int tag;
    const atn_pcontrol_request hinted = atn_interpose_pcontrol_read(level, &tag);
    if (hinted == ATN_PCONTROL_RECV)
        hint(ATN_TRACE_PRE_RECV, from, tag, NULL);
    else if (hinted == ATN_PCONTROL_SEND)
        hint(ATN_TRACE_PRE_SEND, from, tag, NULL);
}

#define PCONTROL(name, next)                                                                       \
    ATN_PCONTROL(name, resolve(); read_level(__builtin_return_address(0), level);                  \
                 ATN_PASS(next_library.next(level, word));)
PCONTROL(MPI_Pcontrol, control)
PCONTROL(PMPI_Pcontrol, pcontrol)
