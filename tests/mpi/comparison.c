/* comparison.c - the comparison of buffers detects a change of any byte except the padding of
 * values, also in guard zones and in holes that have the size of a value. */
#include "layouts.h"

enum { BLOCKS = 2, UNITS = 1 };

/* Changes the bytes one by one; returns the number of undetected changes. */
static size_t unseen_changes(t_side *got, const t_side *want)
{
    size_t unseen = 0;
    for (size_t i = 0; i < got->bytes; i++) {
        got->memory[i] ^= 0x55;
        const size_t seen = t_side_result_differs(got, want);
        t_check(t_side_differs(got, want) == i, "a change of byte %zu is not detected", i);
        t_check(seen == i || seen == got->bytes, "byte %zu was changed, not byte %zu", i, seen);
        unseen += seen == got->bytes;
        got->memory[i] ^= 0x55;
    }
    return unseen;
}

static size_t padding_of(int family, size_t packed)
{
    const int value = t_value_bytes(family);
    return value == 0 ? 0 : packed / sizeof(long double) * (sizeof(long double) - (size_t)value);
}

static t_side *filled(const t_shape *shape)
{
    t_side *side = t_side_new(shape);
    for (int b = 0; b < BLOCKS; b++)
        t_side_put(side, b, 5, 0, b);
    return side;
}

static void compare(int family, int layout)
{
    const t_shape shape = {.family = family,
                           .layout = &layout,
                           .blocks = BLOCKS,
                           .units = (const int[BLOCKS]){UNITS, UNITS},
                           .order = T_GAPS,
                           .seed = (uint64_t)layout};
    t_side *got = filled(&shape), *want = filled(&shape);
    t_where("%s (%s)", t_family_name(family), t_layout_name(family, layout));
    t_check(t_side_result_differs(got, want) == got->bytes, "equal buffers differ");
    const size_t unseen = unseen_changes(got, want);
    const size_t padding = padding_of(family, got->packed[0] + got->packed[1]);
    t_check(unseen == padding, "%zu changed bytes are not detected, padding has %zu", unseen,
            padding);
    t_side_free(got);
    t_side_free(want);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    t_start(60);
    t_point("comparisons detect changes of all bytes except padding");
    for (int family = 0; family < t_families(); family++)
        for (int layout = 0; layout < t_layouts(family); layout++)
            compare(family, layout);
    const int code = t_finish();
    MPI_Finalize();
    return code;
}
