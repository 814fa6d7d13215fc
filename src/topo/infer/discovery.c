/* discovery.c - see discovery.h. */
#include "topo/discovery.h"

#include <stdlib.h>
#include <string.h>

static const char first_line[] = "attune-discover 1";

void atn_topo_discovery_free(atn_discovery *d)
{
    for (int i = 0; i < d->names.n; i++)
        free(d->names.v[i]);
    atn_vec_free(&d->names);
    atn_vec_free(&d->host_of);
    free(d->mpi);
    free(d->machine);
    free(d->fabric);
    atn_topo_inferred_free(d->result);
    *d = (atn_discovery){0};
}

/* ---- writing ---- */

void atn_topo_discovery_put_job(FILE *f, const char *mpi, const char *const *names, int hosts,
                                const int *host_of, int ranks)
{
    fprintf(f, "%s\njob %d %d %s\n", first_line, ranks, hosts, mpi);
    for (int h = 0; h < hosts; h++)
        fprintf(f, "host %s\n", names[h]);
    for (int r = 0; r < ranks; r++)
        fprintf(f, "rank %d\n", host_of[r]);
}

void atn_topo_discovery_put_place(FILE *f, const char *machine, const char *fabric)
{
    fprintf(f, "place %s %s\nend\n", machine, fabric);
}

void atn_topo_discovery_put_result(FILE *f, const atn_inferred *r)
{
    for (int v = 0; v < r->nnodes; v++) {
        const atn_inferred_link *l = &r->links[v];
        fprintf(f, "node %d %.0f %.0f %d %.9f %.3f\n", r->parent[v], l->up, l->down, l->full,
                l->delay, l->trust);
    }
    for (const char *at = r->remarks; *at != '\0';) {
        const int length = (int)strcspn(at, "\n");
        fprintf(f, "remark %.*s\n", length, at);
        at += length + (at[length] == '\n');
    }
    fprintf(f, "effort %d %d %d\nend\n", r->probes, r->pings, r->searched_fast);
}

/* ---- reading ---- */

/* More than a measurement of all pairs can include: a damaged line allocates no more. */
enum { MOST_HOSTS = 1 << 16 };

static bool take_job(atn_discovery *d, const char *rest)
{
    int used = 0;
    if (d->mpi || sscanf(rest, "%d %d %n", &d->ranks, &d->hosts, &used) != 2 || used == 0 ||
        d->hosts < 1 || d->hosts > MOST_HOSTS || d->ranks < d->hosts)
        return false;
    d->room = 2 * d->hosts + 2;
    d->mpi = strdup(rest + used);
    d->result = calloc(1, sizeof *d->result);
    if (d->result) {
        d->result->hosts = d->hosts;
        d->result->parent = malloc(sizeof *d->result->parent * (size_t)d->room);
        d->result->links = calloc((size_t)d->room, sizeof *d->result->links);
        d->result->remarks = strdup("");
    }
    return d->mpi && d->result && d->result->parent && d->result->links && d->result->remarks;
}

static bool take_host(atn_discovery *d, const char *rest)
{
    char *name = strdup(rest);
    if (name && *name != '\0' && d->names.n < d->hosts && atn_push(&d->names, name))
        return true;
    free(name);
    return false;
}

static bool take_rank(atn_discovery *d, const char *rest)
{
    int host;
    return sscanf(rest, "%d", &host) == 1 && host >= 0 && host < d->names.n &&
           d->host_of.n < d->ranks && atn_push(&d->host_of, host);
}

static bool take_place(atn_discovery *d, const char *rest)
{
    const size_t n = strcspn(rest, " ");
    if (d->machine || n == 0 || rest[n] == '\0' || strchr(rest + n + 1, ' '))
        return false;
    d->machine = strndup(rest, n);
    d->fabric = strdup(rest + n + 1);
    return d->machine && d->fabric;
}

static bool take_progress(atn_discovery *d, const char *rest)
{
    return sscanf(rest, "%lf", &d->progress) == 1;
}

static bool take_node(atn_discovery *d, const char *rest)
{
    atn_inferred_link l = {0};
    int parent, full;
    if (!d->result || d->result->nnodes == d->room ||
        sscanf(rest, "%d %lf %lf %d %lf %lf", &parent, &l.up, &l.down, &full, &l.delay, &l.trust) !=
            6 ||
        parent < -1 || parent >= d->room)
        return false;
    l.full = full;
    d->result->parent[d->result->nnodes] = parent;
    d->result->links[d->result->nnodes++] = l;
    return true;
}

static bool take_remark(atn_discovery *d, const char *rest)
{
    char *longer = NULL;
    if (!d->result || asprintf(&longer, "%s%s\n", d->result->remarks, rest) < 0)
        return false;
    free(d->result->remarks);
    d->result->remarks = longer;
    return true;
}

static bool take_effort(atn_discovery *d, const char *rest)
{
    int fast;
    if (!d->result || sscanf(rest, "%d %d %d", &d->result->probes, &d->result->pings, &fast) != 3)
        return false;
    d->result->searched_fast = fast;
    return true;
}

/* Does every way up end at the last node, and lead over switches? */
static bool is_tree(const atn_inferred *r)
{
    const int root = r->nnodes - 1;
    bool fine = r->nnodes > r->hosts && r->parent[root] == -1;
    for (int v = 0; fine && v < root; v++) {
        int u = v;
        for (int steps = 0; fine && u != root && steps < r->nnodes; steps++) {
            u = r->parent[u];
            fine = u >= r->hosts && u < r->nnodes;
        }
        fine = fine && u == root;
    }
    return fine;
}

static bool take_end(atn_discovery *d, const char *rest)
{
    d->done = *rest == '\0' && d->result && d->host_of.n == d->ranks && d->names.n == d->hosts &&
              (d->machine ? d->result->nnodes == 0 : is_tree(d->result));
    return d->done;
}

static const struct {
    const char *word;
    bool (*take)(atn_discovery *d, const char *rest);
} lines[] = {
    {"job", take_job},       {"host", take_host},         {"rank", take_rank},
    {"place", take_place},   {"progress", take_progress}, {"node", take_node},
    {"remark", take_remark}, {"effort", take_effort},     {"end", take_end},
};
enum { LINES = sizeof lines / sizeof *lines };

atn_status atn_topo_discovery_line(atn_discovery *d, const char *line, atn_error *err)
{
    if (!d->begun || d->done) {
        d->begun = d->begun || strcmp(line, first_line) == 0;
        return ATN_OK;
    }
    for (int i = 0; i < LINES; i++) {
        const size_t n = strlen(lines[i].word);
        if (strncmp(line, lines[i].word, n) != 0 || (line[n] != ' ' && line[n] != '\0'))
            continue;
        if (lines[i].take(d, line + n + (line[n] == ' ')))
            return ATN_OK;
        break;
    }
    return atn_fail(err, ATN_ENVIRONMENT,
                    "the measuring job printed '%.60s', which makes no sense here; is the program "
                    "in libexec of the same version as this command?",
                    line);
}

atn_status atn_topo_discovery_end(const atn_discovery *d, atn_error *err)
{
    if (d->done)
        return ATN_OK;
    return atn_fail(err, ATN_ENVIRONMENT,
                    d->begun ? "the measuring job ended before it was finished"
                             : "the measuring job ended without a word; does the launcher pass on "
                               "what its program prints?");
}
