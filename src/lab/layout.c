/* layout.c - what a topology becomes: names, addresses, and the batches that make its links. */
#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

#include "lab/private.h"

enum { HOSTS_PER_BLOCK = 250 };

/* ---- hosts ---- */

/* The name becomes a host name and part of a file's name. */
static bool valid_host(const char *name)
{
    const size_t n = strlen(name);
    return n > 0 && n < 64 && *name != '-' && *name != '.' &&
           strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-") == n;
}

static atn_status add_host(atn_lab *lab, int node, atn_error *err)
{
    const char *name = lab->topo->nodes[node].name;
    if (!valid_host(name))
        return atn_fail(err, ATN_INPUT,
                        "host '%s' cannot be made: a host name is at most 63 letters, digits, "
                        "'.', '-' and '_', and starts with a letter, digit or '_'",
                        name);
    if (lab->hosts.n == ATN_LAB_HOSTS_MAX)
        return atn_fail(err, ATN_INPUT, "a lab has at most %d hosts", ATN_LAB_HOSTS_MAX);
    return atn_push(&lab->hosts, node) ? ATN_OK : atn_fail(err, ATN_MEMORY, "out of memory");
}

atn_status atn_lab_layout(atn_lab *lab, atn_error *err)
{
    atn_status status = ATN_OK;
    for (int v = 0; v < lab->topo->nnodes && status == ATN_OK; v++)
        if (lab->topo->nodes[v].kind == ATN_TOPO_HOST)
            status = add_host(lab, v, err);
    if (status == ATN_OK && lab->hosts.n == 0)
        status = atn_fail(err, ATN_INPUT, "the topology has no hosts");
    strcpy(lab->frontend, "frontend");
    while (status == ATN_OK && atn_lab_host(lab, lab->frontend) >= 0)
        strcat(lab->frontend, "_");
    return status;
}

int atn_lab_host(const atn_lab *lab, const char *name)
{
    for (int i = 0; i < lab->hosts.n; i++)
        if (strcmp(lab->topo->nodes[lab->hosts.v[i]].name, name) == 0)
            return i;
    return -1;
}

const char *atn_lab_address(const atn_lab *lab, int host, char out[16])
{
    const unsigned high = host < 0 ? 255 : (unsigned)host / HOSTS_PER_BLOCK;
    const unsigned low = host < 0 ? 1 : (unsigned)host % HOSTS_PER_BLOCK + 1;
    const struct in_addr a = {htonl(10U << 24 | (unsigned)lab->network << 16 | high << 8 | low)};
    return inet_ntop(AF_INET, &a, out, 16);
}

static const char *host_name(const atn_lab *lab, int host)
{
    return host < 0 ? lab->frontend : lab->topo->nodes[lab->hosts.v[host]].name;
}

/* ---- links ---- */

bool atn_lab_has_link(const atn_lab *lab, int node)
{
    const atn_topo_node *n = &lab->topo->nodes[node];
    return n->kind == ATN_TOPO_HOST || (n->kind == ATN_TOPO_SWITCH && n->parent >= 0);
}

bool atn_lab_delayed(const atn_lab *lab, int node)
{
    return atn_lab_has_link(lab, node) && lab->topo->nodes[node].delay_ns > 0;
}

/* Names come from numbers: those of the topology may be too long or strange for the kernel. */
void atn_lab_bridge(const atn_lab *lab, int node, char out[16])
{
    if (node < 0 || lab->topo->nodes[node].kind != ATN_TOPO_SWITCH)
        strcpy(out, "top");
    else
        snprintf(out, 16, "s%d", node);
}

void atn_lab_upper(int node, char out[16]) { snprintf(out, 16, "d%d", node); }

void atn_lab_lower(int node, char out[16]) { snprintf(out, 16, "u%d", node); }

/* There are no multicast receivers, and a tree needs no spanning tree protocol. */
static void put_bridge(FILE *f, const atn_lab *lab, int node)
{
    char name[16];
    atn_lab_bridge(lab, node, name);
    fprintf(f, "link add %s mtu %d type bridge stp_state 0 forward_delay 0 mcast_snooping 0\n",
            name, lab->mtu);
    fprintf(f, "link set %s up\n", name);
}

/* A pair of interfaces; the lower one is given to the host, if there is one.  With a delay the
 * delay line has made the pair. */
static void put_pair(FILE *f, const atn_lab *lab, const char *upper, const char *lower, int space,
                     bool made)
{
    const char *home = space >= 0 ? lab->spaces.v[space].name : NULL;
    if (made) {
        fprintf(f, "link set %s mtu %d\nlink set %s mtu %d\n", upper, lab->mtu, lower, lab->mtu);
        if (home != NULL)
            fprintf(f, "link set %s netns %s name %s\n", lower, home, ATN_LAB_DEVICE);
    } else {
        fprintf(f, "link add %s mtu %d type veth peer name %s mtu %d%s%s\n", upper, lab->mtu,
                home != NULL ? ATN_LAB_DEVICE : lower, lab->mtu, home != NULL ? " netns " : "",
                home != NULL ? home : "");
    }
}

static void put_link(FILE *f, const atn_lab *lab, int node, int host)
{
    char upper[16], lower[16], bridge[16];
    atn_lab_upper(node, upper);
    atn_lab_lower(node, lower);
    put_pair(f, lab, upper, lower, host >= 0 ? ATN_SPACE_HOSTS + host : -1,
             atn_lab_delayed(lab, node));
    atn_lab_bridge(lab, lab->topo->nodes[node].parent, bridge);
    fprintf(f, "link set %s master %s up\n", upper, bridge);
    if (host >= 0)
        return;
    atn_lab_bridge(lab, node, bridge);
    fprintf(f, "link set %s master %s up\n", lower, bridge);
}

static void put_frontend(FILE *f, const atn_lab *lab)
{
    char bridge[16];
    put_pair(f, lab, "front", "", ATN_SPACE_FRONTEND, false);
    atn_lab_bridge(lab, 0, bridge);
    fprintf(f, "link set front master %s up\n", bridge);
}

static void put_fabric(FILE *f, const atn_lab *lab)
{
    int host = 0;
    if (lab->topo->nodes[0].kind != ATN_TOPO_SWITCH)
        put_bridge(f, lab, -1);
    for (int v = 0; v < lab->topo->nnodes; v++)
        if (lab->topo->nodes[v].kind == ATN_TOPO_SWITCH)
            put_bridge(f, lab, v);
    for (int v = 0; v < lab->topo->nnodes; v++)
        if (atn_lab_has_link(lab, v))
            put_link(f, lab, v, lab->topo->nodes[v].kind == ATN_TOPO_HOST ? host++ : -1);
    put_frontend(f, lab);
}

/* ---- rates ---- */

enum { BURST_BYTES = 3072, BURST_NS = 25000 };

/* A small bucket: a larger one lets a whole message pass faster than the link.  Fast links need
 * more, or the timer cannot keep up. */
void atn_lab_put_rate(FILE *f, const atn_lab *lab, int64_t rate, const char *device)
{
    const int64_t burst = rate / 8 * BURST_NS / 1000000000;
    fprintf(f, "qdisc replace dev %s root tbf rate %lldbit burst %lld limit 8mb\n", device,
            (long long)rate,
            (long long)(burst > BURST_BYTES ? burst : BURST_BYTES) + lab->mtu - 1500);
}

static void put_rate(FILE *f, const atn_lab *lab, int node, const char *device)
{
    if (lab->topo->nodes[node].rate > 0)
        atn_lab_put_rate(f, lab, lab->topo->nodes[node].rate, device);
}

static void put_rates(FILE *f, const atn_lab *lab)
{
    char device[16];
    for (int v = 0; v < lab->topo->nnodes; v++)
        if (atn_lab_has_link(lab, v)) {
            atn_lab_upper(v, device);
            put_rate(f, lab, v, device);
            atn_lab_lower(v, device);
            if (lab->topo->nodes[v].kind == ATN_TOPO_SWITCH)
                put_rate(f, lab, v, device);
        }
}

/* ---- as text ---- */

typedef void (*writer)(FILE *f, const atn_lab *lab, int host);

static char *text_of(writer write, const atn_lab *lab, int host)
{
    char *text = NULL;
    size_t n;
    FILE *f = atn_open_text(&text, &n);
    if (f == NULL)
        return NULL;
    write(f, lab, host);
    if (fclose(f) == 0)
        return text;
    free(text);
    return NULL;
}

static void write_fabric_links(FILE *f, const atn_lab *lab, int host)
{
    (void)host;
    put_fabric(f, lab);
}

static void write_fabric_rates(FILE *f, const atn_lab *lab, int host)
{
    (void)host;
    put_rates(f, lab);
}

static void write_host_links(FILE *f, const atn_lab *lab, int host)
{
    char address[16];
    fprintf(f, "link set lo up\naddr add %s/16 dev %s\nlink set %s up\n",
            atn_lab_address(lab, host, address), ATN_LAB_DEVICE, ATN_LAB_DEVICE);
}

static void write_host_rates(FILE *f, const atn_lab *lab, int host)
{
    if (host >= 0)
        put_rate(f, lab, lab->hosts.v[host], ATN_LAB_DEVICE);
}

static void write_etc_hosts(FILE *f, const atn_lab *lab, int host)
{
    char address[16];
    (void)host;
    fprintf(f, "127.0.0.1 localhost\n");
    for (int i = -1; i < lab->hosts.n; i++)
        fprintf(f, "%s %s\n", atn_lab_address(lab, i, address), host_name(lab, i));
}

char *atn_lab_fabric_links(const atn_lab *lab) { return text_of(write_fabric_links, lab, 0); }
char *atn_lab_fabric_rates(const atn_lab *lab) { return text_of(write_fabric_rates, lab, 0); }
char *atn_lab_host_links(const atn_lab *lab, int h) { return text_of(write_host_links, lab, h); }
char *atn_lab_host_rates(const atn_lab *lab, int h) { return text_of(write_host_rates, lab, h); }
char *atn_lab_etc_hosts(const atn_lab *lab) { return text_of(write_etc_hosts, lab, 0); }
