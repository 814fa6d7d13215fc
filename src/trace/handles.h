/* handles.h - a hash table from MPI handles and code addresses to numbers.  A handle may have
 * several values, because MPI uses one handle for all requests that complete immediately; the
 * latest one comes first. */
#ifndef ATN_TRACE_HANDLES_H
#define ATN_TRACE_HANDLES_H

#include "base/base.h"

typedef struct {
    uint64_t key;
    uint32_t value; /* + 1; 0: free */
} atn_handle;

typedef struct {
    atn_handle *v;
    uint32_t cap, n;             /* cap: a power of two */
    ATN_VEC(atn_handle) earlier; /* earlier values of keys that are in the table */
} atn_handles;

enum { ATN_HANDLE_NONE = -1 };

/* The key of a handle, which is an integer or a pointer. */
#define ATN_KEY(handle) ((uint64_t)(uintptr_t)(handle))

/* The value, or ATN_HANDLE_NONE. */
int64_t atn_trace_handles_get(const atn_handles *h, uint64_t key);
/* Replaces the value. */
bool atn_trace_handles_set(atn_handles *h, uint64_t key, uint32_t value);
/* Adds a value; earlier ones stay. */
bool atn_trace_handles_add(atn_handles *h, uint64_t key, uint32_t value);
/* Removes the latest value and returns it, or ATN_HANDLE_NONE. */
int64_t atn_trace_handles_remove(atn_handles *h, uint64_t key);
void atn_trace_handles_free(atn_handles *h);

#endif
