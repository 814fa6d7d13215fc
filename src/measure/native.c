/* native.c - see native.h. */
#include "measure/native.h"

#include <dlfcn.h>

#define EXPAND(...) __VA_ARGS__

/* The arguments by which the rows of native.def refer to a caller. */
#define TAKE_ARGUMENTS(c)                                                                          \
    const MPI_Datatype t = (c)->call.dst.type;                                                     \
    const int own = (int)(c)->call.src.count, n = (int)(c)->call.dst.count;                        \
    const atn_counts *const from = &(c)->from, *const to = &(c)->to;                               \
    char *const src = (c)->src, *const dst = (c)->dst;                                             \
    const MPI_Comm comm = MPI_COMM_WORLD

int atn_measure_native_call(const atn_caller *c)
{
    TAKE_ARGUMENTS(c);
    switch (c->q.op) {
#define NATIVE(id, Name, name, types, arguments)                                                   \
    case ATN_##id:                                                                                 \
        return MPI_##Name(EXPAND arguments comm);
#include "measure/native.def"
#undef NATIVE
    default:
        return MPI_ERR_OTHER;
    }
}

int atn_measure_native_start(const atn_caller *c, MPI_Request *request_p)
{
    TAKE_ARGUMENTS(c);
    switch (c->q.op) {
#define NATIVE(id, Name, name, types, arguments)                                                   \
    case ATN_##id:                                                                                 \
        return MPI_I##name(EXPAND arguments comm, request_p);
#include "measure/native.def"
#undef NATIVE
    default:
        return MPI_ERR_OTHER;
    }
}

/* ---- persistent ---- */

/* Types of the arguments, shared by rows of native.def. */
#define NATIVE_SIDE     const void *, int, MPI_Datatype
#define NATIVE_TO_SIDE  void *, int, MPI_Datatype
#define NATIVE_LISTS    const void *, const int *, const int *, MPI_Datatype
#define NATIVE_TO_LISTS void *, const int *, const int *, MPI_Datatype
#define NATIVE_OPERANDS const void *, void *, int, MPI_Datatype

static void *find(const char *standard, const char *extension)
{
    void *const f = dlsym(RTLD_DEFAULT, standard);
    return f != NULL ? f : dlsym(RTLD_DEFAULT, extension);
}

static void *find_init(atn_operation op)
{
    switch (op) {
#define NATIVE(id, Name, name, types, arguments)                                                   \
    case ATN_##id:                                                                                 \
        return find("MPI_" #Name "_init", "MPIX_" #Name "_init");
#include "measure/native.def"
#undef NATIVE
    default:
        return NULL;
    }
}

bool atn_measure_native_persists(atn_operation op) { return find_init(op) != NULL; }

int atn_measure_native_init(const atn_caller *c, MPI_Request *request_p)
{
    TAKE_ARGUMENTS(c);
    void *const found = find_init(c->q.op);
    if (found == NULL)
        return MPI_ERR_OTHER;
    switch (c->q.op) {
#define NATIVE(id, Name, name, types, arguments)                                                   \
    case ATN_##id: {                                                                               \
        int (*init)(EXPAND types MPI_Comm, MPI_Info, MPI_Request *);                               \
        *(void **)&init = found;                                                                   \
        return init(EXPAND arguments comm, MPI_INFO_NULL, request_p);                              \
    }
#include "measure/native.def"
#undef NATIVE
    default:
        return MPI_ERR_OTHER;
    }
}
