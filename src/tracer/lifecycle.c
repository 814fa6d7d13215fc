/* life.c - the tracer from MPI_Init to MPI_Finalize.
 *
 * Every rank with the tracer loaded takes part in the collective exchanges here, and only the
 * environment of rank 0 counts: ranks with different environments cannot wait for each other. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/base.h"
#include "interpose/job.h"
#include "interpose/message.h"
#include "tracer/polls.h"
#include "tracer/recent.h"
#include "tracer/sync.h"

atn_recorder atn_tracer_rec = {
    .poll_state = ATN_POLL_SLOW, .types_freed = 1, .lock = PTHREAD_MUTEX_INITIALIZER};
atn_recent_call atn_tracer_recent[1 << ATN_RECENT_BITS];
_Thread_local int atn_tracer_thread_depth;
_Thread_local uint8_t atn_tracer_thread;

void atn_tracer_number_thread(void)
{
    static _Thread_local bool known;
    if (known)
        return;
    known = true;
    atn_tracer_thread =
        (uint8_t)(atn_tracer_rec.numbered < UINT8_MAX ? atn_tracer_rec.numbered++ : UINT8_MAX);
}

/* The settings of rank 0. */
static struct {
    char folder[4000]; /* empty: nothing is recorded */
    int64_t limit, wall_ns;
    uint64_t job;
    int messages;
} settings;

static pid_t owner; /* a child of fork must not write */

/* ---- settings ---- */

static int64_t wall_clock(void)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Spawned processes are another job with the same rank numbers: they get a subfolder. */
static void name_folder(const char *folder)
{
    MPI_Comm parent;
    char own[40] = "";
    PMPI_Comm_get_parent(&parent);
    if (parent != MPI_COMM_NULL)
        snprintf(own, sizeof own, "/spawned-%016llx", (unsigned long long)settings.job);
    if (strlen(folder) + strlen(own) >= sizeof settings.folder) {
        atn_interpose_print_line(
            "ATTUNE_TRACE is too long for the name of a folder; nothing is recorded");
        return;
    }
    strcpy(settings.folder, folder);
    strcat(settings.folder, own);
}

static void read_settings(void)
{
    const char *const folder = getenv("ATTUNE_TRACE"), *const level = getenv("ATTUNE_TRACE_LEVEL");
    const char *const limit = getenv("ATTUNE_TRACE_LIMIT"), *const on = getenv("ATTUNE");
    if (folder == NULL || (on != NULL && strcmp(on, "off") == 0) || atn_is_privileged())
        return;
    settings.messages = level != NULL && strcmp(level, "messages") == 0;
    settings.limit = (limit != NULL && atoll(limit) > 0 ? atoll(limit) : 1024) << 20;
    settings.wall_ns = wall_clock();
    const int64_t seed[] = {settings.wall_ns, atn_tracer_now(), getpid()};
    settings.job = atn_hash(seed, sizeof seed, 0);
    name_folder(folder);
}

/* Point-to-point, because the collectives that follow in link order may be Attune's.
 *
 * The messages use MPI_COMM_WORLD.  Creating a communicator adds work that Open MPI then does in
 * every call of its progress engine: a program that polls 17 million times took 1 to 2 % longer.
 * They cannot be confused with messages of the program: all are between rank 0 and another rank,
 * both still in MPI_Init, and messages do not overtake. */
static void share_settings(void)
{
    enum { TAG = 2 };
    if (atn_tracer_rec.r == 0) {
        read_settings();
        for (int i = 1; i < atn_tracer_rec.p; i++)
            atn_tracer_pmpi.Send(&settings, sizeof settings, MPI_BYTE, i, TAG, MPI_COMM_WORLD);
    } else {
        atn_tracer_pmpi.Recv(&settings, sizeof settings, MPI_BYTE, 0, TAG, MPI_COMM_WORLD,
                             MPI_STATUS_IGNORE);
    }
}

/* ---- overhead of recording ---- */

static int send_nothing(const void *buf, int count, MPI_Datatype type, int dest, int tag,
                        MPI_Comm comm)
{
    (void)buf, (void)count, (void)type, (void)dest, (void)tag, (void)comm;
    return MPI_SUCCESS;
}

enum { BATCH = 64, BATCHES = 12 };

static double empty_interval(void)
{
    int64_t sum = 0;
    for (int i = 0; i < BATCH; i++) {
        const int64_t enter = atn_tracer_enter();
        send_nothing(NULL, 0, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
        sum += atn_tracer_leave() - enter;
    }
    return (double)sum / BATCH;
}

static double whole_call(void)
{
    const int64_t start = atn_tracer_now();
    for (int i = 0; i < BATCH; i++)
        atn_tracer_Send(send_nothing, (const void *)(uintptr_t)&whole_call, NULL, 8, MPI_BYTE,
                        atn_tracer_rec.r, 0, MPI_COMM_WORLD);
    return (double)(atn_tracer_now() - start) / BATCH;
}

/* NULL: recording ends. */
static void record_with(atn_trace_writer *w)
{
    atn_tracer_rec.writer = w;
    atn_tracer_rec.cursor = w != NULL ? atn_trace_cursor_of(w) : NULL;
    atn_tracer_rec.on = w != NULL;
    atn_tracer_rec.fast = w != NULL && !atn_tracer_rec.threads;
    atn_tracer_allow_fast_polls(atn_tracer_rec.fast && !atn_tracer_rec.messages);
}

/* Measures empty sends that are recorded to /dev/null; the fastest batch counts, because the others
 * were disturbed. */
static void calibrate(atn_trace_start *s)
{
    double inside = 1e9, whole = 1e9;
    int why;
    const int depth = atn_depth;
    atn_depth = 0; /* as for calls of the program */
    record_with(atn_trace_create("/dev/null", INT64_MAX, &why));
    for (int i = 0; i < BATCHES && atn_tracer_rec.on; i++) {
        const double a = empty_interval(), b = whole_call();
        inside = a < inside ? a : inside;
        whole = b < whole ? b : whole;
    }
    atn_depth = depth;
    if (!atn_tracer_rec.on)
        return;
    atn_trace_close(atn_tracer_rec.writer);
    record_with(NULL);
    atn_tracer_tables_free();
    s->inside_ps = (int64_t)(1e3 * inside);
    s->around_ps = whole > inside ? (int64_t)(1e3 * (whole - inside)) : 0;
}

/* ---- start ---- */

static void program_name(char *out, size_t size)
{
    const ssize_t n = readlink("/proc/self/exe", out, size - 1);
    out[n > 0 ? n : 0] = '\0';
}

/* A rank that cannot write does not record, but takes part in the exchanges. */
static atn_trace_writer *open_file(void)
{
    char path[4096];
    int why = 0;
    snprintf(path, sizeof path, "%s/" ATN_TRACE_FILE, settings.folder, atn_tracer_rec.r);
    if (mkdir(settings.folder, 0777) != 0 && errno != EEXIST)
        why = errno;
    atn_trace_writer *const w = why == 0 ? atn_trace_create(path, settings.limit, &why) : NULL;
    if (w == NULL)
        atn_interpose_print_line("rank %d records nothing: %s: %s", atn_tracer_rec.r, path,
                                 strerror(why));
    return w;
}

static void begin(void)
{
    char host[256] = "", program[1024];
    atn_trace_start start = {.job = settings.job,
                             .rank = atn_tracer_rec.r,
                             .ranks = atn_tracer_rec.p,
                             .wall_ns = settings.wall_ns,
                             .clock = "CLOCK_MONOTONIC",
                             .host = host,
                             .program = program,
                             .library = ATN_VERSION,
                             .pid = (int)getpid()};
    gethostname(host, sizeof host - 1);
    program_name(program, sizeof program);
    atn_tracer_rec.messages = settings.messages != 0;
    calibrate(&start);
    const atn_trace_sync sync = atn_tracer_compare_clocks(MPI_COMM_WORLD);
    atn_trace_writer *const w = open_file();
    if (w == NULL)
        return;
    owner = getpid();
    atn_trace_write_start(w, &start);
    atn_trace_write_sync(w, sync.at, sync.offset, sync.within);
    record_with(w);
    atn_tracer_add_comm(MPI_COMM_WORLD);
    atn_tracer_add_comm(MPI_COMM_SELF);
}

static void check_threads(void)
{
    int level = MPI_THREAD_SINGLE;
    PMPI_Query_thread(&level);
    atn_tracer_thread_depth = atn_tracer_rec.depth; /* before it is used */
    atn_tracer_rec.threads = level == MPI_THREAD_MULTIPLE;
}

static void start(void)
{
    if (!atn_interpose_mpi_is_ours())
        return;
    atn_tracer_tick_rate_end();
    check_threads();
    PMPI_Comm_size(MPI_COMM_WORLD, &atn_tracer_rec.p);
    PMPI_Comm_rank(MPI_COMM_WORLD, &atn_tracer_rec.r);
    share_settings();
    if (*settings.folder != '\0')
        begin();
}

static int after_init(int code, const void *from, int64_t enter)
{
    if (atn_depth == 1 && code == MPI_SUCCESS)
        start();
    const int64_t exit =
        atn_tracer_leave(); /* the time in start is not computation of the program */
    if (atn_depth == 0 && atn_tracer_rec.on)
        atn_tracer_record_plain(ATN_TRACE_INIT, from, enter, exit);
    return code;
}

int atn_tracer_Init(int (*next)(int *, char ***), const void *from, int *argc, char ***argv)
{
    const int64_t enter = atn_tracer_enter();
    return after_init(next(argc, argv), from, enter);
}

int atn_tracer_Init_thread(int (*next)(int *, char ***, int, int *), const void *from, int *argc,
                           char ***argv, int required, int *provided)
{
    const int64_t enter = atn_tracer_enter();
    return after_init(next(argc, argv, required, provided), from, enter);
}

/* ---- end ---- */

/* On a private communicator: the program may have left messages that were never received. */
static void stop(void)
{
    if (*settings.folder == '\0')
        return;
    int64_t bytes[ATN_MESSAGE_SIZES], ns[ATN_MESSAGE_SIZES];
    MPI_Comm comm = atn_interpose_private_world(atn_tracer_pmpi.Comm_create);
    const atn_trace_sync sync = atn_tracer_compare_clocks(comm);
    const int timed = atn_tracer_time_messages(comm, bytes, ns);
    atn_tracer_pmpi.Comm_free(&comm);
    atn_tracer_rec.on = atn_tracer_rec.fast = false;
    atn_tracer_allow_fast_polls(false);
    if (atn_tracer_rec.writer == NULL)
        return;
    atn_trace_write_sync(atn_tracer_rec.writer, sync.at, sync.offset, sync.within);
    if (timed > 0)
        atn_trace_write_times(atn_tracer_rec.writer, bytes, ns, timed);
}

/* After MPI_Finalize: MPI must not be called. */
static void close_file(const void *from, int64_t enter, int64_t exit)
{
    if (atn_tracer_rec.writer == NULL)
        return;
    atn_tracer_record_plain(ATN_TRACE_FINALIZE, from, enter, exit);
    atn_trace_polls(atn_tracer_rec.writer, atn_tracer_polls(), atn_tracer_polls_ns());
    const int error = atn_trace_error(atn_tracer_rec.writer);
    if (!atn_trace_close(atn_tracer_rec.writer))
        atn_interpose_print_line("rank %d could not write all of its trace: %s", atn_tracer_rec.r,
                                 strerror(error != 0 ? error : EIO));
    record_with(NULL);
    atn_tracer_tables_free();
}

int atn_tracer_Finalize(int (*next)(void), const void *from)
{
    const bool outer = atn_depth == 0;
    const int64_t enter = atn_tracer_enter();
    if (outer)
        stop();
    const int code = next();
    const int64_t exit = atn_tracer_leave();
    if (outer)
        close_file(from, enter, exit);
    return code;
}

/* Keeps the trace of programs that end without MPI_Finalize. */
__attribute__((destructor)) static void flush_at_exit(void)
{
    if (atn_tracer_rec.writer != NULL && owner == getpid())
        atn_trace_flush(atn_tracer_rec.writer);
}

int atn_tracer_Abort(int (*next)(MPI_Comm, int), const void *from, MPI_Comm comm, int code)
{
    (void)from;
    flush_at_exit();
    return next(comm, code);
}

__attribute__((constructor)) static void begin_at_load(void) { atn_tracer_tick_rate_begin(); }
