/* job.h - what all ranks of MPI_COMM_WORLD agreed on in MPI_Init, and how it was started. */
#ifndef ATN_JOB_H
#define ATN_JOB_H

#include <mpi.h>

#include "model/machine.h"
#include "plan/here.h"
#include "plan/rules.h"
#include "plan/settings.h"
#include "pmpi/real.h"

struct atn_seat;

typedef struct atn_job {
    bool active;   /* between the vote in MPI_Init and MPI_Finalize */
    bool keeps;    /* there are states of communicators */
    bool yield;    /* ranks of this node outnumber its cores (local: changes no message) */
    bool threads;  /* others than the first may call MPI (local too) */
    bool observed; /* report, record, check or watchdog: every call takes the long way */
    bool check;
    bool reproducible;
    bool lasting; /* the same problem always gets the same choice */
    int first, watchdog, verbose;
    int p, r;           /* in MPI_COMM_WORLD */
    uint32_t work;      /* operations that are more than passed on */
    uint32_t forced;    /* operations whose communicators are set up at their first call */
    uint64_t hash;      /* of all that must be alike, for votes on communicators */
    int64_t began_ns;   /* when all ranks had come to MPI_Init */
    bool learns;        /* ATTUNE_SELECT=online and its like */
    bool stable;        /* results of inexact reductions must not change while it runs */
    bool by_history;    /* what follows different calls is tuned apart */
    bool explain;       /* tell decisions */
    bool foresees;      /* which calls come again */
    int budget;         /* per cent */
    int procedure;      /* atn_tune_mode */
    uint32_t tunable;   /* operations that are learned about */
    const char *report; /* NULL: none; "": standard error; else a file */
    const char *record; /* where patterns go; NULL: nowhere */
    atn_settings settings;
    atn_rules *rules;
    atn_rules *wisdom;        /* what files say about this machine, for any place of ranks */
    char here[ATN_HERE_ROOM]; /* the machine, as wisdom calls it */
    struct atn_topo *topo;    /* where all ranks are; NULL: not known */
    atn_machine *machine;     /* for plans; NULL: none are made, or no memory */
    bool measured;            /* it is the one that settings name, not the built-in one */
} atn_job;

extern atn_job atn_the_job ATN_HIDDEN;

/* Called by the entry points of MPI_Init and MPI_Finalize, once each. */
void atn_job_start(void);
void atn_job_stop(void);

/* Whether this rank's own environment lacks ATTUNE=off. */
bool atn_is_awake(void);
/* Collective over MPI_COMM_WORLD: fills in the job; false: everything stays native. */
bool atn_job_vote(atn_job *job, bool same_version);
/* Whether the MPI underneath has the handles that this build knows; says so when not.  Makes no
 * call that involves a handle. */
bool atn_mpi_fits(bool *same_version_p);
/* "Open MPI 4.1.4"; the MPI that this build is for. */
const char *atn_mpi_built_for(void);
/* Collective over MPI_COMM_WORLD: whether all ranks found the same topology, or none. */
bool atn_job_agrees(const atn_job *job);

/* Name of the topology; NULL: none.  Wisdom is filed by where ranks are: which of them share a host
 * is the least that is needed. */
const char *atn_topology_of(const atn_job *job);
/* Whether it matters to waits that ranks share cores. */
bool atn_asks_for_crowds(const atn_job *job);
/* Collective over MPI_COMM_WORLD: ranks tell where they are (room for all), so that each can work
 * out its topology from the text of one ("": none) and how to wait.  False, on all alike: the words
 * are not all the same, or 0. */
bool atn_job_meet(atn_job *job, const char *topology, uint64_t word, struct atn_seat *seats);
/* Rank 0: the text of the machine that settings name; NULL: none, or bad, which is said. */
char *atn_machine_named(const atn_job *job);
/* The machine that plans are made for, from that text; with none the built-in one. */
void atn_job_machine(atn_job *job, const char *text, size_t bytes);
/* Operations that no native routine may serve; 0 unless results must be reproducible. */
uint32_t atn_reproducible_operations(void);
/* Keeps what was learnt about it, if that is wanted (refined.c). */
void atn_refined_stop(const atn_job *job);
/* Tells programs about it (topology.c). */
void atn_topology_start(void);
void atn_topology_stop(void);

/* One line on standard error. */
void atn_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
