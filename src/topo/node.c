/* node.c - processors of this node: affinity and cores from the kernel; where it lacks the
 * cores, from hwloc. */
#include "topo/node.h"

#include <limits.h>
#include <sched.h>
#include <string.h>
#include <unistd.h>

#ifdef ATN_HAVE_HWLOC
#include <hwloc.h>
#endif

void atn_topo_pus_own(atn_pus *set_p)
{
    memset(set_p, 0, sizeof *set_p);
    if (sched_getaffinity(0, sizeof *set_p, (cpu_set_t *)set_p) == 0)
        return;
    const long online = sysconf(_SC_NPROCESSORS_ONLN);
    for (int i = 0; i < ATN_MAX_PUS && i < online; i++)
        atn_topo_pus_add(set_p, i);
}

atn_pus atn_topo_pus_union(const atn_pus *sets, int n)
{
    atn_pus all = {0};
    for (int k = 0; k < n; k++)
        for (int i = 0; i < ATN_MAX_PUS / 64; i++)
            all.word[i] |= sets[k].word[i];
    return all;
}

/* "max 100000" or "200000 100000" (version 2); one number per file (version 1). */
static int read_numbers(const char *path, long long v[2])
{
    FILE *const f = fopen(path, "r");
    if (f == NULL)
        return 0;
    const int n = fscanf(f, "%lld %lld", &v[0], &v[1]);
    fclose(f);
    return n;
}

static int read_quota(void)
{
    long long v[2], w[2];
    if (read_numbers("/sys/fs/cgroup/cpu.max", v) != 2) {
        if (read_numbers("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", v) != 1 ||
            read_numbers("/sys/fs/cgroup/cpu/cpu.cfs_period_us", w) != 1)
            return INT_MAX;
        v[1] = w[0];
    }
    return v[0] > 0 && v[1] > 0 ? (int)((v[0] + v[1] - 1) / v[1]) : INT_MAX;
}

/* The first number of a file under /sys/devices/system/cpu/cpuN/topology; -1: there is none. */
static int read_fact(const char *cpus, int pu, const char *name)
{
    char path[512];
    long long v[2];
    snprintf(path, sizeof path, "%s/cpu%d/topology/%s", cpus, pu, name);
    return read_numbers(path, v) >= 1 && v[0] >= 0 && v[0] < ATN_MAX_PUS ? (int)v[0] : -1;
}

/* The lists begin with the lowest number: "0,64", "2-3".  Processors that share more than a core
 * is, but have different core_ids (AMD's compute units), are cores of their own. */
static int core_by_kernel(const char *cpus, int pu)
{
    int first = read_fact(cpus, pu, "core_cpus_list");
    if (first < 0)
        first = read_fact(cpus, pu, "thread_siblings_list");
    if (first < 0 || first == pu)
        return first;
    return read_fact(cpus, pu, "core_id") == read_fact(cpus, first, "core_id") ? first : pu;
}

bool atn_topo_node_cores(const char *cpus, const atn_pus *used, int16_t core_of[ATN_MAX_PUS])
{
    for (int i = 0; i < ATN_MAX_PUS; i++) {
        const int core = atn_topo_pus_has(used, i) ? core_by_kernel(cpus, i) : i;
        if (core < 0)
            return false;
        core_of[i] = (int16_t)core;
    }
    return true;
}

#ifdef ATN_HAVE_HWLOC
static void number_cores(hwloc_topology_t t, int16_t core_of[ATN_MAX_PUS])
{
    hwloc_obj_t core = NULL;
    while ((core = hwloc_get_next_obj_by_type(t, HWLOC_OBJ_CORE, core)) != NULL) {
        const int first = hwloc_bitmap_first(core->cpuset);
        for (int pu = first; pu >= 0 && pu < ATN_MAX_PUS; pu = hwloc_bitmap_next(core->cpuset, pu))
            core_of[pu] = (int16_t)first;
    }
}

/* Loads its plugins first, which takes longer than everything else in the start of a job. */
static void ask_hwloc(int16_t core_of[ATN_MAX_PUS])
{
    hwloc_topology_t t;
    if (hwloc_topology_init(&t) != 0)
        return;
    hwloc_topology_set_all_types_filter(t, HWLOC_TYPE_FILTER_KEEP_NONE);
    hwloc_topology_set_type_filter(t, HWLOC_OBJ_CORE, HWLOC_TYPE_FILTER_KEEP_ALL);
    if (hwloc_topology_load(t) == 0)
        number_cores(t, core_of);
    hwloc_topology_destroy(t);
}
#else
static void ask_hwloc(int16_t core_of[ATN_MAX_PUS]) { (void)core_of; }
#endif

/* Unknown processors count as separate cores. */
void atn_topo_node_read(const atn_pus *used, atn_node *node_p)
{
    node_p->quota = read_quota();
    if (atn_topo_node_cores("/sys/devices/system/cpu", used, node_p->core_of))
        return;
    for (int i = 0; i < ATN_MAX_PUS; i++)
        node_p->core_of[i] = (int16_t)i;
    ask_hwloc(node_p->core_of);
}

static int count_cores(const atn_node *node, const atn_pus *set)
{
    atn_pus cores = {0};
    int n = 0;
    for (int i = 0; i < ATN_MAX_PUS; i++)
        if (atn_topo_pus_has(set, i)) {
            n += !atn_topo_pus_has(&cores, node->core_of[i]);
            atn_topo_pus_add(&cores, node->core_of[i]);
        }
    return n;
}

int atn_topo_node_count(const atn_node *node, const atn_pus *set)
{
    const int cores = count_cores(node, set);
    return cores < node->quota ? cores : node->quota;
}

static bool is_subset(const atn_pus *a, const atn_pus *b)
{
    for (int i = 0; i < ATN_MAX_PUS / 64; i++)
        if ((a->word[i] & ~b->word[i]) != 0)
            return false;
    return true;
}

static bool set_oversubscribed(const atn_node *node, const atn_pus *sets, int ranks,
                               const atn_pus *set)
{
    int inside = 0;
    for (int r = 0; r < ranks; r++)
        inside += is_subset(&sets[r], set);
    return inside > count_cores(node, set);
}

bool atn_topo_node_oversubscribed(const atn_node *node, const atn_pus *sets, int ranks)
{
    const atn_pus all = atn_topo_pus_union(sets, ranks);
    bool over = ranks > node->quota || set_oversubscribed(node, sets, ranks, &all);
    for (int r = 0; r < ranks && !over; r++)
        over = set_oversubscribed(node, sets, ranks, &sets[r]);
    return over;
}
