/* tune_resume.c - resumes a killed `attune tune` from its file of samples. */
#include <stdlib.h>
#include <string.h>

#include "cli/tuning/tune.h"

typedef struct {
    char **v; /* lines */
    int n, tasks;
    int whole; /* lines up to the end of the last complete task or job */
    bool in_job, in_task;
} state;

static bool begins(const char *line, const char *word)
{
    const size_t n = strlen(word);
    return strncmp(line, word, n) == 0 && (line[n] == ' ' || line[n] == '\0');
}

/* Splits into lines; text after the last newline is incomplete. */
static bool split(char *text, state *s)
{
    ATN_VEC(char *) lines = {0};
    for (char *end; (end = strchr(text, '\n')) != NULL; text = end + 1) {
        *end = '\0';
        if (!atn_push(&lines, text)) {
            atn_vec_free(&lines);
            return false;
        }
    }
    s->v = lines.v;
    s->n = lines.n;
    return true;
}

static void find_end(state *s)
{
    for (int i = 0; i < s->n; i++) {
        const char *line = s->v[i];
        if (begins(line, "job"))
            s->in_job = true;
        else if (begins(line, "task"))
            s->in_task = ++s->tasks > 0;
        else if (begins(line, "done"))
            s->in_task = false;
        else if (begins(line, "end"))
            s->in_job = false;
        else
            continue;
        if (!s->in_task)
            s->whole = i + 1;
    }
}

/* Samples of an incomplete final count as those of racing rounds. */
static void put_variant(FILE *f, const char *line)
{
    char role[16];
    int number, used = 0;
    if (sscanf(line, "variant %d %15s %n", &number, role, &used) != 2)
        return;
    fprintf(f, "variant %d %s %s\n", number,
            strcmp(role, "named") == 0     ? "candidate"
            : strcmp(role, "control") == 0 ? "native"
                                           : role,
            line + used);
}

/* A variant is written just before its first sample, so only the last one can have none. */
static void put_task(FILE *f, const state *s)
{
    int n = s->n;
    while (n > s->whole && begins(s->v[n - 1], "variant"))
        n--;
    for (int i = s->whole; i < n; i++) {
        if (begins(s->v[i], "variant"))
            put_variant(f, s->v[i]);
        else if (!begins(s->v[i], "fate") && !begins(s->v[i], "failed"))
            fprintf(f, "%s\n", s->v[i]);
    }
    fputs("done\n", f);
}

/* A file of another format, recognised by its first line that is not a comment. */
static bool is_foreign(const char *text, size_t bytes)
{
    static const char head[] = "attune-samples";
    for (size_t at = 0; at < bytes; at++) {
        const char *end = memchr(text + at, '\n', bytes - at);
        const size_t n = end != NULL ? (size_t)(end - text) - at : bytes - at;
        if (n > 0 && text[at] != '#')
            return strncmp(text + at, head, n < sizeof head ? n : sizeof head - 1) != 0;
        at += n;
    }
    return false;
}

static atn_status write_again(const char *path, const state *s, atn_error *err)
{
    char *made = NULL;
    size_t size = 0;
    FILE *f = atn_open_text(&made, &size);
    if (f == NULL)
        return atn_fail(err, ATN_MEMORY, "out of memory");
    for (int i = 0; i < s->whole; i++)
        fprintf(f, "%s\n", s->v[i]);
    if (s->in_task)
        put_task(f, s);
    if (s->in_job)
        fputs("end\n", f);
    atn_status status = fclose(f) == 0 ? ATN_OK : atn_fail(err, ATN_MEMORY, "out of memory");
    if (status == ATN_OK)
        status = atn_write_file(path, made, size, err);
    free(made);
    return status;
}

atn_status atn_cli_tune_repair(const char *path, bool write, int *tasks_p, bool *unfinished_p,
                               atn_error *err)
{
    char *text = NULL;
    size_t bytes;
    state s = {0};
    atn_status status = atn_read_file(path, &text, &bytes, err);
    if (status != ATN_OK)
        return status;
    if (is_foreign(text, bytes)) {
        free(text);
        return atn_fail(err, ATN_INPUT,
                        "%s: not a file of samples; it is not overwritten, name another file",
                        path);
    }
    if (!split(text, &s))
        status = atn_fail(err, ATN_MEMORY, "out of memory");
    find_end(&s);
    *tasks_p = s.tasks;
    *unfinished_p = s.tasks > 0 && (s.in_job || s.in_task);
    if (status == ATN_OK && write && s.tasks > 0 && (*unfinished_p || s.whole < s.n))
        status = write_again(path, &s, err);
    free(s.v);
    free(text);
    return status;
}
