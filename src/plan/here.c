/* here.c - see here.h. */
#include "plan/here.h"

#include <ctype.h>
#include <dirent.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

/* A hash of what the kernel calls the first processor, and of how many there are. */
static uint32_t processors(void)
{
    char line[256];
    uint64_t hash = (uint64_t)sysconf(_SC_NPROCESSORS_CONF);
    FILE *f = fopen("/proc/cpuinfo", "r");
    while (f != NULL && fgets(line, sizeof line, f) != NULL && *line != '\n')
        if (strncmp(line, "model name", 10) == 0 || strncmp(line, "CPU part", 8) == 0)
            hash = atn_hash(line, strlen(line), hash);
    if (f != NULL)
        fclose(f);
    return (uint32_t)(hash ^ hash >> 32);
}

void atn_plan_here_machine(const char *mpi, char out[ATN_HERE_ROOM])
{
    int n = 0;
    for (; mpi[n] != '\0' && n < ATN_HERE_ROOM / 4; n++)
        out[n] = isalnum((unsigned char)mpi[n]) || mpi[n] == '.'
                     ? (char)tolower((unsigned char)mpi[n])
                     : '-';
    snprintf(out + n, (size_t)(ATN_HERE_ROOM - n), "-%08" PRIx32, processors());
}

/* ---- the network ---- */

enum { KINDS = 8, KIND_ROOM = 16 };

typedef struct {
    int n;
    char name[KINDS][KIND_ROOM]; /* ascending */
} kind_list;

/* Adapters of a kind are numbered: "mlx5_0", "mlx5_1", "cxi0". */
static void add_kind(kind_list *list, const char *device)
{
    char kind[KIND_ROOM];
    int at = 0;
    snprintf(kind, sizeof kind, "%.*s", KIND_ROOM - 1, device);
    size_t n = strlen(kind);
    while (n > 0 && isdigit((unsigned char)kind[n - 1]))
        n--;
    if (n > 1 && kind[n - 1] == '_')
        n--;
    kind[n] = '\0';
    while (at < list->n && strcmp(list->name[at], kind) < 0)
        at++;
    if (n == 0 || list->n == KINDS || (at < list->n && strcmp(list->name[at], kind) == 0))
        return;
    memmove(list->name[at + 1], list->name[at], (size_t)(list->n++ - at) * KIND_ROOM);
    memcpy(list->name[at], kind, sizeof kind);
}

static void add_devices(kind_list *list, const char *folder)
{
    DIR *const d = opendir(folder);
    for (const struct dirent *x; d != NULL && (x = readdir(d)) != NULL;)
        if (x->d_name[0] != '.')
            add_kind(list, x->d_name);
    if (d != NULL)
        closedir(d);
}

void atn_plan_here_fabric(char out[ATN_HERE_ROOM])
{
    static const char *const folders[] = {"/sys/class/infiniband", "/sys/class/cxi"};
    kind_list list = {.n = 0};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        add_devices(&list, folders[i]);
    snprintf(out, ATN_HERE_ROOM, "%s", list.n == 0 ? "ethernet" : list.name[0]);
    for (int i = 1; i < list.n; i++)
        snprintf(out + strlen(out), ATN_HERE_ROOM - strlen(out), "+%s", list.name[i]);
}

/* ---- places ---- */

/* Nodes stand in an order that does not depend on names, so the first rank of a host finds it. */
static int count_hosts(const atn_topo *t)
{
    int hosts = 0;
    for (int r = 0; r < t->p; r++) {
        int first = 0;
        while (atn_topo_host_of(t, first) != atn_topo_host_of(t, r))
            first++;
        hosts += first == r;
    }
    return hosts;
}

bool atn_plan_here_layout(const atn_topo *t, char out[ATN_HERE_ROOM])
{
    if (t == NULL || t->p == 0) {
        snprintf(out, ATN_HERE_ROOM, "any");
        return true;
    }
    const int hosts = count_hosts(t);
    const uint64_t print = atn_topo_fingerprint(t);
    snprintf(out, ATN_HERE_ROOM, "%dx%s%d-%08" PRIx32, hosts, t->p % hosts != 0 ? "~" : "",
             t->p / hosts, (uint32_t)(print ^ print >> 32));
    return print != 0;
}

bool atn_plan_here_name(const char *machine, const atn_topo *t, char out[ATN_HERE_ROOM])
{
    char layout[ATN_HERE_ROOM];
    const bool known = atn_plan_here_layout(t, layout);
    snprintf(out, ATN_HERE_ROOM, "%.*s/%.*s", ATN_HERE_ROOM / 2, machine, ATN_HERE_ROOM / 2 - 2,
             layout);
    return known;
}
