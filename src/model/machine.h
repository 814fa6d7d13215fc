/* machine.h - what is known about a machine: the measured parameters that models read.
 *
 * A plain structure: a program that measures fills it in and prints it, a program that predicts
 * reads it.  Inside, times are seconds, sizes are bytes, rates are bytes per second; the text
 * (docs/machine-format.md) has microseconds, nanoseconds per byte and megabytes per second.
 * What is zero or empty was not measured: models then derive it from what was (machine_derive.c).
 *
 * Channels are the ways between two ranks.  Channel 0 is the memory of a host; channel c goes over
 * the network and meets at a switch c levels above the hosts.  Ranks that are further apart than
 * the last channel use the last one. */
#ifndef ATN_MACHINE_H
#define ATN_MACHINE_H

#include "base/base.h"
#include "topo/topo.h"

enum {
    ATN_MACHINE_VERSION = 1,
    ATN_TABLE_SIZES = 24,
    ATN_TABLE_TAUS = 12,
    ATN_MACHINE_CHANNELS = 8,
    ATN_MACHINE_GAMMAS = 32,
    ATN_MACHINE_NOTES = 16,
    ATN_MACHINE_FIELDS = 24 /* of a channel, or of the machine itself */
};

/* A function of bytes and of the number tau of ranks that do the same at once.  Sizes and taus are
 * ascending; nsizes 0: not measured.  ntaus is 1 (tau 1) where concurrency does not matter. */
typedef struct {
    int nsizes, ntaus;
    int64_t size[ATN_TABLE_SIZES];
    int tau[ATN_TABLE_TAUS];
    double v[ATN_TABLE_SIZES][ATN_TABLE_TAUS];
    double half[ATN_TABLE_SIZES][ATN_TABLE_TAUS]; /* of the 95 % interval of v; 0: not known */
    int line[ATN_TABLE_SIZES];                    /* of the file a row was read from; 0: none */
} atn_values;

typedef struct {
    double alpha, beta; /* a message takes alpha + m * beta */
} atn_hockney;

typedef struct {
    double latency, o, gap, gap_byte; /* L, o, g, G */
} atn_loggp;

typedef struct {
    double latency;      /* L, from process to process */
    atn_values gap;      /* g(m): between the starts of messages of m bytes */
    atn_values gap_many; /* the same in a long train of messages (the multi-message gap) */
    atn_values os, or_;  /* the processor is busy for so long: sending, receiving */
} atn_plogp;

typedef struct {
    atn_values o;   /* log_nP: o(m), one of the channel's `hops` transfers of a message */
    atn_values mw;  /* mlog_nP: o_mw (memory) or o'_mw (both copies to the network card) */
    atn_values net; /* mlog_nP: o'_net, from card to card; empty in memory */
} atn_lognp;

typedef struct {
    double fixed, byte, rate; /* LMO: C and t of one end, rate of the link in bytes per second */
} atn_lmo;

typedef struct {
    char name[32];       /* "memory", "switch", "core" ... */
    int line;            /* of the file it was read from; 0: none */
    int64_t hops;        /* transfers that a message needs (tau-Lop's n): 2 in memory, 3 over a
                            network, of which the first and the last are transfers of channel 0 */
    int64_t segment;     /* cells of that size between two processes (S); 0: one transfer */
    int64_t eager;       /* H: messages of that size and above ask before they are sent */
    double o_below;      /* overhead o(m) for m < H */
    double o_from;       /* and for m >= H */
    double latency;      /* of an empty message, one way, wires and switches only */
    double rate;         /* payload of one link in one direction; 0: that of the topology */
    double duplex;       /* part of the rate that is left to messages of H bytes and above when both
                            directions of a link are busy: 1 for an ideal network */
    double cpu_message;  /* processor time of one end for a message, however small */
    double cpu_more;     /* and for each further message in a row; 0: as the first */
    double cpu_byte;     /* and for each byte; both count where hosts share processors */
    atn_values transfer; /* L(m, tau) */
    atn_values sync;     /* y(tau), one row of size 0; empty: L(0, tau) */
    atn_hockney hockney; /* beta 0: not measured */
    atn_loggp loggp;     /* gap_byte 0: not measured (LogGP; one set per channel makes LogGPH) */
    atn_plogp plogp;
    atn_lognp lognp;
    atn_lmo lmo;     /* rate 0: not measured */
    int64_t samples; /* quality: how many measurements, and the widest 95 % interval of a median, */
    double spread;   /* half of it relative to the median; 0: not known */
    double half[ATN_MACHINE_FIELDS]; /* of the intervals of all that, in the order of the file */
} atn_channel;

/* Reducing: seconds per byte of one vector, by size and by ranks of a host that do it at once. */
typedef struct {
    char op[16], type[16]; /* "sum", "f64" */
    atn_values cost;
} atn_gamma;

typedef struct {
    char key[32], value[160];
} atn_note;

typedef struct {
    int nnotes;
    atn_note note[ATN_MACHINE_NOTES]; /* provenance: date, host, mpi, launcher ... */
    uint64_t topology;                /* atn_topo_wires of where it was measured; 0: none */
    int64_t ranks, hosts;             /* that measured; 0: not known */
    int64_t processors; /* that all hosts together share (emulated clusters); 0: own ones */
    double framing;     /* payload per byte on the wire: 1460 / 1538 for Ethernet and TCP */
    double idle;        /* an idle process needs so long to notice a message, where processors are
                             shared */
    int64_t ports;      /* circuits that a rank has at once (ron.h); 0: no circuits */
    double delay;       /* to set a port to another rank */
    atn_values copy, pack; /* seconds per byte: local copies; packing of scattered data */
    int ngammas;
    atn_gamma gamma[ATN_MACHINE_GAMMAS];
    int nchannels;
    atn_channel channel[ATN_MACHINE_CHANNELS];
    double half[ATN_MACHINE_FIELDS]; /* as those of a channel */
    char origin[256];                /* the file, for messages */
} atn_machine;

/* ---- making, reading, writing ---- */

/* Everything unknown, Ethernet framing, channels ideal.  NULL: no memory. */
atn_machine *atn_machine_new(void);
void atn_machine_clear(atn_machine *m); /* as if it were new */
/* Appends a channel with its defaults (hops, duplex); NULL: there are ATN_MACHINE_CHANNELS. */
atn_channel *atn_machine_add_channel(atn_machine *m, const char *name);
void atn_machine_free(atn_machine *m); /* NULL is fine */
/* A slow network of slow hosts: for plans where nothing was measured.  NULL: no memory. */
atn_machine *atn_machine_builtin(void);

/* All or nothing; "origin:line: what, why, remedy". */
atn_status atn_machine_parse(const char *text, size_t bytes, const char *origin,
                             atn_machine **machine_p, atn_error *err);
atn_status atn_machine_read(const char *path, atn_machine **machine_p, atn_error *err);
/* Sorted text that reads back to the same machine; caller frees; NULL: no memory. */
char *atn_machine_print(const atn_machine *m);
atn_status atn_machine_write(const atn_machine *m, const char *path, atn_error *err);

/* Appends a value to a table, sizes and taus in ascending order, all taus of a size before the next
 * size; false: no room or out of order. */
bool atn_table_put(atn_values *t, int64_t size, int tau, double v);
/* The cost of (op, type), made if it is new; NULL: no room. */
atn_values *atn_machine_gamma(atn_machine *m, const char *op, const char *type);
/* Sets or replaces provenance; false: no room. */
bool atn_machine_note(atn_machine *m, const char *key, const char *value);

/* What a reader would refuse: NaN, negative values, sizes out of order, a channel without times. */
atn_status atn_machine_check(const atn_machine *m, atn_error *err);
/* Calls say for every value that is odd, though it may be true: L(m, tau) <= L(m, A tau) <=
 * A L(m, tau), times that fall with the size, overheads that fall.  Returns how many. */
int atn_machine_warnings(const atn_machine *m, void (*say)(void *to, const char *text), void *to);
/* NULL when the machine may be used on a topology, else why not: it was measured elsewhere. */
const char *atn_machine_refuses(const atn_machine *m, const atn_topo *t);

/* ---- looking up ---- */

/* Seconds for m bytes and tau at once: linear between sizes and taus.  Declared extrapolation:
 * below the smallest size its value; above the largest as the last two sizes go on (proportional to
 * the size when there is one); above the largest tau as the last two go on, at most proportional to
 * tau; 0 for tau <= 0 or an empty table. */
double atn_table_time(const atn_values *t, double bytes, double tau);
/* Per-byte tables: as above between the sizes, and the nearest value outside. */
double atn_table_rate(const atn_values *t, double bytes, double tau);

/* The channel between two ranks; t NULL: every rank has a host of its own on one switch, or all
 * share a host when the machine has no network. */
int atn_machine_channel_of(const atn_machine *m, const atn_topo *t, int u, int v);
/* o(m): the step at the eager limit. */
double atn_channel_overhead(const atn_channel *c, double bytes);
/* L(m, tau) of a channel, cells of `segment` bytes one after the other; L(0, tau) = y(tau). */
double atn_channel_transfer(const atn_channel *c, double bytes, double tau);
/* Seconds per reduced byte: of (op, type) if measured, else of any (op, ...), else of the first;
 * op and type may be NULL. */
double atn_machine_reduce(const atn_machine *m, const char *op, const char *type, double bytes,
                          double tau);

/* ---- one parameter set from another (machine_derive.c) ---- */

/* One message of m bytes, alone: tau-Lop's if L was measured, else pLogP's, LogGP's, Hockney's. */
double atn_channel_message(const atn_machine *m, int channel, double bytes);
atn_hockney atn_channel_hockney(const atn_machine *m, int channel);
atn_loggp atn_channel_loggp(const atn_machine *m, int channel);
double atn_plogp_gap(const atn_machine *m, int channel, double bytes);
double atn_plogp_latency(const atn_machine *m, int channel);
atn_lmo atn_channel_lmo(const atn_machine *m, int channel);
/* Payload of a link of the channel, bytes per second. */
double atn_channel_rate(const atn_machine *m, int channel);
/* Table 7.1 of Rico-Gallego's thesis: pLogP to LogGP, G from a message of `large` bytes. */
atn_loggp atn_loggp_from_plogp(const atn_plogp *p, int64_t large);

#endif
