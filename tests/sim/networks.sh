#!/usr/bin/env bash
# attune sim on networks with routes: SimGrid finds a route for each pair, the program the right host.
. "$(dirname "$0")/lib.bash"
export TMPDIR=$box/tmp
mkdir tmp

places() { # RANKS PLATFORM
    "$attune" sim --platform "$2" -- "$programs/places" >out 2>err
    [ "$(sort -n out | cut -d' ' -f1 | paste -sd' ')" = "$(seq -s' ' 0 $(($1 - 1)))" ] && [ ! -s err ] ||
        { cat out err; return 1; }
}
check "routes between routers" places 16 'torus:4x4@10G+1us'
check "several hosts of a router, several ranks of a host" places 24 'mesh:2x3@10G;per=2;ranks=2'
check "minimal routes" places 32 'dragonfly:4@25G x4@10G x2@10G+1us'
check "routes between hosts" places 16 'dragonfly:4@25G x2@10G x2@10G;global=2'
check "a fat tree of SimGrid" places 32 'fattree:4x8@10G+1us;oversubscribe=2;routes=dmodk'
check "a fat tree of SimGrid, two rails" places 16 'fattree:4x4@10G+1us;rails=2;routes=dmodk'
check "a fat tree with routes written out" places 16 'fattree:4@20G x4@10G;routes=dmodk'

# Right results with algorithms that the planner and the routes select.
planned() {
    simulate torus:4x4@10G+1us 16 --select model -- "$programs/planned" >out 2>err &&
        [ "$(grep -c '^ok' out)" = 3 ] || { cat out err; return 1; }
}
check "planned on a torus" planned
# Other operations are native; some of SMPI's have wrong results (collectives.sh).
phased() {
    simulate torus:4x4@10G+1us 16 --algorithm alltoall=aapc --report=report.csv -- \
        "$programs/collectives" 10 >out 2>err
    grep -q '^ok .* - alltoall ' out && grep -q '^alltoall,.*,aapc' report.csv ||
        { cat out err report.csv; return 1; }
}
check "phases of alltoall on a torus" phased
finish
