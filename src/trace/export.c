/* export.c - see export.h. */
#include "trace/export.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "trace/match.h"

/* ---- csv ---- */

/* Names of types and programs may contain any character; quotes them for CSV. */
static void csv_name(FILE *f, const char *text)
{
    const bool quoted = text[strcspn(text, ",\"")] != '\0';
    fputs(quoted ? "\"" : "", f);
    for (; *text != '\0'; text++)
        if (*text == '"')
            fputs("\"\"", f);
        else
            fputc((unsigned char)*text < ' ' ? ' ' : *text, f);
    fputs(quoted ? "\"" : "", f);
}

/* By flags: the wildcards of a receive, whose partner and tag are those of the message. */
static const char *const wildcards[] = {
    [ATN_TRACE_ANY_SOURCE_POSTED] = "any-source",
    [ATN_TRACE_ANY_TAG_POSTED] = "any-tag",
    [ATN_TRACE_ANY_SOURCE_POSTED | ATN_TRACE_ANY_TAG_POSTED] = "any",
    [0] = "",
};

static void csv_line(FILE *f, const atn_trace *t, int r, const atn_trace_event *e)
{
    char site[300], type[128], partner[16];
    fprintf(f, "%d,%s,%" PRId64 ",%" PRId64 ",", r, atn_trace_op_get((atn_trace_op)e->op)->name,
            e->enter, e->exit);
    if (e->comm >= 0)
        fprintf(f, "%d", e->comm);
    fprintf(f, ",%s,",
            e->partner == ATN_TRACE_NO_RANK ? "" : atn_trace_partner_name(e->partner, partner));
    if (e->tag >= 0)
        fprintf(f, "%d", e->tag);
    else if (e->tag == ATN_TRACE_ANY_TAG)
        fputs("any", f);
    fprintf(f, ",%" PRId64 ",%" PRId64 ",", e->bytes, e->count);
    csv_name(f, e->type >= 0 ? atn_trace_type_name(t, e->type, type, sizeof type) : "");
    fprintf(f, ",0x%" PRIx64 ",", e->buffer);
    csv_name(f, e->site >= 0 ? atn_trace_site_name(t, e->site, site, sizeof site) : "");
    fputc(',', f);
    if (e->request > 0)
        fprintf(f, "%" PRIu32, e->request);
    fprintf(f, ",%d,%d,%d,%s\n", e->depth, e->thread, atn_trace_is_part(e),
            wildcards[e->flags & 3]);
}

void atn_trace_csv(FILE *f, const atn_trace *t, int rank)
{
    fputs("rank,op,enter_ns,exit_ns,comm,partner,tag,bytes,count,type,buffer,site,request,depth,"
          "thread,part,asked\n",
          f);
    for (int r = 0; r < t->p; r++)
        for (int i = 0; i < t->ranks[r].events.n && (rank < 0 || r == rank); i++)
            csv_line(f, t, r, &t->ranks[r].events.v[i]);
}

/* ---- Chrome and Perfetto ---- */

static const char *const categories[] = {
    [ATN_TRACE_IS_SEND] = "send",           [ATN_TRACE_IS_RECV] = "receive",
    [ATN_TRACE_IS_COLL] = "collective",     [ATN_TRACE_IS_WAIT] = "wait",
    [ATN_TRACE_IS_DONE] = "wait",           [ATN_TRACE_IS_OTHER] = "other",
    [ATN_TRACE_IS_ONE_SIDED] = "one-sided", [ATN_TRACE_IS_FILE] = "file",
};

/* Names of programs and hosts may contain any character. */
static void put_text(FILE *f, const char *text)
{
    fputc('"', f);
    for (; text != NULL && *text != '\0'; text++)
        if (*text == '"' || *text == '\\')
            fprintf(f, "\\%c", *text);
        else if ((unsigned char)*text < ' ')
            fprintf(f, "\\u%04x", (unsigned char)*text);
        else
            fputc(*text, f);
    fputc('"', f);
}

/* Nanoseconds as microseconds, exactly. */
static void put_us(FILE *f, const char *key, int64_t ns)
{
    fprintf(f, ",\"%s\":%" PRId64 ".%03d", key, ns / 1000, (int)(ns % 1000));
}

static void put_rank(FILE *f, const atn_trace *t, int r)
{
    char name[300];
    const char *const host = t->ranks[r].host != NULL ? t->ranks[r].host : "?";
    snprintf(name, sizeof name, "rank %d on %s", r, host);
    fprintf(f,
            "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":%d,\"tid\":0,\"args\":{\"name\":", r);
    put_text(f, name);
    fprintf(f,
            "}},\n{\"ph\":\"M\",\"name\":\"process_sort_index\",\"pid\":%d,\"tid\":0,\"args\":"
            "{\"sort_index\":%d}}",
            r, r);
}

static void put_slice(FILE *f, const atn_trace *t, int r, const atn_trace_event *e)
{
    char name[300];
    fprintf(f, ",\n{\"ph\":\"X\",\"name\":\"%s\",\"cat\":\"%s\",\"pid\":%d,\"tid\":%d",
            atn_trace_op_get((atn_trace_op)e->op)->name, categories[atn_trace_class_of(e)], r,
            e->thread);
    put_us(f, "ts", e->enter);
    put_us(f, "dur", e->exit - e->enter);
    fprintf(f, ",\"args\":{\"bytes\":%" PRId64, e->bytes);
    if (e->partner != ATN_TRACE_NO_RANK)
        fprintf(f, ",\"partner\":\"%s\"", atn_trace_partner_name(e->partner, name));
    if (e->tag >= 0)
        fprintf(f, ",\"tag\":%d", e->tag);
    if (e->comm >= 0) {
        fputs(",\"comm\":", f);
        put_text(f, atn_trace_comm_name(t, e->comm, name, sizeof name));
    }
    fputs(",\"site\":", f);
    put_text(f, atn_trace_site_name(t, e->site, name, sizeof name));
    fputs("}}", f);
}

/* From the send to the end of the call that completed the receive: arrows bind to the slices
 * there. */
static void put_arrow(FILE *f, const atn_trace *t, const atn_trace_message *m, int id)
{
    const atn_trace_event *const s = &t->ranks[m->from].events.v[m->send];
    if (m->completed == INT64_MAX)
        return;
    fprintf(f,
            ",\n{\"ph\":\"s\",\"name\":\"message\",\"cat\":\"message\",\"id\":%d,\"pid\":%d,"
            "\"tid\":%d",
            id, m->from, s->thread);
    put_us(f, "ts", s->enter);
    fprintf(f,
            "},\n{\"ph\":\"f\",\"bp\":\"e\",\"name\":\"message\",\"cat\":\"message\",\"id\":%d,"
            "\"pid\":%d,\"tid\":%d",
            id, m->to, t->ranks[m->to].events.v[m->receive].thread);
    put_us(f, "ts", m->completed);
    fputc('}', f);
}

/* ---- the limit: the shortest calls are left out ---- */

typedef ATN_VEC(int64_t) durations;

typedef struct {
    int64_t least;    /* duration of calls that are exported */
    int64_t equal;    /* of that duration: number that is exported */
    int64_t left_out; /* calls */
} selection;

static int by_duration(const void *x, const void *y)
{
    const int64_t a = *(const int64_t *)x, b = *(const int64_t *)y;
    return (a < b) - (a > b);
}

static bool collect(const atn_trace *t, durations *d)
{
    bool ok = true;
    for (int r = 0; r < t->p; r++)
        for (int i = 0; i < t->ranks[r].events.n && ok; i++) {
            const atn_trace_event *const e = &t->ranks[r].events.v[i];
            ok = atn_trace_is_part(e) || atn_push(d, e->exit - e->enter);
        }
    return ok;
}

static bool choose(const atn_trace *t, int64_t limit, selection *s)
{
    durations d = {0};
    *s = (selection){.least = INT64_MIN};
    const bool ok = collect(t, &d);
    if (ok && limit > 0 && d.n > limit) {
        qsort(d.v, (size_t)d.n, sizeof *d.v, by_duration);
        s->least = d.v[limit - 1];
        s->left_out = d.n - limit;
        for (int64_t i = limit - 1; i >= 0 && d.v[i] == s->least; i--)
            s->equal++;
    }
    atn_vec_free(&d);
    return ok;
}

static bool is_exported(selection *s, const atn_trace_event *e)
{
    const int64_t duration = e->exit - e->enter;
    return duration > s->least || (duration == s->least && s->equal-- > 0);
}

/* Both slices are surely there. */
static bool is_joined(const selection *s, const atn_trace *t, const atn_trace_message *m)
{
    const atn_trace_event *const from = &t->ranks[m->from].events.v[m->send];
    const atn_trace_event *const to = &t->ranks[m->to].events.v[m->receive];
    return from->exit - from->enter > s->least && to->exit - to->enter > s->least;
}

atn_status atn_trace_chrome(FILE *f, const atn_trace *t, int64_t limit, int64_t *left_out_p,
                            atn_error *err)
{
    atn_trace_messages m = {.v = {0}};
    selection s;
    if (!choose(t, limit, &s))
        return atn_fail(err, ATN_MEMORY, "out of memory");
    const atn_status status = atn_trace_match(t, &m, err);
    if (status != ATN_OK)
        return status;
    fputs("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n", f);
    for (int r = 0; r < t->p; r++) {
        fputs(r > 0 ? ",\n" : "", f);
        put_rank(f, t, r);
    }
    for (int r = 0; r < t->p; r++)
        for (int i = 0; i < t->ranks[r].events.n; i++) {
            const atn_trace_event *const e = &t->ranks[r].events.v[i];
            if (!atn_trace_is_part(e) && is_exported(&s, e))
                put_slice(f, t, r, e);
        }
    for (int i = 0; i < m.v.n; i++)
        if (is_joined(&s, t, &m.v.v[i]))
            put_arrow(f, t, &m.v.v[i], i + 1);
    fputs("\n]}\n", f);
    atn_trace_messages_free(&m);
    *left_out_p = s.left_out;
    return ATN_OK;
}
