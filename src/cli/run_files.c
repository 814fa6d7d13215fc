/* run_files.c - files of `attune run`: checks, and absolute paths. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/files.h"
#include "cli/run.h"

/* The ranks may be started in another folder. */
static atn_status make_absolute(atn_settings *s, atn_setting id, const char *path, atn_error *err)
{
    char full[2 * PATH_MAX], here[PATH_MAX];
    if (*path == '/' || *path == '\0' || getcwd(here, sizeof here) == NULL)
        return ATN_OK;
    snprintf(full, sizeof full, "%s/%s", here, path);
    return atn_plan_settings_set(s, id, full, ATN_FROM_COMMAND, err);
}

/* Settings whose value is a file, except for `words`.  Rules are checked together with forced
 * algorithms in cmd_run.c. */
static const struct {
    atn_setting setting;
    const char *words;
    atn_file_check *check; /* or NULL */
} files[] = {
    {ATN_SET_RULES, "", NULL},
    {ATN_SET_WISDOM, "off", atn_cli_check_wisdom},
    {ATN_SET_MACHINE, "", atn_cli_check_machine},
    {ATN_SET_CALIBRATION, "auto off", atn_cli_check_calibration},
    {ATN_SET_MACHINE_LEARN, "", atn_cli_check_written},
    {ATN_SET_RECORD, "", atn_cli_check_written},
    {ATN_SET_TRACE, "", atn_cli_check_trace_folder},
    {ATN_SET_WARMUP, "", atn_cli_check_partners},
};

static atn_status do_topology(atn_settings *s, atn_error *err)
{
    const char *const name = atn_plan_setting_given(s, ATN_SET_TOPOLOGY);
    char *job = NULL;
    atn_status status = name != NULL ? atn_cli_check_topology(name, err) : ATN_OK;
    if (status != ATN_OK || name == NULL || access(name, F_OK) != 0)
        return status;
    status = atn_cli_job_topology(name, &job, err);
    if (status == ATN_OK && strcmp(job, name) != 0)
        status = atn_plan_settings_set(s, ATN_SET_TOPOLOGY, job, ATN_FROM_COMMAND, err);
    else if (status == ATN_OK)
        status = make_absolute(s, ATN_SET_TOPOLOGY, name, err);
    free(job);
    return status;
}

static atn_status do_report(atn_settings *s, atn_error *err)
{
    const char *const path = atn_plan_setting_report(s);
    const char *const format = atn_plan_setting_text(s, ATN_SET_REPORT_FORMAT);
    if (path == NULL || *path == '\0')
        return ATN_OK;
    const atn_status status =
        atn_cli_check_report(path, strcmp(format, "auto") != 0 ? format : NULL, err);
    return status == ATN_OK ? make_absolute(s, ATN_SET_REPORT, path, err) : status;
}

atn_status atn_cli_run_files(atn_settings *s, atn_error *err)
{
    atn_status status = do_topology(s, err);
    if (status == ATN_OK)
        status = do_report(s, err);
    for (size_t i = 0; i < sizeof files / sizeof *files && status == ATN_OK; i++) {
        const char *path = atn_plan_setting_given(s, files[i].setting);
        if (path == NULL || *path == '\0' || atn_cli_in_words(files[i].words, path))
            continue;
        if (files[i].check != NULL)
            status = files[i].check(path, err);
        if (status == ATN_OK)
            status = make_absolute(s, files[i].setting, path, err);
    }
    return status;
}
