/* cmd_doctor.c - attune doctor: what works on this host, what does not, and what to do. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cli/doctor/doctor.h"

static const struct {
    const char *name;
    atn_doctor_check *run;
} checks[] = {
    {"attune", atn_cli_doctor_command},
    {"mpi", atn_cli_doctor_mpi},
    {"launcher", atn_cli_doctor_launchers},
    {"job", atn_cli_doctor_job},
    {"preload", atn_cli_doctor_preload},
    {"shared memory", atn_cli_doctor_memory},
    {"single copies", atn_cli_doctor_single_copy},
    {"/dev/shm", atn_cli_doctor_dev_shm},
    {"cores", atn_cli_doctor_cores},
    {"hwloc", atn_cli_doctor_hwloc},
    {"settings", atn_cli_doctor_settings},
    {"wisdom", atn_cli_doctor_wisdom},
    {"calibration", atn_cli_doctor_calibration},
    {"lab", atn_cli_doctor_lab},
    {"simulation", atn_cli_doctor_sim},
};

static const char *const verdicts[] = {
    [ATN_DOCTOR_OK] = "ok",
    [ATN_DOCTOR_NOTE] = "note",
    [ATN_DOCTOR_WARN] = "warn",
    [ATN_DOCTOR_FAIL] = "fail",
};

/* ---- lines ---- */

static void add_line(atn_doctor *d, atn_verdict verdict, char *text)
{
    static const char between[] = "; ";
    char *const end = text != NULL ? strstr(text, between) : NULL;
    char *const remedy = strdup(end != NULL ? end + sizeof between - 1 : "");
    if (end != NULL)
        *end = '\0';
    const atn_doctor_line line = {d->check, verdict, text, remedy};
    if (text != NULL && remedy != NULL && atn_push(&d->lines, line))
        return;
    d->failed = true;
    free(text);
    free(remedy);
}

void atn_cli_doctor_add(atn_doctor *d, atn_verdict verdict, const char *format, ...)
{
    char *text = NULL;
    va_list args;
    va_start(args, format);
    if (vasprintf(&text, format, args) < 0)
        text = NULL;
    va_end(args);
    add_line(d, verdict, text);
}

static void free_lines(atn_doctor *d)
{
    for (int i = 0; i < d->lines.n; i++) {
        free(d->lines.v[i].seen);
        free(d->lines.v[i].remedy);
    }
    atn_vec_free(&d->lines);
}

/* ---- output ---- */

static const atn_column columns[] = {{"check", ATN_CELL_TEXT},
                                     {"result", ATN_CELL_TEXT},
                                     {"seen", ATN_CELL_TEXT},
                                     {"remedy", ATN_CELL_TEXT}};

/* People read one text, scripts two fields. */
static atn_status write_lines(const atn_doctor *d, atn_error *err)
{
    const bool joined = strcmp(atn_cli_arg_format(d->args), "table") == 0;
    atn_table t = {.columns = columns, .ncolumns = joined ? 3 : 4};
    for (int i = 0; i < d->lines.n; i++) {
        const atn_doctor_line *const l = &d->lines.v[i];
        atn_report_cell(&t, "%s", l->check);
        atn_report_cell(&t, "%s", verdicts[l->verdict]);
        if (joined)
            atn_report_cell(&t, "%s%s%s", l->seen, *l->remedy != '\0' ? "; " : "", l->remedy);
        else
            atn_report_cell(&t, "%s", l->seen);
        if (!joined)
            atn_report_cell(&t, "%s", l->remedy);
    }
    return atn_cli_arg_table(d->args, &t, err);
}

static atn_status conclude(const atn_doctor *d, atn_error *err)
{
    int of[ATN_DOCTOR_FAIL + 1] = {0};
    for (int i = 0; i < d->lines.n; i++)
        of[d->lines.v[i].verdict]++;
    const int failures = of[ATN_DOCTOR_FAIL], warnings = of[ATN_DOCTOR_WARN];
    if (failures + warnings == 0)
        return ATN_OK;
    return atn_fail(err, ATN_FINDING, "%d failure%s, %d warning%s", failures,
                    failures == 1 ? "" : "s", warnings, warnings == 1 ? "" : "s");
}

static int run(const atn_args *a, atn_error *err)
{
    atn_doctor d = {.args = a};
    for (size_t i = 0; i < sizeof checks / sizeof *checks; i++) {
        d.check = checks[i].name;
        checks[i].run(&d);
    }
    atn_status status =
        d.failed ? atn_fail(err, ATN_MEMORY, "out of memory") : write_lines(&d, err);
    if (status == ATN_OK)
        status = conclude(&d, err);
    free_lines(&d);
    return status;
}

static const char *const formats[] = {"table", "csv", "json", NULL};
static const atn_option options[] = {
    {.name = "ranks",
     .letter = 'n',
     .argument = "N",
     .type = ATN_OPT_INT,
     .min = 1,
     .max = INT32_MAX,
     .doc = "Ranks on this host (default: those of the launcher)"},
    ATN_OPTION_MPI_JOB,
    {0},
};

const atn_command atn_cmd_doctor = {
    .noun = "doctor",
    .help = "Check what works on this host, and name remedies",
    .detail =
        "Checks MPI libraries and the libraries to preload for them, launchers, shared memory, "
        "cores, settings, wisdom and calibrations, and what lab and simulation need. With a "
        "command after --, also whether 'attune run' accepts it, and its ranks. Nothing is "
        "changed and no job is started. A line is ok; note: an optional feature is not "
        "available, or a file does not exist yet; warn: jobs run, but slower or not as "
        "intended; or fail. The exit code is 1 if any line is warn or fail.",
    .examples =
        ATN_NOTES({"attune doctor", "Check this host"},
                  {"attune doctor -- mpirun -n 8 ./program", "Check a job before it is started"},
                  {"attune doctor --format json -o doctor.json", "For a bug report"}),
    .options = options,
    .formats = formats,
    .flags = ATN_CMD_OUTPUT | ATN_CMD_REST,
    .run = run,
};
