/* rules_read.c - wisdom text to rule table, all or nothing (docs/wisdom-format.md). */
#include <stdlib.h>
#include <string.h>

#include "base/lines.h"
#include "base/stats.h"
#include "plan/rules_private.h"

/* Comments belong to what follows them and are kept. */
static const atn_format format = {.magic = "attune-wisdom",
                                  .kind = "wisdom",
                                  .version = ATN_WISDOM_VERSION,
                                  .remedy = "use a newer Attune or let this one write the file "
                                            "again",
                                  .whole = true,
                                  .ends = true};

typedef struct {
    atn_lines l;
    int64_t place; /* of the section */
    bool packed;   /* text made by atn_plan_rules_pack, which has a few more words */
    char *note;    /* comment lines waiting for what they belong to */
    char *content; /* lines of a schedule, likewise */
    atn_rules *rules;
} reader;

#define refuse(rd, ...) atn_lines_fail(&(rd)->l, __VA_ARGS__)

static atn_status no_memory(reader *rd) { return atn_lines_no_memory(&rd->l); }

/* ---- fields of a rule ---- */

static atn_status read_range(reader *rd, const char *name, const char *value, atn_span *range)
{
    if (atn_plan_span_parse(value, range))
        return ATN_OK;
    return refuse(rd,
                  "%s=%.60s is no range; write LO:HI (LO included, HI not, LO < HI), LO:, :HI, one "
                  "number, or *",
                  name, value);
}

static atn_status read_ranks(reader *rd, atn_rule *rule, const char *value)
{
    return read_range(rd, "ranks", value, &rule->ranks);
}

static atn_status read_bytes(reader *rd, atn_rule *rule, const char *value)
{
    const atn_status status = read_range(rd, "bytes", value, &rule->bytes);
    if (status == ATN_OK && rule->bytes.lo >= 0 && !atn_plan_shares_bytes(rule->op))
        return refuse(rd,
                      "bytes=%.60s would never match: ranks do not share a size in %s; leave "
                      "bytes= out",
                      value, atn_sched_operation_get(rule->op)->name);
    return status;
}

static atn_status read_choice(reader *rd, atn_operation op, char *value, atn_choice *choice)
{
    atn_error error = {0};
    const atn_status status = atn_plan_choice_read(op, value, choice, &error);
    return status == ATN_OK ? ATN_OK : refuse(rd, "%s", error.text);
}

static atn_status read_use(reader *rd, atn_rule *rule, const char *value)
{
    return read_choice(rd, rule->op, (char *)value, &rule->use);
}

static atn_status read_next(reader *rd, atn_rule *rule, const char *value)
{
    return read_choice(rd, rule->op, (char *)value, &rule->next);
}

static atn_status read_time(reader *rd, atn_rule *rule, const char *value)
{
    return atn_plan_duration_parse(value, &rule->time_ps)
               ? ATN_OK
               : refuse(rd, "time=%.60s is no duration; write 3.1us (s, ms, us, ns, ps)", value);
}

static atn_status read_ci(reader *rd, atn_rule *rule, const char *value)
{
    return atn_plan_duration_parse(value, &rule->ci_ps)
               ? ATN_OK
               : refuse(rd, "ci=%.60s is no duration; write 0.1us (s, ms, us, ns, ps)", value);
}

static atn_status read_samples(reader *rd, atn_rule *rule, const char *value)
{
    return atn_plan_count_parse(value, &rule->samples)
               ? ATN_OK
               : refuse(rd, "samples=%.60s must be a whole number", value);
}

static atn_status read_next_time(reader *rd, atn_rule *rule, const char *value)
{
    return atn_plan_duration_parse(value, &rule->next_ps)
               ? ATN_OK
               : refuse(rd, "next_time=%.60s is no duration; write 3.1us (s, ms, us, ns, ps)",
                        value);
}

static atn_status read_date(reader *rd, atn_rule *rule, const char *value)
{
    return atn_plan_date_parse(value, &rule->date)
               ? ATN_OK
               : refuse(rd, "date=%.60s is no date; write 2026-02-03 or 2026-02-03T09:15:07Z",
                        value);
}

static atn_status read_guess(reader *rd, atn_rule *rule, const char *value)
{
    for (int i = 1; atn_plan_guess_words[i] != NULL; i++)
        if (strcmp(atn_plan_guess_words[i], value) == 0) {
            rule->guess = (atn_guess)i;
            return ATN_OK;
        }
    return refuse(rd, "guess=%.60s is not known; it is between (neighbours), model or race", value);
}

static atn_status read_place(reader *rd, const char *word, int64_t *place_p)
{
    if (atn_plan_place_parse(word, place_p))
        return ATN_OK;
    return refuse(rd, "\"%.60s\" is no place; write at MACHINE/LAYOUT (either may be *), or at *",
                  word);
}

static atn_status read_at_field(reader *rd, atn_rule *rule, const char *value)
{
    return read_place(rd, value, &rule->place);
}

static atn_status read_line_number(reader *rd, atn_rule *rule, const char *value)
{
    int64_t line;
    if (!atn_plan_count_parse(value, &line) || line > INT32_MAX)
        return refuse(rd, "line=%.60s must be a whole number", value);
    rule->line = (int)line;
    return ATN_OK;
}

static const struct {
    const char *name;
    atn_status (*read)(reader *rd, atn_rule *rule, const char *value);
    bool packed;
} fields[] = {
    {"ranks", read_ranks, false},     {"bytes", read_bytes, false},
    {"use", read_use, false},         {"time", read_time, false},
    {"ci", read_ci, false},           {"next", read_next, false},
    {"samples", read_samples, false}, {"next_time", read_next_time, false},
    {"date", read_date, false},       {"guess", read_guess, false},
    {"at", read_at_field, true},      {"line", read_line_number, true},
};
enum { FIELDS = sizeof fields / sizeof fields[0], FILE_FIELDS = FIELDS - 2 };

static int find_field(const reader *rd, const char *name)
{
    for (int i = 0; i < FIELDS; i++)
        if (strcmp(fields[i].name, name) == 0 && (rd->packed || !fields[i].packed))
            return i;
    return -1;
}

static atn_status unknown_field(reader *rd, const char *name)
{
    const char *names[FILE_FIELDS];
    char offer[ATN_ERROR_ROOM];
    for (int i = 0; i < FILE_FIELDS; i++)
        names[i] = fields[i].name;
    return refuse(rd, "unknown field \"%.40s\"; %s", name,
                  atn_offer(name, names, FILE_FIELDS, offer));
}

static atn_status read_field(reader *rd, atn_rule *rule, char *word, unsigned *seen)
{
    char *equals = strchr(word, '=');
    if (*word == '#')
        return refuse(rd, "a comment needs a line of its own; move it above the rule");
    if (equals == NULL || equals == word || equals[1] == '\0')
        return refuse(rd, "\"%.60s\" is no field; write key=value without spaces", word);
    *equals = '\0';
    const int i = find_field(rd, word);
    if (i < 0)
        return unknown_field(rd, word);
    if (*seen & (1u << i))
        return refuse(rd, "%s= is given twice; keep one", word);
    *seen |= 1u << i;
    return fields[i].read(rd, rule, equals + 1);
}

/* ---- lines ---- */

static char *take_note(reader *rd)
{
    char *note = rd->note;
    rd->note = NULL;
    return note;
}

static atn_status read_fields(reader *rd, atn_rule *rule)
{
    unsigned seen = 0;
    atn_status status = ATN_OK;
    for (char *word; status == ATN_OK && (word = atn_lines_word(&rd->l)) != NULL;)
        status = read_field(rd, rule, word, &seen);
    if (status == ATN_OK && rule->use.row == NULL)
        return refuse(rd, "the rule names no algorithm; add use=NAME (or use=native)");
    return status;
}

/* Few samples that happen to be equal, or a single one, have no interval: versions that wrote 0 for
 * it had none. */
static void doubt_interval(atn_rule *rule)
{
    if (rule->ci_ps == 0 && rule->samples < ATN_INTERVAL_SAMPLES)
        rule->ci_ps = -1;
}

static atn_status read_rule_line(reader *rd, bool forced)
{
    atn_rule rule = atn_plan_rule_blank(ATN_BARRIER);
    rule.forced = forced;
    rule.place = rd->place;
    rule.line = rd->l.line;
    const char *operation = atn_lines_word(&rd->l);
    if (operation == NULL)
        return refuse(rd, "the rule names no operation; write rule OPERATION ... use=ALGORITHM");
    if (!atn_sched_operation_find(operation, &rule.op)) {
        atn_error error = {0};
        atn_plan_unknown_operation(operation, &error);
        return refuse(rd, "%s", error.text);
    }
    const atn_status status = read_fields(rd, &rule);
    if (status != ATN_OK)
        return status;
    doubt_interval(&rule);
    rule.note = take_note(rd);
    if (atn_push(&rd->rules->list, rule))
        return ATN_OK;
    free(rule.note);
    return no_memory(rd);
}

static atn_status read_rule(reader *rd) { return read_rule_line(rd, false); }
static atn_status read_forced(reader *rd) { return read_rule_line(rd, true); }

/* "at MACHINE/LAYOUT": the rules below hold there. */
static atn_status read_at(reader *rd)
{
    const char *word = atn_lines_word(&rd->l);
    if (word == NULL || atn_lines_word(&rd->l) != NULL)
        return refuse(rd, "a section begins with one word; write at MACHINE/LAYOUT, or at *");
    return read_place(rd, word, &rd->place);
}

static atn_status read_select(reader *rd)
{
    const char *word = atn_lines_word(&rd->l);
    return atn_plan_select_parse(word != NULL ? word : "", rd->rules, rd->l.err);
}

/* A path may hold any byte; packing needs one line. */
static bool put_origin(atn_rules *rules, const char *origin)
{
    free(rules->origin);
    rules->origin = strdup(origin);
    for (char *at = rules->origin; at != NULL && *at != '\0'; at++)
        if ((unsigned char)*at <= ' ')
            *at = '?';
    return rules->origin != NULL;
}

static atn_status read_origin(reader *rd)
{
    return put_origin(rd->rules, rd->l.rest) ? ATN_OK : no_memory(rd);
}

/* One line more, with its newline. */
static bool add_line(char **text, const char *line)
{
    const size_t old = *text != NULL ? strlen(*text) : 0, room = strlen(line) + 2;
    char *longer = realloc(*text, old + room);
    if (longer == NULL)
        return false;
    snprintf(longer + old, room, "%s\n", line);
    *text = longer;
    return true;
}

static atn_status read_content(reader *rd)
{
    return add_line(&rd->content, rd->l.rest) ? ATN_OK : no_memory(rd);
}

static atn_status read_supplied(reader *rd,
                                atn_status (*unpack)(const char *line, const char *content,
                                                     atn_error *err))
{
    const atn_status status = unpack(rd->l.rest, rd->content != NULL ? rd->content : "", rd->l.err);
    free(rd->content);
    rd->content = NULL;
    return status;
}

static atn_status read_schedule(reader *rd) { return read_supplied(rd, atn_plan_supply_unpack); }
static atn_status read_pattern(reader *rd) { return read_supplied(rd, atn_plan_supply_pattern); }

static const struct {
    const char *word;
    atn_status (*read)(reader *rd);
    bool packed;
} lines[] = {
    {"rule", read_rule, false},        {"at", read_at, false},
    {"force", read_forced, true},      {"select", read_select, true},
    {"origin", read_origin, true},     {"content", read_content, true},
    {"schedule", read_schedule, true}, {"pattern", read_pattern, true},
};
enum { LINES = sizeof lines / sizeof lines[0] };

/* "key: value", before the first rule. */
static atn_status read_provenance(reader *rd, char *text, char *colon)
{
    if (rd->rules->list.n > 0 || rd->place != 0)
        return refuse(rd,
                      "provenance (\"key: value\") must stand before the first rule; move it up");
    *colon++ = '\0';
    colon += strspn(colon, " \t");
    atn_provenance entry = {.key = strdup(text), .value = strdup(colon), .note = take_note(rd)};
    if (entry.key != NULL && entry.value != NULL && atn_push(&rd->rules->provenance, entry))
        return ATN_OK;
    free(entry.key);
    free(entry.value);
    free(entry.note);
    return no_memory(rd);
}

static atn_status keep_note(reader *rd, const char *text)
{
    return add_line(&rd->note, text) ? ATN_OK : no_memory(rd);
}

static atn_status unknown_line(reader *rd, const char *word)
{
    static const char *const words[] = {"rule", "end"};
    const char *near = atn_nearest(word, words, 2);
    if (near != NULL)
        return refuse(rd, "unknown word \"%.40s\"; did you mean \"%s\"?", word, near);
    return refuse(
        rd, "unknown word \"%.40s\"; a line is a rule, \"key: value\", a # comment or end", word);
}

static atn_status read_words(reader *rd)
{
    const char *word = atn_lines_word(&rd->l);
    for (int i = 0; i < LINES; i++)
        if (strcmp(lines[i].word, word) == 0 && (rd->packed || !lines[i].packed))
            return lines[i].read(rd);
    return unknown_line(rd, word);
}

/* A key is one word directly followed by a colon; rules have a space after their first word. */
static char *provenance_colon(char *text)
{
    char *end = text + strcspn(text, ": \t=");
    return *end == ':' && end > text ? end : NULL;
}

static atn_status read_line(reader *rd)
{
    char *text = rd->l.text, *colon = provenance_colon(text);
    if (*text == '#')
        return keep_note(rd, text);
    return colon != NULL ? read_provenance(rd, text, colon) : read_words(rd);
}

static atn_status read_lines(reader *rd)
{
    atn_status status = ATN_OK;
    while (status == ATN_OK && atn_lines_next(&rd->l, &status))
        status = read_line(rd);
    rd->rules->note = take_note(rd);
    return status;
}

static atn_status parse(const char *text, size_t bytes, const char *origin, bool packed,
                        atn_rules **rules_p, atn_error *err)
{
    reader rd = {.packed = packed, .rules = calloc(1, sizeof *rd.rules)};
    atn_status status = atn_lines_open(&rd.l, &format, origin, text, bytes, err);
    if (rd.rules == NULL || (!packed && !put_origin(rd.rules, origin)))
        status = no_memory(&rd);
    if (status == ATN_OK)
        status = read_lines(&rd);
    if (status == ATN_OK && !packed)
        status = atn_plan_rules_supply(rd.rules, origin, err);
    if (status == ATN_OK && !atn_plan_rules_seal(rd.rules))
        status = no_memory(&rd);
    if (status == ATN_OK)
        *rules_p = rd.rules;
    else
        atn_plan_rules_free(rd.rules);
    free(rd.content);
    atn_lines_close(&rd.l);
    return status;
}

atn_status atn_plan_rules_parse(const char *text, size_t bytes, const char *origin,
                                atn_rules **rules_p, atn_error *err)
{
    return parse(text, bytes, origin, false, rules_p, err);
}

atn_status atn_plan_rules_unpack(const char *text, size_t bytes, atn_rules **rules_p,
                                 atn_error *err)
{
    return parse(text, bytes, "rules", true, rules_p, err);
}

atn_status atn_plan_rules_read(const char *path, atn_rules **rules_p, atn_error *err)
{
    const atn_status status = atn_plan_check_kind(path, "rule", err);
    return status != ATN_OK ? status : atn_plan_rules_read_of(path, ATN_NAMED, rules_p, err);
}

atn_status atn_plan_rules_read_of(const char *path, atn_provider provider, atn_rules **rules_p,
                                  atn_error *err)
{
    char *text;
    size_t bytes;
    atn_status status = atn_read_checked_file(path, provider, &text, &bytes, err);
    if (status != ATN_OK)
        return status;
    status = atn_plan_rules_parse(text, bytes, path, rules_p, err);
    free(text);
    return status;
}
