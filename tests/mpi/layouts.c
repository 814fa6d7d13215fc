/* layouts.c - families of equal type signature, and their layouts in memory. */
#include "layouts.h"

#include <complex.h>
#include <float.h>
#include <string.h>

/* ---- basic types: every family of six equal elements has these layouts ---- */

typedef struct {
    const char *name;
    int per_unit; /* elements in a unit of six */
    MPI_Datatype (*make)(MPI_Datatype base, MPI_Aint size, int capacity);
} basic_layout;

static MPI_Datatype resize(MPI_Datatype inner, MPI_Aint lb, MPI_Aint extent)
{
    MPI_Datatype type;
    MPI_Type_create_resized(inner, lb, extent, &type);
    MPI_Type_free(&inner);
    return type;
}

static MPI_Datatype make_plain(MPI_Datatype base, MPI_Aint size, int capacity)
{
    MPI_Datatype type;
    (void)size, (void)capacity;
    MPI_Type_dup(base, &type);
    return type;
}

static MPI_Datatype make_couple(MPI_Datatype base, MPI_Aint size, int capacity)
{
    MPI_Datatype type;
    (void)size, (void)capacity;
    MPI_Type_contiguous(2, base, &type);
    return type;
}

/* Size equals extent, lower bound 0, but not contiguous in order. */
static MPI_Datatype make_swap(MPI_Datatype base, MPI_Aint size, int capacity)
{
    MPI_Datatype type;
    (void)size, (void)capacity;
    MPI_Type_indexed(2, (int[]){1, 1}, (int[]){1, 0}, base, &type);
    return type;
}

static MPI_Datatype make_holes(MPI_Datatype base, MPI_Aint size, int capacity)
{
    MPI_Datatype type;
    (void)capacity;
    MPI_Type_vector(3, 1, 2, base, &type);
    return resize(type, 0, 6 * size);
}

static MPI_Datatype make_negative(MPI_Datatype base, MPI_Aint size, int capacity)
{
    MPI_Datatype type;
    (void)capacity;
    MPI_Type_create_hindexed(3, (int[]){1, 1, 1}, (MPI_Aint[]){-2 * size, 3 * size, size}, base,
                             &type);
    return resize(type, -3 * size, 7 * size);
}

static MPI_Datatype make_spread(MPI_Datatype base, MPI_Aint size, int capacity)
{
    MPI_Datatype type;
    (void)capacity;
    MPI_Type_contiguous(2, base, &type);
    return resize(type, 0, 5 * size);
}

/* A column of a row-major matrix: neighbouring elements interleave (extent < true extent). */
static MPI_Datatype make_column(MPI_Datatype base, MPI_Aint size, int capacity)
{
    MPI_Datatype type;
    MPI_Type_vector(3, 1, capacity, base, &type);
    return resize(type, 0, size);
}

static MPI_Datatype make_struct(MPI_Datatype base, MPI_Aint size, int capacity)
{
    MPI_Datatype type;
    (void)capacity;
    MPI_Type_create_struct(3, (int[]){1, 2, 3}, (MPI_Aint[]){9 * size, 0, 4 * size},
                           (MPI_Datatype[]){base, base, base}, &type);
    return resize(type, -size, 12 * size);
}

static MPI_Datatype make_nested(MPI_Datatype base, MPI_Aint size, int capacity)
{
    MPI_Datatype type, inner = make_holes(base, size, capacity);
    MPI_Type_vector(2, 1, 2, inner, &type);
    MPI_Type_free(&inner);
    return type;
}

static const basic_layout basic_layouts[] = {
    {"plain", 6, make_plain},   {"couple", 3, make_couple},     {"swap", 3, make_swap},
    {"holes", 2, make_holes},   {"negative", 2, make_negative}, {"spread", 3, make_spread},
    {"column", 2, make_column}, {"struct", 1, make_struct},     {"nested", 1, make_nested},
};

#define BASIC(X)                                                                                   \
    X(MPI_INT)                                                                                     \
    X(MPI_BYTE)                                                                                    \
    X(MPI_DOUBLE)                                                                                  \
    X(MPI_SHORT)                                                                                   \
    X(MPI_CHAR)                                                                                    \
    X(MPI_SIGNED_CHAR)                                                                             \
    X(MPI_UNSIGNED_CHAR)                                                                           \
    X(MPI_WCHAR)                                                                                   \
    X(MPI_UNSIGNED_SHORT)                                                                          \
    X(MPI_UNSIGNED)                                                                                \
    X(MPI_LONG)                                                                                    \
    X(MPI_UNSIGNED_LONG)                                                                           \
    X(MPI_LONG_LONG)                                                                               \
    X(MPI_UNSIGNED_LONG_LONG)                                                                      \
    X(MPI_FLOAT)                                                                                   \
    X(MPI_LONG_DOUBLE)                                                                             \
    X(MPI_INT8_T)                                                                                  \
    X(MPI_INT16_T)                                                                                 \
    X(MPI_INT32_T)                                                                                 \
    X(MPI_INT64_T)                                                                                 \
    X(MPI_UINT8_T)                                                                                 \
    X(MPI_UINT16_T)                                                                                \
    X(MPI_UINT32_T)                                                                                \
    X(MPI_UINT64_T)                                                                                \
    X(MPI_C_BOOL)                                                                                  \
    X(MPI_C_FLOAT_COMPLEX)                                                                         \
    X(MPI_C_DOUBLE_COMPLEX)                                                                        \
    X(MPI_C_LONG_DOUBLE_COMPLEX)                                                                   \
    X(MPI_AINT)                                                                                    \
    X(MPI_OFFSET)                                                                                  \
    X(MPI_COUNT) X(MPI_CXX_BOOL) X(MPI_CXX_FLOAT_COMPLEX) X(MPI_CXX_DOUBLE_COMPLEX) X(MPI_PACKED)

static const struct {
    const char *name;
} basic_names[] = {
#define NAME(type) {#type},
    BASIC(NAME)
#undef NAME
};
enum { NBASIC = sizeof basic_names / sizeof *basic_names };

/* Handles are not constant expressions in every MPI, so the list is made at run time. */
static MPI_Datatype basic_type(int i)
{
    const MPI_Datatype types[] = {
#define TYPE(type) type,
        BASIC(TYPE)
#undef TYPE
    };
    return types[i];
}

/* ---- records: signature (int, double, 3 char), one record is a unit ---- */

static MPI_Datatype make_record(const MPI_Aint at[3], MPI_Aint lb, MPI_Aint extent)
{
    MPI_Datatype type;
    MPI_Type_create_struct(3, (int[]){1, 1, 3}, at, (MPI_Datatype[]){MPI_INT, MPI_DOUBLE, MPI_CHAR},
                           &type);
    return resize(type, lb, extent);
}

static MPI_Datatype make_pair(MPI_Aint second, MPI_Aint lb, MPI_Aint extent)
{
    MPI_Datatype type;
    MPI_Type_create_struct(2, (int[]){1, 1}, (MPI_Aint[]){0, second},
                           (MPI_Datatype[]){MPI_DOUBLE, MPI_INT}, &type);
    return resize(type, lb, extent);
}

static MPI_Datatype record_c(void) { return make_record((MPI_Aint[]){0, 8, 16}, 0, 24); }
static MPI_Datatype record_packed(void) { return make_record((MPI_Aint[]){0, 4, 12}, 0, 15); }
static MPI_Datatype record_back(void) { return make_record((MPI_Aint[]){24, 8, -3}, -8, 48); }
static MPI_Datatype pair_mpi(void)
{
    MPI_Datatype type;
    MPI_Type_dup(MPI_DOUBLE_INT, &type);
    return type;
}
static MPI_Datatype pair_packed(void) { return make_pair(8, 0, 12); }
static MPI_Datatype pair_back(void) { return make_pair(-8, -16, 32); }

typedef struct {
    const char *family;
    int unit_bytes;
    struct {
        const char *name;
        MPI_Datatype (*make)(void);
    } layout[3];
} record_family;

static const record_family records[] = {
    {"record{int,double,3char}",
     15,
     {{"as in C", record_c}, {"packed", record_packed}, {"backwards", record_back}}},
    {"MPI_DOUBLE_INT",
     12,
     {{"predefined", pair_mpi}, {"packed", pair_packed}, {"backwards", pair_back}}},
};
enum { NRECORDS = sizeof records / sizeof *records };

/* ---- both kinds of family ---- */

int t_families(void) { return NBASIC + NRECORDS; }

static const record_family *record_of(int family)
{
    return family >= NBASIC ? &records[family - NBASIC] : NULL;
}

bool t_is_record(int family) { return record_of(family) != NULL; }

const char *t_family_name(int family)
{
    return family >= NBASIC ? record_of(family)->family : basic_names[family].name;
}

int t_layouts(int family)
{
    return family >= NBASIC ? 3 : (int)(sizeof basic_layouts / sizeof *basic_layouts);
}

const char *t_layout_name(int family, int layout)
{
    const record_family *rec = record_of(family);
    return rec ? rec->layout[layout].name : basic_layouts[layout].name;
}

int t_unit_bytes(int family, bool plain)
{
    int size;
    if (family >= NBASIC)
        return record_of(family)->unit_bytes;
    MPI_Type_size(basic_type(family), &size);
    return plain ? size : 6 * size;
}

int t_value_bytes(int family)
{
    const bool padded = LDBL_MANT_DIG == 64; /* x87: 10 of 12 or 16 bytes */
    return padded && strstr(t_family_name(family), "LONG_DOUBLE") ? 10 : 0;
}

int t_elements(int family, int layout, bool plain)
{
    return family >= NBASIC || plain ? 1 : basic_layouts[layout].per_unit;
}

MPI_Datatype t_layout_make(int family, int layout, bool plain, int capacity)
{
    MPI_Datatype type;
    const record_family *rec = record_of(family);
    if (!rec && plain)
        return basic_type(family);
    if (rec) {
        type = rec->layout[plain ? 0 : layout].make();
    } else {
        const MPI_Datatype base = basic_type(family);
        int size;
        MPI_Type_size(base, &size);
        type = basic_layouts[layout].make(base, size, capacity);
    }
    MPI_Type_commit(&type);
    return type;
}
