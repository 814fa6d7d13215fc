/* channel.h - messages from one process to another through shared memory.
 *
 * A channel has one sender and one receiver.  It is a ring of slots, each a flag with up to
 * ATN_SHM_SMALL bytes beside it, and a shorter ring of chunks for larger segments, one for each of
 * the next slots.  The sender fills a slot and sets its flag to the number of the message; the
 * receiver polls the flag of the slot that comes next, so a small message moves one or two cache
 * lines and nothing else.  The receiver returns slots by publishing how many it has consumed, at
 * the latest when half of the ring is due, so that the sender rarely reads that line.
 *
 * Protocols of a message, chosen by the sender:
 *   small        beside the flag;
 *   segments     copied through the chunks of successive slots, pipelined: both sides copy;
 *   single copy  of large messages: the slot has the address, and the receiver reads the sender's
 *                memory (direct.h); the send completes when it has.  If it cannot, the sender
 *                continues in segments, and so for all later messages.
 *
 * Transfers of a channel happen in order, one at a time.  The functions never block: a step returns
 * ATN_SHM_BUSY until the peer has done its part. */
#ifndef ATN_SHM_CHANNEL_H
#define ATN_SHM_CHANNEL_H

#include <stdatomic.h>
#include <string.h>
#include <sys/types.h>

#include "base/base.h"
#include "shm/bell.h"

enum { ATN_SHM_SLOTS = 8, ATN_SHM_SMALL = 112, ATN_SHM_CHUNKS = 4 };
/* Bytes of a chunk if n ranks share memory.  Passing a chunk takes some tenths of a microsecond,
 * the start of the hardware's prefetching included, so large ones are faster; but there are
 * channels for all pairs. */
static inline int64_t atn_shm_chunk_bytes(int n)
{
    return n <= 8 ? 128 << 10 : n <= 32 ? 32 << 10 : 8 << 10;
}
/* Segments of memory that is read directly and combined: they stay in the cache. */
enum { ATN_SHM_BUFFER = 64 << 10 };

/* The flag: number of the message, whether the sender waits until it is consumed, whether the slot
 * has the address of the data, bytes. */
#define ATN_SHM_ACK    UINT64_C(0x80000000)
#define ATN_SHM_DIRECT UINT64_C(0x40000000)
#define ATN_SHM_BYTES  (ATN_SHM_DIRECT - 1)

typedef struct {
    _Alignas(128) _Atomic uint64_t flag;
    uint64_t aside; /* bytes of a message in segments, or the address of its data */
    char data[ATN_SHM_SMALL];
} atn_shm_slot;

typedef struct {
    _Alignas(128) _Atomic uint32_t consumed; /* slots; written by the receiver */
    uint32_t refused; /* the last message whose memory the receiver could not read ... */
    int64_t kept;     /* ... from this byte on */
    atn_shm_slot slot[ATN_SHM_SLOTS];
} atn_shm_ring;

/* A channel in memory: a page with the ring, then the chunks.  Pages that are never used take no
 * memory. */
enum { ATN_SHM_CHUNKS_AT = 4096 };
static inline size_t atn_shm_channel_bytes(int n)
{
    return ATN_SHM_CHUNKS_AT + ATN_SHM_CHUNKS * (size_t)atn_shm_chunk_bytes(n);
}

/* The private state of one side. */
typedef struct {
    atn_shm_ring *ring;
    uint32_t next;      /* slots used so far */
    uint32_t consumed;  /* sender: as last read; receiver: as last published */
    atn_shm_bell *bell; /* of the peer */
    pid_t pid;          /* of the peer */
    int64_t chunk;      /* bytes of a chunk */
    int64_t direct;     /* sender: bytes from which on memory is read; INT64_MAX: never */
} atn_shm_end;

typedef enum { ATN_SHM_BUSY, ATN_SHM_DONE, ATN_SHM_MISMATCH } atn_shm_status;

/* What a receiver does with data: copies them to `data`, or calls take for each segment in order,
 * with its offset. */
typedef struct {
    void (*take)(void *context, const char *segment, int64_t at, int64_t bytes);
    void *context;
} atn_shm_sink;

/* A message in transfer.  `unit`: segments are multiples of it, if it fits a chunk. */
typedef struct {
    char *data;
    int64_t bytes, unit;
    bool ack;                 /* sender: complete when consumed */
    bool copies;              /* sender: in segments, whatever the size */
    const atn_shm_sink *sink; /* receiver; NULL: copy */
    char *buffer;             /* receiver, with a sink: ATN_SHM_BUFFER bytes */
    int64_t at;               /* bytes sent or received */
    bool sent;                /* all is sent; awaits the receiver */
    bool referred;            /* by address */
} atn_shm_transfer;

atn_shm_status atn_shm_send_step(atn_shm_end *out, atn_shm_transfer *t);
atn_shm_status atn_shm_receive_step(atn_shm_end *in, atn_shm_transfer *t);

static inline atn_shm_slot *atn_shm_next_slot(const atn_shm_end *e)
{
    return &e->ring->slot[e->next % ATN_SHM_SLOTS];
}
static inline char *atn_shm_chunk(const atn_shm_end *e)
{
    return (char *)e->ring + ATN_SHM_CHUNKS_AT + e->next % ATN_SHM_CHUNKS * (size_t)e->chunk;
}

/* Whether the next slot may be filled; `most`: slots, or chunks. */
static inline bool atn_shm_has_room(atn_shm_end *out, uint32_t most)
{
    if (ATN_LIKELY(out->next - out->consumed < most))
        return true;
    out->consumed = atomic_load_explicit(&out->ring->consumed, memory_order_acquire);
    return out->next - out->consumed < most;
}

/* Hands the next slot, which has been filled, to the receiver. */
static inline void atn_shm_post(atn_shm_end *out, uint64_t bytes, bool ack)
{
    atn_shm_slot *const s = atn_shm_next_slot(out);
    const uint64_t number = ++out->next;
    atomic_store_explicit(&s->flag, number << 32 | (ack ? ATN_SHM_ACK : 0) | bytes,
                          memory_order_release);
    atn_shm_bell_ring(out->bell);
}

/* The flag of the next slot if it has been filled, else 0.  A load that acquires may wait for the
 * message that this process has just sent, so it comes second. */
static inline uint64_t atn_shm_arrived(const atn_shm_end *in)
{
    const _Atomic uint64_t *const flag = &atn_shm_next_slot(in)->flag;
    const uint64_t seen = atomic_load_explicit(flag, memory_order_relaxed);
    if ((uint32_t)(seen >> 32) != in->next + 1)
        return 0;
    return atomic_load_explicit(flag, memory_order_acquire);
}

static inline void atn_shm_publish(atn_shm_end *in)
{
    in->consumed = in->next;
    atomic_store_explicit(&in->ring->consumed, in->next, memory_order_release);
    atn_shm_bell_ring(in->bell);
}

static inline void atn_shm_consume(atn_shm_end *in, uint32_t most, bool ack)
{
    in->next++;
    if (ack || in->next - in->consumed >= most / 2)
        atn_shm_publish(in);
}

static inline void atn_shm_copy_small(char *to, const char *from, size_t bytes)
{
    if (ATN_LIKELY(bytes == 8))
        memcpy(to, from, 8);
    else if (bytes > 0)
        memcpy(to, from, bytes);
}

/* A message of at most ATN_SHM_SMALL bytes, without a transfer. */
static inline atn_shm_status atn_shm_send_small(atn_shm_end *out, const char *data, uint32_t bytes)
{
    if (!atn_shm_has_room(out, ATN_SHM_SLOTS))
        return ATN_SHM_BUSY;
    atn_shm_copy_small(atn_shm_next_slot(out)->data, data, bytes);
    atn_shm_post(out, bytes, false);
    return ATN_SHM_DONE;
}

#endif
