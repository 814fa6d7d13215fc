#!/usr/bin/env bash
# attune schedule: show, verify, draw; from the catalogue and from files.
. "$(dirname "$0")/lib.sh"

# ---- show ----
golden schedule_ring.out 0 attune schedule show allreduce/ring -p 3
golden schedule_ring.csv 0 attune schedule show allreduce/ring -p 3 --rank 1 --format csv
golden schedule_ring.json 0 attune schedule show allreduce/ring -p 2 --rank 1 --format json
golden schedule_ring.txt 0 attune schedule show allreduce/ring -p 3 --format text
golden schedule_sync.txt 0 attune schedule show bcast/linear -p3 --root 2 --param sync=pair \
    --format text
golden schedule_place.txt 0 attune schedule show gather/linear --ranks=3 --in-place --format text
golden schedule_segments.txt 0 attune schedule show 'bcast/chain{segment=8K}' -p 2 --bytes 32K \
    --format text
same() { cmp <(attune schedule show bcast/chain -p 4 --param segment=8K --param chains=2) \
    <(attune schedule show bcast/chain:segment=8K:chains=2 -p 4); }
check "parameters in the name or as options" same

# ---- verify ----
golden verify_ring.out 0 attune schedule verify allreduce/ring -p 1:9
golden verify_binomial.out 0 attune schedule verify bcast/binomial -p 5 --root 3
golden verify_ring.csv 0 attune schedule verify allreduce/ring -p 4 --format csv
golden verify_even.out 0 attune schedule verify allgather/neighbor -p 3:4
fails 3 '*not applicable: the number of ranks is odd' \
    attune schedule verify allgather/neighbor -p 3
fails 3 '*not applicable: the operator is not commutative' \
    attune schedule verify allreduce/ring --ordered
holds proven attune schedule verify allreduce/recursive_doubling --ordered --in-place

# ---- shared memory ----
golden schedule_shared.out 0 attune schedule show allreduce/shared_split -p 3 --in-place
golden schedule_shared.json 0 attune schedule show alltoall/shared_flat -p 2 --format json
golden schedule_shared.txt 0 attune schedule show bcast/shared_scatter_allgather -p 3 --format text
golden verify_shared.out 0 attune schedule verify reduce/shared_split -p 1:5 --ordered --root 0
golden draw_shared.svg 0 attune schedule draw allreduce/shared_flat -p 3
fails 3 '*not applicable: the ranks do not share memory' \
    attune schedule verify bcast/shared_flat --topology '2@100M;ranks=2'
holds proven attune schedule verify bcast/shared_flat --topology '1@100M;ranks=4'
holds proven attune schedule verify 'allreduce/levels{rank:shared_split}' \
    --topology '2@100M;ranks=4'
attune schedule show allreduce/shared_reduce_bcast -p 5 --format text -o shared.txt
shared_again() { attune schedule show shared.txt --format text | cmp - shared.txt; }
check "a file with shared memory is shown unchanged" shared_again

# ---- files ----
attune schedule show allreduce/ring -p 4 --param sync=barrier --format text -o ring.txt
again() { attune schedule show ring.txt --format text | cmp - ring.txt; }
check "a file is shown unchanged" again
holds proven attune schedule verify ring.txt
same_picture() { cmp <(attune schedule draw ring.txt) \
    <(attune schedule draw allreduce/ring -p 4 --param sync=barrier); }
check "a file is drawn like its algorithm" same_picture
cat >mine.txt <<'END'
attune-schedule 1
name my broadcast   # by hand
problem bcast p=3
rank 0
0: send 1 dst[0]
1: send 2 dst[0]
rank 1
0: recv 0 dst[0]
rank 2
0: recv 0 dst[0]
end
END
golden verify_mine.out 0 attune schedule verify mine.txt
golden draw_mine.svg 0 attune schedule draw mine.txt

awk '/^attune-schedule 1/, /^end/' "$root/docs/schedule-format.md" >documented.txt
holds proven attune schedule verify documented.txt

# ---- incorrect schedules are found ----
finding() { # GLOB SED: the broadcast above, changed
    sed "$2" mine.txt >wrong.txt
    fails 1 "$1" attune schedule verify wrong.txt
}
finding 'attune: wrong.txt on 3 ranks: *rank 2*' '/^1: send/d'
finding 'attune: wrong.txt on 3 ranks: *' 's/^problem bcast p=3/problem bcast p=3 root=1/'
finding 'attune: *rank 1*' '/^rank 1/,/^rank 2/s/^0: recv 0/0: recv 2/'
sed 's/^1: send 2/1: recv 2/' mine.txt >stuck.txt
fails 1 "attune: my broadcast: rank * deadlocks at operation *" attune schedule draw stuck.txt

# ---- draw ----
drawing() { attune schedule draw "$@" | head -c 4 | grep -q '<svg'; }
check "draw barrier" drawing barrier/dissemination -p 16
check "draw a pipeline" drawing bcast/chain -p 8 --param segment=8K --root 3
check "draw 32 ranks" drawing alltoall/pairwise -p 32
check "draw one rank" drawing allreduce/ring -p 1
xml() { attune schedule draw allreduce/ring -p 4 | python3 -c '
import sys, xml.dom.minidom
xml.dom.minidom.parse(sys.stdin.buffer)'; }
if command -v python3 >/dev/null; then
    check "the drawing is XML" xml
else
    skip "the drawing is XML" "no python3"
fi
finish
