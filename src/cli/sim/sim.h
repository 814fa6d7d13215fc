/* sim.h - the steps of `attune sim`. */
#ifndef ATN_CLI_SIM_SIM_H
#define ATN_CLI_SIM_SIM_H

#include "cli/cli.h"
#include "cli/launch/launch.h"
#include "topo/topo.h"

enum { ATN_SIM_PATH = 4096 };

/* ---- sim_place.c ---- */

/* Where ranks run: --platform, --ranks, --ranks-per-host, --hosts-order and --seed. */
typedef struct {
    atn_topo *topo; /* the host of each place for a rank, in their order ... */
    int n;          /* ... of which the first n are used */
} atn_sim_ranks;

atn_status atn_cli_sim_place(const atn_args *a, atn_sim_ranks *ranks_p, atn_error *err);

/* ---- sim_options.c ---- */

/* An option of SimGrid that the command sets. */
typedef struct {
    const char *name, *value;
} atn_sim_option;
extern const atn_sim_option atn_cli_sim_options[]; /* up to a name that is NULL */

/* The value of such an option in this job, after --cfg; of options that depend on the size of a
 * message ("0:BASE:FACTOR;..."), the base of the smallest one. */
double atn_cli_sim_option(const atn_args *a, const char *name);

/* ---- sim_machine.c ---- */

/* The machine file that corresponds to the simulation of a topology; caller frees. */
atn_status atn_cli_sim_machine(const atn_args *a, const atn_topo *t, char **text_p, atn_error *err);

/* ---- sim_files.c ---- */

/* The input of the simulator, and topology and machine for Attune, in a folder. */
typedef struct {
    char folder[ATN_SIM_PATH / 2];
    char platform[ATN_SIM_PATH], hosts[ATN_SIM_PATH], topology[ATN_SIM_PATH], machine[ATN_SIM_PATH];
    bool kept; /* the user named the folder */
} atn_sim_files;

/* Without --folder: a temporary one. */
atn_status atn_cli_sim_files_write(const atn_args *a, const atn_sim_ranks *ranks, atn_sim_files *f,
                                   atn_error *err);
/* Removes a temporary folder with all that is in it. */
void atn_cli_sim_files_remove(const atn_sim_files *f);

/* ---- sim_run.c ---- */

/* Runs a command until it ends and passes signals on to it; *code_p is its exit code. */
atn_status atn_cli_sim_run(char *const *words, int *code_p, atn_error *err);

#endif
