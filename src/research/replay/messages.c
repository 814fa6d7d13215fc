/* messages.c - requests from messages, and messages from skeletons. */
#include "research/replay/messages.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

const char *const atn_replay_direction_names[] = {"send", "receive", NULL};

void atn_replay_messages_free(atn_messages *m)
{
    for (int i = 0; i < m->ranks.n; i++)
        atn_vec_free(&m->ranks.v[i]);
    atn_vec_free(&m->ranks);
}

atn_message_list *atn_replay_messages_of(atn_messages *m, int rank)
{
    while (m->ranks.n <= rank)
        if (!atn_push(&m->ranks, (atn_message_list){0}))
            return NULL;
    return &m->ranks.v[rank];
}

/* ---- requests ---- */

typedef struct {
    int64_t v[6];
} tuple;

static tuple symbol_of(const atn_message *x, bool whole_ranks)
{
    if (x->side == ATN_SENDS)
        return (tuple){{x->partner, whole_ranks ? 0 : x->comm}};
    return (tuple){{x->partner, x->tag, x->bytes, x->type, x->buffer, x->comm}};
}

/* The hint of the program, or else the call site. */
static tuple place_of(const atn_message *x, const atn_message *hint)
{
    return hint ? (tuple){{1, hint->tag}} : (tuple){{0, x->site}};
}

atn_status atn_replay_messages_stream(const atn_message_list *list, atn_direction side,
                                      bool whole_ranks, atn_stream *stream_p, atn_error *err)
{
    atn_numbers symbols = {0}, sites = {0};
    atn_stream stream = {0};
    const atn_message *hint = NULL; /* for the next one */
    bool room = true;
    for (int i = 0; i < list->n && room; i++) {
        const atn_message *x = &list->v[i];
        if (x->side == side && !x->hint) {
            const tuple t = symbol_of(x, whole_ranks), place = place_of(x, hint);
            const atn_stream_request q = {.symbol = atn_predict_number_of(&symbols, &t, sizeof t),
                                          .site =
                                              atn_predict_number_of(&sites, &place, sizeof place),
                                          .hinted = hint != NULL};
            room = q.symbol >= 0 && q.site >= 0 && atn_push(&stream, q);
        }
        if (x->side == side)
            hint = x->hint ? x : NULL;
    }
    atn_predict_numbers_free(&symbols);
    atn_predict_numbers_free(&sites);
    if (!room) {
        atn_vec_free(&stream);
        return atn_fail(err, ATN_MEMORY, "out of memory");
    }
    *stream_p = stream;
    return ATN_OK;
}

int64_t atn_replay_messages_wildcards(const atn_messages *m)
{
    int64_t n = 0;
    for (int r = 0; r < m->ranks.n; r++)
        for (int i = 0; i < m->ranks.v[r].n; i++)
            n += m->ranks.v[r].v[i].side == ATN_RECEIVES && !m->ranks.v[r].v[i].hint &&
                 m->ranks.v[r].v[i].partner == ATN_ANY_PARTNER;
    return n;
}

/* ---- skeletons ---- */

/* The receive inside a shift is posted before its message can arrive: there is nothing to
 * predict. */
static bool side_of(atn_skeleton_kind kind, atn_direction *side_p)
{
    const bool sends =
        kind == ATN_SKELETON_SEND || kind == ATN_SKELETON_ISEND || kind == ATN_SKELETON_SHIFT;
    *side_p = sends ? ATN_SENDS : ATN_RECEIVES;
    return sends || kind == ATN_SKELETON_RECV || kind == ATN_SKELETON_IRECV;
}

static bool add_calls(atn_message_list *list, const atn_skeleton_run *run)
{
    for (int i = 0; list && i < run->calls.n; i++) {
        const atn_skeleton_call *c = &run->calls.v[i];
        atn_message x = {.partner = c->partner,
                         .tag = c->tag,
                         .comm = c->comm,
                         .bytes = c->bytes,
                         .buffer = c->buffer,
                         .site = c->site};
        if (side_of(c->kind, &x.side) && !atn_push(list, x))
            return false;
    }
    return list != NULL;
}

atn_status atn_replay_messages_skeleton(const atn_skeleton *s, int p, int iterations,
                                        atn_messages *m_p, atn_error *err)
{
    atn_messages m = {0};
    atn_status st = ATN_OK;
    snprintf(m.name, sizeof m.name, "%s", s->name);
    for (int r = 0; r < p && !st; r++) {
        atn_skeleton_run run = {0};
        st = atn_skeleton_emit(s, p, r, iterations, &run, err);
        if (!st && !add_calls(atn_replay_messages_of(&m, r), &run))
            st = atn_fail(err, ATN_MEMORY, "out of memory");
        atn_vec_free(&run.calls);
    }
    if (st)
        atn_replay_messages_free(&m);
    else
        *m_p = m;
    return st;
}
