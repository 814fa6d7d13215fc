/* run_settings.c - settings of the commands that run a job: environment, options, variables. */
#include <stdlib.h>
#include <string.h>

#include "cli/run.h"
#include "plan/rules.h"

extern char **environ;

atn_status atn_cli_run_settings(const atn_args *a, atn_settings *s, atn_error *err)
{
    char *warning = NULL;
    atn_status status = atn_plan_settings_environ(s, environ, &warning, err);
    free(warning); /* printed by the library in the job */
    for (int i = 0; i < ATN_SETTINGS && status == ATN_OK; i++) {
        const atn_setting_info *const info = atn_plan_setting_get((atn_setting)i);
        if (info->option == NULL || !atn_cli_arg_given(a, info->option))
            continue;
        const char *const text =
            atn_cli_arg_nth(a, info->option, atn_cli_arg_count(a, info->option) - 1);
        status = atn_plan_settings_set(s, (atn_setting)i, text != NULL ? text : info->alone,
                                       ATN_FROM_COMMAND, err);
    }
    return status == ATN_OK ? atn_plan_settings_run(s, err) : status;
}

static atn_status check_staging(const atn_settings *s, atn_error *err)
{
    const char *const text = atn_plan_setting_given(s, ATN_SET_STAGING);
    int64_t bytes;
    if (text == NULL || (atn_parse_size(text, &bytes) && bytes <= INT32_MAX))
        return ATN_OK;
    return atn_fail(err, ATN_USAGE, "staging \"%s\": not a size up to 2G; write 4M, for example",
                    text);
}

/* Errors are reported here, once, rather than by a job that has waited in a queue for hours. */
atn_status atn_cli_run_settings_check(atn_settings *s, atn_error *err)
{
    atn_rules *rules = NULL;
    atn_status status = atn_plan_rules_load(atn_plan_setting_given(s, ATN_SET_RULES),
                                            atn_plan_setting_given(s, ATN_SET_ALGORITHM),
                                            atn_plan_setting_given(s, ATN_SET_SELECT), &rules, err);
    atn_plan_rules_free(rules);
    if (status == ATN_OK)
        status = atn_cli_run_files(s, err);
    if (status == ATN_OK)
        status = check_staging(s, err);
    return status;
}

void atn_cli_run_variables(const atn_settings *s, atn_run_variables *set)
{
    set->n = 0;
    for (int i = 0; i < ATN_SETTINGS; i++)
        if (s->v[i].text != NULL) {
            set->names[set->n] = atn_plan_setting_get((atn_setting)i)->name;
            set->values[set->n++] = s->v[i].text;
        }
}
