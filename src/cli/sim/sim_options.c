/* sim_options.c - what `attune sim` sets for SimGrid; --cfg follows and overrides it. */
#include <stdlib.h>
#include <string.h>

#include "cli/sim/sim.h"

/* Of the rate of a link, 94 % carry data.  Messages above the detached size leave one after the
 * other, as from the queue of a real network card; smaller ones are sent eagerly, and travel before
 * their receive is posted.  Each call of a message takes half a microsecond on both sides.  Tests
 * for messages take little time, but not none: programs may test in a loop. */
const atn_sim_option atn_cli_sim_options[] = {
    {"smpi/simulate-computation", "no"},
    {"contexts/stack-size", "1024"},
    {"smpi/bw-factor", "0:0.94"},
    {"smpi/lat-factor", "0:1"},
    {"smpi/send-is-detached-thresh", "4096"},
    {"smpi/async-small-thresh", "4096"},
    {"smpi/os", "0:0.0000005:0"},
    {"smpi/ois", "0:0.0000005:0"},
    {"smpi/or", "0:0.0000005:0"},
    {"smpi/test", "0.0000001"},
    {"smpi/iprobe", "0.0000001"},
    {"network/crosstraffic", "no"},
    {"network/loopback-bw", "5000000000"},
    {"network/loopback-lat", "0.0000005"},
    {NULL, NULL},
};

static const char *value_of(const char *option, const char *name)
{
    const size_t n = strlen(name);
    return strncmp(option, name, n) == 0 && option[n] == ':' ? option + n + 1 : NULL;
}

double atn_cli_sim_option(const atn_args *a, const char *name)
{
    const char *value = "";
    for (const atn_sim_option *o = atn_cli_sim_options; o->name != NULL; o++)
        value = strcmp(o->name, name) == 0 ? o->value : value;
    for (int i = 0; i < atn_cli_arg_count(a, "cfg"); i++) {
        const char *const given = value_of(atn_cli_arg_nth(a, "cfg", i), name);
        value = given != NULL ? given : value;
    }
    const char *const base = strchr(value, ':');
    return strtod(base != NULL ? base + 1 : value, NULL);
}
