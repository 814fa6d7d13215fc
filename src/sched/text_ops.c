/* text_ops.c - reads the operations of schedules: numbers, slots, what each kind needs. */
#include "sched/text_private.h"

#include <stdlib.h>
#include <string.h>

/* ---- words ---- */

bool atn_sched_text_number(const char *text, const char *stops, int lo, int hi, int *v_p,
                           const char **end_p)
{
    int64_t v = 0;
    const char *c = text;

    for (; *c >= '0' && *c <= '9' && v <= hi; c++)
        v = v * 10 + (*c - '0');
    if (c == text || v < lo || v > hi || (*c != '\0' && !strchr(stops, *c)))
        return false;
    *v_p = (int)v;
    if (end_p)
        *end_p = c;
    return true;
}

bool atn_sched_text_number_word(parser *s, const char *what, int lo, int hi, int *v_p)
{
    const char *text = atn_sched_text_word(s);

    if (!text)
        return bad(s, "the %s is missing; write a number from %d to %d", what, lo, hi);
    if (!atn_sched_text_number(text, "", lo, hi, v_p, NULL))
        return bad(s, "'%s' is not a valid %s; write a number from %d to %d", text, what, lo, hi);
    return true;
}

/* ---- slots ---- */

bool atn_sched_text_ranges(parser *s, const char *text, const char *c, ranges *list)
{
    int lo, hi;

    do {
        if (!atn_sched_text_number(c, ".,]", 0, MAX_BLOCKS - 1, &lo, &c))
            return bad(s, "'%s' is not a slot; write blocks as src[0], dst[0..3] or tmp[0..1,4]",
                       text);
        hi = lo;
        if (c[0] == '.' &&
            (c[1] != '.' || !atn_sched_text_number(c + 2, ",]", lo, MAX_BLOCKS - 1, &hi, &c)))
            return bad(s, "'%s' has an invalid range; write first..last with first <= last", text);
        if (!atn_push(&list->v, (atn_range){lo, hi - lo + 1}))
            return atn_sched_text_memory(s);
    } while (*c++ == ',');
    return (c[-1] == ']' && *c == '\0') ||
           bad(s, "'%s' is not closed by ']'; a slot is one word without spaces", text);
}

static bool parse_slot(parser *s, ranges *list, atn_ref *ref)
{
    const char *text = atn_sched_text_word(s);

    if (!text)
        return bad(s, "a slot is missing; write src[0], dst[0..3], tmp[1] or nothing");
    *ref = (atn_ref){.n = 0};
    if (strcmp(text, "nothing") == 0)
        return true;
    for (int i = 0; i < ATN_SPACES; i++) {
        const char *name = atn_sched_space_name((atn_space)i);
        const size_t n = strlen(name);
        if (strncmp(text, name, n) != 0 || text[n] != '[')
            continue;
        if (!atn_sched_text_ranges(s, text, text + n + 1, list))
            return false;
        *ref = atn_ranges((atn_ref){.space = (atn_space)i}, list->v.v, list->v.n);
        return true;
    }
    return bad(s, "'%s' is not a slot; the spaces are src, dst and tmp", text);
}

#define KINDS "send, ssend, recv, recv_reduce, copy, reduce, expose, read, read_reduce or close"

/* ---- operations ---- */

static bool parse_after(parser *s, int op)
{
    int on;
    const char *text = atn_sched_text_word(s);

    if (!text)
        return true;
    if (strcmp(text, "after") != 0)
        return bad(s, "'%s' is unexpected; only 'after' and operation numbers may follow", text);
    if (op == 0)
        return bad(s, "the first operation cannot wait for another; remove 'after'");
    do {
        if (!atn_sched_text_number_word(s, "earlier operation", 0, op - 1, &on))
            return false;
        atn_sched_emit_after(s->b, op, on, on + 1);
    } while (s->l.rest[strspn(s->l.rest, " \t")] != '\0');
    return true;
}

/* A message without data has no slot from which the builder could infer anything. */
static void emit_message(parser *s, atn_op_kind kind, int peer, const atn_ref *ref)
{
    if (ref->n == 0)
        atn_sched_emit(s->b, kind, peer, (atn_slot){.at = s->b->ranges.n}, (atn_slot){0});
    else if (kind == ATN_OP_SEND)
        atn_send(s->b, peer, *ref);
    else
        atn_recv(s->b, peer, *ref);
}

static bool parse_peer(parser *s, int *peer_p)
{
    if (!atn_sched_text_number_word(s, "peer", 0, s->q.p - 1, peer_p))
        return false;
    return *peer_p != s->b->q.r ||
           bad(s, "rank %d cannot exchange messages with itself; use copy", *peer_p);
}

static bool parse_message(parser *s, atn_op_kind kind)
{
    ranges list = {0};
    atn_ref ref;
    int peer;
    bool ok = parse_peer(s, &peer) && parse_slot(s, &list, &ref);

    if (ok)
        emit_message(s, kind, peer, &ref);
    atn_vec_free(&list.v);
    return ok;
}

static bool parse_copy(parser *s)
{
    ranges from_list = {0}, to_list = {0};
    atn_ref from, to;
    const char *text;
    bool ok = parse_slot(s, &from_list, &from);

    if (ok && (!(text = atn_sched_text_word(s)) || strcmp(text, "to") != 0))
        ok = bad(s, "'to' is missing between the slots");
    ok = ok && parse_slot(s, &to_list, &to);
    if (ok)
        atn_copy(s->b, from, to);
    atn_vec_free(&from_list.v);
    atn_vec_free(&to_list.v);
    return ok;
}

/* The slots of a reduction: A ["with" C] "into" B.  Lists: A, C, B. */
static bool parse_operands(parser *s, ranges lists[3], atn_ref refs[3])
{
    if (!parse_slot(s, &lists[0], &refs[0]))
        return false;
    const char *text = atn_sched_text_word(s);
    const bool with = text && strcmp(text, "with") == 0;
    if (with && !parse_slot(s, &lists[1], &refs[1]))
        return false;
    text = with ? atn_sched_text_word(s) : text;
    if (!text || strcmp(text, "into") != 0)
        return bad(s, "'into' is missing between the slots");
    if (!parse_slot(s, &lists[2], &refs[2]))
        return false;
    if (!with)
        refs[1] = refs[2];
    return true;
}

/* peer < 0: both operands are local. */
static bool parse_reduction(parser *s, int peer)
{
    ranges lists[3] = {{.v = {0}}};
    atn_ref refs[3];
    bool ok = parse_operands(s, lists, refs);

    if (ok && peer >= 0 && (refs[0].n == 0 || refs[0].space != ATN_TMP))
        ok = bad(s, "the message of recv_reduce needs scratch; write tmp[0]");
    if (ok && peer >= 0)
        atn_recv_reduce(s->b, peer, refs[0], refs[1], refs[2]);
    else if (ok)
        atn_reduce_with(s->b, refs[0], refs[1], refs[2]);
    for (int i = 0; i < 3; i++)
        atn_vec_free(&lists[i].v);
    return ok;
}

/* ---- operations on shared memory ---- */

static bool expect(parser *s, const char *wanted)
{
    const char *text = atn_sched_text_word(s);
    return (text && strcmp(text, wanted) == 0) || bad(s, "'%s' is missing", wanted);
}

static bool parse_expose(parser *s)
{
    ranges list = {0};
    atn_ref what;
    int seq, readers;
    const bool ok = atn_sched_text_number_word(s, "exposure", 0, INT32_MAX - 1, &seq) &&
                    expect(s, "of") && parse_slot(s, &list, &what) && expect(s, "for") &&
                    atn_sched_text_number_word(s, "number of reads", 1, INT32_MAX - 1, &readers);

    if (ok)
        atn_sched_emit_expose(s->b, seq, readers, &what);
    atn_vec_free(&list.v);
    return ok;
}

static bool parse_close(parser *s)
{
    int seq;
    const bool ok = atn_sched_text_number_word(s, "exposure", 0, INT32_MAX - 1, &seq);

    if (ok)
        atn_sched_emit_close(s->b, seq);
    return ok;
}

/* "PEER.EXPOSURE" */
static bool parse_exposure(parser *s, int *peer_p, int *seq_p)
{
    const char *text = atn_sched_text_word(s), *rest = NULL;

    if (!text || !atn_sched_text_number(text, ".", 0, s->q.p - 1, peer_p, &rest) || *rest != '.' ||
        !atn_sched_text_number(rest + 1, "", 0, INT32_MAX - 1, seq_p, NULL))
        return bad(s, "'%s' is not an exposure; write RANK.NUMBER", text ? text : "");
    return *peer_p != s->b->q.r ||
           bad(s, "rank %d cannot read its own exposure; use copy", *peer_p);
}

typedef struct {
    ranges list[3];
    atn_ref skip, with, to;
    bool operand;
} read_slots;

static bool parse_shape(parser *s, ranges *list, atn_ref *ref)
{
    const char *text = atn_sched_text_word(s);

    if (!text || strncmp(text, "vec[", 4) != 0)
        return bad(s, "the blocks to skip are missing; write their sizes as vec[0..3]");
    if (!atn_sched_text_ranges(s, text, text + 4, list))
        return false;
    *ref = atn_ranges((atn_ref){.space = ATN_SHAPE}, list->v.v, list->v.n);
    return true;
}

/* ["skip" vec[...]] ["with" slot] preposition slot */
static bool parse_read_slots(parser *s, bool reduces, read_slots *x)
{
    const char *text = atn_sched_text_word(s), *last = reduces ? "into" : "to";

    if (text && strcmp(text, "skip") == 0) {
        if (!parse_shape(s, &x->list[0], &x->skip))
            return false;
        text = atn_sched_text_word(s);
    }
    if (reduces && text && strcmp(text, "with") == 0) {
        x->operand = true;
        if (!parse_slot(s, &x->list[1], &x->with))
            return false;
        text = atn_sched_text_word(s);
    }
    if (!text || strcmp(text, last) != 0)
        return bad(s, "'%s' is missing before the slot that is written", last);
    return parse_slot(s, &x->list[2], &x->to);
}

static bool parse_read(parser *s, bool reduces)
{
    read_slots x = {.operand = false};
    int peer, seq;
    const bool ok = parse_exposure(s, &peer, &seq) && parse_read_slots(s, reduces, &x);

    if (ok)
        atn_sched_emit_read(s->b, peer, seq, &x.skip, x.operand ? &x.with : NULL, &x.to, reduces);
    for (int i = 0; i < 3; i++)
        atn_vec_free(&x.list[i].v);
    return ok;
}

static bool parse_kind(parser *s)
{
    const char *text = atn_sched_text_word(s);
    int peer;

    if (!text)
        return bad(s, "the operation is missing; it must be " KINDS);
    if (strcmp(text, "send") == 0 || strcmp(text, "ssend") == 0) {
        const bool ok = parse_message(s, ATN_OP_SEND);
        if (ok && s->b->ops.n > 0)
            s->b->ops.v[s->b->ops.n - 1].ssend = text[1] == 's';
        return ok;
    }
    if (strcmp(text, "recv") == 0)
        return parse_message(s, ATN_OP_RECV);
    if (strcmp(text, "copy") == 0)
        return parse_copy(s);
    if (strcmp(text, "reduce") == 0)
        return parse_reduction(s, -1);
    if (strcmp(text, "recv_reduce") == 0)
        return parse_peer(s, &peer) && parse_reduction(s, peer);
    if (strcmp(text, "expose") == 0)
        return parse_expose(s);
    if (strcmp(text, "read") == 0 || strcmp(text, "read_reduce") == 0)
        return parse_read(s, text[4] == '_');
    if (strcmp(text, "close") == 0)
        return parse_close(s);
    return bad(s, "'%s' is not an operation; it must be " KINDS, text);
}

bool atn_sched_text_op(parser *s, const char *index)
{
    int i;

    if (!s->b)
        return bad(s, "an operation precedes the first rank; insert a line 'rank 0'");
    if (!atn_sched_text_number(index, ":", 0, INT32_MAX - 1, &i, NULL) || !strchr(index, ':'))
        return bad(s, "'%s' is not an operation number; write %d:", index, s->b->ops.n);
    if (i != s->b->ops.n)
        return bad(s,
                   "operation %d should be number %d; operations are numbered without gaps, "
                   "so a line is missing or duplicated",
                   i, s->b->ops.n);
    if (!parse_kind(s))
        return false;
    if (s->b->err.status != ATN_OK)
        return bad(s, "%s; blocks are counted from 0, %d to a natural block", s->b->err.text,
                   s->b->split);
    if (s->b->ops.n != i + 1)
        return bad(s, "operation %d does nothing; remove it", i);
    return parse_after(s, i);
}
