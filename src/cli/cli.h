/* cli.h - the command line as tables.
 *
 * A subcommand is one descriptor at the bottom of its cmd_*.c and one line in commands.def; an
 * option is one row of the descriptor's table.  Parsing, help, manual pages, completion and
 * suggestions are generated from these tables, so they cannot disagree. */
#ifndef ATN_CLI_CLI_H
#define ATN_CLI_CLI_H

#include "base/base.h"
#include "report/table.h"

typedef enum {
    ATN_OPT_FLAG,   /* no argument */
    ATN_OPT_TEXT,   /* any text */
    ATN_OPT_FILE,   /* a path (completion offers files) */
    ATN_OPT_INT,    /* an integer within min..max */
    ATN_OPT_NUMBER, /* a number above 0 (min 1) or from 0 on (min 0), up to max (0: unlimited) */
    ATN_OPT_SIZE,   /* 4096, 4K, 1M, up to ATN_CLI_BYTES_MAX */
    ATN_OPT_WORD,   /* one of `words` */
    ATN_OPT_LIST,   /* any text; may be repeated */
    ATN_OPT_PILE,   /* comma-separated list; repetitions are joined, the last one first */
    ATN_OPT_MAYBE   /* optional argument, in the form --name=text only */
} atn_opt_type;

/* 1024T: sums over all ranks and over segments of a few KB must not overflow, or take hours. */
#define ATN_CLI_BYTES_MAX (INT64_C(1) << 50)

typedef struct {
    const char *name;     /* "root": --root */
    char letter;          /* 'r' for -r; 0: none */
    const char *argument; /* "R", as help shows it; NULL for a flag */
    const char *fallback; /* default value; NULL: none */
    const char *doc;      /* one sentence, no full stop */
    atn_opt_type type;
    int64_t min, max;         /* ATN_OPT_INT: both 0 means 0 .. INT32_MAX */
    const char *const *words; /* ATN_OPT_WORD: NULL-terminated */
    const char *setting;      /* environment variable; its row of settings.def supplies all but the
                                 name.  NULL: none */
} atn_option;

/* Rows of an option table, by type. */
#define ATN_FLAG(n, text)                                                                          \
    {                                                                                              \
        .name = (n), .type = ATN_OPT_FLAG, .doc = text                                             \
    }
#define ATN_OPTION_OF(t, n, a, f, text)                                                            \
    {                                                                                              \
        .name = (n), .type = (t), .argument = (a), .fallback = (f), .doc = text                    \
    }
#define ATN_TEXT(n, a, f, text) ATN_OPTION_OF(ATN_OPT_TEXT, n, a, f, text)
#define ATN_SIZE(n, a, f, text) ATN_OPTION_OF(ATN_OPT_SIZE, n, a, f, text)
#define ATN_FILE(n, a, text)    ATN_OPTION_OF(ATN_OPT_FILE, n, a, NULL, text)
#define ATN_LIST(n, a, text)    ATN_OPTION_OF(ATN_OPT_LIST, n, a, NULL, text)
#define ATN_INT(n, a, f, lo, hi, text)                                                             \
    {                                                                                              \
        .name = (n), .type = ATN_OPT_INT, .argument = (a), .fallback = (f), .min = (lo),           \
        .max = (hi), .doc = text                                                                   \
    }
#define ATN_NUMBER(n, a, f, lo, hi, text)                                                          \
    {                                                                                              \
        .name = (n), .type = ATN_OPT_NUMBER, .argument = (a), .fallback = (f), .min = (lo),        \
        .max = (hi), .doc = text                                                                   \
    }
#define ATN_WORD(n, a, f, list, text)                                                              \
    {                                                                                              \
        .name = (n), .type = ATN_OPT_WORD, .argument = (a), .fallback = (f), .words = (list),      \
        .doc = text                                                                                \
    }

/* Properties of a command. */
enum {
    ATN_CMD_OUTPUT = 1,    /* writes to args->out; has -o FILE (replaced as a whole or unchanged) */
    ATN_CMD_REST = 2,      /* words after `--` are passed through in args->rest */
    ATN_CMD_JOB = 4,       /* starts a job of Attune's own: its files are checked first (files.h) */
    ATN_CMD_STREAM = 8,    /* with OUTPUT and REST: if a job is started and -o is not given,
                              args->out is stdout, so that results appear while the job runs */
    ATN_CMD_SETTINGS = 16, /* has the options of settings.def */
    ATN_CMD_HIDDEN = 32    /* an older name; not listed */
};

/* An example (a command line) or a file, with its meaning; tables end with a NULL term. */
typedef struct {
    const char *term, *doc;
} atn_doc;
#define ATN_NOTES(...) ((const atn_doc[]){__VA_ARGS__, {NULL, NULL}})

/* Initialisers of the operands of a command. */
#define ATN_OPERANDS(text, least, most)                                                            \
    .operands = (text), .min_operands = (least), .max_operands = (most)

typedef struct atn_args atn_args;

typedef struct {
    const char *noun, *verb; /* verb NULL: the noun is the command ("attune run") */
    const char *operands;    /* "NAME [FILE]" as help shows it; NULL: none */
    int min_operands, max_operands;
    const char *help;           /* one line, no full stop */
    const char *detail;         /* paragraphs for --help and the manual page, or NULL */
    const atn_doc *examples;    /* complete command lines; NULL: none */
    const atn_doc *files;       /* files read or written by default; NULL: none */
    const atn_option *options;  /* ends with a NULL name; NULL: none */
    const atn_option *shared;   /* a second such table, common to several commands; or NULL */
    const char *const *formats; /* what --format accepts, the default first; NULL: no --format */
    unsigned flags;             /* ATN_CMD_* */
    /* Returns the exit code.  A failure fills in `err`, which the caller prints as "attune: text",
     * and returns its status. */
    int (*run)(const atn_args *a, atn_error *err);
} atn_command;

/* One occurrence of an option on the command line. */
typedef struct {
    const char *name; /* the option's long name */
    const char *text; /* the argument; NULL for a flag */
    char *joined;     /* storage of `text` if it joins several arguments; else NULL */
} atn_given;

struct atn_args {
    const atn_command *command;
    ATN_VEC(atn_given) given;
    char **operands;
    int noperands;
    char **rest; /* after `--`, NULL-terminated; command line order untouched */
    int nrest;
    FILE *out;     /* ATN_CMD_OUTPUT: copied to stdout or -o FILE if the exit code is 0 or 1 */
    bool terminal; /* `out` is a terminal */
};

/* Values, already checked against the table.  A name that is not in the command's table is a
 * programming error. */
bool atn_cli_arg_given(const atn_args *a, const char *name);
const char *atn_cli_arg_text(const atn_args *a, const char *name); /* last one, default, or NULL */
int64_t atn_cli_arg_int(const atn_args *a, const char *name);   /* INT and SIZE; 0 without value */
double atn_cli_arg_number(const atn_args *a, const char *name); /* NUMBER; 0 without value */
int atn_cli_arg_count(const atn_args *a, const char *name);     /* LIST */
const char *atn_cli_arg_nth(const atn_args *a, const char *name, int i);
const char *atn_cli_arg_format(const atn_args *a); /* --format */
/* Writes the table to a->out in that format, and frees it. */
atn_status atn_cli_arg_table(const atn_args *a, atn_table *t, atn_error *err);

/* Options and operands may be mixed.  Accepted forms: `--name value`, `--name=value`, `-n value`
 * and `-nvalue`; `--` ends the options.  For a command with ATN_CMD_REST and without operands the
 * `--` is optional: the first word that is not an option ends the options. `argv` (after noun and
 * verb) must outlive `a`. */
atn_status atn_cli_args_parse(const atn_command *command, int argc, char **argv, atn_args *a,
                              atn_error *err);
void atn_cli_args_free(atn_args *a);

/* Options that several commands share; `text` is the help text. */
extern const char *const atn_cli_mpi_words[];
#define ATN_OPTION_MPI(text)      ATN_WORD("mpi", "MPI", NULL, atn_cli_mpi_words, text)
#define ATN_OPTION_MPI_LAUNCHER   ATN_OPTION_MPI("MPI library of the launcher, if not detected")
#define ATN_OPTION_MPI_JOB        ATN_OPTION_MPI("MPI library of the job, if not detected")
#define ATN_OPTION_MACHINE(text)  ATN_FILE("machine", "FILE", text)
#define ATN_OPTION_TOPOLOGY(text) ATN_TEXT("topology", "FILE|STRING", NULL, text)
#define ATN_OPTION_QUIET                                                                           \
    {                                                                                              \
        .name = "quiet", .letter = 'q', .type = ATN_OPT_FLAG, .doc = "No report on standard error" \
    }

/* ---- the tables (tables.c) ---- */

typedef enum {
#define ATN_GROUP(id, word, title) ATN_GROUP_##id,
#include "cli/commands.def"
    ATN_GROUPS
} atn_help_group;

#define ATN_COMMAND(id, group) extern const atn_command atn_cmd_##id;
#include "cli/commands.def"

/* A noun and its verbs, which are consecutive in the table. */
typedef struct {
    const char *name, *help;
    const char *detail; /* of a noun with verbs; else NULL */
    int first, n;       /* commands */
    bool verbs, hidden;
} atn_noun;

int atn_cli_command_count(void);
const atn_command *atn_cli_command_at(int i);
atn_help_group atn_cli_command_group(int i);
const char *atn_cli_group_word(atn_help_group g);  /* "research", as in `attune help research` */
const char *atn_cli_group_title(atn_help_group g); /* "Research" */
bool atn_cli_noun_at(int i, atn_noun *noun_p);     /* false: i is past the end */
bool atn_cli_noun_find(const char *name, atn_noun *noun_p);
extern const char *const atn_cli_first_nouns[]; /* of the first help screen; NULL-terminated */

/* The command with this name; NULL: none.  A noun without verbs matches any verb. */
const atn_command *atn_cli_command_find(const char *noun, const char *verb);
/* Rejects a word that is not a command, or with `noun` not one of its verbs. */
atn_status atn_cli_command_unknown(const char *noun, const char *word, atn_error *err);
/* The same for `attune help`, which also accepts groups and topics. */
atn_status atn_cli_help_unknown(const char *word, atn_error *err);
/* Option i of a command: settings, its own rows, shared rows, --format, -o and -h; false: past the
 * end. */
bool atn_cli_command_option(const atn_command *c, int i, atn_option *option_p);

#define ATN_TAGLINE "self-tuning, topology-aware collectives for unmodified MPI programs"
extern const atn_option atn_cli_top_options[]; /* of `attune` itself; end with a NULL name */
extern const char *const atn_cli_exit_docs[];  /* by exit code */
extern const int atn_cli_exit_count;

/* ---- help and manual pages (manual.c), completion (complete.c) ---- */

void atn_cli_help_first(FILE *f);
void atn_cli_help_noun(FILE *f, const atn_noun *noun);
void atn_cli_help_command(FILE *f, const atn_command *c);
/* `all`, a group or a topic; false: none of these. */
bool atn_cli_help_word(FILE *f, const char *word);
/* Commands as JSON: all (NULL, "all"), those of a group, of a noun, or one. */
atn_status atn_cli_help_json(FILE *f, const char *word, const char *verb, atn_error *err);
/* "attune algo show NAME [options]" */
void atn_cli_usage_line(const atn_command *c, char *out, size_t size);
/* attune(1) with the reference of all commands; the overview "attune", or one noun.  False: there
 * is no such page. */
void atn_cli_man_whole(FILE *f);
bool atn_cli_man_page(FILE *f, const char *name);

/* Candidates for the last of `words`, which follow `attune`: lines "candidate TAB description"; the
 * line ":files" requests file names. */
void atn_cli_complete(FILE *f, int n, char **words);
extern const char *const atn_cli_shells[];                /* NULL-terminated */
const char *atn_cli_completion_script(const char *shell); /* NULL: unknown shell */

#endif
