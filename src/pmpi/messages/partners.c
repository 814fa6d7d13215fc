/* partners.c - see partners.h.
 *
 * Rank 0 reads the pairs of the job before and tells all of them to everybody; the two ranks of
 * each pair then exchange an empty message.  As all have the same list, every message has its
 * receive. */
#include "pmpi/messages/partners.h"

#include <stdlib.h>
#include <string.h>

#include "pmpi/messages/early.h"
#include "pmpi/messages/say.h"

bool atn_partners_wanted;

enum { TAG = 3, MAX_RANKS = 4096 };
typedef ATN_VEC(int) pairs; /* two ranks each */

static char path[4000];
static bool *seen; /* ranks of MPI_COMM_WORLD that this one sends to */
static int p, r;
static bool taking_part; /* all ranks alike: rank 0 has a file */

void atn_partners_note(int dest, MPI_Comm comm, const void *from)
{
    const atn_known *const c = atn_known_comm(comm, from);
    if (c != NULL && dest >= 0 && dest < c->p)
        seen[c->world[dest]] = true;
}

/* ---- the file ---- */

static bool bad_line(int line, const char *why)
{
    atn_tell("%s:%d: %s; no connections are made ahead, and the file is written anew at the end",
             path, line, why);
    return false;
}

static bool read_line(const char *text, int line, pairs *list)
{
    int a, b, ranks, end = 0;
    if (line == 1)
        return strcmp(text, "attune-partners 1") == 0 ||
               bad_line(line, "not a list of partners as Attune writes it");
    if (line == 2) {
        if (sscanf(text, "ranks %d%n", &ranks, &end) != 1 || text[end] != '\0')
            return bad_line(line, "the number of ranks is missing");
        return ranks == p || bad_line(line, "of a job with another number of ranks");
    }
    if (sscanf(text, "%d %d%n", &a, &b, &end) != 2 || text[end] != '\0' || a < 0 || a >= b ||
        b >= p)
        return bad_line(line, "not a pair of ranks, the lower one first");
    return (atn_push(list, a) && atn_push(list, b)) || bad_line(line, "out of memory");
}

/* A file that is not there yet is no mistake: this is the first job. */
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
    FILE *const f = open_memstream(&text, &bytes);
    if (f == NULL)
        return;
    fprintf(f, "attune-partners 1\nranks %d\n", p);
    for (int a = 0; a < p; a++)
        for (int b = a + 1; b < p; b++)
            if (all[(size_t)a * p + b] || all[(size_t)b * p + a])
                fprintf(f, "%d %d\n", a, b);
    if (fclose(f) == 0 && atn_write_file(path, text, bytes, &err) != ATN_OK)
        atn_tell("%s", err.text);
    free(text);
}

/* ---- at the start ---- */

/* How many pairs there are, or -1: nothing is to be done; then the pairs. */
static int share(MPI_Comm world, pairs *list)
{
    int n = list->n;
    if (r == 0) {
        for (int i = 1; i < p; i++) {
            atn_pbehind.Send(&n, 1, MPI_INT, i, TAG, world);
            if (n > 0)
                atn_pbehind.Send(list->v, n, MPI_INT, i, TAG, world);
        }
        return n;
    }
    atn_pbehind.Recv(&n, 1, MPI_INT, 0, TAG, world, MPI_STATUS_IGNORE);
    if (n <= 0)
        return n;
    list->v = malloc((size_t)n * sizeof *list->v);
    if (list->v == NULL)
        PMPI_Abort(MPI_COMM_WORLD, 1); /* partners would wait */
    list->n = n;
    atn_pbehind.Recv(list->v, n, MPI_INT, 0, TAG, world, MPI_STATUS_IGNORE);
    return n;
}

static int greet(MPI_Comm world, const pairs *list)
{
    MPI_Request *const requests = malloc(2 * ((size_t)p + 1) * sizeof *requests);
    bool *const met = calloc((size_t)p, sizeof *met);
    int n = 0;
    if (requests == NULL || met == NULL)
        PMPI_Abort(MPI_COMM_WORLD, 1);
    for (int i = 0; i + 1 < list->n; i += 2) {
        if (list->v[i] != r && list->v[i + 1] != r)
            continue;
        const int other = list->v[i] == r ? list->v[i + 1] : list->v[i];
        if (met[other])
            continue; /* a pair that is named twice, which both see */
        met[other] = true;
        atn_pbehind.Irecv(NULL, 0, MPI_BYTE, other, TAG, world, &requests[n++]);
        atn_pbehind.Isend(NULL, 0, MPI_BYTE, other, TAG, world, &requests[n++]);
    }
    atn_pbehind.Waitall(n, requests, MPI_STATUSES_IGNORE);
    free(requests);
    free(met);
    return n / 2;
}

void atn_partners_start(MPI_Comm world, const char *file, bool watch, bool explain)
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
    taking_part = n >= 0;
    const int partners = n > 0 ? greet(world, &list) : 0;
    if (explain && r == 0 && n >= 0)
        atn_tell("warm-up: %d pairs of ranks, rank 0 met %d", n / 2, partners);
    free(list.v);
    seen = n >= 0 ? calloc((size_t)p, sizeof *seen) : NULL;
    atn_partners_wanted = seen != NULL && watch;
}

/* ---- at the end ---- */

void atn_partners_stop(MPI_Comm world)
{
    atn_partners_wanted = false;
    if (!taking_part)
        return;
    bool *const all = calloc((size_t)p * (r == 0 ? (size_t)p : 1), sizeof *all);
    if (all == NULL)
        PMPI_Abort(MPI_COMM_WORLD, 1);
    if (seen != NULL)
        memcpy(all, seen, (size_t)p * sizeof *seen);
    if (r != 0)
        atn_pbehind.Send(all, p, MPI_BYTE, 0, TAG, world);
    for (int i = 1; i < p && r == 0; i++)
        atn_pbehind.Recv(all + (size_t)i * p, p, MPI_BYTE, i, TAG, world, MPI_STATUS_IGNORE);
    if (r == 0)
        write_pairs(all);
    free(all);
    free(seen);
    seen = NULL;
}
