/* staging.c - see staging.h. */
#include "stager/staging.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "stager/synchronous.h"

/* ---- prediction ---- */

/* The arguments of a receive or send that are predicted. */
typedef struct {
    int64_t comm;
    int partner, tag;
} message_key;
_Static_assert(sizeof(message_key) == sizeof(int64_t) + 2 * sizeof(int),
               "compared and hashed as bytes: no padding");

atn_online *atn_stager_predictor(void)
{
    atn_predictor_choice c;
    return atn_predict_predictor_find("two-level-bettercycle2", &c, NULL) == ATN_OK
               ? atn_predict_online_make(&c, sizeof(message_key))
               : NULL;
}

/* Hinted calls have negative call sites, so that they differ from all addresses. */
static int64_t hinted_site(int64_t tag) { return -1 - tag; }

static int64_t site_of(int64_t *hint, const void *from)
{
    const int64_t site = *hint == ATN_NO_HINT ? (int64_t)(uintptr_t)from : hinted_site(*hint);
    *hint = ATN_NO_HINT;
    return site;
}

/* Unsuccessful probes cost time.  Each receive allows PROBES of them; after IDLE_PROBES in a row,
 * only every IDLE_RECEIVES-th receive allows one. */
enum { LOOK_AHEAD = 4, PROBES = 8, IDLE_PROBES = 512, IDLE_RECEIVES = 32 };
static struct {
    int left;         /* probes allowed before the next receive */
    int unsuccessful; /* in a row */
    int receives;
} probes = {.left = PROBES};

static void allow_probes(void)
{
    const bool idle = probes.unsuccessful >= IDLE_PROBES;
    probes.left = idle ? ++probes.receives % IDLE_RECEIVES == 0 : PROBES;
}

static void count_probe(bool found)
{
    atn_stager.counts.probes++;
    probes.left -= !found;
    probes.unsuccessful = found ? 0 : atn_min(probes.unsuccessful + 1, IDLE_PROBES);
}

static void train(const atn_stager_comm *c, int source, int tag, const void *from)
{
    const message_key k = {.comm = c->id, .partner = source, .tag = tag};
    atn_predict_online_add(atn_stager.receives, &k, site_of(&atn_stager.receive_hint, from));
    allow_probes();
}

void atn_stager_note_send(int dest, int tag, MPI_Comm comm, const void *from)
{
    const atn_stager_comm *const c =
        atn_stager.sends != NULL ? atn_stager_comm_find(comm, from) : NULL;
    if (c == NULL || atn_stager.depth != 1)
        return;
    const message_key k = {.comm = c->id, .partner = dest, .tag = tag};
    atn_predict_online_add(atn_stager.sends, &k, site_of(&atn_stager.send_hint, from));
}

/* ---- staging ---- */

static bool stage(atn_stager_comm *c, const MPI_Status *probed, int bytes)
{
    MPI_Message matched;
    int flag = 0, matched_bytes;
    atn_staged_message *const m = malloc(sizeof *m + (size_t)bytes);
    if (m == NULL)
        return false;
    atn_stager_pmpi.Improbe(probed->MPI_SOURCE, probed->MPI_TAG, c->comm, &flag, &matched,
                            &m->status);
    if (!flag) {
        free(m);
        return false;
    }
    PMPI_Status_set_cancelled(&m->status, 0); /* MPICH sets this in receives only */
    PMPI_Get_count(&m->status, MPI_BYTE, &matched_bytes);
    assert(matched_bytes == bytes && m->status.MPI_SOURCE == probed->MPI_SOURCE);
    m->head = (atn_staged){
        .source = m->status.MPI_SOURCE, .tag = m->status.MPI_TAG, .bytes = (int64_t)bytes};
    m->comm = c->comm;
    m->code = atn_stager_pmpi.Imrecv(m->bytes, bytes, MPI_PACKED, &matched, &m->request);
    atn_stager_staged_test(m);
    atn_predict_staging_add(&c->queue, &atn_stager.room, &m->head);
    atn_stager.counts.found++;
    return true;
}

/* Stages the oldest message of a sender, whatever its tag: matching order is kept only if messages
 * of a sender are staged in the order in which they were sent. */
static bool stage_oldest(atn_stager_comm *c, int source)
{
    MPI_Status probed;
    int flag = 0, bytes = -1;
    const int from = source == ATN_STAGED_ANY ? MPI_ANY_SOURCE : source;
    if (atn_stager_pmpi.Iprobe(from, MPI_ANY_TAG, c->comm, &flag, &probed) != MPI_SUCCESS || !flag)
        return false;
    PMPI_Get_count(&probed, MPI_BYTE, &bytes);
    return probed.MPI_SOURCE != c->r && atn_predict_staging_fits(&atn_stager.room, bytes) &&
           !atn_stager_sends_synchronously(c->world[probed.MPI_SOURCE]) && stage(c, &probed, bytes);
}

static int count_equal(const message_key *keys, int n, const message_key *k)
{
    int count = 0;
    for (int i = 0; i < n; i++)
        count += memcmp(&keys[i], k, sizeof *k) == 0;
    return count;
}

/* Stages the messages of the next predicted receives, up to the first one that has not arrived. */
static void stage_predicted(void)
{
    message_key keys[LOOK_AHEAD];
    for (int i = 0; i < LOOK_AHEAD; i++) {
        const void *const predicted = atn_predict_online_predict(atn_stager.receives, i + 1);
        if (predicted == NULL)
            return;
        memcpy(&keys[i], predicted, sizeof keys[i]);
        atn_stager_comm *const c = atn_stager_comm_by_id(keys[i].comm);
        if (c == NULL)
            return;
        const int wanted = count_equal(keys, i, &keys[i]) + 1;
        if (atn_predict_staging_count(&c->queue, keys[i].partner, keys[i].tag) >= wanted)
            continue;
        const bool found = stage_oldest(c, keys[i].partner);
        count_probe(found);
        if (!found)
            return;
    }
}

void atn_stager_enter(void) { atn_stager.depth++; }

int atn_stager_leave(int code)
{
    if (atn_stager.depth == 1 && atn_stager.staging && probes.left > 0)
        stage_predicted();
    atn_stager.depth--;
    return code;
}

/* ---- hints ---- */

void atn_stager_hint_recv(int tag)
{
    if (!atn_stager.staging || atn_stager.depth > 0)
        return;
    atn_stager.receive_hint = tag;
    atn_predict_online_hint(atn_stager.receives, hinted_site(tag));
    atn_stager.depth++;
    stage_predicted(); /* the hint precedes a receive: a good time to probe */
    atn_stager.depth--;
}

void atn_stager_hint_send(int tag)
{
    if (!atn_stager.staging || atn_stager.depth > 0)
        return;
    if (atn_stager.sends == NULL)
        atn_stager.sends = atn_stager_predictor();
    if (atn_stager.sends == NULL)
        return;
    atn_stager.send_hint = tag;
    atn_predict_online_hint(atn_stager.sends, hinted_site(tag));
}

/* ---- matching ---- */

static int any(int wanted, int mpi_any) { return wanted == mpi_any ? ATN_STAGED_ANY : wanted; }

atn_staged_message *atn_stager_match_on(atn_stager_comm *c, int source, int tag, const void *from)
{
    const int any_source = any(source, MPI_ANY_SOURCE), any_tag = any(tag, MPI_ANY_TAG);
    if (atn_stager.staging && atn_stager.depth == 1)
        train(c, any_source, any_tag, from);
    atn_staged *const m = atn_predict_staging_find(&c->queue, any_source, any_tag);
    if (m == NULL)
        return NULL;
    atn_predict_staging_take(&c->queue, m);
    atn_stager.counts.matched++;
    return (atn_staged_message *)m;
}

atn_staged_message *atn_stager_match(int source, int tag, MPI_Comm comm, const void *from)
{
    atn_stager_comm *const c = source == MPI_PROC_NULL ? NULL : atn_stager_comm_find(comm, from);
    return c != NULL ? atn_stager_match_on(c, source, tag, from) : NULL;
}

const atn_staged_message *atn_stager_probe(int source, int tag, MPI_Comm comm, const void *from)
{
    const atn_stager_comm *const c = source == MPI_PROC_NULL || atn_stager.room.messages == 0
                                         ? NULL
                                         : atn_stager_comm_find(comm, from);
    return c == NULL ? NULL
                     : (const atn_staged_message *)atn_predict_staging_find(
                           &c->queue, any(source, MPI_ANY_SOURCE), any(tag, MPI_ANY_TAG));
}
