/* shared_open.c - finds the ranks of a communicator that share memory, and maps it.
 *
 * Every rank offers a file; the ranks of a host open that of the first of them, and all vote.  A
 * host uses shared memory if each of its ranks could map it, so both sides of a pair agree. */
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "exec/exchange.h"
#include "exec/host.h"
#include "exec/shared.h"
#include "shm/direct.h"

/* Votes of a rank; all ranks of a host must have one for it to count. */
enum { VOTE_MAPPED = 1, VOTE_BELLS = 2, VOTE_DIRECT = 4, VOTE_ALONE = 8 };

typedef struct {
    atn_shared *m;
    atn_shm_offer own, *offers; /* by rank */
    int *votes;
    int p, r, first, n; /* first: lowest rank of this host */
    int64_t direct;     /* see atn_shm_end */
} opening;

static bool has_memory(const opening *o)
{
    return o->m != NULL && o->offers != NULL && o->votes != NULL && o->m->index != NULL;
}

static bool is_here(const opening *o, int rank) { return o->offers[rank].kernel == o->own.kernel; }

/* Numbers the ranks of this host. */
static int number_ranks(opening *o)
{
    int own = 0;
    o->first = o->p;
    for (int i = 0; i < o->p; i++) {
        o->m->index[i] = -1;
        if (!is_here(o, i))
            continue;
        o->first = atn_min(o->first, i);
        own = i == o->r ? o->n : own;
        o->m->index[i] = o->n++;
    }
    return own;
}

static bool reads_all(const opening *o)
{
    uint64_t secret[2];
    for (int i = 0; i < o->p; i++)
        if (is_here(o, i) && i != o->r &&
            (!atn_shm_direct_read(o->offers[i].pid, secret, o->offers[i].probe, sizeof secret) ||
             memcmp(secret, o->offers[i].secret, sizeof secret) != 0))
            return false;
    return true;
}

/* Measured once in a process, with the next rank.  Only senders use it: ranks need not agree. */
static int64_t direct_bytes(const opening *o)
{
    static _Atomic int64_t known;
    int64_t bytes = atomic_load(&known);
    for (int i = 1; i < o->p && bytes == 0; i++) {
        const atn_shm_offer *const peer = &o->offers[(o->r + i) % o->p];
        if (peer->kernel == o->own.kernel)
            bytes = atn_shm_direct_threshold(peer->pid, peer->area);
    }
    atomic_store(&known, bytes);
    return bytes;
}

static int vote(opening *o)
{
    atn_shared *const m = o->m;
    const int own = number_ranks(o);
    m->peer = calloc((size_t)o->n, sizeof *m->peer);
    if (o->own.kernel != 0 && o->n < 2)
        return VOTE_ALONE;
    if (o->n < 2 || m->peer == NULL ||
        !atn_shm_region_open(&o->offers[o->first], o->n, own, &m->region))
        return 0;
    const bool direct = reads_all(o);
    o->direct = direct ? direct_bytes(o) : INT64_MAX;
    return VOTE_MAPPED | (atn_shm_bell_register() ? VOTE_BELLS : 0) | (direct ? VOTE_DIRECT : 0);
}

static int result(const opening *o)
{
    int all = VOTE_MAPPED | VOTE_BELLS | VOTE_DIRECT;
    for (int i = 0; i < o->p; i++)
        if (is_here(o, i))
            all &= o->votes[i];
    return all;
}

/* Whether all hosts can, not only this one: ranks choose algorithms alike. */
static atn_sharing sharing(const opening *o)
{
    for (int i = 0; i < o->p; i++) {
        const bool shares = (o->votes[i] & VOTE_MAPPED) && (o->votes[i] & VOTE_DIRECT);
        if (!shares && o->votes[i] != VOTE_ALONE)
            return ATN_SHARED_NONE;
    }
    return o->n == o->p ? ATN_SHARED_ALL : ATN_SHARED_HOSTS;
}

static void connect(const opening *o, int i, bool direct)
{
    atn_shared *const m = o->m;
    const int k = m->index[i];
    const atn_shm_end end = {.bell = atn_shm_region_bell(&m->region, k),
                             .pid = o->offers[i].pid,
                             .chunk = atn_shm_chunk_bytes(m->region.n),
                             .direct = direct ? o->direct : INT64_MAX};
    m->peer[k].out = m->peer[k].in = end;
    m->peer[k].board = atn_shm_region_board(&m->region, k);
    m->peer[k].out.ring = atn_shm_region_ring(&m->region, m->region.r, k);
    m->peer[k].in.ring = atn_shm_region_ring(&m->region, k, m->region.r);
}

/* The library completes messages that other ranks wait for only inside its calls. */
static void progress(void *context)
{
    const atn_shared *const m = context;
    int flag;
    PMPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, m->comm, &flag, MPI_STATUS_IGNORE);
}

static void connect_all(const opening *o, int all, bool yields)
{
    atn_shared *const m = o->m;
    for (int i = 0; i < o->p; i++)
        if (m->index[i] >= 0)
            connect(o, i, all & VOTE_DIRECT);
    m->index[o->r] = -1;
    m->reads = all & VOTE_DIRECT;
    m->board = atn_shm_region_board(&m->region, m->region.r);
    m->waiting = (atn_shm_waiting){.bell = atn_shm_region_bell(&m->region, m->region.r),
                                   .yields = yields,
                                   .bells = all & VOTE_BELLS,
                                   .progress = progress,
                                   .context = m};
}

static void offer(opening *o)
{
    atn_location here;
    uint64_t secret[2];
    atn_exec_location_own(NULL, &here);
    if (getrandom(secret, sizeof secret, 0) != (ssize_t)sizeof secret)
        return; /* without a file no rank of the host can map it */
    atn_shm_direct_permit();
    atn_shm_offer_make(here.kernel, secret, &o->own);
}

/* Memory for the exchanges is agreed on first. */
static bool exchange(opening *o, bool wanted, const atn_place_mpi *mpi, MPI_Comm comm)
{
    int mine = wanted && !ATN_SIMULATED && has_memory(o), all = 0;
    if (mpi->allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, comm) != MPI_SUCCESS || !all)
        return false;
    offer(o);
    if (atn_exec_exchange(&o->own, (int)sizeof o->own, o->offers, comm) != MPI_SUCCESS)
        return false;
    mine = vote(o);
    return atn_exec_exchange(&mine, (int)sizeof mine, o->votes, comm) == MPI_SUCCESS;
}

atn_shared *atn_exec_shared_open(const atn_place_mpi *mpi, MPI_Comm comm, bool wanted, bool yields,
                                 atn_sharing *sharing_p)
{
    opening o = {.m = calloc(1, sizeof *o.m), .own = {.fd = -1}};
    PMPI_Comm_size(comm, &o.p);
    PMPI_Comm_rank(comm, &o.r);
    o.offers = malloc(sizeof *o.offers * (size_t)o.p);
    o.votes = malloc(sizeof *o.votes * (size_t)o.p);
    if (o.m != NULL) {
        o.m->comm = comm;
        o.m->index = malloc(sizeof *o.m->index * (size_t)o.p);
    }
    const bool exchanged = exchange(&o, wanted, mpi, comm);
    const int all = exchanged ? result(&o) : 0;
    *sharing_p = exchanged ? sharing(&o) : ATN_SHARED_NONE;
    if (all & VOTE_MAPPED) {
        connect_all(&o, all, yields);
    } else {
        atn_exec_shared_close(o.m);
        o.m = NULL;
    }
    atn_shm_offer_close(&o.own);
    free(o.offers);
    free(o.votes);
    return o.m;
}

void atn_exec_shared_set_direct(atn_shared *m, int64_t bytes)
{
    for (int i = 0; m != NULL && m->reads && bytes > 0 && i < m->region.n; i++)
        m->peer[i].out.direct = bytes;
}

void atn_exec_shared_close(atn_shared *m)
{
    if (m == NULL)
        return;
    for (int i = 0; m->exposed != NULL && i < ATN_SHM_ENTRIES; i++)
        free(m->exposed[i].held);
    free(m->exposed);
    atn_shm_region_close(&m->region);
    free(m->index);
    free(m->peer);
    free(m->buffer);
    free(m);
}
