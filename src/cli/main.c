/* main.c - finds the command in the table, runs it, and delivers its output whole or not at all. */
#include "cli/files.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const atn_command *const commands[] = {
#define ATN_COMMAND(id) &atn_cmd_##id,
#include "cli/commands.def"
#undef ATN_COMMAND
};

int atn_command_count(void) { return (int)(sizeof commands / sizeof *commands); }

const atn_command *atn_command_at(int i) { return commands[i]; }

static const char *const shells[] = {"bash", NULL};
const atn_option atn_top_options[] = {
    {.name = "help", .letter = 'h', .doc = "Show this text"},
    {.name = "version", .letter = 'V', .doc = "Print the version"},
    {.name = "man", .doc = "Print the manual page (roff): attune --man | man -l -"},
    {.name = "completion",
     .argument = "SHELL",
     .type = ATN_OPT_WORD,
     .words = shells,
     .doc = "Print the completion script of a shell"},
    {0},
};

const char *const atn_exit_docs[] = {
    "All went well",
    "The check ran and found something",
    "The words of the call are wrong",
    "A file or name that was given is bad",
    "A program, library or resource is missing",
};
const int atn_exit_count = sizeof atn_exit_docs / sizeof *atn_exit_docs;

/* Asking an algorithm for what it cannot do is bad input; what else has no exit code of its own
 * tells of the environment. */
static int exit_code(int status)
{
    if (status == ATN_NOT_APPLICABLE)
        return ATN_INPUT;
    return status < atn_exit_count ? status : ATN_ENVIRONMENT;
}

static int complain(const atn_error *err, int code)
{
    if (err->text[0])
        fprintf(stderr, "attune: %s\n", err->text);
    return code;
}

/* ---- output ---- */

static atn_status write_stdout(const char *text, size_t bytes, atn_error *err)
{
    if (fwrite(text, 1, bytes, stdout) == bytes && fflush(stdout) == 0)
        return ATN_OK;
    return atn_fail(err, ATN_ENVIRONMENT, "cannot write to standard output: %s", strerror(errno));
}

static int run_checked(const atn_args *a, atn_error *err)
{
    if ((a->command->flags & ATN_CMD_JOB) && a->nrest > 0 && atn_check_job_files(a, err))
        return err->status;
    return a->command->run(a, err);
}

/* Runs with the output collected in memory, so that an error leaves no half-written file. */
static int run_collected(atn_args *a, atn_error *err)
{
    const char *path = atn_arg_text(a, "output");
    char *text = NULL;
    size_t bytes = 0;
    if (path && atn_may_write(path, false, err))
        return err->status;
    a->out = open_memstream(&text, &bytes);
    if (!a->out)
        return atn_fail(err, ATN_MEMORY, "out of memory");
    a->terminal = !path && isatty(STDOUT_FILENO);
    int code = run_checked(a, err);
    if (fclose(a->out) != 0)
        code = atn_fail(err, ATN_MEMORY, "out of memory");
    if (code <= ATN_FINDING) {
        const atn_status st =
            path ? atn_write_file(path, text, bytes, err) : write_stdout(text, bytes, err);
        code = st ? (int)st : code;
    }
    free(text);
    return code;
}

/* Runs with results written as they come. */
static int run_streaming(atn_args *a, atn_error *err)
{
    a->out = stdout;
    a->terminal = isatty(STDOUT_FILENO);
    const int code = run_checked(a, err);
    const atn_status st = write_stdout("", 0, err);
    return code <= ATN_FINDING && st ? (int)st : code;
}

static int run_command(const atn_command *c, int argc, char **argv)
{
    atn_args a;
    atn_error err = {0};
    int code = atn_args_parse(c, argc, argv, &a, &err);
    if (code)
        code = exit_code(code);
    else if (atn_arg_given(&a, "help"))
        atn_help_command(stdout, c);
    else if ((c->flags & ATN_CMD_STREAM) && a.nrest > 0 && !atn_arg_given(&a, "output"))
        code = exit_code(run_streaming(&a, &err));
    else if (c->flags & ATN_CMD_OUTPUT)
        code = exit_code(run_collected(&a, &err));
    else
        code = run_checked(&a, &err);
    atn_args_free(&a);
    return complain(&err, code);
}

/* ---- finding the command ---- */

enum { MAX_WORDS = 64 };

/* The nouns, or with a noun its verbs; each once. */
static int words_of(const char *noun, const char *words[MAX_WORDS])
{
    int n = 0;
    for (int i = 0; i < atn_command_count() && n < MAX_WORDS; i++) {
        const atn_command *c = commands[i];
        const char *word = noun ? c->verb : c->noun;
        if (noun && strcmp(c->noun, noun) != 0)
            continue;
        if (word && (n == 0 || strcmp(words[n - 1], word) != 0))
            words[n++] = word;
    }
    return n;
}

atn_status atn_command_unknown(const char *noun, const char *word, atn_error *err)
{
    const char *words[MAX_WORDS];
    char all[ATN_ERROR_ROOM], question[96] = "";
    const int n = words_of(noun, words);
    const char *near = atn_nearest(word, words, n);
    const char *space = noun ? " " : "";
    noun = noun ? noun : "";
    if (near)
        snprintf(question, sizeof question, "did you mean '%s%s%s'? ", noun, space, near);
    return atn_fail(err, ATN_USAGE,
                    "unknown command '%s%s%s'; %s%shere are: %s (try 'attune%s%s --help')", noun,
                    space, word, question, near ? "T" : "t", atn_enumerate(words, n, ", ", all),
                    space, noun);
}

const atn_command *atn_command_find(const char *noun, const char *verb)
{
    for (int i = 0; i < atn_command_count(); i++)
        if (strcmp(commands[i]->noun, noun) == 0 &&
            (!commands[i]->verb || (verb && strcmp(commands[i]->verb, verb) == 0)))
            return commands[i];
    return NULL;
}

bool atn_command_is_noun(const char *word)
{
    for (int i = 0; i < atn_command_count(); i++)
        if (strcmp(commands[i]->noun, word) == 0)
            return true;
    return false;
}

static bool asks_help(const char *word)
{
    return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
}

static int dispatch(int argc, char **argv)
{
    const char *noun = argv[0], *verb = argc > 1 ? argv[1] : NULL;
    const atn_command *c = atn_command_find(noun, verb);
    const bool known = atn_command_is_noun(noun);
    atn_error err = {0};
    if (c) {
        const int used = c->verb ? 2 : 1;
        return run_command(c, argc - used, argv + used);
    }
    if (known && (!verb || asks_help(verb))) {
        atn_help_noun(verb ? stdout : stderr, noun);
        return verb ? ATN_OK : ATN_USAGE;
    }
    return complain(&err, atn_command_unknown(known ? noun : NULL, known ? verb : noun, &err));
}

/* ---- options of `attune` itself ---- */

static int print_help(const atn_args *a, atn_error *err)
{
    (void)err;
    atn_help_all(a->out);
    return ATN_OK;
}

static int print_version(const atn_args *a, atn_error *err)
{
    (void)err;
    fprintf(a->out, "attune %s\n", ATN_VERSION);
    return ATN_OK;
}

static int print_man(const atn_args *a, atn_error *err)
{
    (void)err;
    atn_man_page(a->out);
    return ATN_OK;
}

static int print_completion(const atn_args *a, atn_error *err)
{
    if (strcmp(a->operands[0], shells[0]) != 0)
        return atn_fail(err, ATN_USAGE, "--completion %s: must be %s", a->operands[0], shells[0]);
    atn_completion_bash(a->out);
    return ATN_OK;
}

/* In the order of atn_top_options. */
static int (*const top_runs[])(const atn_args *, atn_error *) = {print_help, print_version,
                                                                 print_man, print_completion};

static bool is_option(const atn_option *o, const char *word)
{
    return (strncmp(word, "--", 2) == 0 && strcmp(word + 2, o->name) == 0) ||
           (o->letter && word[0] == '-' && word[1] == o->letter && !word[2]);
}

static int unknown_option(const char *word)
{
    const char *names[MAX_WORDS];
    int n = 0;
    for (; atn_top_options[n].name; n++)
        names[n] = atn_top_options[n].name;
    const char *near = atn_nearest(word + strspn(word, "-"), names, n);
    fprintf(stderr, "attune: unknown option %s", word);
    if (near)
        fprintf(stderr, "; did you mean --%s?", near);
    fprintf(stderr, " (try 'attune --help')\n");
    return ATN_USAGE;
}

/* Each is run as a command without options of its own, so that -o works. */
static int top_option(int argc, char **argv)
{
    for (int i = 0; atn_top_options[i].name; i++) {
        const atn_option *o = &atn_top_options[i];
        const atn_command c = {
            .noun = argv[0],
            .operands = o->argument,
            .min_operands = o->argument != NULL,
            .max_operands = o->argument != NULL,
            .help = o->doc,
            .flags = ATN_CMD_OUTPUT,
            .run = top_runs[i],
        };
        if (is_option(o, argv[0]))
            return run_command(&c, argc - 1, argv + 1);
    }
    return unknown_option(argv[0]);
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        atn_help_all(stderr);
        return ATN_USAGE;
    }
    return argv[1][0] == '-' ? top_option(argc - 1, argv + 1) : dispatch(argc - 1, argv + 1);
}
