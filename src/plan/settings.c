/* settings.c - values of the settings: checks, environment, packing, documentation. */
#include "plan/settings.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char *const atn_nonblocking_words[] = {"auto", "on", "off", NULL};
static const char *const atn_progress_words[] = {"calls", "thread", "always", NULL};
static const char *const atn_transport_words[] = {"auto", "shm", "mpi", NULL};
static const char *const atn_yield_words[] = {"auto", "always", "never", NULL};
static const char *const atn_report_words[] = {"auto", "text", "csv", "json", "html", NULL};
static const char *const atn_gpu_words[] = {"native", "serve", NULL};
static const char *const atn_context_words[] = {"named", "auto", NULL};
static const char *const atn_fp_words[] = {"stable", "free", NULL};
static const char *const atn_trace_words[] = {"calls", "messages", NULL};
static const char *const switch_words[] = {"off", "on", "0", "1", "no", "yes", NULL};

static const atn_setting_info infos[ATN_SETTINGS] = {
#define ATN_SETTING(id, name, option, letter, alone, type, fallback, min, max, words, argument,    \
                    doc)                                                                           \
    [ATN_SET_##id] = {name, option, letter,   alone, ATN_SETTING_##type, fallback, min,            \
                      max,  words,  argument, doc},
#include "plan/settings.def"
#undef ATN_SETTING
};

const atn_setting_info *atn_plan_setting_get(atn_setting id) { return &infos[id]; }

bool atn_plan_setting_find(const char *name, atn_setting *id_p)
{
    for (int i = 0; i < ATN_SETTINGS; i++)
        if (strcmp(infos[i].name, name) == 0) {
            *id_p = (atn_setting)i;
            return true;
        }
    return false;
}

static int word_index(const char *const *words, const char *text)
{
    for (int i = 0; words[i] != NULL; i++)
        if (strcasecmp(words[i], text) == 0)
            return i;
    return -1;
}

static bool int_value(const char *text, int64_t *number_p)
{
    char *end;
    const long long number = strtoll(text, &end, 10);
    *number_p = number;
    return end != text && *end == '\0';
}

/* The number that a text stands for; false: the text is not allowed by the table. */
static bool value_of(const atn_setting_info *info, const char *text, int64_t *number_p)
{
    *number_p = 0;
    switch (info->type) {
    case ATN_SETTING_SWITCH:
        *number_p = word_index(switch_words, text);
        if (*number_p >= 0)
            *number_p %= 2;
        return *number_p >= 0;
    case ATN_SETTING_INT:
        return int_value(text, number_p) && info->min <= *number_p && *number_p <= info->max;
    case ATN_SETTING_WORD:
        *number_p = word_index(info->words, text);
        return *number_p >= 0;
    default:
        return true;
    }
}

static atn_status bad_value(const atn_setting_info *info, const char *text, atn_error *err)
{
    if (info->type == ATN_SETTING_INT)
        return atn_fail(err, ATN_INPUT, "%s=%s: must be a number from %lld to %lld", info->name,
                        text, (long long)info->min, (long long)info->max);
    return atn_fail(err, ATN_INPUT, "%s=%s: must be one of %s", info->name, text, info->argument);
}

static void put_default(atn_settings *s, atn_setting id)
{
    free(s->v[id].text);
    s->v[id].text = NULL;
    s->v[id].source = ATN_FROM_DEFAULT;
    value_of(&infos[id], infos[id].fallback, &s->v[id].number);
}

void atn_plan_settings_default(atn_settings *s)
{
    memset(s, 0, sizeof *s);
    for (int i = 0; i < ATN_SETTINGS; i++)
        put_default(s, (atn_setting)i);
}

void atn_plan_settings_free(atn_settings *s)
{
    for (int i = 0; i < ATN_SETTINGS; i++)
        put_default(s, (atn_setting)i);
}

atn_status atn_plan_settings_set(atn_settings *s, atn_setting id, const char *text,
                                 atn_source source, atn_error *err)
{
    int64_t number;
    if (*text == '\0') {
        put_default(s, id);
        return ATN_OK;
    }
    if (!value_of(&infos[id], text, &number))
        return bad_value(&infos[id], text, err);
    char *copy = strdup(text);
    if (copy == NULL)
        return atn_fail(err, ATN_MEMORY, "out of memory");
    free(s->v[id].text);
    s->v[id].text = copy;
    s->v[id].number = number;
    s->v[id].source = source;
    return ATN_OK;
}

/* Splits "NAME=value"; false: the name is too long to be a setting. */
static bool split(const char *entry, char name[64], const char **value_p)
{
    const char *equals = strchr(entry, '=');
    if (equals == NULL || equals - entry >= 64)
        return false;
    memcpy(name, entry, (size_t)(equals - entry));
    name[equals - entry] = '\0';
    *value_p = equals + 1;
    return true;
}

static const char prefix[] = "ATTUNE_";
enum { PREFIX = sizeof prefix - 1 };

/* Set by the test suite in jobs. */
static const char *const test_variables[] = {"ATTUNE_BUILD", "ATTUNE_SOURCE", "ATTUNE_TEST_TIMEOUT",
                                             NULL};

/* The nearest name, compared without the prefix, which all names share. */
static const char *nearest_setting(const char *name)
{
    const char *ends[ATN_SETTINGS];
    int n = 0;
    for (int i = 0; i < ATN_SETTINGS; i++)
        if (strncmp(infos[i].name, prefix, PREFIX) == 0)
            ends[n++] = infos[i].name + PREFIX;
    return atn_nearest(name + PREFIX, ends, n);
}

static void warn_unknown(FILE *f, const char *name)
{
    const char *near = nearest_setting(name);
    fprintf(f, "attune: environment variable %s is not a setting and is ignored; ", name);
    if (near != NULL)
        fprintf(f, "did you mean %s%s?\n", prefix, near);
    else
        fprintf(f, "`attune settings` lists them\n");
}

static atn_status take(atn_settings *s, const char *entry, atn_source source, FILE *warnings,
                       atn_error *err)
{
    char name[64];
    const char *value;
    atn_setting id;
    if (!split(entry, name, &value))
        return ATN_OK;
    if (atn_plan_setting_find(name, &id))
        return atn_plan_settings_set(s, id, value, source, err);
    if (strncmp(name, prefix, PREFIX) == 0 && word_index(test_variables, name) < 0 &&
        warnings != NULL)
        warn_unknown(warnings, name);
    return ATN_OK;
}

atn_status atn_plan_settings_environ(atn_settings *s, char *const *environment, char **warning_p,
                                     atn_error *err)
{
    char *text = NULL;
    size_t size = 0;
    FILE *warnings = atn_open_text(&text, &size);
    if (warnings == NULL)
        return atn_fail(err, ATN_MEMORY, "out of memory");
    static char *const inert[] = {"ATTUNE=off", NULL};
    atn_status status = ATN_OK;
    environment = atn_is_privileged() ? inert : environment;
    for (int i = 0; environment[i] != NULL && status == ATN_OK; i++)
        status = take(s, environment[i], ATN_FROM_ENVIRONMENT, warnings, err);
    if (fclose(warnings) != 0 && status == ATN_OK)
        status = atn_fail(err, ATN_MEMORY, "out of memory");
    *warning_p = size > 0 ? text : NULL;
    if (size == 0)
        free(text);
    return status;
}

static const char *const run_defaults[ATN_SETTINGS] = {[ATN_SET_SELECT] = "online"};

const char *atn_plan_setting_run_default(atn_setting id)
{
    return run_defaults[id] != NULL ? run_defaults[id] : infos[id].fallback;
}

atn_status atn_plan_settings_run(atn_settings *s, atn_error *err)
{
    static const atn_setting own[] = {ATN_SET_SELECT, ATN_SET_RULES, ATN_SET_ALGORITHM};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (s->v[own[i]].text != NULL)
            return ATN_OK;
    return atn_plan_settings_set(s, ATN_SET_SELECT, run_defaults[ATN_SET_SELECT], ATN_FROM_COMMAND,
                                 err);
}

int64_t atn_plan_setting_number(const atn_settings *s, atn_setting id) { return s->v[id].number; }

int64_t atn_plan_setting_own(atn_setting id)
{
    atn_settings s;
    const char *text = getenv(infos[id].name);
    if (atn_is_privileged())
        text = id == ATN_SET_ON ? "off" : NULL;
    atn_plan_settings_default(&s);
    if (text != NULL)
        atn_plan_settings_set(&s, id, text, ATN_FROM_ENVIRONMENT, NULL);
    const int64_t number = s.v[id].number;
    atn_plan_settings_free(&s);
    return number;
}

const char *atn_plan_setting_text(const atn_settings *s, atn_setting id)
{
    return s->v[id].text != NULL ? s->v[id].text : infos[id].fallback;
}

const char *atn_plan_setting_given(const atn_settings *s, atn_setting id)
{
    const char *text = atn_plan_setting_text(s, id);
    return *text != '\0' ? text : NULL;
}

const char *atn_plan_setting_report(const atn_settings *s)
{
    const char *text = atn_plan_setting_text(s, ATN_SET_REPORT);
    const int word = word_index(switch_words, text);
    if (word < 0)
        return text;
    return word % 2 == 1 ? "" : NULL;
}

atn_status atn_plan_settings_pack(const atn_settings *s, char **bytes_p, size_t *size_p,
                                  atn_error *err)
{
    FILE *f = atn_open_text(bytes_p, size_p);
    if (f == NULL)
        return atn_fail(err, ATN_MEMORY, "out of memory");
    for (int i = 0; i < ATN_SETTINGS; i++)
        if (s->v[i].text != NULL)
            fprintf(f, "%s=%s%c", infos[i].name, s->v[i].text, '\0');
    return fclose(f) == 0 ? ATN_OK : atn_fail(err, ATN_MEMORY, "out of memory");
}

atn_status atn_plan_settings_unpack(atn_settings *s, const char *bytes, size_t size, atn_error *err)
{
    atn_plan_settings_default(s);
    atn_status status = ATN_OK;
    for (size_t at = 0; at < size && status == ATN_OK; at += strlen(bytes + at) + 1)
        status = take(s, bytes + at, ATN_FROM_ENVIRONMENT, NULL, err);
    return status;
}

uint64_t atn_plan_settings_hash(const atn_settings *s)
{
    uint64_t hash = 0;
    for (int i = 0; i < ATN_SETTINGS; i++) {
        const char *text = atn_plan_setting_text(s, (atn_setting)i);
        hash = atn_hash(text, strlen(text) + 1, hash);
    }
    return hash;
}

/* A vertical bar would end the cell. */
static void put_cell(FILE *f, const char *text)
{
    for (; *text != '\0'; text++)
        fprintf(f, *text == '|' ? "\\|" : "%c", *text);
}

void atn_plan_settings_document(FILE *f)
{
    fprintf(f, "# Settings\n\n"
               "Generated by `attune settings --format markdown`; do not edit. Attune reads these "
               "environment\nvariables, and no others, on one rank and distributes the values to "
               "all ranks. The options of `attune run`\noverride them. `attune settings` shows the "
               "values in force and their sources. Defaults are those of\n`attune run`; where the "
               "preloaded library without it has another default, the meaning states it.\n\n"
               "| variable | option | values | default | meaning |\n|---|---|---|---|---|\n");
    for (int i = 0; i < ATN_SETTINGS; i++) {
        fprintf(f, "| `%s` | ", infos[i].name);
        const char *const option = infos[i].option;
        fprintf(f, "%s%s%s | ", option != NULL ? "`--" : "–", option != NULL ? option : "",
                option != NULL ? "`" : "");
        put_cell(f, infos[i].argument);
        const char *const fallback = atn_plan_setting_run_default((atn_setting)i);
        fprintf(f, " | %s | ", *fallback != '\0' ? fallback : "–");
        put_cell(f, infos[i].doc);
        fprintf(f, " |\n");
    }
}
