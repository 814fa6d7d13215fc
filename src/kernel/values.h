/* values.h - the value types of kernels in memory.  Types that end in _at may be located at any
 * address and alias any type, as user buffers do. */
#ifndef ATN_KERNEL_VALUES_H
#define ATN_KERNEL_VALUES_H

#include <stdint.h>

#define ATN_AT __attribute__((aligned(1), may_alias))

#define ATN_VALUE(type, name)                                                                      \
    typedef type name;                                                                             \
    typedef type name##_at ATN_AT

ATN_VALUE(int8_t, i8);
ATN_VALUE(int16_t, i16);
ATN_VALUE(int32_t, i32);
ATN_VALUE(int64_t, i64);
ATN_VALUE(uint8_t, u8);
ATN_VALUE(uint16_t, u16);
ATN_VALUE(uint32_t, u32);
ATN_VALUE(uint64_t, u64);
ATN_VALUE(float, f32);
ATN_VALUE(double, f64);
ATN_VALUE(long double, fx);

/* A value and its index; MPI's predefined pairs are these C structures. */
#define ATN_LOCATED(value_type, index_type, name)                                                  \
    typedef struct __attribute__((may_alias)) {                                                    \
        value_type value;                                                                          \
        index_type index;                                                                          \
    } name;                                                                                        \
    typedef name name##_at __attribute__((aligned(1)))

ATN_LOCATED(short, int, short_index);
ATN_LOCATED(int, int, int_index);
ATN_LOCATED(long, int, long_index);
ATN_LOCATED(float, int, f32_index);
ATN_LOCATED(double, int, f64_index);
ATN_LOCATED(long double, int, fx_index);
ATN_LOCATED(float, float, f32_pair);
ATN_LOCATED(double, double, f64_pair);

#endif
