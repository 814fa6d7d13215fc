/* settings.h - the environment variables as one table, and their values in a job.
 *
 * One rank reads the environment and packs it; every rank unpacks the same bytes, so all ranks use
 * the same values even if their environments differ. */
#ifndef ATN_PLAN_SETTINGS_H
#define ATN_PLAN_SETTINGS_H

#include "base/base.h"

typedef enum {
#define ATN_SETTING(id, ...) ATN_SET_##id,
#include "plan/settings.def"
#undef ATN_SETTING
    ATN_SETTINGS
} atn_setting;

enum { ATN_NONBLOCKING_AUTO, ATN_NONBLOCKING_ON, ATN_NONBLOCKING_OFF };
enum { ATN_PROGRESS_CALLS, ATN_PROGRESS_THREAD, ATN_PROGRESS_ALWAYS };
enum { ATN_TRANSPORT_AUTO, ATN_TRANSPORT_SHM, ATN_TRANSPORT_MPI };
enum { ATN_YIELD_AUTO, ATN_YIELD_ALWAYS, ATN_YIELD_NEVER };
enum { ATN_GPU_NATIVE, ATN_GPU_SERVE };
enum { ATN_FP_STABLE, ATN_FP_FREE };
enum { ATN_CONTEXTS_NAMED, ATN_CONTEXTS_AUTO };

typedef enum {
    ATN_SETTING_SWITCH,
    ATN_SETTING_INT,
    ATN_SETTING_WORD,
    ATN_SETTING_FILE,
    ATN_SETTING_TEXT,
    ATN_SETTING_LIST
} atn_setting_type;

typedef struct {
    const char *name;   /* "ATTUNE_RULES" */
    const char *option; /* of `attune run`, "rules"; NULL: none */
    char letter;        /* short option; 0: none */
    const char *alone;  /* value if the option is given without one; NULL: it needs one */
    atn_setting_type type;
    const char *fallback;
    int64_t min, max;
    const char *const *words; /* ATN_SETTING_WORD: NULL-terminated */
    const char *argument;     /* "FILE", as documents show it */
    const char *doc;
} atn_setting_info;

typedef enum { ATN_FROM_DEFAULT, ATN_FROM_ENVIRONMENT, ATN_FROM_COMMAND } atn_source;

typedef struct {
    struct {
        int64_t number; /* SWITCH: 0 or 1; INT; WORD: index */
        char *text;     /* as given; NULL: default */
        atn_source source;
    } v[ATN_SETTINGS];
} atn_settings;

const atn_setting_info *atn_plan_setting_get(atn_setting id);
bool atn_plan_setting_find(const char *name, atn_setting *id_p);

void atn_plan_settings_default(atn_settings *s);
void atn_plan_settings_free(atn_settings *s);
/* Checked against the table; an empty text restores the default.  On failure nothing changes. */
atn_status atn_plan_settings_set(atn_settings *s, atn_setting id, const char *text,
                                 atn_source source, atn_error *err);
/* Reads the ATTUNE variables of an environment (`environ`).  Unknown ATTUNE_* names are not an
 * error: *warning_p (caller frees) holds one line for each, ready to print; NULL: none. */
atn_status atn_plan_settings_environ(atn_settings *s, char *const *environment, char **warning_p,
                                     atn_error *err);

/* Adds what `attune run` sets by default: online tuning, unless algorithms, rules or a selection
 * method are given. */
atn_status atn_plan_settings_run(atn_settings *s, atn_error *err);
/* The default under `attune run`; without it, the default is `fallback`. */
const char *atn_plan_setting_run_default(atn_setting id);

int64_t atn_plan_setting_number(const atn_settings *s, atn_setting id);
/* By the environment of this process alone; a value that is not valid: the default. */
int64_t atn_plan_setting_own(atn_setting id);
const char *atn_plan_setting_text(const atn_settings *s, atn_setting id); /* never NULL */
/* The text, or NULL when it is empty. */
const char *atn_plan_setting_given(const atn_settings *s, atn_setting id);
/* ATTUNE_REPORT: NULL: none; "": standard error; else a file. */
const char *atn_plan_setting_report(const atn_settings *s);

/* "NAME=value" strings, each with its NUL, for all that differ from the default. */
atn_status atn_plan_settings_pack(const atn_settings *s, char **bytes_p, size_t *size_p,
                                  atn_error *err);
atn_status atn_plan_settings_unpack(atn_settings *s, const char *bytes, size_t size,
                                    atn_error *err);
uint64_t atn_plan_settings_hash(const atn_settings *s);

/* Writes docs/settings.md. */
void atn_plan_settings_document(FILE *f);

#endif
