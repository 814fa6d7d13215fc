#!/usr/bin/env bash
# attune algo: the catalogue as table, csv, json and markdown.
. "$(dirname "$0")/lib.sh"

# ---- list ----
golden algo_barrier.out 0 attune algo list --operation barrier
golden algo_barrier.csv 0 attune algo list --operation barrier --format csv
golden algo_barrier.json 0 attune algo list --operation=barrier --format json
golden algo_barrier.md 0 attune algo list --operation barrier --format markdown

rows() { grep -c '^ATN_ALGO' "$root/src/algo/catalog.def"; }
operations() { grep -c '^ATN_OPERATION' "$root/src/sched/operation.def"; }
all_listed() { [ "$(attune algo list | wc -l)" = $(($(rows) + $(operations) + 1)) ]; }
check "every row is listed, and native for every operation" all_listed
same_names() { diff <(attune algo list | awk 'NR > 1 { print $1 }') \
    <(attune algo list --format csv | sed '1d;s/,.*//'); }
check "csv lists the same rows" same_names
if command -v python3 >/dev/null; then
    json() { attune "$@" --format json | python3 -m json.tool >/dev/null; }
    csv() { attune algo list --format csv | python3 -c '
import csv, sys
rows = list(csv.reader(sys.stdin))
assert all(len(row) == len(rows[0]) for row in rows), "ragged"'; }
    check "json of the list parses" json algo list
    check "json of a row parses" json algo show bcast/chain
    check "json of a schedule parses" json schedule show allreduce/ring -p 3
    check "json of a proof parses" json schedule verify allreduce/ring -p 3
    check "csv of the list is rectangular" csv
else
    skip "json and csv" "no python3"
fi

# ---- show ----
golden algo_show.out 0 attune algo show allreduce/ring
golden algo_show_params.out 0 attune algo show 'bcast/chain{segment=8K,chains=2}'
golden algo_show.json 0 attune algo show bcast/chain --format json
golden algo_show.csv 0 attune algo show barrier/linear --format csv
# Parameters change the class: without synchronisation all rounds start at once.
holds 'class        direct' attune algo show alltoall/pairwise
holds 'class        coordinated' attune algo show 'alltoall/pairwise{window=1}'
golden algo_show_native.out 0 attune algo show alltoallw/native

# ---- output ----
written() { attune algo list --operation barrier -o list.txt &&
    cmp list.txt "$here/golden/algo_barrier.out"; }
check "-o writes the same output" written
replaced() { echo old >list.txt && written; }
check "-o replaces a file" replaced
fails 4 'attune: nowhere/list.txt: cannot be written: No such file or directory; create its folder*' \
    attune algo list -o nowhere/list.txt
fails 4 'attune: cannot write to standard output: *' sh -c "'$attune' algo list >/dev/full"

# ---- bad input ----
fails 3 'attune: unknown operation "allredcue"; did you mean "allreduce"?*' \
    attune algo list --operation allredcue
fails 3 'attune: unknown algorithm "rign" for allreduce; did you mean "ring"?*' \
    attune algo show allreduce/rign
fails 3 'attune: unknown operation "alreduce"; did you mean "allreduce"?*' \
    attune algo show alreduce/ring
fails 3 "attune: 'ring' is neither a file nor an algorithm*attune algo list*" \
    attune algo show ring
fails 3 'attune: allreduce/ring: segment=-1 is invalid; allowed: 0 to 1T' \
    attune algo show allreduce/ring:segment=-1
fails 3 "attune: allreduce/ring has no parameter 'speed'*" attune algo show allreduce/ring:speed=9
# ---- parts with parameters of their own ----
nested='rabenseifner{gather=ring{sync=barrier,every=4,order=lr1}}'
deep='levels{host:reduce_bcast{down=scatter_allgather{allgather=ring{sync=pair}}},segment=64K}'
for name in "$nested" "$deep"; do
    printf '%s\n' 'attune-wisdom 1' "rule allreduce use=$name" end >nested.rules
    holds "use=$name" attune wisdom show nested.rules
    holds "allreduce/$name" attune algo show "allreduce/$name"
done
holds "allreduce/$nested" attune algo show 'allreduce/rabenseifner:gather=ring{order=lr1:every=4:sync=barrier}'
fails 3 'attune: allgather/mesh: dims=9 is invalid; allowed: 2 to 3' \
    attune algo show 'allreduce/rabenseifner{gather=mesh{dims=9}}'
for name in 'gather=mesh{dims=3' 'gather=mesh{dims=3}}' 'gather=}mesh{'; do
    fails 3 "attune: allreduce/rabenseifner: the braces of '$name' do not match" \
        attune algo show "allreduce/rabenseifner{$name}"
done
fails 3 'attune: allreduce/rabenseifner: gather is given twice' \
    attune algo show 'allreduce/rabenseifner{gather=ring,gather=mesh}'
fails 3 'attune: allgather/mesh: dims is given twice' \
    attune algo show 'allreduce/rabenseifner{gather=mesh{dims=3,dims=2}}'

# ---- unknown names: the message lists all names ----
lists_all() {
    local operation name
    attune algo list --format csv | sed '1d;s/,.*//' >names
    cut -d/ -f1 names | sort -u | while read -r operation; do
        attune algo show "$operation/xyzzyx" 2>message
        for name in $(sed -n "s|^$operation/||p" names); do
            grep -qE "[:,] $name(,|\$)" message || echo "$operation: $name"
        done
        attune algo show xyzzyx/ring 2>message
        grep -qE "[:,] $operation(,|\$)" message || echo "$operation"
    done | grep . && return 1 || return 0
}
check "all operations and algorithms are listed" lists_all
finish
