/* args.c - parses the arguments of a command by its option table. */
#include "cli/cli.h"
#include "cli/launch/launch.h"
#include "plan/settings.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const atn_option output_option = {
    .name = "output",
    .letter = 'o',
    .argument = "FILE",
    .doc = "Write to FILE instead of standard output; FILE is replaced as a whole or unchanged",
    .type = ATN_OPT_FILE,
};
static const atn_option help_option = {
    .name = "help",
    .letter = 'h',
    .doc = "Describe this command and its options",
    .type = ATN_OPT_FLAG,
};

static int rows(const atn_option *table)
{
    int n = 0;
    while (table && table[n].name)
        n++;
    return n;
}

/* ---- options that stand for environment variables ---- */

static atn_opt_type setting_type(const atn_setting_info *s)
{
    static const atn_opt_type types[] = {
        [ATN_SETTING_SWITCH] = ATN_OPT_FLAG, [ATN_SETTING_INT] = ATN_OPT_INT,
        [ATN_SETTING_WORD] = ATN_OPT_WORD,   [ATN_SETTING_FILE] = ATN_OPT_FILE,
        [ATN_SETTING_TEXT] = ATN_OPT_TEXT,   [ATN_SETTING_LIST] = ATN_OPT_PILE,
    };
    return s->alone && s->type != ATN_SETTING_SWITCH ? ATN_OPT_MAYBE : types[s->type];
}

static atn_option setting_option(const char *name, atn_setting id)
{
    const atn_setting_info *const s = atn_plan_setting_get(id);
    const char *const fallback = atn_plan_setting_run_default(id);
    const bool flag = s->type == ATN_SETTING_SWITCH;
    return (atn_option){
        .name = name,
        .letter = s->letter,
        .argument = flag ? NULL : s->argument,
        .fallback = *fallback && !flag ? fallback : NULL,
        .doc = s->doc,
        .type = setting_type(s),
        .min = s->min,
        .max = s->max,
        .words = s->words,
    };
}

/* The i-th setting that has an option; false: past the end, and *i_p counts from there. */
static bool nth_setting(int *i_p, atn_option *option_p)
{
    for (int id = 0; id < ATN_SETTINGS; id++) {
        const char *const name = atn_plan_setting_get((atn_setting)id)->option;
        if (name && (*i_p)-- == 0) {
            *option_p = setting_option(name, (atn_setting)id);
            return true;
        }
    }
    return false;
}

/* ---- options of a command ---- */

bool atn_cli_command_option(const atn_command *c, int i, atn_option *option_p)
{
    const int own = rows(c->options), shared = rows(c->shared);
    atn_setting id;
    if ((c->flags & ATN_CMD_SETTINGS) && nth_setting(&i, option_p))
        return true;
    if (i < own + shared) {
        const atn_option *const row = i < own ? &c->options[i] : &c->shared[i - own];
        const bool setting = row->setting && atn_plan_setting_find(row->setting, &id);
        *option_p = setting ? setting_option(row->name, id) : *row;
        return true;
    }
    i -= own + shared;
    if (c->formats && i-- == 0) {
        *option_p = (atn_option){
            .name = "format",
            .argument = "FORMAT",
            .fallback = c->formats[0],
            .doc = "Output format",
            .type = ATN_OPT_WORD,
            .words = c->formats,
        };
        return true;
    }
    if ((c->flags & ATN_CMD_OUTPUT) && i-- == 0) {
        *option_p = output_option;
        return true;
    }
    if (i == 0)
        *option_p = help_option;
    return i == 0;
}

static bool option_by_name(const atn_command *c, const char *name, size_t length,
                           atn_option *option_p)
{
    for (int i = 0; atn_cli_command_option(c, i, option_p); i++)
        if (strlen(option_p->name) == length && strncmp(option_p->name, name, length) == 0)
            return true;
    return false;
}

static bool option_by_letter(const atn_command *c, char letter, atn_option *option_p)
{
    for (int i = 0; atn_cli_command_option(c, i, option_p); i++)
        if (option_p->letter && option_p->letter == letter)
            return true;
    return false;
}

/* ---- values ---- */

static atn_status bad_value(const atn_option *o, const char *text, const char *allowed,
                            atn_error *err)
{
    return atn_fail(err, ATN_USAGE, "--%s %s: %s", o->name, text, allowed);
}

static atn_status check_int(const atn_option *o, const char *text, atn_error *err)
{
    char *end, allowed[96];
    const bool open = o->min == 0 && o->max == 0;
    const long long max = open ? INT32_MAX : (long long)o->max;
    errno = 0;
    const long long v = strtoll(text, &end, 10);
    if (errno == 0 && end != text && *end == '\0' && v >= o->min && v <= max)
        return ATN_OK;
    snprintf(allowed, sizeof allowed, "must be an integer from %lld to %lld", (long long)o->min,
             max);
    return bad_value(o, text, allowed, err);
}

static atn_status check_number(const atn_option *o, const char *text, atn_error *err)
{
    char *end, allowed[96];
    const double v = strtod(text, &end);
    const bool low = o->min > 0 ? v > 0 : v >= 0;
    if (end != text && *end == '\0' && isfinite(v) && low && (o->max == 0 || v <= (double)o->max))
        return ATN_OK;
    const int n = snprintf(allowed, sizeof allowed,
                           o->min > 0 ? "must be a number above 0" : "must be a number, 0 or more");
    if (o->max > 0)
        snprintf(allowed + n, sizeof allowed - (size_t)n, ", at most %lld", (long long)o->max);
    return bad_value(o, text, allowed, err);
}

static atn_status check_size(const atn_option *o, const char *text, atn_error *err)
{
    int64_t bytes;
    if (!atn_parse_size(text, &bytes))
        return bad_value(o, text, "must be a size such as 4096, 64K or 1M", err);
    return bytes <= ATN_CLI_BYTES_MAX ? ATN_OK : bad_value(o, text, "must be at most 1024T", err);
}

static atn_status check_word(const atn_option *o, const char *text, atn_error *err)
{
    char all[ATN_ERROR_ROOM];
    int n = 0;
    for (; o->words[n]; n++)
        if (strcmp(o->words[n], text) == 0)
            return ATN_OK;
    return atn_fail(err, ATN_USAGE, "--%s %s: must be one of %s", o->name, text,
                    atn_enumerate(o->words, n, ", ", all));
}

static atn_status check_value(const atn_option *o, const char *text, atn_error *err)
{
    switch (o->type) {
    case ATN_OPT_INT:
        return check_int(o, text, err);
    case ATN_OPT_NUMBER:
        return check_number(o, text, err);
    case ATN_OPT_SIZE:
        return check_size(o, text, err);
    case ATN_OPT_WORD:
        return check_word(o, text, err);
    case ATN_OPT_FILE:
        return *text ? ATN_OK : bad_value(o, "''", "must name a file", err);
    case ATN_OPT_FLAG:
    case ATN_OPT_TEXT:
    case ATN_OPT_LIST:
    case ATN_OPT_PILE:
    case ATN_OPT_MAYBE:
        break;
    }
    return ATN_OK;
}

/* ---- words ---- */

enum { MAX_OPTIONS = 64 };

static atn_status unknown_option(const atn_command *c, const char *word, atn_error *err)
{
    const char *names[MAX_OPTIONS];
    char plain[64], hint[96] = "";
    atn_option o;
    int n = 0;
    while (n < MAX_OPTIONS && atn_cli_command_option(c, n, &o))
        names[n++] = o.name;
    snprintf(plain, sizeof plain, "%.*s", (int)strcspn(word + strspn(word, "-"), "="),
             word + strspn(word, "-"));
    const char *near = atn_nearest(plain, names, n);
    if (near)
        snprintf(hint, sizeof hint, "; did you mean --%s?", near);
    return atn_fail(err, ATN_USAGE, "unknown option %s%s (try 'attune %s%s%s --help')", word, hint,
                    c->noun, c->verb ? " " : "", c->verb ? c->verb : "");
}

/* State of the parser. */
typedef struct {
    const atn_command *c;
    int argc, i;
    char **argv;
    atn_args *a;
} words;

/* The first occurrence of an option; NULL: none. */
static atn_given *given_before(const atn_args *a, const char *name)
{
    for (int i = 0; i < a->given.n; i++)
        if (strcmp(a->given.v[i].name, name) == 0)
            return &a->given.v[i];
    return NULL;
}

/* Lists may be empty. */
static bool put_in_front(atn_given *before, const char *text)
{
    char *both = NULL;
    const char *const comma = *text != '\0' && *before->text != '\0' ? "," : "";
    if (asprintf(&both, "%s%s%s", text, comma, before->text) < 0)
        return false;
    free(before->joined);
    before->text = before->joined = both;
    return true;
}

static bool note(atn_args *a, const atn_option *o, const char *text)
{
    atn_given *const before = o->type == ATN_OPT_PILE ? given_before(a, o->name) : NULL;
    return before != NULL ? put_in_front(before, text)
                          : atn_push(&a->given, (atn_given){.name = o->name, .text = text});
}

/* `attached`: the text glued to the option ("--name=text", "-ntext"), or NULL. */
static atn_status take_value(words *w, const atn_option *o, const char *attached, atn_error *err)
{
    const char *text = attached;
    if (o->type == ATN_OPT_FLAG) {
        if (attached)
            return atn_fail(err, ATN_USAGE, "--%s takes no argument", o->name);
    } else if (o->type != ATN_OPT_MAYBE) {
        if (!text && w->i + 1 < w->argc)
            text = w->argv[++w->i];
        if (!text)
            return atn_fail(err, ATN_USAGE, "--%s needs an argument: %s", o->name, o->argument);
        const atn_status st = check_value(o, text, err);
        if (st)
            return st;
    }
    if (!note(w->a, o, text))
        return atn_fail(err, ATN_MEMORY, "out of memory");
    return ATN_OK;
}

static atn_status take_long(words *w, atn_error *err)
{
    const char *word = w->argv[w->i] + 2;
    const size_t length = strcspn(word, "=");
    atn_option o;
    if (!option_by_name(w->c, word, length, &o))
        return unknown_option(w->c, w->argv[w->i], err);
    return take_value(w, &o, word[length] ? word + length + 1 : NULL, err);
}

static atn_status take_short(words *w, atn_error *err)
{
    const char *word = w->argv[w->i] + 1;
    atn_option o;
    if (!option_by_letter(w->c, word[0], &o))
        return unknown_option(w->c, w->argv[w->i], err);
    return take_value(w, &o, word[1] ? word + 1 : NULL, err);
}

static atn_status check_operands(const atn_args *a, atn_error *err)
{
    const atn_command *c = a->command;
    char line[128];
    atn_cli_usage_line(c, line, sizeof line);
    if (a->noperands < c->min_operands)
        return atn_fail(err, ATN_USAGE, "missing operand %s; usage: %s", c->operands, line);
    if (a->noperands > c->max_operands)
        return atn_fail(err, ATN_USAGE, "unexpected operand '%s'; usage: %s",
                        a->operands[c->max_operands], line);
    return ATN_OK;
}

static void take_rest(words *w, int first)
{
    w->a->rest = w->argv + first;
    w->a->nrest = w->argc - first;
    w->i = w->argc;
}

/* "--report job.html -- mpirun ...": here the value must be attached. */
static atn_status check_detached(const words *w, atn_error *err)
{
    const atn_given *const last = w->a->given.n > 0 ? &w->a->given.v[w->a->given.n - 1] : NULL;
    const char *const word = w->argv[w->i], *const next =
                                                w->i + 1 < w->argc ? w->argv[w->i + 1] : NULL;
    char path[4096];
    atn_option o;
    if (next == NULL || (strcmp(next, "--") != 0 && !atn_cli_has_launcher_name(next)) ||
        last == NULL || last->text != NULL ||
        !option_by_name(w->c, last->name, strlen(last->name), &o) || o.type != ATN_OPT_MAYBE ||
        atn_cli_program_find(word, NULL, NULL, false, path) == 0)
        return ATN_OK;
    return atn_fail(err, ATN_USAGE, "'%s' is not a program; write --%s=%s", word, o.name, word);
}

static atn_status take_word(words *w, atn_error *err)
{
    char *word = w->argv[w->i];
    const bool passes = w->c->flags & ATN_CMD_REST;
    if (strcmp(word, "--") == 0 && passes) {
        take_rest(w, w->i + 1);
    } else if (strncmp(word, "--", 2) == 0 && word[2]) {
        return take_long(w, err);
    } else if (word[0] == '-' && word[1] && word[1] != '-') {
        return take_short(w, err);
    } else if (passes && w->c->max_operands == 0) {
        const atn_status st = check_detached(w, err);
        if (st)
            return st;
        take_rest(w, w->i);
    } else if (strcmp(word, "--") == 0) {
        while (++w->i < w->argc)
            w->a->operands[w->a->noperands++] = w->argv[w->i];
    } else {
        w->a->operands[w->a->noperands++] = word;
    }
    return ATN_OK;
}

atn_status atn_cli_args_parse(const atn_command *command, int argc, char **argv, atn_args *a,
                              atn_error *err)
{
    *a = (atn_args){.command = command, .rest = argv + argc};
    a->operands = calloc((size_t)argc + 1, sizeof *a->operands);
    if (!a->operands)
        return atn_fail(err, ATN_MEMORY, "out of memory");
    words w = {.c = command, .argc = argc, .argv = argv, .a = a};
    for (; w.i < argc; w.i++) {
        const atn_status st = take_word(&w, err);
        if (st)
            return st;
    }
    return atn_cli_arg_given(a, "help") ? ATN_OK : check_operands(a, err);
}

void atn_cli_args_free(atn_args *a)
{
    for (int i = 0; i < a->given.n; i++)
        free(a->given.v[i].joined);
    atn_vec_free(&a->given);
    free(a->operands);
    a->operands = NULL;
}

/* ---- values of a parsed command line ---- */

bool atn_cli_arg_given(const atn_args *a, const char *name)
{
    return atn_cli_arg_count(a, name) > 0;
}

const char *atn_cli_arg_text(const atn_args *a, const char *name)
{
    atn_option o;
    const int n = atn_cli_arg_count(a, name);
    if (n > 0)
        return atn_cli_arg_nth(a, name, n - 1);
    return option_by_name(a->command, name, strlen(name), &o) ? o.fallback : NULL;
}

int64_t atn_cli_arg_int(const atn_args *a, const char *name)
{
    const char *text = atn_cli_arg_text(a, name);
    int64_t v = 0;
    if (text && !atn_parse_size(text, &v))
        v = strtoll(text, NULL, 10);
    return v;
}

double atn_cli_arg_number(const atn_args *a, const char *name)
{
    const char *const text = atn_cli_arg_text(a, name);
    return text ? strtod(text, NULL) : 0;
}

int atn_cli_arg_count(const atn_args *a, const char *name)
{
    int n = 0;
    for (int i = 0; i < a->given.n; i++)
        n += strcmp(a->given.v[i].name, name) == 0;
    return n;
}

const char *atn_cli_arg_nth(const atn_args *a, const char *name, int i)
{
    for (int k = 0; k < a->given.n; k++)
        if (strcmp(a->given.v[k].name, name) == 0 && i-- == 0)
            return a->given.v[k].text;
    return NULL;
}

const char *atn_cli_arg_format(const atn_args *a) { return atn_cli_arg_text(a, "format"); }

atn_status atn_cli_arg_table(const atn_args *a, atn_table *t, atn_error *err)
{
    const atn_status st =
        atn_report_table_write(a->out, t, atn_cli_arg_format(a), a->terminal, err);
    atn_report_table_free(t);
    return st;
}
