#!/usr/bin/env bash
# attune schedule generate: output and error messages; tests/mpi/run-generate compiles and runs the
# routines.
. "$(dirname "$0")/lib.sh"
generate() { attune schedule generate "$@"; }

# ---- output ----
holds 'int attune_alltoall(' generate alltoall --topology 2x2
holds 'attune_alltoall - alltoall/aapc{sync=sender,block=4,segment=16K} on 2x2@100M' generate alltoall --topology 2x2@100M
holds '.chunk = 16384' generate alltoall --topology 2x2
holds '/* send 2 src[2] */' generate alltoall --topology 3x1 --param sync=none
holds 'FIRST_ROOT = 0, ROOTS = 4' generate bcast --topology 2x2
holds 'FIRST_ROOT = 3, ROOTS = 1' generate bcast --topology 2x2 --root 3
holds '.segment = 4096' generate bcast --topology 2x2 --algorithm topo_tree:segment=4K
holds '.chunk = 8192' generate alltoall --topology 2x2 --param segment=8K
holds '.commutative = 1' generate allreduce --topology 2x2
holds '.commutative = 0' generate allreduce --topology 2x2 --algorithm recursive_doubling
holds 'attune_reduce - reduce/topo_tree{arity=3} on 2x2' \
    generate reduce --topology 2x2 --algorithm 'topo_tree{arity=3}'
holds 'int attune_allgather(' generate allgather --topology 4x8@100M
into_file() { generate alltoall --topology 2x2 -o routine.c && grep -q PMPI_Alltoall routine.c; }
check "-o writes the same output" into_file

# ---- patterns ----
pattern() { printf 'attune-pattern 1\n# two calls\nranks 3\n%s\n' "$1" >calls.txt; }
pattern $'call\n0 8K 0\n1 0 1M\n0 0 0\ncall\n0 8K 0\n1 0 1000K\n0 0 0\ncall\n0 1 0\n0 0 0\n5 5 0'
holds 'set_of_call[CALLS] = {0, 0, 1}' generate alltoallv --topology 3x1 --pattern calls.txt
holds 'set_of_call[CALLS] = {0, 1, 2}' \
    generate alltoallv --topology 3x1 --pattern calls.txt --threshold 1
holds 'greedy phases' generate alltoallv --topology 3x1 --pattern calls.txt
holds 'attune_alltoallv - alltoallv/cut{sync=sender,block=4,segment=16K} on' \
    generate alltoallv --topology 3x1 --pattern calls.txt --algorithm aapc
bad_pattern() { # TEXT GLOB
    pattern "$1"
    fails 3 "attune: calls.txt:$2" generate alltoallv --topology 3x1 --pattern calls.txt
}
bad_pattern $'call\n0 1 2\n0 0 0' '*: the file ends before its matrix does'
bad_pattern $'call\n0 1\n0 0 0\n0 0 0' '5: too few sizes*'
bad_pattern $'call\n0 1 2 3\n0 0 0\n0 0 0' '5: too many sizes*'
bad_pattern $'call\n0 1 x\n0 0 0\n0 0 0' '5: sizes are written as 4096, 4K or 1M, not x'
bad_pattern $'call\n0 1 2\ncall' '6: the call before has too few lines*'
bad_pattern $'0 1 2' '4: expected ranks, call or a line of a matrix, not 0'
bad_pattern $'ranks 4' '4: ranks is given twice*'
bad_pattern '' '*: the file ends before its matrix does'
printf 'attune-pattern 2\nranks 3\n' >calls.txt
fails 3 'attune: calls.txt:1: pattern file of version *, this Attune reads version 1; use a newer Attune' \
    generate alltoallv --topology 3x1 --pattern calls.txt
echo 'ranks 3' >calls.txt
fails 3 'attune: calls.txt:1: not a pattern file; the first line must be "attune-pattern 1"' \
    generate alltoallv --topology 3x1 --pattern calls.txt
pattern $'call\n0 1 2\n0 0 0\n0 0 0'
fails 3 'attune: calls.txt: 3 ranks, but the topology has 4' \
    generate alltoallv --topology 2x2 --pattern calls.txt
fails 3 '*nothing.txt*' generate alltoallv --topology 2x2 --pattern nothing.txt

printf 'attune-pattern 1\nranks 3\ncall allgatherv\n0 8K 16\n' >blocks.txt
holds 'attune_allgatherv - greedy phases' generate allgatherv --topology 3x1 --pattern blocks.txt
holds 'attune_allgatherv - allgatherv/ring{order=lr1} on' generate allgatherv --topology 3x1
fails 3 'attune: blocks.txt: call 1 is allgatherv, not alltoallv; remove it' \
    generate alltoallv --topology 3x1 --pattern blocks.txt

# ---- tuned routines ----
cat >tuned.wisdom <<'END'
attune-wisdom 1
rule bcast ranks=4 bytes=:4K use=binomial
rule bcast ranks=4 bytes=4K:32K use=native
rule bcast ranks=4 bytes=8K: use=chain{segment=8K}
rule allreduce ranks=4 bytes=* use=recursive_doubling
rule scan ranks=4 use=linear
end
END
tuned() { generate --wisdom tuned.wisdom -p 4 "$@"; }
holds 'bcast bytes=0:4K use=binomial, line 2' tuned bcast allreduce
holds 'bcast bytes=32K: use=chain{segment=8K}, line 4' tuned bcast
holds 'allreduce bytes=0: use=recursive_doubling, line 5' tuned allreduce
holds '.from = 0, .below = 4096, .first = 0,' tuned bcast
holds '.from = 32768, .below = 0, .first = 4,' tuned bcast
holds 'alltoall: native' tuned bcast alltoall
holds 'FIRST_ROOT = 2, ROOTS = 1' tuned bcast --root 2
lacks() { ! tuned bcast | grep -q 'attune_allreduce'; }
check "operands select operations" lacks
omitted() { tuned 2>&1 >/dev/null | grep -qx 'attune: tuned.wisdom: no generator for scan; omitted'; }
check "operations without generator are reported" omitted
printf '%s\n' 'attune-wisdom 1' 'rule bcast use=scatter_allgather{order=dfs}' 'rule bcast use=binomial' end >order.wisdom
skips() {
    generate --wisdom order.wisdom -p 4 >out 2>err && grep -q 'use=binomial, line 3' out &&
        grep -q '^attune: order.wisdom:2: not used: .*topology' err
}
check "a rule that does not apply is reported, and the next is used" skips
holds 'scatter_allgather{order=dfs}, line 2' generate --wisdom order.wisdom --topology 2x2
printf '%s\n' 'attune-wisdom 1' 'at one/4x1' 'rule bcast use=chain' 'at two/4x1' 'rule bcast use=binomial' end >places.wisdom
fails 3 'attune: places.wisdom: rules for 4 ranks in several places; add --at one/4x1 or two/4x1' \
    generate --wisdom places.wisdom -p 4
holds 'bcast bytes=0: use=binomial, line 5' generate --wisdom places.wisdom -p 4 --at two/4x1
printf '%s\n' 'attune-wisdom 1' 'at one/4x1' 'rule bcast use=chain' end >place.wisdom
holds 'bcast bytes=0: use=chain, line 3' generate --wisdom place.wisdom -p 4
fails 3 'attune: tuned.wisdom: no rule has an algorithm for these operations on 5 ranks' \
    generate --wisdom tuned.wisdom -p 5
fails 3 '*no rule has an algorithm*' tuned alltoall
fails 2 '*no number of ranks; add -p N or --topology*' generate --wisdom tuned.wisdom
fails 2 '*-p 4, but the topology has 8 ranks*' tuned --topology 4x2
fails 2 '*--algorithm: the rules of --wisdom name the algorithms; omit it' tuned --algorithm ring
fails 2 '*--at nowhere: write MACHINE/LAYOUT' tuned --at nowhere
fails 2 '*ranks are 0 to 3' tuned bcast --root 4
fails 3 'attune: scan: no generator; available for bcast, *' tuned scan
fails 3 '*order.txt*' generate --wisdom order.txt -p 4
fails 2 '*--at applies to --wisdom only' generate bcast --topology 2x2 --at a/b
fails 2 '*-p applies to --wisdom only*' generate bcast --topology 2x2 -p 4
fails 2 '*name one operation, or add --wisdom FILE' generate --topology 2x2

# ---- invalid input ----
fails 2 '*add --topology*' generate alltoall
fails 3 'attune: barrier: no generator; available for bcast, *' \
    generate barrier --topology 2x2
fails 3 '*alltoal*alltoall*' generate alltoal --topology 2x2
fails 2 '*--pattern applies to allgatherv and alltoallv only' generate alltoall --topology 2x2 --pattern calls.txt
fails 2 '*has no root; omit --root' generate alltoall --topology 2x2 --root 1
fails 2 '*greedy needs the message sizes*' generate alltoallv --topology 2x2 --algorithm greedy
fails 2 '*not an algorithm of alltoall' generate alltoall --topology 2x2 --algorithm bcast/chain
fails 3 '*not applicable: messages that mean nothing need blocks of equal size' \
    generate alltoallv --topology 2x2 --param sync=dummy
pattern $'call\n0 1 2\n0 0 0\n0 0 0'
fails 3 '*not applicable: messages that mean nothing need blocks of equal size' \
    generate alltoallv --topology 3x1 --param sync=dummy --pattern calls.txt
fails 2 '*ranks are 0 to 3' generate bcast --topology 2x2 --root 4
fails 2 '*too large; choose one with --root' generate bcast --topology 16x16
holds 'RANKS = 256,' generate bcast --topology 16x16 --root 0
fails 3 '*no schedule*' generate alltoall --topology 2x2 --algorithm native
finish
