/* cmd_settings.c - attune settings: environment variables, their values and sources. */
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "plan/settings.h"

extern char **environ;

static const atn_column columns[] = {
    {"variable", ATN_CELL_TEXT}, {"value", ATN_CELL_TEXT},   {"source", ATN_CELL_TEXT},
    {"allowed", ATN_CELL_TEXT},  {"default", ATN_CELL_TEXT}, {"meaning", ATN_CELL_TEXT},
};
enum { COLUMNS = sizeof columns / sizeof columns[0] };

static const char *const sources[] = {
    [ATN_FROM_DEFAULT] = "default",
    [ATN_FROM_ENVIRONMENT] = "environment",
    [ATN_FROM_COMMAND] = "attune run",
};

static atn_status write_table(const atn_args *a, const atn_settings *s, atn_error *err)
{
    atn_table t = {.columns = columns, .ncolumns = COLUMNS};
    for (int i = 0; i < ATN_SETTINGS; i++) {
        const atn_setting_info *info = atn_plan_setting_get((atn_setting)i);
        atn_report_cell(&t, "%s", info->name);
        atn_report_cell(&t, "%s", atn_plan_setting_text(s, (atn_setting)i));
        atn_report_cell(&t, "%s", sources[s->v[i].source]);
        atn_report_cell(&t, "%s", info->argument);
        atn_report_cell(&t, "%s", atn_plan_setting_run_default((atn_setting)i));
        atn_report_cell(&t, "%s", info->doc);
    }
    return atn_cli_arg_table(a, &t, err);
}

static int run(const atn_args *a, atn_error *err)
{
    if (strcmp(atn_cli_arg_format(a), "markdown") == 0) {
        atn_plan_settings_document(a->out);
        return ATN_OK;
    }
    atn_settings s;
    char *warning = NULL;
    atn_plan_settings_default(&s);
    atn_status status = atn_plan_settings_environ(&s, environ, &warning, err);
    if (warning != NULL)
        fputs(warning, stderr);
    free(warning);
    if (status == ATN_OK)
        status = atn_plan_settings_run(&s, err);
    if (status == ATN_OK)
        status = write_table(a, &s, err);
    atn_plan_settings_free(&s);
    return status;
}

const atn_command atn_cmd_settings = {
    .noun = "settings",
    .help = "List environment variables with their values, sources and meanings",
    .detail = "One rank of a job reads the variables, and all ranks use these values. 'attune run' "
              "sets them from its options. Values and defaults shown are those of a job under "
              "'attune run' without options; the meaning states where a job differs that preloads "
              "the library by other means. --format markdown prints the reference page, which is "
              "independent of the environment.",
    .examples = ATN_NOTES({"attune settings", "Show the settings of a job started now"}),
    .formats = atn_report_table_formats,
    .flags = ATN_CMD_OUTPUT,
    .run = run,
};
