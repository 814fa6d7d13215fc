/* probe.c - what the tests of the lab run on its hosts.
 *   probe hello              every rank: its number and host
 *   probe bulk A B BYTES     A sends to B, five times; the shortest time in seconds
 *   probe both A B BYTES     the same in both directions at once
 *   probe ping A B           shortest round trip between A and B in microseconds
 *   probe env NAME           every rank: the variable
 *   probe until FILE         collectives until the file exists; how many values were wrong
 *   probe exit CODE          ends with the code
 *   probe wait [deaf]        prints "waiting" and waits for ever, deaf: ignoring signals */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int rank;

static void exchange(int a, int b, char *out, char *in, int bytes, int back)
{
    MPI_Request r[2];
    int n = 0;
    if (rank == (back ? b : a))
        MPI_Isend(out, bytes, MPI_BYTE, back ? a : b, back, MPI_COMM_WORLD, &r[n++]);
    if (rank == (back ? a : b))
        MPI_Irecv(in, bytes, MPI_BYTE, back ? b : a, back, MPI_COMM_WORLD, &r[n++]);
    MPI_Waitall(n, r, MPI_STATUSES_IGNORE);
}

/* Both directions at once, in messages below the eager limit: the rendezvous handshake of a larger
 * message would queue behind the data in the other direction. */
static void cross(int a, int b, char *out, char *in, int bytes)
{
    const int piece = 8192, peer = rank == a ? b : a;
    if (rank != a && rank != b)
        return;
    for (int at = 0; at < bytes; at += piece) {
        const int n = bytes - at < piece ? bytes - at : piece;
        MPI_Sendrecv(out + at, n, MPI_BYTE, peer, 0, in + at, n, MPI_BYTE, peer, 0, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
    }
}

static void bulk(char **words, int both)
{
    const int a = atoi(words[0]), b = atoi(words[1]), bytes = atoi(words[2]);
    char *out = calloc((size_t)bytes, 1), *in = malloc((size_t)bytes), last = 0;
    double best = 1e9;
    for (int i = 0; i < 5; i++) {
        MPI_Barrier(MPI_COMM_WORLD);
        const double begin = MPI_Wtime();
        if (both)
            cross(a, b, out, in, bytes);
        else
            exchange(a, b, out, in, bytes, 0);
        exchange(a, b, &last, &last, 1, 1);
        const double took = MPI_Wtime() - begin;
        best = took < best ? took : best;
    }
    if (rank == a)
        printf("%.6f\n", best);
    free(out);
    free(in);
}

static void ping(char **words)
{
    const int a = atoi(words[0]), b = atoi(words[1]);
    double best = 1e9;
    char byte = 0;
    for (int i = 0; i < 15; i++) {
        const double begin = MPI_Wtime();
        exchange(a, b, &byte, &byte, 1, 0);
        exchange(a, b, &byte, &byte, 1, 1);
        const double took = MPI_Wtime() - begin;
        best = took < best ? took : best;
    }
    if (rank == a)
        printf("%.1f\n", best * 1e6);
}

/* A line of every rank, printed by one: launchers mix what several ranks print. */
static void print_line(const char *text)
{
    enum { LINE = 512 };
    char line[LINE], *all = NULL;
    int ranks;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    snprintf(line, sizeof line, "%s", text);
    if (rank == 0)
        all = malloc((size_t)ranks * LINE);
    MPI_Gather(line, LINE, MPI_CHAR, all, LINE, MPI_CHAR, 0, MPI_COMM_WORLD);
    for (int i = 0; rank == 0 && i < ranks; i++)
        printf("%s\n", all + (size_t)i * LINE);
    free(all);
}

static void hello(void)
{
    char host[256], text[300];
    gethostname(host, sizeof host);
    snprintf(text, sizeof text, "%d %s", rank, host);
    print_line(text);
}

/* One value of each rank to all, by two operations: wrong results on this rank. */
static int wrong_values(int salt)
{
    enum { MOST = 64, EACH = 500 };
    static int out[MOST * EACH], in[MOST * EACH];
    int ranks, wrong = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int i = 0; i < ranks * EACH; i++)
        out[i] = rank * 7 + i + salt;
    MPI_Alltoall(out, EACH, MPI_INT, in, EACH, MPI_INT, MPI_COMM_WORLD);
    for (int i = 0; i < ranks * EACH; i++)
        wrong += in[i] != i / EACH * 7 + rank * EACH + i % EACH + salt;
    MPI_Allreduce(out, in, ranks * EACH, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < ranks * EACH; i++)
        wrong += in[i] != ranks * (ranks - 1) / 2 * 7 + ranks * (i + salt);
    return wrong;
}

static void repeat_until(const char *file)
{
    int done = 0, wrong = 0, all = 0;
    for (int i = 0; !done; i++) {
        wrong += wrong_values(i);
        if (rank == 0 && i == 20) {
            printf("started\n");
            fflush(stdout);
        }
        done = rank == 0 && i > 20 && access(file, F_OK) == 0;
        MPI_Bcast(&done, 1, MPI_INT, 0, MPI_COMM_WORLD);
    }
    MPI_Reduce(&wrong, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d wrong values\n", all);
}

static void wait_for_ever(int deaf)
{
    if (deaf) {
        signal(SIGINT, SIG_IGN);
        signal(SIGTERM, SIG_IGN);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        printf("waiting\n");
    fflush(stdout);
    for (;;)
        sleep(1);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "hello";
    int code = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (strcmp(what, "hello") == 0)
        hello();
    else if (strcmp(what, "env") == 0)
        print_line(getenv(argv[2]) != NULL ? getenv(argv[2]) : "(none)");
    else if (strcmp(what, "bulk") == 0 || strcmp(what, "both") == 0)
        bulk(argv + 2, strcmp(what, "both") == 0);
    else if (strcmp(what, "ping") == 0)
        ping(argv + 2);
    else if (strcmp(what, "until") == 0)
        repeat_until(argv[2]);
    else if (strcmp(what, "exit") == 0)
        code = atoi(argv[2]);
    else if (strcmp(what, "wait") == 0)
        wait_for_ever(argc > 2);
    MPI_Finalize();
    return code;
}
