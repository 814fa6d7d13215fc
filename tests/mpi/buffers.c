#include "layouts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GUARD = 64 };

/* ---- placement of blocks ---- */

/* Displacements in elements; returns the number of elements that they span. */
static int place(const t_shape *shape, const int *count, int *displ)
{
    t_rng rng = t_seed(shape->seed, 77, (uint64_t)shape->blocks);
    int *order = t_alloc(sizeof(int) * (size_t)shape->blocks), at = 0;
    t_shuffle(&rng, order, shape->blocks);
    for (int i = 0; i < shape->blocks; i++) {
        const int b = shape->order == T_RANDOM    ? order[i]
                      : shape->order == T_REVERSE ? shape->blocks - 1 - i
                                                  : i;
        at += shape->order == T_GAPS || shape->order == T_RANDOM ? t_below(&rng, 4) : 0;
        displ[b] = at;
        at += count[b];
    }
    if (shape->order == T_RANDOM) {
        const int back = t_below(&rng, at + 1);
        for (int b = 0; b < shape->blocks; b++)
            displ[b] -= back;
    }
    free(order);
    return at;
}

typedef struct {
    MPI_Aint lo, hi;
} range;

/* The bytes that `count` elements touch, relative to their origin. */
static range touched(MPI_Datatype type, int count)
{
    MPI_Aint lb, extent, true_lb, true_extent;
    MPI_Type_get_extent(type, &lb, &extent);
    MPI_Type_get_true_extent(type, &true_lb, &true_extent);
    return count == 0 ? (range){0, 0}
                      : (range){true_lb, true_lb + (count - 1) * extent + true_extent};
}

/* alltoallw: every block has its own type and byte displacement. */
static void place_each(const t_shape *shape, t_side *side)
{
    MPI_Aint at = shape->order == T_RANDOM ? -1024 : 0;
    for (int i = 0; i < shape->blocks; i++) {
        const int b = shape->order == T_REVERSE ? shape->blocks - 1 - i : i;
        const int layout = shape->layout[b];
        side->type[b] = t_layout_make(shape->family, layout, shape->plain, side->count[b] + 1);
        const range rg = touched(side->type[b], side->count[b]);
        at = (at + 63) / 16 * 16;
        side->at[b] = at - rg.lo;
        side->displ[b] = (int)side->at[b];
        at += rg.hi - rg.lo;
    }
}

static void place_all(const t_shape *shape, t_side *side)
{
    const int span = place(shape, side->count, side->displ);
    const MPI_Datatype type =
        t_layout_make(shape->family, shape->layout[0], shape->plain, span + 1);
    MPI_Aint lb, extent;
    MPI_Type_get_extent(type, &lb, &extent);
    for (int b = 0; b < shape->blocks; b++) {
        side->type[b] = type;
        side->at[b] = side->displ[b] * extent;
    }
}

static void allocate(t_side *side)
{
    MPI_Aint lo = 0, hi = 0;
    for (int b = 0; b < side->blocks; b++) {
        const range rg = touched(side->type[b], side->count[b]);
        if (side->count[b] > 0 && side->at[b] + rg.lo < lo)
            lo = side->at[b] + rg.lo;
        if (side->count[b] > 0 && side->at[b] + rg.hi > hi)
            hi = side->at[b] + rg.hi;
    }
    lo = -((-lo + 15) / 16 * 16); /* keeps the alignment of base */
    side->bytes = (size_t)(hi - lo) + 2 * GUARD;
    side->memory = t_alloc(side->bytes);
    side->base = side->memory + GUARD - lo;
}

static t_side *empty_side(int blocks)
{
    const size_t n = (size_t)blocks + 1;
    t_side *side = t_alloc(sizeof *side);
    side->blocks = blocks;
    side->count = t_alloc(n * sizeof *side->count);
    side->displ = t_alloc(n * sizeof *side->displ);
    side->type = t_alloc(n * sizeof *side->type);
    side->at = t_alloc(n * sizeof *side->at);
    side->packed = t_alloc(n * sizeof *side->packed);
    return side;
}

t_side *t_side_of(MPI_Datatype type, int count)
{
    t_side *side = empty_side(1);
    side->borrowed = true;
    side->count[0] = count;
    side->type[0] = type;
    allocate(side);
    t_side_clear(side);
    return side;
}

t_side *t_side_new(const t_shape *shape)
{
    t_side *side = empty_side(shape->blocks);
    side->value_bytes = t_value_bytes(shape->family);
    for (int b = 0; b < shape->blocks; b++) {
        const int layout = shape->layout[shape->each_type ? b : 0];
        side->count[b] = shape->units[b] * t_elements(shape->family, layout, shape->plain);
        side->packed[b] =
            (size_t)shape->units[b] * (size_t)t_unit_bytes(shape->family, shape->plain);
    }
    if (shape->each_type)
        place_each(shape, side);
    else
        place_all(shape, side);
    allocate(side);
    t_side_clear(side);
    return side;
}

static void free_type(MPI_Datatype type)
{
    int ints, addresses, types, combiner;
    MPI_Type_get_envelope(type, &ints, &addresses, &types, &combiner);
    if (combiner != MPI_COMBINER_NAMED)
        MPI_Type_free(&type);
}

void t_side_free(t_side *side)
{
    if (!side)
        return;
    for (int b = 0; b < side->blocks && !side->borrowed; b++)
        if (b == 0 || side->type[b] != side->type[0])
            free_type(side->type[b]);
    free(side->count);
    free(side->displ);
    free(side->type);
    free(side->at);
    free(side->packed);
    free(side->memory);
    free(side);
}

/* ---- contents ---- */

/* Depends on the address, so that copied holes are detected. */
static unsigned char guard_byte(size_t i) { return (unsigned char)(i * 37 + 11); }

void t_side_clear(t_side *side)
{
    const size_t period = 256, first = side->bytes < period ? side->bytes : period;
    for (size_t i = 0; i < first; i++)
        side->memory[i] = guard_byte(i);
    for (size_t i = first; i < side->bytes; i += period)
        memcpy(side->memory + i, side->memory, side->bytes - i < period ? side->bytes - i : period);
}

void t_side_put(t_side *side, int block, uint64_t seed, int from, int to)
{
    t_rng rng = t_seed(seed, (uint64_t)from + 1, (uint64_t)to + 1);
    const size_t bytes = side->packed[block];
    int position = 0;
    if (bytes == 0)
        return;
    void *message = t_alloc(bytes);
    t_bytes(t_next(&rng), message, bytes);
    MPI_Unpack(message, (int)bytes, &position, side->base + side->at[block], side->count[block],
               side->type[block], MPI_COMM_WORLD);
    free(message);
}

/* ---- comparing ---- */

size_t t_side_differs(const t_side *got, const t_side *want)
{
    size_t i = 0;
    if (memcmp(got->memory, want->memory, got->bytes) == 0)
        return got->bytes;
    while (got->memory[i] == want->memory[i])
        i++;
    return i;
}

/* Whether byte i of an expected buffer is padding of a value; values differ from the guard
 * pattern. */
static bool is_padding(const t_side *want, size_t i)
{
    const size_t size = sizeof(long double), base = (size_t)(want->base - want->memory);
    const size_t within = (i + want->bytes * size - base) % size, first = i - within;
    if (want->value_bytes == 0 || within < (size_t)want->value_bytes || within > i)
        return false;
    for (size_t k = first; k < first + (size_t)want->value_bytes; k++)
        if (want->memory[k] != guard_byte(k))
            return true;
    return false;
}

size_t t_side_result_differs(const t_side *got, const t_side *want)
{
    size_t i = t_side_differs(got, want);
    while (i < got->bytes && (got->memory[i] == want->memory[i] || is_padding(want, i)))
        i++;
    return i;
}

static bool report(const t_side *got, const t_side *want, const char *what, size_t i)
{
    if (i == got->bytes)
        return t_check(true, "same");
    return t_check(
        false, "%s: byte %ld of %zu from the start of the buffer is %02x, expected %02x%s", what,
        (long)(got->memory + i - got->base), got->bytes - 2 * GUARD, got->memory[i],
        want->memory[i], want->memory[i] == guard_byte(i) ? " (must not be changed)" : "");
}

bool t_side_same(const t_side *got, const t_side *want, const char *what)
{
    return report(got, want, what, t_side_differs(got, want));
}

bool t_side_result_same(const t_side *got, const t_side *want, const char *what)
{
    return report(got, want, what, t_side_result_differs(got, want));
}
