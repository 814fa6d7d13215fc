/* fastpath.c - see fastpath.h. */
#include "pmpi/comm/fastpath.h"

#include <string.h>

atn_last_call atn_comm_last_calls[ATN_OPERATIONS];
uint32_t atn_comm_last_calls_used;
_Thread_local atn_last_call atn_comm_thread_last_calls[ATN_OPERATIONS];
_Thread_local atn_cached_comm atn_comm_cache[1 << ATN_COMM_CACHE_BITS];
atn_cached_call atn_comm_no_calls[ATN_CALL_CACHE];
_Atomic uint64_t atn_comm_generation = 1;
_Atomic unsigned atn_comm_handles_freed = 1;

atn_cached_call *atn_comm_call_put(atn_comm *c, const atn_call *call, const atn_call_key *k,
                                   atn_plan *plan, atn_promise *promise)
{
    atn_cached_call *const x = atn_comm_call_slot(c, call->op, k);
    *x = (atn_cached_call){.key = *k,
                           .context = atn_comm_context,
                           .freed =
                               atomic_load_explicit(&atn_comm_handles_freed, memory_order_relaxed),
                           .era = promise->era,
                           .operation = (uint8_t)call->op,
                           .predefined = atn_exec_named(c->exec, k->type, k->op),
                           .promise = promise,
                           .plan = plan};
    return x;
}

void atn_comm_calls_clear(atn_comm *c)
{
    memset(c->cached, 0, ATN_CALL_CACHE * sizeof *c->cached);
    atn_pmpi_next_epoch();
}
