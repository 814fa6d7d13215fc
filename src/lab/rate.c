/* rate.c - a link changes its rate while the lab is up. */
#include <stdlib.h>
#include <string.h>

#include "lab/private.h"

static int find_node(const atn_lab *lab, const char *name)
{
    for (int v = 0; v < lab->topo->nnodes; v++)
        if (strcmp(lab->topo->nodes[v].name, name) == 0 && atn_lab_has_link(lab, v))
            return v;
    return -1;
}

/* Both ends of the link, as lines for tc in the fabric; the end of a host is elsewhere. */
static char *fabric_text(const atn_lab *lab, int node, int64_t rate)
{
    char device[16], *text = NULL;
    size_t n;
    FILE *f = atn_open_text(&text, &n);
    if (f == NULL)
        return NULL;
    atn_lab_upper(node, device);
    atn_lab_put_rate(f, lab, rate, device);
    atn_lab_lower(node, device);
    if (lab->topo->nodes[node].kind == ATN_TOPO_SWITCH)
        atn_lab_put_rate(f, lab, rate, device);
    return fclose(f) == 0 ? text : NULL;
}

static char *host_text(const atn_lab *lab, int64_t rate)
{
    char *text = NULL;
    size_t n;
    FILE *f = atn_open_text(&text, &n);
    if (f == NULL)
        return NULL;
    atn_lab_put_rate(f, lab, rate, ATN_LAB_DEVICE);
    return fclose(f) == 0 ? text : NULL;
}

/* Takes the text. */
static atn_status run_tc(const atn_lab *lab, int space, char *text, atn_error *err)
{
    static const char *const tc[] = {"tc", "-batch", "-", NULL};
    int home;
    if (text == NULL)
        return atn_fail(err, ATN_MEMORY, "out of memory");
    atn_status status = atn_lab_space_enter(&lab->spaces.v[space], &home, err);
    if (status == ATN_OK) {
        status = atn_lab_call("tc", tc, text, err);
        const atn_status back = atn_lab_space_leave(home, err);
        status = status != ATN_OK ? status : back;
    }
    free(text);
    return status;
}

atn_status atn_lab_set_rate(const atn_lab *lab, const char *node, int64_t rate, atn_error *err)
{
    const int v = find_node(lab, node);
    if (v < 0)
        return atn_fail(err, ATN_INPUT,
                        "lab '%s' has no link above '%s'; `attune lab status --links` lists them",
                        lab->name, node);
    const atn_status status = run_tc(lab, ATN_SPACE_FABRIC, fabric_text(lab, v, rate), err);
    if (status != ATN_OK || lab->topo->nodes[v].kind != ATN_TOPO_HOST)
        return status;
    return run_tc(lab, ATN_SPACE_HOSTS + atn_lab_host(lab, node), host_text(lab, rate), err);
}
