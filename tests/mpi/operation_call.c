#include "operation_call.h"

#include <stdlib.h>

/* ---- forms ---- */

bool t_form_exists(t_form form)
{
#ifndef T_INIT
    if (t_form_persists(form))
        return false;
#endif
    return form < T_NONBLOCKING_LARGE || MPI_VERSION >= 4;
}

bool t_form_persists(t_form form) { return form == T_PERSISTENT || form == T_PERSISTENT_LARGE; }

const char *t_form_name(t_form form)
{
    static const char *const names[T_FORMS] = {"blocking", "nonblocking", "persistent",
                                               "nonblocking with large counts",
                                               "persistent with large counts"};
    return names[form];
}

bool t_kind_served(int kind, MPI_Comm comm)
{
    int p;
    MPI_Comm_size(comm, &p);
    return getenv("TEST_SERVED") && p > 1 && kind < T_WITHOUT_TOPOLOGY;
}

bool t_kind_persists(int kind, bool served)
{
    const bool wrong = kind == T_GATHER || kind == T_SCATTER || kind == T_ALLGATHER;
    return t_form_exists(T_PERSISTENT) && (T_OPEN_MPI || served || !wrong);
}

/* ---- calls ---- */

#ifdef T_INIT
#define PERSISTENT_FORM(Name, ...)                                                                 \
    case T_PERSISTENT:                                                                             \
        return T_INIT(Name)(__VA_ARGS__, MPI_INFO_NULL, request);
#else
#define PERSISTENT_FORM(Name, ...)
#endif

#define FORMS(Name, name, ...)                                                                     \
    case T_BLOCKING:                                                                               \
        return MPI_##Name(__VA_ARGS__);                                                            \
    case T_NONBLOCKING:                                                                            \
        return MPI_I##name(__VA_ARGS__, request);                                                  \
        PERSISTENT_FORM(Name, __VA_ARGS__)

#if MPI_VERSION >= 4
#define LARGE_FORMS(Name, name, ...)                                                               \
    case T_NONBLOCKING_LARGE:                                                                      \
        return MPI_I##name##_c(__VA_ARGS__, request);                                              \
    case T_PERSISTENT_LARGE:                                                                       \
        return MPI_##Name##_init_c(__VA_ARGS__, MPI_INFO_NULL, request);
#else
#define LARGE_FORMS(Name, name, ...)
#endif

/* Calls whose counts are not in arrays: the same arguments in all forms. */
#define ALL_FORMS(Name, name, ...)                                                                 \
    switch (form) {                                                                                \
        FORMS(Name, name, __VA_ARGS__)                                                             \
        LARGE_FORMS(Name, name, __VA_ARGS__)                                                       \
    default:                                                                                       \
        return MPI_ERR_OTHER;                                                                      \
    }

static int call_move(int kind, const t_arguments *a, t_form form, MPI_Request *request)
{
    const int n = a->count;
    switch (kind) {
    case T_BCAST:
        ALL_FORMS(Bcast, bcast, a->receive, n, a->type, a->root, a->comm)
    case T_GATHER:
        ALL_FORMS(Gather, gather, a->send, n, a->type, a->receive, n, a->type, a->root, a->comm)
    case T_SCATTER:
        ALL_FORMS(Scatter, scatter, a->send, n, a->type, a->receive, n, a->type, a->root, a->comm)
    case T_ALLGATHER:
        ALL_FORMS(Allgather, allgather, a->send, n, a->type, a->receive, n, a->type, a->comm)
    case T_ALLTOALL:
        ALL_FORMS(Alltoall, alltoall, a->send, n, a->type, a->receive, n, a->type, a->comm)
    case T_NEIGHBOR_ALLGATHER:
        ALL_FORMS(Neighbor_allgather, neighbor_allgather, a->send, n, a->type, a->receive, n,
                  a->type, a->comm)
    case T_NEIGHBOR_ALLTOALL:
        ALL_FORMS(Neighbor_alltoall, neighbor_alltoall, a->send, n, a->type, a->receive, n, a->type,
                  a->comm)
    default:
        return MPI_ERR_OTHER;
    }
}

static int call_barrier(const t_arguments *a, t_form form, MPI_Request *request)
{
    switch (form) {
    case T_NONBLOCKING_LARGE:
        form = T_NONBLOCKING;
        break; /* a barrier has no count */
    case T_PERSISTENT_LARGE:
        form = T_PERSISTENT;
        break;
    default:
        break;
    }
    switch (form) {
        FORMS(Barrier, barrier, a->comm)
    default:
        return MPI_ERR_OTHER;
    }
}

static int call_reduction(int kind, const t_arguments *a, t_form form, MPI_Request *request)
{
    const int n = a->count;
    switch (kind) {
    case T_REDUCE:
        ALL_FORMS(Reduce, reduce, a->send, a->receive, n, a->type, a->op, a->root, a->comm)
    case T_ALLREDUCE:
        ALL_FORMS(Allreduce, allreduce, a->send, a->receive, n, a->type, a->op, a->comm)
    case T_REDUCE_SCATTER_BLOCK:
        ALL_FORMS(Reduce_scatter_block, reduce_scatter_block, a->send, a->receive, n, a->type,
                  a->op, a->comm)
    case T_SCAN:
        ALL_FORMS(Scan, scan, a->send, a->receive, n, a->type, a->op, a->comm)
    case T_EXSCAN:
        ALL_FORMS(Exscan, exscan, a->send, a->receive, n, a->type, a->op, a->comm)
    default:
        return MPI_ERR_OTHER;
    }
}

/* Calls with arrays of counts: the arrays of the large forms have other types. */
#define SENDS_ARRAYS(l)          a->send, (l)->counts, (l)->displs, a->type
#define RECEIVES_ARRAYS(l)       a->receive, (l)->counts, (l)->displs, a->type
#define SENDS_LARGE(l)           a->send, (l)->large_counts, (l)->large_displs, a->type
#define RECEIVES_LARGE(l)        a->receive, (l)->large_counts, (l)->large_displs, a->type
#define TYPED(buffer, l)         buffer, (l)->counts, (l)->byte_displs, (l)->types
#define TYPED_ADDRESS(buffer, l) buffer, (l)->counts, (l)->large_byte_displs, (l)->types
#define TYPED_LARGE(buffer, l)   buffer, (l)->large_counts, (l)->large_byte_displs, (l)->types

#define ARRAY_FORMS(Name, name, SHORT, LARGE)                                                      \
    switch (form) {                                                                                \
        FORMS(Name, name, SHORT)                                                                   \
        LARGE_FORMS(Name, name, LARGE)                                                             \
    default:                                                                                       \
        return MPI_ERR_OTHER;                                                                      \
    }
#define LIST(...) __VA_ARGS__

static int call_parts(int kind, const t_arguments *a, t_form form, MPI_Request *request)
{
    const int n = a->count;
    const t_layout *const to = a->to, *const from = a->from;
    switch (kind) {
    case T_GATHERV:
        ARRAY_FORMS(Gatherv, gatherv,
                    LIST(a->send, n, a->type, RECEIVES_ARRAYS(to), a->root, a->comm),
                    LIST(a->send, n, a->type, RECEIVES_LARGE(to), a->root, a->comm))
    case T_SCATTERV:
        ARRAY_FORMS(Scatterv, scatterv,
                    LIST(SENDS_ARRAYS(from), a->receive, n, a->type, a->root, a->comm),
                    LIST(SENDS_LARGE(from), a->receive, n, a->type, a->root, a->comm))
    case T_ALLGATHERV:
        ARRAY_FORMS(Allgatherv, allgatherv, LIST(a->send, n, a->type, RECEIVES_ARRAYS(to), a->comm),
                    LIST(a->send, n, a->type, RECEIVES_LARGE(to), a->comm))
    case T_REDUCE_SCATTER:
        ARRAY_FORMS(Reduce_scatter, reduce_scatter,
                    LIST(a->send, a->receive, from->counts, a->type, a->op, a->comm),
                    LIST(a->send, a->receive, from->large_counts, a->type, a->op, a->comm))
    case T_NEIGHBOR_ALLGATHERV:
        ARRAY_FORMS(Neighbor_allgatherv, neighbor_allgatherv,
                    LIST(a->send, n, a->type, RECEIVES_ARRAYS(to), a->comm),
                    LIST(a->send, n, a->type, RECEIVES_LARGE(to), a->comm))
    default:
        return MPI_ERR_OTHER;
    }
}

static int call_exchange(int kind, const t_arguments *a, t_form form, MPI_Request *request)
{
    const t_layout *const to = a->to, *const from = a->from;
    switch (kind) {
    case T_ALLTOALLV:
        ARRAY_FORMS(Alltoallv, alltoallv, LIST(SENDS_ARRAYS(from), RECEIVES_ARRAYS(to), a->comm),
                    LIST(SENDS_LARGE(from), RECEIVES_LARGE(to), a->comm))
    case T_ALLTOALLW:
        ARRAY_FORMS(Alltoallw, alltoallw,
                    LIST(TYPED(a->send, from), TYPED(a->receive, to), a->comm),
                    LIST(TYPED_LARGE(a->send, from), TYPED_LARGE(a->receive, to), a->comm))
    case T_NEIGHBOR_ALLTOALLV:
        ARRAY_FORMS(Neighbor_alltoallv, neighbor_alltoallv,
                    LIST(SENDS_ARRAYS(from), RECEIVES_ARRAYS(to), a->comm),
                    LIST(SENDS_LARGE(from), RECEIVES_LARGE(to), a->comm))
    case T_NEIGHBOR_ALLTOALLW:
        ARRAY_FORMS(Neighbor_alltoallw, neighbor_alltoallw,
                    LIST(TYPED_ADDRESS(a->send, from), TYPED_ADDRESS(a->receive, to), a->comm),
                    LIST(TYPED_LARGE(a->send, from), TYPED_LARGE(a->receive, to), a->comm))
    default:
        return MPI_ERR_OTHER;
    }
}

int t_call(int kind, const t_arguments *a, t_form form, MPI_Request *request)
{
    switch (kind) {
    case T_BARRIER:
        return call_barrier(a, form, request);
    case T_BCAST:
    case T_GATHER:
    case T_SCATTER:
    case T_ALLGATHER:
    case T_ALLTOALL:
    case T_NEIGHBOR_ALLGATHER:
    case T_NEIGHBOR_ALLTOALL:
        return call_move(kind, a, form, request);
    case T_GATHERV:
    case T_SCATTERV:
    case T_ALLGATHERV:
    case T_REDUCE_SCATTER:
    case T_NEIGHBOR_ALLGATHERV:
        return call_parts(kind, a, form, request);
    case T_ALLTOALLV:
    case T_ALLTOALLW:
    case T_NEIGHBOR_ALLTOALLV:
    case T_NEIGHBOR_ALLTOALLW:
        return call_exchange(kind, a, form, request);
    default:
        return call_reduction(kind, a, form, request);
    }
}
