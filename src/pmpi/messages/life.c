/* life.c - from MPI_Init to MPI_Finalize, and hints.
 *
 * Every rank that has this library loaded takes part in what is collective here, and only rank 0's
 * environment counts, so ranks that differ cannot wait for each other. */
#define ATTUNE_INSIDE
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "attune/attune.h"
#include "pmpi/fits.h"
#include "pmpi/gpu.h"
#include "pmpi/messages/early.h"
#include "pmpi/messages/partners.h"
#include "pmpi/messages/say.h"
#include "pmpi/pcontrol.h"

/* What rank 0 tells all. */
typedef struct {
    int64_t staging; /* bytes; 0: none */
    int explain, off;
} order;

static MPI_Comm private_comm = MPI_COMM_NULL;
static order the_order;
static int rank;

void atn_tell(const char *format, ...)
{
    char text[4400];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    fprintf(stderr, "attune: %s\n", text);
}

/* ---- start ---- */

static bool is_on(const char *name)
{
    const char *const value = getenv(name);
    return value != NULL &&
           (strcmp(value, "on") == 0 || strcmp(value, "1") == 0 || strcmp(value, "yes") == 0);
}

static void read_order(order *o)
{
    const char *const staging = getenv("ATTUNE_STAGING"), *const on = getenv("ATTUNE");
    o->off = on != NULL && (strcmp(on, "off") == 0 || strcmp(on, "0") == 0);
    o->explain = is_on("ATTUNE_EXPLAIN");
    if (staging == NULL || *staging == '\0')
        return;
    if (!atn_parse_size(staging, &o->staging) || o->staging > INT32_MAX) {
        atn_tell("ATTUNE_STAGING=%s: not a size up to 2G such as 4M; nothing is staged", staging);
        o->staging = 0;
    }
}

/* One after the other: collectives of the library behind us may be Attune's. */
static void share_order(order *o)
{
    enum { TAG = 2 };
    int p;
    PMPI_Comm_size(private_comm, &p);
    if (rank == 0)
        read_order(o);
    else
        atn_pbehind.Recv(o, sizeof *o, MPI_BYTE, 0, TAG, private_comm, MPI_STATUS_IGNORE);
    for (int i = 1; i < p && rank == 0; i++)
        atn_pbehind.Send(o, sizeof *o, MPI_BYTE, i, TAG, private_comm);
}

/* NULL: it can be done. */
static const char *why_not(bool alone)
{
    atn_predictor_choice c;
    if (!alone)
        return "threads may call MPI at the same time";
    if (!atn_notice_start(private_comm))
        return "there are too many ranks";
    if (atn_predictor_find("two-level-bettercycle2", &c, NULL) == ATN_OK)
        atn_early.receives = atn_online_make(&c, sizeof(int64_t) + 2 * sizeof(int));
    return atn_early.receives == NULL ? "there is no memory" : NULL;
}

static void start_staging(bool alone)
{
    const char *const why = why_not(alone);
    if (why != NULL && rank == 0 && the_order.explain)
        atn_tell("staging: off, because %s", why);
    if (why != NULL)
        return;
    PMPI_Comm_dup(MPI_COMM_SELF, &atn_early.own);
    PMPI_Comm_set_errhandler(atn_early.own, MPI_ERRORS_RETURN);
    atn_early.room.limit = the_order.staging;
    atn_early.gpu = atn_mpi_takes_gpu_memory();
    atn_early.on = atn_early.draining = true;
}

/* Whether it holds on all ranks; all wait for all. */
static bool all_of(bool holds)
{
    enum { TAG = 4 };
    int mine = holds, p;
    PMPI_Comm_size(private_comm, &p);
    if (rank != 0) {
        atn_pbehind.Send(&mine, 1, MPI_INT, 0, TAG, private_comm);
        atn_pbehind.Recv(&mine, 1, MPI_INT, 0, TAG, private_comm, MPI_STATUS_IGNORE);
        return mine != 0;
    }
    for (int i = 1, other; i < p; i++) {
        atn_pbehind.Recv(&other, 1, MPI_INT, i, TAG, private_comm, MPI_STATUS_IGNORE);
        mine = mine && other;
    }
    for (int i = 1; i < p; i++)
        atn_pbehind.Send(&mine, 1, MPI_INT, i, TAG, private_comm);
    return mine != 0;
}

static void start(void)
{
    MPI_Group group;
    if (!atn_mpi_fits())
        return;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PMPI_Comm_group(MPI_COMM_WORLD, &group);
    atn_pbehind.Comm_create(MPI_COMM_WORLD, group, &private_comm);
    PMPI_Group_free(&group);
    share_order(&the_order);
    if (the_order.off || !atn_known_start()) {
        atn_pbehind.Comm_free(&private_comm);
        return;
    }
    int level = MPI_THREAD_MULTIPLE;
    PMPI_Query_thread(&level);
    const bool alone = all_of(level < MPI_THREAD_MULTIPLE);
    atn_partners_start(private_comm, getenv("ATTUNE_WARMUP"), alone, the_order.explain != 0);
    if (the_order.staging > 0)
        start_staging(alone);
}

static int after_init(int code)
{
    if (--atn_early.depth == 0 && code == MPI_SUCCESS)
        start();
    return code;
}

/* ---- end ---- */

static void explain(void)
{
    const atn_prediction_stats f = atn_online_stats(atn_early.receives);
    const atn_early_counts *const c = &atn_early.counts;
    atn_tell("staging: rank 0 made %" PRId64 " receives, %" PRId64 " were foreseen and %" PRId64
             " otherwise than foreseen; %" PRId64 " of %" PRId64 " looks found a message, %" PRId64
             " receives got theirs from staging, %" PRId64 " of them had to wait; %" PRId64
             " bytes at most",
             f.requests, f.hits, f.misses, c->found, c->looks, c->bound, c->waited,
             atn_early.room.most);
    if (atn_early.sends == NULL)
        return;
    const atn_prediction_stats s = atn_online_stats(atn_early.sends);
    atn_tell("hints: rank 0 made %" PRId64 " sends, %" PRId64 " were foreseen and %" PRId64
             " otherwise than foreseen",
             s.requests, s.hits, s.misses);
}

/* Nothing new is taken.  What is here stays: libraries behind us may still receive in their part of
 * MPI_Finalize. */
static void stop(void)
{
    if (private_comm == MPI_COMM_NULL)
        return;
    if (atn_early.on) {
        atn_early.draining = false;
        atn_later_finish();
        if (rank == 0 && the_order.explain)
            explain();
    }
    all_of(true); /* nobody will send another notice */
    atn_notice_stop();
    atn_partners_stop(private_comm);
    atn_pbehind.Comm_free(&private_comm);
}

static int finalize(int (*next)(void))
{
    if (atn_early.depth++ == 0)
        stop();
    const int code = next();
    if (--atn_early.depth == 0) {
        atn_early.on = false;
        atn_online_free(atn_early.receives);
        atn_online_free(atn_early.sends);
        atn_early.receives = atn_early.sends = NULL;
    }
    return code;
}

/* ---- hints ---- */

ATN_EXPORT void attune_pre_recv(int tag) { atn_early_hint_recv(tag); }
ATN_EXPORT void attune_pre_send(int tag) { atn_early_hint_send(tag); }

static void control(int level)
{
    int tag;
    const atn_saying saying = atn_read_level(level, &tag);
    if (saying == ATN_SAYS_RECV)
        attune_pre_recv(tag);
    else if (saying == ATN_SAYS_SEND)
        attune_pre_send(tag);
}

/* ---- exported ---- */

#define ENTRIES(MPI_, doors)                                                                       \
    ATN_EXPORT int MPI_##Init(int *argc, char ***argv)                                             \
    {                                                                                              \
        atn_doors_find();                                                                          \
        atn_early.depth++;                                                                         \
        return after_init(doors.Init(argc, argv));                                                 \
    }                                                                                              \
    ATN_EXPORT int MPI_##Init_thread(int *argc, char ***argv, int required, int *provided)         \
    {                                                                                              \
        atn_doors_find();                                                                          \
        atn_early.depth++;                                                                         \
        return after_init(doors.Init_thread(argc, argv, required, provided));                      \
    }                                                                                              \
    ATN_EXPORT int MPI_##Finalize(void)                                                            \
    {                                                                                              \
        atn_doors_find();                                                                          \
        return finalize(doors.Finalize);                                                           \
    }                                                                                              \
    ATN_PCONTROL(MPI_##Pcontrol, atn_doors_find(); control(level);                                 \
                 return doors.Pcontrol(level, word);)
ENTRIES(MPI_, atn_behind)
ENTRIES(PMPI_, atn_pbehind)
