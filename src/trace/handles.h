/* handles.h - what is known about handles of MPI and addresses of code: a table of numbers by
 * numbers.  One handle may stand for several requests that are complete from the start; the latest
 * comes first. */
#ifndef ATN_TRACE_HANDLES_H
#define ATN_TRACE_HANDLES_H

#include "base/base.h"

typedef struct {
    uint64_t key;
    uint32_t value; /* + 1; 0: free */
} atn_handle;

typedef struct {
    atn_handle *v;
    uint32_t cap, n;           /* cap: a power of two */
    ATN_VEC(atn_handle) again; /* earlier values of keys that are in the table */
} atn_handles;

enum { ATN_HANDLE_NONE = -1 };

/* The value, or ATN_HANDLE_NONE. */
int64_t atn_handles_get(const atn_handles *h, uint64_t key);
/* Replaces the value. */
bool atn_handles_set(atn_handles *h, uint64_t key, uint32_t value);
/* Keeps the value that may be there for later. */
bool atn_handles_add(atn_handles *h, uint64_t key, uint32_t value);
/* Forgets the latest value and returns it, or ATN_HANDLE_NONE. */
int64_t atn_handles_remove(atn_handles *h, uint64_t key);
void atn_handles_free(atn_handles *h);

#endif
