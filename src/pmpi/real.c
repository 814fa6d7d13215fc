/* real.c - see real.h. */
#include "pmpi/real.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

_Atomic uint64_t atn_pmpi_work, atn_detours = ATN_GATE_EPOCH - 1;
_Atomic uint64_t atn_pmpi_gate = ATN_GATE_EPOCH - 1;
_Atomic uint64_t atn_pmpi_requests_gate = ATN_REQUESTS_TOOL;
atn_routines atn_pmpi_tool;

static uint64_t tools; /* detour bits of the operations that a tool wraps */
static void *mpi_handle, *used_base, *linked_base;

/* The initial targets of atn_pmpi_real. */
static void missing(const char *name)
{
    fprintf(stderr, "attune: the MPI library has no PMPI_%s; cannot go on\n", name);
    abort();
}

#define FIRST(name, formals, actuals)                                                              \
    static int ATN_GLUE(first_, name) formals                                                      \
    {                                                                                              \
        atn_pmpi_resolve();                                                                        \
        if (atn_pmpi_real.name == ATN_GLUE(first_, name))                                          \
            missing(ATN_TEXT(name));                                                               \
        return atn_pmpi_real.name actuals;                                                         \
    }
#define ATN_CALL(name, id, formals, actuals, ...)                                                  \
    FIRST(name, formals, actuals)                                                                  \
    FIRST(ATN_NONBLOCKING_##name, ATN_I_FORMALS(formals), ATN_I_ACTUALS(actuals))                  \
    ATN_IF_PERSISTENT(                                                                             \
        FIRST(ATN_PERSISTENT_##name, ATN_INIT_FORMALS(formals), ATN_INIT_ACTUALS(actuals)))
#define ATN_CONTROL(name, formals, actuals) FIRST(name, formals, actuals)
#include "interpose/calls.def"

#define INITIAL(name) .name = ATN_GLUE(first_, name),
atn_routines atn_pmpi_real = {
#define ATN_CALL(name, id, formals, actuals, ...)                                                  \
    INITIAL(name)                                                                                  \
    INITIAL(ATN_NONBLOCKING_##name) ATN_IF_PERSISTENT(INITIAL(ATN_PERSISTENT_##name))
#define ATN_CONTROL(name, formals, actuals) INITIAL(name)
#include "interpose/calls.def"
};

static void *base_of(const void *address, const char **file_p)
{
    Dl_info info;
    if (address == NULL || dladdr(address, &info) == 0)
        return NULL;
    if (file_p != NULL)
        *file_p = info.dli_fname;
    return info.dli_fbase;
}

/* A symbol of the MPI library that is not interposed, looked up in our own dependencies. */
static void *linked_symbol(const char *name)
{
    const char *self = NULL;
    if (base_of((const void *)&atn_pmpi_real, &self) == NULL)
        return NULL;
    void *const handle = dlopen(self, RTLD_LAZY | RTLD_NOLOAD);
    return handle != NULL ? dlsym(handle, name) : NULL;
}

static const char *const landmark = "PMPI_Get_library_version";

static const char *used_file = "?", *linked_file = "?";

bool atn_pmpi_same_mpi(const char **used_p, const char **linked_p)
{
    atn_pmpi_resolve();
    *used_p = used_file;
    *linked_p = linked_file;
    return used_base == linked_base;
}

/* The next definition in link order; if Attune was itself loaded late, that of the MPI library. */
static void *next_symbol(const char *name)
{
    void *const next = dlsym(RTLD_NEXT, name);
    return next != NULL || mpi_handle == NULL ? next : dlsym(mpi_handle, name);
}

/* The next MPI_X in link order, unless it is that of the MPI library.  This usual case is tested
 * first: to find the library of an address, the dynamic linker searches all its symbols. */
static void *tool_symbol(const char *name)
{
    void *const next = dlsym(RTLD_NEXT, name);
    if (next == NULL || (mpi_handle != NULL && next == dlsym(mpi_handle, name)))
        return NULL;
    const void *const base = base_of(next, NULL);
    const bool ours = base == base_of((const void *)&atn_pmpi_real, NULL);
    return ours || base == used_base || base == linked_base ? NULL : next;
}

/* Does not change the epoch. */
static void set_gate(void)
{
    const uint64_t bits = atomic_load(&atn_pmpi_work) | atomic_load(&atn_detours);
    uint64_t gate = atomic_load(&atn_pmpi_gate);
    while (!atomic_compare_exchange_weak(&atn_pmpi_gate, &gate, (gate & -ATN_GATE_EPOCH) | bits))
        ;
}

/* Routines that start or complete requests have one bit for all tools. */
static void set_requests_gate(void)
{
    bool any = false;
#define ATN_COMPLETION(name, formals, actuals) any = any || atn_pmpi_tool.name != NULL;
#define ATN_START(name, formals, actuals)      ATN_COMPLETION(name, formals, actuals)
#include "interpose/calls.def"
    if (!any)
        atomic_fetch_and(&atn_pmpi_requests_gate, ~ATN_REQUESTS_TOOL);
}

static void resolve_once(void)
{
    linked_base = base_of(linked_symbol(landmark), &linked_file);
    mpi_handle = linked_base != NULL ? dlopen(linked_file, RTLD_LAZY | RTLD_NOLOAD) : NULL;
    used_base = base_of(next_symbol(landmark), &used_file);
    void *found;
#define RESOLVE(mpi, pmpi, name)                                                                   \
    if ((found = next_symbol(ATN_TEXT(pmpi) ATN_TEXT(name))) != NULL)                              \
        *(void **)&atn_pmpi_real.name = found;                                                     \
    *(void **)&atn_pmpi_tool.name = tool_symbol(ATN_TEXT(mpi) ATN_TEXT(name));
#define ATN_CONTROL(name, formals, actuals) RESOLVE(MPI_, PMPI_, name)
#define ATN_CALL(name, id, formals, actuals, ...)                                                  \
    RESOLVE(MPI_, PMPI_, name)                                                                     \
    if (atn_pmpi_tool.name != NULL)                                                                \
        tools |= ATN_BIT(ATN_##id);                                                                \
    RESOLVE(MPI_, PMPI_, ATN_NONBLOCKING_##name)                                                   \
    ATN_IF_PERSISTENT(RESOLVE(ATN_PERSISTENT_MPI, ATN_PERSISTENT_PMPI, ATN_PERSISTENT_##name))
#include "interpose/calls.def"
    atomic_store(&atn_detours, tools);
    set_gate();
    set_requests_gate();
}

/* Early, because the handles of a wrong MPI have another size: only calls that are forwarded
 * unchanged keep their arguments. */
__attribute__((constructor)) void atn_pmpi_resolve(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, resolve_once);
}

void atn_pmpi_set_work(uint32_t operations)
{
    atn_pmpi_resolve();
    atomic_store(&atn_pmpi_work, operations);
    set_gate();
}

void atn_pmpi_next_epoch(void) { atomic_fetch_add(&atn_pmpi_gate, ATN_GATE_EPOCH); }
