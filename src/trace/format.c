/* format.c - see format.h. */
#include "trace/format.h"

#include <stdlib.h>
#include <string.h>

_Static_assert((int)ATN_TRACE_OPS <= 256, "files have a byte for an operation");

static const atn_trace_op_info infos[] = {
#define STARTS                               ATN_TRACE_STARTS
#define PART                                 ATN_TRACE_PART
#define GIVES                                ATN_TRACE_GIVES
#define TAKES                                ATN_TRACE_TAKES
#define ATN_TRACE_OP(id, name, class, flags) {name, ATN_TRACE_IS_##class, flags},
#include "trace/ops.def"
#undef ATN_TRACE_OP
#undef STARTS
#undef PART
#undef GIVES
#undef TAKES
};

const atn_trace_op_info *atn_trace_op_get(atn_trace_op op) { return &infos[op]; }

atn_trace_op atn_trace_op_find(const char *name)
{
    for (int i = 0; i < ATN_TRACE_OPS; i++)
        if (strcmp(infos[i].name, name) == 0)
            return (atn_trace_op)i;
    return ATN_TRACE_UNKNOWN;
}

/* ---- blocks ---- */

static const char magic[4] = {'A', 'T', 'N', 'B'};
enum { SUM_AT = 32 }; /* the checksum covers the head before it and the payload */

static void put_fixed(uint8_t *at, uint64_t v, int bytes)
{
    for (int i = 0; i < bytes; i++)
        at[i] = (uint8_t)(v >> 8 * i);
}

static uint64_t fixed(const uint8_t *at, int bytes)
{
    uint64_t v = 0;
    for (int i = 0; i < bytes; i++)
        v |= (uint64_t)at[i] << 8 * i;
    return v;
}

/* FNV-1a over words rather than bytes, because it runs inside user programs. */
static uint64_t sum(uint64_t h, const uint8_t *at, size_t bytes)
{
    for (; bytes >= 8; at += 8, bytes -= 8) {
        h = (h ^ fixed(at, 8)) * UINT64_C(0x100000001b3);
        h ^= h >> 29;
    }
    for (; bytes > 0; at++, bytes--)
        h = (h ^ *at) * UINT64_C(0x100000001b3);
    return h;
}

static uint64_t checksum(const uint8_t *head, const uint8_t *payload, size_t bytes)
{
    return sum(sum(UINT64_C(0xcbf29ce484222325), head, SUM_AT), payload, bytes);
}

void atn_trace_block_seal(const atn_trace_block *b, const uint8_t *payload,
                          uint8_t head[ATN_TRACE_BLOCK_HEAD])
{
    memset(head, 0, ATN_TRACE_BLOCK_HEAD);
    memcpy(head, magic, sizeof magic);
    head[4] = b->kind;
    put_fixed(head + 8, b->bytes, 4);
    put_fixed(head + 12, b->sequence, 4);
    put_fixed(head + 16, (uint64_t)b->base, 8);
    put_fixed(head + 24, b->request, 4);
    put_fixed(head + 28, b->records, 4);
    put_fixed(head + SUM_AT, checksum(head, payload, b->bytes), 8);
}

bool atn_trace_block_open(const uint8_t *at, size_t left, atn_trace_block *b_p)
{
    if (left < ATN_TRACE_BLOCK_HEAD || memcmp(at, magic, sizeof magic) != 0)
        return false;
    *b_p = (atn_trace_block){
        .kind = at[4],
        .bytes = (uint32_t)fixed(at + 8, 4),
        .sequence = (uint32_t)fixed(at + 12, 4),
        .base = (int64_t)fixed(at + 16, 8),
        .request = (uint32_t)fixed(at + 24, 4),
        .records = (uint32_t)fixed(at + 28, 4),
    };
    return left - ATN_TRACE_BLOCK_HEAD >= b_p->bytes;
}

bool atn_trace_block_sound(const uint8_t *at, const atn_trace_block *b)
{
    return fixed(at + SUM_AT, 8) == checksum(at, at + ATN_TRACE_BLOCK_HEAD, b->bytes);
}

/* ---- numbers and texts ---- */

uint64_t atn_trace_get_varint(atn_bytes *b)
{
    uint64_t v = 0;
    for (int shift = 0; shift < 64 && b->at < b->stop && !b->bad; shift += 7) {
        const uint8_t byte = *b->at++;
        v |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            return v;
    }
    b->bad = true;
    return 0;
}

uint64_t atn_trace_get_fixed(atn_bytes *b)
{
    if (b->bad || b->stop - b->at < 8) {
        b->bad = true;
        return 0;
    }
    b->at += 8;
    return fixed(b->at - 8, 8);
}

char *atn_trace_get_text(atn_bytes *b)
{
    const uint64_t n = atn_trace_get_varint(b);
    if (b->bad || n > (uint64_t)(b->stop - b->at)) {
        b->bad = true;
        return NULL;
    }
    b->at += n;
    return strndup((const char *)b->at - n, n);
}
