/* links_private.h - parameters of messages, shared by links.c and links_cost.c. */
#ifndef ATN_MODEL_LINKS_PRIVATE_H
#define ATN_MODEL_LINKS_PRIVATE_H

#include "model/machine.h"

/* Of all messages of a channel. */
typedef struct {
    double cpu, more, latency, handshake, eager, rate, duplex, cpu_byte, empty;
} atn_links_cost;

atn_links_cost atn_model_links_cost(const atn_machine *m, int channel);

#endif
