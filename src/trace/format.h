/* format.h - traces on disk, for the writer inside jobs and the reader; docs/trace-format.md
 * specifies them.
 *
 * A rank's file is a line of text and then blocks that check themselves and can be decoded alone,
 * so that whatever reached the disk of a killed job can be read. */
#ifndef ATN_TRACE_FORMAT_H
#define ATN_TRACE_FORMAT_H

#include "base/base.h"

enum { ATN_TRACE_VERSION = 2, ATN_TRACE_FIRST_VERSION = 1 /* that is still read */ };
#define ATN_TRACE_LINE "attune trace " /* the version and a line end follow */
#define ATN_TRACE_FILE "rank-%05d.trace"

typedef enum {
#define ATN_TRACE_OP(id, name, class, flags) ATN_TRACE_##id,
#include "trace/ops.def"
#undef ATN_TRACE_OP
    ATN_TRACE_OPS
} atn_trace_op;

typedef enum {
    ATN_TRACE_IS_SEND,
    ATN_TRACE_IS_RECV,
    ATN_TRACE_IS_COLL,
    ATN_TRACE_IS_WAIT,
    ATN_TRACE_IS_DONE,
    ATN_TRACE_IS_OTHER,
    ATN_TRACE_IS_ONE_SIDED,
    ATN_TRACE_IS_FILE
} atn_trace_class;

enum { ATN_TRACE_STARTS = 1, ATN_TRACE_PART = 2, ATN_TRACE_GIVES = 4, ATN_TRACE_TAKES = 8 };

typedef struct {
    const char *name;
    atn_trace_class class;
    unsigned flags;
} atn_trace_op_info;

const atn_trace_op_info *atn_trace_op_get(atn_trace_op op);
atn_trace_op atn_trace_op_find(const char *name); /* ATN_TRACE_UNKNOWN: a later version's */

/* Partners that are no rank of MPI_COMM_WORLD, and no tag. */
enum { ATN_TRACE_NOBODY = -1, ATN_TRACE_ANY = -2, ATN_TRACE_NULL = -3, ATN_TRACE_FOREIGN = -4 };
enum { ATN_TRACE_NO_TAG = -1, ATN_TRACE_ANY_TAG = -2 };

/* All of a call but its times: what programs repeat.  48 bytes without holes, because it is
 * compared and hashed as a whole. */
typedef struct {
    int64_t count, bytes;
    uint64_t buffer;
    int32_t partner, tag;
    int32_t comm, type, site; /* numbers that definitions of the same file explain; -1: none */
    uint8_t op, depth, thread, flags;
} atn_trace_what;

enum { ATN_TRACE_ANY_SOURCE_ASKED = 1, ATN_TRACE_ANY_TAG_ASKED = 2 };

/* ---- blocks ---- */

enum {
    ATN_TRACE_BLOCK_HEAD = 40,       /* bytes of a block's head */
    ATN_TRACE_BLOCK_ROOM = 32 << 10, /* of a block of events, at most */
    ATN_TRACE_SIGNATURES = 384       /* in force at once */
};

typedef enum {
    ATN_TRACE_HEADER = 'H',
    ATN_TRACE_DEFINITIONS = 'D',
    ATN_TRACE_EVENTS = 'E',
    ATN_TRACE_SYNC = 'S',
    ATN_TRACE_TIMES = 'T',
    ATN_TRACE_END = 'Z'
} atn_trace_kind;

typedef struct {
    uint8_t kind;
    uint32_t bytes, sequence;
    int64_t base;     /* time of the first record, in nanoseconds of the rank's clock */
    uint32_t request; /* requests made before the block */
    uint32_t records;
} atn_trace_block;

void atn_trace_block_seal(const atn_trace_block *b, const uint8_t *payload,
                          uint8_t head[ATN_TRACE_BLOCK_HEAD]);
/* Decodes a head; false: none begins here, or it cannot be one. */
bool atn_trace_block_open(const uint8_t *at, size_t left, atn_trace_block *b_p);
/* Whether the payload, which follows the head at `at`, is as it was written. */
bool atn_trace_block_sound(const uint8_t *at, const atn_trace_block *b);

/* What definitions define. */
enum {
    ATN_TRACE_DEF_OP = 1,
    ATN_TRACE_DEF_COMM,
    ATN_TRACE_DEF_TYPE,
    ATN_TRACE_DEF_MODULE,
    ATN_TRACE_DEF_SITE
};

/* ---- numbers and texts ---- */

enum { ATN_VARINT_ROOM = 10 };

static inline uint8_t *atn_put_varint(uint8_t *at, uint64_t v)
{
    for (; v >= 0x80; v >>= 7)
        *at++ = (uint8_t)(v | 0x80);
    *at++ = (uint8_t)v;
    return at;
}
static inline uint64_t atn_zigzag(int64_t v)
{
    return ((uint64_t)v << 1) ^ (v < 0 ? UINT64_MAX : 0);
}
static inline int64_t atn_unzigzag(uint64_t v) { return (int64_t)(v >> 1) ^ -(int64_t)(v & 1); }

/* A cursor over a payload; `bad` sticks, and then every number is 0. */
typedef struct {
    const uint8_t *at, *stop;
    bool bad;
} atn_bytes;

uint64_t atn_get_varint(atn_bytes *b);
static inline int64_t atn_get_signed(atn_bytes *b) { return atn_unzigzag(atn_get_varint(b)); }
uint64_t atn_get_fixed(atn_bytes *b); /* eight bytes, the lowest first */
/* A text with its length before it; the caller frees.  NULL: bad, or no memory. */
char *atn_get_text(atn_bytes *b);

#endif
