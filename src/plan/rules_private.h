/* rules_private.h - what the files of the rule table share. */
#ifndef ATN_PLAN_RULES_PRIVATE_H
#define ATN_PLAN_RULES_PRIVATE_H

#include "plan/rules.h"

typedef struct {
    char *key, *value;
    char *note;
} atn_provenance;

struct atn_rules {
    ATN_VEC(atn_rule) list; /* forced rules first */
    ATN_VEC(atn_provenance) provenance;
    char *note;   /* comment lines before `end` */
    char *origin; /* file name for messages, or NULL */
    bool random;
    bool model; /* what no rule covers is planned */
    uint64_t seed;
    uint32_t operations, forced;
    uint64_t hash;
};

static const atn_span atn_plan_any = {-1, INT64_MAX};
static inline bool atn_plan_in_span(atn_span range, int64_t x)
{
    return range.lo <= x && (x < range.hi || range.hi == INT64_MAX);
}

/* ---- field.c: the words inside a line, besides those in rules.h ---- */

enum { ATN_WORD_ROOM = ATN_NAME_ROOM };

/* The middle of a range as one number, on a logarithmic scale; open ends count as the other one. */
int64_t atn_plan_span_middle(atn_span s);
void atn_plan_span_print(atn_span range, bool sizes, char out[ATN_WORD_ROOM]);
/* "3.1us" <-> picoseconds; decimals below one picosecond are dropped. */
bool atn_plan_duration_parse(const char *text, int64_t *ps_p);
void atn_plan_duration_print(int64_t ps, char out[ATN_WORD_ROOM]);
bool atn_plan_count_parse(const char *text, int64_t *count_p);

/* ---- supply.c: schedules and patterns in files ---- */

/* Reads and proves what rules name, relative to the folder of `origin`. */
atn_status atn_plan_rules_supply(atn_rules *rules, const char *origin, atn_error *err);
/* Lines "content ..." and one "schedule ..." or "pattern ..." for each; the latter is read back
 * with the former. */
ATN_MUST_USE bool atn_plan_supply_pack(FILE *f, const atn_rules *rules);
atn_status atn_plan_supply_unpack(const char *line, const char *content, atn_error *err);
atn_status atn_plan_supply_pattern(const char *name, const char *content, atn_error *err);
/* Whether the path can be a file of that kind at all. */
atn_status atn_plan_check_kind(const char *path, const char *kind, atn_error *err);

/* ---- rules.c, forced.c, random.c ---- */

/* Appends a copy; false: out of memory. */
bool atn_plan_rules_append(atn_rules *rules, const atn_rule *rule);

/* The choice if no rule matches. */
void atn_plan_choose_nothing(const atn_problem *q, atn_choice *choice_p);
/* Works out what is derived from the list; false: out of memory. */
bool atn_plan_rules_seal(atn_rules *rules);
atn_status atn_plan_forced_parse(const char *text, atn_rules *rules, atn_error *err);
atn_status atn_plan_select_parse(const char *text, atn_rules *rules, atn_error *err);
void atn_plan_choose_random(uint64_t seed, const atn_problem *q, uint64_t call,
                            atn_choice *choice_p);

#endif
