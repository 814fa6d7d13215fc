/* read_file.c - reads the blocks of a file. */
#include <stdlib.h>
#include <string.h>

#include "trace/live.h"
#include "trace/read_private.h"

void atn_trace_file_free(atn_trace_file *raw)
{
    free(raw->path);
    for (int i = 0; i < raw->comms.n; i++)
        free(raw->comms.v[i].ranks);
    for (int i = 0; i < raw->types.n; i++)
        free(raw->types.v[i].name);
    for (int i = 0; i < raw->modules.n; i++)
        free(raw->modules.v[i].path);
    atn_vec_free(&raw->comms);
    atn_vec_free(&raw->types);
    atn_vec_free(&raw->modules);
    atn_vec_free(&raw->sites);
    free(raw->r.host);
    free(raw->r.program);
    free(raw->r.library);
    free(raw->r.clock);
    atn_vec_free(&raw->r.syncs);
    atn_vec_free(&raw->r.times);
    atn_vec_free(&raw->r.events);
    atn_trace_rows_free(&raw->r);
    *raw = (atn_trace_file){0};
}

/* ---- header, definitions, comparisons of clocks, end ---- */

enum { MOST_RANKS = 1 << 20 }; /* readers have a table of all ranks */

/* A damaged header may be followed by another one. */
static void take_text(char **text_p, atn_bytes *b)
{
    free(*text_p);
    *text_p = atn_trace_get_text(b);
}

static bool take_header(atn_trace_file *raw, atn_bytes *b)
{
    if (raw->started)
        return false;
    raw->job = atn_trace_get_fixed(b);
    raw->rank = (int)atn_trace_get_varint(b);
    raw->ranks = (int)atn_trace_get_varint(b);
    raw->wall_ns = (int64_t)atn_trace_get_varint(b);
    raw->r.inside_ns = 1e-3 * (double)atn_trace_get_varint(b);
    raw->r.around_ns = 1e-3 * (double)atn_trace_get_varint(b);
    raw->r.pid = (int)atn_trace_get_varint(b);
    take_text(&raw->r.clock, b);
    take_text(&raw->r.host, b);
    take_text(&raw->r.program, b);
    take_text(&raw->r.library, b);
    raw->started = !b->bad && raw->ranks > 0 && raw->ranks <= MOST_RANKS && raw->rank >= 0 &&
                   raw->rank < raw->ranks;
    return raw->started;
}

static bool take_op(atn_trace_file *raw, atn_bytes *b)
{
    const uint64_t number = atn_trace_get_varint(b);
    char *const name = atn_trace_get_text(b);
    const uint64_t recorded = raw->version > 1 ? atn_trace_get_varint(b) : 0;
    const bool ok = name != NULL && !b->bad && number < sizeof raw->ops;
    if (ok) {
        const atn_trace_op op = atn_trace_op_find(name);
        const unsigned flags = raw->version > 1 ? (unsigned)recorded : atn_trace_op_get(op)->flags;
        const bool strange = op == ATN_TRACE_UNKNOWN && (flags & ATN_TRACE_PART) != 0;
        raw->ops[number] = (uint8_t)(strange ? ATN_TRACE_UNKNOWN_PART : op);
        raw->flags[number] = (uint8_t)flags;
    }
    free(name);
    return ok;
}

/* Each is written as the distance to the one after the one before. */
static void take_ranks(atn_bytes *b, int n, int *ranks)
{
    int64_t rank = -1;
    for (int i = 0; i < n; i++) {
        const int64_t far = atn_trace_get_signed(b);
        b->bad = b->bad || far < -INT32_MAX || far > INT32_MAX;
        rank += 1 + (b->bad ? 0 : far);
        b->bad = b->bad || rank < INT32_MIN || rank >= INT32_MAX;
        ranks[i] = b->bad ? 0 : (int)rank;
    }
}

static bool take_comm(atn_trace_file *raw, atn_bytes *b)
{
    atn_trace_file_comm c = {.number = (int)atn_trace_get_varint(b)};
    c.id = atn_trace_get_fixed(b);
    c.size = (int)atn_trace_get_varint(b);
    c.own = (int)atn_trace_get_varint(b);
    const bool listed = atn_trace_get_varint(b) != 0;
    if (b->bad || c.size < 0 || (listed && c.size > b->stop - b->at))
        return false;
    if (listed) {
        c.ranks = malloc(((size_t)c.size + 1) * sizeof *c.ranks);
        if (c.ranks != NULL)
            take_ranks(b, c.size, c.ranks);
    }
    if (!b->bad && atn_push(&raw->comms, c))
        return true;
    free(c.ranks);
    return false;
}

static bool take_type(atn_trace_file *raw, atn_bytes *b)
{
    atn_trace_file_type t = {.number = (int)atn_trace_get_varint(b)};
    t.bytes = (int64_t)atn_trace_get_varint(b);
    t.name = atn_trace_get_text(b);
    if (t.name != NULL && atn_push(&raw->types, t))
        return true;
    free(t.name);
    return false;
}

static bool take_module(atn_trace_file *raw, atn_bytes *b)
{
    atn_trace_file_module m = {.number = (int)atn_trace_get_varint(b)};
    m.path = atn_trace_get_text(b);
    if (m.path != NULL && atn_push(&raw->modules, m))
        return true;
    free(m.path);
    return false;
}

static bool take_site(atn_trace_file *raw, atn_bytes *b)
{
    atn_trace_file_site s = {.number = (int)atn_trace_get_varint(b)};
    s.module = (int)atn_trace_get_signed(b);
    s.offset = atn_trace_get_varint(b);
    return !b->bad && atn_push(&raw->sites, s);
}

static bool take_definitions(atn_trace_file *raw, atn_bytes *b)
{
    static bool (*const take[])(atn_trace_file *, atn_bytes *) = {
        [ATN_TRACE_DEF_OP] = take_op,     [ATN_TRACE_DEF_COMM] = take_comm,
        [ATN_TRACE_DEF_TYPE] = take_type, [ATN_TRACE_DEF_MODULE] = take_module,
        [ATN_TRACE_DEF_SITE] = take_site,
    };
    while (b->at < b->stop && !b->bad) {
        const uint64_t what = atn_trace_get_varint(b);
        if (what == 0 || what >= sizeof take / sizeof *take || !take[what](raw, b))
            return false;
    }
    return !b->bad;
}

static bool take_sync(atn_trace_file *raw, atn_bytes *b)
{
    atn_trace_sync s = {.at = (int64_t)atn_trace_get_varint(b)};
    s.offset = atn_trace_get_signed(b);
    s.within = (int64_t)atn_trace_get_varint(b);
    return !b->bad && atn_push(&raw->r.syncs, s);
}

static bool take_message_times(atn_trace_file *raw, atn_bytes *b)
{
    const uint64_t n = atn_trace_get_varint(b);
    for (uint64_t i = 0; i < n && !b->bad; i++) {
        atn_trace_time t = {.bytes = (int64_t)atn_trace_get_varint(b)};
        t.ns = (int64_t)atn_trace_get_varint(b);
        const bool rises =
            raw->r.times.n == 0 || t.bytes > raw->r.times.v[raw->r.times.n - 1].bytes;
        if (!b->bad && (!rises || !atn_push(&raw->r.times, t)))
            return false;
    }
    return !b->bad;
}

static bool take_end(atn_trace_file *raw, atn_bytes *b)
{
    atn_trace_get_varint(b); /* number of events: counted below */
    raw->r.dropped = (int64_t)atn_trace_get_varint(b);
    raw->r.polls = (int64_t)atn_trace_get_varint(b);
    raw->r.polls_ns = (int64_t)atn_trace_get_varint(b);
    raw->r.finished = !b->bad;
    return raw->r.finished;
}

/* ---- events ---- */

typedef struct {
    atn_trace_what signature[ATN_TRACE_SIGNATURES];
    int signatures;
    int64_t last;
    uint32_t requests;
} decoder;

static uint8_t get_byte(atn_bytes *b)
{
    if (b->bad || b->at == b->stop) {
        b->bad = true;
        return 0;
    }
    return *b->at++;
}

static const atn_trace_what *define(decoder *d, atn_bytes *b)
{
    if (d->signatures == ATN_TRACE_SIGNATURES)
        d->signatures = 0;
    atn_trace_what *const s = &d->signature[d->signatures++];
    s->op = get_byte(b);
    s->depth = get_byte(b);
    s->thread = get_byte(b);
    s->flags = get_byte(b);
    s->count = (int64_t)atn_trace_get_varint(b);
    s->bytes = (int64_t)atn_trace_get_varint(b);
    s->buffer = atn_trace_get_varint(b);
    s->partner = (int32_t)atn_trace_get_signed(b);
    s->tag = (int32_t)atn_trace_get_signed(b);
    s->comm = (int32_t)atn_trace_get_signed(b);
    s->type = (int32_t)atn_trace_get_signed(b);
    s->site = (int32_t)atn_trace_get_signed(b);
    return b->bad ? NULL : s;
}

static const atn_trace_what *next_what(decoder *d, atn_bytes *b)
{
    const uint64_t k = atn_trace_get_varint(b);
    if (b->bad)
        return NULL;
    if (k == 0)
        return define(d, b);
    return k <= (uint64_t)d->signatures ? &d->signature[k - 1] : NULL;
}

/* A part has the times of its call. */
static void take_times(atn_trace_file *raw, decoder *d, atn_bytes *b, bool part, atn_trace_event *e)
{
    const atn_trace_event *const before =
        raw->r.events.n > 0 ? &raw->r.events.v[raw->r.events.n - 1] : NULL;
    if (part) {
        e->enter = before != NULL ? before->enter : d->last;
        e->exit = before != NULL ? before->exit : d->last;
        return;
    }
    e->enter = d->last + atn_trace_get_signed(b);
    e->exit = e->enter + (int64_t)atn_trace_get_varint(b);
    if (e->depth == 0 && e->thread == 0 && before != NULL && before->depth == 0 &&
        before->thread == 0 && e->enter < before->exit && raw->backwards < 0)
        raw->backwards = raw->r.events.n;
    d->last = e->exit;
}

static bool take_event(atn_trace_file *raw, decoder *d, atn_bytes *b)
{
    const atn_trace_what *const what = next_what(d, b);
    if (what == NULL)
        return false;
    const atn_trace_op op = (atn_trace_op)raw->ops[what->op];
    const unsigned flags = raw->flags[what->op];
    atn_trace_event e = {.count = what->count,
                         .bytes = what->bytes,
                         .buffer = what->buffer,
                         .partner = what->partner,
                         .tag = what->tag,
                         .comm = what->comm,
                         .type = what->type,
                         .site = what->site,
                         .op = (uint8_t)op,
                         .depth = what->depth,
                         .thread = what->thread,
                         .flags = what->flags,
                         .row = -1};
    take_times(raw, d, b, (flags & ATN_TRACE_PART) != 0, &e);
    if ((flags & ATN_TRACE_STARTS) != 0)
        e.request = ++d->requests;
    if (op == ATN_TRACE_DONE) {
        const uint64_t later = atn_trace_get_varint(b);
        if (later > d->requests)
            return false;
        e.request = d->requests - (uint32_t)later;
    }
    return !b->bad && atn_push(&raw->r.events, e);
}

static bool take_events(atn_trace_file *raw, const atn_trace_block *block, atn_bytes *b)
{
    decoder d = {.last = block->base, .requests = block->request};
    raw->base = block->base;
    for (uint32_t i = 0; i < block->records; i++)
        if (!take_event(raw, &d, b))
            return false;
    return b->at == b->stop;
}

static bool take_block(atn_trace_file *raw, const atn_trace_block *block, const uint8_t *at)
{
    const uint8_t *const payload = at + ATN_TRACE_BLOCK_HEAD;
    atn_bytes b = {.at = payload, .stop = payload + block->bytes};
    switch (block->kind) {
    case ATN_TRACE_HEADER:
        return take_header(raw, &b);
    case ATN_TRACE_DEFINITIONS:
        return take_definitions(raw, &b);
    case ATN_TRACE_EVENTS:
        return take_events(raw, block, &b);
    case ATN_TRACE_SYNC:
        return take_sync(raw, &b);
    case ATN_TRACE_TIMES:
        return take_message_times(raw, &b);
    case ATN_TRACE_ROW:
        return atn_trace_take_row(raw, block, &b);
    case ATN_TRACE_END:
        return take_end(raw, &b);
    default:
        return true; /* of a later version: may be skipped */
    }
}

/* ---- the file ---- */

static const uint8_t *next_magic(const uint8_t *at, const uint8_t *stop)
{
    return stop - at > 4 ? memmem(at, (size_t)(stop - at), "ATNB", 4) : NULL;
}

/* Skips damaged parts: the next block is found by its magic number. */
static void take_blocks(atn_trace_file *raw, const uint8_t *at, const uint8_t *stop)
{
    atn_trace_block block;
    while (at < stop) {
        const bool whole = atn_trace_block_open(at, (size_t)(stop - at), &block);
        if (whole && atn_trace_block_sound(at, &block)) {
            raw->lost += !take_block(raw, &block, at);
            at += ATN_TRACE_BLOCK_HEAD + block.bytes;
            continue;
        }
        const uint8_t *const next = next_magic(at + 1, stop);
        raw->cut = next == NULL && !whole;
        raw->lost += !raw->cut;
        at = next != NULL ? next : stop;
    }
}

/* The current block of a process that was killed, perhaps inside of a record or of writing the
 * block. */
static void take_live(atn_trace_file *raw, const atn_trace_live *live)
{
    decoder d = {.last = live->block.base, .requests = live->block.request};
    const uint32_t defining = live->defining <= sizeof live->definitions ? live->defining : 0;
    atn_bytes defined = {.at = live->definitions, .stop = live->definitions + defining};
    atn_bytes b = {.at = live->room, .stop = live->room + atn_trace_live_bytes(live)};
    if (!raw->started || raw->r.finished || live->job != raw->job)
        return;
    take_definitions(raw, &defined);
    if (live->block.base == raw->base)
        return;
    for (uint32_t i = 0; i < live->cursor.records && take_event(raw, &d, &b); i++)
        continue;
}

static atn_status check_line(const char *path, const char *text, const char **rest_p,
                             int *version_p, atn_error *err)
{
    const size_t n = strlen(ATN_TRACE_LINE);
    if (strncmp(text, ATN_TRACE_LINE, n) != 0)
        return atn_fail(err, ATN_INPUT,
                        "%s: is no trace of Attune: it does not start with '%s%d'; nothing of it "
                        "can be used",
                        path, ATN_TRACE_LINE, ATN_TRACE_VERSION);
    char *end;
    const long version = strtol(text + n, &end, 10);
    if (version < ATN_TRACE_FIRST_VERSION || version > ATN_TRACE_VERSION || *end != '\n')
        return atn_fail(err, ATN_INPUT,
                        "%s: is of version %ld, but this Attune reads versions %d to %d; use the "
                        "Attune that recorded it",
                        path, version, ATN_TRACE_FIRST_VERSION, ATN_TRACE_VERSION);
    *rest_p = end + 1;
    *version_p = (int)version;
    return ATN_OK;
}

atn_status atn_trace_file_read(const char *path, atn_trace_file *raw_p, atn_error *err)
{
    char *text = NULL;
    const char *rest = NULL;
    size_t bytes = 0;
    atn_trace_file raw = {.backwards = -1, .base = -1, .path = strdup(path)};
    memset(raw.ops, ATN_TRACE_UNKNOWN, sizeof raw.ops);
    /* Read before the trace: a running process may write the block in between. */
    atn_trace_live *const live = atn_trace_live_read(path);
    atn_status status = raw.path != NULL ? atn_read_file(path, &text, &bytes, err)
                                         : atn_fail(err, ATN_MEMORY, "out of memory");
    if (status == ATN_OK)
        status = check_line(path, text, &rest, &raw.version, err);
    if (status == ATN_OK) {
        take_blocks(&raw, (const uint8_t *)rest, (const uint8_t *)text + bytes);
        if (live != NULL)
            take_live(&raw, live);
        atn_trace_find_rows(&raw);
        if (!raw.started)
            status = atn_fail(err, ATN_INPUT,
                              "%s: has no valid header, so nothing of it can be used", path);
    }
    free(live);
    free(text);
    if (status != ATN_OK) {
        atn_trace_file_free(&raw);
        return status;
    }
    const char *const slash = strrchr(raw.path, '/');
    raw.name = slash != NULL ? slash + 1 : raw.path;
    *raw_p = raw;
    return ATN_OK;
}
