/* channel.c - see channel.h. */
#include "shm/channel.h"

#include "shm/direct.h"

/* At least four segments, down to half of a chunk, so that both sides work at the same time. */
static int64_t segment_bytes(const atn_shm_end *e, const atn_shm_transfer *t)
{
    const int64_t most = t->bytes < 4 * e->chunk ? e->chunk / 2 : e->chunk;
    return t->unit > 0 && t->unit <= most ? most / t->unit * t->unit : most;
}

static uint64_t low_bytes(int64_t bytes) { return (uint64_t)bytes & ATN_SHM_BYTES; }

/* ---- sender ---- */

static bool is_consumed(atn_shm_end *out)
{
    out->consumed = atomic_load_explicit(&out->ring->consumed, memory_order_acquire);
    return out->consumed == out->next;
}

/* The rest of a message that the receiver could not read. */
static bool continues(atn_shm_end *out, atn_shm_transfer *t)
{
    if (!t->referred || out->ring->refused != out->next)
        return false;
    out->direct = INT64_MAX;
    t->referred = t->sent = t->ack = false;
    t->at = out->ring->kept;
    return true;
}

static void send_small(atn_shm_end *out, atn_shm_transfer *t)
{
    atn_shm_copy_small(atn_shm_next_slot(out)->data, t->data, (size_t)t->bytes);
    atn_shm_post(out, (uint32_t)t->bytes, t->ack);
    t->at = t->bytes;
}

/* The receiver acknowledges the whole message, so that the buffer may be used again. */
static void send_address(atn_shm_end *out, atn_shm_transfer *t)
{
    atn_shm_next_slot(out)->aside = (uint64_t)(uintptr_t)t->data;
    atn_shm_post(out, ATN_SHM_DIRECT | low_bytes(t->bytes), true);
    t->at = t->bytes;
    t->ack = t->referred = true;
}

static void send_segment(atn_shm_end *out, atn_shm_transfer *t)
{
    const int64_t left = t->bytes - t->at, most = segment_bytes(out, t);
    const int64_t bytes = left < most ? left : most;
    memcpy(atn_shm_chunk(out), t->data + t->at, (size_t)bytes);
    atn_shm_next_slot(out)->aside = (uint64_t)t->bytes;
    atn_shm_post(out, (uint32_t)bytes, t->ack && bytes == left);
    t->at += bytes;
}

static void send_next(atn_shm_end *out, atn_shm_transfer *t)
{
    if (t->bytes <= ATN_SHM_SMALL)
        send_small(out, t);
    else if (t->bytes >= out->direct && !t->copies)
        send_address(out, t);
    else
        send_segment(out, t);
    t->sent = t->at == t->bytes;
}

atn_shm_status atn_shm_send_step(atn_shm_end *out, atn_shm_transfer *t)
{
    const uint32_t most = t->bytes <= ATN_SHM_SMALL ? ATN_SHM_SLOTS : ATN_SHM_CHUNKS;
    while (!t->sent && atn_shm_has_room(out, most))
        send_next(out, t);
    if (!t->sent || (t->ack && !is_consumed(out)))
        return ATN_SHM_BUSY;
    return continues(out, t) ? atn_shm_send_step(out, t) : ATN_SHM_DONE;
}

/* ---- receiver ---- */

static void take(const atn_shm_transfer *t, const char *segment, int64_t bytes)
{
    if (t->sink != NULL)
        t->sink->take(t->sink->context, segment, t->at, bytes);
    else
        atn_shm_copy_small(t->data + t->at, segment, (size_t)bytes);
}

static atn_shm_status receive_small(atn_shm_end *in, atn_shm_transfer *t, uint64_t flag)
{
    if ((flag & ATN_SHM_BYTES) != (uint64_t)t->bytes)
        return ATN_SHM_MISMATCH;
    take(t, atn_shm_next_slot(in)->data, t->bytes);
    atn_shm_consume(in, ATN_SHM_SLOTS, flag & ATN_SHM_ACK);
    return ATN_SHM_DONE;
}

static bool read_memory(const atn_shm_end *in, atn_shm_transfer *t, uint64_t from)
{
    if (t->sink != NULL)
        return atn_shm_direct_take(in->pid, t, from);
    const bool ok = atn_shm_direct_read(in->pid, t->data, from, t->bytes);
    t->at = ok ? t->bytes : 0;
    return ok;
}

/* What cannot be read is requested in segments. */
static atn_shm_status receive_address(atn_shm_end *in, atn_shm_transfer *t, uint64_t flag)
{
    if ((flag & ATN_SHM_BYTES) != low_bytes(t->bytes))
        return ATN_SHM_MISMATCH;
    const bool done = read_memory(in, t, atn_shm_next_slot(in)->aside);
    if (!done) {
        in->ring->refused = in->next + 1;
        in->ring->kept = t->at;
    }
    atn_shm_consume(in, ATN_SHM_SLOTS, true);
    return done ? ATN_SHM_DONE : ATN_SHM_BUSY;
}

/* A segment of a message with another size is not touched: its data might not fit. */
static atn_shm_status receive_segment(atn_shm_end *in, atn_shm_transfer *t, uint64_t flag)
{
    const int64_t bytes = (int64_t)(flag & ATN_SHM_BYTES), left = t->bytes - t->at;
    const int64_t most = segment_bytes(in, t);
    if (atn_shm_next_slot(in)->aside != (uint64_t)t->bytes || bytes != (left < most ? left : most))
        return ATN_SHM_MISMATCH;
    take(t, atn_shm_chunk(in), bytes);
    t->at += bytes;
    atn_shm_consume(in, ATN_SHM_CHUNKS, flag & ATN_SHM_ACK);
    return t->at == t->bytes ? ATN_SHM_DONE : ATN_SHM_BUSY;
}

atn_shm_status atn_shm_receive_step(atn_shm_end *in, atn_shm_transfer *t)
{
    atn_shm_status status = ATN_SHM_BUSY;
    for (uint64_t flag; status == ATN_SHM_BUSY && (flag = atn_shm_arrived(in)) != 0;)
        status = t->bytes <= ATN_SHM_SMALL ? receive_small(in, t, flag)
                 : flag & ATN_SHM_DIRECT   ? receive_address(in, t, flag)
                                           : receive_segment(in, t, flag);
    return status;
}
