/* launch.h - understands the command line of an MPI launcher well enough to find the programs in
 * it and to hand environment variables to their processes.
 *
 * A launcher is one row of a table: how it is recognised, how many arguments its options take,
 * and the way in which it passes variables on. */
#ifndef ATN_LAUNCH_H
#define ATN_LAUNCH_H

#include "base/base.h"

typedef enum {
    ATN_WAY_X,     /* Open MPI: -x NAME=value in every app context */
    ATN_WAY_GENV,  /* Hydra: -genv NAME value once; a local -env overrides it */
    ATN_WAY_EXPORT /* srun: its environment, narrowed by --export */
} atn_launch_way;

typedef struct {
    const char *title;       /* in messages */
    const char *flavour;     /* the MPI it belongs to: "openmpi", "mpich"; NULL: any */
    const char *programs;    /* files of these names are it (words between blanks, as all below) */
    const char *versions[4]; /* one of these is in what `--version` prints */
    const char *options[3];  /* by the number of arguments that follow */
    const char *letters;     /* single-letter options without argument; the argument of others may
                                be glued to them.  NULL: options are whole words */
    const char *folder, *path, *hides; /* working directory; search path; programs are in a file */
    const char *tells;                 /* which MPI its processes use; NULL: nothing does */
    atn_launch_way way;
    bool looks_here; /* finds a program without slash in the working directory too */
} atn_launcher;

/* One of the programs of a job ("app context"). */
typedef struct {
    int first, stop;    /* its words: first is the launcher or the ":", stop is one past the last */
    int program;        /* index of the program; -1: none is given */
    const char *folder; /* working directory that the launcher is told to use, or NULL */
    const char *path;   /* where the launcher is told to search, or NULL */
    const char *hides;  /* option that names programs in a file, or NULL */
    const char *mpi;    /* the MPI that an option tells, or NULL */
} atn_app;

typedef struct {
    char **words;
    int n;
    int at;                       /* index of the launcher; words before it are wrappers */
    const atn_launcher *launcher; /* NULL: the command is a program, started without launcher */
    ATN_VEC(atn_app) apps;
} atn_launch;

typedef ATN_VEC(char *) atn_words;
void atn_words_free(atn_words *w);

/* An option inside an app context: its name without dashes and its argument words. */
typedef struct {
    char name[64];
    int argument; /* index of the first argument */
    int count;
    char *glued; /* "--name=glued", or NULL */
} atn_launch_option;

/* ---- launch_table.c ---- */

const atn_launcher *atn_launcher_at(int i); /* NULL at the end */
bool atn_in_words(const char *words, const char *word);
/* The row of `attune lab run`, which is no single word; NULL when words[i] does not end it. */
const atn_launcher *atn_launcher_lab(char **words, int i);
/* Programs that only start others, and interpreters: they may load MPI later. */
bool atn_is_wrapper(const char *word);
bool atn_has_launcher_name(const char *word);

/* ---- launch_find.c ---- */

const char *atn_base_name(const char *path);
/* Looks for an executable file as exec does; `folder` (or NULL) is where relative names start,
 * `here`: look there for names without slash as well.  0, or the errno that says why not. */
int atn_program_find(const char *word, const char *path, const char *folder, bool here,
                     char out[4096]);
/* The row of a launcher; NULL with ATN_OK when the word is none.  `flavour` (or NULL) decides when
 * the launcher does not say what it is. */
atn_status atn_launcher_identify(const char *word, const char *flavour,
                                 const atn_launcher **launcher_p, atn_error *err);

/* ---- launch.c ---- */

atn_status atn_launch_parse(char **words, int n, const char *flavour, atn_launch *l,
                            atn_error *err);
void atn_launch_free(atn_launch *l);
/* The option at word i of a context that ends at `stop`; the next one is behind its arguments. */
void atn_launch_option_at(const atn_launch *l, int i, int stop, atn_launch_option *o);

/* ---- launch_command.c ---- */

/* What the processes of the job are to get. */
typedef struct {
    const char *library; /* to be preloaded first */
    const char *preload; /* LD_PRELOAD of this process, or NULL: is kept behind it */
    const char *const *names, *const *values; /* other variables, in our environment already */
    int n;
} atn_handout;

/* The command with the variables handed over in the launcher's own way.  Without a launcher, and
 * for what an environment carries anyway, *environment_p is "LD_PRELOAD=..." to be put into the
 * environment of the command; NULL otherwise.  Caller frees both. */
atn_status atn_launch_command(const atn_launch *l, const atn_handout *h, atn_words *words_p,
                              char **environment_p, atn_error *err);

#endif
