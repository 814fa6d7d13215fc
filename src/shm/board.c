/* board.c - see board.h. */
#include "shm/board.h"

#include <string.h>

void atn_shm_board_expose(atn_shm_board *own, int index, uint64_t tag, const char *data,
                          int64_t bytes)
{
    atn_shm_entry *const e = &own->entry[index];
    e->bytes = (uint64_t)bytes;
    e->address = atn_shm_board_refers(index, bytes) ? (uint64_t)(uintptr_t)data : 0;
    if (e->address == 0 && bytes > 0)
        memcpy(bytes <= ATN_SHM_BESIDE ? e->beside : own->data[index], data, (size_t)bytes);
    atomic_store_explicit(&e->reads, 0, memory_order_relaxed);
    atomic_store_explicit(&e->tag, tag, memory_order_release);
}
