/* sve.c - the kernels for SVE. */
#include "kernel/table.h"

#if defined(__ARM_FEATURE_SVE)
#include "kernel/body.h"

const atn_kernel_table *atn_kernels_sve(void) { return &table; }
#else
const atn_kernel_table *atn_kernels_sve(void) { return NULL; }
#endif
