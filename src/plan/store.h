/* store.h - calibrations that jobs find by themselves: a file of entries, each with the topology
 * and the machine parameters of a set of hosts.
 *
 * docs/calibrate.md describes the file and how an entry is selected.  Selecting is a pure function
 * of the entries and of what all ranks share, so ranks that hold the same entries select alike. */
#ifndef ATN_PLAN_STORE_H
#define ATN_PLAN_STORE_H

#include "plan/wisdom.h"

enum { ATN_STORE_VERSION = 1, ATN_STORE_WORDS = 320 };

typedef struct {
    char *hosts;      /* names and patterns: "n[0-15]", "node*" */
    char *machine;    /* MPI library and processors, as in wisdom (here.h) */
    char *fabric;     /* network of the first host (here.h) */
    int64_t ranks;    /* per host in the measurement; 0: not the same on all hosts */
    int64_t date;     /* seconds since 1970 */
    char *tool;       /* provenance; NULL: unknown */
    char *launcher;   /* likewise */
    char *topology;   /* text of a topology file; NULL: all hosts on one switch */
    char *parameters; /* text of a machine file; NULL: a job has sketched the topology */
    int line, topology_line, parameters_line; /* in the file it came from */
} atn_store_entry;

typedef struct {
    ATN_VEC(atn_store_entry) list;
} atn_store;

void atn_plan_store_free(atn_store *s);
/* A copy of an entry at the end of the store; false: out of memory. */
ATN_MUST_USE bool atn_plan_store_add(atn_store *s, const atn_store_entry *entry);

/* ---- files ---- */

/* ATTUNE_CALIBRATION: "" and "auto" stand for the files of user and system, "off" for none. */
void atn_plan_store_find(const char *job, const char *home, const char *data,
                         atn_wisdom_files *files_p);

/* Appends the entries of a text; all or nothing, "origin:line: what; remedy". */
atn_status atn_plan_store_parse(const char *text, size_t bytes, const char *origin, atn_store *s,
                                atn_error *err);
/* The same for a file, and checks the topologies and parameters within. */
atn_status atn_plan_store_read(const char *path, atn_store *s, atn_error *err);
/* The same for a file that Attune has found by itself, or that is named. */
atn_status atn_plan_store_read_of(const char *path, atn_provider provider, atn_store *s,
                                  atn_error *err);
/* Appends the entries of all files that exist.  Unusable files are skipped; *warning_p (caller
 * frees; NULL: none) then has a line for each. */
atn_status atn_plan_store_load(const atn_wisdom_files *files, atn_store *s, char **warning_p,
                               atn_error *err);
/* Text that parses to the same entries; caller frees; NULL: out of memory. */
char *atn_plan_store_print(const atn_store *s, size_t *bytes_p);

/* Changes of a file, under its lock.  A damaged file, a full disk and a kill at any moment leave it
 * as it was. */

/* Adds the entry; it replaces one for the same hosts, machine, fabric and ranks per host, but one
 * with parameters only if it has some, too. */
atn_status atn_plan_store_put(const char *path, const atn_store_entry *entry, atn_error *err);
/* Removes the entries that `is` selects; *removed_p counts them. */
atn_status atn_plan_store_remove(const char *path,
                                 bool (*is)(void *context, const atn_store_entry *entry),
                                 void *context, int *removed_p, atn_error *err);

/* Ranks on each host, for an entry; 0: not the same on all. */
int64_t atn_plan_store_ranks(const int *host_of, int ranks, int hosts);

/* ---- selection ---- */

/* A job, as all its ranks see it. */
typedef struct {
    const char *machine, *fabric;
    const char *const *hosts; /* of each rank */
    int p;
} atn_store_job;

/* Whether the entry is for a host of this name. */
bool atn_plan_store_has_host(const atn_store_entry *entry, const char *host);
/* Whether it may serve jobs of this MPI library, processors and fabric. */
bool atn_plan_store_is_of(const atn_store_entry *entry, const char *machine, const char *fabric);
/* The best entry that serves all hosts of the job; -1: none, and `why` has the reason. */
int atn_plan_store_select(const atn_store *s, const atn_store_job *job, char why[ATN_STORE_WORDS]);
/* Ratios of measured to expected times, one for each class of calls.  Whether the calibration is
 * out of date: all calls took far longer than expected, or all far less.  *factor_p: the median. */
bool atn_plan_store_is_stale(double *ratios, int n, double *factor_p);
/* "n[0-15], measured 2026-11-17T20:01:02Z"; "sketched by a job" without parameters */
void atn_plan_store_name(const atn_store_entry *entry, char out[ATN_STORE_WORDS]);

#endif
