/* record.c - see record.h.
 *
 * Each rank records its part: its own size, or its row of the matrix.  Equal records are kept
 * once, with the sequence of calls; MPI_Finalize gathers them on rank 0, where equal calls are
 * counted. */
#include "pmpi/observe/record.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "algo/pattern.h"
#include "pmpi/own.h"

enum { MAX_NOTES = 1 << 14, MAX_CALLS = 1 << 20 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static ATN_VEC(int64_t) notes; /* each is: operation, length, sizes */
static ATN_VEC(int) starts;    /* of notes */
static ATN_VEC(int) calls;     /* which note each call is */
static bool lost;              /* memory or a limit did not suffice */

/* ---- one call ---- */

static int64_t count_at(const atn_call *call, const void *counts, int i)
{
    return call->wide ? (int64_t)((const MPI_Count *)counts)[i] : ((const int *)counts)[i];
}

static int64_t bytes_at(const atn_call *call, const atn_user *u, int i)
{
    int size = 0;
    PMPI_Type_size(u->types != NULL ? u->types[i] : u->type, &size);
    return size * (u->counts != NULL ? count_at(call, u->counts, i) : u->count);
}

/* The side that determines how much this rank sends or receives. */
static const atn_user *side_of(const atn_comm *c, const atn_call *call)
{
    const bool root = c->r == call->root;
    switch (call->op) {
    case ATN_GATHERV:
        return root ? &call->dst : &call->src;
    case ATN_SCATTERV:
        return root ? &call->src : &call->dst;
    case ATN_ALLGATHERV:
        return &call->dst;
    default:
        return call->in_place ? &call->dst : &call->src;
    }
}

static void make_note(const atn_comm *c, const atn_call *call, int64_t *note)
{
    const atn_user *const u = side_of(c, call);
    const bool line = atn_algo_pattern_is_line(call->op);
    note[0] = (int64_t)call->op;
    note[1] = line ? 1 : c->p;
    for (int i = 0; i < (int)note[1]; i++)
        note[2 + i] = bytes_at(call, u, line ? (u->counts != NULL ? c->r : 0) : i);
}

static int find_note(const int64_t *note)
{
    const size_t n = (size_t)(2 + note[1]) * sizeof *note;
    for (int i = starts.n - 1; i >= 0; i--) {
        const int64_t *const other = notes.v + starts.v[i];
        if (other[1] == note[1] && memcmp(other, note, n) == 0)
            return i;
    }
    return -1;
}

static bool keep_note(const int64_t *note, int *number_p)
{
    const int start = notes.n;
    bool ok = starts.n < MAX_NOTES;
    for (int i = 0; i < 2 + (int)note[1] && ok; i++)
        ok = atn_push(&notes, note[i]);
    ok = ok && atn_push(&starts, start);
    if (!ok)
        notes.n = start;
    *number_p = starts.n - 1;
    return ok;
}

void atn_observe_record_add(const atn_comm *c, const atn_call *call)
{
    if (c->user != MPI_COMM_WORLD || !(atn_sched_operation_get(call->op)->flags & ATN_VARYING))
        return;
    int64_t *const note = malloc((size_t)(2 + c->p) * sizeof *note);
    pthread_mutex_lock(&lock);
    int number = -1;
    if (note != NULL && !lost) {
        make_note(c, call, note);
        number = find_note(note);
        if (number < 0 && !keep_note(note, &number))
            number = -1;
    }
    lost = lost || number < 0 || calls.n == MAX_CALLS || !atn_push(&calls, number);
    pthread_mutex_unlock(&lock);
    free(note);
}

/* ---- all ranks together ---- */

typedef struct {
    int64_t **notes; /* of each rank */
    int **calls;     /* where the note of each call begins */
    int n;           /* calls that all ranks recorded */
} gathered;

/* Along a tree, of each rank its number, the lengths of notes and calls, and both, in words. */
typedef struct {
    int64_t *v;
    int64_t n;
} word_pile;

enum { PART_RANK, PART_NOTES, PART_CALLS, PART_HEAD };

static int64_t words_of(int64_t ncalls) { return (ncalls + 1) / 2; }

/* Room for n more; NULL: no memory.  Rank 0 then misses a part. */
static int64_t *extend(word_pile *x, int64_t n)
{
    int64_t *const wider = realloc(x->v, (size_t)(x->n + n) * sizeof *wider);
    if (wider == NULL)
        return NULL;
    int64_t *const new = wider + x->n;
    x->v = wider;
    x->n += n;
    return new;
}

static void add_own(word_pile *x)
{
    int64_t *const part = extend(x, PART_HEAD + notes.n + words_of(calls.n));
    if (part == NULL)
        return;
    part[PART_RANK] = atn_job_current.r;
    part[PART_NOTES] = notes.n;
    part[PART_CALLS] = calls.n;
    memcpy(part + PART_HEAD, notes.v, (size_t)notes.n * sizeof *notes.v);
    memcpy(part + PART_HEAD + notes.n, calls.v, (size_t)calls.n * sizeof *calls.v);
}

static void take(void *context, const char *data, int64_t bytes)
{
    int64_t *const to = data != NULL ? extend(context, bytes / (int64_t)sizeof *to) : NULL;
    if (to != NULL)
        memcpy(to, data, (size_t)bytes);
}

static const char *give(void *context, int64_t *bytes_p)
{
    const word_pile *const x = context;
    *bytes_p = x->n * (int64_t)sizeof *x->v;
    return (const char *)x->v;
}

/* Returns how many there are. */
static int find_parts(const word_pile *x, gathered *all)
{
    int parts = 0;
    for (int64_t at = 0; at < x->n; parts++) {
        int64_t *const part = x->v + at;
        all->notes[part[PART_RANK]] = part + PART_HEAD;
        all->calls[part[PART_RANK]] = (int *)(part + PART_HEAD + part[PART_NOTES]);
        at += PART_HEAD + part[PART_NOTES] + words_of(part[PART_CALLS]);
    }
    return parts;
}

static bool same_call(const gathered *all, int p, int a, int b)
{
    for (int r = 0; r < p; r++)
        if (all->calls[r][a] != all->calls[r][b])
            return false;
    return true;
}

static void print_call(FILE *f, const gathered *all, int p, int call, int64_t times)
{
    const int64_t *const first = all->notes[0] + all->calls[0][call];
    fprintf(f, "call %s x%lld\n", atn_sched_operation_get((atn_operation)first[0])->name,
            (long long)times);
    for (int r = 0; r < p; r++) {
        const int64_t *const note = all->notes[r] + all->calls[r][call];
        for (int i = 0; i < (int)note[1]; i++)
            fprintf(f, "%s%lld", i > 0 || (note[1] == 1 && r > 0) ? " " : "",
                    (long long)note[2 + i]);
        if (note[1] > 1 || r == p - 1)
            fputc('\n', f);
    }
}

/* Each distinct call once; an equal call is usually near, so the search begins at the end. */
static void print_all(FILE *f, const gathered *all, int p)
{
    int *const times = calloc((size_t)all->n + 1, sizeof *times);
    int *const firsts = malloc(((size_t)all->n + 1) * sizeof *firsts);
    int n = 0;
    for (int i = 0; i < all->n && times != NULL && firsts != NULL; i++) {
        int k = n - 1;
        while (k >= 0 && !same_call(all, p, firsts[k], i))
            k--;
        if (k < 0)
            firsts[k = n++] = i;
        times[k]++;
    }
    fprintf(f, "attune-pattern 1\nranks %d\n", p);
    for (int k = 0; k < n; k++)
        print_call(f, all, p, firsts[k], times[k]);
    free(times);
    free(firsts);
}

static void write_file(const char *path, const gathered *all, int p)
{
    char *text = NULL;
    size_t bytes = 0;
    atn_error err = {0};
    FILE *const f = atn_open_text(&text, &bytes);
    if (f == NULL)
        return;
    print_all(f, all, p);
    if (fclose(f) == 0 && atn_write_file(path, text, bytes, &err) != ATN_OK)
        atn_interpose_print_line("%s", err.text);
    free(text);
}

static void write_parts(const char *path, const word_pile *x, int p, int common)
{
    gathered all = {.notes = calloc((size_t)p, sizeof *all.notes),
                    .calls = calloc((size_t)p, sizeof *all.calls),
                    .n = common};
    if (all.notes != NULL && all.calls != NULL && find_parts(x, &all) == p)
        write_file(path, &all, p);
    else
        atn_interpose_print_line("ATTUNE_RECORD: out of memory; nothing is written");
    free(all.notes);
    free(all.calls);
}

static void gather(const char *path, const atn_job *job, int common)
{
    word_pile x = {0};
    add_own(&x);
    atn_pmpi_own_collect(&(atn_collection){take, give, &x});
    if (job->r == 0)
        write_parts(path, &x, job->p, common);
    free(x.v);
}

void atn_observe_record_write(const char *path)
{
    const atn_job *const job = &atn_job_current;
    int common = calls.n, any = lost;
    for (int i = 0; i < calls.n; i++) /* from numbers to where notes begin */
        calls.v[i] = starts.v[calls.v[i]];
    atn_pmpi_own_allreduce(MPI_IN_PLACE, &common, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    atn_pmpi_own_allreduce(MPI_IN_PLACE, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (any && job->r == 0)
        atn_interpose_print_line(
            "ATTUNE_RECORD: too many different calls; the first %d are written", common);
    if (common > 0)
        gather(path, job, common);
    else if (job->r == 0)
        atn_interpose_print_line(
            "ATTUNE_RECORD: no call on MPI_COMM_WORLD has sizes that differ between ranks");
    atn_vec_free(&notes);
    atn_vec_free(&starts);
    atn_vec_free(&calls);
}
