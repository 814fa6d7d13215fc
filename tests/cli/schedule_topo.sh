#!/usr/bin/env bash
# attune schedule with a topology: topology-aware schedules, and contention.
. "$(dirname "$0")/lib.sh"
row='4x4@100M;order=roundrobin'

# ---- proofs ----
golden verify_aapc.out 0 attune schedule verify alltoall/aapc --topology "$row"
golden verify_aapc.csv 0 attune schedule verify alltoall/aapc --topology "$row" --format csv
golden verify_chain.out 0 attune schedule verify 'bcast/chain{order=dfs,segment=8K}' --root 5 \
    --topology "$row"
for name in 'allgather/ring{order=lr1}' 'allreduce/ring{order=lr1}' 'reduce_scatter/ring{order=lr3}' \
    'allgatherv/ring{order=lr1}' 'bcast/topo_tree{arity=2}' 'bcast/topo_tree{arity=3,segment=4K}' \
    'reduce/topo_tree{segment=8K}' 'reduce/chain{order=dfs}' 'alltoallv/aapc{sync=sender}' \
    'alltoall/aapc{sync=barrier_sender,block=4}' 'alltoall/aapc{sync=dummy}'; do
    holds 'no contention' attune schedule verify "$name" --topology "$row"
done
holds 'no contention' attune schedule verify alltoall/aapc --topology '2x4x3'
holds 'no contention' attune schedule verify alltoall/aapc --topology '4@1G x 4@100M'

# The number of phases is the lower bound of the busiest link, on every topology.
optimal() { attune schedule verify alltoall/aapc --topology "$1" --format csv |
    awk -F, 'NR > 1 && $6 == $7 { ok = 1 } END { exit !ok }'; }
for file in "$root"/share/topologies/*.conf; do
    check "phases of alltoall on $(basename "$file")" optimal "$file"
done

# ---- networks with routes ----
for network in torus:3x3@1G 'torus:4x3@1G;ranks=2' 'dragonfly:4@2G x2@1G x2@1G' \
    'fattree:4x4@1G;up=2;routes=dmodk'; do
    holds 'no contention' attune schedule verify alltoall/aapc --topology "$network"
done
fails 1 '*from rank 0 to 3 and from 1 to 2 share the link from s1 to s2' \
    attune schedule verify alltoall/linear --topology mesh:4@1G
fails 1 '*from rank 0 to 7 and from 1 to 6 share the link from s0 to s7' \
    attune schedule verify alltoall/pairwise --topology torus:8@1G
fails 1 '*share the link from s0 to core/0' \
    attune schedule verify alltoall/linear --topology 'fattree:4x4@1G;up=2;routes=dmodk'
holds 'no contention' attune schedule verify 'allgather/ring{order=lr1}' --topology torus:3x3@1G
fails 3 '*such rings are known for trees only, and the network has other routes*' \
    attune schedule verify 'allgather/ring{order=lr3}' --topology torus:3x3@1G
fails 3 '*contention-free trees are known for trees only*' \
    attune schedule verify bcast/topo_tree --topology torus:3x3@1G

# ---- contention is found ----
fails 1 '*contention in round 0: the messages from rank 0 to 1 and from 4 to 5 share the link of s0 up' \
    attune schedule verify alltoall/xor --topology "$row"
fails 1 '*contention in round*' attune schedule verify allgather/ring --topology "$row"
attune schedule show alltoall/linear -p 16 --format text -o linear.txt
fails 1 '*contention in round*' attune schedule verify linear.txt --topology "$row"

# ---- missing options ----
fails 3 '*not applicable: the topology is not known' attune schedule verify bcast/topo_tree -p 8
fails 3 '*not applicable: the order needs a topology' \
    attune schedule verify 'bcast/chain{order=dfs}' -p 8
fails 3 '*not applicable: a switch has fewer hosts than neighbouring switches*' \
    attune schedule verify 'allgather/ring{order=lr2}' --topology "$row"
fails 2 'attune: the topology has 16 ranks; omit -p 8' \
    attune schedule verify bcast/chain --topology "$row" -p 8
fails 3 '*' attune schedule verify bcast/chain --topology nothing.conf

# ---- the other verbs ----
holds ssend attune schedule show alltoall/aapc --topology 2x2 --param sync=sender
drawing() { attune schedule draw bcast/topo_tree --topology "$row" | head -c 4 | grep -q '<svg'; }
check "draw a tree" drawing
finish
