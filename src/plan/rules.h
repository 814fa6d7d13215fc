/* rules.h - which algorithm serves which problem: the rule table and its text form, wisdom.
 *
 * docs/wisdom-format.md describes the text.  A rule table is immutable once read; choosing is a
 * pure function of the table, the problem and the call index, so that ranks which share those
 * choose alike. */
#ifndef ATN_PLAN_RULES_H
#define ATN_PLAN_RULES_H

#include "plan/choice.h"

enum { ATN_WISDOM_VERSION = 1 };

/* lo <= x < hi.  Sizes that ranks do not share are -1, so only `any` (lo -1) contains them. */
typedef struct {
    int64_t lo, hi;
} atn_span;
static inline bool atn_plan_spans_overlap(atn_span a, atn_span b)
{
    return a.lo < b.hi && b.lo < a.hi;
}

/* What stands behind a rule that is not sure: measurements of neighbours, a model alone, or a race
 * that the job did not finish. */
typedef enum { ATN_GUESS_NONE, ATN_GUESS_BETWEEN, ATN_GUESS_MODEL, ATN_GUESS_RACE } atn_guess;

typedef struct {
    atn_operation op;
    atn_span ranks, bytes;
    atn_choice use;
    atn_choice next;        /* runner-up when measured; row NULL: not recorded */
    int64_t time_ps, ci_ps; /* median and half width of its confidence interval; -1: unknown */
    int64_t next_ps;        /* median of the runner-up; -1: unknown */
    int64_t samples;        /* -1: unknown */
    int64_t date;           /* of the latest sample, seconds since 1970; -1: unknown */
    atn_guess guess;
    int64_t place; /* atn_intern of "MACHINE/LAYOUT", where it holds; 0: everywhere */
    bool forced;   /* from ATTUNE_ALGORITHM: holds from the first call on */
    int line;      /* in the file it came from; 0: none */
    char *note;    /* comment lines above it, or NULL */
} atn_rule;

/* Any ranks, any bytes, everywhere; the numbers unknown, the choice to be filled in. */
atn_rule atn_plan_rule_blank(atn_operation op);

typedef struct atn_rules atn_rules;

/* ---- words ---- */

/* "*", "N", "LO:HI", "LO:", ":HI"; false when it is none of these or contains nothing. */
bool atn_plan_span_parse(const char *text, atn_span *range_p);
/* "2026-02-03T09:15:07Z" to seconds since 1970; a day alone is its beginning. */
bool atn_plan_date_parse(const char *text, int64_t *seconds_p);
void atn_plan_date_print(int64_t seconds, char out[ATN_NAME_ROOM]);
extern const char *const atn_plan_guess_words[]; /* by atn_guess; the first is empty */
/* "MACHINE/LAYOUT", each without blanks, either may be "*"; the number is 0 for "*". */
bool atn_plan_place_parse(const char *text, int64_t *place_p);

/* ---- reading ---- */

/* `origin` names the text in messages ("origin:line: ...").  All or nothing. */
atn_status atn_plan_rules_parse(const char *text, size_t bytes, const char *origin,
                                atn_rules **rules_p, atn_error *err);
atn_status atn_plan_rules_read(const char *path, atn_rules **rules_p, atn_error *err);
/* The same for a file that Attune has found by itself, or that is named. */
atn_status atn_plan_rules_read_of(const char *path, atn_provider provider, atn_rules **rules_p,
                                  atn_error *err);
/* The table that the settings define; each may be NULL.  `forced`
 * ("allreduce=ring,bcast=chain{segment=8K}") comes before the rules of the file; `select` as in
 * ATTUNE_SELECT. */
atn_status atn_plan_rules_load(const char *path, const char *forced, const char *select,
                               atn_rules **rules_p, atn_error *err);
/* "online", "star", "star-grouped": candidates are planned and tuned online. */
bool atn_plan_select_learns(const char *select);
atn_rules *atn_plan_rules_empty(void); /* native everywhere; NULL: out of memory */
/* A table of copies of these rules, with the provenance of `like` (may be NULL). */
atn_rules *atn_plan_rules_make(const atn_rule *list, int n, const atn_rules *like);
/* Sets an entry of the provenance; false: out of memory. */
bool atn_plan_rules_describe(atn_rules *rules, const char *key, const char *value);
/* Until it is narrowed, a table uses only the rules that hold everywhere.  `here` is
 * "MACHINE/LAYOUT": rules of other places go, the rest then holds everywhere, in the order of how
 * exactly their place fits.  With `others`, rules of other layouts of the machine stay as they are,
 * behind the rest.  False: no memory. */
bool atn_plan_rules_narrow(atn_rules *rules, const char *here, bool others);
void atn_plan_rules_free(atn_rules *rules);

/* ---- writing ---- */

/* Sorted, aligned text that parses back to the same table.  Forced rules and the random selection
 * are this run's own business and are not written.  False: out of memory. */
bool atn_plan_rules_print(FILE *f, const atn_rules *rules);
/* One rule as a line, without its notes and its place. */
void atn_plan_rule_print(FILE *f, const atn_rule *rule);
/* Everything, for other ranks: one rank packs, all unpack.  Caller frees *text_p. */
atn_status atn_plan_rules_pack(const atn_rules *rules, char **text_p, size_t *bytes_p,
                               atn_error *err);
atn_status atn_plan_rules_unpack(const char *text, size_t bytes, atn_rules **rules_p,
                                 atn_error *err);
/* The same on every machine for the same table; for the vote. */
uint64_t atn_plan_rules_hash(const atn_rules *rules);

/* ---- looking ---- */

int atn_plan_rules_count(const atn_rules *rules);
const atn_rule *atn_plan_rules_at(const atn_rules *rules, int i);
/* "machine", "date" ... of the file; NULL when it has none. */
const char *atn_plan_rules_provenance(const atn_rules *rules, const char *key);
/* Entry i, from 0; false: there is none. */
bool atn_plan_rules_entry(const atn_rules *rules, int i, const char **key_p, const char **value_p);
/* Bit (1u << op) set: some rule names an algorithm other than native for the operation. */
uint32_t atn_plan_rules_operations(const atn_rules *rules);
/* Bit set: the operation has a forced rule. */
uint32_t atn_plan_rules_forced(const atn_rules *rules);
/* What no rule covers is planned by predicted time (ATTUNE_SELECT=model). */
bool atn_plan_rules_plan(const atn_rules *rules);
/* The choice depends on the call index, so it must not be remembered for a problem. */
bool atn_plan_rules_per_call(const atn_rules *rules);

/* ---- choosing ---- */

/* Why a choice came out as it did.  Indices are those of atn_plan_rules_at; -1: none. */
typedef struct {
    int rule;        /* the rule that chose */
    int refused;     /* the first rule that matched and whose algorithm does not apply */
    const char *why; /* in words, when refused >= 0 */
} atn_reason;

/* First matching rule whose algorithm applies, else native.  Looks only at what all ranks share:
 * own rank and a local MPI_IN_PLACE have no influence.  `call` counts the calls on the
 * communicator.  `reason_p` may be NULL. */
void atn_plan_rules_choose(const atn_rules *rules, const atn_problem *q, uint64_t call,
                           atn_choice *choice_p, atn_reason *reason_p);
/* One line about the refused rule and what is done instead. */
void atn_plan_reason_print(const atn_rules *rules, const atn_reason *reason, const atn_problem *q,
                           const atn_choice *choice, char *out, size_t size);

#endif
