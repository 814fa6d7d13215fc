/* topology.c - queries the topology as a program does: there is none without Attune or without
 * topology information; otherwise ranks are on h0 .. h3, two of which are on each of two
 * switches. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attune/topology.h"
#include "harness.h"

static void unknown(MPI_Comm comm)
{
    t_check(attune_depth(comm, 0) == 0, "there is a depth");
    t_check(attune_cluster(comm, 0, 0) == -1, "there is a cluster");
    t_check(attune_level_name(comm, 0, 0) == NULL, "a level has a name");
}

static int host_of(int world_rank) { return world_rank % 4; }

/* World rank r is on host r % 4; hosts 0, 1 and 2, 3 are on the same switch. */
static void known_world(void)
{
    for (int r = 0; r < t_ranks; r++) {
        t_where("rank %d", r);
        t_check(attune_depth(MPI_COMM_WORLD, r) == 3, "%d levels", attune_depth(MPI_COMM_WORLD, r));
        t_check(attune_cluster(MPI_COMM_WORLD, r, 0) == 0, "level 0 does not have all ranks");
        t_check(attune_cluster(MPI_COMM_WORLD, r, 1) == host_of(r) / 2, "on another switch");
        t_check(attune_cluster(MPI_COMM_WORLD, r, 2) == host_of(r), "on another host");
        t_check(attune_cluster(MPI_COMM_WORLD, r, 3) == -1, "there is a level too many");
        t_check(strcmp(attune_level_name(MPI_COMM_WORLD, r, 0), "switch") == 0, "level 0 is odd");
        t_check(strcmp(attune_level_name(MPI_COMM_WORLD, r, 1), "rack") == 0, "level 1 is odd");
        t_check(strcmp(attune_level_name(MPI_COMM_WORLD, r, 2), "host") == 0, "level 2 is odd");
        t_check(attune_level_name(MPI_COMM_WORLD, r, 3) == NULL, "level 3 has a name");
    }
    unknown(MPI_COMM_NULL);
    t_check(attune_depth(MPI_COMM_WORLD, -1) == 0, "rank -1 has a depth");
    t_check(attune_depth(MPI_COMM_WORLD, t_ranks) == 0, "a rank too many has a depth");
}

static void attribute(void)
{
    void *value = NULL;
    int found = 0;

    MPI_Comm_get_attr(MPI_COMM_WORLD, attune_topology_key(), &value, &found);
    t_check(found && value == attune_topology_of(MPI_COMM_WORLD), "it is another one");
}

/* Ranks of one rack have the levels of its hosts; each communicator has its own view, also a
 * duplicate. */
static void groups(void)
{
    MPI_Comm rack, copy;
    int p, r;

    MPI_Comm_split(MPI_COMM_WORLD, host_of(t_rank) / 2, t_rank, &rack);
    MPI_Comm_size(rack, &p);
    MPI_Comm_rank(rack, &r);
    const int hosts = t_ranks < 4 ? p : 2;
    if (hosts > 1) {
        t_check(attune_depth(rack, r) == 2, "%d levels in a rack", attune_depth(rack, r));
        t_check(attune_cluster(rack, r, 1) == host_of(t_rank) % 2, "another host of the rack");
        t_check(strcmp(attune_level_name(rack, r, 0), "rack") == 0, "the rack is odd");
    }
    MPI_Comm_dup(rack, &copy);
    t_check(attune_topology_of(copy) != attune_topology_of(rack),
            "a duplicate shares the attribute");
    t_check(attune_depth(copy, 0) == attune_depth(rack, 0), "a duplicate has another view");
    MPI_Comm_free(&rack);
    t_check(attune_depth(copy, 0) > 0, "a duplicate has lost its view");
    MPI_Comm_free(&copy);
    t_check(attune_depth(MPI_COMM_SELF, 0) == 1, "one rank with %d levels",
            attune_depth(MPI_COMM_SELF, 0));
}

static void between(void)
{
    MPI_Comm half, inter;

    if (t_ranks < 2) {
        t_skip("topology of one rank");
        return;
    }
    MPI_Comm_split(MPI_COMM_WORLD, t_rank % 2, t_rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - t_rank % 2, 7, &inter);
    unknown(inter);
    MPI_Comm_free(&inter);
    MPI_Comm_free(&half);
}

/* Only the ranks of each host. */
static void known_hosts(void)
{
    t_point("hosts");
    for (int r = 0; r < t_ranks; r++) {
        t_where("rank %d", r);
        t_check(attune_depth(MPI_COMM_WORLD, r) == 2, "%d levels", attune_depth(MPI_COMM_WORLD, r));
        t_check(attune_cluster(MPI_COMM_WORLD, r, 1) == host_of(r), "on another host");
    }
}

/* Two ranks of one rack, bound to processors of one package of their hosts. */
static void known_parts(void)
{
    t_point("topology with parts of hosts");
    for (int r = 0; r < t_ranks; r++) {
        const char *name = attune_level_name(MPI_COMM_WORLD, r, 2);
        t_where("rank %d", r);
        t_check(attune_depth(MPI_COMM_WORLD, r) == 3, "%d levels", attune_depth(MPI_COMM_WORLD, r));
        t_check(name && strcmp(name, "package") == 0, "on another part");
    }
}

static void all_known(void)
{
    t_point("topology of MPI_COMM_WORLD");
    known_world();
    t_point("topology attribute of MPI_COMM_WORLD");
    attribute();
    t_point("topology of other communicators");
    groups();
    t_point("intercommunicators");
    between();
}

int main(int argc, char **argv)
{
    t_fake_hosts();
    MPI_Init(&argc, &argv);
    t_start(30);
    if (argc > 1 && strcmp(argv[1], "known") == 0) {
        all_known();
    } else if (argc > 1 && strcmp(argv[1], "hosts") == 0) {
        known_hosts();
    } else if (argc > 1 && strcmp(argv[1], "parts") == 0) {
        known_parts();
    } else {
        t_point("there is no topology");
        unknown(MPI_COMM_WORLD);
        unknown(MPI_COMM_SELF);
        if (attune_topology_key != NULL)
            t_check(attune_topology_key() == MPI_KEYVAL_INVALID, "there is an attribute key");
    }
    const int code = t_finish();
    MPI_Finalize();
    return code;
}
