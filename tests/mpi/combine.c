/* combine.c - predefined operators in plain C, one element at a time: a reference that shares no
 * code with the MPI library or with Attune. */
#include <complex.h>

#include "operands.h"

/* The values of all integer operators; sums and products wrap. */
#define INTEGER(type)                                                                              \
    static void combine_##type(MPI_Op op, const type *in, type *inout)                             \
    {                                                                                              \
        const type a = *in, b = *inout, low = a < b ? a : b, high = a < b ? b : a;                 \
        const struct {                                                                             \
            MPI_Op op;                                                                             \
            uint64_t value;                                                                        \
        } rows[] = {                                                                               \
            {MPI_SUM, (uint64_t)a + (uint64_t)b},                                                  \
            {MPI_PROD, (uint64_t)a * (uint64_t)b},                                                 \
            {MPI_MIN, (uint64_t)low},                                                              \
            {MPI_MAX, (uint64_t)high},                                                             \
            {MPI_LAND, a && b},                                                                    \
            {MPI_LOR, a || b},                                                                     \
            {MPI_LXOR, !a != !b},                                                                  \
            {MPI_BAND, (uint64_t)(a & b)},                                                         \
            {MPI_BOR, (uint64_t)(a | b)},                                                          \
            {MPI_BXOR, (uint64_t)(a ^ b)},                                                         \
        };                                                                                         \
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)                                    \
            if (rows[i].op == op)                                                                  \
                *inout = (type)rows[i].value;                                                      \
    }
INTEGER(int8_t)
INTEGER(int16_t)
INTEGER(int32_t)
INTEGER(int64_t)
INTEGER(uint8_t)
INTEGER(uint16_t)
INTEGER(uint32_t)
INTEGER(uint64_t)

typedef long double ldouble;
typedef float complex cfloat;
typedef double complex cdouble;
typedef long double complex cldouble;

#define REAL(type)                                                                                 \
    static void combine_##type(MPI_Op op, const type *in, type *inout)                             \
    {                                                                                              \
        const type a = *in, b = *inout;                                                            \
        const type extreme = (op == MPI_MIN ? a < b : a > b) ? a : b;                              \
        *inout = op == MPI_SUM ? a + b : op == MPI_PROD ? a * b : extreme;                         \
    }
REAL(float)
REAL(double)
REAL(ldouble)

#define COMPLEX(type)                                                                              \
    static void combine_##type(MPI_Op op, const type *in, type *inout)                             \
    {                                                                                              \
        *inout = op == MPI_SUM ? *in + *inout : *in * *inout;                                      \
    }
COMPLEX(cfloat)
COMPLEX(cdouble)
COMPLEX(cldouble)

#define LOCATE(type)                                                                               \
    static void combine_##type(MPI_Op op, const type *in, type *inout)                             \
    {                                                                                              \
        if (in->value == inout->value)                                                             \
            inout->at = in->at < inout->at ? in->at : inout->at;                                   \
        else if ((in->value < inout->value) == (op == MPI_MINLOC))                                 \
            inout->value = in->value, inout->at = in->at;                                          \
    }
typedef struct {
    float value, at;
} pair_2float;
typedef struct {
    double value, at;
} pair_2double;
LOCATE(pair_float)
LOCATE(pair_double)
LOCATE(pair_long)
LOCATE(pair_int)
LOCATE(pair_short)
LOCATE(pair_ldouble)
LOCATE(pair_2float)
LOCATE(pair_2double)

#define CASE(kind, type)                                                                           \
    case kind:                                                                                     \
        for (int i = 0; i < count; i++)                                                            \
            combine_##type(od->op, (const type *)in + i, (type *)inout + i);                       \
        return true

bool t_operand_combine(const t_operand *od, const void *in, void *inout, int count)
{
    switch ((t_kind)od->kind) {
        CASE(I8, int8_t);
        CASE(I16, int16_t);
        CASE(I32, int32_t);
        CASE(I64, int64_t);
        CASE(U8, uint8_t);
        CASE(U16, uint16_t);
        CASE(U32, uint32_t);
        CASE(U64, uint64_t);
        CASE(BOOLEAN, uint8_t);
        CASE(FLOAT, float);
        CASE(DOUBLE, double);
        CASE(LDOUBLE, ldouble);
        CASE(CFLOAT, cfloat);
        CASE(CDOUBLE, cdouble);
        CASE(CLDOUBLE, cldouble);
        CASE(PAIR_FLOAT, pair_float);
        CASE(PAIR_DOUBLE, pair_double);
        CASE(PAIR_LONG, pair_long);
        CASE(PAIR_INT, pair_int);
        CASE(PAIR_SHORT, pair_short);
        CASE(PAIR_LDOUBLE, pair_ldouble);
        CASE(PAIR_2FLOAT, pair_2float);
        CASE(PAIR_2DOUBLE, pair_2double);
    case MATRIX:
    case AFFINE:
    case LOW:
    case PLAIN_INT:
        break;
    }
    return false;
}
