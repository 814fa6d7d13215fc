#!/usr/bin/env bash
# Collectives over levels on the command line, and attune schedule compare.
. "$(dirname "$0")/lib.sh"
machines=$root/share/topologies/three-machines.conf

# ---- levels ----
for name in 'bcast/levels' 'bcast/levels{site:flat,machine:chain{chains=2},segment=8K}' \
    'reduce/levels{site:flat,machine:ring,host:binomial}' 'allreduce/levels{site:none}' \
    'barrier/levels{host:dissemination}' 'scan/levels' \
    'allgather/levels{half*6:ring,three*3:linear}'; do
    holds 'no deadlock' attune schedule verify "$name" --topology "$machines"
done
holds 'no deadlock' attune schedule verify 'bcast/levels{half*4:flat}' -p 8
holds 'no deadlock' attune schedule verify 'alltoall/levels{half*6:pairwise,rank:bruck}' -p 12
fails 3 '*not applicable: the topology is not known' attune schedule verify bcast/levels -p 8
fails 3 '*not applicable: the topology has no level siet; it has: switch site machine host rank' \
    attune schedule verify 'bcast/levels{siet:flat}' --topology "$machines"
fails 3 '*bcast/levels: no part of bcast has an algorithm "binomal" for level site; did you mean "binomial"?*' \
    attune schedule verify 'bcast/levels{site:binomal}' --topology "$machines"
fails 3 "*bcast/levels: 'site' is invalid; write each level once, as LEVEL:ALGORITHM,*" \
    attune schedule verify 'bcast/levels{site}' --topology "$machines"
fails 3 '*parameters are written name{key=value,key=value}' \
    attune schedule verify 'bcast/levels{site:flat' --topology "$machines"
fails 3 '*scan/levels is not applicable: clusters are not runs of consecutive ranks*' \
    attune schedule verify scan/levels --topology '2x4;order=roundrobin'
holds 'LEVEL:ALGORITHM' attune algo show bcast/levels
holds 'name bcast/levels{switch:flat}' attune schedule show bcast/levels --topology 2x2 --param levels=switch:flat --format text

# ---- in rules and forced algorithms ----
cat >wisdom <<'END'
attune-wisdom 1
rule allreduce bytes=64K: use=levels{site:flat,switch:ring,host:chain{chains=2},segment=8K} next=ring{segment=64K}
rule allreduce use=levels{site:flat}
end
END
holds 'use=levels{site:flat,switch:ring,host:chain{chains=2},segment=8K} next=ring{segment=64K}' \
    attune wisdom show wisdom
sed 's/chains=2/chain=2/' wisdom >bad
fails 3 "*bad:2: allreduce/levels: level host: chain has no parameter 'chain=2'*" \
    attune wisdom show bad
runs() { attune run --dry-run --mpi openmpi --algorithm "$1" -- true; }
check "forced levels" runs 'allreduce=levels{site:flat,switch:ring,segment=8K},bcast=chain:segment=8K'
fails 3 '*ATTUNE_ALGORITHM: bcast/levels: no part of bcast has an algorithm "ringg"*' \
    runs 'allreduce=ring,bcast=levels{site:flat,host:ringg}'

# ---- compare ----
golden compare.out 0 attune schedule compare bcast/binomial bcast/linear bcast/levels bcast/topo_tree -p 6
golden compare_levels.out 0 attune schedule compare allreduce/reduce_bcast allreduce/levels \
    'allreduce/levels{machine:none}' allreduce/ring --topology "$machines" --bytes 12K \
    --sort site_messages
golden compare.csv 0 attune schedule compare alltoall/linear alltoall/levels --topology 2x2 --format csv
golden compare.json 0 attune schedule compare barrier/linear -p 4 --format json
holds 'bcast/chain{segment=8K}' attune schedule compare bcast --param segment=8K
sorted() { attune schedule compare bcast -p 12 --sort "$1" --format csv | cut -d, -f"$2" | tail -n +2 |
    grep . | sort -c -n; }
check "sorted by rounds" sorted rounds 4
check "sorted by bytes" sorted bytes 3
fails 2 '*--sort size: unknown column; there are: algorithm, messages, bytes, rounds, path, reduced' \
    attune schedule compare bcast --sort size
holds 'reduce/chain' attune schedule compare bcast/chain reduce/chain
fails 2 '*bcast has no operator; omit --ordered' \
    attune schedule compare reduce/chain bcast/chain --ordered
fails 2 '*--param radius: no algorithm has this parameter*' \
    attune schedule compare bcast --param radius=3
fails 3 '*bcast/native has no schedule' attune schedule compare bcast/native
fails 3 '*unknown operation "bcost"; did you mean "bcast"?*' attune schedule compare bcost
fails 2 '*--root 9: the ranks are 0 to 7' attune schedule compare bcast --root 9
finish
