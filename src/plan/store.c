/* store.c - see store.h. */
#include "plan/store.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- entries ---- */

static void free_entry(atn_store_entry *e)
{
    free(e->hosts);
    free(e->machine);
    free(e->fabric);
    free(e->tool);
    free(e->launcher);
    free(e->topology);
    free(e->parameters);
}

void atn_plan_store_free(atn_store *s)
{
    for (int i = 0; i < s->list.n; i++)
        free_entry(&s->list.v[i]);
    atn_vec_free(&s->list);
}

/* Replaces a text by its copy; NULL stays NULL. */
static bool copy(char **text_p)
{
    const char *const text = *text_p;
    *text_p = text != NULL ? strdup(text) : NULL;
    return text == NULL || *text_p != NULL;
}

bool atn_plan_store_add(atn_store *s, const atn_store_entry *entry)
{
    atn_store_entry e = *entry;
    char **const texts[] = {&e.hosts,    &e.machine,  &e.fabric,    &e.tool,
                            &e.launcher, &e.topology, &e.parameters};
    bool copied = true;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        copied = copy(texts[i]) && copied;
    if (copied && atn_push(&s->list, e))
        return true;
    free_entry(&e);
    return false;
}

/* ---- files ---- */

void atn_plan_store_find(const char *job, const char *home, const char *data,
                         atn_wisdom_files *files_p)
{
    const bool named = *job != '\0' && strcmp(job, "auto") != 0;
    atn_plan_files_find("calibration", named ? job : "", home, data, files_p);
    if (named && files_p->n > 1)
        files_p->n = 1; /* a file that the user names stands for all others */
}

static bool is_there(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 || (errno != ENOENT && errno != ENOTDIR);
}

static atn_status load_files(const atn_wisdom_files *files, atn_store *s, FILE *warnings,
                             atn_error *err)
{
    for (int i = 0; i < files->n; i++) {
        atn_error error = {0};
        const char *const path = files->path[i];
        if (!is_there(path) ||
            atn_plan_store_read_of(path, atn_plan_files_provider(files, i), s, &error) == ATN_OK)
            continue;
        if (error.status == ATN_MEMORY)
            return atn_fail(err, ATN_MEMORY, "out of memory");
        fprintf(warnings, "attune: %s; this calibration is not used\n", error.text);
    }
    return ATN_OK;
}

atn_status atn_plan_store_load(const atn_wisdom_files *files, atn_store *s, char **warning_p,
                               atn_error *err)
{
    char *text = NULL;
    size_t size = 0;
    FILE *const warnings = atn_open_text(&text, &size);
    *warning_p = NULL;
    if (warnings == NULL)
        return atn_fail(err, ATN_MEMORY, "out of memory");
    atn_status status = load_files(files, s, warnings, err);
    if (fclose(warnings) != 0 && status == ATN_OK)
        status = atn_fail(err, ATN_MEMORY, "out of memory");
    if (status == ATN_OK && size > 0)
        *warning_p = text;
    else
        free(text);
    return status;
}

/* ---- changes ---- */

typedef bool (*selector)(void *context, const atn_store_entry *entry);

static void drop(atn_store *s, selector is, void *context, int *removed_p)
{
    int kept = 0;
    for (int i = 0; i < s->list.n; i++) {
        if (is(context, &s->list.v[i]))
            free_entry(&s->list.v[i]);
        else
            s->list.v[kept++] = s->list.v[i];
    }
    *removed_p = s->list.n - kept;
    s->list.n = kept;
}

static atn_status write_store(const char *path, const atn_store *s, atn_error *err)
{
    size_t bytes = 0;
    char *const text = atn_plan_store_print(s, &bytes);
    const atn_status status = text != NULL ? atn_write_file_alone(path, text, bytes, err)
                                           : atn_fail(err, ATN_MEMORY, "out of memory");
    free(text);
    return status;
}

/* Removes what `is` selects and adds `entry` (or nothing: NULL). */
static atn_status change(const char *path, selector is, void *context, const atn_store_entry *entry,
                         int *removed_p, atn_error *err)
{
    int lock;
    atn_store s = {{0}};
    atn_make_folders(path);
    atn_status status = atn_lock_file(path, &lock, err);
    if (status != ATN_OK)
        return status;
    if (is_there(path))
        status = atn_plan_store_read(path, &s, err);
    if (status == ATN_OK)
        drop(&s, is, context, removed_p);
    if (status == ATN_OK && entry != NULL && !atn_plan_store_add(&s, entry))
        status = atn_fail(err, ATN_MEMORY, "out of memory");
    if (status == ATN_OK && (entry != NULL || *removed_p > 0))
        status = write_store(path, &s, err);
    atn_plan_store_free(&s);
    atn_unlock_file(lock);
    return status;
}

static bool is_replaced(void *context, const atn_store_entry *old)
{
    const atn_store_entry *const new = context;
    return strcmp(old->hosts, new->hosts) == 0 && strcmp(old->machine, new->machine) == 0 &&
           strcmp(old->fabric, new->fabric) == 0 && old->ranks == new->ranks &&
           (new->parameters != NULL || old->parameters == NULL);
}

atn_status atn_plan_store_put(const char *path, const atn_store_entry *entry, atn_error *err)
{
    int replaced;
    return change(path, is_replaced, (void *)entry, entry, &replaced, err);
}

atn_status atn_plan_store_remove(const char *path, selector is, void *context, int *removed_p,
                                 atn_error *err)
{
    *removed_p = 0;
    return is_there(path) ? change(path, is, context, NULL, removed_p, err) : ATN_OK;
}
