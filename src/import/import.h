/* import.h - topologies as other tools describe them; only the command line reads these. */
#ifndef ATN_IMPORT_IMPORT_H
#define ATN_IMPORT_IMPORT_H

#include "topo/read.h"

/* For atn_topo_formats_add. */
extern const atn_topo_format atn_import_formats[];

atn_reader atn_import_infiniband; /* ibnetdiscover, iblinkinfo, forwarding tables */
atn_reader atn_import_slurm_yaml; /* topology.yaml */
atn_reader atn_import_lldp;       /* lldpctl -f json */
atn_reader atn_import_netloc;     /* text of netloc */
atn_reader atn_import_netloc_xml;
atn_reader atn_import_simgrid; /* platform XML */
atn_reader atn_import_nodes;   /* kubectl get nodes --show-labels */
atn_reader atn_import_table;   /* site,rack,host */

bool atn_import_is_infiniband(const char *text);
bool atn_import_is_slurm_yaml(const char *text);
bool atn_import_is_lldp(const char *text);
bool atn_import_is_netloc(const char *text);
bool atn_import_is_netloc_xml(const char *text);
bool atn_import_is_simgrid(const char *text);
bool atn_import_is_nodes(const char *text);
bool atn_import_is_table(const char *text);

#endif
