/* tables.c - communicators, types and call sites, by handle or address. */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "interpose/job.h"
#include "tracer/recent.h"

static const atn_traced_comm no_comm = {.number = -1, .r = -1};
static const atn_traced_type no_type = {.number = -1};

/* ---- communicators ---- */

/* Returns the number of processes, or -1. */
static int comm_ranks(MPI_Comm comm, bool remote, int **ranks_p)
{
    MPI_Group group;
    if ((remote ? PMPI_Comm_remote_group : PMPI_Comm_group)(comm, &group) != MPI_SUCCESS) {
        *ranks_p = NULL;
        return -1;
    }
    int n;
    *ranks_p = atn_interpose_group_world_ranks(group, &n);
    PMPI_Group_free(&group);
    return *ranks_p != NULL ? n : -1;
}

/* A hash of the group (for an intercommunicator of both, in any order) and of the number of earlier
 * communicators of that group. */
static uint64_t identity(const atn_traced_comm *c, const int *other, int nother)
{
    uint64_t group = atn_hash(c->world, (size_t)c->n * sizeof(int), (uint64_t)c->inter);
    if (c->inter)
        group += atn_hash(other, (size_t)nother * sizeof(int), 1);
    const int64_t before = atn_trace_handles_get(&atn_tracer_rec.group_of, group);
    const uint32_t count = before < 0 ? 0 : (uint32_t)before + 1;
    atn_trace_handles_set(&atn_tracer_rec.group_of, group, count);
    return atn_hash(&count, sizeof count, group);
}

/* Blocks that neighbourhood collectives send and receive. */
static void count_neighbours(MPI_Comm comm, atn_traced_comm *c)
{
    int kind = MPI_UNDEFINED, n = 0, weighted;
    PMPI_Topo_test(comm, &kind);
    if (kind == MPI_DIST_GRAPH) {
        PMPI_Dist_graph_neighbors_count(comm, &c->sources, &c->targets, &weighted);
        return;
    }
    if (kind == MPI_CART) {
        PMPI_Cartdim_get(comm, &n);
        n *= 2;
    } else if (kind == MPI_GRAPH) {
        PMPI_Graph_neighbors_count(comm, c->r, &n);
    }
    c->sources = c->targets = n;
}

static bool describe_comm(MPI_Comm comm, atn_traced_comm *c, uint64_t *id_p)
{
    int inter = 0, *local = NULL;
    if (PMPI_Comm_test_inter(comm, &inter) != MPI_SUCCESS)
        return false;
    *c = (atn_traced_comm){.number = atn_tracer_rec.comms.n, .inter = inter != 0};
    PMPI_Comm_rank(comm, &c->r);
    PMPI_Comm_size(comm, &c->p);
    c->n = comm_ranks(comm, inter != 0, &c->world);
    const int n = inter ? comm_ranks(comm, false, &local) : 0;
    const bool ok = c->n >= 0 && n >= 0;
    if (ok && !inter)
        count_neighbours(comm, c);
    if (ok)
        *id_p = identity(c, local, n);
    else
        free(c->world);
    free(local);
    return ok;
}

static const atn_traced_comm *new_comm(MPI_Comm comm)
{
    atn_traced_comm c;
    uint64_t id;
    if (!describe_comm(comm, &c, &id))
        return &no_comm;
    if (!atn_push(&atn_tracer_rec.comms, c)) {
        free(c.world);
        return &no_comm;
    }
    atn_trace_handles_set(&atn_tracer_rec.comm_of, ATN_KEY(comm), (uint32_t)c.number);
    atn_trace_define_comm(atn_tracer_rec.writer, c.number, id, c.p, c.r,
                          c.r == 0 && !c.inter ? c.world : NULL);
    return &atn_tracer_rec.comms.v[c.number];
}

const atn_traced_comm *atn_tracer_find_comm(MPI_Comm comm)
{
    const int64_t at = atn_trace_handles_get(&atn_tracer_rec.comm_of, ATN_KEY(comm));
    if (ATN_LIKELY(at >= 0))
        return &atn_tracer_rec.comms.v[at];
    return comm != MPI_COMM_NULL ? new_comm(comm) : &no_comm;
}

const atn_traced_comm *atn_tracer_comm_at(int number)
{
    return number >= 0 ? &atn_tracer_rec.comms.v[number] : &no_comm;
}

void atn_tracer_add_comm(MPI_Comm comm)
{
    if (comm == MPI_COMM_NULL)
        return;
    atn_tracer_lock();
    new_comm(comm);
    atn_tracer_unlock();
}

void atn_tracer_remove_comm(MPI_Comm comm)
{
    atn_tracer_lock();
    atn_trace_handles_remove(&atn_tracer_rec.comm_of, ATN_KEY(comm));
    atn_tracer_rec.cursor->epoch++;
    atn_tracer_unlock();
}

int atn_tracer_partner(const atn_traced_comm *c, int rank)
{
    if (rank == MPI_ANY_SOURCE)
        return ATN_TRACE_ANY;
    if (rank == MPI_PROC_NULL)
        return ATN_TRACE_NULL;
    if (rank < 0 || rank >= c->n)
        return ATN_TRACE_NO_RANK;
    return c->world[rank] == MPI_UNDEFINED ? ATN_TRACE_FOREIGN : c->world[rank];
}

/* ---- types ---- */

static bool is_predefined(MPI_Datatype type)
{
    int n, combiner = MPI_COMBINER_NAMED + 1;
    return PMPI_Type_get_envelope(type, &n, &n, &n, &combiner) == MPI_SUCCESS &&
           combiner == MPI_COMBINER_NAMED;
}

/* A trace describes a type by its name and size, so programs that create types for every call need
 * only as many numbers as there are different descriptions. */
static int number_type(int64_t bytes, const char *name)
{
    const uint64_t key = atn_hash(name, strlen(name), (uint64_t)bytes);
    const int64_t before = atn_trace_handles_get(&atn_tracer_rec.number_of_type, key);
    if (before >= 0)
        return (int)before;
    const int number = (int)atn_tracer_rec.number_of_type.n;
    if (!atn_trace_handles_set(&atn_tracer_rec.number_of_type, key, (uint32_t)number))
        return -1;
    char own[32];
    if (*name == '\0')
        snprintf(own, sizeof own, "derived %d", ++atn_tracer_rec.derived);
    atn_trace_define_type(atn_tracer_rec.writer, number, bytes, *name != '\0' ? name : own);
    return number;
}

static atn_traced_type describe_type(MPI_Datatype type)
{
    char name[MPI_MAX_OBJECT_NAME + 1] = "";
    int size = 0, length = 0;
    if (PMPI_Type_size(type, &size) != MPI_SUCCESS)
        return no_type;
    PMPI_Type_get_name(type, name, &length);
    return (atn_traced_type){
        .number = number_type(size, name), .since = atn_tracer_rec.types_freed, .bytes = size};
}

static const atn_traced_type *add_type(MPI_Datatype type)
{
    if (type == MPI_DATATYPE_NULL)
        return &no_type;
    atn_traced_type t = describe_type(type);
    t.predefined = is_predefined(type);
    if (t.number < 0 || !atn_push(&atn_tracer_rec.types, t))
        return &no_type;
    const int at = atn_tracer_rec.types.n - 1;
    atn_trace_handles_set(&atn_tracer_rec.type_of, ATN_KEY(type), (uint32_t)at);
    return &atn_tracer_rec.types.v[at];
}

/* The handle was freed.  If it has the same description again, entries of recent calls stay
 * valid. */
static const atn_traced_type *update_type(MPI_Datatype type, atn_traced_type *before)
{
    atn_traced_type t = describe_type(type);
    if (t.number == before->number)
        t.since = before->since;
    *before = t;
    return before;
}

const atn_traced_type *atn_tracer_find_type(MPI_Datatype type)
{
    const int64_t at = atn_trace_handles_get(&atn_tracer_rec.type_of, ATN_KEY(type));
    if (ATN_RARELY(at < 0))
        return add_type(type);
    atn_traced_type *const t = &atn_tracer_rec.types.v[at];
    return ATN_LIKELY(!t->freed) ? t : update_type(type, t);
}

/* Recent calls with other types stay valid. */
void atn_tracer_remove_type(MPI_Datatype type)
{
    atn_tracer_lock();
    const int64_t at = atn_trace_handles_get(&atn_tracer_rec.type_of, ATN_KEY(type));
    if (at >= 0) {
        atn_tracer_rec.types.v[at].freed = true;
        atn_tracer_rec.types_freed += atn_tracer_rec.types_freed != UINT32_MAX ? 1 : 2;
    }
    atn_tracer_unlock();
}

/* ---- call sites ---- */

static int find_module(const char *path)
{
    for (int i = 0; i < atn_tracer_rec.modules.n; i++)
        if (strcmp(atn_tracer_rec.modules.v[i], path) == 0)
            return i;
    char *const copy = strdup(path);
    if (copy == NULL || !atn_push(&atn_tracer_rec.modules, copy)) {
        free(copy);
        return -1;
    }
    atn_trace_define_module(atn_tracer_rec.writer, atn_tracer_rec.modules.n - 1, path);
    return atn_tracer_rec.modules.n - 1;
}

int atn_tracer_find_site(const void *address)
{
    const int64_t at = atn_trace_handles_get(&atn_tracer_rec.site_of, ATN_KEY(address));
    if (ATN_LIKELY(at >= 0))
        return (int)at;
    Dl_info info = {0};
    const bool found = dladdr(address, &info) != 0 && info.dli_fname != NULL;
    const int module = found ? find_module(info.dli_fname) : -1;
    const uintptr_t base = found ? (uintptr_t)info.dli_fbase : 0;
    if (!atn_trace_handles_set(&atn_tracer_rec.site_of, ATN_KEY(address),
                               (uint32_t)atn_tracer_rec.sites))
        return -1;
    atn_trace_define_site(atn_tracer_rec.writer, atn_tracer_rec.sites, module,
                          (uintptr_t)address - base);
    return atn_tracer_rec.sites++;
}

void atn_tracer_tables_free(void)
{
    for (int i = 0; i < atn_tracer_rec.comms.n; i++)
        free(atn_tracer_rec.comms.v[i].world);
    for (int i = 0; i < atn_tracer_rec.modules.n; i++)
        free((char *)atn_tracer_rec.modules.v[i]);
    atn_vec_free(&atn_tracer_rec.comms);
    atn_vec_free(&atn_tracer_rec.types);
    atn_vec_free(&atn_tracer_rec.requests);
    atn_vec_free(&atn_tracer_rec.modules);
    atn_trace_handles_free(&atn_tracer_rec.comm_of);
    atn_trace_handles_free(&atn_tracer_rec.type_of);
    atn_trace_handles_free(&atn_tracer_rec.site_of);
    atn_trace_handles_free(&atn_tracer_rec.request_of);
    atn_trace_handles_free(&atn_tracer_rec.group_of);
    atn_trace_handles_free(&atn_tracer_rec.comm_of_window);
    atn_trace_handles_free(&atn_tracer_rec.comm_of_file);
    atn_trace_handles_free(&atn_tracer_rec.message_of);
    atn_trace_handles_free(&atn_tracer_rec.number_of_type);
    atn_tracer_rec.sites = atn_tracer_rec.derived = 0;
    atn_tracer_rec.free_request = 0;
    atn_tracer_rec.anys = 0;
    memset(atn_tracer_recent, 0, sizeof atn_tracer_recent);
}
