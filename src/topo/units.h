/* units.h - rates ("100M" bits per second) and delays ("10ms") as people write them. */
#ifndef ATN_TOPO_UNITS_H
#define ATN_TOPO_UNITS_H

#include "base/base.h"

/* "100M", "2.5G", "100Mbit/s", "1Gbps": decimal units, bits per second, greater than 0. */
bool atn_topo_parse_rate(const char *text, int64_t *rate_p);
/* "10ms", "1.5us", "250ns", "1s", "0"; any other number needs its unit. */
bool atn_topo_parse_delay(const char *text, int64_t *ns_p);
/* The shortest text that parses back to the same number. */
const char *atn_topo_format_rate(int64_t rate, char out[32]);
const char *atn_topo_format_delay(int64_t ns, char out[32]);

/* The rest of the message "...: unknown unit, ". */
#define ATN_RATE_REMEDY  "write bits per second as 100M, 2.5G or 100Mbit/s"
#define ATN_DELAY_REMEDY "write a time as 250ns, 50us, 10ms or 1s"

#endif
