/* kernel.h - reduction kernels: result[i] = left[i] (op) right[i] for every predefined operator and
 * type of MPI, in plain C compiled once per instruction set.
 *
 * The bits of a result depend on the two operands alone: not on the number of elements, their
 * alignment, or the instruction set.
 * - Integer sums and products wrap.  Logical operators give 0 or 1.
 * - Minimum and maximum are the C expressions `l < r ? l : r` and `l > r ? l : r`: of two zeros,
 *   and where an operand is not a number, the result is the right operand.
 * - MINLOC and MAXLOC give one of the operands: of equal values the one with the smaller index, and
 *   the right one if the operands compare equal in every respect.
 * - Floating-point operations are never contracted; complex products are those of C (Annex G).
 * - Unspecified: the NaN of a sum or product when both operands are NaN. */
#ifndef ATN_KERNEL_KERNEL_H
#define ATN_KERNEL_KERNEL_H

#include <stdbool.h>
#include <stddef.h>

typedef enum {
    ATN_SUM,
    ATN_PROD,
    ATN_MIN,
    ATN_MAX,
    ATN_LAND,
    ATN_LOR,
    ATN_LXOR,
    ATN_BAND,
    ATN_BOR,
    ATN_BXOR,
    ATN_MINLOC,
    ATN_MAXLOC,
    ATN_KERNEL_OPS
} atn_kernel_op;

/* A value is a family and a size; the mapping of MPI handles to them depends on the MPI build. */
typedef enum {
    ATN_I8, /* integers: all but MINLOC and MAXLOC */
    ATN_I16,
    ATN_I32,
    ATN_I64,
    ATN_U8,
    ATN_U16,
    ATN_U32,
    ATN_U64,
    ATN_B8, /* bytes: bitwise operators only */
    ATN_L8, /* truth values: logical operators only */
    ATN_L16,
    ATN_L32,
    ATN_L64,
    ATN_F32, /* float, double, long double */
    ATN_F64,
    ATN_FX,
    ATN_C32, /* complex numbers of these: sum and product only */
    ATN_C64,
    ATN_CX,
    ATN_SHORT_INDEX, /* { short value; int index; } and so on: MINLOC and MAXLOC only */
    ATN_INT_INDEX,
    ATN_LONG_INDEX,
    ATN_F32_INDEX,
    ATN_F64_INDEX,
    ATN_FX_INDEX,
    ATN_F32_PAIR, /* value and index of one floating-point type (Fortran) */
    ATN_F64_PAIR,
    ATN_KERNEL_TYPES
} atn_kernel_type;

/* `result` may be `left` or `right`; it must not overlap them otherwise.  Any alignment. */
typedef void (*atn_kernel)(const void *left, const void *right, void *result, size_t n);

/* NULL: the operator is not defined for the type. */
atn_kernel atn_kernel_find(atn_kernel_op op, atn_kernel_type type);

/* Bytes from one element to the next. */
size_t atn_kernel_stride(atn_kernel_type type);

/* ---- instruction sets ---- */

/* The instruction sets that were compiled in and that this processor supports; the best first, the
 * baseline of the architecture last. */
int atn_kernel_isa_count(void);
const char *atn_kernel_isa_name(int isa);
atn_kernel atn_kernel_find_in(int isa, atn_kernel_op op, atn_kernel_type type);

#endif
