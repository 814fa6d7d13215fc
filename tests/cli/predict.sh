#!/usr/bin/env bash
# attune explain, attune model time and check: predicted times, machine files.
. "$(dirname "$0")/lib.sh"

cat >lab.machine <<'END'
attune-machine 1
date: 2026-02-03
hosts processors=2
table gamma sum f64 1
  1K 0.5
channel memory
  hockney alpha=2 beta=0.3
channel switch
  path duplex=0.4 rate=11.87
  overhead below=100 eager=64K from=700
  processor byte=4 message=9 more=6.5
  hockney alpha=100 beta=85
channel core
  path duplex=0.4 rate=11.87
  overhead below=110 eager=64K from=700
  processor byte=5 message=9 more=6.5
  hockney alpha=110 beta=85
end
END
cyclic='4x4@100M;order=roundrobin'

# ---- check ----
golden machine_check.out 0 attune model check lab.machine
sed 's/below=100/below=900/' lab.machine >odd.machine
golden machine_odd.out 1 attune model check odd.machine
sed '$d' lab.machine >cut.machine
fails 3 'attune: cut.machine:18: the line "end" is missing: the file is truncated; restore it*' \
    attune model check cut.machine
sed 's/alpha=2 /alpha=nan /' lab.machine >nan.machine
fails 3 'attune: nan.machine:7: alpha: invalid number "nan"*' attune model check nan.machine
sed 's/rate=11.87/rate=-1/' lab.machine >negative.machine
fails 3 'attune: negative.machine:9: rate: -1 is negative*' attune model check negative.machine
sed '3a measured ranks=16 topology=0123456789abcdef' lab.machine >other.machine
fails 3 'attune: other.machine: it was measured on the same number of hosts with another topology*' \
    attune model check other.machine --topology "$cyclic"
fails 3 'attune: other.machine: it was measured on the same number of hosts with another topology*' \
    attune explain bcast::1M --machine other.machine --topology "$cyclic"

# ---- time ----
golden model_time.out 0 attune model time scatter --machine lab.machine --topology 4x4@100M --bytes 16K
golden model_time_map.out 0 attune model time allgather/ring 'allgather/ring{order=lr1}' --bytes 128K \
    --machine lab.machine --topology 4x4@100M --map roundrobin
models() { [ "$(attune model time bcast -p 4 --format csv | head -1 | tr , '\n' | wc -l)" = 11 ]; }
check "every model has a column" models
fails 2 'attune: --map roundrobin: requires --topology' \
    attune model time bcast --map roundrobin
fails 3 'attune: unknown operation "brodcast"*' attune model time brodcast

# ---- explain ----
best() { # WORDS-THAT-THE-FIRST-MUST-HAVE PROBLEM OPTIONS
    local words=$1
    shift
    attune explain "$@" --top 1 --format csv | tail -1 | grep -q "$words"
}
check "topology-aware bcast" best 'bcast/chain.*order=dfs' bcast::1M --machine lab.machine --topology "$cyclic"
check "topology-aware allgather" best 'order=lr1' allgather::128K --machine lab.machine --topology "$cyclic"
check "few rounds for small messages" best 'schedule,[0-9]*,0,latency' allreduce:16:8:f64:sum
# Rows are sorted by the printed time, then by name; the best has a ratio of 1.
sorted_by_time() { # EXPLAIN-OPTIONS
    attune explain "$@" --top 10000 --format csv 2>/dev/null | sed 1d | LC_ALL=C awk '
        {
            n = match($0, /^"[^"]*"/) ? RLENGTH : index($0, ",") - 1
            name = substr($0, 1, n)
            gsub("\"", "", name)
            split(substr($0, n + 2), cell, ",")
            us = cell[2] + 0; ratio = cell[3] + 0
            if (NR == 1 ? ratio != 1 : us < us0 || ratio < ratio0 || (us == us0 && name < name0)) {
                print "out of order: " $0; bad = 1
            }
            us0 = us; ratio0 = ratio; name0 = name
        }
        END { exit bad || NR < 2 }'
}
for problem in allreduce:8:64K allreduce:16:8 allreduce:13:1M bcast:16:1M alltoall:12:4K allgather:7:128K \
    reduce:9:32K scatter:16:2K barrier:6:0; do
    check "explain $problem: sorted by printed time" sorted_by_time $problem
    check "explain $problem on a measured machine" sorted_by_time \
        "$(cut -d: -f1,3 <<<"$problem" | sed 's/:/::/')" --machine lab.machine --topology "$cyclic"
done
formula() { attune explain bcast:8:1M | grep -q 'cost without contention: .*a + b'; }
check "the formula is printed" formula
reasons() { [ "$(attune explain bcast::1M --machine lab.machine --topology "$cyclic" --format csv |
    sed '1,2d' | grep -c 'instead of\|wait')" -ge 7 ]; }
check "slower candidates have reasons" reasons
once() { # on two ranks all trees are one
    [ "$(attune explain bcast:2:8 --top 99 --format csv | grep -cE '/(binomial|chain|kary|knomial|linear)')" = 1 ]
}
check "equal schedules are listed once" once
names() { attune explain bcast:2:8 | grep -q '^same schedules: .*bcast/linear.* as bcast/binomial$'; }
check "other names are printed" names

# ---- segments ----
# The model of the literature, (P - 1)(g(s) + L) + g(s)(k - 1), is least near 5972 bytes (see test_planner.c).
cat >train.machine <<'END'
attune-machine 1
channel only
  plogp L=50
  table plogp-gap 1
    0 20
    1M 88100.384
end
END
segment_of() {
    attune explain bcast:9:1M --machine train.machine --model plogp --top 999 --format csv "$@" 2>/dev/null |
        sed -n 's/^"\?bcast\/chain{segment=\([0-9A-Z]*\)}.*/\1/p' | head -1
}
searches() { # within 5 %
    local found
    found=$(segment_of --segment search)
    [ "$(segment_of)" = 8K ] && [ "$found" -ge 5673 ] && [ "$found" -le 6271 ]
}
check "explain --segment search finds the best segment" searches
fails 2 'attune: --segment search: *at most 64 ranks' attune explain bcast:65:1M --segment search

# ---- many ranks ----
# Every candidate is listed; evaluated ones are marked, and messages of all ranks are not counted.
many() { attune explain "$1" --topology "$2" --top 10000 --format csv 2>/dev/null >many.csv; }
listed() {
    many allreduce::64K 32@80Gx32@10G && [ "$(wc -l <many.csv)" -gt 50 ] &&
        grep -q ',fewer ranks,,,' many.csv && ! grep -q ',schedule,' many.csv
}
check "explain on 1024 ranks evaluates fewer and lists all candidates" listed
few() { many allreduce::64K 4@40Gx16@10G && grep -q ',schedule,[0-9]' many.csv && ! grep -q ',fewer ranks,' many.csv; }
check "explain on 64 ranks evaluates all of them" few
limited() { many alltoall::1K 32@80Gx64@10G && ! grep -q '^alltoall/aapc' many.csv; }
check "explain omits rows beyond their limit" limited
reason() { attune schedule show barrier/linear -p 1025 2>err; [ $? != 0 ] && grep -q 'square of the ranks' err; }
check "a row beyond its limit is refused with the reason" reason

# Times measured on 16 ranks correct the rows that they are of; other rows are corrected by the mean.
cat >few.wisdom <<'END'
attune-wisdom 1
rule bcast ranks=16 bytes=1024 use=binomial time=10000us samples=9 next=knomial next_time=10001us
end
END
with_wisdom() { # ROW FIELD PROBLEM
    attune explain "$3" --topology 8@40Gx16@10G --top 10000 --format json "${@:4}" 2>/dev/null | tr -d '",' |
        awk -v row="$1" -v field="$2:" '$1 == "algorithm:" { here = $2 == row } here && $1 == field { sub(/^[^:]*: /, ""); print }'
}
corrected() {
    [ "$(with_wisdom bcast/binomial by bcast::1K --wisdom few.wisdom)" = wisdom ] &&
        [ "$(with_wisdom bcast/binomial by bcast::1K)" != wisdom ] &&
        [ "$(with_wisdom bcast/bine by bcast::1K --wisdom few.wisdom)" != wisdom ] &&
        awk -v a="$(with_wisdom bcast/binomial predicted_us bcast::1K)" \
            -v b="$(with_wisdom bcast/binomial predicted_us bcast::1K --wisdom few.wisdom)" 'BEGIN { exit !(b > 5 * a) }'
}
check "explain shows what wisdom of fewer ranks corrects" corrected
printed() { attune explain "$1" --topology 8@40Gx16@10G --wisdom few.wisdom 2>/dev/null | grep -qx "wisdom: few.wisdom; $2"; }
check "explain counts measured times" printed bcast::1K '2 measured times of fewer ranks correct predictions'
check "explain reports wisdom without measured times" printed bcast::1M 'no measured times of similar sizes on 8 to 128 ranks'
fails 3 'attune: none.wisdom*' attune explain bcast:8:1K --wisdom none.wisdom

# ---- the transport ----
printf '%s\n' 'attune-machine 1' 'channel memory' '  hockney alpha=1 beta=0.1' end >host.machine
transport() { # LINE VALUE-OF-ATTUNE_TRANSPORT EXPLAIN-OPTIONS
    ATTUNE_TRANSPORT=$2 attune explain "${@:3}" 2>/dev/null | grep -E '^transport:' | tee seen | grep -qE "^transport: $1\$" ||
        { cat seen; false; }
}
numbers() { # AWK-CONDITION VALUE-OF-ATTUNE_TRANSPORT EXPLAIN-OPTIONS; n and shared of every row
    ATTUNE_TRANSPORT=$2 attune explain "${@:3}" --top 99 --format json 2>/dev/null | tr -d '",' | awk '
        $1 == "messages:" { n = $2 }
        $1 == "shared:" { shared = $2; rows++; if (!('"$1"')) { print n, shared; bad = 1 } }
        END { exit bad || rows < 2 }'
}
check "on one host shared memory carries all messages" transport 'shared memory \([0-9]+ messages\)' auto \
    allreduce:4:8 --machine host.machine
check "... in numbers" numbers 'n > 0 && shared == n' shm allreduce:4:8 --machine host.machine
check "ATTUNE_TRANSPORT=mpi is respected" transport 'MPI \([0-9]+ messages\)' mpi allreduce:4:8 --machine host.machine
check "... in numbers" numbers 'n > 0 && shared == 0' mpi allreduce:4:8 --machine host.machine
check "between hosts MPI carries messages" transport 'MPI \([0-9]+ messages\)' auto allreduce::8 --topology 4@1G
check "both transports carry messages" \
    transport 'shared memory inside hosts \([0-9]+ of [0-9]+ messages\), MPI between hosts' auto \
    allreduce::8 --topology '2@1G;ranks=4'
rows() { ATTUNE_TRANSPORT=$1 attune explain allreduce:4:8 --machine host.machine --top 99 --format csv 2>/dev/null |
    grep -c '^allreduce/shared_'; }
check "algorithms with shared memory are ranked" test "$(rows auto)" -gt 1
check "... but not with ATTUNE_TRANSPORT=mpi" test "$(rows mpi)" = 0
fails 3 'attune: ATTUNE_TRANSPORT*fast*' env ATTUNE_TRANSPORT=fast "$attune" explain bcast:4:1K

# ---- invalid problems ----
fails 2 "attune: problem 'bcast': at least two ranks*" attune explain bcast
fails 2 "attune: problem 'bcast:x:1': the second field is not a number of ranks*" attune explain bcast:x:1
counts() { attune explain --budget 1 "$1" --format csv 2>/dev/null | awk -F, '$7 == "" { bad = 1 } END { exit bad || NR < 3 }'; }
check "small schedules are counted without a budget" counts alltoall:16:1K
check "large ones are not" eval '! counts alltoall:16:1G'
fails 2 "attune: problem 'bcast:4:1025T': the size exceeds 1024T*" attune explain bcast:4:1025T
fails 2 'attune: --bytes 8000000T: must be at most 1024T' attune model time allreduce/ring -p 4 --bytes 8000000T
fails 2 "attune: problem 'bcast:4': the third field is not a size*" attune explain bcast:4
fails 2 "attune: problem 'bcast:4:1K:9': the root is out of range*" attune explain bcast:4:1K:9
fails 2 "attune: problem 'bcast:4:1K:f64': only reductions have*" attune explain bcast:4:1K:f64
fails 2 "attune: problem 'bcast:8:1K': the topology has 16 ranks" \
    attune explain bcast:8:1K --topology "$cyclic"
fails 2 'attune: --model x: unknown model*' attune explain bcast:4:1K --model x
fails 3 'attune: nothere: cannot be read*' attune explain bcast:4:1K --machine nothere
finish
