#include "operands.h"

#include <complex.h>
#include <float.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* ---- values ---- */

static bool wild; /* integers of all sizes */

void t_operands_wild(void) { wild = true; }

/* MPI_OFFSET is signed, but Open MPI compares it as unsigned. */
static bool has_sign(const t_operand *od) { return od->kind < U8 && od->type != MPI_OFFSET; }

/* Small integers with exact sums and products.  Unsigned ones are below half of their range: above
 * it MPI libraries saturate sums (op/avx of Open MPI) and compare as signed (MPICH 4.0; Open MPI
 * 4.1, for some types). */
static int64_t whole(t_rng *rng, int purpose, bool has_sign)
{
    const uint64_t z = t_next(rng);
    if (wild && purpose != LOGICAL)
        return (int64_t)z;
    if (!has_sign && purpose == SUM)
        return (int64_t)(z % 7);
    if (!has_sign && purpose == EXTREME)
        return (int64_t)(z & 0x7f7f7f7f7f7f7f7f);
    switch (purpose) {
    case SUM:
        return (int64_t)(z % 7) - 3;
    case PROD:
        return (int64_t[]){1, -1, 2, 1}[z % 4];
    case LOGICAL:
        return z % 3 ? (int64_t)(z % 2) : 0;
    default:
        return (int64_t)z;
    }
}

static double real(t_rng *rng, int purpose)
{
    const uint64_t z = t_next(rng);
    return purpose == PROD ? (double[]){1, -1, 2, 0.5}[z % 4] : (double)(z % 2001) - 1000;
}

/* Products of these never have a zero part, so no sign of zero depends on the order. */
static double complex imaginary(t_rng *rng, int purpose)
{
    if (purpose == SUM)
        return real(rng, SUM) + real(rng, SUM) * I;
    return (double complex[]){2 + 1 * I, 3 + 2 * I, 4 + 1 * I}[t_next(rng) % 3];
}

typedef struct {
    uint32_t m[4];
} matrix;
typedef struct {
    uint32_t a, hole[2], b, hole_too;
} affine;

/* ---- filling ---- */

#define STORE(type, value) (*(type *)to = (type)(value))
/* Member by member: bytes between them are holes and must keep the guard pattern. */
#define STORE_PAIR(type)                                                                           \
    (((type *)to)->value = (int)(t_next(rng) % 3), ((type *)to)->at = t_below(rng, 100))

static void fill_pair(int k, void *to, t_rng *rng)
{
    switch (k) {
    case PAIR_FLOAT:
        STORE_PAIR(pair_float);
        break;
    case PAIR_DOUBLE:
        STORE_PAIR(pair_double);
        break;
    case PAIR_LONG:
        STORE_PAIR(pair_long);
        break;
    case PAIR_INT:
        STORE_PAIR(pair_int);
        break;
    case PAIR_SHORT:
        STORE_PAIR(pair_short);
        break;
    case PAIR_LDOUBLE:
        STORE_PAIR(pair_ldouble);
        break;
    case PAIR_2FLOAT:
        ((float *)to)[0] = (float)t_below(rng, 3), ((float *)to)[1] = (float)t_below(rng, 100);
        break;
    default:
        ((double *)to)[0] = t_below(rng, 3), ((double *)to)[1] = t_below(rng, 100);
    }
}

static void fill_user(int k, void *to, t_rng *rng)
{
    if (k == MATRIX)
        for (int i = 0; i < 4; i++)
            ((matrix *)to)->m[i] = (uint32_t)t_next(rng);
    else if (k == AFFINE)
        ((affine *)to)->a = (uint32_t)t_next(rng), ((affine *)to)->b = (uint32_t)t_next(rng);
    else if (k == LOW)
        ((int *)to)[-2] = t_below(rng, 1000), ((int *)to)[1] = t_below(rng, 1000);
    else
        *(int *)to = t_below(rng, 1000);
}

static void fill_one(const t_operand *od, void *to, t_rng *rng)
{
    switch (od->kind) {
    case I8:
    case U8:
        STORE(int8_t, whole(rng, od->what, has_sign(od)));
        break;
    case I16:
    case U16:
        STORE(int16_t, whole(rng, od->what, has_sign(od)));
        break;
    case I32:
    case U32:
        STORE(int32_t, whole(rng, od->what, has_sign(od)));
        break;
    case I64:
    case U64:
        STORE(int64_t, whole(rng, od->what, has_sign(od)));
        break;
    case FLOAT:
        STORE(float, real(rng, od->what));
        break;
    case DOUBLE:
        STORE(double, real(rng, od->what));
        break;
    case LDOUBLE:
        STORE(long double, real(rng, od->what));
        break;
    case CFLOAT:
        STORE(float complex, imaginary(rng, od->what));
        break;
    case CDOUBLE:
        STORE(double complex, imaginary(rng, od->what));
        break;
    case CLDOUBLE:
        STORE(long double complex, imaginary(rng, od->what));
        break;
    case BOOLEAN:
        STORE(_Bool, t_next(rng) % 2);
        break;
    default:
        od->kind < MATRIX ? fill_pair(od->kind, to, rng) : fill_user(od->kind, to, rng);
    }
}

void t_operand_fill(const t_operand *od, void *base, int count, uint64_t seed, int from)
{
    t_rng rng = t_seed(seed, 99, (uint64_t)from);
    MPI_Aint lb, extent;
    MPI_Type_get_extent(od->type, &lb, &extent);
    for (int i = 0; i < count; i++)
        fill_one(od, (char *)base + i * extent, &rng);
}

void t_operand_blank(const t_operand *od, void *base, int count)
{
    const int parts = od->kind == CLDOUBLE ? 2 : od->kind == LDOUBLE || od->kind == PAIR_LDOUBLE;
    MPI_Aint lb, extent;
    if (LDBL_MANT_DIG != 64 || parts == 0)
        return;
    MPI_Type_get_extent(od->type, &lb, &extent);
    for (int i = 0; i < count * parts; i++)
        memset((char *)base + i * (extent / parts) + 10, 0, sizeof(long double) - 10);
}

/* ---- user operators ---- */

static void multiply(void *in, void *inout, int *n, MPI_Datatype *type)
{
    const matrix *a = in;
    matrix *b = inout;
    (void)type;
    for (int i = 0; i < *n; i++) {
        const matrix x = a[i], y = b[i];
        b[i] = (matrix){{x.m[0] * y.m[0] + x.m[1] * y.m[2], x.m[0] * y.m[1] + x.m[1] * y.m[3],
                         x.m[2] * y.m[0] + x.m[3] * y.m[2], x.m[2] * y.m[1] + x.m[3] * y.m[3]}};
    }
}

/* (a, b) is the map x -> a x + b; the operator is composition. */
static void compose(void *in, void *inout, int *n, MPI_Datatype *type)
{
    const affine *f = in;
    affine *g = inout;
    (void)type;
    for (int i = 0; i < *n; i++) {
        g[i].b = f[i].a * g[i].b + f[i].b;
        g[i].a = f[i].a * g[i].a;
    }
}

/* Elements lie below and above their own address. */
static void add_low(void *in, void *inout, int *n, MPI_Datatype *type)
{
    MPI_Aint lb, extent;
    MPI_Type_get_extent(*type, &lb, &extent);
    for (int i = 0; i < *n; i++) {
        const int *a = (const int *)((const char *)in + i * extent);
        int *b = (int *)((char *)inout + i * extent);
        b[-2] += a[-2];
        b[1] += a[1];
    }
}

static void take_left(void *in, void *inout, int *n, MPI_Datatype *type)
{
    (void)type;
    memcpy(inout, in, sizeof(int) * (size_t)*n);
}

static void take_right(void *in, void *inout, int *n, MPI_Datatype *type)
{
    (void)in, (void)inout, (void)n, (void)type;
}

static void add_ints(void *in, void *inout, int *n, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *n; i++)
        ((int *)inout)[i] += ((const int *)in)[i];
}

static MPI_Datatype matrix_type(void)
{
    MPI_Datatype type;
    MPI_Type_contiguous(4, MPI_UNSIGNED, &type);
    return type;
}

static MPI_Datatype affine_type(void)
{
    MPI_Datatype inner, type;
    MPI_Type_indexed(2, (int[]){1, 1}, (int[]){0, 3}, MPI_UNSIGNED, &inner);
    MPI_Type_create_resized(inner, 0, sizeof(affine), &type);
    MPI_Type_free(&inner);
    return type;
}

static MPI_Datatype low_type(void)
{
    MPI_Datatype inner, type;
    MPI_Type_indexed(2, (int[]){1, 1}, (int[]){-2, 1}, MPI_INT, &inner);
    MPI_Type_create_resized(inner, -12, 24, &type);
    MPI_Type_free(&inner);
    return type;
}

static const struct {
    const char *type_name, *op_name;
    MPI_Datatype (*make)(void); /* NULL: MPI_INT */
    MPI_User_function *function;
    int commutes, kind;
} user_rows[] = {
    {"2x2 matrices", "product", matrix_type, multiply, 0, MATRIX},
    {"affine maps with holes", "composition", affine_type, compose, 0, AFFINE},
    {"pairs with negative lower bound", "user sum", low_type, add_low, 1, LOW},
    {"MPI_INT", "left operand", NULL, take_left, 0, PLAIN_INT},
    {"MPI_INT", "right operand", NULL, take_right, 0, PLAIN_INT},
    {"MPI_INT", "user sum", NULL, add_ints, 1, PLAIN_INT},
};
enum { USERS = sizeof user_rows / sizeof *user_rows };

/* ---- the table of combinations ---- */

typedef struct {
    const char *name;
    MPI_Op op;
    int what;
} operator_row;

typedef struct {
    const char *name;
    MPI_Datatype type;
    int kind;
    unsigned groups; /* valid operator groups */
} type_row;

enum { ARITHMETIC = 1, ORDERED = 2, LOGIC = 4, BITWISE = 8, LOCATING = 16, CAPACITY = 512 };
enum { INTEGER = ARITHMETIC | ORDERED | LOGIC | BITWISE, REAL = ARITHMETIC | ORDERED };

static t_operand list[CAPACITY];
static int listed;

static void add_group(const type_row *row, unsigned group, const operator_row *ops, int n)
{
    for (int i = 0; i < n && (row->groups & group); i++)
        list[listed++] = (t_operand){.type_name = row->name,
                                     .op_name = ops[i].name,
                                     .type = row->type,
                                     .op = ops[i].op,
                                     .commutes = true,
                                     .kind = row->kind,
                                     .what = ops[i].what};
}

#define OP(name, purpose)                                                                          \
    {                                                                                              \
#name, name, purpose                                                                       \
    }
#define ADD(group, ...)                                                                            \
    do {                                                                                           \
        const operator_row ops[] = {__VA_ARGS__};                                                  \
        add_group(row, group, ops, (int)(sizeof ops / sizeof *ops));                               \
    } while (0)

static void add_type(const type_row *row)
{
    ADD(ARITHMETIC, OP(MPI_SUM, SUM), OP(MPI_PROD, PROD));
    ADD(ORDERED, OP(MPI_MIN, EXTREME), OP(MPI_MAX, EXTREME));
    ADD(LOGIC, OP(MPI_LAND, LOGICAL), OP(MPI_LOR, LOGICAL), OP(MPI_LXOR, LOGICAL));
    ADD(BITWISE, OP(MPI_BAND, BITS), OP(MPI_BOR, BITS), OP(MPI_BXOR, BITS));
    ADD(LOCATING, OP(MPI_MINLOC, LOCATE), OP(MPI_MAXLOC, LOCATE));
}

#define TYPE(name, kind, groups)                                                                   \
    {                                                                                              \
#name, name, kind, groups                                                                  \
    }

static void add_predefined(void)
{
    const type_row rows[] = {
        TYPE(MPI_SIGNED_CHAR, I8, INTEGER),
        TYPE(MPI_UNSIGNED_CHAR, U8, INTEGER),
        TYPE(MPI_SHORT, I16, INTEGER),
        TYPE(MPI_UNSIGNED_SHORT, U16, INTEGER),
        TYPE(MPI_INT, I32, INTEGER),
        TYPE(MPI_UNSIGNED, U32, INTEGER),
        {"MPI_LONG", MPI_LONG, sizeof(long) == 8 ? I64 : I32, INTEGER},
        {"MPI_UNSIGNED_LONG", MPI_UNSIGNED_LONG, sizeof(long) == 8 ? U64 : U32, INTEGER},
        TYPE(MPI_LONG_LONG, I64, INTEGER),
        TYPE(MPI_UNSIGNED_LONG_LONG, U64, INTEGER),
        TYPE(MPI_INT8_T, I8, INTEGER),
        TYPE(MPI_INT16_T, I16, INTEGER),
        TYPE(MPI_INT32_T, I32, INTEGER),
        TYPE(MPI_INT64_T, I64, INTEGER),
        TYPE(MPI_UINT8_T, U8, INTEGER),
        TYPE(MPI_UINT16_T, U16, INTEGER),
        TYPE(MPI_UINT32_T, U32, INTEGER),
        TYPE(MPI_UINT64_T, U64, INTEGER),
        {"MPI_AINT", MPI_AINT, sizeof(MPI_Aint) == 8 ? I64 : I32, REAL | BITWISE},
        TYPE(MPI_OFFSET, I64, REAL | BITWISE),
        TYPE(MPI_COUNT, I64, REAL | BITWISE),
        TYPE(MPI_INTEGER, I32, REAL | BITWISE),
        TYPE(MPI_LOGICAL, I32, LOGIC),
        TYPE(MPI_BYTE, I8, BITWISE),
        TYPE(MPI_C_BOOL, BOOLEAN, LOGIC),
        TYPE(MPI_FLOAT, FLOAT, REAL),
        TYPE(MPI_DOUBLE, DOUBLE, REAL),
        TYPE(MPI_LONG_DOUBLE, LDOUBLE, REAL),
        TYPE(MPI_REAL, FLOAT, REAL),
        TYPE(MPI_DOUBLE_PRECISION, DOUBLE, REAL),
        TYPE(MPI_C_COMPLEX, CFLOAT, ARITHMETIC),
        TYPE(MPI_C_DOUBLE_COMPLEX, CDOUBLE, ARITHMETIC),
        TYPE(MPI_C_LONG_DOUBLE_COMPLEX, CLDOUBLE, ARITHMETIC),
        TYPE(MPI_COMPLEX, CFLOAT, ARITHMETIC),
        TYPE(MPI_DOUBLE_COMPLEX, CDOUBLE, ARITHMETIC),
        TYPE(MPI_FLOAT_INT, PAIR_FLOAT, LOCATING),
        TYPE(MPI_DOUBLE_INT, PAIR_DOUBLE, LOCATING),
        TYPE(MPI_LONG_INT, PAIR_LONG, LOCATING),
        TYPE(MPI_2INT, PAIR_INT, LOCATING),
        TYPE(MPI_SHORT_INT, PAIR_SHORT, LOCATING),
        TYPE(MPI_LONG_DOUBLE_INT, PAIR_LDOUBLE, LOCATING),
        TYPE(MPI_2INTEGER, PAIR_INT, LOCATING),
        TYPE(MPI_2REAL, PAIR_2FLOAT, LOCATING),
        TYPE(MPI_2DOUBLE_PRECISION, PAIR_2DOUBLE, LOCATING),
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        add_type(&rows[i]);
}

static void add_users(void)
{
    for (int i = 0; i < USERS; i++) {
        t_operand od = {.type_name = user_rows[i].type_name,
                        .op_name = user_rows[i].op_name,
                        .type = MPI_INT,
                        .commutes = user_rows[i].commutes,
                        .kind = user_rows[i].kind,
                        .what = ANY};
        if (user_rows[i].make) {
            od.type = user_rows[i].make();
            MPI_Type_commit(&od.type);
        }
        MPI_Op_create(user_rows[i].function, user_rows[i].commutes, &od.op);
        list[listed++] = od;
    }
}

int t_operands(void)
{
    if (listed == 0) {
        add_predefined();
        add_users();
    }
    return listed;
}

int t_user_operands(void) { return USERS; }

const t_operand *t_operand_get(int i) { return &list[i]; }

void t_operands_free(void)
{
    for (int i = listed > 0 ? listed - USERS : 0; i < listed; i++) {
        MPI_Op_free(&list[i].op);
        if (list[i].type != MPI_INT)
            MPI_Type_free(&list[i].type);
    }
    listed = 0;
}
