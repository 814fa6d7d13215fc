/* files.c - see files.h. */
#include "cli/files.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "model/machine.h"
#include "plan/settings.h"
#include "plan/store.h"
#include "plan/wisdom.h"
#include "report/job.h"
#include "topo/topo.h"

/* The error of a reader, and how to obtain a valid file. */
static atn_status refuse(const atn_error *why, const char *remedy, atn_error *err)
{
    return atn_fail(err, why->status, "%s; %s", why->text, remedy);
}

atn_status atn_cli_check_machine(const char *name, atn_error *err)
{
    atn_machine *m = NULL;
    atn_error why = {0};
    if (atn_model_machine_read(name, &m, &why) != ATN_OK)
        return refuse(&why, "'attune measure -o FILE' writes machine files", err);
    atn_model_machine_free(m);
    return ATN_OK;
}

atn_status atn_cli_check_topology(const char *name, atn_error *err)
{
    atn_topo *t = NULL;
    atn_error why = {0};
    if (strcmp(name, ATN_TOPO_HOSTS) == 0)
        return ATN_OK;
    if (atn_topo_load(name, &t, &why) != ATN_OK)
        return refuse(&why, "'attune topo check' examines files and strings such as 4x4@100M", err);
    atn_topo_free(t);
    return ATN_OK;
}

atn_status atn_cli_check_calibration(const char *name, atn_error *err)
{
    atn_store s = {{0}};
    const atn_status status = atn_plan_store_read(name, &s, err);
    atn_plan_store_free(&s);
    return status;
}

static bool is_there(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 || (errno != ENOENT && errno != ENOTDIR);
}

static atn_status check_rules(const char *name, atn_error *err)
{
    atn_rules *rules = NULL;
    const atn_status status = atn_plan_rules_read(name, &rules, err);
    atn_plan_rules_free(rules);
    return status;
}

atn_status atn_cli_check_wisdom(const char *name, atn_error *err)
{
    if (!is_there(name))
        return atn_may_write(name, true, err);
    if (access(name, R_OK) != 0)
        return atn_fail(err, ATN_INPUT, "%s: cannot be read: %s; name another file", name,
                        strerror(errno));
    return check_rules(name, err);
}

atn_status atn_cli_check_partners(const char *name, atn_error *err)
{
    static const char head[] = "attune-partners ";
    char *text = NULL;
    const atn_status status = atn_may_write(name, false, err);
    if (status != ATN_OK || !is_there(name))
        return status;
    if (atn_read_file(name, &text, NULL, err) != ATN_OK)
        return err->status;
    const bool ours = *text == '\0' || strncmp(text, head, sizeof head - 1) == 0;
    free(text);
    if (ours)
        return ATN_OK;
    return atn_fail(err, ATN_INPUT,
                    "%s:1: not a list of partners written by Attune, and the job would replace it; "
                    "name another file",
                    name);
}

atn_status atn_cli_check_written(const char *name, atn_error *err)
{
    return atn_may_write(name, false, err);
}

/* ---- reports ---- */

/* The suffix of a file name, with its dot; "": none. */
static const char *suffix_of(const char *path)
{
    const char *const slash = strrchr(path, '/'), *const name = slash != NULL ? slash + 1 : path;
    const char *const dot = strrchr(name, '.');
    return dot != NULL && dot != name ? dot : "";
}

static bool names_format(const char *suffix)
{
    bool found = *suffix == '\0' || strcmp(suffix, ".txt") == 0;
    for (int i = 0; atn_report_job_formats[i] != NULL && !found; i++)
        found = strcmp(suffix + 1, atn_report_job_formats[i]) == 0;
    return found;
}

atn_status atn_cli_check_report(const char *path, const char *format, atn_error *err)
{
    char formats[ATN_ERROR_ROOM];
    int n = 0;
    if (format != NULL || names_format(suffix_of(path)))
        return atn_cli_check_written(path, err);
    while (atn_report_job_formats[n] != NULL)
        n++;
    return atn_fail(
        err, ATN_USAGE,
        "report %s: unknown format %s; use the suffix .txt, .csv, .json or .html, or add "
        "--format: %s",
        path, suffix_of(path), atn_enumerate(atn_report_job_formats, n, ", ", formats));
}

/* ---- commands that measure ---- */

static atn_status check_merged(const char *name, atn_error *err)
{
    const atn_status status = atn_cli_check_wisdom(name, err);
    return status == ATN_OK ? atn_may_write(name, true, err) : status;
}

static atn_status check_samples(const char *name, atn_error *err)
{
    return atn_may_write(name, true, err);
}

static const struct {
    const char *option;
    const char *variable; /* used if the option is not given; or NULL */
    const char *word;     /* a value that is not a file; or NULL */
    atn_file_check *check;
} job_files[] = {
    {"machine", "ATTUNE_MACHINE", NULL, atn_cli_check_machine},
    {"topology", "ATTUNE_TOPOLOGY", NULL, atn_cli_check_topology},
    {"rules", "ATTUNE_RULES", NULL, check_rules},
    {"wisdom", "ATTUNE_WISDOM", "off", check_merged},
    {"raw", NULL, NULL, check_samples},
    {"plot", NULL, NULL, atn_cli_check_written},
    {"report", NULL, NULL, atn_cli_check_written},
};

static bool has_option(const atn_command *c, const char *name)
{
    atn_option o;
    for (int i = 0; atn_cli_command_option(c, i, &o); i++)
        if (strcmp(o.name, name) == 0)
            return true;
    return false;
}

atn_status atn_cli_check_job_files(const atn_args *a, atn_error *err)
{
    atn_status status = ATN_OK;
    for (size_t i = 0; i < sizeof job_files / sizeof *job_files && status == ATN_OK; i++) {
        if (!has_option(a->command, job_files[i].option))
            continue;
        const char *name = atn_cli_arg_text(a, job_files[i].option);
        if (name == NULL && job_files[i].variable != NULL)
            name = getenv(job_files[i].variable);
        if (name != NULL && *name != '\0' &&
            (job_files[i].word == NULL || strcmp(name, job_files[i].word) != 0))
            status = job_files[i].check(name, err);
    }
    return status;
}

/* ---- traces ---- */

static bool holds_trace(const char *folder)
{
    DIR *const d = opendir(folder);
    bool found = false;
    for (struct dirent *e; d != NULL && !found && (e = readdir(d)) != NULL;) {
        const size_t n = strlen(e->d_name);
        found = n > 6 && strcmp(e->d_name + n - 6, ".trace") == 0;
    }
    if (d != NULL)
        closedir(d);
    return found;
}

/* Files of two jobs in one folder could not be distinguished. */
atn_status atn_cli_check_trace_folder(const char *folder, atn_error *err)
{
    struct stat is;
    char plain[PATH_MAX];
    snprintf(plain, sizeof plain, "%s", folder);
    for (size_t n = strlen(plain); n > 1 && plain[n - 1] == '/'; n--)
        plain[n - 1] = '\0';
    if (stat(folder, &is) != 0)
        return atn_may_write(plain, false, err);
    if (!S_ISDIR(is.st_mode))
        return atn_fail(err, ATN_USAGE, "%s: is not a folder; name another one for the trace",
                        folder);
    if (holds_trace(folder))
        return atn_fail(err, ATN_USAGE,
                        "%s: already contains a trace; remove it or name another folder", folder);
    if (access(folder, W_OK | X_OK) != 0)
        return atn_fail(err, ATN_ENVIRONMENT, "%s: cannot be written: %s; name another folder",
                        folder, strerror(errno));
    return ATN_OK;
}
