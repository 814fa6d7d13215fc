/* operator.c - the operators that Attune supports: predefined ones by its own kernels.
 *
 * The library's MPI_Reduce_local gives bits that depend on length and alignment (Open MPI's op/avx:
 * small unsigned integers saturate in vectors and wrap in the remainder, likewise signs of zeros),
 * and raises errors on MPI_COMM_WORLD, not on the user's communicator.  So a predefined operator
 * is supported only if there is a kernel for it and the type; other pairs are native. */
#include "exec/exec_private.h"

/* ---- mapping of MPI handles to kernels ---- */

/* INTEGER: signed, but without logical operators: Fortran's integers, addresses, offsets. */
typedef enum { SIGNED, UNSIGNED, INTEGER, REAL, COMPLEX, TRUTH, BYTES, OTHERS } family;
enum { NO_KERNEL = -1, LOGICAL_OPS = 1 << ATN_LAND | 1 << ATN_LOR | 1 << ATN_LXOR };

/* The type of a family with 1, 2, 4 and 8 bytes (complex numbers: of each part). */
static const int sized[OTHERS][4] = {
    [SIGNED] = {ATN_I8, ATN_I16, ATN_I32, ATN_I64},
    [UNSIGNED] = {ATN_U8, ATN_U16, ATN_U32, ATN_U64},
    [INTEGER] = {ATN_I8, ATN_I16, ATN_I32, ATN_I64},
    [REAL] = {NO_KERNEL, NO_KERNEL, ATN_F32, ATN_F64},
    [COMPLEX] = {NO_KERNEL, NO_KERNEL, ATN_C32, ATN_C64},
    [TRUTH] = {ATN_L8, ATN_L16, ATN_L32, ATN_L64},
    [BYTES] = {ATN_B8, NO_KERNEL, NO_KERNEL, NO_KERNEL},
};

typedef struct {
    MPI_Datatype type;
    family family;
    int exactly; /* OTHERS: the kernels' type */
} type_row;

/* The most frequent types first.  Sizes of Fortran types depend on the MPI build. */
static type_row find_type(MPI_Datatype type)
{
    const type_row table[] = {
        {MPI_DOUBLE, REAL, 0},
        {MPI_INT, SIGNED, 0},
        {MPI_FLOAT, REAL, 0},
        {MPI_DOUBLE_PRECISION, REAL, 0},
        {MPI_INTEGER, INTEGER, 0},
        {MPI_REAL, REAL, 0},
        {MPI_LONG, SIGNED, 0},
        {MPI_SHORT, SIGNED, 0},
        {MPI_LONG_DOUBLE, OTHERS, ATN_FX},
        {MPI_LONG_LONG, SIGNED, 0},
        {MPI_C_FLOAT_COMPLEX, COMPLEX, 0},
        {MPI_UNSIGNED, UNSIGNED, 0},
        {MPI_C_DOUBLE_COMPLEX, COMPLEX, 0},
        {MPI_C_LONG_DOUBLE_COMPLEX, OTHERS, ATN_CX},
        {MPI_UNSIGNED_LONG, UNSIGNED, 0},
        {MPI_UNSIGNED_SHORT, UNSIGNED, 0},
        {MPI_UNSIGNED_LONG_LONG, UNSIGNED, 0},
        {MPI_SIGNED_CHAR, SIGNED, 0},
        {MPI_UNSIGNED_CHAR, UNSIGNED, 0},
        {MPI_INT8_T, SIGNED, 0},
        {MPI_UINT8_T, UNSIGNED, 0},
        {MPI_INT16_T, SIGNED, 0},
        {MPI_UINT16_T, UNSIGNED, 0},
        {MPI_INT32_T, SIGNED, 0},
        {MPI_UINT32_T, UNSIGNED, 0},
        {MPI_INT64_T, SIGNED, 0},
        {MPI_UINT64_T, UNSIGNED, 0},
        {MPI_AINT, INTEGER, 0},
        {MPI_COUNT, INTEGER, 0},
        {MPI_OFFSET, INTEGER, 0},
        {MPI_C_BOOL, TRUTH, 0},
        {MPI_BYTE, BYTES, 0},
        {MPI_INTEGER1, INTEGER, 0},
        {MPI_INTEGER2, INTEGER, 0},
        {MPI_INTEGER4, INTEGER, 0},
        {MPI_INTEGER8, INTEGER, 0},
        {MPI_REAL4, REAL, 0},
        {MPI_REAL8, REAL, 0},
        {MPI_COMPLEX, COMPLEX, 0},
        {MPI_DOUBLE_COMPLEX, COMPLEX, 0},
        {MPI_COMPLEX8, COMPLEX, 0},
        {MPI_COMPLEX16, COMPLEX, 0},
        {MPI_LOGICAL, TRUTH, 0},
        {MPI_FLOAT_INT, OTHERS, ATN_F32_INDEX},
        {MPI_DOUBLE_INT, OTHERS, ATN_F64_INDEX},
        {MPI_LONG_INT, OTHERS, ATN_LONG_INDEX},
        {MPI_2INT, OTHERS, ATN_INT_INDEX},
        {MPI_SHORT_INT, OTHERS, ATN_SHORT_INDEX},
        {MPI_LONG_DOUBLE_INT, OTHERS, ATN_FX_INDEX},
        {MPI_2REAL, OTHERS, ATN_F32_PAIR},
        {MPI_2DOUBLE_PRECISION, OTHERS, ATN_F64_PAIR},
        {MPI_2INTEGER, OTHERS, ATN_INT_INDEX},
    };
    for (size_t i = 0; type != MPI_DATATYPE_NULL && i < sizeof table / sizeof *table; i++)
        if (table[i].type == type)
            return table[i];
    return (type_row){.family = OTHERS, .exactly = NO_KERNEL};
}

/* The kernel type of a row. */
static int kernel_type(const type_row *row)
{
    int bytes = 0, size = 0;

    if (row->family == OTHERS)
        return row->exactly;
    if (PMPI_Type_size(row->type, &bytes) != MPI_SUCCESS)
        return NO_KERNEL;
    bytes /= row->family == COMPLEX ? 2 : 1;
    while (size < 4 && 1 << size != bytes)
        size++;
    return size < 4 ? sized[row->family][size] : NO_KERNEL;
}

/* The kernel operator; NO_KERNEL: not a predefined operator that combines values. */
static int kernel_op(MPI_Op op)
{
    const MPI_Op ops[ATN_KERNEL_OPS] = {
        [ATN_SUM] = MPI_SUM,   [ATN_PROD] = MPI_PROD,     [ATN_MIN] = MPI_MIN,
        [ATN_MAX] = MPI_MAX,   [ATN_LAND] = MPI_LAND,     [ATN_LOR] = MPI_LOR,
        [ATN_LXOR] = MPI_LXOR, [ATN_BAND] = MPI_BAND,     [ATN_BOR] = MPI_BOR,
        [ATN_BXOR] = MPI_BXOR, [ATN_MINLOC] = MPI_MINLOC, [ATN_MAXLOC] = MPI_MAXLOC,
    };
    for (int i = 0; i < ATN_KERNEL_OPS; i++)
        if (ops[i] == op)
            return i;
    return NO_KERNEL;
}

/* Whether .TRUE. is 1 in the Fortran of this MPI: compilers differ. */
static bool is_true_one(void)
{
    MPI_Fint values[2] = {1, 1}, no[2] = {0, 1};

    return PMPI_Reduce_local(&values[0], &values[1], 1, MPI_LOGICAL, MPI_LAND) == MPI_SUCCESS &&
           PMPI_Reduce_local(&no[0], &no[1], 1, MPI_LOGICAL, MPI_LAND) == MPI_SUCCESS &&
           values[1] == 1 && no[1] == 0;
}

/* The kernel type if the standard allows the pair of operator and type; else NO_KERNEL. */
static int kernel_pair(int kop, MPI_Datatype type)
{
    const type_row row = find_type(type);
    const int ktype = kernel_type(&row);

    if (kop < 0 || ktype < 0 || (row.family == INTEGER && (LOGICAL_OPS >> kop & 1)))
        return NO_KERNEL;
    return atn_kernel_find((atn_kernel_op)kop, (atn_kernel_type)ktype) ? ktype : NO_KERNEL;
}

atn_kernel atn_exec_kernel_of(MPI_Op op, MPI_Datatype type, int64_t stride)
{
    const int kop = kernel_op(op), ktype = kernel_pair(kop, type);

    if (ktype < 0 || (int64_t)atn_kernel_stride((atn_kernel_type)ktype) != stride)
        return NULL;
    if (type == MPI_LOGICAL && !(stride == sizeof(MPI_Fint) && is_true_one()))
        return NULL;
    return atn_kernel_find((atn_kernel_op)kop, (atn_kernel_type)ktype);
}

/* ---- supported operators ---- */

/* Types whose sums round and whose equal extremes may differ in their bits. */
static bool is_floating(int ktype)
{
    return (ktype >= ATN_F32 && ktype <= ATN_CX) ||
           (ktype >= ATN_F32_INDEX && ktype <= ATN_F64_PAIR);
}

static bool is_other_predefined(MPI_Op op)
{
    return op == MPI_OP_NULL || op == MPI_REPLACE || op == MPI_NO_OP;
}

bool atn_exec_op_commutes(MPI_Op op)
{
    int commutes = 0;
    return PMPI_Op_commutative(op, &commutes) == MPI_SUCCESS && commutes;
}

bool atn_exec_operator_query(MPI_Op op, MPI_Datatype type, const atn_type *info, atn_operator *op_p)
{
    const int kop = kernel_op(op), ktype = kernel_pair(kop, type);

    if (is_other_predefined(op) || (kop >= 0 && ktype < 0))
        return false;
    if (info->size > 0 && (info->extent < info->true_extent || info->extent <= 0))
        return false;
    *op_p = (atn_operator){
        .commutes = kop >= 0 || atn_exec_op_commutes(op),
        .named = kop >= 0,
        /* The order also decides which of two zeros of different sign is an extreme. */
        .orderless = kop >= 0 && !is_floating(ktype),
    };
    return true;
}

bool atn_exec_op_is_known(MPI_Op op) { return kernel_op(op) >= 0; }

bool atn_exec_op_is_exact(MPI_Op op, MPI_Datatype type)
{
    const int ktype = kernel_pair(kernel_op(op), type);
    const bool rounds = op == MPI_SUM || op == MPI_PROD;

    return ktype >= 0 && !(rounds && is_floating(ktype));
}
