/* baseline.c - the kernels for the baseline of the architecture: SSE2, NEON. */
#include "kernel/body.h"

const atn_kernel_table *atn_kernels_baseline(void) { return &table; }
