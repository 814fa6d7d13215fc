/* format.h - traces on disk, for the writer inside jobs and the reader; docs/trace-format.md
 * specifies them.
 *
 * The file of a rank is a line of text and blocks.  Each block has a checksum and can be decoded
 * alone, so the blocks that a killed job has written are readable. */
#ifndef ATN_TRACE_FORMAT_H
#define ATN_TRACE_FORMAT_H

#include "base/base.h"

enum { ATN_TRACE_VERSION = 2, ATN_TRACE_FIRST_VERSION = 1 /* still readable */ };
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
atn_trace_op atn_trace_op_find(const char *name); /* ATN_TRACE_UNKNOWN: of a later version */

/* Partners that are not ranks of MPI_COMM_WORLD; absent tags. */
enum { ATN_TRACE_NO_RANK = -1, ATN_TRACE_ANY = -2, ATN_TRACE_NULL = -3, ATN_TRACE_FOREIGN = -4 };
enum { ATN_TRACE_NO_TAG = -1, ATN_TRACE_ANY_TAG = -2 };

/* The signature of a call: all but its times.  48 bytes without padding, because it is compared and
 * hashed as a whole. */
typedef struct {
    int64_t count, bytes;
    uint64_t buffer;
    int32_t partner, tag;
    int32_t comm, type, site; /* numbers of definitions in the same file; -1: none */
    uint8_t op, depth, thread, flags;
} atn_trace_what;

enum { ATN_TRACE_ANY_SOURCE_POSTED = 1, ATN_TRACE_ANY_TAG_POSTED = 2 };

/* ---- blocks ---- */

enum {
    ATN_TRACE_BLOCK_HEAD = 40,       /* bytes of a block's head */
    ATN_TRACE_BLOCK_ROOM = 32 << 10, /* maximum of a block of events */
    ATN_TRACE_SIGNATURES = 384       /* maximum in a block */
};

typedef enum {
    ATN_TRACE_HEADER = 'H',
    ATN_TRACE_DEFINITIONS = 'D',
    ATN_TRACE_EVENTS = 'E',
    ATN_TRACE_SYNC = 'S',
    ATN_TRACE_TIMES = 'T',
    ATN_TRACE_ROW = 'V',
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
/* Decodes a head; false: there is no valid head here. */
bool atn_trace_block_open(const uint8_t *at, size_t left, atn_trace_block *b_p);
/* Whether the payload, which follows the head at `at`, matches its checksum. */
bool atn_trace_block_sound(const uint8_t *at, const atn_trace_block *b);

/* Kinds of definitions. */
enum {
    ATN_TRACE_DEF_OP = 1,
    ATN_TRACE_DEF_COMM,
    ATN_TRACE_DEF_TYPE,
    ATN_TRACE_DEF_MODULE,
    ATN_TRACE_DEF_SITE
};

/* ---- numbers and texts ---- */

enum { ATN_VARINT_ROOM = 10 };

static inline uint8_t *atn_trace_put_varint(uint8_t *at, uint64_t v)
{
    for (; v >= 0x80; v >>= 7)
        *at++ = (uint8_t)(v | 0x80);
    *at++ = (uint8_t)v;
    return at;
}
static inline uint64_t atn_trace_zigzag(int64_t v)
{
    return ((uint64_t)v << 1) ^ (v < 0 ? UINT64_MAX : 0);
}
static inline int64_t atn_trace_unzigzag(uint64_t v)
{
    return (int64_t)(v >> 1) ^ -(int64_t)(v & 1);
}

/* Decodes a payload; after an error `bad` stays set and every number is 0. */
typedef struct {
    const uint8_t *at, *stop;
    bool bad;
} atn_bytes;

uint64_t atn_trace_get_varint(atn_bytes *b);
static inline int64_t atn_trace_get_signed(atn_bytes *b)
{
    return atn_trace_unzigzag(atn_trace_get_varint(b));
}
uint64_t atn_trace_get_fixed(atn_bytes *b); /* eight bytes, little-endian */
/* A text preceded by its length; the caller frees it.  NULL: invalid, or no memory. */
char *atn_trace_get_text(atn_bytes *b);

#endif
