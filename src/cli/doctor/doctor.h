/* doctor.h - the checks of `attune doctor`: what works on this host, and why something does not. */
#ifndef ATN_CLI_DOCTOR_DOCTOR_H
#define ATN_CLI_DOCTOR_DOCTOR_H

#include "cli/cli.h"
#include "cli/launch/launch.h"

/* NOTE: an optional feature that is not available, or a file that does not exist yet. */
typedef enum { ATN_DOCTOR_OK, ATN_DOCTOR_NOTE, ATN_DOCTOR_WARN, ATN_DOCTOR_FAIL } atn_verdict;

typedef struct {
    const char *check;
    atn_verdict verdict;
    char *seen, *remedy; /* remedy "": none is needed */
} atn_doctor_line;

typedef struct {
    const atn_args *args;
    const char *check; /* the running one */
    ATN_VEC(atn_doctor_line) lines;
    bool failed; /* out of memory */
} atn_doctor;

/* Adds a line; the text is what was seen, "; " and the remedy, as in messages of errors. */
void atn_cli_doctor_add(atn_doctor *d, atn_verdict verdict, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* A check adds one line or more. */
typedef void atn_doctor_check(atn_doctor *d);

/* ---- doctor_mpi.c ---- */
atn_doctor_check atn_cli_doctor_command, atn_cli_doctor_mpi, atn_cli_doctor_launchers,
    atn_cli_doctor_job;
/* ---- doctor_preload.c ---- */
atn_doctor_check atn_cli_doctor_preload; /* without such libraries it adds no line */
/* ---- doctor_host.c ---- */
atn_doctor_check atn_cli_doctor_memory, atn_cli_doctor_single_copy, atn_cli_doctor_dev_shm,
    atn_cli_doctor_cores, atn_cli_doctor_hwloc, atn_cli_doctor_lab, atn_cli_doctor_sim;
/* ---- doctor_files.c ---- */
atn_doctor_check atn_cli_doctor_settings, atn_cli_doctor_wisdom, atn_cli_doctor_calibration;

/* ---- doctor_mpi.c ---- */
/* Ranks of the job: of --ranks or the launcher's options; 0: not known. *far_p: the launcher may
 * start them on several hosts. */
int atn_cli_doctor_ranks(const atn_doctor *d, bool *far_p);

#endif
