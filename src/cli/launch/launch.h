/* launch.h - parses the command line of an MPI launcher, to find its programs and to pass
 * environment variables to their processes.
 *
 * A launcher is a row of a table: how it is recognised, how many arguments its options take, and
 * how it passes variables. */
#ifndef ATN_CLI_LAUNCH_LAUNCH_H
#define ATN_CLI_LAUNCH_LAUNCH_H

#include "base/base.h"

typedef enum {
    ATN_WAY_X,     /* Open MPI: -x NAME=value in every app context */
    ATN_WAY_GENV,  /* Hydra: -genv NAME value once; a local -env overrides it */
    ATN_WAY_EXPORT /* srun: its environment, narrowed by --export */
} atn_launch_way;

typedef struct {
    const char *title;       /* in messages */
    const char *own[2];      /* a command of attune itself: its words; else NULL */
    const char *flavour;     /* its MPI: "openmpi", "mpich", "smpi"; NULL: any */
    const char *programs;    /* file names, separated by blanks, like all lists below */
    const char *versions[4]; /* the output of `--version` contains one of these */
    const char *options[3];  /* by number of arguments */
    const char *letters;     /* single-letter options without argument; the argument of others may
                                be attached.  NULL: options are whole words */
    const char *folder, *path, *hides; /* working directory; search path; programs are in a file */
    const char *count;                 /* options for the number of ranks */
    const char *spread;                /* options that put them on several hosts; "*": always */
    const char *mpi;                   /* option for the MPI of its processes; NULL: none */
    atn_launch_way way;
    bool looks_here; /* also searches the working directory for a name without slash */
} atn_launcher;

/* One of the programs of a job ("app context"). */
typedef struct {
    int first, stop;    /* arguments: first is the launcher or ":", stop is one past the last */
    int program;        /* index of the program; -1: none */
    const char *folder; /* working directory set by an option, or NULL */
    const char *path;   /* search path set by an option, or NULL */
    const char *hides;  /* option that reads programs from a file, or NULL */
    const char *mpi;    /* the MPI set by an option, or NULL */
} atn_app;

typedef struct {
    char **words;
    int n;
    int at;                       /* index of the launcher; arguments before it are wrappers */
    const atn_launcher *launcher; /* NULL: the command is a program without launcher */
    ATN_VEC(atn_app) apps;
} atn_launch;

typedef ATN_VEC(char *) atn_words;
void atn_cli_words_free(atn_words *w);

/* An option inside an app context: its name without dashes and its arguments. */
typedef struct {
    char name[64];
    int argument; /* index of the first argument */
    int count;
    char *glued; /* attached argument, as in "--name=glued", or NULL */
} atn_launch_option;

/* ---- launch_table.c ---- */

const atn_launcher *atn_cli_launcher_at(int i); /* NULL at the end */
bool atn_cli_in_words(const char *words, const char *word);
/* The row of `attune lab run` or `attune sim`; NULL: words[i] is not the end of such a command. */
const atn_launcher *atn_cli_launcher_own(char **words, int i);
/* Wrappers and interpreters, which may load MPI later. */
bool atn_cli_is_wrapper(const char *word);
bool atn_cli_has_launcher_name(const char *word);

/* ---- launch_find.c ---- */

const char *atn_cli_base_name(const char *path);
/* Searches for an executable file like exec.  `folder` (or NULL): base of relative names; `here`:
 * also search it for names without slash.  Returns 0 or errno. */
int atn_cli_program_find(const char *word, const char *path, const char *folder, bool here,
                         char out[4096]);
/* What a program with one argument prints, on either stream, within a time limit.  False: it cannot
 * be run. */
bool atn_cli_program_output(const char *path, const char *option, char *out, size_t size);
/* The row of a launcher; NULL with ATN_OK: not a launcher.  `flavour` (or NULL) is used if the MPI
 * cannot be detected. */
atn_status atn_cli_launcher_identify(const char *word, const char *flavour,
                                     const atn_launcher **launcher_p, atn_error *err);

/* ---- launch.c ---- */

atn_status atn_cli_launch_parse(char **words, int n, const char *flavour, atn_launch *l,
                                atn_error *err);
void atn_cli_launch_free(atn_launch *l);
/* Ranks of the job by the launcher's options; 0: unknown.  *spread_p: perhaps on several hosts. */
int atn_cli_launch_ranks(const atn_launch *l, bool *spread_p);
/* The option at words[i] of a context that ends at `stop`; its arguments follow. */
void atn_cli_launch_option_at(const atn_launch *l, int i, int stop, atn_launch_option *o);

/* ---- launch_command.c ---- */

/* What to pass to the processes of the job. */
typedef struct {
    const char *library; /* to be preloaded first */
    const char *preload; /* LD_PRELOAD of this process, kept after `library`; or NULL */
    const char *const *names, *const *values; /* other variables, already set in this process */
    int n;
} atn_job_env;

/* The command with options that pass the variables.  If the environment passes them (no launcher,
 * or srun), *environment_p is "LD_PRELOAD=...", to be set for the command; else NULL.  Caller frees
 * both. */
atn_status atn_cli_launch_command(const atn_launch *l, const atn_job_env *h, atn_words *words_p,
                                  char **environment_p, atn_error *err);

#endif
