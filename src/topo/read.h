/* read.h - the readers of the formats; each fills a draft and reports what is wrong. */
#ifndef ATN_TOPO_READ_H
#define ATN_TOPO_READ_H

#include "topo/draft.h"

typedef void atn_reader(atn_draft *d, const char *text);

atn_reader atn_read_slurm;     /* topology.conf */
atn_reader atn_read_synthetic; /* 4x4@100M */

/* A text through one reader; `file` is its name in messages. */
atn_status atn_read_text(atn_reader *read, const char *text, const char *file, atn_topo **topo_p,
                         atn_error *err);

#endif
