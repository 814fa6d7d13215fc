/* machine.c - the machine that plans are made for: one rank reads it, all get the same text. */
#include <stdlib.h>
#include <string.h>

#include "pmpi/job.h"

enum { CHUNK = 4096 };

/* NULL: none named, or bad, which is said. */
static char *read_machine(const atn_job *job)
{
    const char *const file = atn_setting_given(&job->settings, ATN_SET_MACHINE);
    atn_machine *m = NULL;
    atn_error err = {0};
    char *text = NULL;
    if (file == NULL) {
        if (job->verbose > 0)
            atn_say("ATTUNE_MACHINE names no machine; plans assume a built-in one");
        return NULL;
    }
    if (atn_machine_read(file, &m, &err) != ATN_OK) {
        atn_say("%s; plans assume a built-in machine", err.text);
        return NULL;
    }
    const char *const why = atn_machine_refuses(m, job->topo);
    if (why == NULL)
        text = atn_machine_print(m);
    else
        atn_say("%s: %s; plans assume a built-in machine", file, why);
    atn_machine_free(m);
    return text;
}

/* In portions, so that a rank without memory can still take part. */
static char *share_text(char *text, bool from)
{
    int64_t left = from && text != NULL ? (int64_t)strlen(text) : 0, at = 0;
    atn_real.Bcast(&left, 1, MPI_INT64_T, 0, MPI_COMM_WORLD);
    if (!from)
        text = left > 0 ? malloc((size_t)left + 1) : NULL;
    for (; left > 0; left -= CHUNK, at += CHUNK) {
        char portion[CHUNK];
        const int n = left < CHUNK ? (int)left : CHUNK;
        if (from)
            memcpy(portion, text + at, (size_t)n);
        atn_real.Bcast(portion, n, MPI_CHAR, 0, MPI_COMM_WORLD);
        if (!from && text != NULL) {
            memcpy(text + at, portion, (size_t)n);
            text[at + n] = '\0';
        }
    }
    return text;
}

void atn_job_machine(atn_job *job)
{
    if (!atn_rules_plan(job->rules))
        return;
    char *const text = share_text(job->r == 0 ? read_machine(job) : NULL, job->r == 0);
    if (text == NULL)
        job->machine = atn_machine_builtin();
    else
        atn_machine_parse(text, strlen(text), "machine", &job->machine, NULL);
    free(text);
}
