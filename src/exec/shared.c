/* shared.c - see shared.h. */
#include "exec/shared.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* ---- elements with holes: packed on both sides, whatever the other side's layout ---- */

int atn_exec_shared_each(const atn_exec_unit *u, int64_t *bytes_p)
{
    MPI_Count size = 0;
    *bytes_p = u->stride;
    if (u->contiguous)
        return MPI_SUCCESS;
    const int code = PMPI_Type_size_x(u->sent_type, &size);
    *bytes_p = u->sent_each * size;
    return code;
}

/* Counts and sizes of MPI_Pack are ints, so it is applied to some units at a time. */
int atn_exec_shared_convert(const atn_exec_unit *u, bool pack, char *user, int64_t units,
                            char *packed, int64_t bytes)
{
    const int64_t each = units > 0 ? bytes / units : 0;
    const int64_t most = each > 1 << 18 ? 1 : 4096;
    int code = each > INT_MAX ? MPI_ERR_COUNT : MPI_SUCCESS;
    while (units > 0 && code == MPI_SUCCESS) {
        const int64_t n = units < most ? units : most;
        code = atn_exec_pack(pack, user, (int)(n * u->sent_each), u->sent_type, packed,
                             (int)(n * each));
        user += n * u->stride;
        packed += n * each;
        units -= n;
    }
    return code;
}

static int begin_packed(const atn_run *x, const atn_xop *o, char *data, atn_shared_message *m)
{
    int code = atn_exec_shared_each(x->unit, &m->t.unit);
    m->t.bytes = o->one.units * m->t.unit;
    m->packed = code == MPI_SUCCESS ? malloc((size_t)m->t.bytes + 1) : NULL;
    if (m->packed == NULL)
        return code == MPI_SUCCESS ? MPI_ERR_NO_MEM : code;
    m->t.data = m->packed;
    return m->sends
               ? atn_exec_shared_convert(x->unit, true, data, o->one.units, m->packed, m->t.bytes)
               : code;
}

static int end_packed(const atn_run *x, const atn_xop *o, atn_shared_message *m)
{
    const int code = m->sends ? MPI_SUCCESS
                              : atn_exec_shared_convert(x->unit, false, atn_exec_message(x, o),
                                                        o->one.units, m->packed, m->t.bytes);
    atn_exec_shared_drop(m);
    return code;
}

/* ---- transfers ---- */

/* A rank with nothing else to do copies, too: then both sides work at the same time. */
static bool copies(const atn_run *x, const atn_xop *o)
{
    return o->kind == X_SEND && x->program->one_send && !x->x->shared->waiting.yields;
}

char *atn_exec_shared_buffer(struct atn_shared *m)
{
    if (m->buffer == NULL)
        m->buffer = aligned_alloc(64, ATN_SHM_BUFFER);
    return m->buffer;
}

int atn_exec_shared_begin(const atn_run *x, const atn_xop *o, char *data, atn_shared_message *m)
{
    struct atn_shared *const s = x->x->shared;
    const atn_exec_unit *const u = x->unit;
    const int i = s->index[o->peer];
    *m = (atn_shared_message){.sends = !atn_exec_receives(o)};
    m->end = m->sends ? &s->peer[i].out : &s->peer[i].in;
    m->combines = o->kind == X_RECV_REDUCE && u->contiguous && u->stride <= m->end->chunk / 2;
    m->t = (atn_shm_transfer){.data = data,
                              .bytes = o->one.units * u->stride,
                              .unit = u->stride,
                              .ack = o->ssend,
                              .copies = copies(x, o)};
    if (m->combines)
        m->t.buffer = atn_exec_shared_buffer(s);
    m->combines = m->combines && m->t.buffer != NULL; /* else it is combined as a whole */
    return u->contiguous ? MPI_SUCCESS : begin_packed(x, o, data, m);
}

void atn_exec_combine_segment(void *context, const char *segment, int64_t at, int64_t bytes)
{
    atn_combination *const c = context;
    if (c->code == MPI_SUCCESS)
        c->code = atn_exec_combine(c->x, c->o, segment, at, bytes);
}

static int finish(const atn_run *x, const atn_xop *o, atn_shared_message *m)
{
    const int code = m->packed != NULL ? end_packed(x, o, m) : MPI_SUCCESS;
    return code != MPI_SUCCESS || m->combines ? code : atn_exec_message_done(x, o);
}

int atn_exec_shared_step(const atn_run *x, const atn_xop *o, atn_shared_message *m, bool *done_p)
{
    atn_combination c = {x, o, MPI_SUCCESS};
    const atn_shm_sink sink = {atn_exec_combine_segment, &c};
    m->t.sink = m->combines ? &sink : NULL;
    const atn_shm_status status =
        (m->sends ? atn_shm_send_step : atn_shm_receive_step)(m->end, &m->t);
    *done_p = status == ATN_SHM_DONE;
    if (status == ATN_SHM_MISMATCH)
        return MPI_ERR_TRUNCATE;
    return c.code == MPI_SUCCESS && *done_p ? finish(x, o, m) : c.code;
}

void atn_exec_shared_drop(atn_shared_message *m)
{
    free(m->packed);
    m->packed = NULL;
}
