/* hwloc.c - what is inside a host: the packages, memory domains and caches that its cores share.
 *
 * An object becomes a part when it joins at least two cores and not all that its parent joins:
 * anything else adds no information about locality. */
#include "topo/inside.h"

#ifdef ATN_HAVE_HWLOC
#include <hwloc.h>
#endif
#include <stdlib.h>
#include <string.h>

void atn_topo_inside_free(atn_inside *in)
{
    for (int i = 0; i < in->parts.n; i++)
        free(in->parts.v[i].name);
    atn_vec_free(&in->parts);
    atn_vec_free(&in->cores);
    free(in->host);
}

#ifdef ATN_HAVE_HWLOC

typedef struct {
    hwloc_topology_t t;
    atn_inside *in;
    int numbers[ATN_INSIDE_LEVELS]; /* parts of each level so far */
    hwloc_bitmap_t cpus;            /* or NULL; of the parts that hold all of these ... */
    int holds;                      /* ... the smallest; -1: none */
    bool no_memory;
} walk;

static const char *const level_names[ATN_INSIDE_LEVELS] = {"package", "die", "numa", "l5",
                                                           "l4",      "l3",  "l2",   "group"};

/* -1: not of a kind that becomes a part. */
static int level_of(hwloc_obj_t o)
{
    switch (o->type) {
    case HWLOC_OBJ_PACKAGE:
        return 0;
    case HWLOC_OBJ_DIE:
        return 1;
    case HWLOC_OBJ_L5CACHE:
        return o->memory_arity ? 2 : 3;
    case HWLOC_OBJ_L4CACHE:
        return o->memory_arity ? 2 : 4;
    case HWLOC_OBJ_L3CACHE:
        return o->memory_arity ? 2 : 5;
    case HWLOC_OBJ_L2CACHE:
        return o->memory_arity ? 2 : 6;
    case HWLOC_OBJ_GROUP:
        return o->memory_arity ? 2 : 7;
    default:
        return -1;
    }
}

/* Hosts may be described without cores. */
static bool is_core(hwloc_obj_t o)
{
    return o->type == HWLOC_OBJ_CORE ||
           (o->type == HWLOC_OBJ_PU && o->parent->type != HWLOC_OBJ_CORE);
}

static int cores_of(hwloc_obj_t o)
{
    int n = 0;
    if (is_core(o))
        return 1;
    for (hwloc_obj_t c = o->first_child; c != NULL; c = c->next_sibling)
        n += cores_of(c);
    return n;
}

static int add_part(walk *w, int level, int parent)
{
    char name[32];
    snprintf(name, sizeof name, "%s-%d", level_names[level], w->numbers[level]++);
    char *copy = strdup(name);
    if (!copy || !atn_push(&w->in->parts, (atn_host_part){copy, level_names[level], parent})) {
        free(copy);
        w->no_memory = true;
        return parent;
    }
    return w->in->parts.n - 1;
}

/* `joined` cores are joined by the part above. */
static void visit(walk *w, hwloc_obj_t o, int part, int joined)
{
    const int level = level_of(o), cores = cores_of(o);
    if (level >= 0 && cores >= 2 && cores < joined) {
        part = add_part(w, level, part);
        if (w->cpus && hwloc_bitmap_isincluded(w->cpus, o->cpuset))
            w->holds = part;
    }
    if (is_core(o)) {
        w->no_memory = !atn_push(&w->in->cores, part) || w->no_memory;
        return;
    }
    for (hwloc_obj_t c = o->first_child; c != NULL; c = c->next_sibling)
        visit(w, c, part, cores >= 2 && level >= 0 ? cores : joined);
}

/* Objects on the lowest level of a synthetic description, "package:2 core:4" or "2 4", at most
 * `most` + 1: for 16384 in a row hwloc takes minutes, and for 2^31 hours. */
static int64_t described(const char *what, int64_t most)
{
    int64_t n = 1;
    for (const char *at = what; *at != '\0' && n <= most; at += strspn(at, " \t\r\n")) {
        const size_t length = strcspn(at, " \t\r\n");
        const char *const colon = memchr(at, ':', length);
        char *end;
        const unsigned long long each = strtoull(colon ? colon + 1 : at, &end, 10);
        if (each > 1)
            n = each > (unsigned long long)most ? most + 1 : n * (int64_t)each;
        at += length;
    }
    return n;
}

static atn_status open_source(hwloc_topology_t t, const char *what, atn_error *err)
{
    enum { MOST = 4096 };
    const bool xml = what[strspn(what, " \t\r\n")] == '<';
    int failed = 0;
    if (!xml && described(what, MOST) > MOST)
        return atn_fail(err, ATN_INPUT, "more than %d cores in a host; describe less", MOST);
    if (xml)
        failed = hwloc_topology_set_xmlbuffer(t, what, (int)strlen(what) + 1);
    else if (strcmp(what, "this") != 0)
        failed = hwloc_topology_set_synthetic(t, what);
    if (failed || hwloc_topology_load(t) != 0)
        return atn_fail(err, ATN_INPUT, "hwloc cannot read %s; %s",
                        xml                         ? "this XML"
                        : strcmp(what, "this") == 0 ? "this machine"
                                                    : "this description",
                        xml ? "write it with lstopo FILE.xml"
                            : "write 'this' or a description such as 'package:2 core:4 pu:1'");
    return ATN_OK;
}

static void read_loaded(walk *w, const char *what)
{
    hwloc_obj_t root = hwloc_get_root_obj(w->t);
    const char *name = hwloc_obj_get_info_by_name(root, "HostName");
    const bool known = name != NULL && (strcmp(what, "this") == 0 || *what == '<');
    w->in->host = strdup(known ? name : "host");
    w->no_memory = w->in->host == NULL;
    visit(w, root, -1, cores_of(root));
}

static atn_status read_with(walk *w, const char *what, atn_error *err)
{
    if (hwloc_topology_init(&w->t) != 0)
        return atn_fail(err, ATN_MEMORY, "out of memory");
    atn_status st = open_source(w->t, what, err);
    if (!st && w->cpus && hwloc_bitmap_iszero(w->cpus))
        hwloc_get_cpubind(w->t, w->cpus, HWLOC_CPUBIND_PROCESS);
    if (!st)
        read_loaded(w, what);
    if (!st && w->no_memory)
        st = atn_fail(err, ATN_MEMORY, "out of memory");
    hwloc_topology_destroy(w->t);
    if (st)
        atn_topo_inside_free(w->in);
    return st;
}

atn_status atn_topo_inside_read(const char *what, atn_inside *in, atn_error *err)
{
    return read_with(&(walk){.in = in}, what, err);
}

atn_status atn_topo_inside_part(const char *what, const char *cpus, char part[ATN_PART_NAME],
                                atn_error *err)
{
    atn_inside in = {0};
    walk w = {.in = &in, .cpus = hwloc_bitmap_alloc(), .holds = -1};
    *part = '\0';
    if (w.cpus == NULL)
        return atn_fail(err, ATN_MEMORY, "out of memory");
    if (cpus != NULL)
        hwloc_bitmap_list_sscanf(w.cpus, cpus);
    const atn_status st = read_with(&w, what, err);
    if (!st && w.holds >= 0 && !hwloc_bitmap_iszero(w.cpus))
        snprintf(part, ATN_PART_NAME, "%s", in.parts.v[w.holds].name);
    if (!st)
        atn_topo_inside_free(&in);
    hwloc_bitmap_free(w.cpus);
    return st;
}

#else

atn_status atn_topo_inside_read(const char *what, atn_inside *in, atn_error *err)
{
    (void)in;
    return atn_fail(err, ATN_ENVIRONMENT, "'%.60s' needs hwloc, and Attune was built without it",
                    what);
}

atn_status atn_topo_inside_part(const char *what, const char *cpus, char part[ATN_PART_NAME],
                                atn_error *err)
{
    (void)what, (void)cpus, (void)err;
    *part = '\0';
    return ATN_OK;
}

#endif
