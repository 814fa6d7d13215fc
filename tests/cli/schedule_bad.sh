#!/usr/bin/env bash
# attune schedule with invalid input: messages, exit codes, and no partial output.
. "$(dirname "$0")/lib.sh"
show() { attune schedule show "$@"; }

# ---- numbers ----
for p in 0 -1 4097 99999999999999999999 2.5 eight ''; do
    fails 2 "attune: --ranks $p: must be an integer from 1 to 4096" show allreduce/ring -p "$p"
    fails 2 "attune: --ranks $p: must be a number from 1 to 4096, or a range*" \
        attune schedule verify allreduce/ring -p "$p"
done
for p in 5:3 0:4 1:5000 1: :4 1:2:3; do
    fails 2 "attune: --ranks $p: must be *" attune schedule verify allreduce/ring -p "$p"
done
fails 2 "attune: --root 8: the ranks are 0 to 7" show bcast/binomial --root 8
fails 2 "attune: --root -1: must be an integer*" show bcast/binomial --root -1
fails 2 "attune: --rank 4: the ranks are 0 to 3" show bcast/binomial -p 4 --rank 4
fails 2 "attune: --bytes 1X: must be a size*" show bcast/binomial --bytes 1X
fails 3 "attune: allreduce/ring: * million operations on 4096 ranks exceed the limit*" \
    attune schedule verify allreduce/ring -p 4096
fails 3 "attune: *cannot be drawn legibly*" attune schedule draw allreduce/ring -p 513
fails 3 "attune: *messages cannot be drawn legibly*" attune schedule draw alltoall/linear -p 200

# ---- options without effect ----
fails 2 "attune: allreduce has no root; omit --root" show allreduce/ring --root 0
fails 2 "attune: bcast has no operator; omit --ordered" show bcast/chain --ordered
fails 2 "attune: bcast has no separate schedule for MPI_IN_PLACE*" show bcast/chain --in-place
fails 2 "attune: --format text writes all ranks; omit --rank" \
    show bcast/chain --rank 0 --format text

# ---- names and parameters ----
fails 3 'attune: unknown algorithm "rign" for allreduce; did you mean "ring"?*' show allreduce/rign
fails 3 "attune: 'no such file' is neither a file nor an algorithm*" show 'no such file'
fails 3 "attune: allreduce/native is not applicable: it has no schedule" show allreduce/native
fails 3 "attune: bcast/chain has no parameter 'segmnet' (did you mean 'segment'?)*" \
    show bcast/chain --param segmnet=8K
fails 3 "attune: bcast/chain: segment=9999999999999T is invalid; allowed: 0 to 1T" \
    show bcast/chain --param segment=9999999999999T
fails 3 "attune: bcast/chain: chains=0 is invalid; allowed: 1 to 1024" \
    show bcast/chain --param chains=0
fails 2 "attune: --param segment: must have the form name=value" show bcast/chain --param segment

# ---- files ----
show allreduce/ring -p 3 --format text -o ring.txt
head -c 200 ring.txt >cut.txt
fails 3 "attune: cut.txt:1*" show cut.txt
head -n -1 ring.txt >cut.txt
fails 3 "attune: cut.txt:*: the line \"end\" is missing: the file is truncated; *" \
    attune schedule verify cut.txt
sed '1s/1/2/' ring.txt >future.txt
fails 3 "attune: future.txt:1: schedule file of version 2, this Attune reads version 1; use a newer Attune" \
    attune schedule draw future.txt
echo 'attune-wisdom 1' >foreign.txt
fails 3 "attune: foreign.txt:1: not a schedule file; the first line must be \"attune-schedule 1\"" \
    show foreign.txt
: >empty.txt
fails 3 "attune: empty.txt:1: not a schedule file*" show empty.txt
head -c 100000 /dev/urandom >noise.txt
fails 3 "attune: noise.txt:1: not a schedule file*" show noise.txt
sed 's/^0: send 1/0: send 9/' ring.txt >wrong.txt
fails 3 "attune: wrong.txt:7: '9' is not a valid peer; write a number from 0 to 2" show wrong.txt
fails 3 "attune: .: cannot be read: Is a directory" show .
fails 2 "attune: ring.txt: 3 ranks; omit -p 4" show ring.txt -p 4
fails 2 "attune: ring.txt is a schedule file, which --root does not apply to; omit it" \
    show ring.txt --root 0

# ---- output is complete or not written ----
echo precious >kept.txt
kept() { [ "$(cat kept.txt)" = precious ] && [ "$(ls kept.txt*)" = kept.txt ]; }
fails 3 "attune: wrong.txt:7:*" show wrong.txt -o kept.txt
check "an error keeps the old file" kept
fails 3 "attune: *legibly*" attune schedule draw alltoall/linear -p 200 -o kept.txt
check "a rejected drawing keeps the old file" kept
fails 4 "attune: nowhere/x.svg: cannot be written: No such file or directory; *" \
    attune schedule draw allreduce/ring -o nowhere/x.svg
fails 4 "attune: kept.txt/x.svg: cannot be written: Not a directory; *" \
    attune schedule draw allreduce/ring -o kept.txt/x.svg
if [ -c /dev/full ]; then
    fails 4 "attune: /dev/full: cannot be written: No space left on device" \
        show allreduce/ring -o /dev/full
fi
check "no other file remains" kept
finish
