/* read.c - reads a folder of files into one job: selects the files of the job, checks them,
 * converts times to one clock and numbers to those of the job. */
#include <dirent.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "trace/read_private.h"

typedef ATN_VEC(atn_trace_file) raws;

typedef struct {
    atn_trace *t;
    atn_trace_how how;
    raws files;
    atn_error *err;
} reading;

/* With ATN_TRACE_WHOLE the first problem is the error. */
static atn_status problem(reading *g, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static atn_status problem(reading *g, const char *format, ...)
{
    atn_trace_problem p;
    va_list args;
    va_start(args, format);
    vsnprintf(p.text, sizeof p.text, format, args);
    va_end(args);
    if (g->how == ATN_TRACE_WHOLE)
        return atn_fail(g->err, ATN_INPUT, "%s; --partial reads this part", p.text);
    return atn_push(&g->t->problems, p) ? ATN_OK : atn_fail(g->err, ATN_MEMORY, "out of memory");
}

void atn_trace_free(atn_trace *t)
{
    if (t == NULL)
        return;
    for (int r = 0; r < t->p && t->ranks != NULL; r++) {
        atn_trace_rank *const rank = &t->ranks[r];
        free(rank->file);
        free(rank->host);
        free(rank->program);
        free(rank->library);
        free(rank->clock);
        atn_vec_free(&rank->syncs);
        atn_vec_free(&rank->times);
        atn_vec_free(&rank->events);
        atn_trace_rows_free(rank);
    }
    for (int i = 0; i < t->comms.n; i++)
        free(t->comms.v[i].ranks);
    for (int i = 0; i < t->sites.n; i++)
        free(t->sites.v[i].module);
    for (int i = 0; i < t->types.n; i++)
        free(t->types.v[i].name);
    atn_vec_free(&t->comms);
    atn_vec_free(&t->sites);
    atn_vec_free(&t->types);
    atn_vec_free(&t->problems);
    free(t->ranks);
    free(t->where);
    free(t);
}

/* ---- files of the folder ---- */

static int is_trace(const struct dirent *d)
{
    const size_t n = strlen(d->d_name);
    return n > 6 && strcmp(d->d_name + n - 6, ".trace") == 0;
}

static atn_status read_one(reading *g, const char *name)
{
    char path[4096];
    atn_trace_file raw;
    atn_error err = {0};
    snprintf(path, sizeof path, "%s/%s", g->t->where, name);
    const atn_status status = atn_trace_file_read(path, &raw, &err);
    if (status == ATN_INPUT)
        return problem(g, "%s; files of other ranks can be used", err.text);
    if (status != ATN_OK)
        return atn_fail(g->err, status, "%s", err.text);
    if (atn_push(&g->files, raw))
        return ATN_OK;
    atn_trace_file_free(&raw);
    return atn_fail(g->err, ATN_MEMORY, "out of memory");
}

static atn_status read_files(reading *g)
{
    struct dirent **names = NULL;
    const int n = scandir(g->t->where, &names, is_trace, alphasort);
    if (n < 0 && errno == ENOTDIR)
        return atn_fail(g->err, ATN_INPUT,
                        "%s: is a file; a trace is the folder with one file per rank", g->t->where);
    if (n < 0)
        return atn_fail(g->err, ATN_INPUT, "%s: cannot be read: %s", g->t->where, strerror(errno));
    atn_status status = ATN_OK;
    for (int i = 0; i < n; i++) {
        if (status == ATN_OK)
            status = read_one(g, names[i]->d_name);
        free(names[i]);
    }
    free(names);
    if (status == ATN_OK && g->files.n == 0)
        status = atn_fail(g->err, ATN_INPUT,
                          "%s: holds no trace that can be read (rank-*.trace); record one with "
                          "attune trace record -o %s -- mpirun ...",
                          g->t->where, g->t->where);
    return status;
}

/* ---- selection of the job ---- */

/* The job that most files belong to; the first one if several have the same number. */
static const atn_trace_file *pick_job(const raws *files)
{
    int best = 0, most = 0;
    for (int i = 0; i < files->n; i++) {
        int same = 0;
        for (int k = 0; k < files->n; k++)
            same += files->v[k].job == files->v[i].job;
        if (same > most) {
            most = same;
            best = i;
        }
    }
    return &files->v[best];
}

static atn_status drop_strangers(reading *g, const atn_trace_file *job)
{
    atn_status status = ATN_OK;
    for (int i = 0; i < g->files.n && status == ATN_OK; i++) {
        const atn_trace_file *const f = &g->files.v[i];
        if (f->job != job->job)
            status = problem(g,
                             "%s: was recorded by another job than %s (%016llx, not %016llx); "
                             "the other ranks can be used without it",
                             f->path, job->name, (unsigned long long)f->job,
                             (unsigned long long)job->job);
    }
    return status;
}

static atn_status place_ranks(reading *g, uint64_t job, atn_trace_file **by_rank)
{
    atn_status status = ATN_OK;
    for (int i = 0; i < g->files.n && status == ATN_OK; i++) {
        atn_trace_file *const f = &g->files.v[i];
        if (f->job != job || f->rank >= g->t->p)
            continue;
        if (by_rank[f->rank] == NULL)
            by_rank[f->rank] = f;
        else
            status = problem(g, "%s: contains rank %d, as does %s; the first file can be used",
                             f->path, f->rank, by_rank[f->rank]->name);
    }
    for (int r = 0; r < g->t->p && status == ATN_OK; r++)
        if (by_rank[r] == NULL)
            status = problem(g,
                             "%s/" ATN_TRACE_FILE ": rank %d of %d is missing; the other ranks can "
                             "be used, except their communication with it",
                             g->t->where, r, r, g->t->p);
    return status;
}

/* ---- checks of a file ---- */

static double seconds_of(const atn_trace_file *f)
{
    const int n = f->r.events.n;
    return n > 0 ? 1e-9 * (double)(f->r.events.v[n - 1].exit - f->r.events.v[0].enter) : 0;
}

/* The times of later events are meaningless. */
static atn_status cut_at_jump(reading *g, atn_trace_file *f)
{
    if (f->backwards < 0)
        return ATN_OK;
    f->r.events.n = (int)f->backwards;
    return problem(g,
                   "%s: clock jump: event %lld starts before the end of the previous one; the "
                   "events before it (%.3f s) can be used",
                   f->path, (long long)f->backwards, seconds_of(f));
}

static atn_status check_clock(reading *g, atn_trace_file *f)
{
    if (!atn_trace_clock_jumped(f->r.syncs.v, f->r.syncs.n))
        return ATN_OK;
    const atn_trace_sync *const a = f->r.syncs.v, *const b = a + f->r.syncs.n - 1;
    f->r.syncs.n = 1;
    return problem(
        g,
        "%s: clock jump: %.6f s against rank 0 at the start and %.6f s at the end; times "
        "can be used, converted by the first comparison",
        f->path, 1e-9 * (double)a->offset, 1e-9 * (double)b->offset);
}

static atn_status check_file(reading *g, atn_trace_file *f)
{
    atn_status status = ATN_OK;
    const long long n = f->r.events.n;
    if (f->lost > 0)
        status =
            problem(g, "%s: %lld blocks are damaged; the %lld events of the others can be used",
                    f->path, (long long)f->lost, n);
    if (status == ATN_OK && f->cut)
        status = problem(g,
                         "%s: is truncated in its last block; its first %lld events (%.3f s) can "
                         "be used",
                         f->path, n, seconds_of(f));
    else if (status == ATN_OK && !f->r.finished)
        status = problem(g,
                         "%s: ends before MPI_Finalize, so the job was killed or still runs; its "
                         "first %lld events (%.3f s) can be used",
                         f->path, n, seconds_of(f));
    if (status == ATN_OK && f->r.dropped > 0)
        status = problem(g,
                         "%s: the last %lld calls were not recorded (ATTUNE_TRACE_LIMIT, or a full "
                         "disk); its first %lld events can be used",
                         f->path, (long long)f->r.dropped, n);
    if (status == ATN_OK)
        status = cut_at_jump(g, f);
    return status == ATN_OK ? check_clock(g, f) : status;
}

/* ---- numbers of the job ---- */

typedef struct {
    int *v, n; /* number of the file -> number of the job */
} map;

static bool map_set(map *m, int from, int to)
{
    if (from < 0 || from > 1 << 24)
        return true;
    if (from >= m->n) {
        int *const v = realloc(m->v, ((size_t)from + 1) * sizeof *v);
        if (v == NULL)
            return false;
        for (int i = m->n; i <= from; i++)
            v[i] = -1;
        m->v = v;
        m->n = from + 1;
    }
    m->v[from] = to;
    return true;
}

static int map_get(const map *m, int from) { return from >= 0 && from < m->n ? m->v[from] : -1; }

static int comm_number(atn_trace *t, atn_trace_file_comm *c)
{
    int i = 0;
    while (i < t->comms.n && t->comms.v[i].id != c->id)
        i++;
    if (i == t->comms.n && !atn_push(&t->comms, (atn_trace_comm){.id = c->id, .size = c->size}))
        return -2;
    if (t->comms.v[i].ranks == NULL) {
        t->comms.v[i].ranks = c->ranks;
        c->ranks = NULL;
    }
    return i;
}

static int type_number(atn_trace *t, atn_trace_file_type *y)
{
    for (int i = 0; i < t->types.n; i++)
        if (t->types.v[i].bytes == y->bytes && strcmp(t->types.v[i].name, y->name) == 0)
            return i;
    if (!atn_push(&t->types, (atn_trace_type){.name = y->name, .bytes = y->bytes}))
        return -2;
    y->name = NULL;
    return t->types.n - 1;
}

static const char *module_path(const atn_trace_file *f, int number)
{
    for (int i = 0; i < f->modules.n; i++)
        if (f->modules.v[i].number == number)
            return f->modules.v[i].path;
    return "?";
}

static int site_number(atn_trace *t, const atn_trace_file *f, const atn_trace_file_site *s)
{
    const char *const path = module_path(f, s->module);
    for (int i = 0; i < t->sites.n; i++)
        if (t->sites.v[i].offset == s->offset && strcmp(t->sites.v[i].module, path) == 0)
            return i;
    char *const copy = strdup(path);
    if (copy != NULL && atn_push(&t->sites, (atn_trace_site){.module = copy, .offset = s->offset}))
        return t->sites.n - 1;
    free(copy);
    return -2;
}

typedef struct {
    map comms, types, sites;
} maps;

static bool make_maps(atn_trace *t, atn_trace_file *f, maps *m)
{
    bool ok = true;
    for (int i = 0; i < f->comms.n && ok; i++)
        ok = map_set(&m->comms, f->comms.v[i].number, comm_number(t, &f->comms.v[i]));
    for (int i = 0; i < f->types.n && ok; i++)
        ok = map_set(&m->types, f->types.v[i].number, type_number(t, &f->types.v[i]));
    for (int i = 0; i < f->sites.n && ok; i++)
        ok = map_set(&m->sites, f->sites.v[i].number, site_number(t, f, &f->sites.v[i]));
    return ok;
}

static void translate(atn_trace_file *f, const maps *m)
{
    for (int i = 0; i < f->r.events.n; i++) {
        atn_trace_event *const e = &f->r.events.v[i];
        e->comm = map_get(&m->comms, e->comm);
        e->type = map_get(&m->types, e->type);
        e->site = map_get(&m->sites, e->site);
        e->enter = atn_trace_common_time(f->r.syncs.v, f->r.syncs.n, e->enter);
        e->exit = atn_trace_common_time(f->r.syncs.v, f->r.syncs.n, e->exit);
    }
}

static atn_status adopt(reading *g, atn_trace_file *f)
{
    maps m = {.comms = {0}};
    atn_trace_rank *const rank = &g->t->ranks[f->rank];
    atn_status status = check_file(g, f);
    if (status == ATN_OK && !make_maps(g->t, f, &m))
        status = atn_fail(g->err, ATN_MEMORY, "out of memory");
    if (status == ATN_OK) {
        translate(f, &m);
        *rank = f->r;
        rank->file = f->path;
        rank->present = true;
        f->path = NULL;
        f->name = "";
        f->r = (atn_trace_rank){0};
    }
    free(m.comms.v);
    free(m.types.v);
    free(m.sites.v);
    return status;
}

/* Time starts with the first call of the job. */
static void start_at_zero(atn_trace *t)
{
    int64_t first = INT64_MAX;
    for (int r = 0; r < t->p; r++)
        for (int i = 0; i < t->ranks[r].events.n; i++)
            if (t->ranks[r].events.v[i].enter < first)
                first = t->ranks[r].events.v[i].enter;
    for (int r = 0; r < t->p; r++)
        for (int i = 0; i < t->ranks[r].events.n; i++) {
            atn_trace_event *const e = &t->ranks[r].events.v[i];
            e->enter -= first;
            e->exit -= first;
            if (e->exit > t->end)
                t->end = e->exit;
        }
}

static atn_status assemble(reading *g)
{
    atn_trace *const t = g->t;
    const atn_trace_file *const job = pick_job(&g->files);
    t->job = job->job;
    t->wall_ns = job->wall_ns;
    t->p = job->ranks;
    t->ranks = calloc((size_t)t->p, sizeof *t->ranks);
    atn_trace_file **const by_rank = calloc((size_t)t->p, sizeof *by_rank);
    atn_status status = t->ranks != NULL && by_rank != NULL
                            ? drop_strangers(g, job)
                            : atn_fail(g->err, ATN_MEMORY, "out of memory");
    if (status == ATN_OK)
        status = place_ranks(g, t->job, by_rank);
    for (int r = 0; r < t->p && status == ATN_OK; r++)
        if (by_rank[r] != NULL)
            status = adopt(g, by_rank[r]);
    free(by_rank);
    if (status == ATN_OK)
        start_at_zero(t);
    return status;
}

atn_status atn_trace_read(const char *folder, atn_trace_how how, atn_trace **t_p, atn_error *err)
{
    reading g = {.t = calloc(1, sizeof *g.t), .how = how, .err = err};
    if (g.t == NULL || (g.t->where = strdup(folder)) == NULL) {
        free(g.t);
        return atn_fail(err, ATN_MEMORY, "out of memory");
    }
    atn_status status = read_files(&g);
    if (status == ATN_OK)
        status = assemble(&g);
    for (int i = 0; i < g.files.n; i++)
        atn_trace_file_free(&g.files.v[i]);
    atn_vec_free(&g.files);
    if (status == ATN_OK)
        *t_p = g.t;
    else
        atn_trace_free(g.t);
    return status;
}

/* ---- names ---- */

const char *atn_trace_comm_name(const atn_trace *t, int comm, char *out, size_t size)
{
    if (comm < 0 || comm >= t->comms.n)
        snprintf(out, size, "-");
    else if (comm == 0 && t->comms.v[0].size == t->p)
        snprintf(out, size, "MPI_COMM_WORLD");
    else
        snprintf(out, size, "comm %d", comm);
    return out;
}

const char *atn_trace_site_name(const atn_trace *t, int site, char *out, size_t size)
{
    if (site < 0 || site >= t->sites.n) {
        snprintf(out, size, "-");
        return out;
    }
    const atn_trace_site *const s = &t->sites.v[site];
    const char *const slash = strrchr(s->module, '/');
    snprintf(out, size, "%s+0x%llx", slash != NULL ? slash + 1 : s->module,
             (unsigned long long)s->offset);
    return out;
}

const char *atn_trace_type_name(const atn_trace *t, int type, char *out, size_t size)
{
    if (type < 0 || type >= t->types.n)
        snprintf(out, size, "-");
    else if (*t->types.v[type].name != '\0')
        snprintf(out, size, "%s", t->types.v[type].name);
    else
        snprintf(out, size, "type of %lld bytes", (long long)t->types.v[type].bytes);
    return out;
}

const char *atn_trace_partner_name(int partner, char out[16])
{
    static const char *const names[] = {"-", "any", "null", "foreign"};
    if (partner >= 0)
        snprintf(out, 16, "%d", partner);
    else
        snprintf(out, 16, "%s", partner >= ATN_TRACE_FOREIGN ? names[-partner - 1] : "?");
    return out;
}

double atn_trace_message_s(const atn_trace *t, int64_t bytes)
{
    const atn_trace_rank *const rank = &t->ranks[0];
    const atn_trace_time *const v = rank->times.v;
    const int n = rank->times.n;
    int i = 1;
    if (n == 0)
        return 0;
    if (n == 1 || bytes <= v[0].bytes)
        return 1e-9 * (double)v[0].ns;
    while (i < n - 1 && v[i].bytes < bytes)
        i++;
    const double slope = (double)(v[i].ns - v[i - 1].ns) / (double)(v[i].bytes - v[i - 1].bytes);
    return 1e-9 *
           ((double)v[i - 1].ns + (slope > 0 ? slope : 0) * (double)(bytes - v[i - 1].bytes));
}
