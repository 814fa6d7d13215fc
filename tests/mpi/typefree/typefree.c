/* typefree.c - preloaded into long jobs of MPICH: frees what MPICH 4.0 forgets.
 *
 * MPI_Type_free leaves the type of UCX if its address, cut to 32 bits, is negative.  The address
 * of MPICH's own object is used again for a later type; then the earlier one is destroyed. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>

typedef signed char status; /* ucs_status_t is packed */
typedef status create(const void *operations, void *object, uint64_t *type_p);
typedef void destroy(uint64_t type);

enum { OBJECTS = 4096 };
static struct {
    void *object;
    uint64_t type;
} kept[OBJECTS];

static void keep(void *object, uint64_t type)
{
    size_t i = ((uintptr_t)object >> 4) % OBJECTS;
    for (int tried = 0; kept[i].object != NULL && kept[i].object != object; tried++) {
        if (tried == OBJECTS)
            abort();
        i = (i + 1) % OBJECTS;
    }
    if (kept[i].type != 0)
        ((destroy *)(uintptr_t)dlsym(RTLD_DEFAULT, "ucp_dt_destroy"))(kept[i].type);
    kept[i].object = object;
    kept[i].type = (int32_t)type < 0 ? type : 0; /* others are freed in time */
}

status ucp_dt_create_generic(const void *operations, void *object, uint64_t *type_p)
{
    create *const real = (create *)(uintptr_t)dlsym(RTLD_NEXT, "ucp_dt_create_generic");
    const status st = real(operations, object, type_p);
    if (st == 0)
        keep(object, *type_p);
    return st;
}
