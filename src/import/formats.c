/* formats.c - the table of formats, in the order in which they are tried. */
#include "import/import.h"

const atn_topo_format atn_import_formats[] = {
    {"InfiniBand fabric", atn_import_is_infiniband, atn_import_infiniband},
    {"platform of SimGrid", atn_import_is_simgrid, atn_import_simgrid},
    {"XML of netloc", atn_import_is_netloc_xml, atn_import_netloc_xml},
    {"LLDP neighbours", atn_import_is_lldp, atn_import_lldp},
    {"topology.yaml", atn_import_is_slurm_yaml, atn_import_slurm_yaml},
    {"text of netloc", atn_import_is_netloc, atn_import_netloc},
    {"nodes of Kubernetes", atn_import_is_nodes, atn_import_nodes},
    {"table of hosts", atn_import_is_table, atn_import_table},
    {0},
};
