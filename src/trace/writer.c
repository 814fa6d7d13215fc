/* writer.c - see writer.h. */
#include "trace/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    SLOTS = 512,                /* of the hash table; more than the signatures of a block */
    RECENT = 64,                /* cache of signatures by call site */
    RECORD_ROOM = 128,          /* the longest record */
    CALL_ROOM = 8 * RECORD_ROOM /* a call and some parts */
};
static const int64_t block_ns = 1000000000; /* longest time before a block is written */
static const int64_t inexact_ns = 10000;    /* tolerance of clock readings */

_Static_assert(sizeof(atn_trace_what) == 48, "compared as bytes: no padding");

struct atn_trace_writer {
    atn_trace_live *live;
    char *path; /* NULL: not a regular file */
    int fd, error;
    int64_t limit, written;
    uint32_t sequence;
    int signatures;
    uint16_t slot[SLOTS];    /* a signature's number + 1; 0: free */
    uint16_t recent[RECENT]; /* the same, for the last call from the site */
    atn_trace_what signature[ATN_TRACE_SIGNATURES];
    int64_t dropped, polls, polls_ns;
};

/* ---- writing blocks ---- */

static bool write_all(int fd, const uint8_t *at, size_t bytes)
{
    while (bytes > 0) {
        const ssize_t n = write(fd, at, bytes);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        at += n;
        bytes -= (size_t)n;
    }
    return true;
}

/* After a failure nothing more is written: a truncated file is easier to read than one with
 * gaps. */
static void write_block(atn_trace_writer *w, atn_trace_block *b, const uint8_t *payload)
{
    uint8_t head[ATN_TRACE_BLOCK_HEAD];
    if (w->error != 0)
        return;
    b->sequence = w->sequence++;
    atn_trace_block_seal(b, payload, head);
    if (!write_all(w->fd, head, sizeof head) || !write_all(w->fd, payload, b->bytes))
        w->error = errno != 0 ? errno : EIO;
    w->written += (int64_t)sizeof head + b->bytes;
}

static void forget_signatures(atn_trace_writer *w)
{
    w->signatures = 0;
    w->live->cursor.epoch++;
    memset(w->slot, 0, sizeof w->slot);
}

static bool may_write(const atn_trace_writer *w) { return w->error == 0 && w->written <= w->limit; }

/* The first record is not on the fast path: it sets the start time of the block. */
static void begin_events(atn_trace_writer *w)
{
    w->live->cursor.at = w->live->room;
    w->live->cursor.full = may_write(w) ? w->live->room + sizeof w->live->room - CALL_ROOM : NULL;
    w->live->cursor.until = INT64_MIN;
    w->live->cursor.records = 0;
    w->live->block =
        (atn_trace_block){.kind = ATN_TRACE_EVENTS, .request = w->live->cursor.requests};
    forget_signatures(w);
}

static void set_base(atn_trace_writer *w, int64_t base)
{
    w->live->block.base = w->live->cursor.last = base;
    w->live->cursor.until = base + block_ns;
}

static void write_definitions(atn_trace_writer *w)
{
    atn_trace_live *const l = w->live;
    atn_trace_block b = {
        .kind = ATN_TRACE_DEFINITIONS, .bytes = l->defining, .records = l->defined};
    if (l->defining > 0)
        write_block(w, &b, l->definitions);
    l->defining = l->defined = 0;
}

void atn_trace_flush(atn_trace_writer *w)
{
    write_definitions(w);
    if (w->live->cursor.records == 0)
        return;
    w->live->block.bytes = atn_trace_live_bytes(w->live);
    w->live->block.records = w->live->cursor.records;
    write_block(w, &w->live->block, w->live->room);
    begin_events(w);
}

static void release(atn_trace_writer *w)
{
    if (w->live != NULL)
        atn_trace_live_free(w->live, w->path);
    if (w->fd >= 0)
        close(w->fd);
    free(w->path);
    free(w);
}

/* A device has no file beside it. */
static bool is_file(int fd)
{
    struct stat about;
    return fstat(fd, &about) == 0 && S_ISREG(about.st_mode);
}

static bool open_file(atn_trace_writer *w, const char *path)
{
    char line[32];
    const int n = snprintf(line, sizeof line, "%s%d\n", ATN_TRACE_LINE, ATN_TRACE_VERSION);
    w->fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (w->fd < 0 || !write_all(w->fd, (const uint8_t *)line, (size_t)n))
        return false;
    w->path = is_file(w->fd) ? strdup(path) : NULL;
    w->live = atn_trace_live_make(w->path);
    return w->live != NULL;
}

atn_trace_writer *atn_trace_create(const char *path, int64_t limit, int *why_p)
{
    atn_trace_writer *const w = calloc(1, sizeof *w);
    if (w == NULL || !open_file(w, path)) {
        *why_p = errno;
        if (w != NULL)
            release(w);
        return NULL;
    }
    w->limit = limit;
    begin_events(w);
    return w;
}

/* ---- texts and definitions ---- */

typedef ATN_VEC(uint8_t) bytes;

static bool put_number(bytes *b, uint64_t v)
{
    if (!atn_vec_room((void **)&b->v, &b->cap, b->n + ATN_VARINT_ROOM, 1))
        return false;
    b->n = (int)(atn_trace_put_varint(b->v + b->n, v) - b->v);
    return true;
}

static bool put_bytes(bytes *b, const void *from, size_t n)
{
    if (!atn_vec_room((void **)&b->v, &b->cap, b->n + (int)n, 1))
        return false;
    memcpy(b->v + b->n, from, n);
    b->n += (int)n;
    return true;
}

static bool put_text(bytes *b, const char *text)
{
    const size_t n = text != NULL ? strlen(text) : 0;
    return put_number(b, n) && (n == 0 || put_bytes(b, text, n));
}

static bool put_eight(bytes *b, uint64_t v)
{
    uint8_t at[8];
    for (int i = 0; i < 8; i++)
        at[i] = (uint8_t)(v >> 8 * i);
    return put_bytes(b, at, sizeof at);
}

/* Without memory a definition is omitted: the reader then shows a number instead of a name.  A
 * definition that is too large for the current block gets a separate one. */
static void define(atn_trace_writer *w, bytes *b, bool whole)
{
    atn_trace_live *const l = w->live;
    atn_trace_block alone = {.kind = ATN_TRACE_DEFINITIONS, .bytes = (uint32_t)b->n, .records = 1};
    if (l->defining + alone.bytes > sizeof l->definitions)
        write_definitions(w);
    if (whole && alone.bytes > sizeof l->definitions) {
        write_block(w, &alone, b->v);
    } else if (whole && alone.bytes > 0) {
        memcpy(l->definitions + l->defining, b->v, alone.bytes);
        l->defining += alone.bytes;
        l->defined++;
    }
    free(b->v);
}

void atn_trace_define_comm(atn_trace_writer *w, int number, uint64_t id, int size, int own,
                           const int *ranks)
{
    bytes b = {0};
    bool ok = put_number(&b, ATN_TRACE_DEF_COMM) && put_number(&b, (uint64_t)number) &&
              put_eight(&b, id) && put_number(&b, (uint64_t)size) &&
              put_number(&b, (uint64_t)own) && put_number(&b, ranks != NULL);
    for (int i = 0, before = -1; i < size && ranks != NULL && ok; before = ranks[i++])
        ok = put_number(&b, atn_trace_zigzag(ranks[i] - before - 1));
    define(w, &b, ok);
}

void atn_trace_define_type(atn_trace_writer *w, int number, int64_t size, const char *name)
{
    bytes b = {0};
    const bool ok = put_number(&b, ATN_TRACE_DEF_TYPE) && put_number(&b, (uint64_t)number) &&
                    put_number(&b, (uint64_t)size) && put_text(&b, name);
    define(w, &b, ok);
}

void atn_trace_define_module(atn_trace_writer *w, int number, const char *path)
{
    bytes b = {0};
    const bool ok = put_number(&b, ATN_TRACE_DEF_MODULE) && put_number(&b, (uint64_t)number) &&
                    put_text(&b, path);
    define(w, &b, ok);
}

void atn_trace_define_site(atn_trace_writer *w, int number, int module, uint64_t offset)
{
    bytes b = {0};
    const bool ok = put_number(&b, ATN_TRACE_DEF_SITE) && put_number(&b, (uint64_t)number) &&
                    put_number(&b, atn_trace_zigzag(module)) && put_number(&b, offset);
    define(w, &b, ok);
}

static void define_ops(atn_trace_writer *w)
{
    for (int i = 0; i < ATN_TRACE_OPS; i++) {
        bytes b = {0};
        const atn_trace_op_info *const op = atn_trace_op_get((atn_trace_op)i);
        const bool ok = put_number(&b, ATN_TRACE_DEF_OP) && put_number(&b, (uint64_t)i) &&
                        put_text(&b, op->name) && put_number(&b, op->flags);
        define(w, &b, ok);
    }
}

static void write_vec(atn_trace_writer *w, atn_trace_kind kind, bytes *b, bool whole)
{
    atn_trace_block block = {.kind = (uint8_t)kind, .bytes = (uint32_t)b->n, .records = 1};
    if (whole && b->n > 0)
        write_block(w, &block, b->v);
    else if (w->error == 0)
        w->error = ENOMEM;
    free(b->v);
}

void atn_trace_write_start(atn_trace_writer *w, const atn_trace_start *s)
{
    bytes b = {0};
    const bool ok = put_eight(&b, s->job) && put_number(&b, (uint64_t)s->rank) &&
                    put_number(&b, (uint64_t)s->ranks) && put_number(&b, (uint64_t)s->wall_ns) &&
                    put_number(&b, (uint64_t)s->inside_ps) &&
                    put_number(&b, (uint64_t)s->around_ps) && put_number(&b, (uint64_t)s->pid) &&
                    put_text(&b, s->clock) && put_text(&b, s->host) && put_text(&b, s->program) &&
                    put_text(&b, s->library);
    w->live->job = s->job;
    write_vec(w, ATN_TRACE_HEADER, &b, ok);
    define_ops(w);
    write_definitions(w);
}

void atn_trace_write_sync(atn_trace_writer *w, int64_t at, int64_t offset, int64_t within)
{
    bytes b = {0};
    const bool ok = put_number(&b, (uint64_t)at) && put_number(&b, atn_trace_zigzag(offset)) &&
                    put_number(&b, (uint64_t)within);
    atn_trace_flush(w);
    write_vec(w, ATN_TRACE_SYNC, &b, ok);
}

void atn_trace_write_times(atn_trace_writer *w, const int64_t *sizes, const int64_t *ns, int n)
{
    bytes b = {0};
    bool ok = put_number(&b, (uint64_t)n);
    for (int i = 0; i < n && ok; i++)
        ok = put_number(&b, (uint64_t)sizes[i]) && put_number(&b, (uint64_t)ns[i]);
    atn_trace_flush(w);
    write_vec(w, ATN_TRACE_TIMES, &b, ok);
}

/* At once: the block of events that refer to it by their times comes later. */
void atn_trace_write_row(atn_trace_writer *w, int64_t enter, atn_trace_op op, int comm,
                         const int64_t *sizes, int n)
{
    bytes b = {0};
    bool ok = may_write(w) && put_number(&b, op) && put_number(&b, (uint64_t)comm) &&
              put_number(&b, (uint64_t)n);
    for (int i = 0; i < n && ok; i++)
        ok = put_number(&b, (uint64_t)sizes[i]);
    atn_trace_block block = {
        .kind = ATN_TRACE_ROW, .bytes = (uint32_t)b.n, .records = 1, .base = enter};
    if (ok)
        write_block(w, &block, b.v);
    free(b.v);
}

/* ---- events ---- */

static bool same(const atn_trace_what *a, const atn_trace_what *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

/* The slot of the signature, or the free slot where it belongs. */
static unsigned place(const atn_trace_writer *w, const atn_trace_what *what)
{
    uint64_t part[6], h = 0;
    memcpy(part, what, sizeof part);
    for (int i = 0; i < 6; i++)
        h = (h ^ part[i]) * UINT64_C(0x9e3779b97f4a7c15), h ^= h >> 32;
    unsigned at = (unsigned)h % SLOTS;
    while (w->slot[at] != 0 && !same(&w->signature[w->slot[at] - 1], what))
        at = (at + 1) % SLOTS;
    return at;
}

/* The number + 1 of a signature of the block; 0: none.  Most calls repeat the last one from their
 * call site, and comparing is faster than searching. */
static uint16_t find_signature(atn_trace_writer *w, const atn_trace_what *what)
{
    uint16_t *const recent = &w->recent[(unsigned)what->site % RECENT];
    const uint16_t n = *recent;
    if (n == 0 || n > w->signatures || !same(&w->signature[n - 1], what))
        *recent = w->slot[place(w, what)];
    return *recent;
}

static void put_signature(atn_trace_writer *w, const atn_trace_what *what)
{
    if (w->signatures == ATN_TRACE_SIGNATURES)
        forget_signatures(w);
    const unsigned at = place(w, what);
    w->signature[w->signatures++] = *what;
    w->slot[at] = (uint16_t)w->signatures;
    uint8_t *to = w->live->cursor.at;
    *to++ = 0;
    *to++ = what->op;
    *to++ = what->depth;
    *to++ = what->thread;
    *to++ = what->flags;
    to = atn_trace_put_varint(to, (uint64_t)what->count);
    to = atn_trace_put_varint(to, (uint64_t)what->bytes);
    to = atn_trace_put_varint(to, what->buffer);
    to = atn_trace_put_varint(to, atn_trace_zigzag(what->partner));
    to = atn_trace_put_varint(to, atn_trace_zigzag(what->tag));
    to = atn_trace_put_varint(to, atn_trace_zigzag(what->comm));
    to = atn_trace_put_varint(to, atn_trace_zigzag(what->type));
    w->live->cursor.at = atn_trace_put_varint(to, atn_trace_zigzag(what->site));
}

static void put_times(atn_trace_cursor *h, int64_t enter, int64_t exit)
{
    h->at = atn_trace_put_varint(h->at, atn_trace_zigzag(enter - h->last));
    h->at = atn_trace_put_varint(h->at, exit > enter ? (uint64_t)(exit - enter) : 0);
    h->last = exit > enter ? exit : enter;
}

/* Calls of a thread do not overlap, but clock readings are not exact: a start slightly before the
 * end of the previous call is set to that end.  Larger differences stay, so that readers detect
 * clock jumps. */
static void put_in_order(atn_trace_cursor *h, const atn_trace_what *what, int64_t *enter,
                         int64_t *exit)
{
    if (what->depth > 0 || what->thread > 0)
        return;
    const int64_t early = h->ended - *enter, gone = h->ended - *exit;
    if (early > 0 && gone < inexact_ns) {
        *enter = h->ended;
        *exit = gone < 0 ? *exit : h->ended;
    }
    h->ended = *exit;
}

static bool has_room(atn_trace_writer *w, unsigned flags, int64_t now)
{
    atn_trace_cursor *const h = &w->live->cursor;
    const bool part = (flags & ATN_TRACE_PART) != 0;
    if (!may_write(w)) {
        w->dropped += !part;
        h->requests += (flags & ATN_TRACE_STARTS) != 0;
        return false;
    }
    /* Parts stay in the block of their call: leave room for some, and start another block with a
     * copy of the times of the call if there are too many. */
    const ptrdiff_t left = w->live->room + sizeof w->live->room - h->at;
    const bool waited = h->records > 0 && now - w->live->block.base > block_ns;
    if (left < RECORD_ROOM || (!part && (left < CALL_ROOM || waited))) {
        const int64_t last = h->last;
        atn_trace_flush(w);
        set_base(w, part ? last : now);
    }
    return true;
}

unsigned atn_trace_put(atn_trace_writer *w, const atn_trace_what *what, int64_t enter, int64_t exit,
                       uint32_t request)
{
    atn_trace_cursor *const h = &w->live->cursor;
    const unsigned flags = atn_trace_op_get((atn_trace_op)what->op)->flags;
    const bool part = (flags & ATN_TRACE_PART) != 0;
    if (!part)
        put_in_order(h, what, &enter, &exit);
    if (!has_room(w, flags, enter))
        return 0;
    if (h->records++ == 0 && !part)
        set_base(w, enter);
    const unsigned known = find_signature(w, what);
    if (known != 0)
        h->at = atn_trace_put_varint(h->at, known);
    else
        put_signature(w, what);
    if (!part)
        put_times(h, enter, exit);
    if ((flags & ATN_TRACE_STARTS) != 0)
        h->requests++;
    if (what->op == ATN_TRACE_DONE)
        h->at = atn_trace_put_varint(h->at, h->requests - request);
    h->events += !part;
    return known != 0 ? known : (unsigned)w->signatures;
}

atn_trace_cursor *atn_trace_cursor_of(atn_trace_writer *w) { return &w->live->cursor; }

uint32_t atn_trace_last_request(const atn_trace_writer *w) { return w->live->cursor.requests; }

void atn_trace_polls(atn_trace_writer *w, int64_t n, int64_t ns)
{
    w->polls += n;
    w->polls_ns += ns;
}

int atn_trace_error(const atn_trace_writer *w) { return w->error; }

bool atn_trace_close(atn_trace_writer *w)
{
    bytes b = {0};
    const bool ok = put_number(&b, (uint64_t)w->live->cursor.events) &&
                    put_number(&b, (uint64_t)w->dropped) && put_number(&b, (uint64_t)w->polls) &&
                    put_number(&b, (uint64_t)w->polls_ns);
    atn_trace_flush(w);
    write_vec(w, ATN_TRACE_END, &b, ok);
    const bool worked = close(w->fd) == 0 && w->error == 0;
    w->fd = -1;
    release(w);
    return worked;
}
