/* known.c - communicators: what is kept hangs on them as an attribute, so it goes when they go. */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "pmpi/messages/early.h"

static int keyval = MPI_KEYVAL_INVALID;
static atn_known *all;
static int64_t numbers;
static struct {
    MPI_Comm comm;
    atn_known *known;
} last;

static void drop(atn_known *c)
{
    atn_known **at = &all;
    while (*at != c)
        at = &(*at)->next;
    *at = c->next;
    free(c->world);
    free(c);
}

void atn_known_leave(atn_known *c)
{
    if (--c->users == 0 && c->comm == MPI_COMM_NULL)
        drop(c);
}

/* The communicator is freed.  Messages that nobody received go with it. */
static int gone(MPI_Comm comm, int key, void *value, void *extra)
{
    (void)comm, (void)key, (void)extra;
    atn_known *const c = value;
    while (c->queue.first != NULL) {
        atn_staged *const m = c->queue.first;
        atn_staging_take(&c->queue, m);
        atn_early_drop((atn_early_message *)m);
    }
    last.known = NULL;
    c->comm = MPI_COMM_NULL;
    if (c->users == 0)
        drop(c);
    return MPI_SUCCESS;
}

bool atn_known_start(void)
{
    return PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, gone, &keyval, NULL) == MPI_SUCCESS;
}

/* Attune's private communicators, and those of the MPI library: their messages are no habit of the
 * program. */
static bool is_foreign(MPI_Comm comm, const void *from)
{
    Dl_info caller, mpi;
    if (comm == MPI_COMM_WORLD || dladdr(from, &caller) == 0 || caller.dli_fname == NULL)
        return false;
    if (strstr(caller.dli_fname, "/libattune-") != NULL)
        return true;
    return dladdr((void *)(uintptr_t)PMPI_Get_library_version, &mpi) != 0 &&
           mpi.dli_fbase == caller.dli_fbase;
}

/* Its ranks in MPI_COMM_WORLD; NULL where one is not there. */
static int *world_ranks(MPI_Comm comm, int p)
{
    MPI_Group group, world;
    int *const ranks = malloc(2 * (size_t)p * sizeof *ranks), *const own = ranks + p;
    if (ranks == NULL)
        return NULL;
    for (int i = 0; i < p; i++)
        own[i] = i;
    PMPI_Comm_group(comm, &group);
    PMPI_Comm_group(MPI_COMM_WORLD, &world);
    PMPI_Group_translate_ranks(group, p, own, world, ranks);
    PMPI_Group_free(&world);
    PMPI_Group_free(&group);
    for (int i = 0; i < p; i++)
        if (ranks[i] == MPI_UNDEFINED) {
            free(ranks);
            return NULL;
        }
    return ranks;
}

static atn_known *meet(MPI_Comm comm, const void *from)
{
    atn_known *const c = calloc(1, sizeof *c);
    int inter = 0;
    if (c == NULL || PMPI_Comm_test_inter(comm, &inter) != MPI_SUCCESS) {
        free(c);
        return NULL;
    }
    c->comm = comm;
    c->number = numbers++;
    c->foreign = is_foreign(comm, from);
    PMPI_Comm_size(comm, &c->p);
    PMPI_Comm_rank(comm, &c->r);
    if (!inter)
        c->world = world_ranks(comm, c->p);
    c->next = all;
    all = c;
    if (PMPI_Comm_set_attr(comm, keyval, c) == MPI_SUCCESS)
        return c;
    drop(c);
    return NULL;
}

atn_known *atn_known_comm(MPI_Comm comm, const void *from)
{
    void *value = NULL;
    int found = 0;
    if (comm == MPI_COMM_NULL)
        return NULL;
    if (last.known == NULL || last.comm != comm) {
        if (PMPI_Comm_get_attr(comm, keyval, &value, &found) != MPI_SUCCESS)
            return NULL;
        last.known = found ? value : meet(comm, from);
        last.comm = comm;
    }
    atn_known *const c = last.known;
    return c != NULL && c->world != NULL && !c->foreign ? c : NULL;
}

atn_known *atn_known_number(int64_t number)
{
    atn_known *c = all;
    while (c != NULL && c->number != number)
        c = c->next;
    return c != NULL && c->comm != MPI_COMM_NULL ? c : NULL;
}
