#!/usr/bin/env bash
# attune model: costs as formulas, and proofs about them.
. "$(dirname "$0")/lib.sh"

prints() { # TEXT COMMAND ...: exactly this line
    local text=$1
    shift
    capture "$@"
    tap_point "${*} prints $text" "$([ "$code" = 0 ] && [ ! -s "$work/.err" ] &&
        [ "$(cat "$work/.out")" = "$text" ] && echo yes || echo no)" "$(cat "$work/.out" "$work/.err")"
}

# ---- expr ----
rda=allgather/recursive_doubling
prints '62·L0(m,8) + 24·L1(m,8)' attune model expr $rda -p 32 --nodes 4 --map seq
prints '62·L0(m,8) + 3·L1(m,8)' attune model expr $rda@rr -p 32 --nodes 4
prints '2·o0 + 2·o1 + 30·L0(m,4) + 12·L1(m,4)' attune model expr $rda -p 16 --nodes 4 --overheads
prints '30*L0(m,4) + 12*L1(m,16)' attune model expr $rda -p 16 --nodes 4 --contention network --ascii
prints '62·L0(m,1) + 62k·L0(S,8) + 31·L1(m,1)' attune model expr allgather/ring -p 32 --nodes 4 \
    --transport segments
prints '31·L0(m,1) + 31·L0(m,8) + 31·max(L0(m,7), L1(m,1))' attune model expr allgather/ring -p 32 \
    --nodes 4 --no-axiom
prints 'k/2·L0(S,2) + k/4·L0(S,4) + k/8·L0(S,8)' attune model expr scatter/binomial --unit whole \
    --transport stream
prints '7/4·L0(m,1) + 7/4·L0(m,4) + 7/4·L1(m,1) + 7/8·γ(m,4)' attune model expr allreduce/ring -p 8 \
    --nodes 2
prints '14·L0(m,8) + c(m,8)' attune model expr allgather/ring --copies
prints '4‖T1(37) + 3‖T1(21) + 2‖T1(22) + T1(1)' attune model expr 'T1(81)||T1(80)||T1(58)||T1(37)'
prints 'o1(m) + 2·L0(m,2) + L1(m,2)' attune model expr '2||T1(m)' --transport whole --overheads
prints '6·L0(m,1) + 2·L0(m,2) + 2·L1(m,1)' attune model expr bcast/binomial --topology '1x4;order=0,0,0,0,1,1,1,1,2,2,2,2,3,3,3,3'
attune schedule show bcast/binomial -p 8 --format text >mine
prints '2·L0(m,1) + 2·L0(m,2) + 2·L0(m,4)' attune model expr mine
holds ' us for m = 65536' attune model expr bcast/binomial -p 8 --nodes 2 --machine builtin

prints 'o0(m) + L0(m,2)' attune model expr '2||T0(m)' --transport zero-copy --overheads
prints '3·L0(m,1)' attune model expr 'T0(m)' --transport buffered
prints 'L0(m,1) + L0(m,2) + L0(m,4)' attune model expr bcast/binomial -p 8 --transport zero-copy
prints '44·L0(m,8) + L1(m,8)' attune model expr allgather/recursive_doubling@rr -p 16 --nodes 2 --transport buffered
prints 'L0(S,1) + L0(S,2) + L0(S,3) + (k - 1)·L0(S,4) + L0(S,5) + (k - 1)·L0(S,7)' attune model expr sm_bcast -p 8
prints 'k·L0(S,1) + k·L0(S,7) + 7k·γ(S,1)' attune model expr sm_reduce -p 8
holds ' us for m = 65536' attune model expr azequia_reduce -p 8 --machine builtin
fails 2 "attune: sm_bcast{degree=x}: 'degree=x}': parameters are degree=2*" attune model expr 'sm_bcast{degree=x}' -p 8

# ---- compare ----
golden model_compare.out 0 attune model compare allgather/ring@rr allgather/ring@seq -p 32 --nodes 4
golden model_compare_less.out 0 attune model compare $rda@rr $rda@seq -p 32 --nodes 4
golden model_compare_scatter.out 0 attune model compare '2*[k/2 L(S,2) + k/4 L(S,4) + k/8 L(S,8)]' $rda \
    -p 8 --unit whole --transport stream
holds 'the first costs less' attune model compare '8||T0(m)' 'T1(m)'
holds 'undecided' attune model compare '8||T0(m)' 'T1(m)' --no-axiom

# ---- summa ----
cp "$root"/examples/summa/*.conf .
golden model_summa.out 0 attune model summa config2.conf config1.conf
golden model_summa_mod.out 0 attune model summa config2_mod.conf config2.conf --traffic --ascii
timed() { attune model summa config1.conf --machine "$root/examples/ethernet.machine" | grep -Eq '^time: +[0-9.]+ s$'; }
check "the time of a layout on a machine" timed
sed 's/^column 107/column 106/' config1.conf >bad
fails 3 '*bad:10: the columns have a total width of 255, but the matrix 256; change their widths' \
    attune model summa bad

cp "$root"/examples/summa/speeds.conf .
golden model_partition.out 0 attune model partition speeds.conf
holds '13290 blocks are sent between nodes' attune model partition --arrange config2.conf
priced() { attune model partition speeds.conf -o made.conf && attune model summa made.conf | grep -q '^total:'; }
check "the cost of a generated layout" priced
sed '/^speed 3/d' speeds.conf >bad
fails 3 '*bad:14: no column, and not every process has a speed*' attune model partition bad

# ---- map ----
machine=$root/examples/ethernet.machine
golden model_map.csv 0 attune model map bcast/binomial -p 16 --nodes 4 --machine "$machine" --format csv \
    --map 0,1,2,3,3,2,1,0,0,1,2,3,3,2,1,0
golden model_map.out 0 attune model map allreduce/rabenseifner -p 12 --nodes 3 --machine "$machine" --ascii
golden model_map.ranks 0 attune model map allgather/ring -p 5 --nodes 2 --format rankfile 'n[7-8]'
golden model_map.hosts 0 attune model map allgather/recursive_doubling -p 8 --nodes 2 --format hostfile
holds given attune model map bcast/binomial --topology '1x2;order=0,1,1,0'
fails 2 "*'n?0-2?': 3 hosts, but there are 2 nodes" \
    attune model map allgather/ring --nodes 2 --format rankfile 'n[0-2]'
fails 2 '*HOSTS applies to --format rankfile and hostfile only' attune model map allgather/ring n1
sed '/table transfer/,/1M/d' "$machine" | sed 's/^channel.*/&\n  hockney alpha=1 beta=1/' >bare
fails 3 '*bare: channel memory has no table transfer*' attune model map allgather/ring --machine bare

# ---- case studies ----
study() { ATTUNE_BUILD=${attune%/bin/attune} "$root/examples/$1"; }
golden case_scatter.out 0 study case_scatter
golden case_mapping.out 0 study case_mapping

# ---- errors ----
fails 3 "*'2||': character 4: o, L, T, c, g, max or a bracket is missing" attune model expr '2||'
fails 3 '*did you mean "ring"?*' attune model expr allgather/rung
fails 3 '*bcast/native has no schedule' attune model expr bcast/native
fails 2 "*mapping '0,1' places 2 ranks, but there are 8" attune model expr bcast/binomial --map 0,1 --nodes 2
fails 2 '*omit --nodes and --map' attune model expr bcast/binomial@rr --topology 4x2
fails 2 '*--contention all: must be one of node, network*' attune model expr bcast/binomial --contention all
fails 3 '*unknown order*' attune model expr bcast/binomial --topology '4;order=x'
fails 3 '*nowhere*' attune model expr bcast/binomial --machine nowhere
finish
