/* cli.h - the command line as tables.
 *
 * A subcommand is one descriptor at the bottom of its cmd_*.c and one line in commands.def; an
 * option is one row of the descriptor's table.  Parsing, --help, the man page, completion and
 * did-you-mean are all made from these tables, so they cannot disagree. */
#ifndef ATN_CLI_H
#define ATN_CLI_H

#include "base/base.h"

typedef enum {
    ATN_OPT_FLAG, /* no argument */
    ATN_OPT_TEXT, /* any word */
    ATN_OPT_FILE, /* a path (completion offers files) */
    ATN_OPT_INT,  /* an integer within min..max */
    ATN_OPT_SIZE, /* 4096, 4K, 1M */
    ATN_OPT_WORD, /* one of `words` */
    ATN_OPT_LIST, /* any word, may be given several times */
    ATN_OPT_PILE, /* words with commas; given several times, one list, the last in front */
    ATN_OPT_MAYBE /* alone, or with a word as --name=word only */
} atn_opt_type;

typedef struct {
    const char *name;     /* "root": --root */
    char letter;          /* 'r' for -r; 0: none */
    const char *argument; /* "R", as help shows it; NULL for a flag */
    const char *fallback; /* value when not given; NULL: none */
    const char *doc;      /* one sentence, no full stop */
    atn_opt_type type;
    int64_t min, max;         /* ATN_OPT_INT: both 0 means 0 .. INT32_MAX */
    const char *const *words; /* ATN_OPT_WORD: NULL-terminated */
} atn_option;

static inline bool atn_option_repeats(const atn_option *o)
{
    return o->type == ATN_OPT_LIST || o->type == ATN_OPT_PILE;
}

/* What a command may ask for besides its own options. */
enum {
    ATN_CMD_OUTPUT = 1, /* writes to args->out; has -o FILE (replaced whole, or not touched) */
    ATN_CMD_REST = 2,   /* `-- words...` are passed through in args->rest */
    ATN_CMD_JOB = 4,    /* starts a job of Attune's own: its files are examined first (files.h) */
    ATN_CMD_STREAM = 8  /* with both: where a job is started and there is no -o, args->out is stdout
                           itself, for results that are written while it runs */
};

typedef struct atn_args atn_args;

typedef struct {
    const char *noun, *verb; /* verb NULL: the noun is the command ("attune run") */
    const char *operands;    /* "NAME [FILE]" as help shows it; NULL: none */
    int min_operands, max_operands;
    const char *help;           /* one line, no full stop */
    const char *detail;         /* paragraphs for --help and the man page, or NULL */
    const atn_option *options;  /* ends with a NULL name; NULL: none */
    const atn_option *shared;   /* a second such table, common to several commands; or NULL */
    const char *const *formats; /* what --format accepts, the default first; NULL: no --format */
    unsigned flags;             /* ATN_CMD_* */
    /* Returns the exit code.  A failure is put into `err` (its text is printed by the caller as
     * "attune: text") and its status returned. */
    int (*run)(const atn_args *a, atn_error *err);
} atn_command;

/* One occurrence of an option on the command line. */
typedef struct {
    const char *name; /* the option's long name */
    const char *text; /* the argument; NULL for a flag */
    char *joined;     /* what `text` is if it was made of several; else NULL */
} atn_given;

struct atn_args {
    const atn_command *command;
    ATN_VEC(atn_given) given;
    char **operands;
    int noperands;
    char **rest; /* after `--`, NULL-terminated; command line order untouched */
    int nrest;
    FILE *out;     /* ATN_CMD_OUTPUT: write here; reaches stdout or -o FILE only if the run is not
                    an error (exit code 0 or 1) */
    bool terminal; /* a person is reading `out` */
};

/* Values, already checked against the table.  Asking for an option that the command does not have
 * is a programming error. */
bool atn_arg_given(const atn_args *a, const char *name);
const char *atn_arg_text(const atn_args *a, const char *name); /* last one, fallback, or NULL */
int64_t atn_arg_int(const atn_args *a, const char *name);      /* INT and SIZE; 0 without value */
int atn_arg_count(const atn_args *a, const char *name);        /* LIST */
const char *atn_arg_nth(const atn_args *a, const char *name, int i);
const char *atn_arg_format(const atn_args *a); /* --format */

/* Options may be mixed with operands; `--name value`, `--name=value`, `-n value` and `-nvalue` are
 * understood; `--` ends them.  A command that passes words through and has no operands of its own
 * may be given them without the `--`: the first word that is not an option ends the options.
 * The words of `argv` (after noun and verb) must outlive `a`. */
atn_status atn_args_parse(const atn_command *command, int argc, char **argv, atn_args *a,
                          atn_error *err);
void atn_args_free(atn_args *a);

/* ---- the tables ---- */

int atn_command_count(void);
const atn_command *atn_command_at(int i);
/* The command of these words; NULL: none.  A noun without verbs is found whatever follows. */
const atn_command *atn_command_find(const char *noun, const char *verb);
bool atn_command_is_noun(const char *word);
/* Refuses a word that is no command, or with a noun none of its verbs. */
atn_status atn_command_unknown(const char *noun, const char *word, atn_error *err);
/* Option i of a command: its own rows, then --format, -o and -h; false at the end. */
bool atn_command_option(const atn_command *c, int i, atn_option *option_p);

#define ATN_COMMAND(id) extern const atn_command atn_cmd_##id;
#include "cli/commands.def"
#undef ATN_COMMAND

#define ATN_TAGLINE "self-tuning, topology-aware collectives for unmodified MPI programs"
extern const atn_option atn_top_options[]; /* of `attune` itself; ends with a NULL name */
extern const char *const atn_exit_docs[];  /* by exit code */
extern const int atn_exit_count;

/* ---- made from the tables (help.c, man.c, complete.c) ---- */

void atn_help_all(FILE *f);
void atn_help_noun(FILE *f, const char *noun);
void atn_help_command(FILE *f, const atn_command *c);
/* "attune algo show NAME [options]" without the options. */
void atn_usage_line(const atn_command *c, char *out, size_t size);
void atn_man_page(FILE *f);
void atn_completion_bash(FILE *f);

#endif
