/* store_select.c - the entry of a store that serves a job. */
#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/stats.h"
#include "plan/rules_private.h"
#include "plan/store.h"
#include "topo/hostlist.h"

/* ---- hosts ---- */

/* Host names come with and without their domain. */
static bool same_host(const char *a, const char *b)
{
    const size_t na = strcspn(a, "."), nb = strcspn(b, ".");
    return na == nb && strncmp(a, b, na) == 0 && (a[na] == '\0' || b[nb] == '\0');
}

static bool is_pattern(const char *text) { return strpbrk(text, "*?") != NULL; }

/* One of several patterns, separated by commas. */
static bool fits_pattern(const char *patterns, const char *host)
{
    char *const copy = strdup(patterns), *rest = copy, *one;
    bool fits = false;
    while (!fits && (one = strsep(&rest, ",")) != NULL)
        fits = fnmatch(one, host, 0) == 0;
    free(copy);
    return fits;
}

/* The hosts of an entry, expanded once for all ranks. */
typedef struct {
    const atn_store_entry *e;
    atn_name_list names; /* empty: patterns */
} host_set;

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static host_set open_set(const atn_store_entry *e)
{
    host_set set = {.e = e};
    if (!is_pattern(e->hosts))
        atn_topo_hostlist_expand(e->hosts, &set.names, NULL);
    if (set.names.n > 1)
        qsort(set.names.v, (size_t)set.names.n, sizeof *set.names.v, by_name);
    return set;
}

/* By the whole name first: jobs may have thousands of ranks. */
static bool contains(const host_set *set, const char *host)
{
    if (set->names.n == 0)
        return fits_pattern(set->e->hosts, host);
    bool found =
        bsearch(&host, set->names.v, (size_t)set->names.n, sizeof *set->names.v, by_name) != NULL;
    for (int i = 0; i < set->names.n && !found; i++)
        found = same_host(set->names.v[i], host);
    return found;
}

bool atn_plan_store_has_host(const atn_store_entry *entry, const char *host)
{
    host_set set = open_set(entry);
    const bool found = contains(&set, host);
    atn_topo_name_list_free(&set.names);
    return found;
}

/* The first rank on a host that the entry does not have; -1: it has all. */
static int first_missing(const atn_store_entry *e, const atn_store_job *job)
{
    host_set set = open_set(e);
    int missing = -1;
    for (int r = 0; r < job->p && missing < 0; r++)
        if ((r == 0 || strcmp(job->hosts[r], job->hosts[r - 1]) != 0) &&
            !contains(&set, job->hosts[r]))
            missing = r;
    atn_topo_name_list_free(&set.names);
    return missing;
}

bool atn_plan_store_is_of(const atn_store_entry *entry, const char *machine, const char *fabric)
{
    return strcmp(entry->machine, machine) == 0 && strcmp(entry->fabric, fabric) == 0;
}

/* ---- ranks per host ---- */

int64_t atn_plan_store_ranks(const int *host_of, int ranks, int hosts)
{
    if (ranks % hosts != 0)
        return 0;
    for (int h = 0; h < hosts; h++) {
        int n = 0;
        for (int r = 0; r < ranks; r++)
            n += host_of[r] == h;
        if (n != ranks / hosts)
            return 0;
    }
    return ranks / hosts;
}

/* ---- preference ---- */

/* Ranks on the host of rank 0, if all hosts have as many; else 0. */
static int64_t ranks_per_host(const atn_store_job *job)
{
    int64_t usual = 0;
    for (int r = 0; r < job->p; r++) {
        int64_t n = 0;
        for (int k = 0; k < job->p; k++)
            n += strcmp(job->hosts[k], job->hosts[r]) == 0;
        if (r > 0 && n != usual)
            return 0;
        usual = n;
    }
    return usual;
}

/* Calibrations before sketches, named hosts before patterns, the same number of ranks per host
 * before others, new before old. */
static bool is_better(const atn_store_entry *a, const atn_store_entry *b, const atn_store_job *job)
{
    const int64_t ranks = a->ranks != b->ranks ? ranks_per_host(job) : a->ranks;
    const int64_t prefer[][2] = {
        {a->parameters != NULL, b->parameters != NULL},
        {!is_pattern(a->hosts), !is_pattern(b->hosts)},
        {a->ranks == ranks, b->ranks == ranks},
        {a->date, b->date},
    };
    for (size_t i = 0; i < sizeof prefer / sizeof *prefer; i++)
        if (prefer[i][0] != prefer[i][1])
            return prefer[i][0] > prefer[i][1];
    return false;
}

/* The entry that came furthest explains why there is none. */
typedef struct {
    bool machine, fabric;
    int missing; /* rank */
} obstacles;

static void explain(const atn_store *s, const atn_store_job *job, const obstacles *o,
                    char why[ATN_STORE_WORDS])
{
    if (s->list.n == 0)
        snprintf(why, ATN_STORE_WORDS, "nothing is stored");
    else if (!o->machine)
        snprintf(why, ATN_STORE_WORDS, "no entry is for %s", job->machine);
    else if (!o->fabric)
        snprintf(why, ATN_STORE_WORDS, "no entry is for the network %s", job->fabric);
    else
        snprintf(why, ATN_STORE_WORDS, "host %s of rank %d is in no entry with the others",
                 job->hosts[o->missing], o->missing);
}

int atn_plan_store_select(const atn_store *s, const atn_store_job *job, char why[ATN_STORE_WORDS])
{
    obstacles o = {.missing = 0};
    int best = -1;
    for (int i = 0; i < s->list.n; i++) {
        const atn_store_entry *const e = &s->list.v[i];
        const bool machine = strcmp(e->machine, job->machine) == 0;
        const bool fabric = strcmp(e->fabric, job->fabric) == 0;
        o.machine = o.machine || machine;
        o.fabric = o.fabric || (machine && fabric);
        const int missing = machine && fabric ? first_missing(e, job) : 0;
        o.missing = missing > o.missing ? missing : o.missing;
        if (missing < 0 && (best < 0 || is_better(e, &s->list.v[best], job)))
            best = i;
    }
    if (best < 0)
        explain(s, job, &o, why);
    return best;
}

void atn_plan_store_name(const atn_store_entry *entry, char out[ATN_STORE_WORDS])
{
    char date[ATN_WORD_ROOM];
    atn_plan_date_print(entry->date, date);
    snprintf(out, ATN_STORE_WORDS, "%.*s, %s %.40s", ATN_STORE_WORDS - 64, entry->hosts,
             entry->parameters != NULL ? "measured" : "sketched by a job", date);
}

/* ---- age ---- */

/* Far outside the error of predictions, which is below a factor of two. */
static const double gross = 3;

bool atn_plan_store_is_stale(double *ratios, int n, double *factor_p)
{
    double least = INFINITY, most = 0;
    if (n == 0)
        return false;
    for (int i = 0; i < n; i++) {
        least = ratios[i] < least ? ratios[i] : least;
        most = ratios[i] > most ? ratios[i] : most;
    }
    *factor_p = atn_median(ratios, n).mid;
    return least > gross || most * gross < 1;
}
