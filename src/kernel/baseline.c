/* baseline.c - the kernels for what every processor of the architecture has: SSE2, NEON. */
#include "kernel/body.h"

const atn_kernel_table *atn_kernels_baseline(void) { return &table; }
