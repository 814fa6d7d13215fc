/* machine_fields.c - the keywords of a machine file. */
#include "model/machine_private.h"

#define GLOBAL(line, key, unit, member, min, max)                                                  \
    {                                                                                              \
        line, key, ATN_UNIT_##unit, offsetof(atn_machine, member), min, max                        \
    }
#define CHANNEL(line, key, unit, member, min, max)                                                 \
    {                                                                                              \
        line, key, ATN_UNIT_##unit, offsetof(atn_channel, member), min, max                        \
    }
#define GLOBAL_TABLE(name, unit, member)                                                           \
    {                                                                                              \
        name, ATN_UNIT_##unit, offsetof(atn_machine, member)                                       \
    }
#define CHANNEL_TABLE(name, unit, member)                                                          \
    {                                                                                              \
        name, ATN_UNIT_##unit, offsetof(atn_channel, member)                                       \
    }

static const double most = 1e15;

const atn_machine_field atn_model_global_fields[] = {
    GLOBAL("circuits", "delay", TIME, delay, 0, most),
    GLOBAL("circuits", "ports", COUNT, ports, 0, 1024),
    GLOBAL("hosts", "framing", FRACTION, framing, 0.01, 1),
    GLOBAL("hosts", "idle", TIME, idle, 0, most),
    GLOBAL("hosts", "processors", COUNT, processors, 0, 1e6),
    GLOBAL("hosts", "simulated", COUNT, simulated, 0, 1),
    GLOBAL("measured", "hosts", COUNT, hosts, 0, 1e9),
    GLOBAL("measured", "ranks", COUNT, ranks, 0, 1e9),
    GLOBAL("measured", "topology", FINGERPRINT, topology, 0, 0),
};
const int atn_nglobal_fields = sizeof atn_model_global_fields / sizeof atn_model_global_fields[0];

const atn_machine_field atn_channel_fields[] = {
    CHANNEL("path", "duplex", FRACTION, duplex, 0.01, 1),
    CHANNEL("path", "hops", COUNT, hops, 1, 16),
    CHANNEL("path", "latency", TIME, latency, 0, most),
    CHANNEL("path", "rate", RATE, rate, 0, most),
    CHANNEL("path", "segment", SIZE, segment, 0, most),
    CHANNEL("overhead", "below", TIME, o_below, 0, most),
    CHANNEL("overhead", "eager", SIZE, eager, 0, most),
    CHANNEL("overhead", "from", TIME, o_from, 0, most),
    CHANNEL("processor", "byte", BYTE, cpu_byte, 0, most),
    CHANNEL("processor", "message", TIME, cpu_message, 0, most),
    CHANNEL("processor", "more", TIME, cpu_more, 0, most),
    CHANNEL("hockney", "alpha", TIME, hockney.alpha, 0, most),
    CHANNEL("hockney", "beta", BYTE, hockney.beta, 0, most),
    CHANNEL("loggp", "G", BYTE, loggp.gap_byte, 0, most),
    CHANNEL("loggp", "L", TIME, loggp.latency, 0, most),
    CHANNEL("loggp", "g", TIME, loggp.gap, 0, most),
    CHANNEL("loggp", "o", TIME, loggp.o, 0, most),
    CHANNEL("plogp", "L", TIME, plogp.latency, 0, most),
    CHANNEL("lmo", "C", TIME, lmo.fixed, 0, most),
    CHANNEL("lmo", "rate", RATE, lmo.rate, 0, most),
    CHANNEL("lmo", "t", BYTE, lmo.byte, 0, most),
    CHANNEL("quality", "samples", COUNT, samples, 0, 1e15),
    CHANNEL("quality", "spread", FRACTION, spread, 0, most),
};
const int atn_nchannel_fields = sizeof atn_channel_fields / sizeof atn_channel_fields[0];

const atn_machine_table atn_model_global_tables[] = {
    GLOBAL_TABLE("copy", BYTE, copy),
    GLOBAL_TABLE("pack", BYTE, pack),
};
const int atn_nglobal_tables = sizeof atn_model_global_tables / sizeof atn_model_global_tables[0];

const atn_machine_table atn_channel_tables[] = {
    CHANNEL_TABLE("transfer", TIME, transfer),
    CHANNEL_TABLE("sync", TIME, sync),
    CHANNEL_TABLE("plogp-gap", TIME, plogp.gap),
    CHANNEL_TABLE("plogp-many", TIME, plogp.gap_many),
    CHANNEL_TABLE("plogp-send", TIME, plogp.os),
    CHANNEL_TABLE("plogp-receive", TIME, plogp.or_),
    CHANNEL_TABLE("lognp-transfer", TIME, lognp.o),
    CHANNEL_TABLE("mlognp-memory", TIME, lognp.mw),
    CHANNEL_TABLE("mlognp-network", TIME, lognp.net),
    CHANNEL_TABLE("single", TIME, single),
    CHANNEL_TABLE("expose", TIME, expose),
    CHANNEL_TABLE("exposed", TIME, exposed),
};
const int atn_nchannel_tables = sizeof atn_channel_tables / sizeof atn_channel_tables[0];

double atn_model_machine_unit_scale(atn_machine_unit unit)
{
    static const double scales[] = {
        [ATN_UNIT_TIME] = 1e6, [ATN_UNIT_BYTE] = 1e9, [ATN_UNIT_RATE] = 1e-6};
    return unit <= ATN_UNIT_RATE ? scales[unit] : 1.0;
}
