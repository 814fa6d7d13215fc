#!/usr/bin/env bash
# attune ron: schedules on reconfigurable networks.
. "$(dirname "$0")/lib.sh"
net=(--ports 2 --delay 2 --start 1 --byte 0)
tree=bcast/circuit:ports=2:delay=2

# ---- time ----
golden ron_time.out 0 attune ron time bcast -p 27 "${net[@]}"
direct() { attune ron time alltoall -p 64 -d 25 --bytes "$1" --format csv | sed -n 2p | grep -q 'spread\|pairwise\|xor'; }
check "direct algorithm for long blocks" direct 1M
check "another one for short blocks" eval '! direct 64'
fails 2 'attune: --delay soon: must be a number, 0 or more' attune ron time bcast --delay soon
fails 2 'attune: --byte -1: must be a number, 0 or more' attune ron time bcast --byte=-1
fails 2 'attune: --ports 0*' attune ron time bcast --ports 0
fails 3 'attune: unknown operation "brodcast"*' attune ron time brodcast
fails 3 'attune: bcast/native has no schedule' attune ron time bcast/native

# ---- circuits ----
golden ron_circuits.csv 0 attune ron circuits $tree -p 12 "${net[@]}" --format csv
golden ron_circuits.svg 0 attune ron circuits $tree -p 12 "${net[@]}" --format svg
holds '"since": 0' attune ron circuits $tree -p 12 "${net[@]}" --format json
holds '  -2      0      0    1' attune ron circuits $tree -p 12 "${net[@]}" --policy preset
fails 3 'attune: too large to draw*' attune ron circuits bcast/linear -p 2000 --format svg

# ---- check ----
attune ron circuits $tree -p 12 "${net[@]}" --format csv >good.csv
proven() { attune ron check $tree "$1" -p 12 "${net[@]}"; }
holds '11 messages of 12 ranks, 11 changes of circuits, complete at 5: proven' proven good.csv
sed '2s/,2,2,3,/,1,1,2,/' good.csv >fast.csv
finding() { capture proven "$1"; [ "$code" = 1 ] && grep -q "$2" "$work/.out"; }
check "a reconfiguration that is too fast is found" finding fast.csv 'shorter than the delay'
sed '3d' good.csv >lost.csv
check "a lost message is found" finding lost.csv 'is missing'
head -c 60 good.csv >cut.csv
fails 3 'attune: cut.csv:*: the last line has no end*' proven cut.csv
sed '2s/,[0-9]*$//; 2s/^0/x/' good.csv >word.csv
fails 3 'attune: word.csv:2: rank "x"; write a non-negative integer' proven word.csv
: >empty.csv
fails 3 'attune: empty.csv:1: the file is empty*' proven empty.csv
fails 3 'attune: nowhere.csv*' proven nowhere.csv
echo "a,b" >other.csv
fails 3 'attune: other.csv:1: invalid heading of a list of circuits*' proven other.csv

# ---- tables ----
golden ron_tables.out 0 attune ron tables

# ---- hide ----
cat >sends.csv <<'END'
rank,compute_us,bytes,partner,predicted
0,0,2000,1,-
1,0,0,0,-
0,12,1000,2,2
0,50,9000,3,1
1,9,0,0,-
0,8,0,1,1
END
golden ron_hide.out 0 attune ron hide sends.csv
fails 2 'attune: --delays 1,,2: must be numbers above 0*' attune ron hide sends.csv --delays 1,,2
cut -d, -f1-4 sends.csv >plain.csv
{ echo partner,site,rank,bytes,compute_us; for i in {1..20}; do echo "$((i % 3)),$((i % 3)),7,1000,12.5"; done; } >cycle.csv
golden ron_predict.out 0 attune ron hide cycle.csv --predictor better-cycle2,tagging,lru-1 --delays 5 --cpu 1
holds 'better-cycle2' attune ron hide plain.csv
fails 2 'attune: --predictor lru: requires a size, as in lru-1' attune ron hide plain.csv --predictor lru
fails 2 'attune: *crystal*' attune ron hide plain.csv --predictor crystal-ball
mkdir none
fails 2 'attune: plain.csv is not a folder with a trace; omit --partial' attune ron hide plain.csv --partial
fails 3 'attune: none*' attune ron hide none
sed '1s/bytes/weight/' sends.csv >bad.csv
fails 3 'attune: bad.csv:1: unknown or duplicate column in a list of sends: "weight"*' attune ron hide bad.csv
sed 's/^[^,]*,//' sends.csv >bad.csv
fails 3 'attune: bad.csv:1: missing column "rank"; add it' attune ron hide bad.csv
sed '4s/12/soon/' sends.csv >bad.csv
fails 3 'attune: bad.csv:4: compute_us "soon"; write a number such as 12.5' attune ron hide bad.csv
sed '4s/12/-12/' sends.csv >bad.csv
fails 3 'attune: bad.csv:4: compute_us "-12"; write a time of 0 or more' attune ron hide bad.csv
sed '4s/,2$//' sends.csv >bad.csv
fails 3 'attune: bad.csv:4: too few or too many values*' attune ron hide bad.csv
head -2 sends.csv >short.csv
fails 3 'attune: no rank sends twice*' attune ron hide short.csv

# ---- machines with circuits ----
cat >optical.machine <<'END'
attune-machine 1
circuits delay=25 ports=3
channel memory
  hockney alpha=1 beta=0.1
channel switch
  hockney alpha=2 beta=1
end
END
columns() { attune model time bcast -p 4 --machine optical.machine --format csv | head -1 | grep -q ',ron-a,ron-b,links$'; }
check "models of reconfigurable networks have columns" columns
holds 'model: ron-a;' attune explain bcast:16:4K --machine optical.machine
holds 'model: ron-b;' attune explain bcast:16:4K --machine optical.machine --model ron-b
sed 's/ports=3/ports=3000/' optical.machine >many.machine
fails 3 'attune: many.machine:2: ports=3000 is out of range*' attune model check many.machine
finish
