/* patterns.h - patterns of sizes that choices name (algo/known_pattern.h), as files: those of a
 * user, named by path, and those that jobs have recognised, named by 16 hexadecimal digits, which
 * are kept beside their wisdom as WISDOM.patterns/NAME. */
#ifndef ATN_PLAN_PATTERNS_H
#define ATN_PLAN_PATTERNS_H

#include "plan/rules.h"

/* The name of a kept pattern, with its end; how many are kept beside a file of wisdom. */
enum { ATN_PATTERN_NAME = 17, ATN_PATTERNS_KEPT = 64 };

/* The name of the pattern that a choice names (atn_intern); 0: none. */
int64_t atn_plan_pattern_of(const atn_choice *choice);
/* A name of 16 hexadecimal digits as a number, any other one as its hash; and such a name. */
uint64_t atn_plan_pattern_number(int64_t name);
void atn_plan_pattern_name(uint64_t pattern, char out[ATN_PATTERN_NAME]);
/* Operations in which jobs recognise patterns. */
bool atn_plan_has_patterns(atn_operation op);
/* The number by which wisdom has results for a pattern, behind their place (ATN_PLACE_OWNER). */
uint64_t atn_plan_pattern_owner(uint64_t pattern, uint64_t context);
/* The same for all irregular calls of a program, by a hash of the name of its executable. */
uint64_t atn_plan_program_hash(const char *name);
uint64_t atn_plan_program_owner(uint64_t program, uint64_t context);
/* Algorithm i that is worth trying for a pattern; false: there are no more. */
bool atn_plan_pattern_choice(atn_operation op, uint64_t pattern, int i, atn_choice *choice_p);
/* Whether it names none, or one that is known in this process. */
bool atn_plan_pattern_is_known(const atn_choice *choice);
/* Reads the file that a choice names, relative to the folder of `origin` (NULL: none).  A kept
 * pattern that is missing is no error: what names it does not apply. */
atn_status atn_plan_pattern_supply(const atn_choice *choice, const char *origin, atn_error *err);

/* Lines "content ..." and one "pattern NAME" for each pattern that the rules name and that is
 * known.  False: out of memory. */
ATN_MUST_USE bool atn_plan_patterns_pack(FILE *f, const atn_rules *rules);
/* Writes those with a name for kept patterns beside a file of wisdom, the latest ones, and removes
 * others; under its lock. */
atn_status atn_plan_patterns_write(const char *path, const atn_rules *rules, atn_error *err);

#endif
