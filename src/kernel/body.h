/* body.h - the kernels and their table.  Each file <isa>.c compiles this code for one instruction
 * set; the flags are in cmake/AttuneKernel.cmake.  Loops are plain C that compilers vectorise. */
#ifndef ATN_KERNEL_BODY_H
#define ATN_KERNEL_BODY_H

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "kernel/table.h"
#include "kernel/values.h"

/* Elements are independent, even if the result overwrites an operand.  Data in the first-level
 * cache need more than one vector per iteration. */
#if defined(__clang__)
#define INDEPENDENT _Pragma("clang loop vectorize(assume_safety) interleave_count(4)")
#else
#define INDEPENDENT _Pragma("GCC ivdep") _Pragma("GCC unroll 4")
#endif
#define ONE_BY_ONE /* no processor has vectors of long double */

#define KERNEL_IN(loop, name, type, expression)                                                    \
    static void name(const void *left, const void *right, void *result, size_t n)                  \
    {                                                                                              \
        const type##_at *const ls = left, *const rs = right;                                       \
        type##_at *const out = result;                                                             \
        loop for (size_t i = 0; i < n; i++)                                                        \
        {                                                                                          \
            const type l = ls[i], r = rs[i];                                                       \
            out[i] = (type)(expression);                                                           \
        }                                                                                          \
    }

#define KERNEL(name, type, expression) KERNEL_IN(INDEPENDENT, name, type, expression)

/* ---- integers; `wide` is an unsigned type that is not promoted to a signed one ---- */

#define WORD(bits, wide)                                                                           \
    KERNEL(sum_u##bits, u##bits, (wide)l + (wide)r)                                                \
    KERNEL(land_u##bits, u##bits, (int)(l != 0) & (int)(r != 0))                                   \
    KERNEL(lor_u##bits, u##bits, (l | r) != 0)                                                     \
    KERNEL(lxor_u##bits, u##bits, (l != 0) ^ (r != 0))                                             \
    KERNEL(band_u##bits, u##bits, l &r)                                                            \
    KERNEL(bor_u##bits, u##bits, l | r)                                                            \
    KERNEL(bxor_u##bits, u##bits, l ^ r)

#define EXTREMES_IN(loop, type)                                                                    \
    KERNEL_IN(loop, min_##type, type, l < r ? l : r)                                               \
    KERNEL_IN(loop, max_##type, type, l > r ? l : r)
#define EXTREMES(type) EXTREMES_IN(INDEPENDENT, type)

#define PRODUCT(bits, wide) KERNEL(prod_u##bits, u##bits, (wide)l *(wide)r)

/* No processor multiplies vectors of bytes: two at a time, as halves of a 16-bit word. */
KERNEL(prod_two_u8, u16, ((u32)l * r & 0xff) | ((u32)(l >> 8) * (r & 0xff00) & 0xff00))

static void prod_u8(const void *left, const void *right, void *result, size_t n)
{
    const u8 *const l = left, *const r = right;
    const u8 last = n % 2 ? (u8)(l[n - 1] * r[n - 1]) : 0; /* before it is overwritten */

    prod_two_u8(left, right, result, n / 2);
    if (n % 2)
        ((u8 *)result)[n - 1] = last;
}

PRODUCT(16, u32)
PRODUCT(32, u32)
PRODUCT(64, u64)
WORD(8, u32)
WORD(16, u32)
WORD(32, u32)
WORD(64, u64)
EXTREMES(i8)
EXTREMES(i16)
EXTREMES(i32)
EXTREMES(i64)
EXTREMES(u8)
EXTREMES(u16)
EXTREMES(u32)
EXTREMES(u64)

/* ---- floating-point numbers ---- */

#define REAL(loop, type)                                                                           \
    KERNEL_IN(loop, sum_##type, type, l + r)                                                       \
    KERNEL_IN(loop, prod_##type, type, l *r)                                                       \
    EXTREMES_IN(loop, type)

REAL(INDEPENDENT, f32)
REAL(INDEPENDENT, f64)
REAL(ONE_BY_ONE, fx)

/* ---- complex numbers ---- */

/* Annex G: a product whose parts are both NaN although an operand is infinite is an
 * infinity.  libgcc's routine does the same, but may contract its products. */
#define BOXED(type, x)  (type) copysign((type)(isinf(x) ? 1 : 0), x)
#define ZEROED(type, x) (type)(isnan(x) ? copysign(0, x) : (x))
#define RECOVER(type)                                                                              \
    static void recover_##type(type a, type b, type c, type d, type *x, type *y)                   \
    {                                                                                              \
        const bool from_left = isinf(a) || isinf(b), from_right = isinf(c) || isinf(d);            \
        const bool overflowed = isinf(a * c) || isinf(b * d) || isinf(a * d) || isinf(b * c);      \
        if (!from_left && !from_right && !overflowed)                                              \
            return;                                                                                \
        if (from_left)                                                                             \
            a = BOXED(type, a), b = BOXED(type, b), c = ZEROED(type, c), d = ZEROED(type, d);      \
        if (from_right)                                                                            \
            c = BOXED(type, c), d = BOXED(type, d), a = ZEROED(type, a), b = ZEROED(type, b);      \
        if (!from_left && !from_right)                                                             \
            a = ZEROED(type, a), b = ZEROED(type, b), c = ZEROED(type, c), d = ZEROED(type, d);    \
        *x = (type)INFINITY * (a * c - b * d);                                                     \
        *y = (type)INFINITY * (a * d + b * c);                                                     \
    }

/* Number of complex products computed at a time, until none needs recovery.  The two parts are
 * separate loops: otherwise GCC fuses multiply and add, even without contraction. */
enum { BLOCK = 64 };

#define COMPLEX(type, name)                                                                        \
    static void sum_##name(const void *left, const void *right, void *result, size_t n)            \
    {                                                                                              \
        sum_##type(left, right, result, 2 * n);                                                    \
    }                                                                                              \
    RECOVER(type)                                                                                  \
    static void prod_block_##name(const type##_at *l, const type##_at *r, type##_at *out, int n)   \
    {                                                                                              \
        type x[BLOCK], y[BLOCK];                                                                   \
        int odd = 0;                                                                               \
        INDEPENDENT for (int i = 0; i < n; i++) x[i] =                                             \
            l[2 * i] * r[2 * i] - l[2 * i + 1] * r[2 * i + 1];                                     \
        INDEPENDENT for (int i = 0; i < n; i++) y[i] =                                             \
            l[2 * i] * r[2 * i + 1] + l[2 * i + 1] * r[2 * i];                                     \
        for (int i = 0; i < n; i++)                                                                \
            odd |= (int)isnan(x[i]) & (int)isnan(y[i]);                                            \
        for (int i = 0; odd && i < n; i++)                                                         \
            if (isnan(x[i]) && isnan(y[i]))                                                        \
                recover_##type(l[2 * i], l[2 * i + 1], r[2 * i], r[2 * i + 1], &x[i], &y[i]);      \
        INDEPENDENT for (int i = 0; i < n; i++)                                                    \
        {                                                                                          \
            out[2 * i] = x[i];                                                                     \
            out[2 * i + 1] = y[i];                                                                 \
        }                                                                                          \
    }                                                                                              \
    static void prod_##name(const void *left, const void *right, void *result, size_t n)           \
    {                                                                                              \
        const type##_at *const l = left, *const r = right;                                         \
        type##_at *const out = result;                                                             \
        for (size_t i = 0; i < n; i += BLOCK)                                                      \
            prod_block_##name(l + 2 * i, r + 2 * i, out + 2 * i,                                   \
                              (int)(n - i < BLOCK ? n - i : BLOCK));                               \
    }

COMPLEX(f32, c32)
COMPLEX(f64, c64)
COMPLEX(fx, cx)

/* ---- values with an index: the selected operand as a whole ---- */

static inline i32 as_i32(u32 w) { return (i32)w; }

static inline f32 as_f32(u32 w)
{
    f32 v;
    memcpy(&v, &w, sizeof v);
    return v;
}

static inline f64 as_f64(u64 w)
{
    f64 v;
    memcpy(&v, &w, sizeof v);
    return v;
}

/* A 32-bit index in a 64-bit word, with a hole. */
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
enum { INDEX_SHIFT = 32 };
#else
enum { INDEX_SHIFT = 0 };
#endif
_Static_assert(sizeof(long_index) == 16 && sizeof(f64_index) == 16, "two words");
static const u64 index_bits = (u64)UINT32_MAX << INDEX_SHIFT;
static inline i32 packed_index(u64 w) { return (i32)(u32)(w >> INDEX_SHIFT); }
static inline i64 as_i64(u64 w) { return (i64)w; }

/* Value and index as words of one size, for vectors of words.  `ours`: the bits of the second word
 * that belong to the index; the others are unchanged in the result. */
#define LOCATE_WORDS(name, type, word, value, index, ours, sign)                                   \
    static void name##_##type(const void *left, const void *right, void *result, size_t n)         \
    {                                                                                              \
        const word##_at *const l = left, *const r = right;                                         \
        word##_at *const out = result;                                                             \
        INDEPENDENT for (size_t i = 0; i < n; i++)                                                 \
        {                                                                                          \
            const word a = l[2 * i], j = l[2 * i + 1], b = r[2 * i], k = r[2 * i + 1];             \
            const int better = value(a) sign value(b), equal = value(a) == value(b);               \
            const int wins = better | (equal & (int)(index(j) < index(k)));                        \
            out[2 * i] = wins ? a : b;                                                             \
            out[2 * i + 1] = ((wins ? j : k) & (ours)) | (out[2 * i + 1] & ~(ours));               \
        }                                                                                          \
    }
#define LOCATES_WORDS(type, word, value, index, ours)                                              \
    LOCATE_WORDS(minloc, type, word, value, index, ours, <)                                        \
    LOCATE_WORDS(maxloc, type, word, value, index, ours, >)

LOCATES_WORDS(int_index, u32, as_i32, as_i32, UINT32_MAX)
LOCATES_WORDS(f32_index, u32, as_f32, as_i32, UINT32_MAX)
LOCATES_WORDS(f32_pair, u32, as_f32, as_f32, UINT32_MAX)
LOCATES_WORDS(f64_pair, u64, as_f64, as_f64, UINT64_MAX)
LOCATES_WORDS(long_index, u64, as_i64, packed_index, index_bits)
LOCATES_WORDS(f64_index, u64, as_f64, packed_index, index_bits)

/* Member by member: the bytes between them must not change. */
#define LOCATE_MEMBERS(name, type, sign)                                                           \
    static void name##_##type(const void *left, const void *right, void *result, size_t n)         \
    {                                                                                              \
        const type##_at *const l = left, *const r = right;                                         \
        type##_at *const out = result;                                                             \
        for (size_t i = 0; i < n; i++) {                                                           \
            const int better = l[i].value sign r[i].value, equal = l[i].value == r[i].value;       \
            const int wins = better | (equal & (int)(l[i].index < r[i].index));                    \
            const type##_at *const from = wins ? l + i : r + i;                                    \
            out[i].value = from->value, out[i].index = from->index;                                \
        }                                                                                          \
    }
#define LOCATES_MEMBERS(type) LOCATE_MEMBERS(minloc, type, <) LOCATE_MEMBERS(maxloc, type, >)

LOCATES_MEMBERS(short_index)
LOCATES_MEMBERS(fx_index)

/* ---- the table ---- */

#define ROW_WORD(op)                                                                               \
    [ATN_I8] = op##_u8, [ATN_I16] = op##_u16, [ATN_I32] = op##_u32, [ATN_I64] = op##_u64,          \
    [ATN_U8] = op##_u8, [ATN_U16] = op##_u16, [ATN_U32] = op##_u32, [ATN_U64] = op##_u64
#define ROW_REAL(op)    [ATN_F32] = op##_f32, [ATN_F64] = op##_f64, [ATN_FX] = op##_fx
#define ROW_COMPLEX(op) [ATN_C32] = op##_c32, [ATN_C64] = op##_c64, [ATN_CX] = op##_cx
#define ROW_EXTREME(op)                                                                            \
    [ATN_I8] = op##_i8, [ATN_I16] = op##_i16, [ATN_I32] = op##_i32, [ATN_I64] = op##_i64,          \
    [ATN_U8] = op##_u8, [ATN_U16] = op##_u16, [ATN_U32] = op##_u32, [ATN_U64] = op##_u64
#define ROW_TRUTH(op)                                                                              \
    [ATN_L8] = op##_u8, [ATN_L16] = op##_u16, [ATN_L32] = op##_u32, [ATN_L64] = op##_u64
#define ROW_LOCATE(op)                                                                             \
    [ATN_SHORT_INDEX] = op##_short_index, [ATN_INT_INDEX] = op##_int_index,                        \
    [ATN_LONG_INDEX] = op##_long_index, [ATN_F32_INDEX] = op##_f32_index,                          \
    [ATN_F64_INDEX] = op##_f64_index, [ATN_FX_INDEX] = op##_fx_index,                              \
    [ATN_F32_PAIR] = op##_f32_pair, [ATN_F64_PAIR] = op##_f64_pair

static const atn_kernel_table table = {
    [ATN_SUM] = {ROW_WORD(sum), ROW_REAL(sum), ROW_COMPLEX(sum)},
    [ATN_PROD] = {ROW_WORD(prod), ROW_REAL(prod), ROW_COMPLEX(prod)},
    [ATN_MIN] = {ROW_EXTREME(min), ROW_REAL(min)},
    [ATN_MAX] = {ROW_EXTREME(max), ROW_REAL(max)},
    [ATN_LAND] = {ROW_WORD(land), ROW_TRUTH(land)},
    [ATN_LOR] = {ROW_WORD(lor), ROW_TRUTH(lor)},
    [ATN_LXOR] = {ROW_WORD(lxor), ROW_TRUTH(lxor)},
    [ATN_BAND] = {ROW_WORD(band), [ATN_B8] = band_u8},
    [ATN_BOR] = {ROW_WORD(bor), [ATN_B8] = bor_u8},
    [ATN_BXOR] = {ROW_WORD(bxor), [ATN_B8] = bxor_u8},
    [ATN_MINLOC] = {ROW_LOCATE(minloc)},
    [ATN_MAXLOC] = {ROW_LOCATE(maxloc)},
};

#endif
