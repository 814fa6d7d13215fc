/* wisdom.c - files of wisdom: where they are, and changing one without losing anything. */
#include "plan/wisdom.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "plan/patterns.h"
#include "plan/rules_private.h"

/* ---- where ---- */

static void add_file(atn_wisdom_files *files, const char *kind, const char *folder,
                     const char *rest)
{
    const size_t room = sizeof files->path[0];
    const int n = snprintf(files->path[files->n], room, "%s%s", folder, rest);
    if (n > 0 && (size_t)n < room)
        files->kind[files->n++] = kind;
}

void atn_plan_files_find(const char *name, const char *job, const char *home, const char *data,
                         atn_wisdom_files *files_p)
{
    char rest[64];
    files_p->n = 0;
    if (strcmp(job, "off") == 0)
        return;
    if (*job != '\0')
        add_file(files_p, "job", job, "");
    snprintf(rest, sizeof rest, "/attune/%s", name);
    if (data != NULL && *data == '/')
        add_file(files_p, "user", data, rest);
    else if (home != NULL && *home == '/') {
        snprintf(rest, sizeof rest, "/.local/share/attune/%s", name);
        add_file(files_p, "user", home, rest);
    }
    snprintf(rest, sizeof rest, "/etc/attune/%s", name);
    add_file(files_p, "system", "", rest);
}

atn_provider atn_plan_files_provider(const atn_wisdom_files *files, int i)
{
    const char *const kind = files->kind[i];
    return kind == NULL || strcmp(kind, "job") == 0 ? ATN_NAMED : ATN_FOUND;
}

void atn_plan_wisdom_find(const char *job, const char *home, const char *data,
                          atn_wisdom_files *files_p)
{
    atn_plan_files_find("wisdom", job, home, data, files_p);
}

static bool is_there(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 || (errno != ENOENT && errno != ENOTDIR);
}

/* Replaces *rules_p by itself joined with the file. */
static atn_status join_file(const atn_wisdom_files *files, int i, atn_rules **rules_p,
                            atn_error *err)
{
    atn_rules *file;
    const atn_provider provider = atn_plan_files_provider(files, i);
    atn_status status = ATN_OK;
    if (provider == ATN_NAMED)
        status = atn_plan_check_kind(files->path[i], "rule", err);
    if (status == ATN_OK)
        status = atn_plan_rules_read_of(files->path[i], provider, &file, err);
    if (status != ATN_OK)
        return status;
    atn_rules *both = atn_plan_wisdom_join(*rules_p, file);
    atn_plan_rules_free(file);
    if (both == NULL)
        return atn_fail(err, ATN_MEMORY, "out of memory");
    atn_plan_rules_free(*rules_p);
    *rules_p = both;
    return ATN_OK;
}

static atn_status join_files(const atn_wisdom_files *files, atn_rules **rules_p, FILE *warnings,
                             atn_error *err)
{
    for (int i = files->n - 1; i >= 0; i--) {
        atn_error error = {0};
        if (!is_there(files->path[i]) || join_file(files, i, rules_p, &error) == ATN_OK)
            continue;
        if (error.status == ATN_MEMORY)
            return atn_fail(err, ATN_MEMORY, "out of memory");
        fprintf(warnings, "attune: %s; this wisdom is not used\n", error.text);
    }
    return ATN_OK;
}

atn_status atn_plan_wisdom_load(const atn_wisdom_files *files, atn_rules **rules_p,
                                char **warning_p, atn_error *err)
{
    char *text = NULL;
    size_t size = 0;
    FILE *warnings = atn_open_text(&text, &size);
    atn_rules *rules = atn_plan_rules_empty();
    atn_status status = warnings != NULL && rules != NULL
                            ? join_files(files, &rules, warnings, err)
                            : atn_fail(err, ATN_MEMORY, "out of memory");
    if (warnings != NULL && fclose(warnings) != 0 && status == ATN_OK)
        status = atn_fail(err, ATN_MEMORY, "out of memory");
    if (status == ATN_OK && size > 0)
        *warning_p = text;
    else {
        *warning_p = NULL;
        free(text);
    }
    if (status == ATN_OK)
        *rules_p = rules;
    else
        atn_plan_rules_free(rules);
    return status;
}

/* ---- changing a file ---- */

/* What cannot be read back must not be written: a rule may name a schedule beside another file. */
static atn_status check_text(const char *path, const char *text, size_t bytes, atn_error *err)
{
    atn_rules *again = NULL;
    const atn_status status = atn_plan_rules_parse(text, bytes, path, &again, err);
    atn_plan_rules_free(again);
    return status;
}

static atn_status write_rules(const char *path, const atn_rules *rules, atn_error *err)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *f = atn_open_text(&text, &bytes);
    bool done = f != NULL && atn_plan_rules_print(f, rules);
    done = f != NULL && fclose(f) == 0 && done;
    atn_status status =
        done ? check_text(path, text, bytes, err) : atn_fail(err, ATN_MEMORY, "out of memory");
    if (status == ATN_OK)
        status = atn_write_file_alone(path, text, bytes, err);
    free(text);
    return status;
}

static atn_status read_or_empty(const char *path, atn_rules **rules_p, atn_error *err)
{
    if (is_there(path))
        return atn_plan_rules_read(path, rules_p, err);
    *rules_p = atn_plan_rules_empty();
    return *rules_p != NULL ? ATN_OK : atn_fail(err, ATN_MEMORY, "out of memory");
}

atn_status atn_plan_wisdom_update(const char *path, atn_wisdom_change change, void *context,
                                  atn_error *err)
{
    int lock;
    atn_rules *old = NULL, *changed = NULL;
    atn_make_folders(path);
    atn_status status = atn_lock_file(path, &lock, err);
    if (status != ATN_OK)
        return status;
    status = read_or_empty(path, &old, err);
    if (status == ATN_OK)
        status = change(context, old, &changed, err);
    if (status == ATN_OK)
        status = write_rules(path, changed, err);
    if (status == ATN_OK)
        status = atn_plan_patterns_write(path, changed, err);
    atn_plan_rules_free(old);
    atn_plan_rules_free(changed);
    atn_unlock_file(lock);
    return status;
}

/* ---- forgetting ---- */

static bool lies_in(atn_span inner, atn_span outer)
{
    return outer.lo <= inner.lo && inner.hi <= outer.hi;
}

bool atn_plan_is_forgotten(const atn_forgetting *what, const atn_rule *rule)
{
    const atn_backing backing = atn_plan_rule_backing(rule);
    return (what->operations == 0 || (what->operations & (1u << rule->op)) != 0) &&
           lies_in(rule->ranks, what->ranks) && lies_in(rule->bytes, what->bytes) &&
           (what->place < 0 || what->place == rule->place) &&
           (what->before < 0 || rule->date < what->before) &&
           (!what->guesses || backing == ATN_GUESSED) && (what->by_hand || backing != ATN_BY_HAND);
}

typedef struct {
    const atn_forgetting *what;
    int n;
} forgetting;

static atn_status forget_change(void *context, const atn_rules *old, atn_rules **new_p,
                                atn_error *err)
{
    forgetting *f = context;
    ATN_VEC(atn_rule) kept = {0};
    bool done = true;
    for (int i = 0; i < atn_plan_rules_count(old) && done; i++) {
        if (atn_plan_is_forgotten(f->what, atn_plan_rules_at(old, i)))
            f->n++;
        else
            done = atn_push(&kept, *atn_plan_rules_at(old, i));
    }
    *new_p = done ? atn_plan_rules_make(kept.v, kept.n, old) : NULL;
    atn_vec_free(&kept);
    return *new_p != NULL ? ATN_OK : atn_fail(err, ATN_MEMORY, "out of memory");
}

atn_status atn_plan_wisdom_forget(const char *path, const atn_forgetting *what, int *forgotten_p,
                                  atn_error *err)
{
    forgetting f = {.what = what};
    if (!is_there(path))
        return atn_fail(err, ATN_INPUT, "%s: there is no such file", path);
    const atn_status status = atn_plan_wisdom_update(path, forget_change, &f, err);
    if (status == ATN_OK)
        *forgotten_p = f.n;
    return status;
}

/* ---- merging ---- */

static atn_status join_change(void *context, const atn_rules *old, atn_rules **new_p,
                              atn_error *err)
{
    *new_p = atn_plan_wisdom_join(old, context);
    return *new_p != NULL ? ATN_OK : atn_fail(err, ATN_MEMORY, "out of memory");
}

atn_status atn_plan_wisdom_merge(const char *path, const atn_rules *news, atn_error *err)
{
    char beside[4096];
    atn_error first = {0}, second = {0};
    atn_status status = atn_plan_wisdom_update(path, join_change, (void *)news, &first);
    if (status != ATN_INPUT)
        return status == ATN_OK ? ATN_OK : atn_fail(err, status, "%s", first.text);
    snprintf(beside, sizeof beside, "%s.unmerged", path);
    status = atn_plan_wisdom_update(beside, join_change, (void *)news, &second);
    if (status == ATN_OK)
        return atn_fail(err, ATN_INPUT, "%s; what is new is in %s", first.text, beside);
    return atn_fail(err, ATN_INPUT, "%s; what is new is lost: %s", first.text, second.text);
}
