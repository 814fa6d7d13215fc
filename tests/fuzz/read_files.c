/* read_files.c - what jobs write: traces, samples, surveys, discoveries, circuits, messages. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "model/survey.h"
#include "readers.h"
#include "report/samples.h"
#include "research/replay/messages.h"
#include "research/replay/sequence.h"
#include "research/ron/hide.h"
#include "research/ron/read.h"
#include "topo/discovery.h"
#include "trace/format.h"
#include "trace/live.h"
#include "trace/match.h"
#include "trace/stats.h"

/* ---- traces ---- */

/* Blocks of a mutated trace get valid checksums; most of them would otherwise be skipped. */
static void seal(char *text, size_t bytes)
{
    uint8_t *at = (uint8_t *)text, *const stop = at + bytes;
    atn_trace_block b;
    while ((at = memmem(at, (size_t)(stop - at), "ATNB", 4)) != NULL) {
        const bool whole = atn_trace_block_open(at, (size_t)(stop - at), &b);
        if (whole)
            atn_trace_block_seal(&b, at + ATN_TRACE_BLOCK_HEAD, at);
        at += whole ? ATN_TRACE_BLOCK_HEAD + b.bytes : 4;
    }
}

static char place[] = "/tmp/attune-fuzz-XXXXXX";

static void remove_place(void) { rmdir(place); }

static const char *folder(void)
{
    static bool made = false;
    if (!made && mkdtemp(place) == NULL) {
        perror(place);
        abort();
    }
    if (!made)
        atexit(remove_place);
    made = true;
    return place;
}

/* text NULL: removes the file. */
static void put(const char *name, const char *text, size_t bytes)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder(), name);
    unlink(path);
    const int fd = text != NULL ? open(path, O_WRONLY | O_CREAT | O_EXCL, 0600) : -1;
    if (fd < 0)
        return;
    if (write(fd, text, bytes) != (ssize_t)bytes)
        perror(path);
    close(fd);
}

/* What `attune trace` derives from a trace. */
static void analyse(const atn_trace *t)
{
    atn_trace_stats s = {0};
    atn_trace_messages m = {0};
    if (atn_trace_stats_make(t, &s, NULL) == ATN_OK)
        atn_trace_stats_free(&s);
    if (atn_trace_match(t, &m, NULL) == ATN_OK)
        atn_trace_messages_free(&m);
}

static void read_trace(atn_trace_how how)
{
    atn_trace *t = NULL;
    atn_error err = {0};
    atn_fuzz_judge(atn_trace_read(folder(), how, &t, &err), &err);
    if (t != NULL)
        analyse(t);
    atn_trace_free(t);
}

/* Files of two ranks and the current block of the first one, each after a line "#next". */
void atn_fuzz_trace(char *text, size_t bytes, atn_reader *read)
{
    (void)read;
    static const char *const names[] = {"rank-00000.trace", "rank-00001.trace",
                                        "rank-00000.trace" ATN_TRACE_LIVE};
    char *at = text;
    for (int i = 0; i < 3; i++) {
        const size_t left = at != NULL ? bytes - (size_t)(at - text) : 0;
        char *const next = at != NULL ? memmem(at, left, "#next\n", 6) : NULL;
        const size_t n = next != NULL ? (size_t)(next - at) : left;
        if (at != NULL)
            seal(at, n);
        put(names[i], at, n);
        at = next != NULL ? next + 6 : NULL;
    }
    read_trace(ATN_TRACE_WHOLE);
    read_trace(ATN_TRACE_PARTIAL);
    for (int i = 0; i < 3; i++)
        put(names[i], NULL, 0);
}

/* ---- what jobs print ---- */

void atn_fuzz_samples(char *text, size_t bytes, atn_reader *read)
{
    (void)read;
    atn_samples s = {0};
    atn_error err = {0};
    atn_fuzz_judge(atn_report_samples_read(atn_fuzz_file(text, bytes), &s, &err), &err);
    atn_report_samples_free(&s);
}

void atn_fuzz_survey(char *text, size_t bytes, atn_reader *read)
{
    (void)read;
    atn_survey s = {0};
    atn_error err = {0};
    const atn_status status = atn_model_survey_read(atn_fuzz_file(text, bytes), &s, &err);
    atn_fuzz_judge(status, &err);
    if (status == ATN_OK)
        atn_model_survey_value(&s, ATN_OBS_REDUCE, 0, 1024, 1, NULL);
    atn_model_survey_free(&s);
}

void atn_fuzz_discovery(char *text, size_t bytes, atn_reader *read)
{
    (void)read;
    (void)bytes;
    atn_discovery d = {0};
    atn_error err = {0};
    atn_status status = ATN_OK;
    for (char *line; status == ATN_OK && (line = strsep(&text, "\n")) != NULL;)
        status = atn_topo_discovery_line(&d, line, &err);
    if (status == ATN_OK)
        status = atn_topo_discovery_end(&d, &err);
    atn_fuzz_judge(status, &err);
    atn_topo_discovery_free(&d);
}

/* ---- tables of comma-separated values ---- */

void atn_fuzz_circuits(char *text, size_t bytes, atn_reader *read)
{
    (void)read;
    static const atn_op_graph none = {0};
    atn_circuits c = {0};
    atn_error err = {0};
    const atn_status status = atn_ron_circuits_read(atn_fuzz_file(text, bytes), &none, &c, &err);
    atn_fuzz_judge(status, &err);
    if (status == ATN_OK)
        atn_model_circuits_free(&c);
}

void atn_fuzz_sends(char *text, size_t bytes, atn_reader *read)
{
    (void)read;
    static const atn_ron_hide_rules rules = {1e-3, 1e9, 1};
    atn_ron_sends sends = {0};
    atn_ron_hidden hidden;
    bool offers = false;
    atn_error err = {0};
    const atn_status status = atn_ron_sends_read(atn_fuzz_file(text, bytes), &sends, &offers, &err);
    atn_fuzz_judge(status, &err);
    if (status == ATN_OK)
        atn_ron_hide(sends.v, sends.n, &rules, &hidden, NULL);
    atn_vec_free(&sends);
}

void atn_fuzz_messages(char *text, size_t bytes, atn_reader *read)
{
    (void)read;
    (void)bytes;
    atn_messages m = {0};
    atn_error err = {0};
    const atn_status status = atn_replay_messages_parse(text, "input", &m, &err);
    atn_fuzz_judge(status, &err);
    if (status == ATN_OK)
        atn_replay_messages_free(&m);
}

void atn_fuzz_sequence(char *text, size_t bytes, atn_reader *read)
{
    (void)read;
    atn_sequence s = {0};
    atn_error err = {0};
    const atn_status status = atn_replay_sequence_parse(text, bytes, "input", &s, &err);
    atn_fuzz_judge(status, &err);
    if (status == ATN_OK)
        atn_replay_sequence_free(&s);
}
