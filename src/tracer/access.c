/* access.c - one-sided communication and files.  The trace shows a window or file as the
 * communicator that it was created on. */
#include "tracer/polls.h"

/* The arguments of a call (routines.def). */
typedef struct {
    const atn_traced_comm *c;
    const void *buf;
    int64_t count, bytes;
    int type, partner;
    const MPI_Request *request;
} access;

static access empty(int comm)
{
    return (access){.c = atn_tracer_comm_at(comm), .type = -1, .partner = ATN_TRACE_NO_RANK};
}

static void set_data(access *s, const void *buf, int64_t count, MPI_Datatype type)
{
    const atn_traced_type *const t = atn_tracer_find_type(type);
    s->buf = buf;
    s->count = count;
    s->bytes = count * t->bytes;
    s->type = t->number;
}

static void keep(atn_handles *table, uint64_t key, const atn_traced_comm *c)
{
    if (c->number >= 0)
        atn_trace_handles_set(table, key, (uint32_t)c->number);
}

static void put(atn_trace_op op, const void *from, const access *s, int64_t enter, int64_t exit)
{
    const atn_trace_what what = {.op = (uint8_t)op,
                                 .depth = (uint8_t)atn_depth,
                                 .thread = atn_tracer_thread,
                                 .count = s->count,
                                 .bytes = s->bytes,
                                 .buffer = (uintptr_t)s->buf,
                                 .partner = s->partner,
                                 .tag = ATN_TRACE_NO_TAG,
                                 .comm = s->c->number,
                                 .type = s->type,
                                 .site = atn_tracer_find_site(from)};
    atn_trace_put(atn_tracer_rec.writer, &what, enter, exit, 0);
    if (s->request != NULL)
        atn_tracer_add_request(*s->request, atn_trace_last_request(atn_tracer_rec.writer), false,
                               -1);
}

#define OF(table, handle)                                                                          \
    atn_tracer_comm_at((int)atn_trace_handles_get(&atn_tracer_rec.table, ATN_KEY(handle)))
#define ON_COMM(comm)          s.c = atn_tracer_find_comm(comm);
#define ON_WIN(win)            s.c = OF(comm_of_window, win);
#define ON_FILE(file)          s.c = OF(comm_of_file, file);
#define WITH(rank)             s.partner = atn_tracer_partner(s.c, rank);
#define DATA(buf, count, type) set_data(&s, buf, count, type);
#define MAKES(made)            s.request = made;
#define KEEPS_WIN(win)         keep(&atn_tracer_rec.comm_of_window, ATN_KEY(*(win)), s.c);
#define KEEPS_FILE(file)       keep(&atn_tracer_rec.comm_of_file, ATN_KEY(*(file)), s.c);

#define ATN_ACCESS(name, id, formals, actuals, ...)                                                \
    int atn_tracer_##name(int(*next) formals, const void *from, ATN_FORMALS(formals))              \
    {                                                                                              \
        ATN_RECORD_CALL(next actuals, access s = empty(-1);                                        \
                        __VA_ARGS__ put(ATN_TRACE_##id, from, &s, enter, exit);)                   \
    }
#include "tracer/routines.def"

static void record(atn_trace_op op, const void *from, int comm, int64_t enter, int64_t exit)
{
    atn_tracer_lock();
    const access s = empty(comm);
    put(op, from, &s, enter, exit);
    atn_tracer_unlock();
}

static int comm_of(const atn_handles *table, uint64_t key)
{
    atn_tracer_lock();
    const int comm = (int)atn_trace_handles_get(table, key);
    atn_tracer_unlock();
    return comm;
}

int atn_tracer_Win_test(int (*next)(MPI_Win, int *), const void *from, MPI_Win win, int *flag)
{
    if (!atn_tracer_is_recorded())
        ATN_PASS(next(win, flag));
    const int64_t enter = atn_tracer_enter_poll();
    const int code = next(win, flag);
    atn_depth--;
    if (code != MPI_SUCCESS || !*flag) {
        atn_tracer_count_unsuccessful(enter);
    } else {
        const int64_t took = atn_tracer_poll_took(enter), exit = atn_tracer_now();
        record(ATN_TRACE_WIN_TEST, from, comm_of(&atn_tracer_rec.comm_of_window, ATN_KEY(win)),
               exit - took, exit);
    }
    return code;
}

/* Before the real routine, because MPI may then reuse the handle in another thread. */
static int remove_handle(atn_handles *table, uint64_t key)
{
    atn_tracer_lock();
    const int comm = (int)atn_trace_handles_remove(table, key);
    atn_tracer_unlock();
    return comm;
}

#define ENDS(name, id, handle_type, table)                                                         \
    int atn_tracer_##name(int (*next)(handle_type *), const void *from, handle_type *handle)       \
    {                                                                                              \
        if (!atn_tracer_is_recorded() || handle == NULL)                                           \
            ATN_PASS(next(handle));                                                                \
        const int comm = remove_handle(&atn_tracer_rec.table, ATN_KEY(*handle));                   \
        const int64_t enter = atn_tracer_enter();                                                  \
        const int code = next(handle);                                                             \
        const int64_t exit = atn_tracer_leave();                                                   \
        if (code == MPI_SUCCESS)                                                                   \
            record(ATN_TRACE_##id, from, comm, enter, exit);                                       \
        return code;                                                                               \
    }
ENDS(Win_free, WIN_FREE, MPI_Win, comm_of_window)
ENDS(File_close, FILE_CLOSE, MPI_File, comm_of_file)
