/* topics.c - see topics.h. */
#include "cli/topics.h"

#include <stddef.h>

static const char algorithms[] =
    "An algorithm is named operation/name. Parameters follow in braces, also those\n"
    "of algorithms that are a part of it:\n"
    "\n"
    "  allreduce/ring                 default parameters\n"
    "  allreduce/ring{segment=8K}     with a parameter\n"
    "  bcast/chain{segment=8K,chains=2}\n"
    "  allreduce/rabenseifner{gather=mesh{dims=3}}\n"
    "  bcast=chain{segment=8K}        in the list of --algorithm\n"
    "  allreduce=native               the MPI library's own implementation\n"
    "\n"
    "'attune algo list' lists all algorithms, 'attune algo show NAME' describes one.\n"
    "\n"
    "Force algorithms with --algorithm (-a) or ATTUNE_ALGORITHM, a comma-separated\n"
    "list of operation=algorithm:\n"
    "\n"
    "  attune run -a 'allreduce=ring{segment=64K},*=native' -- mpirun -n 4 ./program\n"
    "\n"
    "'*' stands for every operation that has an algorithm of this name; an operation\n"
    "that is named takes precedence. If several entries match a call, the first\n"
    "applicable one is used; if none applies, the call is native and the reason is\n"
    "reported once. A repeated --algorithm is put in front of the list.\n"
    "\n"
    "Rules select algorithms by number of ranks and message size; see 'attune help\n"
    "wisdom'. Forced algorithms have priority over rules.\n";

static const char sizes[] =
    "A size is a number of bytes, optionally with a suffix: K (1024), M (1024 K) or\n"
    "G (1024 M): 4096, 64K, 1M.\n"
    "\n"
    "A list of sizes (--sizes) is separated by commas. Its items are sizes or ranges\n"
    "FIRST:LAST:STEP; xN multiplies by N, +N adds N:\n"
    "\n"
    "  16K,128K,1M\n"
    "  1K:1M:x4          1K, 4K, 16K ... 1M\n"
    "  0:64:+8           0, 8, 16 ... 64\n"
    "\n"
    "The size of a problem is that of the whole message for bcast, reduce, allreduce\n"
    "and scan, and that of the block of one rank (gather, scatter, allgather,\n"
    "reduce_scatter_block) or pair of ranks (alltoall) for the other operations.\n"
    "\n"
    "Ranges in rules and in 'attune wisdom forget' are LO:HI, LO:, :HI, a number,\n"
    "or *. Link rates are decimal bits per second: 100M, 2.5G. Delays need a unit:\n"
    "250ns, 50us, 10ms.\n";

static const char topology[] =
    "A topology is a tree of switches and hosts, or a network with routes, with link\n"
    "rates and delays. Every command and setting that takes a topology accepts:\n"
    "\n"
    "  4x8@100M               4 switches with 8 hosts each, links of 100 Mbit/s\n"
    "  16@1G                  16 hosts on one switch\n"
    "  2@1G+10ms x4x8@100M    2 sites, 10 ms apart, with 4 switches of 8 hosts each\n"
    "  chain:4x8@100M         4 switches in a row, 8 hosts on each\n"
    "  fattree:8x8x16@100G    8 pods of 8 leaf switches of 16 hosts; with options\n"
    "                         oversubscribe=4, routes=dmodk\n"
    "  torus:8x8x8@40G        a torus (or mesh:) with a host at each router\n"
    "  dragonfly:9x8x4@25G    9 groups of 8 routers of 4 hosts\n"
    "  hosts:n[0-7]           a list of hosts on one switch, rates unknown\n"
    "  hwloc:this             the inside of this machine\n"
    "  FILE                   Slurm's topology.conf, a graph, a string as above, a\n"
    "                         list of hosts, or XML written by lstopo; and files\n"
    "                         of other tools: topology.yaml, ibnetdiscover,\n"
    "                         iblinkinfo, forwarding tables, lldpctl -f json, netloc,\n"
    "                         SimGrid, site,rack,host, kubectl nodes with labels\n"
    "\n"
    "Options follow after semicolons: ';order=roundrobin' is cyclic mapping,\n"
    "';ranks=4' places 4 ranks on each host, ';hosts=tux[01-32]' names the hosts.\n"
    "\n"
    "'attune topo discover' measures the topology of a cluster. 'attune topo check'\n"
    "lists errors, 'show' and 'draw' display a topology, 'convert' writes it in\n"
    "another format. docs/topology-format.md describes the formats.\n"
    "\n"
    "In jobs, ATTUNE_TOPOLOGY or --topology names the topology; hosts are matched by\n"
    "name.\n";

static const char variants[] =
    "'attune bench --variants LIST' compares variants of an operation in one job:\n"
    "\n"
    "  native      the MPI library's own implementation; always measured; baseline\n"
    "  control     native again; always measured. If the confidence interval of its\n"
    "              ratio excludes 1, the rows of that problem are not trustworthy\n"
    "  attune      selected by --rules, --algorithm or --machine; native without them\n"
    "  best        the fastest candidate, native included; --candidates restricts the\n"
    "              candidates. Selected on half of the samples, reported on the rest\n"
    "  all         every candidate in a row of its own\n"
    "  NAME        an algorithm: chain{segment=8K} for every operation that has it,\n"
    "              bcast/binomial for one operation\n"
    "\n"
    "Variants are interleaved: every round calls each variant once, in random order.\n"
    "docs/benchmarking.md describes the method.\n";

static const char environment[] =
    "Jobs read these variables on one rank and distribute the values to all ranks.\n"
    "Options of 'attune run' override them. 'attune settings' shows the values in\n"
    "force, allowed values, defaults and full descriptions.\n";

static const char files[] = "Default locations, and files that commands leave behind:\n\n";

const atn_topic atn_cli_topics[] = {
    {"algorithms", "How to name and force algorithms", algorithms},
    {"sizes", "How to write sizes, ranges and rates", sizes},
    {"topology", "How to describe the topology of a cluster", topology},
    {"variants", "What 'attune bench' compares", variants},
    {"environment", "Environment variables of jobs", environment},
    {"files", "Files that Attune reads and writes", files},
    {"exit-status", "Exit status of 'attune'", NULL},
    {NULL, NULL, NULL},
};
