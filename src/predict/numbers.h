/* numbers.h - consecutive numbers 0, 1, 2 ... for keys that are compared byte by byte. */
#ifndef ATN_PREDICT_NUMBERS_H
#define ATN_PREDICT_NUMBERS_H

#include "base/base.h"

typedef struct {
    size_t at, bytes;
} atn_numbered_key;

/* Initialise to {0}. */
typedef struct {
    ATN_VEC(char) text;             /* all keys, NUL-terminated */
    ATN_VEC(atn_numbered_key) keys; /* by number */
    int *places;                    /* numbers plus 1, by hash; 0: free */
    int nplaces;                    /* a power of two */
} atn_numbers;

/* -1: out of memory. */
int atn_predict_number_of(atn_numbers *t, const void *key, size_t bytes);
const char *atn_predict_numbered(const atn_numbers *t, int number);
void atn_predict_numbers_free(atn_numbers *t);

#endif
