/* private.h - between the files of the lab. */
#ifndef ATN_LAB_PRIVATE_H
#define ATN_LAB_PRIVATE_H

#include "lab/lab.h"

#define ATN_LAB_ROOT   "/run/attune/lab"
#define ATN_LAB_SPACES "/run/netns"

enum { ATN_SPACE_FABRIC, ATN_SPACE_FRONTEND, ATN_SPACE_HOSTS }; /* index in lab->spaces */

/* ---- command.c ---- */

/* Runs a program of iproute2 with `input` on its standard input (a batch); words end with NULL. */
atn_status atn_lab_call(const char *program, const char *const *words, const char *input,
                        atn_error *err);
/* The full name of a program, also when it is in sbin and PATH is not. */
bool atn_lab_tool(const char *program, char out[ATN_LAB_PATH]);

/* ---- state.c: the folder of a lab ---- */

bool atn_lab_valid_name(const char *name);
/* Fills in name, folder and the contents of the state file; does not read the topology. */
atn_status atn_lab_read(const char *name, atn_lab *lab, atn_error *err);
/* Appends a line to the state file, before the action that it records. */
atn_status atn_lab_record(const atn_lab *lab, atn_error *err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
atn_status atn_lab_path(const atn_lab *lab, const char *file, char out[ATN_LAB_PATH],
                        atn_error *err);
/* One at a time makes or removes labs; the lock ends with the process or by closing *fd_p. */
atn_status atn_lab_lock(int *fd_p, atn_error *err);
atn_status atn_lab_make_folder(const char *path, atn_error *err);

/* ---- layout.c: what a topology becomes ---- */

/* Lists the hosts of lab->topo and names the front end. */
atn_status atn_lab_layout(atn_lab *lab, atn_error *err);
bool atn_lab_delayed(const atn_lab *lab, int node);
/* Names of interfaces in the fabric; a host's own end is ATN_LAB_DEVICE. */
void atn_lab_bridge(const atn_lab *lab, int node, char out[16]); /* node -1: above a root host */
void atn_lab_upper(int node, char out[16]);                      /* end of its link at its parent */
void atn_lab_lower(int node, char out[16]); /* end at itself, when it is a switch */
/* Batches for ip and tc, run inside the fabric or host `host` (-1: the front end). */
char *atn_lab_fabric_links(const atn_lab *lab);
char *atn_lab_fabric_rates(const atn_lab *lab);
char *atn_lab_host_links(const atn_lab *lab, int host);
char *atn_lab_host_rates(const atn_lab *lab, int host); /* "": not limited */
char *atn_lab_etc_hosts(const atn_lab *lab);
/* A line for tc: limits the rate of one end of a link, in bits per second. */
void atn_lab_put_rate(FILE *f, const atn_lab *lab, int64_t rate, const char *device);

/* ---- space.c: network namespaces ---- */

void atn_lab_space_path(const char *name, char out[ATN_LAB_PATH]);
/* Makes a namespace with the lab's settings in it, records it, and names it. */
atn_status atn_lab_space_make(atn_lab *lab, const char *name, atn_error *err);
/* Goes into a namespace; *home_p leads back. */
atn_status atn_lab_space_enter(const atn_lab_space *s, int *home_p, atn_error *err);
atn_status atn_lab_space_leave(int home, atn_error *err);
atn_status atn_lab_space_remove(const atn_lab_space *s, atn_error *err);
/* Processes inside the namespaces of a lab from number `first` on (the first one holds only delay
 * lines), other than this one; caller frees the list. */
typedef ATN_VEC(int) atn_lab_pids;
atn_status atn_lab_processes(const atn_lab *lab, int first, atn_lab_pids *pids, atn_error *err);

/* ---- kernel.c: settings of the kernel that all labs share ---- */

/* Raises what is too low, recording the old values; what may not be changed is left with a note. */
atn_status atn_lab_kernel_raise(int hosts, atn_error *err);
atn_status atn_lab_kernel_restore(atn_error *err);
bool atn_lab_write(const char *path, const char *text);

/* ---- host.c: being on a host ---- */

/* Moves this process to a host: network, name, own shared memory, /sys, /etc/hosts.  In a job
 * (`job` is its folder) all processes of a host share memory; else this one is alone. */
atn_status atn_lab_become(const atn_lab *lab, int host, const char *job, atn_error *err);
/* Makes what hosts share within a job; done by its first process. */
atn_status atn_lab_job_folder(const atn_lab *lab, const char *job, atn_error *err);

/* ---- launcher.c: command lines of the MPIs ---- */

typedef ATN_VEC(char *) atn_lab_words;
/* Sets the environment of the launcher, writes its host file into the folder, and gives its command
 * line (ends with NULL). */
atn_status atn_lab_launcher(const atn_lab *lab, const atn_lab_job *job, const char *folder,
                            atn_lab_words *words, atn_error *err);

#endif
