#!/usr/bin/env bash
# attune schedule with --neighbors: neighbourhood collectives on grids and graphs.
. "$(dirname "$0")/lib.sh"

# ---- proofs ----
golden verify_neighbors.out 0 attune schedule verify neighbor_alltoall/direct --neighbors cart:4x4
for op in allgather allgatherv alltoall alltoallv alltoallw; do
    for name in direct pairwise combine; do
        holds proven attune schedule verify neighbor_$op/$name --neighbors cart:2px3x1p
    done
    holds proven attune schedule verify neighbor_$op/direct -p 2:9 --neighbors random:3:1
    attune schedule show neighbor_$op/aggregate --neighbors random:5:2 --topology '4@1G;ranks=4' --format text -o $op.txt
    holds proven attune schedule verify $op.txt
done

# ---- readers ----
golden verify_box.out 0 attune schedule verify neighbor_allgather/stencil --neighbors box:3px3px4
holds proven attune schedule verify neighbor_alltoall/stencil --neighbors box:3px3px4
fails 3 '*the graph is not the box stencil of a grid' attune schedule verify neighbor_alltoall/stencil --neighbors cart:4x4
golden show_neighbors.out 0 attune schedule show neighbor_alltoall/pairwise --neighbors cart:2px2
golden show_neighbors.txt 0 attune schedule show neighbor_allgather/direct -p 3 --neighbors random:2:1 --format text
golden compare_neighbors.out 0 attune schedule compare neighbor_alltoall neighbor_allgather --neighbors random:6:1 \
    --topology '4@100M;ranks=4'
holds '</svg>' attune schedule draw neighbor_alltoall/direct --neighbors cart:3px2
holds 'on cart:4px4p, n=64K: 4 a' attune algo show neighbor_alltoall/direct
holds 'on box:4px4p, n=64K: 4 a + 786432 b' attune algo show neighbor_alltoall/stencil
holds neighbor_alltoallw/aggregate attune algo list
holds neighbor_alltoall/pairwise attune model time neighbor_alltoall --neighbors cart:4x4 --bytes 1K

# Messages between hosts are slow: few of them win if blocks are small.
ranks_first() { # NAME ARGUMENTS ...
    attune explain "${@:2}" --top 1 --format csv 2>/dev/null | tail -n 1 | grep "$1"
}
check "explain on a grid" ranks_first neighbor_alltoall/ neighbor_alltoall:16:1K --neighbors cart:4x4
check "explain on a graph" ranks_first neighbor_allgather/aggregate neighbor_allgather::64 --neighbors random:9:1 \
    --topology '8@100M;ranks=16'
fails 2 'attune: neighbor_alltoall has neighbours; add --neighbors' attune explain neighbor_alltoall:16:1K
fails 2 'attune: bcast has no neighbours; omit --neighbors' attune explain bcast:16:1K --neighbors ring

# ---- graphs in files ----
printf '# a star\n0 1\n0 2\n1 0\n2 0\n' >star
holds proven attune schedule verify neighbor_alltoall/direct --neighbors graph:star
holds 'lists:1,2/1,2;0/0;0/0' attune schedule show neighbor_alltoall/direct --neighbors graph:star --format text
holds 'p=5' attune schedule show neighbor_alltoall/direct -p 5 --neighbors graph:star --format text
printf '0 1\n1\n' >bad
fails 3 'attune: bad:2: an edge is written FROM TO*' attune schedule show neighbor_alltoall/direct --neighbors graph:bad
fails 3 '*missing*' attune schedule show neighbor_alltoall/direct --neighbors graph:missing

# ---- wrong options ----
fails 2 'attune: neighbor_alltoall needs its neighbours; add --neighbors*' \
    attune schedule verify neighbor_alltoall/direct -p 4
fails 2 'attune: bcast has no neighbours; omit --neighbors' attune schedule show bcast/chain --neighbors ring
fails 2 'attune: --neighbors cart:4x4 has 16 ranks; omit -p 8' \
    attune schedule show neighbor_alltoall/direct --neighbors cart:4x4 -p 8
fails 3 'attune: neighbours *cart:4y4*: the form is cart:4x4*' \
    attune schedule show neighbor_alltoall/direct --neighbors cart:4y4
fails 3 '*no two ranks have several edges' attune schedule verify neighbor_alltoall/combine --neighbors cart:4x4
fails 3 '*the topology is not known' attune schedule verify neighbor_alltoall/aggregate --neighbors cart:4x4
fails 3 '*every host and every switch has one rank' \
    attune schedule verify neighbor_alltoall/aggregate --neighbors ring --topology 2x1@1G
fails 2 '*--neighbors cart:2x2 has 4 ranks, the topology 16' \
    attune schedule verify neighbor_alltoall/direct --neighbors cart:2x2 --topology 4x4@1G
fails 3 '*neighbor_alltoall cannot be measured here*' attune bench --ops neighbor_alltoall -- true
fails 3 '*' attune schedule generate neighbor_alltoall --topology 4x4@1G
finish
