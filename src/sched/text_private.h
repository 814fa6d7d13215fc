/* text_private.h - the state of the parser of schedules, shared by its files. */
#ifndef ATN_SCHED_TEXT_PRIVATE_H
#define ATN_SCHED_TEXT_PRIVATE_H

#include "base/lines.h"
#include "sched/builder_private.h"
#include "sched/text.h"

enum { MAX_RANKS = 1 << 16, MAX_BLOCKS = 1 << 24, MAX_ROUNDS = 1 << 24 };

typedef struct {
    atn_lines l;
    char *name;
    bool has_problem;
    atn_problem q;
    struct atn_neighbourhood *neighbourhood;
    atn_builder *b; /* of the rank being read; NULL: none yet */
    int rounds;     /* as declared on the rank line; 0: as many as are used */
    ATN_VEC(atn_schedule *) done;
} parser;

typedef struct {
    ATN_VEC(atn_range) v;
} ranges;

#define bad(s, ...) (atn_lines_fail(&(s)->l, __VA_ARGS__), false)

static inline bool atn_sched_text_memory(parser *s)
{
    atn_lines_no_memory(&s->l);
    return false;
}

static inline char *atn_sched_text_word(parser *s) { return atn_lines_word(&s->l); }

/* An integer from lo to hi that ends at one of `stops`; *end_p is set past it. */
bool atn_sched_text_number(const char *text, const char *stops, int lo, int hi, int *v_p,
                           const char **end_p);
/* The next word as a number from lo to hi. */
bool atn_sched_text_number_word(parser *s, const char *what, int lo, int hi, int *v_p);
/* "0..3,5]" -> ranges, up to the closing bracket. */
bool atn_sched_text_ranges(parser *s, const char *text, const char *c, ranges *list);
/* A line with an operation, after its index ("3:"). */
bool atn_sched_text_op(parser *s, const char *index);

#endif
