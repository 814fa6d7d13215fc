#!/usr/bin/env bash
# attune model refine: fits parameters to samples of attune bench.
. "$(dirname "$0")/lib.sh"

cat >slow.machine <<'EOF'
attune-machine 1
measured ranks=2
channel memory
  hockney alpha=1 beta=0.1
channel switch
  hockney alpha=10 beta=1
end
EOF
# Two ranks: a broadcast is one message.  It takes ALPHA us + BETA ns per byte.
samples() { # ALPHA BETA [ALGORITHM]
    awk -v alpha="$1" -v beta="$2" -v name="${3:-linear}" 'BEGIN {
        print "attune-samples 1\njob 2 0000000000000000 Some MPI 1.0"
        for (bytes = 64; bytes <= 1048576; bytes *= 4) {
            print "task bcast", bytes, "0.000000000\nvariant 0 native native\nvariant 1 named", name
            for (i = 0; i < 50; i++)
                printf "s 0 0.5\ns 1 %.9f\n", (alpha + beta * bytes / 1000) * 1e-6 * (i == 7 ? 100 : 1)
            print "done"
        }
        print "end" }'
}
value() { sed -n '/^channel switch/,$s/.*'"$2"'=\([0-9.]*\).*/\1/p' "$1"; } # FILE KEY
near() { awk -v a="$1" -v b="$2" 'BEGIN { print a, "wanted", b; exit !(a > 0.93 * b && a < 1.07 * b) }'; }

samples 25 3 >calls
refined() { attune model refine --model alpha-beta slow.machine calls -o new.machine 2>err; }
check "a machine is refined" refined
check "the latency is found" near "$(value new.machine alpha)" 25
check "the time per byte is found" near "$(value new.machine beta)" 3
check "the memory channel does not change" grep -q 'hockney alpha=1 beta=0.1' new.machine
check "the provenance is noted" grep -q '^refined: .* mean error .* of alpha-beta' new.machine
reported() { grep -Eq '^80 updates from 8 variants; mean error of alpha-beta: 2\.[0-9]+ before, 1\.0[0-9]+ after' err &&
    grep -Eq '^  switch overhead +factor 2\.' err; }
check "the report" reported
again() { attune model refine --model alpha-beta new.machine calls 2>&1 >/dev/null |
    grep -Eq 'switch transfer +factor (1\.0|0\.9)'; }
check "a second fit changes nothing" again

# ---- least squares ----
# A broadcast of four ranks is 2 o + 2 L(m,1) + 2 L(m,2) = 8 us; it took 8.9, which both transfers share.
cat >table.machine <<'EOF'
attune-machine 1
channel memory
  overhead below=1 from=1
  table transfer 1 2 3 4
    8K 1 2 3 4
    16K 2 4 6 8
end
EOF
cat >broadcasts <<'EOF'
attune-samples 1
job 4 0000000000000000 Some MPI 1.0
task bcast 8192 0.000000000
variant 0 native native
variant 1 named binomial
s 0 0.5
s 1 0.0000089
s 1 0.0000089
done
end
EOF
estimated() { attune model refine --ols table.machine broadcasts -o ols.machine 2>err &&
    grep -Eq '^ +8K +1\.15 2\.15 3 4$' ols.machine && grep -Eq '^ +16K +2 4 6 8$' ols.machine &&
    grep -Eq '^1 equations from 1 variants; mean error of taulop: 1\.11. before, 1\.03. after' err; }
check "transfer times are estimated by least squares" estimated
fails 2 'attune: --ols estimates the transfers of tau-Lop; omit --model plogp or --ols' \
    attune model refine --ols --model plogp table.machine broadcasts
fails 3 'attune: slow.machine: channel memory has no table transfer*' attune model refine --ols slow.machine calls

# ---- invalid input ----
fails 2 'attune: missing operand MACHINE SAMPLES ...*' attune model refine slow.machine
fails 2 'attune: --model crystal: unknown model; there are: alpha-beta,*' attune model refine --model crystal slow.machine calls
fails 3 'attune: none: *' attune model refine none calls
fails 3 'attune: calls:1: *' attune model refine calls calls
fails 3 'attune: slow.machine:*' attune model refine slow.machine slow.machine
samples 25 3 no_such >unknown
fails 3 'attune: the samples contain no algorithm with a schedule*' \
    attune model refine slow.machine unknown
fails 3 'attune: 4@100M has 4 ranks, but the samples have 2*' \
    attune model refine --topology 4@100M slow.machine calls
finish
