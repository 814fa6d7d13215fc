/* traffic.c - see traffic.h. */
#include "exec/traffic.h"

#include <stdatomic.h>

static _Atomic int64_t collectives, messages, total_bytes;

void atn_exec_traffic_collective(int count, MPI_Datatype type)
{
    int each = 0;

    PMPI_Type_size(type, &each);
    atomic_fetch_add(&collectives, 1);
    atomic_fetch_add(&total_bytes, (int64_t)count * each);
}

void atn_exec_traffic_message(int64_t bytes)
{
    atomic_fetch_add(&messages, 1);
    atomic_fetch_add(&total_bytes, bytes);
}

atn_own_traffic atn_exec_traffic_get(void)
{
    return (atn_own_traffic){atomic_load(&collectives), atomic_load(&messages),
                             atomic_load(&total_bytes)};
}
