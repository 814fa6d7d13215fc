/* operator.c - which operators Attune reduces with.
 *
 * MPI_Reduce_local raises errors on MPI_COMM_WORLD, not on the user's communicator, so a pair of
 * operator and type is served only when it is certain to be valid; others are native. */
#include "exec/exec.h"
#include "exec/type.h"

enum { INTEGER = 1, FLOATING = 2, COMPLEX = 4, LOGICAL = 8, BYTE = 16, PAIR = 32, FLOAT_PAIR = 64 };

static unsigned type_class(MPI_Datatype type)
{
    const struct {
        MPI_Datatype type;
        unsigned klass;
    } table[] = {
        {MPI_INT, INTEGER},
        {MPI_DOUBLE, FLOATING},
        {MPI_LONG, INTEGER},
        {MPI_FLOAT, FLOATING},
        {MPI_SHORT, INTEGER},
        {MPI_LONG_DOUBLE, FLOATING},
        {MPI_LONG_LONG, INTEGER},
        {MPI_C_FLOAT_COMPLEX, COMPLEX},
        {MPI_UNSIGNED, INTEGER},
        {MPI_C_DOUBLE_COMPLEX, COMPLEX},
        {MPI_C_LONG_DOUBLE_COMPLEX, COMPLEX},
        {MPI_UNSIGNED_LONG, INTEGER},
        {MPI_UNSIGNED_SHORT, INTEGER},
        {MPI_UNSIGNED_LONG_LONG, INTEGER},
        {MPI_SIGNED_CHAR, INTEGER},
        {MPI_UNSIGNED_CHAR, INTEGER},
        {MPI_INT8_T, INTEGER},
        {MPI_UINT8_T, INTEGER},
        {MPI_INT16_T, INTEGER},
        {MPI_UINT16_T, INTEGER},
        {MPI_INT32_T, INTEGER},
        {MPI_UINT32_T, INTEGER},
        {MPI_INT64_T, INTEGER},
        {MPI_UINT64_T, INTEGER},
        {MPI_AINT, INTEGER},
        {MPI_COUNT, INTEGER},
        {MPI_OFFSET, INTEGER},
        {MPI_C_BOOL, LOGICAL},
        {MPI_BYTE, BYTE},
        {MPI_INTEGER, INTEGER},
        {MPI_INTEGER4, INTEGER},
        {MPI_INTEGER8, INTEGER},
        {MPI_REAL, FLOATING},
        {MPI_DOUBLE_PRECISION, FLOATING},
        {MPI_REAL4, FLOATING},
        {MPI_REAL8, FLOATING},
        {MPI_COMPLEX, COMPLEX},
        {MPI_DOUBLE_COMPLEX, COMPLEX},
        {MPI_COMPLEX8, COMPLEX},
        {MPI_COMPLEX16, COMPLEX},
        {MPI_LOGICAL, LOGICAL},
        {MPI_FLOAT_INT, FLOAT_PAIR},
        {MPI_DOUBLE_INT, FLOAT_PAIR},
        {MPI_LONG_INT, PAIR},
        {MPI_2INT, PAIR},
        {MPI_SHORT_INT, PAIR},
        {MPI_LONG_DOUBLE_INT, FLOAT_PAIR},
        {MPI_2REAL, FLOAT_PAIR},
        {MPI_2DOUBLE_PRECISION, FLOAT_PAIR},
        {MPI_2INTEGER, PAIR},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (table[i].type == type)
            return table[i].klass;
    return 0;
}

/* Classes that a predefined operator takes; 0: not one of them. */
static unsigned operator_classes(MPI_Op op)
{
    const struct {
        MPI_Op op;
        unsigned classes;
    } table[] = {
        {MPI_SUM, INTEGER | FLOATING | COMPLEX},
        {MPI_MAX, INTEGER | FLOATING},
        {MPI_MIN, INTEGER | FLOATING},
        {MPI_PROD, INTEGER | FLOATING | COMPLEX},
        {MPI_LAND, INTEGER | LOGICAL},
        {MPI_LOR, INTEGER | LOGICAL},
        {MPI_LXOR, INTEGER | LOGICAL},
        {MPI_BAND, INTEGER | BYTE},
        {MPI_BOR, INTEGER | BYTE},
        {MPI_BXOR, INTEGER | BYTE},
        {MPI_MINLOC, PAIR | FLOAT_PAIR},
        {MPI_MAXLOC, PAIR | FLOAT_PAIR},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (table[i].op == op)
            return table[i].classes;
    return 0;
}

static bool is_other_predefined(MPI_Op op)
{
    return op == MPI_OP_NULL || op == MPI_REPLACE || op == MPI_NO_OP;
}

bool atn_op_commutes(MPI_Op op)
{
    int commutes = 0;
    return PMPI_Op_commutative(op, &commutes) == MPI_SUCCESS && commutes;
}

bool atn_operator_query(MPI_Op op, MPI_Datatype type, const atn_type *info, atn_operator *op_p)
{
    const unsigned classes = operator_classes(op);
    /* Also which of two zeros of different sign is the larger one is a matter of order. */
    const unsigned ordered = FLOATING | COMPLEX | FLOAT_PAIR;

    if (is_other_predefined(op) || (classes && !(classes & type_class(type))))
        return false;
    if (info->size > 0 && (info->extent < info->true_extent || info->extent <= 0))
        return false;
    *op_p = (atn_operator){
        .commutes = classes || atn_op_commutes(op),
        .named = classes != 0,
        .orderless = classes && !(type_class(type) & ordered),
    };
    return true;
}

bool atn_op_is_known(MPI_Op op) { return operator_classes(op) != 0; }

bool atn_op_is_exact(MPI_Op op, MPI_Datatype type)
{
    const unsigned rounded = FLOATING | COMPLEX;
    const bool rounds = op == MPI_SUM || op == MPI_PROD;

    return atn_op_is_known(op) && type_class(type) && !(rounds && (type_class(type) & rounded));
}
