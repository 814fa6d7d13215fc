/* machine.h - the measured parameters of a machine, the input of the models.
 *
 * Measuring programs fill in this plain structure and print it; models read it.  Times are seconds,
 * sizes are bytes, rates are bytes per second; the text (docs/machine-format.md) has microseconds,
 * nanoseconds per byte and megabytes per second.  A parameter that is zero or empty was not
 * measured; models derive it from others (machine_derive.c).
 *
 * Channels connect pairs of ranks.  Channel 0 is the memory of a host; channel c is the network
 * through a switch c levels above the hosts.  More distant ranks use the last channel.
 *
 * Both are measured with the MPI library.  The shared-memory transport of Attune is the channel
 * ATN_CHANNEL_SHARED: if it is present, it connects the ranks of a host in place of channel 0. */
#ifndef ATN_MODEL_MACHINE_H
#define ATN_MODEL_MACHINE_H

#include "base/base.h"
#include "topo/topo.h"

enum {
    ATN_MACHINE_VERSION = 1,
    ATN_TABLE_SIZES = 24,
    ATN_TABLE_TAUS = 12,
    ATN_MACHINE_CHANNELS = 8,
    ATN_CHANNEL_SHARED = ATN_MACHINE_CHANNELS,
    ATN_CHANNEL_SLOTS,
    ATN_MACHINE_GAMMAS = 32,
    ATN_MACHINE_NOTES = 16,
    ATN_MACHINE_FIELDS = 24 /* of a channel, or of the machine itself */
};

/* A function of the bytes and of the number tau of ranks that do the same concurrently.  Sizes
 * and taus are ascending; nsizes 0: not measured.  ntaus is 1 (tau 1) where concurrency has no
 * effect. */
typedef struct {
    int nsizes, ntaus;
    int64_t size[ATN_TABLE_SIZES];
    int tau[ATN_TABLE_TAUS];
    double v[ATN_TABLE_SIZES][ATN_TABLE_TAUS];
    double half[ATN_TABLE_SIZES][ATN_TABLE_TAUS]; /* of the 95 % interval of v; 0: unknown */
    int line[ATN_TABLE_SIZES];                    /* line in the file; 0: none */
} atn_cost_table;

typedef struct {
    double alpha, beta; /* a message takes alpha + m * beta */
} atn_hockney;

typedef struct {
    double latency, o, gap, gap_byte; /* L, o, g, G */
} atn_loggp;

typedef struct {
    double latency;          /* L, from process to process */
    atn_cost_table gap;      /* g(m): between the starts of messages of m bytes */
    atn_cost_table gap_many; /* the same in a long train of messages (the multi-message gap) */
    atn_cost_table os, or_;  /* processor time: sending, receiving */
} atn_plogp;

typedef struct {
    atn_cost_table o;   /* log_nP: o(m), one of the channel's `hops` transfers of a message */
    atn_cost_table mw;  /* mlog_nP: o_mw (memory) or o'_mw (both copies to the network card) */
    atn_cost_table net; /* mlog_nP: o'_net, from card to card; empty in memory */
} atn_lognp;

typedef struct {
    double fixed, byte, rate; /* LMO: C and t of one end, rate of the link in bytes per second */
} atn_lmo;

typedef struct {
    char name[32];           /* "memory", "switch", "core" ... */
    int line;                /* line in the file; 0: none */
    int64_t hops;            /* transfers of a message (tau-Lop's n): 2 in memory, 3 over a network,
                            of which the first and the last are transfers of channel 0 */
    int64_t segment;         /* cell size between two processes (S); 0: one transfer.  Larger sizes
                            in the table of transfers include the pipelining of cells */
    int64_t eager;           /* H: the eager limit; larger messages use rendezvous */
    double o_below;          /* overhead o(m) for m < H */
    double o_from;           /* and for m >= H */
    double latency;          /* of an empty message, one way, links and switches only */
    double rate;             /* payload of one link in one direction; 0: that of the topology */
    double duplex;           /* fraction of the rate for messages of H bytes and above when both
                            directions of a link are busy: 1 for an ideal network */
    double cpu_message;      /* processor time of one end per message */
    double cpu_more;         /* per consecutive message after the first; 0: cpu_message */
    double cpu_byte;         /* per byte; both are used where hosts share processors */
    atn_cost_table transfer; /* L(m, tau) */
    atn_cost_table sync;     /* y(tau), one row of size 0; empty: L(0, tau) */
    atn_hockney hockney;     /* beta 0: not measured */
    atn_loggp loggp; /* gap_byte 0: not measured (LogGP; one set per channel makes LogGPH) */
    atn_plogp plogp;
    atn_lognp lognp;
    atn_lmo lmo;            /* rate 0: not measured */
    atn_cost_table single;  /* channel shared: L(m, tau) of messages of H bytes and above, which
                           the receiver reads from the sender's memory */
    atn_cost_table expose;  /* exposing m bytes; more than ATN_SHM_EXPOSED are not copied */
    atn_cost_table exposed; /* a read of exposed data, from its exposure on, by tau ranks */
    int64_t
        samples;   /* quality: number of measurements, and half of the widest 95 % interval of a */
    double spread; /* median, relative to the median; 0: unknown */
    double
        half[ATN_MACHINE_FIELDS]; /* of the intervals of these fields, in the order of the file */
} atn_channel;

/* Reduction: seconds per byte of one operand, by size and by concurrent ranks of a host. */
typedef struct {
    char op[16], type[16]; /* "sum", "f64" */
    atn_cost_table cost;
} atn_gamma;

typedef struct {
    char key[32], value[160];
} atn_note;

typedef struct {
    int nnotes;
    atn_note note[ATN_MACHINE_NOTES]; /* provenance: date, host, mpi, launcher ... */
    uint64_t topology;                /* atn_topo_wires of the measured topology; 0: none */
    int64_t ranks, hosts;             /* of the measurement; 0: unknown */
    int64_t processors; /* shared by all hosts (emulated clusters); 0: each host has its own */
    double framing;     /* payload per byte on the link: 1460 / 1538 for Ethernet and TCP */
    double idle;        /* wake-up time of an idle process where processors are shared */
    int64_t simulated;  /* 1: messages of two ranks do not follow each other (links.c) */
    int64_t ports;      /* circuits per rank (ron.h); 0: no circuits */
    double delay;       /* reconfiguration delay */
    atn_cost_table copy, pack; /* seconds per byte: local copies; packing of scattered data */
    int ngammas;
    atn_gamma gamma[ATN_MACHINE_GAMMAS];
    int nchannels;
    atn_channel channel[ATN_CHANNEL_SLOTS];
    bool unshared;                   /* the ranks do not use the shared channel, if there is one */
    double half[ATN_MACHINE_FIELDS]; /* as those of a channel */
    char origin[256];                /* the file, for messages */
} atn_machine;

/* ---- construction, reading, writing ---- */

/* Nothing measured, Ethernet framing, no channels.  NULL: out of memory. */
atn_machine *atn_model_machine_new(void);
void atn_model_machine_clear(atn_machine *m); /* resets to the state of a new one */
/* Appends a channel with its defaults (hops, duplex); "shared" is ATN_CHANNEL_SHARED.  NULL: there
 * are ATN_MACHINE_CHANNELS. */
atn_channel *atn_model_machine_add_channel(atn_machine *m, const char *name);
void atn_model_machine_free(atn_machine *m); /* m may be NULL */
/* A slow network of slow hosts, the default without a machine file.  NULL: out of memory. */
atn_machine *atn_model_machine_builtin(void);
/* The same with a network as fast as the hosts of a topology (NULL, no rates: Gigabit Ethernet),
 * if they are faster: a single message would otherwise leave most of a link unused. */
atn_machine *atn_model_machine_assumed(const atn_topo *t);

/* All or nothing; "origin:line: what, why, remedy". */
atn_status atn_model_machine_parse(const char *text, size_t bytes, const char *origin,
                                   atn_machine **machine_p, atn_error *err);
atn_status atn_model_machine_read(const char *path, atn_machine **machine_p, atn_error *err);
/* Sorted text that parses to the same machine; caller frees; NULL: out of memory. */
char *atn_model_machine_print(const atn_machine *m);
atn_status atn_model_machine_write(const atn_machine *m, const char *path, atn_error *err);

/* Whether the ranks of a host are connected by the shared channel. */
bool atn_model_machine_shares(const atn_machine *m);
/* The size from which on messages through it are single copies; 0: none, or not measured. */
int64_t atn_model_machine_direct(const atn_machine *m);
/* The number of the channel after `channel` (-1: the first one), the shared one last; -1: none. */
int atn_model_machine_next(const atn_machine *m, int channel);

/* Appends a value to a table, sizes and taus in ascending order, all taus of a size before the next
 * size; false: table full or out of order. */
bool atn_model_table_put(atn_cost_table *t, int64_t size, int tau, double v);
/* The cost table of (op, type), created if new; NULL: too many. */
atn_cost_table *atn_model_machine_gamma(atn_machine *m, const char *op, const char *type);
/* Sets or replaces provenance; false: too many notes. */
bool atn_model_machine_note(atn_machine *m, const char *key, const char *value);

/* Rejects what the parser rejects: NaN, negative values, sizes out of order, a channel without
 * times. */
atn_status atn_model_machine_check(const atn_machine *m, atn_error *err);
/* Calls `warn` for every suspicious value: a violation of L(m, tau) <= L(m, A tau) <= A L(m,
 * tau), a time that decreases with the size, an overhead that decreases.  `line` is that of the
 * machine file, 0 if the value has none.  Returns the number of warnings. */
int atn_model_machine_warnings(const atn_machine *m,
                               void (*warn)(void *to, int line, const char *text), void *to);
/* NULL if the machine matches a topology, else the reason: it was measured on another one. */
const char *atn_model_machine_refuses(const atn_machine *m, const atn_topo *t);

/* ---- look-up ---- */

/* Seconds for `bytes` and tau concurrent ranks, linear between sizes and taus.  Extrapolation:
 * below the smallest size its value; above the largest size linear from the last two (proportional
 * to the size if there is only one); above the largest tau linear from the last two, at most
 * proportional to tau; 0 for tau <= 0 or an empty table. */
double atn_model_table_time(const atn_cost_table *t, double bytes, double tau);
/* Per-byte tables: the same between the sizes, and the nearest value outside. */
double atn_model_table_rate(const atn_cost_table *t, double bytes, double tau);

/* The topology node of a rank's host. */
int atn_model_host_node(const atn_topo *t, int rank);
/* The channel between two ranks; t NULL: one rank per host on one switch, or all ranks on one host
 * if the machine has no network. */
int atn_model_machine_channel_of(const atn_machine *m, const atn_topo *t, int u, int v);
/* Whether a channel connects ranks of one host. */
static inline bool atn_model_channel_inside(int channel)
{
    return channel == 0 || channel == ATN_CHANNEL_SHARED;
}
/* Of two channels that of the greater distance. */
static inline int atn_model_channel_farther(int a, int b)
{
    const int far_a = atn_model_channel_inside(a) ? 0 : a;
    return far_a > (atn_model_channel_inside(b) ? 0 : b) ? a : b;
}
/* Whether the receiver of a message reads the sender's memory: one transfer. */
bool atn_model_channel_is_single(const atn_channel *c, double bytes);
/* o(m), with a step at the eager limit. */
double atn_model_channel_overhead(const atn_channel *c, double bytes);
/* The cell size of messages that are larger than all measured ones; 0: none. */
double atn_model_channel_cell(const atn_channel *c);
/* L(m, tau) of a channel, with consecutive cells of `segment` bytes; L(0, tau) = y(tau). */
double atn_model_channel_transfer(const atn_channel *c, double bytes, double tau);
/* Seconds per reduced byte: of (op, type) if measured, else of any (op, ...), else of the first;
 * op and type may be NULL. */
double atn_model_machine_reduce(const atn_machine *m, const char *op, const char *type,
                                double bytes, double tau);

/* ---- derived parameter sets (machine_derive.c) ---- */

/* The time of a single message: tau-Lop's if L was measured, else pLogP's, LogGP's, Hockney's. */
double atn_model_channel_message(const atn_machine *m, int channel, double bytes);
atn_hockney atn_model_channel_hockney(const atn_machine *m, int channel);
atn_loggp atn_model_channel_loggp(const atn_machine *m, int channel);
double atn_model_plogp_gap(const atn_machine *m, int channel, double bytes);
double atn_model_plogp_latency(const atn_machine *m, int channel);
atn_lmo atn_model_channel_lmo(const atn_machine *m, int channel);
/* Payload of a link of the channel, bytes per second. */
double atn_model_channel_rate(const atn_machine *m, int channel);
/* Bytes per second that messages between the ranks of a host share. */
double atn_model_machine_memory(const atn_machine *m);
/* Table 7.1 of Rico-Gallego's thesis: pLogP to LogGP, G from a message of `large` bytes. */
atn_loggp atn_model_loggp_from_plogp(const atn_plogp *p, int64_t large);

#endif
