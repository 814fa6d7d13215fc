/* known_pattern.h - patterns of block sizes by name: the parameter `pattern` of the rows `greedy`
 * and `cut`.  The name is that of a file (pattern.h), FILE or FILE#CALL, or in jobs a hash of the
 * sizes, so that ranks that have a pattern of that name have the same one.
 *
 * A pattern determines the order of messages only: schedules list the pairs without data too, after
 * all others, so they are correct for every call, whatever its sizes. */
#ifndef ATN_ALGO_KNOWN_PATTERN_H
#define ATN_ALGO_KNOWN_PATTERN_H

#include "algo/pattern.h"

/* Patterns that a process keeps at most, and pairs with data of each. */
enum { ATN_KNOWN_PATTERNS = 256, ATN_KNOWN_PAIRS = 1 << 16 };

typedef struct {
    int from, to; /* to -1: to all ranks */
    int64_t bytes;
} atn_pair;

typedef struct {
    int64_t name; /* atn_intern */
    int p, n;
    bool line;       /* one size per rank, not per pair (atn_algo_pattern_is_line) */
    atn_pair *pairs; /* that have data, by sender, then receiver */
} atn_known_pattern;

/* Adds a call, counted from 0, of the text of a file.  A name that is known must have the same
 * pattern. */
atn_status atn_algo_known_add(const char *name, const char *text, int call, atn_error *err);
/* The same from a list in any order, which is copied.  False: no memory, too many, or another one
 * has that name. */
bool atn_algo_known_keep(const char *name, int p, bool line, const atn_pair *pairs, int n);
/* NULL: there is none of that name. */
const atn_known_pattern *atn_algo_known_find(int64_t name);
/* The same from call `call` of a file that was read. */
atn_status atn_algo_known_keep_call(const char *name, const atn_patterns *x, int call,
                                    atn_error *err);

/* Each rank has a hash of the sizes that it sends (`line`: of those of all ranks), without its own
 * block.  The sum over ranks of this part of it is the number of the pattern, from which jobs make
 * its name; of a line, of which all have the same hash, that of one. */
#define ATN_PATTERN_PART ((UINT64_C(1) << 46) - 1)
typedef int64_t (*atn_known_size)(const void *context, int to);
uint64_t atn_algo_known_hash(bool line, int p, int r, atn_known_size size, const void *context);
uint64_t atn_algo_known_number(const atn_patterns *x, int call);
/* As the text of a file. */
void atn_algo_known_print(FILE *f, const atn_known_pattern *x);
/* bytes[from * p + to] of every message. */
void atn_algo_known_fill(const atn_known_pattern *x, int64_t *bytes);

#endif
