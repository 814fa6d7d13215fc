/* operands.h - operands of reductions: every basic type with every operator that is valid for it,
 * pairs, and user operators on derived types.  Results of these values have the same bits in any
 * order. */
#ifndef TEST_OPERANDS_H
#define TEST_OPERANDS_H

#include "harness.h"

/* Kinds of values, which determine how to fill and to combine them in plain C. */
typedef enum {
    I8,
    I16,
    I32,
    I64,
    U8,
    U16,
    U32,
    U64,
    FLOAT,
    DOUBLE,
    LDOUBLE,
    CFLOAT,
    CDOUBLE,
    CLDOUBLE,
    BOOLEAN,
    PAIR_FLOAT,
    PAIR_DOUBLE,
    PAIR_LONG,
    PAIR_INT,
    PAIR_SHORT,
    PAIR_LDOUBLE,
    PAIR_2FLOAT,
    PAIR_2DOUBLE,
    MATRIX,
    AFFINE,
    LOW,
    PLAIN_INT
} t_kind;
typedef enum { SUM, PROD, EXTREME, LOGICAL, BITS, LOCATE, ANY } t_what;

#define PAIR(type)                                                                                 \
    struct {                                                                                       \
        type value;                                                                                \
        int at;                                                                                    \
    }
typedef PAIR(float) pair_float;
typedef PAIR(double) pair_double;
typedef PAIR(long) pair_long;
typedef PAIR(int) pair_int;
typedef PAIR(short) pair_short;
typedef PAIR(long double) pair_ldouble;

typedef struct {
    const char *type_name, *op_name;
    MPI_Datatype type;
    MPI_Op op;
    bool commutes;
    int kind, what; /* t_kind; t_what */
} t_operand;

int t_operands(void);
/* The i-th combination; made on first use, kept until t_operands_free. */
const t_operand *t_operand_get(int i);
int t_user_operands(void); /* number of user operators, which are the last ones */
void t_operands_free(void);

/* Switches to integers of the full range: sums wrap, unsigned ones have the highest bit set.  MPI
 * libraries have errors for some of these. */
void t_operands_wild(void);
/* Writes `count` operands of rank `from` at base. */
void t_operand_fill(const t_operand *od, void *base, int count, uint64_t seed, int from);
/* inout = in (op) inout, in plain C: the expected result of a predefined operator.  False: a user
 * operator. */
bool t_operand_combine(const t_operand *od, const void *in, void *inout, int count);
/* Zeroes the padding inside of values (x87 long double). */
void t_operand_blank(const t_operand *od, void *base, int count);

#endif
