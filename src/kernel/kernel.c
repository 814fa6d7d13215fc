/* kernel.c - selection of kernels for this processor. */
#include "kernel/kernel.h"

#include <pthread.h>
#if defined(__aarch64__)
#include <asm/hwcap.h>
#include <sys/auxv.h>
#endif

#include "kernel/table.h"
#include "kernel/values.h"

static bool always(void) { return true; }

#if defined(__x86_64__) || defined(__i386__)
static bool has_avx2(void) { return __builtin_cpu_supports("avx2"); }

static bool has_avx512(void)
{
    return __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
}
#else
static bool has_avx2(void) { return false; }
static bool has_avx512(void) { return false; }
#endif

#if defined(__aarch64__)
static bool has_sve(void) { return getauxval(AT_HWCAP) & HWCAP_SVE; }
#else
static bool has_sve(void) { return false; }
#endif

/* The best first. */
static const struct {
    const char *name;
    const atn_kernel_table *(*kernels)(void);
    bool (*usable)(void);
} sets[] = {
    {"avx512", atn_kernels_avx512, has_avx512},
    {"avx2", atn_kernels_avx2, has_avx2},
    {"sve", atn_kernels_sve, has_sve},
    {"baseline", atn_kernels_baseline, always},
};
enum { SETS = sizeof sets / sizeof *sets };

static int usable[SETS], usable_count;

static void find_usable(void)
{
    for (int i = 0; i < SETS; i++)
        if (sets[i].kernels() && sets[i].usable())
            usable[usable_count++] = i;
}

int atn_kernel_isa_count(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, find_usable);
    return usable_count;
}

const char *atn_kernel_isa_name(int isa)
{
    return isa < atn_kernel_isa_count() ? sets[usable[isa]].name : NULL;
}

atn_kernel atn_kernel_find_in(int isa, atn_kernel_op op, atn_kernel_type type)
{
    return isa < atn_kernel_isa_count() ? (*sets[usable[isa]].kernels())[op][type] : NULL;
}

atn_kernel atn_kernel_find(atn_kernel_op op, atn_kernel_type type)
{
    return atn_kernel_find_in(0, op, type);
}

size_t atn_kernel_stride(atn_kernel_type type)
{
    static const size_t bytes[ATN_KERNEL_TYPES] = {
        [ATN_I8] = 1,
        [ATN_I16] = 2,
        [ATN_I32] = 4,
        [ATN_I64] = 8,
        [ATN_U8] = 1,
        [ATN_U16] = 2,
        [ATN_U32] = 4,
        [ATN_U64] = 8,
        [ATN_B8] = 1,
        [ATN_L8] = 1,
        [ATN_L16] = 2,
        [ATN_L32] = 4,
        [ATN_L64] = 8,
        [ATN_F32] = sizeof(f32),
        [ATN_F64] = sizeof(f64),
        [ATN_FX] = sizeof(fx),
        [ATN_C32] = 2 * sizeof(f32),
        [ATN_C64] = 2 * sizeof(f64),
        [ATN_CX] = 2 * sizeof(fx),
        [ATN_SHORT_INDEX] = sizeof(short_index),
        [ATN_INT_INDEX] = sizeof(int_index),
        [ATN_LONG_INDEX] = sizeof(long_index),
        [ATN_F32_INDEX] = sizeof(f32_index),
        [ATN_F64_INDEX] = sizeof(f64_index),
        [ATN_FX_INDEX] = sizeof(fx_index),
        [ATN_F32_PAIR] = sizeof(f32_pair),
        [ATN_F64_PAIR] = sizeof(f64_pair),
    };
    return bytes[type];
}
