/* lab.h - a switched cluster on one machine: every host of a topology is a network namespace, every
 * switch a bridge, every link a pair of interfaces with a rate limit and an optional delay line.
 *
 * A lab is a folder below /run/attune/lab.  What is to be made is recorded there before it is made,
 * so `down` cleans up after a crash at any moment; it removes only what is recorded. */
#ifndef ATN_LAB_LAB_H
#define ATN_LAB_LAB_H

#include "base/base.h"
#include "topo/topo.h"

enum { ATN_LAB_NAME_MAX = 24, ATN_LAB_HOSTS_MAX = 1000, ATN_LAB_PATH = 512 };

#define ATN_LAB_DEFAULT "lab"
#define ATN_LAB_DEVICE  "eth0" /* of every host */

/* A network namespace of a lab, known by name and identity: one of the same name that someone else
 * made is never entered or removed. */
typedef struct {
    char *name;
    uint64_t id; /* inode of the namespace */
} atn_lab_space;

typedef struct {
    char name[ATN_LAB_NAME_MAX + 1];
    char folder[ATN_LAB_PATH];
    int network; /* hosts are 10.network.x.y */
    int mtu;
    bool ready;                    /* `up` came to its end */
    ATN_VEC(atn_lab_space) spaces; /* fabric, front end, hosts in the order of the topology */
    atn_topo *topo;
    ATN_VEC(int) hosts; /* their nodes */
    char frontend[72];  /* host name of the front end: none of the hosts has it */
} atn_lab;

/* Privileges and programs that a lab needs; `delays`: also for delay lines. */
atn_status atn_lab_check(bool delays, atn_error *err);

/* ---- life of a lab ---- */

/* Nothing is left behind on failure. */
atn_status atn_lab_up(const char *name, const char *topology, int mtu, atn_error *err);
/* Ends the lab's processes, removes it, and with the last lab restores the kernel's settings;
 * *ended_p is the number of processes that had to be ended. */
atn_status atn_lab_down(const char *name, int *ended_p, atn_error *err);

/* NULL: the only lab there is.  A lab that is not ready is refused. */
atn_status atn_lab_open(const char *name, atn_lab *lab, atn_error *err);
void atn_lab_close(atn_lab *lab);

/* Names of the labs there are, sorted; caller frees them with atn_lab_names_free. */
typedef ATN_VEC(char *) atn_lab_names;
atn_status atn_lab_list(atn_lab_names *names, atn_error *err);
void atn_lab_names_free(atn_lab_names *names);

/* Changes the rate of the link above a node in both directions while jobs may run; the topology
 * file of the lab keeps the old rate. */
atn_status atn_lab_set_rate(const atn_lab *lab, const char *node, int64_t rate, atn_error *err);

/* ---- looking at a lab ---- */

typedef struct {
    const char *state; /* "up", "incomplete" */
    int hosts, switches, processes;
    char network[24];
} atn_lab_summary;
atn_status atn_lab_summarise(const char *name, atn_lab_summary *s, atn_error *err);

/* Bytes that have crossed the link of a node; false for nodes that have none here (the root, parts
 * of hosts). */
typedef struct {
    uint64_t up, down;
} atn_lab_bytes;
bool atn_lab_has_link(const atn_lab *lab, int node);
/* One entry per node; caller frees. */
atn_status atn_lab_count(const atn_lab *lab, atn_lab_bytes **bytes_p, atn_error *err);
/* Address of host i; -1: the front end. */
const char *atn_lab_address(const atn_lab *lab, int host, char out[16]);
int atn_lab_host(const atn_lab *lab, const char *name); /* index; -1: none */

/* ---- working in a lab ---- */

/* Becomes the command, inside a host (or the front end); returns only on failure. */
atn_status atn_lab_exec(const atn_lab *lab, const char *host, char *const *words, atn_error *err);
/* The same for a command of a remote shell in a job of the lab: the words are joined and given to
 * the user's shell, as rsh and ssh do. */
atn_status atn_lab_shell(const atn_lab *lab, const char *host, char *const *words, atn_error *err);

/* Which host each of n ranks runs on; n = 0: as many as the topology has ranks, or hosts times
 * `per_host`.  per_host = 0: as many as needed.  Caller frees. */
atn_status atn_lab_place(const atn_lab *lab, int n, int per_host, bool cyclic, int *n_p,
                         int **host_of_p, atn_error *err);

typedef struct {
    const char *mpi;      /* "openmpi" or "mpich" */
    const char *launcher; /* its mpirun */
    const int *host_of;   /* by rank */
    int n;
    char *const *options; /* further words for the launcher */
    int noptions;
    char *const *variables; /* NAME=value for the ranks, not for the launcher */
    int nvariables;
    char *const *words; /* program and its arguments, ends with NULL */
} atn_lab_job;
/* Runs the job to its end; *code_p is its exit code.  When this returns, and also when this process
 * is killed, no process of the job is left. */
atn_status atn_lab_run(const atn_lab *lab, const atn_lab_job *job, int *code_p, atn_error *err);

/* A program or library that belongs to Attune, beside the running command. */
atn_status atn_lab_find(const char *name, char out[ATN_LAB_PATH], atn_error *err);

#endif
