/* doctor_files.c - settings, wisdom and calibrations that a job of this user would read. */
#include <errno.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/doctor/doctor.h"
#include "cli/run.h"
#include "plan/rules.h"
#include "plan/store.h"

extern char **environ;

/* ---- settings ---- */

static void add_each_line(atn_doctor *d, char *text)
{
    char *rest = text;
    for (char *line; (line = strsep(&rest, "\n")) != NULL;)
        if (*line != '\0')
            atn_cli_doctor_add(d, ATN_DOCTOR_WARN, "%s",
                               strncmp(line, "attune: ", 8) == 0 ? line + 8 : line);
}

static int count_given(const atn_settings *s)
{
    int n = 0;
    for (int i = 0; i < ATN_SETTINGS; i++)
        n += s->v[i].source == ATN_FROM_ENVIRONMENT;
    return n;
}

void atn_cli_doctor_settings(atn_doctor *d)
{
    atn_settings s;
    atn_error err = {0};
    char *warning = NULL;
    atn_plan_settings_default(&s);
    atn_status status = atn_plan_settings_environ(&s, environ, &warning, &err);
    if (warning != NULL)
        add_each_line(d, warning);
    free(warning);
    const int given = count_given(&s);
    if (status == ATN_OK)
        status = atn_plan_settings_run(&s, &err);
    if (status == ATN_OK)
        status = atn_cli_run_settings_check(&s, &err);
    if (status != ATN_OK)
        atn_cli_doctor_add(d, ATN_DOCTOR_FAIL, "%s%s", err.text,
                           strstr(err.text, "; ") != NULL ? "" : "; correct or unset it");
    else if (atn_plan_setting_number(&s, ATN_SET_ON) == 0)
        atn_cli_doctor_add(d, ATN_DOCTOR_WARN, "ATTUNE=off disables Attune; unset ATTUNE");
    else
        atn_cli_doctor_add(d, ATN_DOCTOR_OK, "%d ATTUNE variable%s set ('attune settings')", given,
                           given == 1 ? " is" : "s are");
    atn_plan_settings_free(&s);
}

/* ---- files that jobs find ---- */

/* Text that describes the entries of a file; an error: the file cannot be used. */
typedef atn_status describe(const char *path, char out[256], atn_verdict *verdict_p,
                            atn_error *err);

static const char *owner_name(uid_t id)
{
    const struct passwd *const user = getpwuid(id);
    return user != NULL ? user->pw_name : "an unknown user";
}

/* Problems of a file that can be read.  False: there are none. */
static bool is_misowned(atn_doctor *d, const char *kind, const char *path, const struct stat *st)
{
    const bool system = strcmp(kind, "system") == 0;
    if (!system && st->st_uid != geteuid() && access(path, W_OK) != 0) {
        atn_cli_doctor_add(d, ATN_DOCTOR_WARN,
                           "%s belongs to %s, so jobs cannot update it; change the owner (chown), "
                           "or remove the file",
                           path, owner_name(st->st_uid));
        return true;
    }
    if ((st->st_mode & S_IWOTH) != 0) {
        atn_cli_doctor_add(d, ATN_DOCTOR_WARN,
                           "%s can be changed by all users; run `chmod o-w` on it", path);
        return true;
    }
    return false;
}

static void check_file(atn_doctor *d, const char *kind, const char *path, describe *entries)
{
    atn_error err = {0};
    struct stat st;
    char text[256] = "";
    atn_verdict verdict = ATN_DOCTOR_OK;
    if (stat(path, &st) != 0) {
        atn_cli_doctor_add(d, ATN_DOCTOR_WARN, "%s: %s; make the folder accessible", path,
                           strerror(errno));
        return;
    }
    if (access(path, R_OK) != 0) {
        atn_cli_doctor_add(d, ATN_DOCTOR_FAIL,
                           "%s cannot be read: %s; change its owner or mode (chown, chmod)", path,
                           strerror(errno));
        return;
    }
    if (entries(path, text, &verdict, &err) != ATN_OK)
        atn_cli_doctor_add(d, ATN_DOCTOR_FAIL, "%s%s", err.text,
                           strstr(err.text, "; ") != NULL ? "" : "; correct or remove the file");
    else if (!is_misowned(d, kind, path, &st))
        atn_cli_doctor_add(d, verdict, "%s (%s): %s", path, kind, text);
}

/* The file that a job would create.  True: it can. */
static bool check_new(atn_doctor *d, const char *kind, const char *path, const char *setting)
{
    atn_error err = {0};
    if (strcmp(kind, "system") == 0 || atn_may_write(path, true, &err) == ATN_OK)
        return true;
    err.text[strcspn(err.text, ";")] = '\0';
    atn_cli_doctor_add(d, ATN_DOCTOR_WARN,
                       "%s, so jobs keep no results; make the folder writable, or name another "
                       "file in %s",
                       err.text, setting);
    return false;
}

/* Without a folder of the user.  True: there is one. */
static bool check_home(atn_doctor *d, const atn_wisdom_files *files, const char *setting)
{
    for (int i = 0; i < files->n; i++)
        if (strcmp(files->kind[i], "system") != 0)
            return true;
    atn_cli_doctor_add(d, ATN_DOCTOR_WARN,
                       "HOME names no folder, so jobs keep no results; set HOME, or name a file in "
                       "%s",
                       setting);
    return false;
}

static void check_files(atn_doctor *d, const atn_wisdom_files *files, describe *entries,
                        const char *setting, const char *none)
{
    int found = !check_home(d, files, setting);
    for (int i = 0; i < files->n; i++) {
        const bool missing = access(files->path[i], F_OK) != 0 && errno == ENOENT;
        if (!missing)
            check_file(d, files->kind[i], files->path[i], entries);
        found += !missing || !check_new(d, files->kind[i], files->path[i], setting);
    }
    if (found == 0)
        atn_cli_doctor_add(d, ATN_DOCTOR_NOTE, "%s", none);
}

/* Where jobs look for files of a kind: atn_plan_wisdom_find, atn_plan_store_find. */
typedef void find(const char *job, const char *home, const char *data, atn_wisdom_files *files_p);

static void check_setting(atn_doctor *d, atn_setting id, find *where, describe *entries,
                          const char *none)
{
    const char *const name = atn_plan_setting_get(id)->name, *const given = getenv(name);
    const char *const job = given != NULL ? given : "";
    atn_wisdom_files files;
    where(job, getenv("HOME"), getenv("XDG_DATA_HOME"), &files);
    if (strcmp(job, "off") == 0)
        atn_cli_doctor_add(d, ATN_DOCTOR_NOTE, "switched off by %s", name);
    else
        check_files(d, &files, entries, name, none);
}

/* ---- wisdom ---- */

static atn_status describe_wisdom(const char *path, char out[256], atn_verdict *verdict_p,
                                  atn_error *err)
{
    atn_rules *rules = NULL;
    const atn_status status = atn_plan_rules_read(path, &rules, err);
    if (status != ATN_OK)
        return status;
    const int n = atn_plan_rules_count(rules);
    snprintf(out, 256, "%d rule%s", n, n == 1 ? "" : "s");
    *verdict_p = ATN_DOCTOR_OK;
    atn_plan_rules_free(rules);
    return ATN_OK;
}

void atn_cli_doctor_wisdom(atn_doctor *d)
{
    check_setting(d, ATN_SET_WISDOM, atn_plan_wisdom_find, describe_wisdom,
                  "no file yet; jobs start with native calls until online tuning or 'attune tune' "
                  "has written one");
}

/* ---- calibrations ---- */

static atn_status describe_calibration(const char *path, char out[256], atn_verdict *verdict_p,
                                       atn_error *err)
{
    atn_store store = {0};
    char host[256] = "";
    int here = 0;
    const atn_status status = atn_plan_store_read(path, &store, err);
    if (status != ATN_OK)
        return status;
    gethostname(host, sizeof host - 1);
    for (int i = 0; i < store.list.n; i++)
        here += atn_plan_store_has_host(&store.list.v[i], host);
    *verdict_p = here > 0 ? ATN_DOCTOR_OK : ATN_DOCTOR_NOTE;
    snprintf(out, 256, "%d entr%s, %d with host %.100s%s", store.list.n,
             store.list.n == 1 ? "y" : "ies", here, host,
             here > 0 ? "" : "; add one with 'attune calibrate -- mpirun -n N'");
    atn_plan_store_free(&store);
    return ATN_OK;
}

void atn_cli_doctor_calibration(atn_doctor *d)
{
    check_setting(d, ATN_SET_CALIBRATION, atn_plan_store_find, describe_calibration,
                  "no file yet; 'attune calibrate -- mpirun -n N' measures these hosts, so that "
                  "jobs gain from the first call");
}
