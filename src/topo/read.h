/* read.h - the readers of the formats; each fills a draft and reports what is wrong. */
#ifndef ATN_TOPO_READ_H
#define ATN_TOPO_READ_H

#include "topo/draft.h"

typedef void atn_reader(atn_draft *d, const char *text);

atn_reader atn_topo_read_slurm;     /* topology.conf */
atn_reader atn_topo_read_synthetic; /* 4x4@100M */
atn_reader atn_topo_read_strings;   /* the same in a file, with comments */
atn_reader atn_topo_read_graph;     /* switch, host, link lines */
atn_reader atn_topo_read_hostfile;  /* a host per line, as launchers take it */
atn_reader atn_topo_read_hostnames; /* n[0-3]*2 */
atn_reader atn_topo_read_hwloc;     /* "this", a synthetic description of hwloc, or its XML */

/* A format that is recognised by its content. */
typedef struct {
    const char *name;
    bool (*fits)(const char *text);
    atn_reader *read;
} atn_topo_format;

/* Adds the formats of other tools, which are tried first; called once, before anything is read.
 * Jobs do not have them.  The row after the last has no name. */
void atn_topo_formats_add(const atn_topo_format *formats);
/* The added format that a file has; NULL: none, or no file of this name can be read. */
const char *atn_topo_added_format(const char *name);

/* Whether a text begins like a synthetic string of a named kind ("chain:", "torus:" ...). */
bool atn_topo_has_synthetic_prefix(const char *text);

/* A synthetic string on a line of a file; it is changed. */
void atn_topo_read_string(atn_draft *d, char *text, int line);

/* A text through one reader; `file` is its name in messages. */
atn_status atn_topo_read_text(atn_reader *read, const char *text, const char *file,
                              atn_topo **topo_p, atn_error *err);

/* As atn_topo_load, with all that was found in `found` (whose `file` it sets), remarks too.
 * *topo_p is NULL when something is wrong.  An error: what was named cannot be read at all. */
atn_status atn_topo_examine(const char *name, atn_findings *found, atn_topo **topo_p,
                            atn_error *err);

#endif
