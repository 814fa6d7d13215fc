/* main.c - finds the command, runs it, and writes its output as a whole or not at all. */
#include "cli/files.h"
#include "import/import.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const atn_option atn_cli_top_options[] = {
    {.name = "help", .letter = 'h', .doc = "Show the first help screen"},
    {.name = "version", .letter = 'V', .doc = "Print the version"},
    {.name = "man",
     .argument = "PAGE",
     .type = ATN_OPT_MAYBE,
     .doc =
         "Print a manual page (roff), such as run or attune, or the whole manual: attune --man | "
         "man -l -"},
    {.name = "completion",
     .argument = "SHELL",
     .type = ATN_OPT_WORD,
     .words = atn_cli_shells,
     .doc = "Print the completion script of a shell"},
    {0},
};

const char *const atn_cli_exit_docs[] = {
    "Success",       "Check failed (findings reported)",     "Usage error",
    "Invalid input", "Missing program, library or resource",
};
const int atn_cli_exit_count = sizeof atn_cli_exit_docs / sizeof *atn_cli_exit_docs;

/* An algorithm that is not applicable is invalid input; other statuses without an exit code of
 * their own are failures of the environment. */
static int exit_code(int status)
{
    if (status == ATN_NOT_APPLICABLE)
        return ATN_INPUT;
    return status < atn_cli_exit_count ? status : ATN_ENVIRONMENT;
}

static int report_error(const atn_error *err, int code)
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
    if ((a->command->flags & ATN_CMD_JOB) && a->nrest > 0 && atn_cli_check_job_files(a, err))
        return err->status;
    return a->command->run(a, err);
}

/* Runs with the output collected in memory, so that an error leaves no half-written file. */
static int run_collected(atn_args *a, atn_error *err)
{
    const char *path = atn_cli_arg_text(a, "output");
    char *text = NULL;
    size_t bytes = 0;
    if (path && atn_may_write(path, false, err))
        return err->status;
    a->out = atn_open_text(&text, &bytes);
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
    int code = atn_cli_args_parse(c, argc, argv, &a, &err);
    if (code)
        code = exit_code(code);
    else if (atn_cli_arg_given(&a, "help"))
        atn_cli_help_command(stdout, c);
    else if ((c->flags & ATN_CMD_STREAM) && a.nrest > 0 && !atn_cli_arg_given(&a, "output"))
        code = exit_code(run_streaming(&a, &err));
    else if (c->flags & ATN_CMD_OUTPUT)
        code = exit_code(run_collected(&a, &err));
    else
        code = run_checked(&a, &err);
    atn_cli_args_free(&a);
    return report_error(&err, code);
}

/* ---- finding the command ---- */

static bool is_help(const char *word)
{
    return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
}

static int dispatch(int argc, char **argv)
{
    const char *const name = argv[0], *const verb = argc > 1 ? argv[1] : NULL;
    const atn_command *const c = atn_cli_command_find(name, verb);
    atn_error err = {0};
    atn_noun noun;
    if (c) {
        const int used = c->verb ? 2 : 1;
        return run_command(c, argc - used, argv + used);
    }
    const bool known = atn_cli_noun_find(name, &noun);
    if (known && (!verb || is_help(verb))) {
        atn_cli_help_noun(verb ? stdout : stderr, &noun);
        return verb ? ATN_OK : ATN_USAGE;
    }
    return report_error(&err,
                        atn_cli_command_unknown(known ? name : NULL, known ? verb : name, &err));
}

/* ---- options of `attune` itself ---- */

static int print_help(const atn_args *a, atn_error *err)
{
    (void)err;
    atn_cli_help_first(a->out);
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
    if (a->noperands == 0)
        atn_cli_man_whole(a->out);
    else if (!atn_cli_man_page(a->out, a->operands[0]))
        return atn_cli_command_unknown(NULL, a->operands[0], err);
    return ATN_OK;
}

static int print_completion(const atn_args *a, atn_error *err)
{
    const char *const script = atn_cli_completion_script(a->operands[0]);
    char all[ATN_ERROR_ROOM];
    int n = 0;
    while (atn_cli_shells[n])
        n++;
    if (!script)
        return atn_fail(err, ATN_USAGE, "--completion %s: must be one of %s", a->operands[0],
                        atn_enumerate(atn_cli_shells, n, ", ", all));
    fputs(script, a->out);
    return ATN_OK;
}

/* In the order of atn_cli_top_options. */
static int (*const top_runs[])(const atn_args *, atn_error *) = {print_help, print_version,
                                                                 print_man, print_completion};

/* `--name`, `--name=value` or `-n`. */
static bool is_option(const atn_option *o, const char *word)
{
    const size_t n = strlen(o->name);
    if (strncmp(word, "--", 2) == 0)
        return strncmp(word + 2, o->name, n) == 0 &&
               (word[2 + n] == '\0' || (word[2 + n] == '=' && o->argument));
    return o->letter && word[0] == '-' && word[1] == o->letter && !word[2];
}

static int unknown_option(const char *word)
{
    const char *names[sizeof top_runs / sizeof *top_runs];
    int n = 0;
    for (; atn_cli_top_options[n].name; n++)
        names[n] = atn_cli_top_options[n].name;
    const char *near = atn_nearest(word + strspn(word, "-"), names, n);
    fprintf(stderr, "attune: unknown option %s", word);
    if (near)
        fprintf(stderr, "; did you mean --%s?", near);
    fprintf(stderr, " (try 'attune --help')\n");
    return ATN_USAGE;
}

/* Runs the option as a command, so that -o works; its argument is the operand. */
static int top_option(int argc, char **argv)
{
    char *const value = strchr(argv[0], '=');
    for (int i = 0; atn_cli_top_options[i].name; i++) {
        const atn_option *o = &atn_cli_top_options[i];
        const atn_command c = {
            .noun = argv[0],
            .operands = o->argument,
            .min_operands = o->argument && o->type != ATN_OPT_MAYBE,
            .max_operands = o->argument != NULL,
            .help = o->doc,
            .flags = ATN_CMD_OUTPUT,
            .run = top_runs[i],
        };
        if (!is_option(o, argv[0]))
            continue;
        if (value)
            argv[0] = value + 1;
        return run_command(&c, argc - !value, argv + !value);
    }
    return unknown_option(argv[0]);
}

int main(int argc, char **argv)
{
    if (atn_is_privileged()) {
        fputs("attune: runs with the rights of another user, because it is set-uid or has file "
              "capabilities; it starts programs that the caller names, so remove these rights\n",
              stderr);
        return ATN_ENVIRONMENT;
    }
    atn_topo_formats_add(atn_import_formats);
    if (argc < 2) {
        atn_cli_help_first(stderr);
        return ATN_USAGE;
    }
    if (strcmp(argv[1], "--complete") == 0) {
        atn_cli_complete(stdout, argc - 2, argv + 2);
        return ATN_OK;
    }
    return argv[1][0] == '-' ? top_option(argc - 1, argv + 1) : dispatch(argc - 1, argv + 1);
}
