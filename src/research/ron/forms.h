/* forms.h - closed forms for collectives on RON(k, N) (model/ron.h), in the two normal forms of the
 * literature: model A, in which a message takes 1 and a reconfiguration d; and model B, in which a
 * message of m blocks takes m, and its start-up together with a reconfiguration d. */
#ifndef ATN_RESEARCH_RON_FORMS_H
#define ATN_RESEARCH_RON_FORMS_H

#include "model/ron.h"

/* The steps until bcast/circuit has reached n ranks. */
int atn_ron_steps(int k, int d, int64_t n);
/* The least height of a k-ary tree of n ranks; and the least L with base^L >= n. */
int64_t atn_ron_height(int k, int64_t n);
int atn_ron_levels(int base, int64_t n);

/* A formula: the time for n ranks, k ports and a delay d.  `more` is the number of messages of a
 * multi-broadcast, or the number of standard steps of a total exchange. */
typedef struct {
    const char *name;      /* "B4" */
    const char *operation; /* "bcast" */
    char model;            /* 'A' or 'B' */
    const char *form;      /* for printing */
    const char *row;       /* of the catalogue, with parameters: %k, %r = k + 1, %d, %i = more */
    atn_ron_policy policy; /* when ports are reconfigured */
    double (*time)(int64_t n, int k, double d, int more);
} atn_ron_form;

const atn_ron_form *atn_ron_form_find(const char *name); /* NULL: unknown */
/* Its catalogue row with all parameters. */
void atn_ron_form_row(const atn_ron_form *f, int k, double d, int more, char *out, size_t size);

/* The best number of standard steps before the direct exchange: with x = (k + 1)^i one more step
 * changes the time by -(x - d) (x - n / (k + 1)) / x, so the first x >= d is best. */
int atn_ron_best_steps(int64_t n, int k, double d);

#endif
