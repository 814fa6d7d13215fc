/* warmup.c - see warmup.h.
 *
 * Rank 0 reads the pairs of the previous job and sends them to all ranks; the two ranks of each
 * pair exchange an empty message.  All ranks have the same list, so every message has a receive. */
#include "stager/warmup.h"

#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "interpose/message.h"
#include "stager/comms.h"

bool atn_stager_warmup_records;

enum { TAG = 3, MAX_RANKS = 4096 };
typedef ATN_VEC(int) pairs; /* two ranks each */

static char path[4000];
static bool *partners; /* ranks of MPI_COMM_WORLD that this one sends to */
static int p, r;
static bool has_file; /* on rank 0, so equal on all ranks */

void atn_stager_warmup_record(int dest, MPI_Comm comm, const void *from)
{
    const atn_stager_comm *const c = atn_stager_comm_find(comm, from);
    if (c != NULL && dest >= 0 && dest < c->p)
        partners[c->world[dest]] = true;
}

/* ---- the file ---- */

static bool bad_line(int line, const char *why)
{
    atn_interpose_print_line(
        "%s:%d: %s; no connections are warmed up, and MPI_Finalize rewrites the file", path, line,
        why);
    return false;
}

static bool read_line(const char *text, int line, pairs *list)
{
    int a, b, ranks, end = 0;
    if (line == 1)
        return strcmp(text, "attune-partners 1") == 0 ||
               bad_line(line, "not a list of partners written by Attune");
    if (line == 2) {
        if (sscanf(text, "ranks %d%n", &ranks, &end) != 1 || text[end] != '\0')
            return bad_line(line, "the number of ranks is missing");
        return ranks == p || bad_line(line, "written by a job with another number of ranks");
    }
    if (sscanf(text, "%d %d%n", &a, &b, &end) != 2 || text[end] != '\0' || a < 0 || a >= b ||
        b >= p)
        return bad_line(line, "not a pair of ranks, the lower one first");
    return (atn_push(list, a) && atn_push(list, b)) || bad_line(line, "out of memory");
}

/* A missing file is no error: this is the first job. */
static void read_pairs(pairs *list)
{
    char *text = NULL, *rest;
    size_t bytes;
    if (atn_read_file(path, &text, &bytes, NULL) != ATN_OK)
        return;
    rest = text;
    bool good = true;
    int line = 0;
    for (char *item; good && (item = strsep(&rest, "\n")) != NULL;)
        good = (*item == '\0' && rest == NULL) || read_line(item, ++line, list);
    if (!good)
        list->n = 0;
    free(text);
}

static void write_pairs(const bool *all)
{
    char *text = NULL;
    size_t bytes = 0;
    atn_error err = {0};
    FILE *const f = atn_open_text(&text, &bytes);
    if (f == NULL)
        return;
    fprintf(f, "attune-partners 1\nranks %d\n", p);
    for (int a = 0; a < p; a++)
        for (int b = a + 1; b < p; b++)
            if (all[(size_t)a * p + b] || all[(size_t)b * p + a])
                fprintf(f, "%d %d\n", a, b);
    if (fclose(f) == 0 && atn_write_file(path, text, bytes, &err) != ATN_OK)
        atn_interpose_print_line("%s", err.text);
    free(text);
}

/* ---- at the start ---- */

/* Sends the list of rank 0 to all ranks; returns its length, or -1: no warm-up. */
static int share(MPI_Comm world, pairs *list)
{
    int n = list->n;
    if (r == 0) {
        for (int i = 1; i < p; i++) {
            atn_stager_pmpi.Send(&n, 1, MPI_INT, i, TAG, world);
            if (n > 0)
                atn_stager_pmpi.Send(list->v, n, MPI_INT, i, TAG, world);
        }
        return n;
    }
    atn_stager_pmpi.Recv(&n, 1, MPI_INT, 0, TAG, world, MPI_STATUS_IGNORE);
    if (n <= 0)
        return n;
    list->v = malloc((size_t)n * sizeof *list->v);
    if (list->v == NULL)
        PMPI_Abort(MPI_COMM_WORLD, 1); /* partners would wait forever */
    list->n = n;
    atn_stager_pmpi.Recv(list->v, n, MPI_INT, 0, TAG, world, MPI_STATUS_IGNORE);
    return n;
}

static int connect_pairs(MPI_Comm world, const pairs *list)
{
    MPI_Request *const requests = malloc(2 * ((size_t)p + 1) * sizeof *requests);
    bool *const connected = calloc((size_t)p, sizeof *connected);
    int n = 0;
    if (requests == NULL || connected == NULL)
        PMPI_Abort(MPI_COMM_WORLD, 1);
    for (int i = 0; i + 1 < list->n; i += 2) {
        if (list->v[i] != r && list->v[i + 1] != r)
            continue;
        const int other = list->v[i] == r ? list->v[i + 1] : list->v[i];
        if (connected[other])
            continue; /* a pair that is listed twice */
        connected[other] = true;
        atn_stager_pmpi.Irecv(NULL, 0, MPI_BYTE, other, TAG, world, &requests[n++]);
        atn_stager_pmpi.Isend(NULL, 0, MPI_BYTE, other, TAG, world, &requests[n++]);
    }
    atn_stager_pmpi.Waitall(n, requests, MPI_STATUSES_IGNORE);
    free(requests);
    free(connected);
    return n / 2;
}

void atn_stager_warmup_start(MPI_Comm world, const char *file, bool record, bool explain)
{
    pairs list = {0};
    PMPI_Comm_size(world, &p);
    PMPI_Comm_rank(world, &r);
    if (r == 0 && (file == NULL || *file == '\0' || p > MAX_RANKS || strlen(file) >= sizeof path))
        list.n = -1;
    else if (r == 0) {
        strcpy(path, file);
        read_pairs(&list);
    }
    const int n = share(world, &list);
    has_file = n >= 0;
    const int connections = n > 0 ? connect_pairs(world, &list) : 0;
    if (explain && r == 0 && n >= 0)
        atn_interpose_print_line("warm-up: %d pairs of ranks, %d connections of rank 0", n / 2,
                                 connections);
    free(list.v);
    partners = n >= 0 ? calloc((size_t)p, sizeof *partners) : NULL;
    atn_stager_warmup_records = partners != NULL && record;
}

/* ---- at the end ---- */

void atn_stager_warmup_stop(MPI_Comm world)
{
    atn_stager_warmup_records = false;
    if (!has_file)
        return;
    bool *const all = calloc((size_t)p * (r == 0 ? (size_t)p : 1), sizeof *all);
    if (all == NULL)
        PMPI_Abort(MPI_COMM_WORLD, 1);
    if (partners != NULL)
        memcpy(all, partners, (size_t)p * sizeof *partners);
    if (r != 0)
        atn_stager_pmpi.Send(all, p, MPI_BYTE, 0, TAG, world);
    for (int i = 1; i < p && r == 0; i++)
        atn_stager_pmpi.Recv(all + (size_t)i * p, p, MPI_BYTE, i, TAG, world, MPI_STATUS_IGNORE);
    if (r == 0)
        write_pairs(all);
    free(all);
    free(partners);
    partners = NULL;
}
