/* stager.c - the stager from MPI_Init to MPI_Finalize, and hints.
 *
 * Every rank with this library loaded takes part in the collective exchanges here, and only the
 * environment of rank 0 counts: ranks with different environments cannot wait for each other. */
#define ATTUNE_INSIDE
#include "stager/stager.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "attune/attune.h"
#include "base/base.h"
#include "interpose/gpu.h"
#include "interpose/job.h"
#include "interpose/message.h"
#include "interpose/pcontrol.h"
#include "stager/requests.h"
#include "stager/staging.h"
#include "stager/synchronous.h"
#include "stager/warmup.h"

atn_stager_state atn_stager = {
    .self = MPI_COMM_NULL, .receive_hint = ATN_NO_HINT, .send_hint = ATN_NO_HINT};

/* The settings of rank 0. */
static struct {
    int64_t staging; /* bytes; 0: none */
    int explain, off;
} settings;

static MPI_Comm private_comm = MPI_COMM_NULL;
static int rank;

/* ---- start ---- */

static bool is_on(const char *name)
{
    const char *const value = getenv(name);
    return value != NULL &&
           (strcmp(value, "on") == 0 || strcmp(value, "1") == 0 || strcmp(value, "yes") == 0);
}

static void read_settings(void)
{
    const char *const staging = getenv("ATTUNE_STAGING"), *const on = getenv("ATTUNE");
    settings.off =
        atn_is_privileged() || (on != NULL && (strcmp(on, "off") == 0 || strcmp(on, "0") == 0));
    if (atn_is_privileged())
        return;
    settings.explain = is_on("ATTUNE_EXPLAIN");
    if (staging == NULL || *staging == '\0')
        return;
    if (!atn_parse_size(staging, &settings.staging) || settings.staging > INT32_MAX) {
        atn_interpose_print_line(
            "ATTUNE_STAGING=%s: not a size up to 2G such as 4M; nothing is staged", staging);
        settings.staging = 0;
    }
}

/* Point-to-point, because the collectives that follow in link order may be Attune's. */
static void share_settings(void)
{
    enum { TAG = 2 };
    int p;
    PMPI_Comm_size(private_comm, &p);
    if (rank == 0)
        read_settings();
    else
        atn_stager_pmpi.Recv(&settings, sizeof settings, MPI_BYTE, 0, TAG, private_comm,
                             MPI_STATUS_IGNORE);
    for (int i = 1; i < p && rank == 0; i++)
        atn_stager_pmpi.Send(&settings, sizeof settings, MPI_BYTE, i, TAG, private_comm);
}

/* The reason why nothing can be staged; NULL: none. */
static const char *start_staging(bool single_threaded)
{
    if (!single_threaded)
        return "threads may call MPI at the same time";
    if (!atn_stager_synchronous_init(private_comm))
        return "there are too many ranks";
    atn_stager.receives = atn_stager_predictor();
    if (atn_stager.receives == NULL)
        return "there is no memory";
    PMPI_Comm_dup(MPI_COMM_SELF, &atn_stager.self);
    PMPI_Comm_set_errhandler(atn_stager.self, MPI_ERRORS_RETURN);
    atn_stager.room.limit = settings.staging;
    atn_stager.gpu = atn_interpose_mpi_takes_gpu_memory();
    atn_stager.on = atn_stager.staging = true;
    return NULL;
}

/* Whether `holds` is true on all ranks; synchronizes them. */
static bool on_all_ranks(bool holds)
{
    enum { TAG = 4 };
    int mine = holds, p;
    PMPI_Comm_size(private_comm, &p);
    if (rank != 0) {
        atn_stager_pmpi.Send(&mine, 1, MPI_INT, 0, TAG, private_comm);
        atn_stager_pmpi.Recv(&mine, 1, MPI_INT, 0, TAG, private_comm, MPI_STATUS_IGNORE);
        return mine != 0;
    }
    for (int i = 1, other; i < p; i++) {
        atn_stager_pmpi.Recv(&other, 1, MPI_INT, i, TAG, private_comm, MPI_STATUS_IGNORE);
        mine = mine && other;
    }
    for (int i = 1; i < p; i++)
        atn_stager_pmpi.Send(&mine, 1, MPI_INT, i, TAG, private_comm);
    return mine != 0;
}

static void start(void)
{
    if (!atn_interpose_mpi_is_ours())
        return;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    private_comm = atn_interpose_private_world(atn_stager_pmpi.Comm_create);
    share_settings();
    if (settings.off || !atn_stager_comms_init()) {
        atn_stager_pmpi.Comm_free(&private_comm);
        return;
    }
    int level = MPI_THREAD_MULTIPLE;
    PMPI_Query_thread(&level);
    const bool single_threaded = on_all_ranks(level < MPI_THREAD_MULTIPLE);
    atn_stager_warmup_start(private_comm, getenv("ATTUNE_WARMUP"), single_threaded,
                            settings.explain != 0);
    const char *const why = settings.staging > 0 ? start_staging(single_threaded) : NULL;
    if (why != NULL && rank == 0 && settings.explain)
        atn_interpose_print_line("staging: off, because %s", why);
}

static int after_init(int code)
{
    if (--atn_stager.depth == 0 && code == MPI_SUCCESS)
        start();
    return code;
}

int atn_stager_Init(int (*next)(int *, char ***), const void *from, int *argc, char ***argv)
{
    (void)from;
    atn_stager.depth++;
    return after_init(next(argc, argv));
}

int atn_stager_Init_thread(int (*next)(int *, char ***, int, int *), const void *from, int *argc,
                           char ***argv, int required, int *provided)
{
    (void)from;
    atn_stager.depth++;
    return after_init(next(argc, argv, required, provided));
}

/* ---- end ---- */

static void explain(void)
{
    const atn_prediction_stats r = atn_predict_online_stats(atn_stager.receives);
    const atn_stager_counts *const c = &atn_stager.counts;
    atn_interpose_print_line("staging: rank 0 posted %" PRId64 " receives, %" PRId64
                             " predicted correctly and %" PRId64 " incorrectly; %" PRId64
                             " of %" PRId64 " probes found a message, %" PRId64
                             " receives got a staged message, %" PRId64
                             " of them waited for its transfer; at most %" PRId64 " bytes staged",
                             r.requests, r.hits, r.misses, c->found, c->probes, c->matched,
                             c->waited, atn_stager.room.most);
    if (atn_stager.sends == NULL)
        return;
    const atn_prediction_stats s = atn_predict_online_stats(atn_stager.sends);
    atn_interpose_print_line("hints: rank 0 made %" PRId64 " sends, %" PRId64
                             " predicted correctly and %" PRId64 " incorrectly",
                             s.requests, s.hits, s.misses);
}

/* No further message is staged.  Staged messages stay: libraries that follow in link order may
 * receive in their part of MPI_Finalize. */
static void stop(void)
{
    if (private_comm == MPI_COMM_NULL)
        return;
    if (atn_stager.on) {
        atn_stager.staging = false;
        atn_stager_finish_requests();
        if (rank == 0 && settings.explain)
            explain();
    }
    on_all_ranks(true); /* no rank makes another announcement */
    atn_stager_synchronous_finalize();
    atn_stager_warmup_stop(private_comm);
    atn_stager_pmpi.Comm_free(&private_comm);
}

int atn_stager_Finalize(int (*next)(void), const void *from)
{
    (void)from;
    if (atn_stager.depth++ == 0)
        stop();
    const int code = next();
    if (--atn_stager.depth == 0) {
        atn_stager.on = false;
        atn_predict_online_free(atn_stager.receives);
        atn_predict_online_free(atn_stager.sends);
        atn_stager.receives = atn_stager.sends = NULL;
    }
    return code;
}

/* ---- hints ---- */

ATN_EXPORT void attune_pre_recv(int tag) { atn_stager_hint_recv(tag); }
ATN_EXPORT void attune_pre_send(int tag) { atn_stager_hint_send(tag); }

static void control(int level)
{
    int tag;
    const atn_pcontrol_request hint = atn_interpose_pcontrol_read(level, &tag);
    if (hint == ATN_PCONTROL_RECV)
        attune_pre_recv(tag);
    else if (hint == ATN_PCONTROL_SEND)
        attune_pre_send(tag);
}

ATN_PCONTROL(MPI_Pcontrol, atn_stager_resolve(); control(level);
             return atn_stager_mpi.Pcontrol(level, word);)
ATN_PCONTROL(PMPI_Pcontrol, atn_stager_resolve(); control(level);
             return atn_stager_pmpi.Pcontrol(level, word);)
