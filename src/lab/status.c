/* status.c - what labs there are, and how much has crossed their links. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lab/private.h"

/* ---- one line per lab ---- */

static void count_nodes(const atn_topo *t, atn_lab_summary *s)
{
    for (int v = 0; v < t->nnodes; v++) {
        s->hosts += t->nodes[v].kind == ATN_TOPO_HOST;
        s->switches += t->nodes[v].kind == ATN_TOPO_SWITCH;
    }
}

atn_status atn_lab_summarise(const char *name, atn_lab_summary *s, atn_error *err)
{
    atn_lab lab;
    atn_lab_pids pids = {0};
    char path[ATN_LAB_PATH];
    *s = (atn_lab_summary){.state = "incomplete"};
    atn_status status = atn_lab_read(name, &lab, err);
    if (status == ATN_OK && lab.ready) {
        s->state = "up";
        snprintf(s->network, sizeof s->network, "10.%d.0.0/16", lab.network);
        status = atn_lab_path(&lab, "topology.conf", path, err);
        if (status == ATN_OK)
            status = atn_topo_load(path, &lab.topo, err);
        if (status == ATN_OK)
            count_nodes(lab.topo, s);
    }
    if (status == ATN_OK)
        status = atn_lab_processes(&lab, ATN_SPACE_FRONTEND, &pids, err);
    s->processes = pids.n;
    atn_vec_free(&pids);
    atn_lab_close(&lab);
    return status;
}

/* ---- bytes ---- */

/* "  d12: received-bytes and seven more columns, sent-bytes ...": the upper end of a link receives
 * what goes up. */
static void take_line(const atn_lab *lab, const char *line, atn_lab_bytes *bytes)
{
    int node;
    uint64_t in, out;
    if (sscanf(line, " d%d: %" SCNu64 " %*u %*u %*u %*u %*u %*u %*u %" SCNu64, &node, &in, &out) ==
            3 &&
        node >= 0 && node < lab->topo->nnodes)
        bytes[node] = (atn_lab_bytes){.up = in, .down = out};
}

static atn_status read_counters(const atn_lab *lab, atn_lab_bytes *bytes, atn_error *err)
{
    char line[512];
    FILE *f = fopen("/proc/thread-self/net/dev", "re");
    if (f == NULL)
        return atn_fail(err, ATN_ENVIRONMENT, "/proc/thread-self/net/dev: %s", strerror(errno));
    while (fgets(line, sizeof line, f) != NULL)
        take_line(lab, line, bytes);
    fclose(f);
    return ATN_OK;
}

atn_status atn_lab_count(const atn_lab *lab, atn_lab_bytes **bytes_p, atn_error *err)
{
    int home;
    atn_lab_bytes *bytes = calloc((size_t)lab->topo->nnodes, sizeof *bytes);
    if (bytes == NULL)
        return atn_fail(err, ATN_MEMORY, "out of memory");
    atn_status status = atn_lab_space_enter(&lab->spaces.v[ATN_SPACE_FABRIC], &home, err);
    if (status == ATN_OK) {
        status = read_counters(lab, bytes, err);
        const atn_status back = atn_lab_space_leave(home, err);
        status = status != ATN_OK ? status : back;
    }
    if (status == ATN_OK)
        *bytes_p = bytes;
    else
        free(bytes);
    return status;
}
