#!/usr/bin/env bash
# Right results of all collectives in simulated jobs of 16 ranks, with forced algorithms.
. "$(dirname "$0")/lib.bash"

# A list of algorithms for all operations; the native scan, exscan and reduce_scatter of SMPI have wrong
# results in place and for operators that do not commute.
right() { # ALGORITHMS
    ATTUNE_ALGORITHM=$1 ATTUNE_REPORT=report.csv simulate 4x4@1G+5us 16 -- "$programs/collectives" 10 >out 2>err &&
        [ "$(grep -c '^ok' out)" = 17 ] && all_used "$1" || { cat out err; return 1; }
}
# The report has every algorithm of the list, so none was replaced by native in all calls.
all_used() { # ALGORITHMS
    local pair
    for pair in ${1//,/ }; do
        cut -d, -f1,4 report.csv | grep -qE "^${pair%=*},${pair#*=}(\{|\$)" || { echo "$pair was not used"; return 1; }
    done
}
# Round k forces the k-th algorithm of each operation, so that all of the catalogue is run that needs no
# shared memory.
"$attune" algo list --format csv | grep -v 'shared memory\|^neighbor_' | cut -d, -f1 | grep -E '^[a-z_]+/' |
    grep -v /native >names
rounds=$(cut -d/ -f1 names | sort | uniq -c | sort -n | awk 'END { print $1 }')
algorithms() { # ROUND
    awk -F/ -v k="$1" '
        { name[$1, n[$1]++] = $2 }
        END { for (op in n) printf "%s=%s,", op, name[op, k % n[op]] }' names | sed 's/,$//'
}
for ((k = 0; k < rounds; k++)); do
    check "algorithms, $((k + 1)) of $rounds" right "$(algorithms $k)"
done
finish
