/* table.h - the table that each compilation of the kernels provides; NULL if the compiler does not
 * target that instruction set. */
#ifndef ATN_KERNEL_TABLE_H
#define ATN_KERNEL_TABLE_H

#include "kernel/kernel.h"

typedef atn_kernel atn_kernel_table[ATN_KERNEL_OPS][ATN_KERNEL_TYPES];

const atn_kernel_table *atn_kernels_baseline(void);
const atn_kernel_table *atn_kernels_avx2(void);
const atn_kernel_table *atn_kernels_avx512(void);
const atn_kernel_table *atn_kernels_sve(void);

#endif
