/* wisdom.h - files of rules that jobs store and share: search path, merging of tables,
 * atomic updates, and answers to problems that were never measured. */
#ifndef ATN_PLAN_WISDOM_H
#define ATN_PLAN_WISDOM_H

#include "plan/rules.h"

/* ---- where ---- */

enum { ATN_WISDOM_FILES = 3 };

/* In order of precedence. */
typedef struct {
    int n;
    const char *kind[ATN_WISDOM_FILES]; /* "job", "user", "system" */
    char path[ATN_WISDOM_FILES][4096];
} atn_wisdom_files;

/* Files called `name` in the folders of user and system, after that of the job; see below. */
void atn_plan_files_find(const char *name, const char *job, const char *home, const char *data,
                         atn_wisdom_files *files_p);
/* The job's file is named by the user, the others are found. */
atn_provider atn_plan_files_provider(const atn_wisdom_files *files, int i);
/* `job` is ATTUNE_WISDOM: "" none of its own, "off" no file at all; `home` and `data` are $HOME and
 * $XDG_DATA_HOME, NULL when not set. */
void atn_plan_wisdom_find(const char *job, const char *home, const char *data,
                          atn_wisdom_files *files_p);
/* The merged rules of the existing files.  Unusable files are skipped; *warning_p
 * (caller frees; NULL: none) then has a line for it. */
atn_status atn_plan_wisdom_load(const atn_wisdom_files *files, atn_rules **rules_p,
                                char **warning_p, atn_error *err);

/* ---- joining ---- */

/* The origin of a rule: written by hand, measured, or inferred. */
typedef enum { ATN_BY_HAND, ATN_MEASURED, ATN_GUESSED } atn_backing;
atn_backing atn_plan_rule_backing(const atn_rule *rule);
/* Same operation, place and ranges. */
bool atn_plan_rule_same_problem(const atn_rule *a, const atn_rule *b);
bool atn_plan_same_choice(const atn_choice *a, const atn_choice *b);

/* Compares accuracy: negative if the interval of a is narrower than that of b, each
 * relative to its time.  An unknown interval is the widest. */
int atn_plan_rule_certainty(const atn_rule *a, const atn_rule *b);
/* Whether a takes precedence over b: handwritten before measured before inferred, and of two
 * measurements the more certain, unless the other one shows that the machine has changed. */
bool atn_plan_rule_outweighs(const atn_rule *a, const atn_rule *b);

/* The rules of both; docs/wisdom-format.md defines the precedence where they differ.  A function
 * of its arguments alone.  NULL: out of memory. */
atn_rules *atn_plan_wisdom_join(const atn_rules *old, const atn_rules *news);

/* ---- changing a file ---- */

/* Makes the new table from the one in the file (empty when there is no file). */
typedef atn_status (*atn_wisdom_change)(void *context, const atn_rules *old, atn_rules **new_p,
                                        atn_error *err);
/* Reads, changes and replaces the file under its lock.  A file that is not wisdom, a full disk and
 * a kill at any moment leave it as it was. */
atn_status atn_plan_wisdom_update(const char *path, atn_wisdom_change change, void *context,
                                  atn_error *err);
/* Joins `news` to the file.  When the file is damaged it is kept, `news` go to "PATH.unmerged"
 * instead, as the message (ATN_INPUT) states. */
atn_status atn_plan_wisdom_merge(const char *path, const atn_rules *news, atn_error *err);

/* What is to be forgotten: rules that meet all of it. */
typedef struct {
    uint32_t operations;   /* bits; 0: any */
    atn_span ranks, bytes; /* that theirs must lie in */
    int64_t place;         /* -1: any */
    int64_t before;        /* last measured before that; -1: any time */
    bool guesses;          /* only guesses */
    bool by_hand;          /* also what people wrote */
} atn_forgetting;
bool atn_plan_is_forgotten(const atn_forgetting *what, const atn_rule *rule);
atn_status atn_plan_wisdom_forget(const char *path, const atn_forgetting *what, int *forgotten_p,
                                  atn_error *err);

/* ---- answering ---- */

/* Predicted seconds of a choice, equal on all ranks; below 0: no prediction. */
typedef double (*atn_wisdom_predict_fn)(void *context, const atn_choice *choice,
                                        const atn_problem *q);

/* The rule for a problem: one that matches, else a guess from measured neighbours (other sizes,
 * other numbers of ranks).  The time of a neighbour's choice is carried over in proportion to
 * `predict` (NULL: along a straight line on logarithmic scales), and the fastest wins.
 * The table must be narrowed; its rules of other places supply other numbers of
 * ranks.  ATN_NOT_APPLICABLE: nothing near enough is known. */
atn_status atn_plan_wisdom_answer(const atn_rules *rules, const atn_problem *q,
                                  atn_wisdom_predict_fn predict, void *context, atn_rule *rule_p,
                                  atn_error *err);
/* Whether that can have an answer.  By whole numbers: all ranks must find the same. */
bool atn_plan_wisdom_might(const atn_rules *rules, const atn_problem *q);

#endif
