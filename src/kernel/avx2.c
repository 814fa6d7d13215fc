/* avx2.c - the kernels for AVX2. */
#include "kernel/table.h"

#if defined(__AVX2__)
#include "kernel/body.h"

const atn_kernel_table *atn_kernels_avx2(void) { return &table; }
#else
const atn_kernel_table *atn_kernels_avx2(void) { return NULL; }
#endif
