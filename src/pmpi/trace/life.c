/* life.c - the tracer from MPI_Init to MPI_Finalize.
 *
 * Every rank that has the tracer loaded takes part in what is collective here, and only rank 0's
 * environment counts, so ranks that differ cannot wait for each other. */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "pmpi/fits.h"
#include "pmpi/trace/recorder.h"
#include "pmpi/trace/sync.h"

atn_recorder atn_rec = {.turn = ATN_CLOSED, .types_freed = 1, .lock = PTHREAD_MUTEX_INITIALIZER};
atn_again atn_recent[1 << ATN_RECENT_BITS];
_Thread_local int atn_thread_depth;
_Thread_local uint8_t atn_thread;

void atn_number_thread(void)
{
    static _Thread_local bool known;
    if (known)
        return;
    known = true;
    atn_thread = (uint8_t)(atn_rec.numbered < UINT8_MAX ? atn_rec.numbered++ : UINT8_MAX);
}

/* What rank 0 tells all. */
typedef struct {
    char folder[4000]; /* empty: nothing is to be recorded */
    int64_t limit, wall_ns;
    uint64_t job;
    int messages;
} order;

static bool ordered; /* something is recorded, here or on other ranks */
static pid_t owner;  /* a child of fork must not write */

static void say(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void say(const char *format, ...)
{
    char text[4200];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    fprintf(stderr, "attune: %s\n", text);
}

/* ---- the order ---- */

static int64_t wall_clock(void)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Spawned processes are a job of their own with the same ranks: they get a folder in the folder. */
static void name_folder(order *o, const char *folder)
{
    MPI_Comm parent;
    char own[40] = "";
    PMPI_Comm_get_parent(&parent);
    if (parent != MPI_COMM_NULL)
        snprintf(own, sizeof own, "/spawned-%016llx", (unsigned long long)o->job);
    if (strlen(folder) + strlen(own) >= sizeof o->folder) {
        say("ATTUNE_TRACE is too long for the name of a folder; nothing is recorded");
        return;
    }
    strcpy(o->folder, folder);
    strcat(o->folder, own);
}

static void read_order(order *o)
{
    const char *const folder = getenv("ATTUNE_TRACE"), *const level = getenv("ATTUNE_TRACE_LEVEL");
    const char *const limit = getenv("ATTUNE_TRACE_LIMIT"), *const on = getenv("ATTUNE");
    if (folder == NULL || (on != NULL && strcmp(on, "off") == 0))
        return;
    o->messages = level != NULL && strcmp(level, "messages") == 0;
    o->limit = (limit != NULL && atoll(limit) > 0 ? atoll(limit) : 1024) << 20;
    o->wall_ns = wall_clock();
    const int64_t seed[] = {o->wall_ns, atn_now(), getpid()};
    o->job = atn_hash(seed, sizeof seed, 0);
    name_folder(o, folder);
}

/* One after the other: collectives of the library behind us may be Attune's.
 *
 * The messages of the start go over MPI_COMM_WORLD.  Making a communicator leaves work behind that
 * Open MPI then does at every look at the network, so a program that polls 17 million times took
 * 1 to 2 % longer.  No message of the program can be taken for one of these or the other way round:
 * all are between rank 0 and one other, both still in MPI_Init, and messages do not overtake. */
static void share_order(order *o)
{
    enum { TAG = 2 };
    if (atn_rec.r == 0) {
        read_order(o);
        for (int i = 1; i < atn_rec.p; i++)
            atn_pbehind.Send(o, sizeof *o, MPI_BYTE, i, TAG, MPI_COMM_WORLD);
    } else {
        atn_pbehind.Recv(o, sizeof *o, MPI_BYTE, 0, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

/* ---- what recording costs ---- */

static int nothing(const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm)
{
    (void)buf, (void)count, (void)type, (void)dest, (void)tag, (void)comm;
    return MPI_SUCCESS;
}

enum { BATCH = 64, BATCHES = 12 };

static double empty_interval(void)
{
    int64_t sum = 0;
    for (int i = 0; i < BATCH; i++) {
        const int64_t enter = atn_enter();
        nothing(NULL, 0, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
        sum += atn_leave() - enter;
    }
    return (double)sum / BATCH;
}

static double whole_call(void)
{
    const int64_t start = atn_now();
    for (int i = 0; i < BATCH; i++)
        atn_do_Send(nothing, (const void *)(uintptr_t)&whole_call, NULL, 8, MPI_BYTE, atn_rec.r, 0,
                    MPI_COMM_WORLD);
    return (double)(atn_now() - start) / BATCH;
}

/* From now on, or no longer. */
static void record_with(atn_trace_writer *w)
{
    atn_rec.writer = w;
    atn_rec.hand = w != NULL ? atn_trace_in_hand(w) : NULL;
    atn_rec.on = w != NULL;
    atn_rec.quick = w != NULL && !atn_rec.threads;
    atn_allow_quick_polls(atn_rec.quick && !atn_rec.messages);
}

/* Sends that send nothing, recorded into nowhere; the fastest batch, because others were
 * disturbed. */
static void calibrate(atn_trace_start *s)
{
    double inside = 1e9, whole = 1e9;
    int why;
    const int depth = atn_depth;
    atn_depth = 0; /* as programs call */
    record_with(atn_trace_create("/dev/null", INT64_MAX, &why));
    for (int i = 0; i < BATCHES && atn_rec.on; i++) {
        const double a = empty_interval(), b = whole_call();
        inside = a < inside ? a : inside;
        whole = b < whole ? b : whole;
    }
    atn_depth = depth;
    if (!atn_rec.on)
        return;
    atn_trace_close(atn_rec.writer);
    record_with(NULL);
    atn_tables_free();
    s->inside_ps = (int64_t)(1e3 * inside);
    s->around_ps = whole > inside ? (int64_t)(1e3 * (whole - inside)) : 0;
}

/* ---- start ---- */

static void program_name(char *out, size_t size)
{
    const ssize_t n = readlink("/proc/self/exe", out, size - 1);
    out[n > 0 ? n : 0] = '\0';
}

/* A rank that cannot write does not record, but takes part in the rest. */
static atn_trace_writer *open_file(const order *o)
{
    char path[4096];
    int why = 0;
    snprintf(path, sizeof path, "%s/" ATN_TRACE_FILE, o->folder, atn_rec.r);
    if (mkdir(o->folder, 0777) != 0 && errno != EEXIST)
        why = errno;
    atn_trace_writer *const w = why == 0 ? atn_trace_create(path, o->limit, &why) : NULL;
    if (w == NULL)
        say("rank %d records nothing: %s: %s", atn_rec.r, path, strerror(why));
    return w;
}

static void begin(const order *o)
{
    char host[256] = "", program[1024];
    atn_trace_start start = {.job = o->job,
                             .rank = atn_rec.r,
                             .ranks = atn_rec.p,
                             .wall_ns = o->wall_ns,
                             .clock = "CLOCK_MONOTONIC",
                             .host = host,
                             .program = program,
                             .library = ATN_VERSION,
                             .pid = (int)getpid()};
    gethostname(host, sizeof host - 1);
    program_name(program, sizeof program);
    atn_rec.messages = o->messages != 0;
    calibrate(&start);
    const atn_trace_sync sync = atn_compare_clocks(MPI_COMM_WORLD);
    atn_trace_writer *const w = open_file(o);
    if (w == NULL)
        return;
    owner = getpid();
    atn_trace_write_start(w, &start);
    atn_trace_write_sync(w, sync.at, sync.offset, sync.within);
    record_with(w);
    atn_know_comm(MPI_COMM_WORLD);
    atn_know_comm(MPI_COMM_SELF);
}

static void look_for_threads(void)
{
    int level = MPI_THREAD_SINGLE;
    PMPI_Query_thread(&level);
    atn_thread_depth = atn_rec.depth; /* before it counts */
    atn_rec.threads = level == MPI_THREAD_MULTIPLE;
}

static void start(void)
{
    static order o;
    if (!atn_mpi_fits())
        return;
    atn_rate_end();
    look_for_threads();
    PMPI_Comm_size(MPI_COMM_WORLD, &atn_rec.p);
    PMPI_Comm_rank(MPI_COMM_WORLD, &atn_rec.r);
    share_order(&o);
    ordered = *o.folder != '\0';
    if (ordered)
        begin(&o);
}

static int after_init(int code, const void *from, int64_t enter)
{
    if (atn_depth == 1 && code == MPI_SUCCESS)
        start();
    const int64_t exit = atn_leave(); /* what start does is no computation of the program */
    if (atn_depth == 0 && atn_rec.on)
        atn_record_plain(ATN_TRACE_INIT, from, enter, exit);
    return code;
}

/* ---- end ---- */

/* Here the program may have left messages that nobody received. */
static MPI_Comm make_private(void)
{
    MPI_Group group;
    MPI_Comm comm;
    PMPI_Comm_group(MPI_COMM_WORLD, &group);
    atn_pbehind.Comm_create(MPI_COMM_WORLD, group, &comm);
    PMPI_Group_free(&group);
    return comm;
}

static void stop(void)
{
    if (!ordered)
        return;
    int64_t bytes[ATN_MESSAGE_SIZES], ns[ATN_MESSAGE_SIZES];
    MPI_Comm comm = make_private();
    const atn_trace_sync sync = atn_compare_clocks(comm);
    const int timed = atn_time_messages(comm, bytes, ns);
    atn_pbehind.Comm_free(&comm);
    atn_rec.on = atn_rec.quick = false;
    atn_allow_quick_polls(false);
    if (atn_rec.writer == NULL)
        return;
    atn_trace_write_sync(atn_rec.writer, sync.at, sync.offset, sync.within);
    if (timed > 0)
        atn_trace_write_times(atn_rec.writer, bytes, ns, timed);
}

/* MPI may no longer be called. */
static void close_file(const void *from, int64_t enter, int64_t exit)
{
    if (atn_rec.writer == NULL)
        return;
    atn_record_plain(ATN_TRACE_FINALIZE, from, enter, exit);
    atn_trace_polls(atn_rec.writer, atn_polls(), atn_polls_ns());
    const int trouble = atn_trace_trouble(atn_rec.writer);
    if (!atn_trace_close(atn_rec.writer))
        say("rank %d could not write all of its trace: %s", atn_rec.r,
            strerror(trouble != 0 ? trouble : EIO));
    record_with(NULL);
    atn_tables_free();
}

static int finalize(int (*next)(void), const void *from)
{
    const bool outer = atn_depth == 0;
    const int64_t enter = atn_enter();
    if (outer)
        stop();
    const int code = next();
    const int64_t exit = atn_leave();
    if (outer)
        close_file(from, enter, exit);
    return code;
}

/* Programs that end without MPI_Finalize leave what they did. */
__attribute__((destructor)) static void flush_at_exit(void)
{
    if (atn_rec.writer != NULL && owner == getpid())
        atn_trace_flush(atn_rec.writer);
}

int atn_do_Abort(int (*next)(MPI_Comm, int), const void *from, MPI_Comm comm, int code)
{
    (void)from;
    flush_at_exit();
    return next(comm, code);
}

__attribute__((constructor)) static void begin_at_load(void) { atn_rate_begin(); }

/* ---- exported ---- */

#define ENTRIES(MPI_, doors)                                                                       \
    ATN_EXPORT int MPI_##Init(int *argc, char ***argv)                                             \
    {                                                                                              \
        atn_doors_find();                                                                          \
        const int64_t enter = atn_enter();                                                         \
        return after_init(doors.Init(argc, argv), __builtin_return_address(0), enter);             \
    }                                                                                              \
    ATN_EXPORT int MPI_##Init_thread(int *argc, char ***argv, int required, int *provided)         \
    {                                                                                              \
        atn_doors_find();                                                                          \
        const int64_t enter = atn_enter();                                                         \
        return after_init(doors.Init_thread(argc, argv, required, provided),                       \
                          __builtin_return_address(0), enter);                                     \
    }                                                                                              \
    ATN_EXPORT int MPI_##Finalize(void)                                                            \
    {                                                                                              \
        atn_doors_find();                                                                          \
        return finalize(doors.Finalize, __builtin_return_address(0));                              \
    }
ENTRIES(MPI_, atn_behind)
ENTRIES(PMPI_, atn_pbehind)
