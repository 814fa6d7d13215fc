/* job.h - what all ranks of MPI_COMM_WORLD agreed on in MPI_Init. */
#ifndef ATN_PMPI_JOB_JOB_H
#define ATN_PMPI_JOB_JOB_H

#include <mpi.h>

#include "base/clock.h"
#include "interpose/message.h"
#include "model/machine.h"
#include "plan/here.h"
#include "plan/rules.h"
#include "plan/settings.h"
#include "pmpi/real.h"

typedef struct atn_job {
    bool active;           /* between the agreement in MPI_Init and MPI_Finalize */
    bool has_comms;        /* communicators have states */
    bool oversubscribed;   /* the cores of this node are (local: changes no message) */
    bool yield;            /* ... and the MPI library does not yield them itself (local) */
    bool spare_core;       /* every rank of this node has a core for one more thread (local) */
    bool shared;           /* messages within a host may use shared memory */
    atn_sharing sharing;   /* ranks that can read each other's memory */
    const char *transport; /* of messages, for reports; as seen by this rank */
    bool threads;          /* threads other than the first may call MPI (local too) */
    bool observed;         /* report, record, check or watchdog: no call takes the fast path */
    bool check;
    bool reproducible;
    bool can_start;   /* this rank uses nonblocking collectives and can serve them */
    bool nonblocking; /* all ranks do */
    bool lasting;     /* the same problem always gets the same choice */
    int first, watchdog, verbose;
    int p, r;           /* in MPI_COMM_WORLD */
    int hosts;          /* of these ranks; 0: unknown, or there is no report */
    uint32_t work;      /* operations for which an entry point does more than forward the call */
    uint32_t forced;    /* operations whose communicators are set up at their first call */
    uint64_t hash;      /* of all data that must be equal, for agreements on communicators */
    int64_t began_ns;   /* when all ranks had entered MPI_Init */
    bool online;        /* online tuning: ATTUNE_SELECT=online, star, star-grouped */
    bool stable;        /* results of inexact reductions must not change during the run */
    bool by_history;    /* calls that follow different calls are tuned separately */
    bool explain;       /* print decisions */
    bool predicts;      /* predict which calls recur */
    int budget;         /* per cent */
    int procedure;      /* atn_tune_mode */
    uint32_t tunable;   /* operations that are tuned online */
    const char *report; /* NULL: none; "": standard error; else a file */
    const char *record; /* file for recorded patterns; NULL: none */
    atn_settings settings;
    atn_rules *rules;
    atn_rules *wisdom; /* the rules of the wisdom files for this machine, all rank mappings */
    char here[ATN_HERE_ROOM]; /* the name of the machine in wisdom files */
    uint64_t program;         /* hash of its name */
    bool has_patterns;        /* wisdom names patterns of sizes */
    struct atn_topo *topo;    /* of all ranks; NULL: unknown */
    atn_machine *machine;     /* for plans; NULL: no plans, or no memory */
    bool probed;              /* ranks have measured the network, see select/sketch.h ... */
    bool sketched;            /* ... and the topology is the result ... */
    bool stored_sketch;       /* ... of an earlier job */
    bool measured;   /* the machine is the one that settings name or a calibration, not the built-in
                      one */
    bool calibrated; /* rank 0 sent entries of the store of calibrations */
    bool switches;   /* the topology is that of a calibration */
    int entry;       /* of those that rank 0 sent: the one in use; -1: none */
    char calibration[512]; /* its name, or why there is none; "": not looked for */
} atn_job;

extern atn_job atn_job_current ATN_HIDDEN;

/* Frees what the job holds and makes it inactive. */
void atn_job_free(void);

/* Seconds of a monotonic clock. */
static inline double atn_job_seconds(void) { return 1e-9 * (double)atn_clock_kernel_ns(); }

#endif
