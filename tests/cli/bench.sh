#!/usr/bin/env bash
# attune bench with recorded samples and with a substitute for a launcher; jobs are in tests/mpi.
. "$(dirname "$0")/lib.sh"
samples=$here/data/bench.samples
cp "$samples" good.samples

# ---- results ----
golden bench.out 0 attune bench --from good.samples
golden bench.csv 0 attune bench --from good.samples --format csv
golden bench.json 0 attune bench --from good.samples --format json
golden bench.md 0 attune bench --from good.samples --format markdown
columns() { [ "$(attune bench --from good.samples --format csv | head -n 1)" = \
    operation,bytes,ranks,variant,algorithm,median_s,ci_low_s,ci_high_s,vs_native,vs_bound,trusted ]; }
check "csv has the documented columns" columns

draw() { attune bench --from good.samples --plot "plot.$1" >/dev/null; }
check "--plot writes SVG" draw svg
check "--plot writes HTML" draw html
golden bench.svg 0 cat plot.svg
if command -v python3 >/dev/null; then
    xml() { python3 -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])' plot.svg; }
    check "the SVG is well-formed" xml
else
    skip "the SVG is well-formed" "no python3"
fi
page_has_all() { [ "$(grep -c '^<tr' plot.html)" = 14 ] && grep -q '^<svg' plot.html; }
check "the page has plot and table" page_has_all

# ---- noise ----
# A control that takes 10 % longer than native in every round.
awk '$1 == "s" && $2 == 0 { t = $3 } $1 == "s" && $2 == 1 { $3 = sprintf("%.9f", 1.1 * t) } 1' \
    good.samples >biased.samples
biased() { attune bench --from biased.samples --format "$1"; }
marked() { [ "$(biased csv | grep -c ',no$')" = 13 ] && [ "$(biased json | grep -c '"trusted": "no"')" = 13 ] &&
    biased table | grep -q 'control .* 1\.10  1\.10 \.\. 1\.10 .* no '; }
check "a control whose interval excludes 1 marks its rows" marked
prints_noise() { biased "$1" | grep -q '^Noise: native differs from itself by 10.0 % in the median, 10.0 % at most\.$' &&
    biased "$1" | grep -q '^Not trusted: 3 of 3 problems, where the interval of the control excludes 1 '; }
check "the summary names the noise" prints_noise table
check "the summary names the noise in markdown" prints_noise markdown
drawn() { attune bench --from biased.samples --plot biased.html >/dev/null &&
    grep -q '(not trusted)' biased.html && [ "$(grep -c ' doubtful' biased.html)" = 13 ] &&
    grep -q '<p>Not trusted: 3 of 3 problems' biased.html; }
check "plot and page mark such rows" drawn
# A disturbance delays all variants of a round: times differ threefold, ratios do not.
awk '$1 == "s" && $2 == 0 { n++; f = 1 + n % 3 } $1 == "s" { $3 = sprintf("%.9f", f * ($2 == 1 ? 0.99 + n % 4 / 100 : 1)) } 1' \
    good.samples >waves.samples
paired() { attune bench --from waves.samples | grep -q 'control .* 0\.99 \.\. 1\.02 .* yes '; }
check "samples are compared with those of the same round" paired
short() { awk '/^s/ { if (n[$2]++ > 2) next } /^done/ { delete n } 1' good.samples >short.samples &&
    attune bench --from short.samples | grep -q '^Too short: 3 of 3 problems, with fewer than 6 rounds'; }
check "too few samples for an interval are reported" short

# ---- overlap ----
cp "$here/data/overlap.samples" overlap.samples
golden bench_overlap.out 0 attune bench --from overlap.samples
golden bench_overlap.csv 0 attune bench --from overlap.samples --format csv
golden bench_overlap.json 0 attune bench --from overlap.samples --format json
# 100 * (1 - (overall - compute) / pure) is never negative; a difference from native may be.
hides() { attune bench --from overlap.samples --format csv | awk -F, '$4 == "recursive_doubling" && $14 == 0 && $17 < -25 { n++ }
    $4 == "attune" && $14 > 80 && $17 > 50 { n++ } $4 == "native" && $17 == 0 { n++ } END { exit n != 4 }'; }
check "overlap and its difference from native" hides
bad_overlap() { # LINE TEXT GLOB
    awk -v at="$1" -v text="$2" 'NR == at { print text; next } 1' overlap.samples >bad.samples
    fails 3 "attune: bad.samples:$1: $3" attune bench --from bad.samples
}
first=$(grep -n '^overlap' overlap.samples | head -n 1 | cut -d: -f1)
number=$(sed -n "${first}s/^overlap \([0-9]\).*/\1/p" overlap.samples)
bad_overlap "$first" "overlap $number 0.1 0.2" "not 'overlap VARIANT COMPUTE OVERALL INSIDE'*"
bad_overlap "$first" "overlap 9 0.1 0.2 0.1" "not 'overlap VARIANT COMPUTE OVERALL INSIDE'*"
bad_overlap "$first" "overlap $number 0.1 nan 0.1" 'time out of range*'
bad_overlap "$first" "overlap $number 0 0.2 0.1" 'time out of range*'
bad_overlap $((first - 1)) "overlap $number 0.1 0.2 0.1" 'it must follow each sample of the variant*'
sed "${first}d" overlap.samples >bad.samples
fails 3 'attune: bad.samples:*: it must follow each sample of the variant*' attune bench --from bad.samples
last=$(grep -n '^overlap' overlap.samples | tail -n 1 | cut -d: -f1)
sed "${last}d" overlap.samples >bad.samples
fails 3 'attune: bad.samples:*: a sample of the variant has no overlap*' attune bench --from bad.samples

# ---- pooling ----
twice() { attune bench --from good.samples --from good.samples --format json |
    grep -c '"samples": 18,'; }
check "equal jobs are pooled" test "$(twice)" = 11
cat good.samples good.samples >both.samples
one_file() { cmp <(attune bench --from both.samples) \
    <(attune bench --from good.samples --from good.samples); }
check "concatenated files are pooled" one_file
sed 's/^job 16/job 8/' good.samples >other.samples
fails 3 'attune: other.samples:3: a job of 8 ranks*follows one of 16 ranks*only equal jobs*' \
    attune bench --from good.samples --from other.samples
sed 's/^job 16 0/job 16 1/' good.samples >other.samples
fails 3 'attune: other.samples:3: *on another topology*' \
    attune bench --from good.samples --from other.samples

# ---- invalid files ----
bad() { # LINE TEXT GLOB: the message for a file with that line replaced
    awk -v at="$1" -v text="$2" 'NR == at { print text; next } 1' good.samples >bad.samples
    fails 3 "attune: bad.samples:$1: $3" attune bench --from bad.samples
}
bad 2 'attune-samples 9' 'samples of version 9, but this attune reads version 1*'
bad 2 'attune-wisdom 1' "not a sample file: no 'attune-samples 1' line: 'attune-wisdom 1'"
bad 3 'job sixteen' "not 'job RANKS TOPOLOGY MPI': 'sixteen'"
bad 3 'job 0 00 x' "not 'job RANKS TOPOLOGY MPI'*"
bad 4 'task bcast -3 0.1' "not 'task OPERATION BYTES BOUND'*"
bad 4 'task bcast 16384' "not 'task OPERATION BYTES BOUND'*"
bad 4 'task bcast 16384 nan' "not 'task OPERATION BYTES BOUND'*"
bad 6 'variant 7 control native' 'variants must be numbered 0, 1, 2 ...*'
bad 6 'variant 1 guess native' "not 'variant NUMBER ROLE ALGORITHM'*"
bad 13 's 0 nan' "time out of range: '0 nan'"
bad 13 's 0 -0.5' 'time out of range*'
bad 13 's 0 0' 'time out of range*'
bad 13 's 0 1e99' 'time out of range*'
bad 13 's 0 fast' "not 's VARIANT SECONDS'*"
bad 13 's 9 0.02' 'unknown variant of this task*'
bad 13 's 0 0.02 0.03' "not 's VARIANT SECONDS'*"
bad 13 'task bcast 1 0' 'this line is not allowed here*'
bad 13 'xyzzy' "this line is not allowed here: 'xyzzy'"

cut_at() { # LINES GLOB
    head -n "$1" good.samples >cut.samples
    fails 3 "$2" attune bench --from cut.samples
}
cut_at 30 'attune: cut.samples:30: the samples are incomplete: *; measure again'
cut_at 80 "attune: cut.samples:80: the samples are incomplete: *, or keep the 1 complete task: delete what \
follows line [0-9]* and write 'end'"
cut_at 1 "attune: cut.samples: not a sample file*"
rescue() {
    local line
    line=$(attune bench --from cut.samples 2>&1 | sed 's/.*follows line \([0-9]*\).*/\1/')
    { head -n "$line" cut.samples; echo end; } >rescued.samples
    attune bench --from rescued.samples >/dev/null
}
cut_at 80 '*'
check "the suggested repair works" rescue
fails 3 'attune: nowhere: cannot be read: No such file or directory' attune bench --from nowhere
fails 3 'attune: nul.samples: not a text file' sh -c "printf 'a\0b' >nul.samples &&
    '$attune' bench --from nul.samples"

# ---- usage errors ----
fails 2 "attune: no launcher; add it after --*" attune bench
fails 2 "attune: --from reads samples and starts no job; omit 'mpirun'" \
    attune bench --from good.samples -- mpirun -n 2
fails 3 'attune: unknown operation "bcsat"; did you mean "bcast"?*' attune bench --ops bcsat -- true
fails 2 "attune: --ops: empty name in the list" attune bench --ops bcast,,reduce -- true
fails 2 "attune: 'wide' is neither a size*" attune bench --sizes wide -- true
fails 2 "attune: range '1K:1M' has no step; write 1K:1M:x4*" \
    attune bench --sizes 1K:1M -- ./must-not-start
fails 2 'attune: --sizes: the maximum is 1G' attune bench --sizes 2G -- true
fails 2 'attune: --since requires --imbalance' attune bench --since last -- true
fails 2 'attune: --late requires --imbalance' attune bench --late 1 -- true
fails 2 'attune: --overlap soon: must be auto or a time from 0.1us to 60s, such as 200us' \
    attune bench --overlap soon -- true
fails 2 'attune: --overlap 200: must be auto or a time*' attune bench --overlap 200 -- true
fails 2 'attune: --overlap -3us: must be auto or a time*' attune bench --overlap -3us -- true
fails 2 'attune: --overlap: blocking calls overlap with nothing*' \
    attune bench --overlap auto --form blocking -- true
fails 2 'attune: --overlap and --imbalance exclude each other' \
    attune bench --overlap auto --imbalance 4 -- true
fails 2 'attune: --tests requires --overlap' attune bench --tests 3 -- true
fails 2 'attune: --form lazy: *' attune bench --form lazy -- true
fails 3 'attune: unknown algorithm "chian" for bcast; did you mean "chain"?*' \
    attune bench --ops bcast --variants chian -- true
fails 3 'attune: bcast/chain: segment=-1 is invalid*' \
    attune bench --ops bcast --variants 'chain{segment=-1}' -- true
fails 3 'attune: alltoall/linear: operation is not in --ops' \
    attune bench --ops bcast --variants native,alltoall/linear -- true
fails 2 'attune: --seconds soon: must be a number above 0, at most 86400' attune bench --seconds soon -- true
fails 2 'attune: --seconds 1e9: must be a number above 0, at most 86400' attune bench --seconds 1e9 -- true
fails 2 'attune: --calls 0: must be an integer from 1 to 1000000' attune bench --calls 0 -- true
fails 2 'attune: --plot picture.png: must end with .svg or .html' \
    attune bench --from good.samples --plot picture.png
fails 4 'attune: nowhere/plot.svg: cannot be written: *' \
    attune bench --from good.samples --plot nowhere/plot.svg

# ---- launchers ----
if ! compgen -G "$(dirname "$attune")/../libexec/attune/openmpi/bench_exec" >/dev/null; then
    skip "launchers" "Attune was built without Open MPI"
    finish
fi
run() { attune bench --mpi openmpi --ops bcast --sizes 16K "$@" -- ./launch -n 4; }

launcher 'printf "%s\n" "$@" >words; cat good.samples'
check "samples are read from a job" run
program_is_added() { sed -n '1p;2p' words | tr '\n' ' ' | grep -qx -- '-n 4 ' &&
    sed -n 3p words | grep -q '/libexec/attune/openmpi/bench_exec$' &&
    grep -qx 'bcast/16384/native;attune' words; }
check "the program follows the words of the launcher" program_is_added
variants() { run --variants 'native,best,chain{segment=2K,chains=2}' \
    --candidates 'bcast/binomial,chain' >/dev/null &&
    grep -qxF 'bcast/16384/native;chain{segment=2K,chains=2};?binomial;?chain' words; }
check "variants and candidates are passed" variants
lists() { # FILE: candidates of the benchmarks
    local list
    list=$(grep -oE "[a-z]+/[a-z_]+(\{[^}]*\})?" "$1" | grep -E '^(bcast|reduce|all)' | paste -sd,)
    [ "$(tr -cd / <<<"$list" | wc -c)" -ge 10 ] &&
        run --ops bcast,reduce,allgather,allreduce,alltoall --variants best --candidates "$list"
}
check "candidates of the benchmarks exist" lists "$root/bench/candidates"
found() { # as the demo finds them; some names have commas
    (cd "$root" && ATN_DEMO_FIND='allreduce 128K' ATTUNE_BUILD=${attune%/bin/attune} examples/demo) >list &&
        [ "$(tr -cd / <list | wc -c)" = 4 ] && run --ops allreduce --variants best --candidates "$(cat list)" >/dev/null
}
check "the demo finds candidates" found
printf 'attune-wisdom 1\nend\n' >some.rules
settings() { ATTUNE_RULES=some.rules run --topology 4x4@100M --algorithm bcast=linear >/dev/null &&
    tr '\n' ' ' <words | grep -qF -- \
        '--topology 4x4@100M --rules '"$PWD/some.rules"' --algorithm bcast=linear'; }
check "settings are passed" settings
passes() { # WORDS OPTIONS ...
    local words=$1
    shift
    run "$@" >/dev/null && tr '\n' ' ' <words | grep -qF -- "$words"
}
check "the form is passed" passes '--form persistent bcast/16384' --form persistent
check "overlap implies nonblocking calls" passes '--form nonblocking --overlap 0 --tests 0 bcast' --overlap auto
check "overlap is passed" passes '--form persistent --overlap 0.0002 --tests 5 bcast' --form persistent \
    --overlap 200us --tests 5
blocking() { run >/dev/null && ! grep -q -- --form words; }
check "calls are blocking by default" blocking
raw() { run --raw kept.samples >/dev/null && cmp <(grep -v '^#' kept.samples) \
    <(grep -v '^#' good.samples) && grep -q '^# launcher: ./launch -n 4$' kept.samples; }
check "--raw keeps all samples and their provenance" raw
into_pipe() { mkfifo -m 600 pipe && { run --raw pipe >/dev/null & } && cmp <(grep -v '^#' kept.samples) <(grep -v '^#' pipe); }
check "--raw writes into a pipe" into_pipe
launcher 'awk "{ print } /^done/ { while (system(\"test -e go\") != 0 && n++ < 600) system(\"sleep 0.1\") }" good.samples'
streamed() { # FORMAT LINES-OF-THE-FIRST-TASK: they are printed before the second task starts
    rm -f go
    : >rows
    run --format "$1" >rows 2>progress &
    local pid=$! n=0
    while [ "$(grep -c bcast rows)" -lt "$2" ] && kill -0 "$pid" 2>/dev/null && [ $((n += 1)) -lt 300 ]; do sleep 0.1; done
    cp rows early
    touch go
    wait "$pid" && [ "$(grep -c bcast early)" = "$2" ] && ! grep -q barrier early && grep -q barrier rows
}
for format in table csv markdown; do
    check "rows are written when complete: $format" streamed "$format" 5
done
aligned() { run >rows && [ "$(awk '$3 ~ /^(native|control|attune)$/ { print index($0, $3) }' rows | sort -u | wc -l)" = 1 ]; }
check "streamed rows are aligned" aligned
progress() { grep -q '^attune: 0 %: bcast 16K$' progress && grep -q '^attune: [0-9]* %.*: barrier 0$' progress; }
check "progress is printed as lines without a terminal" progress
seed() { run --seed 77 >/dev/null && tr '\n' ' ' <words | grep -qF -- '--seed 77 '; }
launcher 'printf "%s\n" "$@" >words; cat good.samples'
check "the seed is passed" seed
fresh() { run >/dev/null && grep -x -A 1 -- --seed words >one && sleep 0.01 && run >/dev/null &&
    grep -x -A 1 -- --seed words >two && ! cmp -s one two; }
check "the default seed differs between runs" fresh
again() { cmp <(attune bench --from kept.samples --format csv) <(run --format csv); }
check "--from prints the same results" again
fails 4 'attune: nowhere/raw: cannot be written: No such file or directory; *' run --raw nowhere/raw

# ---- nothing remains of a job that does not start ----
fails 2 'attune: no launcher; *' attune bench --raw new.samples
fails 4 'attune: launcher mpirun.nowhere: *' attune bench --raw new.samples -- mpirun.nowhere -n 2
check "no file of samples" [ ! -e new.samples ]

launcher 'echo "starting"; cat good.samples; echo "finished"'
check "output of launchers around the samples is ignored" run
launcher 'echo "no licence" >&2; exit 7'
fails 4 '*no licence*attune: the job failed: ./launch returned exit code 7;*' run
launcher 'kill -9 $$'
fails 4 'attune: the job was terminated by signal 9 (Killed)' run
launcher 'head -n 30 good.samples'
fails 3 '*attune: samples of the job:30: the samples are incomplete*' run
launcher 'echo "attune-samples 1"; echo "job 4 0 MPI"; echo "failed 3 no memory for this"'
fails 3 'attune: no memory for this' run
launcher 'head -n 20 good.samples; echo garbage; sleep 60'
fails 3 "*attune: samples of the job:21: this line is not allowed here: 'garbage'" run
launcher 'exit 0'
fails 3 'attune: samples of the job: not a sample file*' run
fails 4 'attune: launcher mpirun.nowhere: No such file or directory*' \
    attune bench -- mpirun.nowhere -n 2
fails 4 'attune: ./nothing: cannot be run: No such file or directory*exit code 127*' \
    attune bench --mpi openmpi -- ./nothing
launcher 'echo "mpirun (Open MPI) 4.1.4"'
cp launch mpirun
fails 2 "attune: unexpected './app'; give the launcher*" \
    attune bench -- ./mpirun -n 2 ./app
fails 2 "attune: the launcher must start a single program*" attune bench -- ./mpirun -n 1 : -n 1
fails 3 'attune: ATTUNE_TRANSPORT*fast*' env ATTUNE_TRANSPORT=fast "$attune" bench -- ./mpirun -n 2
cp launch mpirun.openmpi
fails 2 'attune: ./mpirun.openmpi belongs to openmpi, but --mpi is mpich*' \
    attune bench --mpi mpich -- ./mpirun.openmpi -n 2
finish
