/* board.h - memory that one process exposes and several read.
 *
 * A rank has a board of entries.  Exposing data fills an entry and sets its tag; readers poll the
 * tag, use the data and count their read.  Small data are copied to the board, so that
 * readers use them where they are and the exposing rank need not wait; of larger data the entry
 * has the address, and readers read the memory of the exposing rank (direct.h).
 *
 * An entry is used again when all its reads are counted. */
#ifndef ATN_SHM_BOARD_H
#define ATN_SHM_BOARD_H

#include <stdatomic.h>
#include <sys/types.h>

#include "base/base.h"

enum { ATN_SHM_EXPOSED = 8192, ATN_SHM_BESIDE = 96 };
/* Exposures of a call are numbered in a few domains.  The first of each domain have chunks, and
 * entries of their own in ATN_SHM_DEPTH successive calls, so that these do not wait for slow
 * readers. */
enum { ATN_SHM_DOMAINS = 8, ATN_SHM_NUMBERS = 512, ATN_SHM_FIRST = 16, ATN_SHM_DEPTH = 4 };
enum { ATN_SHM_CHUNKED = ATN_SHM_DEPTH * ATN_SHM_DOMAINS * ATN_SHM_FIRST };
enum { ATN_SHM_ENTRIES = ATN_SHM_CHUNKED + ATN_SHM_DOMAINS * (ATN_SHM_NUMBERS - ATN_SHM_FIRST) };

typedef struct {
    _Alignas(128) _Atomic uint64_t tag;
    uint64_t bytes;
    uint64_t address;                         /* 0: the data are on the board */
    _Alignas(16) char beside[ATN_SHM_BESIDE]; /* operands of reductions */
    _Alignas(128) _Atomic uint32_t reads;     /* a line of its own: readers write it */
} atn_shm_entry;

typedef struct {
    atn_shm_entry entry[ATN_SHM_ENTRIES];
    char data[ATN_SHM_CHUNKED][ATN_SHM_EXPOSED];
} atn_shm_board;

/* The entry and the tag of an exposure in a call. */
static inline int atn_shm_board_index(uint64_t call, int domain, int number)
{
    if (number < ATN_SHM_FIRST)
        return ((int)(call % ATN_SHM_DEPTH) * ATN_SHM_DOMAINS + domain) * ATN_SHM_FIRST + number;
    return ATN_SHM_CHUNKED + domain * (ATN_SHM_NUMBERS - ATN_SHM_FIRST) + number - ATN_SHM_FIRST;
}
static inline uint64_t atn_shm_board_tag(uint64_t call, int domain, int number)
{
    return ((call + 1) * ATN_SHM_DOMAINS + (uint64_t)domain) * ATN_SHM_NUMBERS + (uint64_t)number;
}

/* ---- the exposing rank; owed: reads that its last exposure in an entry expects ---- */

static inline bool atn_shm_board_is_read(const atn_shm_board *own, int index, uint32_t owed)
{
    return atomic_load_explicit(&own->entry[index].reads, memory_order_acquire) == owed;
}
/* The entry must be free. */
void atn_shm_board_expose(atn_shm_board *own, int index, uint64_t tag, const char *data,
                          int64_t bytes);
/* Whether data of this size must stay where they are until all have read them. */
static inline bool atn_shm_board_refers(int index, int64_t bytes)
{
    return bytes > (index < ATN_SHM_CHUNKED ? ATN_SHM_EXPOSED : ATN_SHM_BESIDE);
}

/* ---- readers ---- */

/* NULL: not yet exposed. */
static inline const atn_shm_entry *atn_shm_board_find(const atn_shm_board *board, int index,
                                                      uint64_t tag)
{
    const atn_shm_entry *const e = &board->entry[index];
    return atomic_load_explicit(&e->tag, memory_order_acquire) == tag ? e : NULL;
}
/* The data on the board; NULL: they must be read from the address. */
static inline const char *atn_shm_board_data(const atn_shm_board *board, int index)
{
    const atn_shm_entry *const e = &board->entry[index];
    if (e->address != 0)
        return NULL;
    return e->bytes <= ATN_SHM_BESIDE ? e->beside : board->data[index];
}
static inline void atn_shm_board_count(atn_shm_board *board, int index)
{
    atomic_fetch_add_explicit(&board->entry[index].reads, 1, memory_order_release);
}

#endif
