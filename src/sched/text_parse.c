/* text_parse.c - reads schedules from text; docs/schedule-format.md has the grammar.
 *
 * The parser emits through a builder, which checks references and infers dependencies, so that a
 * schedule from a file is equivalent to one from an algorithm. */
#include "sched/text_private.h"

#include <stdlib.h>
#include <string.h>

#include "sched/neighbourhood.h"

static const atn_format format = {.magic = "attune-schedule",
                                  .kind = "schedule",
                                  .version = ATN_SCHEDULE_VERSION,
                                  .remedy = "use a newer Attune",
                                  .comments = ATN_COMMENT_TAIL,
                                  .ends = true};

/* ---- words ---- */

static bool line_ends(parser *s)
{
    const char *extra = atn_sched_text_word(s);
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
    return atn_sched_text_number(value, "", lo, hi, v_p, NULL) ||
           bad(s, "%s=%s is out of range; it must be from %d to %d", key, value, lo, hi);
}

/* ---- headings ---- */

static bool parse_name(parser *s)
{
    const char *start = s->l.rest + strspn(s->l.rest, " \t");

    if (s->name || *start == '\0')
        return bad(s, "%s; write one line 'name NAME'",
                   s->name ? "the name is given twice" : "the name is missing");
    s->name = strdup(start);
    return s->name || atn_sched_text_memory(s);
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

static bool parse_neighbours(parser *s, const char *text, bool *found_p)
{
    const char *word = value_of(text, "neighbors");
    atn_error why = {0};

    if (!word)
        return true;
    *found_p = true;
    if (s->neighbourhood)
        return bad(s, "the neighbours are given twice; remove one list");
    if (atn_sched_neighbourhood_parse(word, 0, &s->neighbourhood, &why) != ATN_OK)
        return bad(s, "%s", why.text);
    s->q.neighbourhood = s->neighbourhood;
    return true;
}

static bool check_neighbours(parser *s)
{
    const atn_operation_info *o = atn_sched_operation_get(s->q.op);
    const bool wanted = o->flags & ATN_ON_NEIGHBOURS, given = s->neighbourhood != NULL;

    if (wanted != given)
        return bad(s, "%s has %s; %s neighbors=", o->name, wanted ? "neighbours" : "no neighbours",
                   wanted ? "add" : "remove");
    return !given || s->neighbourhood->p == s->q.p ||
           bad(s, "the neighbours are those of %d ranks, not of %d", s->neighbourhood->p, s->q.p);
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
    return check_neighbours(s);
}

static bool parse_problem(parser *s)
{
    const char *text = atn_sched_text_word(s);
    char offer[ATN_ERROR_ROOM];

    if (s->has_problem)
        return bad(s, "the problem is given twice; remove one line");
    s->q = (atn_problem){.segments = 1, .bytes = -1};
    if (!text || !atn_sched_operation_find(text, &s->q.op))
        return bad(s, "'%s' is not an MPI operation; %s", text ? text : "",
                   atn_sched_operation_offer(text ? text : "", offer));
    while ((text = atn_sched_text_word(s))) {
        bool found = strcmp(text, "ordered") == 0;
        s->q.ordered = s->q.ordered || found;
        if (!keyed(s, text, "p", 1, MAX_RANKS, &s->q.p, &found) ||
            !keyed(s, text, "root", 0, MAX_RANKS - 1, &s->q.root, &found) ||
            !keyed(s, text, "pieces", 1, MAX_BLOCKS, &s->q.segments, &found) ||
            !parse_bytes(s, text, &found) || !parse_neighbours(s, text, &found))
            return false;
        if (!found)
            return bad(
                s,
                "'%s' is unknown; write p=, root=, ordered, pieces=, bytes= or neighbors=", text);
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
    return atn_sched_text_memory(s);
}

static bool parse_rank_words(parser *s, atn_problem *q, int *split_p)
{
    const char *text;

    while ((text = atn_sched_text_word(s))) {
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
    if (!finish_rank(s) || !atn_sched_text_number_word(s, "rank", 0, s->q.p - 1, &r))
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
        return atn_sched_text_memory(s);
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
                return atn_sched_text_memory(s);
        }
    return atn_push(&s->b->regions,
                    (region){.base = 0, .unit = 1, .parts = s->b->tmp_shape.n, .ends = -1}) ||
           atn_sched_text_memory(s);
}

static bool parse_tmp(parser *s)
{
    ranges list = {0};
    const char *text = atn_sched_text_word(s);
    bool ok = true;

    if (!s->b || s->b->ops.n > 0 || s->b->regions.n > 0)
        ok = bad(s, "scratch must be declared once, between the rank and its first operation");
    else if (!text || strncmp(text, "vec[", 4) != 0)
        ok = bad(s, "the shapes of the scratch blocks are missing; write tmp vec[0..3]");
    ok = ok && atn_sched_text_ranges(s, text, text + 4, &list) && add_scratch(s, &list) &&
         line_ends(s);
    atn_vec_free(&list.v);
    return ok;
}

static bool parse_round(parser *s)
{
    const int hi = s->rounds ? s->rounds - 1 : MAX_ROUNDS - 1;

    if (!s->b)
        return bad(s, "a round precedes the first rank; insert a line 'rank 0'");
    const int before = s->b->round;
    return atn_sched_text_number_word(s, "round", before, hi, &s->b->round) && line_ends(s);
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
    const char *text = atn_sched_text_word(s);

    if (*text >= '0' && *text <= '9')
        return atn_sched_text_op(s, text);
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
    atn_sched_neighbourhood_free(s.neighbourhood);
    free(s.name);
    atn_lines_close(&s.l);
    return ok ? ATN_OK : atn_fail(err, local.status, "%s", local.text);
}
