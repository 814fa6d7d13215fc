/* cmd_trace.c - attune trace record and export: recording of jobs, formats of other programs. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/files.h"
#include "cli/run.h"
#include "cli/traces/gzip.h"
#include "cli/traces/trace.h"
#include "plan/settings.h"
#include "trace/export.h"

extern char **environ;

/* ---- record ---- */

/* ATTUNE=off disables the tracer as well. */
static atn_status check_on(atn_error *err)
{
    atn_settings s;
    char *warning = NULL;
    atn_plan_settings_default(&s);
    atn_status status = atn_plan_settings_environ(&s, environ, &warning, err);
    if (status == ATN_OK && atn_plan_setting_number(&s, ATN_SET_ON) == 0)
        status = atn_fail(err, ATN_USAGE, "ATTUNE=%s: nothing would be recorded; unset it",
                          getenv("ATTUNE"));
    free(warning);
    atn_plan_settings_free(&s);
    return status;
}

/* Executes `attune run --trace FOLDER -- ...`, so that jobs are started in one place. */
static int record(const atn_args *a, atn_error *err)
{
    const char *const folder = atn_cli_arg_text(a, "output"), *const mpi =
                                                                  atn_cli_arg_text(a, "mpi");
    if (a->nrest == 0)
        return atn_fail(
            err, ATN_USAGE,
            "no command to run; write attune trace record -o FOLDER -- mpirun -n 4 ./program");
    if (check_on(err) != ATN_OK)
        return err->status;
    if (!atn_cli_arg_given(a, "dry-run") && atn_cli_check_trace_folder(folder, err) != ATN_OK)
        return err->status;
    char **const words = calloc((size_t)a->nrest + 9, sizeof *words);
    if (words == NULL)
        return atn_fail(err, ATN_MEMORY, "out of memory");
    int n = 0;
    words[n++] = "attune";
    words[n++] = "run";
    words[n++] = "--trace";
    words[n++] = (char *)folder;
    if (mpi != NULL) {
        words[n++] = "--mpi";
        words[n++] = (char *)mpi;
    }
    if (atn_cli_arg_given(a, "dry-run"))
        words[n++] = "--dry-run";
    words[n++] = "--";
    memcpy(words + n, a->rest, (size_t)a->nrest * sizeof *words);
    setenv("ATTUNE_TRACE_LEVEL", atn_cli_arg_text(a, "level"), 1);
    setenv("ATTUNE_TRACE_LIMIT", atn_cli_arg_text(a, "limit"), 1);
    setenv("ATTUNE_SELECT", "rules", 0); /* trials do not belong in a trace */
    fflush(NULL);
    execv("/proc/self/exe", words);
    free(words);
    return atn_fail(err, ATN_ENVIRONMENT, "attune run cannot be started: %s", strerror(errno));
}

static const atn_option record_options[] = {
    {.name = "output",
     .letter = 'o',
     .argument = "FOLDER",
     .type = ATN_OPT_FILE,
     .fallback = "attune-trace",
     .doc = "Folder for the trace files, one per rank; created if missing"},
    {.name = "level", .setting = "ATTUNE_TRACE_LEVEL"},
    {.name = "limit", .setting = "ATTUNE_TRACE_LIMIT"},
    {0},
};

const atn_command atn_cmd_trace_record = {
    .noun = "trace",
    .verb = "record",
    .help = "Run an MPI program and record every call of every rank",
    .detail =
        "Equivalent to 'attune run --trace FOLDER' without online tuning (unless ATTUNE_SELECT "
        "requests it); 'attune run' has more options. The trace holds point-to-point calls, "
        "collectives, one-sided communication and file operations with partner, tag, "
        "communicator, size, datatype, buffer, call site and times; docs/trace-format.md lists "
        "the calls. After a job is killed, the trace holds every completed call; on network file "
        "systems, all but the last block of calls.",
    .examples = ATN_NOTES({"attune trace record -o trace -- mpirun -n 4 ./program", "Record a job"},
                          {"attune trace record --level messages -- mpirun -n 4 ./program",
                           "Record also the messages inside collectives"}),
    .options = record_options,
    .shared = atn_cli_launch_options,
    .flags = ATN_CMD_REST,
    .run = record,
};

/* ---- reading ---- */

const atn_option atn_cli_trace_options[] = {
    ATN_FLAG("partial", "Use the readable part of a damaged or incomplete trace"),
    {0},
};

atn_status atn_cli_trace_load(const atn_args *a, atn_trace **t_p, atn_error *err)
{
    const bool partial = atn_cli_arg_given(a, "partial");
    const atn_status status =
        atn_trace_read(a->operands[0], partial ? ATN_TRACE_PARTIAL : ATN_TRACE_WHOLE, t_p, err);
    for (int i = 0; status == ATN_OK && i < (*t_p)->problems.n; i++)
        fprintf(stderr, "attune: note: %s\n", (*t_p)->problems.v[i].text);
    return status;
}

/* ---- export ---- */

static bool is_packed(const char *path)
{
    const size_t n = path != NULL ? strlen(path) : 0;
    return n > 3 && strcmp(path + n - 3, ".gz") == 0;
}

static atn_status write_export(const atn_args *a, FILE *f, const atn_trace *t, atn_error *err)
{
    int64_t left_out = 0;
    if (strcmp(atn_cli_arg_format(a), "csv") == 0) {
        atn_trace_csv(f, t, -1);
        return ATN_OK;
    }
    const atn_status status = atn_trace_chrome(f, t, atn_cli_arg_int(a, "events"), &left_out, err);
    if (status == ATN_OK && left_out > 0)
        fprintf(stderr,
                "attune: note: the longest %lld calls are exported and %lld shorter ones are left "
                "out; --events 0 exports all\n",
                (long long)atn_cli_arg_int(a, "events"), (long long)left_out);
    return status;
}

static int export(const atn_args *a, atn_error *err)
{
    atn_trace *t = NULL;
    FILE *f = a->out;
    atn_status status = atn_cli_trace_load(a, &t, err);
    if (status == ATN_OK && is_packed(atn_cli_arg_text(a, "output")))
        status = atn_cli_gzip_open(a->out, &f, err);
    if (status == ATN_OK)
        status = write_export(a, f, t, err);
    if (f != NULL && f != a->out && fclose(f) != 0 && status == ATN_OK)
        status = atn_fail(err, ATN_MEMORY, "out of memory");
    atn_trace_free(t);
    return status;
}

static const char *const export_formats[] = {"perfetto", "csv", NULL};

static const atn_option export_options[] = {
    ATN_INT("events", "N", "2000000", 0, INT32_MAX,
            "perfetto: maximum number of calls, the longest; 0: all"),
    {0},
};

const atn_command atn_cmd_trace_export = {
    .noun = "trace",
    .verb = "export",
    ATN_OPERANDS("FOLDER", 1, 1),
    .help = "Convert a trace for other programs",
    .detail = "'perfetto' is JSON for ui.perfetto.dev and chrome://tracing: a process per rank, a "
              "slice per call, arrows from sends to receives. 'csv' has a line per event; times "
              "are nanoseconds on the clock of rank 0 since the first call of the job. If the name "
              "of the output ends with .gz, it is compressed; ui.perfetto.dev opens such files.",
    .examples = ATN_NOTES(
        {"attune trace export trace -o trace.json.gz", "Write a file that ui.perfetto.dev opens"}),
    .options = export_options,
    .shared = atn_cli_trace_options,
    .formats = export_formats,
    .flags = ATN_CMD_OUTPUT,
    .run = export,
};
