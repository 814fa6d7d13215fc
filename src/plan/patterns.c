/* patterns.c - see patterns.h. */
#include "plan/patterns.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "algo/known_pattern.h"
#include "plan/rules_private.h"

enum { PATH_ROOM = 4096 + 32 };

/* ---- names ---- */

int64_t atn_plan_pattern_of(const atn_choice *choice)
{
    if (choice->row == NULL || (choice->row->algo->needs & ATN_NEEDS_PATTERN) == 0)
        return 0;
    return atn_algo_params_get(choice->row, &choice->params, "pattern", 0);
}

bool atn_plan_pattern_is_known(const atn_choice *choice)
{
    const int64_t name = atn_plan_pattern_of(choice);
    return name == 0 || atn_algo_known_find(name) != NULL;
}

static bool is_kept(const char *name)
{
    return strlen(name) == ATN_PATTERN_NAME - 1 &&
           strspn(name, "0123456789abcdef") == ATN_PATTERN_NAME - 1;
}

uint64_t atn_plan_pattern_number(int64_t name)
{
    const char *const text = atn_interned(name);
    return is_kept(text) ? strtoull(text, NULL, 16) : atn_hash(text, strlen(text), 0);
}

void atn_plan_pattern_name(uint64_t pattern, char out[ATN_PATTERN_NAME])
{
    snprintf(out, ATN_PATTERN_NAME, "%016" PRIx64, pattern);
}

/* ---- what jobs recognise ---- */

bool atn_plan_has_patterns(atn_operation op)
{
    return op == ATN_ALLTOALLV || op == ATN_ALLTOALLW || op == ATN_ALLGATHERV;
}

uint64_t atn_plan_pattern_owner(uint64_t pattern, uint64_t context)
{
    return atn_hash(&pattern, sizeof pattern, context) | 1;
}

uint64_t atn_plan_program_hash(const char *name) { return atn_hash(name, strlen(name), 0); }

uint64_t atn_plan_program_owner(uint64_t program, uint64_t context)
{
    return atn_hash(&context, sizeof context, program) | 1;
}

bool atn_plan_pattern_choice(atn_operation op, uint64_t pattern, int i, atn_choice *choice_p)
{
    static const struct {
        const char *row, *params;
    } ways[] = {{"greedy", "sync=sender,block=4"},
                {"greedy", "sync=none"},
                {"greedy", "sync=sender,block=8"},
                {"cut", "sync=sender,block=4"},
                {"cut", "sync=none"}};
    char name[ATN_PATTERN_NAME], params[64];
    if (i >= (int)(sizeof ways / sizeof *ways))
        return false;
    atn_plan_pattern_name(pattern, name);
    snprintf(params, sizeof params, "pattern=%s,%s", name, ways[i].params);
    return atn_plan_choice_parse(op, ways[i].row, params, choice_p, NULL) == ATN_OK;
}

/* FILE#CALL names a call, counted from 1; the first is the default.  Cuts the number off. */
static int cut_call(char *path)
{
    char *const mark = strrchr(path, '#'), *end;
    const long call = mark != NULL ? strtol(mark + 1, &end, 10) : 0;
    if (call < 1 || *end != '\0')
        return 0;
    *mark = '\0';
    return (int)(call < INT32_MAX ? call : INT32_MAX) - 1;
}

/* ---- reading ---- */

static void name_folder(const char *origin, char out[PATH_ROOM])
{
    snprintf(out, PATH_ROOM, "%.4080s.patterns", origin);
}

/* Names without a beginning / are looked for beside the file that has them. */
static void name_file(const char *name, const char *origin, char out[PATH_ROOM])
{
    const char *const slash = origin != NULL ? strrchr(origin, '/') : NULL;
    const int folder = *name != '/' && slash != NULL ? (int)(slash - origin) + 1 : 0;
    if (is_kept(name) && origin != NULL)
        snprintf(out, PATH_ROOM, "%.4080s.patterns/%s", origin, name);
    else
        snprintf(out, PATH_ROOM, "%.*s%s", folder, origin != NULL ? origin : "", name);
}

atn_status atn_plan_pattern_supply(const atn_choice *choice, const char *origin, atn_error *err)
{
    const int64_t number = atn_plan_pattern_of(choice);
    const char *const name = number > 0 ? atn_interned(number) : "";
    char path[PATH_ROOM], *text = NULL;
    if (number == 0 || (is_kept(name) && atn_algo_known_find(number) != NULL))
        return ATN_OK;
    name_file(name, origin, path);
    const int call = cut_call(path);
    if (is_kept(name) && access(path, F_OK) != 0)
        return ATN_OK;
    atn_status status = atn_plan_check_kind(path, "pattern", err);
    if (status == ATN_OK)
        status = atn_read_file(path, &text, NULL, err);
    if (status == ATN_OK)
        status = atn_algo_known_add(name, text, call, err);
    free(text);
    return status;
}

/* ---- packing ---- */

static bool is_new(const int64_t *names, int n, int64_t name)
{
    for (int i = 0; i < n; i++)
        if (names[i] == name)
            return false;
    return name > 0;
}

/* The known patterns that rules name, `most` at most, those of the latest rules first; returns
 * their number. */
static int list_names(const atn_rules *rules, bool (*wanted)(const char *name), int64_t *names,
                      int most)
{
    int n = 0;
    for (int64_t before = INT64_MAX; n < most;) {
        int64_t latest = INT64_MIN;
        for (int i = 0; i < rules->list.n; i++)
            if (rules->list.v[i].date < before && rules->list.v[i].date > latest)
                latest = rules->list.v[i].date;
        if (latest == INT64_MIN)
            return n;
        for (int i = 0; i < rules->list.n; i++) {
            const atn_rule *const rule = &rules->list.v[i];
            const int64_t name[] = {atn_plan_pattern_of(&rule->use),
                                    atn_plan_pattern_of(&rule->next)};
            for (int k = 0; k < 2 && rule->date == latest && n < most; k++)
                if (is_new(names, n, name[k]) && wanted(atn_interned(name[k])) &&
                    atn_algo_known_find(name[k]) != NULL)
                    names[n++] = name[k];
        }
        before = latest;
    }
    return n;
}

static bool any(const char *name) { return *name != '\0'; }

static void print_content(FILE *f, const char *text)
{
    for (const char *end; (end = strchr(text, '\n')) != NULL; text = end + 1)
        fprintf(f, "content %.*s\n", (int)(end - text), text);
}

static bool pack_one(FILE *f, int64_t name)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *const content = atn_open_text(&text, &bytes);
    if (content == NULL)
        return false;
    atn_algo_known_print(content, atn_algo_known_find(name));
    if (fclose(content) != 0)
        return false;
    print_content(f, text);
    fprintf(f, "pattern %s\n", atn_interned(name));
    free(text);
    return true;
}

bool atn_plan_patterns_pack(FILE *f, const atn_rules *rules)
{
    int64_t names[ATN_KNOWN_PATTERNS];
    const int n = list_names(rules, any, names, ATN_KNOWN_PATTERNS);
    bool packed = true;
    for (int i = 0; packed && i < n; i++)
        packed = pack_one(f, names[i]);
    return packed;
}

/* ---- files beside wisdom ---- */

/* Content never changes under a name. */
static atn_status write_one(const char *folder, int64_t name, atn_error *err)
{
    char path[PATH_ROOM + ATN_PATTERN_NAME], *text = NULL;
    size_t bytes = 0;
    snprintf(path, sizeof path, "%s/%s", folder, atn_interned(name));
    if (access(path, F_OK) == 0)
        return ATN_OK;
    atn_make_folders(path);
    FILE *const f = atn_open_text(&text, &bytes);
    if (f != NULL)
        atn_algo_known_print(f, atn_algo_known_find(name));
    const bool done = f != NULL && fclose(f) == 0;
    const atn_status status = done ? atn_write_file_alone(path, text, bytes, err)
                                   : atn_fail(err, ATN_MEMORY, "out of memory");
    free(text);
    return status;
}

static bool is_listed(const int64_t *names, int n, const char *name)
{
    for (int i = 0; i < n; i++)
        if (strcmp(atn_interned(names[i]), name) == 0)
            return true;
    return false;
}

static void remove_others(const char *folder, const int64_t *names, int n)
{
    DIR *const d = opendir(folder);
    char path[PATH_ROOM + ATN_PATTERN_NAME];
    for (const struct dirent *e; d != NULL && (e = readdir(d)) != NULL;)
        if (is_kept(e->d_name) && !is_listed(names, n, e->d_name)) {
            snprintf(path, sizeof path, "%s/%.16s", folder, e->d_name);
            unlink(path);
        }
    if (d != NULL)
        closedir(d);
}

atn_status atn_plan_patterns_write(const char *path, const atn_rules *rules, atn_error *err)
{
    int64_t names[ATN_PATTERNS_KEPT];
    const int n = list_names(rules, is_kept, names, ATN_PATTERNS_KEPT);
    char folder[PATH_ROOM];
    atn_status status = ATN_OK;
    name_folder(path, folder);
    for (int i = 0; i < n && status == ATN_OK; i++)
        status = write_one(folder, names[i], err);
    if (status == ATN_OK)
        remove_others(folder, names, n);
    return status;
}
