#!/usr/bin/env bash
# attune wisdom: show, check, merge, diff, forget; full disks.
. "$(dirname "$0")/lib.sh"
unset HOME XDG_DATA_HOME

cat >old <<'R'
attune-wisdom 1
machine: test
rule bcast ranks=8 bytes=1K:2K use=chain time=10us ci=1us samples=10 date=2026-01-01
rule gather use=linear
end
R
cat >new <<'R'
attune-wisdom 1
rule bcast ranks=8 bytes=1K:2K use=chain time=11us ci=1us samples=10 date=2026-01-02
at c0ffee/4x2
rule bcast ranks=8 bytes=2K:4K use=binomial time=20us samples=9 next=chain next_time=25us
rule bcast ranks=8 bytes=4K:8K use=chain time=30us guess=between
end
R

# ---- show: one file, or all default files ----

fails 3 "*nowhere: cannot be read: No such file*" attune wisdom show nowhere
check "show and its older name agree" diff <(attune wisdom show new) <(attune rules show new)
holds "at c0ffee/4x2" attune wisdom show new
searched() { env HOME="$work/home" "$@" "$attune" wisdom show; }
check "no files" test "$(searched)" = $'attune-wisdom 1\nend'
mkdir -p home/.local/share/attune && cp old home/.local/share/attune/wisdom
holds "use=linear" searched
holds "samples=20" searched ATTUNE_WISDOM=new
check "off" test "$(searched ATTUNE_WISDOM=off)" = $'attune-wisdom 1\nend'
echo torn >torn
capture searched ATTUNE_WISDOM=torn
check "a damaged file is reported" grep -q "torn:1: not a wisdom file.*this wisdom is not used" .err
check "the other files are used" grep -q "use=linear" .out

# ---- check ----

holds "new: 3 rules, no findings" attune wisdom check new
cat >doubtful <<'R'
attune-wisdom 1
rule bcast use=chain time=10us ci=9us samples=2 next=chain next_time=8us
rule bcast bytes=1K: use=linear
end
R
capture attune wisdom check doubtful
check "findings: exit code" test "$code" = 1
for text in "doubtful:2: the runner-up was faster" "doubtful:2: the confidence interval is as wide" \
    "doubtful:2: fewer than three samples" "doubtful:2: the runner-up equals the winner" \
    "doubtful:3: never used where the algorithm of line 2 is applicable"; do
    check "findings: $text" grep -qF "$text" .out
done

# ---- merge and diff ----

cp old all
check "merge" attune wisdom merge all new
holds "time=10.5us ci=707.107ns samples=20 date=2026-01-02T00:00:00Z" attune wisdom show all
holds "guess=between" attune wisdom show all
check "merging the same file again counts its samples again" attune wisdom merge all new
holds "samples=30" attune wisdom show all
cp all before
fails 3 "*nowhere: cannot be read*" attune wisdom merge all new nowhere
check "an invalid file prevents the merge" cmp all before
check "the lock is released" attune wisdom merge all old
check "a new file" attune wisdom merge deep/er/file new
check "the new file has the same rules" attune wisdom diff new deep/er/file
fails 3 "*torn:1: not a wisdom file*what is new is in torn.unmerged*" attune wisdom merge torn new
check "damaged file: kept" test "$(cat torn)" = torn
check "damaged file: new rules are in FILE.unmerged" attune wisdom diff new torn.unmerged
capture attune wisdom diff old new
check "diff: exit code" test "$code" = 1
check "diff: changed" test "$(grep -c '^[-+] rule bcast ranks=8 bytes=1K:2K' .out)" = 2
check "diff: removed" grep -q '^- rule gather' .out
check "diff: added" grep -q '^+ at c0ffee/4x2: rule bcast.*guess=between' .out

# ---- evidence ----

cat >tuned <<'R'
attune-wisdom 1
rule allreduce ranks=4 bytes=4K:64K use=ring time=20us ci=200ns samples=48 date=2026-01-01
end
R
cat >job <<'R'
attune-wisdom 1
rule allreduce ranks=4 bytes=4K:8K use=recursive_doubling time=17us ci=22us samples=6 date=2026-01-02
rule allreduce ranks=4 bytes=8K:16K use=recursive_doubling time=17us ci=0ps samples=1 date=2026-01-02
end
R
check "evidence: merge" attune wisdom merge tuned job
check "evidence: the more certain rule comes first" \
    test "$(attune wisdom show tuned | grep -o 'use=[a-z_]*' | head -n 1)" = use=ring
check "evidence: one sample has no interval" test "$(attune wisdom show tuned | grep -c ci=)" = 2
capture attune wisdom check tuned
check "evidence: weaker evidence is not a finding" \
    test "$(grep -c 'never used' .out)" = 0

# ---- forget ----

fails 2 "*no rules selected*" attune wisdom forget all
fails 2 '*did you mean "bcast"?*' attune wisdom forget all --operation bcats
fails 2 "*a range is LO:HI*" attune wisdom forget all --ranks x
fails 3 "*nowhere: there is no such file*" attune wisdom forget nowhere --guesses
holds "all: 1 rule removed" attune wisdom forget all --guesses
holds "all: 0 rules removed" attune wisdom forget all --before 2025-01-01 --at '*'
holds "all: 1 rule removed" attune wisdom forget all --at c0ffee/4x2 --bytes 2K:8K
holds "all: 1 rule removed" attune wisdom forget all --operation bcast --before 2026-02-01
holds "all: 0 rules removed" attune wisdom forget all --ranks '*'
holds "all: 1 rule removed" attune wisdom forget all --ranks '*' --by-hand
check "remaining rules" test "$(attune wisdom show all)" = $'attune-wisdom 1\nmachine: test\nend'

# ---- a full disk ----

seq -f 'rule bcast ranks=%.0f use=chain time=1us samples=1' 1000 |
    { echo attune-wisdom 1; cat; echo end; } >large
full() { # in a mount namespace of our own
    mkdir -p disk && mount -t tmpfs -o size=64k none disk && cp old disk/w && sync || return 9
    cp old before
    "$attune" wisdom merge disk/w large
    echo "code $?"
    cmp disk/w before && ls disk
}
export -f full
export attune
if unshare -m true 2>/dev/null && capture unshare -m bash -c full && grep -q code .out; then
    check "full disk: reported" grep -q "disk/w: cannot be written: No space left" .err
    check "full disk: exit code" grep -q "code 4" .out
    check "full disk: no change, no other file" test "$(tail -n 2 .out | xargs)" = "w w.lock"
else
    skip "full disk" "no mounts here"
fi
finish
