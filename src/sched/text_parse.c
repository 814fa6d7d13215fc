/* text_parse.c - reads schedules from text; docs/schedule-format.md has the grammar.
 *
 * The parser emits through a builder, which checks references and infers dependencies, so that a
 * schedule from a file is equivalent to one from an algorithm. */
#include "base/lines.h"
#include "sched/builder_private.h"
#include "sched/text.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_RANKS = 1 << 16, MAX_BLOCKS = 1 << 24, MAX_ROUNDS = 1 << 24 };

static const atn_format format = {.magic = "attune-schedule",
                                  .kind = "schedule",
                                  .version = ATN_SCHEDULE_VERSION,
                                  .remedy = "use a newer Attune",
                                  .comments = ATN_COMMENT_TAIL,
                                  .ends = true};

typedef struct {
    atn_lines l;
    char *name;
    bool has_problem;
    atn_problem q;
    atn_builder *b; /* of the rank being read; NULL: none yet */
    int rounds;     /* as declared on the rank line; 0: as many as are used */
    ATN_VEC(atn_schedule *) done;
} parser;

#define KINDS "send, ssend, recv, recv_reduce, copy, reduce, expose, read, read_reduce or close"

#define bad(s, ...) (atn_lines_fail(&(s)->l, __VA_ARGS__), false)

static bool memory(parser *s)
{
    atn_lines_no_memory(&s->l);
    return false;
}

static char *word(parser *s) { return atn_lines_word(&s->l); }

/* ---- words ---- */

/* An integer from lo to hi that ends at one of `stops`; *end_p is set past it. */
static bool number(const char *text, const char *stops, int lo, int hi, int *v_p,
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

static bool number_word(parser *s, const char *what, int lo, int hi, int *v_p)
{
    const char *text = word(s);

    if (!text)
        return bad(s, "the %s is missing; write a number from %d to %d", what, lo, hi);
    if (!number(text, "", lo, hi, v_p, NULL))
        return bad(s, "'%s' is not a valid %s; write a number from %d to %d", text, what, lo, hi);
    return true;
}

static bool line_ends(parser *s)
{
    const char *extra = word(s);
    return !extra || bad(s, "'%s' is unexpected; remove it", extra);
}

/* "key=value": the value, or NULL. */
static const char *value_of(const char *text, const char *key)
{
    const size_t n = strlen(key);
    return strncmp(text, key, n) == 0 && text[n] == '=' ? text + n + 1 : NULL;
}

static bool keyed(parser *s, const char *text, const char *key, int lo, int hi, int *v_p,
                  bool *found_p)
{
    const char *value = value_of(text, key);

    if (!value)
        return true;
    *found_p = true;
    return number(value, "", lo, hi, v_p, NULL) ||
           bad(s, "%s=%s is out of range; it must be from %d to %d", key, value, lo, hi);
}

/* ---- slots ---- */

typedef struct {
    ATN_VEC(atn_range) v;
} ranges;

/* "0..3,5]" -> ranges, up to the closing bracket. */
static bool parse_ranges(parser *s, const char *text, const char *c, ranges *list)
{
    int lo, hi;

    do {
        if (!number(c, ".,]", 0, MAX_BLOCKS - 1, &lo, &c))
            return bad(s, "'%s' is not a slot; write blocks as src[0], dst[0..3] or tmp[0..1,4]",
                       text);
        hi = lo;
        if (c[0] == '.' && (c[1] != '.' || !number(c + 2, ",]", lo, MAX_BLOCKS - 1, &hi, &c)))
            return bad(s, "'%s' has an invalid range; write first..last with first <= last", text);
        if (!atn_push(&list->v, (atn_range){lo, hi - lo + 1}))
            return memory(s);
    } while (*c++ == ',');
    return (c[-1] == ']' && *c == '\0') ||
           bad(s, "'%s' is not closed by ']'; a slot is one word without spaces", text);
}

static bool parse_slot(parser *s, ranges *list, atn_ref *ref)
{
    const char *text = word(s);

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
        if (!parse_ranges(s, text, text + n + 1, list))
            return false;
        *ref = atn_ranges((atn_ref){.space = (atn_space)i}, list->v.v, list->v.n);
        return true;
    }
    return bad(s, "'%s' is not a slot; the spaces are src, dst and tmp", text);
}

/* ---- operations ---- */

static bool parse_after(parser *s, int op)
{
    int on;
    const char *text = word(s);

    if (!text)
        return true;
    if (strcmp(text, "after") != 0)
        return bad(s, "'%s' is unexpected; only 'after' and operation numbers may follow", text);
    if (op == 0)
        return bad(s, "the first operation cannot wait for another; remove 'after'");
    do {
        if (!number_word(s, "earlier operation", 0, op - 1, &on))
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
    if (!number_word(s, "peer", 0, s->q.p - 1, peer_p))
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

    if (ok && (!(text = word(s)) || strcmp(text, "to") != 0))
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
    const char *text = word(s);
    const bool with = text && strcmp(text, "with") == 0;
    if (with && !parse_slot(s, &lists[1], &refs[1]))
        return false;
    text = with ? word(s) : text;
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
    const char *text = word(s);
    return (text && strcmp(text, wanted) == 0) || bad(s, "'%s' is missing", wanted);
}

static bool parse_expose(parser *s)
{
    ranges list = {0};
    atn_ref what;
    int seq, readers;
    const bool ok = number_word(s, "exposure", 0, INT32_MAX - 1, &seq) && expect(s, "of") &&
                    parse_slot(s, &list, &what) && expect(s, "for") &&
                    number_word(s, "number of reads", 1, INT32_MAX - 1, &readers);

    if (ok)
        atn_sched_emit_expose(s->b, seq, readers, &what);
    atn_vec_free(&list.v);
    return ok;
}

static bool parse_close(parser *s)
{
    int seq;
    const bool ok = number_word(s, "exposure", 0, INT32_MAX - 1, &seq);

    if (ok)
        atn_sched_emit_close(s->b, seq);
    return ok;
}

/* "PEER.EXPOSURE" */
static bool parse_exposure(parser *s, int *peer_p, int *seq_p)
{
    const char *text = word(s), *rest = NULL;

    if (!text || !number(text, ".", 0, s->q.p - 1, peer_p, &rest) || *rest != '.' ||
        !number(rest + 1, "", 0, INT32_MAX - 1, seq_p, NULL))
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
    const char *text = word(s);

    if (!text || strncmp(text, "vec[", 4) != 0)
        return bad(s, "the blocks to skip are missing; write their sizes as vec[0..3]");
    if (!parse_ranges(s, text, text + 4, list))
        return false;
    *ref = atn_ranges((atn_ref){.space = ATN_SHAPE}, list->v.v, list->v.n);
    return true;
}

/* ["skip" vec[...]] ["with" slot] preposition slot */
static bool parse_read_slots(parser *s, bool reduces, read_slots *x)
{
    const char *text = word(s), *last = reduces ? "into" : "to";

    if (text && strcmp(text, "skip") == 0) {
        if (!parse_shape(s, &x->list[0], &x->skip))
            return false;
        text = word(s);
    }
    if (reduces && text && strcmp(text, "with") == 0) {
        x->operand = true;
        if (!parse_slot(s, &x->list[1], &x->with))
            return false;
        text = word(s);
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
    const char *text = word(s);
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

static bool parse_op(parser *s, const char *index)
{
    int i;

    if (!s->b)
        return bad(s, "an operation precedes the first rank; insert a line 'rank 0'");
    if (!number(index, ":", 0, INT32_MAX - 1, &i, NULL) || !strchr(index, ':'))
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

/* ---- headings ---- */

static bool parse_name(parser *s)
{
    const char *start = s->l.rest + strspn(s->l.rest, " \t");

    if (s->name || *start == '\0')
        return bad(s, "%s; write one line 'name NAME'",
                   s->name ? "the name is given twice" : "the name is missing");
    s->name = strdup(start);
    return s->name || memory(s);
}

static bool parse_bytes(parser *s, const char *text, bool *found_p)
{
    const char *value = value_of(text, "bytes");

    if (!value)
        return true;
    *found_p = true;
    return atn_parse_size(value, &s->q.bytes) ||
           bad(s, "bytes=%s is not a size; write 4096, 64K or 1M", value);
}

static bool check_problem(parser *s)
{
    const atn_operation_info *o = atn_sched_operation_get(s->q.op);

    if (s->q.p == 0)
        return bad(s, "the number of ranks is missing; add p=N");
    if (s->q.root >= s->q.p)
        return bad(s, "root %d is not one of the %d ranks", s->q.root, s->q.p);
    if (s->q.root > 0 && !(o->flags & ATN_ROOTED))
        return bad(s, "%s has no root; remove root=%d", o->name, s->q.root);
    s->has_problem = true;
    return true;
}

static bool parse_problem(parser *s)
{
    const char *text = word(s);
    char offer[ATN_ERROR_ROOM];

    if (s->has_problem)
        return bad(s, "the problem is given twice; remove one line");
    s->q = (atn_problem){.segments = 1, .bytes = -1};
    if (!text || !atn_sched_operation_find(text, &s->q.op))
        return bad(s, "'%s' is not an MPI operation; %s", text ? text : "",
                   atn_sched_operation_offer(text ? text : "", offer));
    while ((text = word(s))) {
        bool found = strcmp(text, "ordered") == 0;
        s->q.ordered = s->q.ordered || found;
        if (!keyed(s, text, "p", 1, MAX_RANKS, &s->q.p, &found) ||
            !keyed(s, text, "root", 0, MAX_RANKS - 1, &s->q.root, &found) ||
            !keyed(s, text, "pieces", 1, MAX_BLOCKS, &s->q.segments, &found) ||
            !parse_bytes(s, text, &found))
            return false;
        if (!found)
            return bad(s, "'%s' is unknown; write p=, root=, ordered, pieces= or bytes=", text);
    }
    return check_problem(s);
}

/* Finishes the rank read so far. */
static bool finish_rank(parser *s)
{
    atn_schedule *done = NULL;

    if (!s->b)
        return true;
    if (s->rounds > 0)
        s->b->round = s->rounds - 1;
    atn_builder *b = s->b;
    s->b = NULL;
    if (atn_builder_finish(b, s->name, &done, s->l.err) != ATN_OK)
        return false;
    if (atn_push(&s->done, done))
        return true;
    atn_sched_schedule_free(done);
    return memory(s);
}

static bool parse_rank_words(parser *s, atn_problem *q, int *split_p)
{
    const char *text;

    while ((text = word(s))) {
        bool found = strcmp(text, "in_place") == 0;
        q->in_place = q->in_place || found;
        if (!keyed(s, text, "split", 1, MAX_BLOCKS, split_p, &found) ||
            !keyed(s, text, "rounds", 1, MAX_ROUNDS, &s->rounds, &found))
            return false;
        if (!found)
            return bad(s, "'%s' is unknown; write in_place, split= or rounds=", text);
    }
    return true;
}

static bool parse_rank(parser *s)
{
    int r, split = 1;

    if (!s->has_problem || !s->name)
        return bad(s, "the %s is missing; it must come before the first rank",
                   s->name ? "problem" : "name");
    if (!finish_rank(s) || !number_word(s, "rank", 0, s->q.p - 1, &r))
        return false;
    if (r != s->done.n)
        return bad(s, "rank %d is out of place: rank %d is next; list every rank once, in order", r,
                   s->done.n);
    atn_problem q = s->q;
    q.r = r;
    s->rounds = 0;
    if (!parse_rank_words(s, &q, &split))
        return false;
    if ((int64_t)split * q.p > MAX_BLOCKS)
        return bad(s, "split=%d on %d ranks makes more than %d blocks; use a smaller split", split,
                   q.p, MAX_BLOCKS);
    s->b = atn_builder_new(&q);
    if (!s->b)
        return memory(s);
    atn_split(s->b, split);
    return true;
}

static bool add_scratch(parser *s, const ranges *list)
{
    const int blocks = atn_sched_vec_blocks(&s->q) * s->b->split;

    for (int i = 0; i < list->v.n; i++)
        for (int k = 0; k < list->v.v[i].count; k++) {
            const int shape = list->v.v[i].first + k;
            if (shape >= blocks || s->b->tmp_shape.n == MAX_BLOCKS)
                return bad(s, "block %d is not in the shape vector, which has blocks 0 to %d",
                           shape, blocks - 1);
            if (!atn_push(&s->b->tmp_shape, shape))
                return memory(s);
        }
    return atn_push(&s->b->regions,
                    (region){.base = 0, .unit = 1, .parts = s->b->tmp_shape.n, .ends = -1}) ||
           memory(s);
}

static bool parse_tmp(parser *s)
{
    ranges list = {0};
    const char *text = word(s);
    bool ok = true;

    if (!s->b || s->b->ops.n > 0 || s->b->regions.n > 0)
        ok = bad(s, "scratch must be declared once, between the rank and its first operation");
    else if (!text || strncmp(text, "vec[", 4) != 0)
        ok = bad(s, "the shapes of the scratch blocks are missing; write tmp vec[0..3]");
    ok = ok && parse_ranges(s, text, text + 4, &list) && add_scratch(s, &list) && line_ends(s);
    atn_vec_free(&list.v);
    return ok;
}

static bool parse_round(parser *s)
{
    const int hi = s->rounds ? s->rounds - 1 : MAX_ROUNDS - 1;

    if (!s->b)
        return bad(s, "a round precedes the first rank; insert a line 'rank 0'");
    const int before = s->b->round;
    return number_word(s, "round", before, hi, &s->b->round) && line_ends(s);
}

static bool finish_last(parser *s)
{
    if (!finish_rank(s))
        return false;
    return (s->has_problem && s->done.n == s->q.p) ||
           bad(s, "the schedule ends after %d of %d ranks; the rest is missing", s->done.n, s->q.p);
}

/* ---- lines ---- */

static const struct {
    const char *word;
    bool (*parse)(parser *s);
} statements[] = {
    {"name", parse_name}, {"problem", parse_problem}, {"rank", parse_rank},
    {"tmp", parse_tmp},   {"round", parse_round},
};

static bool parse_line(parser *s)
{
    const char *text = word(s);

    if (*text >= '0' && *text <= '9')
        return parse_op(s, text);
    for (size_t i = 0; i < sizeof statements / sizeof *statements; i++)
        if (strcmp(text, statements[i].word) == 0)
            return statements[i].parse(s);
    return bad(s,
               "'%s' is unknown; a line begins with name, problem, rank, tmp, round, end or an "
               "operation number",
               text);
}

static bool parse_all(parser *s)
{
    atn_status status = ATN_OK;

    while (atn_lines_next(&s->l, &status))
        if (!parse_line(s))
            return false;
    return status == ATN_OK && finish_last(s);
}

atn_status atn_sched_schedule_parse(const char *text, const char *file, atn_schedule ***schedules_p,
                                    int *p_p, atn_error *err)
{
    atn_error local = {0};
    parser s = {0};

    const bool ok = atn_lines_open(&s.l, &format, file, text, strlen(text), &local) == ATN_OK &&
                    line_ends(&s) && parse_all(&s);
    if (ok) {
        *schedules_p = s.done.v;
        *p_p = s.done.n;
    } else {
        for (int i = 0; i < s.done.n; i++)
            atn_sched_schedule_free(s.done.v[i]);
        atn_vec_free(&s.done);
    }
    atn_builder_free(s.b);
    free(s.name);
    atn_lines_close(&s.l);
    return ok ? ATN_OK : atn_fail(err, local.status, "%s", local.text);
}
