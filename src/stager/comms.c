/* comms.c - see comms.h.  The data of a communicator is an attribute of it, and freed with it. */
#include "stager/comms.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "interpose/job.h"
#include "stager/message.h"

static int keyval = MPI_KEYVAL_INVALID;
static atn_stager_comm *all;
static int64_t ids;
static struct {
    MPI_Comm comm;
    atn_stager_comm *data;
} last; /* result of the last search */

static void free_data(atn_stager_comm *c)
{
    atn_stager_comm **at = &all;
    while (*at != c)
        at = &(*at)->next;
    *at = c->next;
    free(c->world);
    free(c);
}

void atn_stager_comm_release(atn_stager_comm *c)
{
    if (--c->persistent_receives == 0 && c->comm == MPI_COMM_NULL)
        free_data(c);
}

/* The communicator is freed, and with it messages that were never received. */
static int on_comm_free(MPI_Comm comm, int key, void *value, void *extra)
{
    (void)comm, (void)key, (void)extra;
    atn_stager_comm *const c = value;
    while (c->queue.first != NULL) {
        atn_staged *const m = c->queue.first;
        atn_predict_staging_take(&c->queue, m);
        atn_stager_staged_free((atn_staged_message *)m);
    }
    last.data = NULL;
    c->comm = MPI_COMM_NULL;
    if (c->persistent_receives == 0)
        free_data(c);
    return MPI_SUCCESS;
}

bool atn_stager_comms_init(void)
{
    return PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, on_comm_free, &keyval, NULL) ==
           MPI_SUCCESS;
}

/* Whether Attune or the MPI library made the call: communication of the application is predicted,
 * not theirs. */
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

/* NULL where a process is not in MPI_COMM_WORLD. */
static int *world_ranks(MPI_Comm comm)
{
    MPI_Group group;
    int n;
    PMPI_Comm_group(comm, &group);
    int *const ranks = atn_interpose_group_world_ranks(group, &n);
    PMPI_Group_free(&group);
    for (int i = 0; ranks != NULL && i < n; i++)
        if (ranks[i] == MPI_UNDEFINED) {
            free(ranks);
            return NULL;
        }
    return ranks;
}

static atn_stager_comm *add(MPI_Comm comm, const void *from)
{
    atn_stager_comm *const c = calloc(1, sizeof *c);
    int inter = 0;
    if (c == NULL || PMPI_Comm_test_inter(comm, &inter) != MPI_SUCCESS) {
        free(c);
        return NULL;
    }
    c->comm = comm;
    c->id = ids++;
    c->foreign = is_foreign(comm, from);
    PMPI_Comm_size(comm, &c->p);
    PMPI_Comm_rank(comm, &c->r);
    if (!inter)
        c->world = world_ranks(comm);
    c->next = all;
    all = c;
    if (PMPI_Comm_set_attr(comm, keyval, c) == MPI_SUCCESS)
        return c;
    free_data(c);
    return NULL;
}

atn_stager_comm *atn_stager_comm_find(MPI_Comm comm, const void *from)
{
    void *value = NULL;
    int found = 0;
    if (comm == MPI_COMM_NULL)
        return NULL;
    if (last.data == NULL || last.comm != comm) {
        if (PMPI_Comm_get_attr(comm, keyval, &value, &found) != MPI_SUCCESS)
            return NULL;
        last.data = found ? value : add(comm, from);
        last.comm = comm;
    }
    atn_stager_comm *const c = last.data;
    return c != NULL && c->world != NULL && !c->foreign ? c : NULL;
}

atn_stager_comm *atn_stager_comm_by_id(int64_t id)
{
    atn_stager_comm *c = all;
    while (c != NULL && c->id != id)
        c = c->next;
    return c != NULL && c->comm != MPI_COMM_NULL ? c : NULL;
}
