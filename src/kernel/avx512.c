/* avx512.c - the kernels for AVX-512 (F, BW, VL). */
#include "kernel/table.h"

#if defined(__AVX512BW__) && defined(__AVX512VL__)
#include "kernel/body.h"

const atn_kernel_table *atn_kernels_avx512(void) { return &table; }
#else
const atn_kernel_table *atn_kernels_avx512(void) { return NULL; }
#endif
