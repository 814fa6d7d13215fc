/* exposure.c - see exposure.h.
 *
 * Elements with holes are exposed in packed form, because the layouts of the ranks may differ; a
 * reader unpacks them before it combines them. */
#include "exec/exposure.h"

#include <stdlib.h>

#include "shm/direct.h"

_Static_assert((int)ATN_SHM_NUMBERS == 1 << ATN_EXPOSURE_BITS &&
                   (int)ATN_SHM_DOMAINS == (int)ATN_EXPOSURE_DOMAINS,
               "every exposure of a schedule has an entry");

typedef struct {
    int index;
    uint64_t tag;
} place;

static place place_of(const atn_run *x, const atn_xop *o)
{
    const uint64_t call = x->shared_call;
    const int domain = o->seq >> ATN_EXPOSURE_BITS;
    const int number = o->seq & (ATN_SHM_NUMBERS - 1);
    return (place){atn_shm_board_index(call, domain, number),
                   atn_shm_board_tag(call, domain, number)};
}

static void ring_all(const atn_shared *m)
{
    for (int i = 0; i < m->region.n; i++)
        if (i != m->region.r)
            atn_shm_bell_ring(m->peer[i].out.bell);
}

/* ---- expose and close ---- */

static int pack_all(const atn_run *x, const atn_xop *o, int64_t bytes, char **packed_p)
{
    *packed_p = malloc((size_t)bytes + 1);
    if (*packed_p == NULL)
        return MPI_ERR_NO_MEM;
    return atn_exec_shared_convert(x->unit, true, atn_exec_message(x, o), o->one.units, *packed_p,
                                   bytes);
}

static void release(atn_exposed *e)
{
    free(e->held);
    e->held = NULL;
}

/* An entry may still be read in an earlier call, which does not depend on this one. */
static int expose(const atn_run *x, const atn_xop *o, bool *done_p)
{
    atn_shared *const m = x->x->shared;
    const place at = place_of(x, o);
    int64_t each = 0;
    if (m->exposed == NULL)
        m->exposed = calloc(ATN_SHM_ENTRIES, sizeof *m->exposed);
    if (m->exposed == NULL)
        return MPI_ERR_NO_MEM;
    atn_exposed *const own = &m->exposed[at.index];
    *done_p = atn_shm_board_is_read(m->board, at.index, own->owed);
    if (!*done_p)
        return MPI_SUCCESS;
    release(own);
    int code = o->nparts > 1 ? atn_exec_pack_parts(x, o) : MPI_SUCCESS;
    if (code == MPI_SUCCESS)
        code = atn_exec_shared_each(x->unit, &each);
    if (code == MPI_SUCCESS && !x->unit->contiguous)
        code = pack_all(x, o, o->one.units * each, &own->held);
    if (code != MPI_SUCCESS)
        return code;
    own->owed = (uint32_t)o->peer;
    atn_shm_board_expose(m->board, at.index, at.tag,
                         own->held != NULL ? own->held : atn_exec_message(x, o),
                         o->one.units * each);
    ring_all(m);
    return MPI_SUCCESS;
}

/* Data on the board do not need the user's buffer any more. */
static int close_exposure(const atn_run *x, const atn_xop *o, bool *done_p)
{
    const atn_shared *const m = x->x->shared;
    const place at = place_of(x, o);
    int64_t each = 0;
    const int code = atn_exec_shared_each(x->unit, &each);
    *done_p = !atn_shm_board_refers(at.index, o->one.units * each) ||
              m->exposed[at.index].held != NULL ||
              atn_shm_board_is_read(m->board, at.index, m->exposed[at.index].owed);
    return code;
}

/* ---- read ---- */

/* Units that do not fit the buffer. */
static int read_whole(const atn_run *x, const atn_xop *o, pid_t pid, uint64_t from, int64_t bytes)
{
    char *const data = malloc((size_t)bytes);
    int code = data == NULL ? MPI_ERR_NO_MEM : MPI_SUCCESS;
    if (code == MPI_SUCCESS)
        code = atn_shm_direct_read(pid, data, from, bytes) ? atn_exec_combine(x, o, data, 0, bytes)
                                                           : MPI_ERR_OTHER;
    free(data);
    return code;
}

/* A copy to one place is read into it. */
static int read_directly(const atn_run *x, const atn_xop *o, pid_t pid, uint64_t from,
                         int64_t bytes)
{
    atn_combination c = {x, o, MPI_SUCCESS};
    const atn_shm_sink sink = {atn_exec_combine_segment, &c};
    const atn_part *const part = &x->program->parts.v[o->combined];
    atn_shm_transfer t = {.bytes = bytes,
                          .unit = x->unit->stride,
                          .sink = &sink,
                          .buffer = atn_exec_shared_buffer(x->x->shared)};
    if (t.unit > ATN_SHM_BUFFER || t.buffer == NULL)
        return read_whole(x, o, pid, from, bytes);
    const bool ok = o->kind == X_READ && o->ncombined == 1
                        ? atn_shm_direct_read(pid, x->base[o->space_b] + part->b, from, bytes)
                        : atn_shm_direct_take(pid, &t, from);
    return ok ? c.code : MPI_ERR_OTHER;
}

static int read_packed(const atn_run *x, const atn_xop *o, const char *data, pid_t pid,
                       uint64_t from, int64_t bytes)
{
    const atn_exec_unit *const u = x->unit;
    const int64_t shift = u->true_lb < 0 ? -u->true_lb : u->true_lb;
    const int64_t room = o->one.units * u->stride + u->true_extent + 2 * shift;
    char *const packed = malloc((size_t)bytes + 1), *const units = malloc((size_t)room + 1);
    int code = packed == NULL || units == NULL ? MPI_ERR_NO_MEM : MPI_SUCCESS;
    if (code == MPI_SUCCESS && data == NULL && !atn_shm_direct_read(pid, packed, from, bytes))
        code = MPI_ERR_OTHER;
    if (code == MPI_SUCCESS)
        code = atn_exec_shared_convert(u, false, units + shift, o->one.units,
                                       data != NULL ? (char *)data : packed, bytes);
    if (code == MPI_SUCCESS)
        code = atn_exec_combine(x, o, units + shift, 0, o->one.units * u->stride);
    free(packed);
    free(units);
    return code;
}

static int use(const atn_run *x, const atn_xop *o, const atn_shm_board *board, int index, pid_t pid)
{
    const atn_exec_unit *const u = x->unit;
    const char *const data = atn_shm_board_data(board, index);
    int64_t each = 0;
    const int code = atn_exec_shared_each(u, &each);
    const int64_t skip = o->one.a * each, bytes = o->one.units * each;
    if (code != MPI_SUCCESS || skip + bytes > (int64_t)board->entry[index].bytes)
        return code == MPI_SUCCESS ? MPI_ERR_TRUNCATE : code;
    const char *const here = data != NULL ? data + skip : NULL;
    const uint64_t from = board->entry[index].address + (uint64_t)skip;
    if (bytes == 0)
        return MPI_SUCCESS;
    if (!u->contiguous)
        return read_packed(x, o, here, pid, from, bytes);
    return here != NULL ? atn_exec_combine(x, o, here, 0, bytes)
                        : read_directly(x, o, pid, from, bytes);
}

static int read_exposure(const atn_run *x, const atn_xop *o, bool *done_p)
{
    const atn_shared *const m = x->x->shared;
    const atn_shared_peer *const peer = &m->peer[m->index[o->peer]];
    const place at = place_of(x, o);
    *done_p = atn_shm_board_find(peer->board, at.index, at.tag) != NULL;
    if (!*done_p)
        return MPI_SUCCESS;
    const int code = use(x, o, peer->board, at.index, peer->in.pid);
    atn_shm_board_count(peer->board, at.index);
    atn_shm_bell_ring(peer->out.bell);
    return code;
}

/* ---- operations ---- */

int atn_exec_exposure_step(const atn_run *x, const atn_xop *o, bool *done_p)
{
    if (o->kind == X_EXPOSE)
        return expose(x, o, done_p);
    return o->kind == X_CLOSE ? close_exposure(x, o, done_p) : read_exposure(x, o, done_p);
}

int atn_exec_exposure_run(const atn_run *x, const atn_xop *o)
{
    atn_shm_wait w = {.how = &x->x->shared->waiting};
    bool done = false;
    int code;
    while ((code = atn_exec_exposure_step(x, o, &done)) == MPI_SUCCESS && !done)
        atn_shm_wait_pause(&w);
    atn_shm_wait_end(&w);
    return code;
}
