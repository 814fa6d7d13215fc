/* test_kernel.c - reduction kernels: every operator, type and instruction set of this processor
 * against one C expression per element, at any length and alignment. */
#include <complex.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernel/kernel.h"
#include "kernel/values.h"

static uint64_t next(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* ---- one element, as specified by the interface ---- */

#define INTEGER_CASES(type, wide)                                                                  \
    type l, r;                                                                                     \
    memcpy(&l, left, sizeof l);                                                                    \
    memcpy(&r, right, sizeof r);                                                                   \
    const type v[] = {                                                                             \
        [ATN_SUM] = (type)((wide)l + (wide)r),                                                     \
        [ATN_PROD] = (type)((wide)l * (wide)r),                                                    \
        [ATN_MIN] = l < r ? l : r,                                                                 \
        [ATN_MAX] = l > r ? l : r,                                                                 \
        [ATN_LAND] = l && r,                                                                       \
        [ATN_LOR] = l || r,                                                                        \
        [ATN_LXOR] = !l != !r,                                                                     \
        [ATN_BAND] = (type)(l & r),                                                                \
        [ATN_BOR] = (type)(l | r),                                                                 \
        [ATN_BXOR] = (type)(l ^ r),                                                                \
    };                                                                                             \
    memcpy(out, &v[op], sizeof v[op])

#define INTEGER(type, wide)                                                                        \
    static void one_##type(int op, const void *left, const void *right, void *out)                 \
    {                                                                                              \
        INTEGER_CASES(type, wide);                                                                 \
    }
INTEGER(i8, u64)
INTEGER(i16, u64)
INTEGER(i32, u64)
INTEGER(i64, u64)
INTEGER(u8, u64)
INTEGER(u16, u64)
INTEGER(u32, u64)
INTEGER(u64, u64)

#define REAL(type)                                                                                 \
    static void one_##type(int op, const void *left, const void *right, void *out)                 \
    {                                                                                              \
        volatile type l, r;                                                                        \
        memcpy((void *)&l, left, sizeof l);                                                        \
        memcpy((void *)&r, right, sizeof r);                                                       \
        const type extreme = (op == ATN_MIN ? l < r : l > r) ? l : r;                              \
        *(type##_at *)out = op == ATN_SUM ? l + r : op == ATN_PROD ? l * r : extreme;              \
    }
REAL(f32)
REAL(f64)
REAL(fx)

/* The compiler's own product: Annex G. */
#define COMPLEX(name, type, base)                                                                  \
    static void one_##name(int op, const void *left, const void *right, void *out)                 \
    {                                                                                              \
        volatile base complex l, r;                                                                \
        memcpy((void *)&l, left, sizeof l);                                                        \
        memcpy((void *)&r, right, sizeof r);                                                       \
        const base complex v = op == ATN_SUM ? l + r : l * r;                                      \
        ((type##_at *)out)[0] = ((const type *)&v)[0];                                             \
        ((type##_at *)out)[1] = ((const type *)&v)[1];                                             \
    }
COMPLEX(c32, f32, float)
COMPLEX(c64, f64, double)
COMPLEX(cx, fx, long double)

#define LOCATED(type)                                                                              \
    static void one_##type(int op, const void *left, const void *right, void *out)                 \
    {                                                                                              \
        const type##_at *const l = left, *const r = right;                                         \
        type##_at *const o = out;                                                                  \
        const bool better = op == ATN_MINLOC ? l->value < r->value : l->value > r->value;          \
        const bool wins = better || (l->value == r->value && l->index < r->index);                 \
        const type v = {wins ? l->value : r->value, wins ? l->index : r->index};                   \
        o->value = v.value, o->index = v.index;                                                    \
    }
LOCATED(short_index)
LOCATED(int_index)
LOCATED(long_index)
LOCATED(f32_index)
LOCATED(f64_index)
LOCATED(fx_index)
LOCATED(f32_pair)
LOCATED(f64_pair)

/* ---- values ---- */

static void fill_word(void *to, int bytes, uint64_t *rng)
{
    const uint64_t edges[] = {0, 1, 2, UINT64_MAX, 0x7fffffffffffffff, 0x8000000080008080};
    const uint64_t z = next(rng), v = z % 3 ? next(rng) : edges[z / 3 % 6];
    memcpy(to, &v, (size_t)bytes);
}

static double number(uint64_t *rng)
{
    const double edges[] = {0.0, -0.0, INFINITY, -INFINITY, 1, -1, 3e-320, 1e-42, 3e300, NAN};
    const uint64_t z = next(rng);
    return z % 2 ? edges[z / 2 % 10] : (double)(int64_t)(z >> 20) * 0x1p-40;
}

#define FILL_REAL(type)                                                                            \
    static void fill_##type(void *to, uint64_t *rng) { *(type##_at *)to = (type)number(rng); }     \
    static void fill_two_##type(void *to, uint64_t *rng)                                           \
    {                                                                                              \
        fill_##type(to, rng);                                                                      \
        fill_##type((type *)to + 1, rng);                                                          \
    }
FILL_REAL(f32)
FILL_REAL(f64)
FILL_REAL(fx)
#define FILL_WORD(bits)                                                                            \
    static void fill_w##bits(void *to, uint64_t *rng) { fill_word(to, (bits) / 8, rng); }
FILL_WORD(8)
FILL_WORD(16)
FILL_WORD(32)
FILL_WORD(64)
static const double odd[] = {-0.0, 1e4}; /* integers: zero and ten thousand */
#define FILL_LOCATED(type)                                                                         \
    static void fill_##type(void *to, uint64_t *rng)                                               \
    {                                                                                              \
        type##_at *const v = to;                                                                   \
        const uint64_t z = next(rng) % 7;                                                          \
        v->value = z < 5 ? (__typeof__(v->value))((int)z - 2) : (__typeof__(v->value))odd[z - 5];  \
        v->index = (__typeof__(v->index))(next(rng) % 7);                                          \
    }
FILL_LOCATED(short_index)
FILL_LOCATED(int_index)
FILL_LOCATED(long_index)
FILL_LOCATED(f32_index)
FILL_LOCATED(f64_index)
FILL_LOCATED(fx_index)
FILL_LOCATED(f32_pair)
FILL_LOCATED(f64_pair)

/* ---- comparing: NaNs are equal, except in minima and maxima, which copy an operand ---- */

#define SAME_REAL(type)                                                                            \
    static bool same_##type(const void *a, const void *b)                                          \
    {                                                                                              \
        const type x = *(const type##_at *)a, y = *(const type##_at *)b;                           \
        return isnan(x) ? isnan(y) : x == y && !signbit(x) == !signbit(y);                         \
    }                                                                                              \
    static bool same_two_##type(const void *a, const void *b)                                      \
    {                                                                                              \
        return same_##type(a, b) && same_##type((const type *)a + 1, (const type *)b + 1);         \
    }
SAME_REAL(f32)
SAME_REAL(f64)
SAME_REAL(fx)

static const struct {
    const char *name;
    void (*one)(int op, const void *left, const void *right, void *out);
    void (*fill)(void *to, uint64_t *rng);
    bool (*same)(const void *a, const void *b); /* NULL: byte by byte */
} types[ATN_KERNEL_TYPES] = {
    [ATN_I8] = {"i8", one_i8, fill_w8, NULL},
    [ATN_I16] = {"i16", one_i16, fill_w16, NULL},
    [ATN_I32] = {"i32", one_i32, fill_w32, NULL},
    [ATN_I64] = {"i64", one_i64, fill_w64, NULL},
    [ATN_U8] = {"u8", one_u8, fill_w8, NULL},
    [ATN_U16] = {"u16", one_u16, fill_w16, NULL},
    [ATN_U32] = {"u32", one_u32, fill_w32, NULL},
    [ATN_U64] = {"u64", one_u64, fill_w64, NULL},
    [ATN_B8] = {"b8", one_u8, fill_w8, NULL},
    [ATN_L8] = {"l8", one_u8, fill_w8, NULL},
    [ATN_L16] = {"l16", one_u16, fill_w16, NULL},
    [ATN_L32] = {"l32", one_u32, fill_w32, NULL},
    [ATN_L64] = {"l64", one_u64, fill_w64, NULL},
    [ATN_F32] = {"f32", one_f32, fill_f32, same_f32},
    [ATN_F64] = {"f64", one_f64, fill_f64, same_f64},
    [ATN_FX] = {"fx", one_fx, fill_fx, same_fx},
    [ATN_C32] = {"c32", one_c32, fill_two_f32, same_two_f32},
    [ATN_C64] = {"c64", one_c64, fill_two_f64, same_two_f64},
    [ATN_CX] = {"cx", one_cx, fill_two_fx, same_two_fx},
    [ATN_SHORT_INDEX] = {"short_index", one_short_index, fill_short_index, NULL},
    [ATN_INT_INDEX] = {"int_index", one_int_index, fill_int_index, NULL},
    [ATN_LONG_INDEX] = {"long_index", one_long_index, fill_long_index, NULL},
    [ATN_F32_INDEX] = {"f32_index", one_f32_index, fill_f32_index, NULL},
    [ATN_F64_INDEX] = {"f64_index", one_f64_index, fill_f64_index, NULL},
    [ATN_FX_INDEX] = {"fx_index", one_fx_index, fill_fx_index, NULL},
    [ATN_F32_PAIR] = {"f32_pair", one_f32_pair, fill_f32_pair, NULL},
    [ATN_F64_PAIR] = {"f64_pair", one_f64_pair, fill_f64_pair, NULL},
};

/* ---- runs ---- */

enum { MOST = 300, ROOM = (MOST + 4) * 32, FORMS = 3 };
typedef enum { APART, IN_LEFT, IN_RIGHT } form;

typedef struct {
    int isa, op, type, n, offset;
    form form;
    _Alignas(64) char left[ROOM], right[ROOM], result[ROOM], want[ROOM];
} run;

static bool is_same(const run *x, const char *a, const char *b, size_t stride)
{
    const bool copied = x->op == ATN_MIN || x->op == ATN_MAX;
    return types[x->type].same && !copied ? types[x->type].same(a, b) : memcmp(a, b, stride) == 0;
}

/* Elements as specified; every other byte of the result, including holes, is unchanged. */
static void compare(const run *x, const char *got, size_t stride)
{
    const size_t from = (size_t)x->offset, to = from + (size_t)x->n * stride;
    for (size_t i = 0; i < ROOM; i++)
        if ((i < from || i >= to) && got[i] != x->want[i])
            fail_msg("%s %s op %d n %d: byte %zu outside of the result was written",
                     atn_kernel_isa_name(x->isa), types[x->type].name, x->op, x->n, i);
    for (int i = 0; i < x->n; i++)
        if (!is_same(x, got + from + (size_t)i * stride, x->want + from + (size_t)i * stride,
                     stride))
            fail_msg("%s %s op %d n %d offset %d form %d: element %d differs",
                     atn_kernel_isa_name(x->isa), types[x->type].name, x->op, x->n, x->offset,
                     x->form, i);
}

static void run_once(run *x, uint64_t *rng)
{
    const size_t stride = atn_kernel_stride((atn_kernel_type)x->type);
    char *const places[FORMS] = {x->result, x->left, x->right};
    char *const got = places[x->form];

    memset(x->left, 0x5a, ROOM);
    memset(x->right, 0x5a, ROOM);
    memset(x->result, 0x5a, ROOM);
    for (int i = 0; i < x->n; i++) {
        types[x->type].fill(x->left + x->offset + (size_t)i * stride, rng);
        types[x->type].fill(x->right + x->offset + (size_t)i * stride, rng);
    }
    memcpy(x->want, got, ROOM);
    for (int i = 0; i < x->n; i++) {
        const size_t at = (size_t)x->offset + (size_t)i * stride;
        types[x->type].one(x->op, x->left + at, x->right + at, x->want + at);
    }
    atn_kernel_find_in(x->isa, (atn_kernel_op)x->op, (atn_kernel_type)x->type)(
        x->left + x->offset, x->right + x->offset, got + x->offset, (size_t)x->n);
    compare(x, got, stride);
}

static void run_pair(run *x)
{
    static const int lengths[] = {0,  1,  2,  3,  4,  5,  7,  8,  9,   15,  16,  17, 23,
                                  31, 32, 33, 47, 63, 64, 65, 95, 127, 128, 129, 300};
    uint64_t rng = (uint64_t)x->op * 100 + (uint64_t)x->type;
    for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++)
        for (int f = 0; f < FORMS; f++) {
            x->n = lengths[k];
            x->offset = (int)(next(&rng) % 64); /* also misaligned */
            x->form = (form)f;
            run_once(x, &rng);
        }
}

static void kernels_agree_with_one_expression(void **state)
{
    (void)state;
    run *x = calloc(1, sizeof *x);
    int pairs = 0;
    assert_non_null(x);
    for (x->isa = 0; x->isa < atn_kernel_isa_count(); x->isa++)
        for (x->op = 0; x->op < ATN_KERNEL_OPS; x->op++)
            for (x->type = 0; x->type < ATN_KERNEL_TYPES; x->type++)
                if (atn_kernel_find_in(x->isa, (atn_kernel_op)x->op, (atn_kernel_type)x->type)) {
                    run_pair(x);
                    pairs++;
                }
    free(x);
    assert_int_equal(pairs, 129 * atn_kernel_isa_count());
}

/* ---- what MPI allows ---- */

static void operators_accept_the_types_of_mpi(void **state)
{
    (void)state;
    const struct {
        int from, to;
        const char *ops; /* by number of the operator, from ATN_SUM on */
    } rows[] = {
        {ATN_I8, ATN_U64, "yyyyyyyyyy--"}, {ATN_B8, ATN_B8, "-------yyy--"},
        {ATN_L8, ATN_L64, "----yyy-----"}, {ATN_F32, ATN_FX, "yyyy--------"},
        {ATN_C32, ATN_CX, "yy----------"}, {ATN_SHORT_INDEX, ATN_F64_PAIR, "----------yy"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int type = rows[i].from; type <= rows[i].to; type++)
            for (int op = 0; op < ATN_KERNEL_OPS; op++)
                assert_int_equal(atn_kernel_find((atn_kernel_op)op, (atn_kernel_type)type) != NULL,
                                 rows[i].ops[op] == 'y');
}

static void the_best_instruction_set_is_first(void **state)
{
    (void)state;
    const int last = atn_kernel_isa_count() - 1;
    assert_true(last >= 0);
    assert_string_equal(atn_kernel_isa_name(last), "baseline");
    assert_null(atn_kernel_isa_name(last + 1));
    assert_ptr_equal(atn_kernel_find(ATN_SUM, ATN_F64), atn_kernel_find_in(0, ATN_SUM, ATN_F64));
}

/* ---- known defects of other libraries: vector body and remainder must agree ---- */

static void small_integers_wrap_at_every_length(void **state)
{
    (void)state;
    for (int n = 1; n <= 200; n++) {
        u8 a[200], b[200];
        u16 c[200], d[200];
        for (int i = 0; i < n; i++)
            a[i] = 253, b[i] = (u8)(i + 4), c[i] = 65533, d[i] = (u16)(i + 4);
        atn_kernel_find(ATN_SUM, ATN_U8)(a, b, b, (size_t)n);
        atn_kernel_find(ATN_SUM, ATN_U16)(c, d, d, (size_t)n);
        for (int i = 0; i < n; i++) {
            assert_int_equal(b[i], (i + 257) % 256);
            assert_int_equal(d[i], i + 1);
        }
    }
}

static void zeros_keep_the_sign_of_the_right_operand(void **state)
{
    (void)state;
    for (int n = 1; n <= 70; n++)
        for (int op = ATN_MIN; op <= ATN_MAX; op++) {
            double l[70], r[70];
            for (int i = 0; i < n; i++)
                l[i] = i % 2 ? 0.0 : -0.0, r[i] = i % 2 ? -0.0 : 0.0;
            atn_kernel_find((atn_kernel_op)op, ATN_F64)(l, r, r, (size_t)n);
            for (int i = 0; i < n; i++)
                assert_int_equal(!!signbit(r[i]), i % 2);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_agree_with_one_expression),
        cmocka_unit_test(operators_accept_the_types_of_mpi),
        cmocka_unit_test(the_best_instruction_set_is_first),
        cmocka_unit_test(small_integers_wrap_at_every_length),
        cmocka_unit_test(zeros_keep_the_sign_of_the_right_operand),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
