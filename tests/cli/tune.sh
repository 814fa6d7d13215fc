#!/usr/bin/env bash
# attune tune with a substitute for a launcher: options, files, resuming; jobs are in
# tests/mpi/run-tune.
. "$(dirname "$0")/lib.sh"

# ---- usage errors ----
fails 2 "attune: no launcher; add it after --*" attune tune --wisdom w
fails 3 'attune: unknown operation "bcsat"; did you mean "bcast"?*' \
    attune tune --wisdom w --ops bcsat -- true
fails 2 "attune: 'wide' is neither a size*" attune tune --wisdom w --sizes wide -- true
fails 2 'attune: --time soon: must be a number above 0, at most 10000000' \
    attune tune --wisdom w --time soon -- true
fails 2 "attune: --place there: must be here, '\*' or MACHINE/LAYOUT" \
    attune tune --wisdom w --place there -- true
fails 3 'attune: unknown algorithm "chian" for bcast; did you mean "chain"?*' \
    attune tune --wisdom w --ops bcast --candidates chian -- true
fails 2 'attune: no wisdom file; add --wisdom FILE' \
    env -u HOME -u XDG_DATA_HOME ATTUNE_WISDOM=off "$attune" tune -- true
fails 2 'attune: --candidates: nothing is before the comma at character 7; *' \
    attune tune --wisdom w --ops bcast --candidates chain,,binomial -- true
fails 4 'attune: launcher mpirun.nowhere: *' env HOME="$work/new" "$attune" tune -- mpirun.nowhere -n 2
check "nothing is left of a search that does not start" [ ! -e new ]
echo '# nothing' >empty
fails 3 'attune: ./empty: contains no algorithm' attune tune --wisdom w --candidates ./empty -- true

if ! compgen -G "$(dirname "$attune")/../libexec/attune/openmpi/tune_exec" >/dev/null; then
    skip "launchers" "Attune was built without Open MPI"
    finish
fi
run() { attune tune --mpi openmpi --ops bcast --sizes 16K,1K --wisdom w "$@" -- ./launch -n 4; }
words_are() { tail -n +3 words | tr '\n' ' ' | sed 's,[^ ]*/tune_exec ,,' | grep -qxF -- "$1 "; }

# ---- a complete search ----
task() { # BYTES ALGORITHM SECONDS WINNER
    local i first=first second=won
    [ "$4" = native ] || { first=won second=second; }
    printf 'task bcast %s 0\nvariant 0 native native\ns 0 0.001\nvariant 1 candidate %s\ns 1 %s\n' \
        "$1" "$2" "$3"
    printf 'variant 2 control native\ns 2 0.001\nvariant 3 named %s\ns 3 %s\n' "$2" "$3"
    for i in 1 2 3 4 5 6 7; do printf 's 2 0.001\ns 3 %s\n' "$3"; done
    printf 'variant 4 candidate ring\nfate 0 %s 0\nfate 1 %s 0.0004\nfate 4 hopeless 0.5\ndone\n' \
        "$second" "$first"
}
{
    printf 'attune-samples 1\njob 4 0 Some MPI\n'
    task 1024 binomial 0.00099 native
    task 4096 chain 0.0007 chain
    task 16384 'chain{segment=8K}' 0.0005 chain
    echo end
} >good.samples
launcher 'printf "%s\n" "$@" >words; cat good.samples'
check "a search" run
words() { words_are '--timing barrier bcast/1024/native;?all bcast/16384/native;?all'; }
check "sizes are passed in order" words
rules() {
    [ "$(grep -c ^rule w)" = 3 ] && grep -q 'bytes=1K:4K  *use=native .*next=binomial' w &&
        grep -q 'bytes=16K:  *use=chain{segment=8K} .*time=500us .*samples=8' w &&
        attune wisdom check w
}
check "the rules are in the wisdom" rules
check "all samples are kept" cmp <(grep -v '^#' w.samples) good.samples
columns() { run --format csv 2>/dev/null | sed -n '1p;2p' | tr '\n' ' ' | grep -qx 'operation,bytes,ranks,use,median_us,ci_us,vs_native,ci_low,ci_high,next,next_us,tried,of bcast,1024,4,native,1000,0,1.000,1.000,1.000,binomial,990,1,2 '; }
check "csv has the documented columns" columns
report() {
    run --report r.txt && run --report r.html && grep -q '^  chain, 700 us; chain takes 0.700' r.txt &&
        grep -q 'not measured: predicted slower' r.txt && grep -q '^<pre>' r.html
}
check "a report, as text and as a page" report
rm -f w
mkdir leaves # while the job runs
launcher 'rmdir leaves; cat good.samples'
fails 4 'attune: leaves/r.txt: cannot be written: *' run -q --report leaves/r.txt
launcher 'printf "%s\n" "$@" >words; cat good.samples'
again() { [ "$(grep -c ^rule w)" = 3 ]; }
check "a report that cannot be written does not lose the wisdom" again
run --report r.txt >/dev/null 2>&1
check "tuning again does not add rules" again

new_user() { # without wisdom and without its folder
    env -u XDG_DATA_HOME HOME="$work/new" "$attune" tune --mpi openmpi --ops bcast --sizes 16K,1K -- ./launch -n 4 &&
        [ "$(grep -c ^rule new/.local/share/attune/wisdom)" = 3 ]
}
check "the folder of the user's wisdom is created" new_user

lists() {
    printf 'bcast/binomial # a comment\n\nchain{segment=2K,chains=2}\n' >names
    run --candidates ./names --time 30 --exhaustive --timing plain &&
        words_are '--timing plain --time 30 --exhaustive 1 bcast/1024/native;?binomial;?chain{segment=2K,chains=2} bcast/16384/native;?binomial;?chain{segment=2K,chains=2}'
}
check "candidates from a file, and other options" lists
namesakes() { # folders, and what is called as the usual choice, are no lists
    mkdir -p binomial barrier && echo nonsense >all && run && words_are '--timing barrier bcast/1024/native;?all bcast/16384/native;?all' &&
        run --candidates binomial && words_are '--timing barrier bcast/1024/native;?binomial bcast/16384/native;?binomial'
}
check "algorithm names take precedence over files" namesakes
own_timing() { # beside where the command is given
    touch mine.so && run --timing mine.so && grep -qxF -- "$PWD/mine.so" words
}
check "a shared object for timing as an absolute path" own_timing
mine() {
    attune schedule show bcast/binomial -p 4 --format text >mine.txt && run --candidates 'all,file{schedule=mine.txt}' &&
        grep -qxF "bcast/1024/native;file{schedule=$PWD/mine.txt};?all" words
}
check "schedule files as absolute paths" mine

made=';?greedy{pattern=P,sync=sender,block=4};?greedy{pattern=P};?greedy{pattern=P,sync=sender,block=8};?cut{pattern=P,sync=sender,block=4};?cut{pattern=P}'
patterns() {
    cat >calls.txt <<'END'
attune-pattern 1
ranks 4
call alltoallv x3
0 1K 1K 1K
1K 0 1K 1K
1K 1K 0 1K
1K 1K 1K 0
call allgatherv
1K 1K 1K 1K
call alltoallv x2 # nearly the same as the first
0 1K 1K 1K
1K 0 1K 1K
1K 1K 0 1K
1K 1K 1K 4
call alltoallv # others with the same mean
0 4K 0 0
4K 0 0 0
0 0 0 4K
0 0 0 0
END
    run --patterns calls.txt --raw p.samples >/dev/null && sed -n '/@/p' words | tr '\n' ' ' |
        sed 's/[0-9a-f]\{16\}/P/g' |
        grep -qxF "allgatherv/1024@1/native;?all$made alltoallv/768@0/native;?all$made alltoallv/769@3/native;?all$made "
}
check "patterns: similar ones are merged, largest first" patterns
bound() { # of rows made for a pattern, the one of each call
    run --patterns calls.txt --raw p.samples --candidates 'greedy{block=2},linear' >/dev/null && sed -n '/@3/p' words >bound &&
        grep -qx 'alltoallv/769@3/native;?greedy{pattern=[0-9a-f]\{16\},block=2};?linear' bound
}
check "patterns: named algorithms get the pattern of the call" bound
mkdir -p traces
fails 3 'attune: traces: *' attune tune --wisdom w --patterns traces -- true
fails 2 'attune: --program applies to --patterns only' attune tune --wisdom w --program x -- true
bad_pattern() { # TEXT
    printf 'attune-pattern 1\nranks 2\n%b' "$1" >bad.txt
    attune tune --wisdom w --patterns bad.txt -- true
}
fails 3 'attune: bad.txt:3: sizes differ between ranks in *, not in bcast' bad_pattern 'call bcast\n'
fails 3 'attune: bad.txt:3: the number of repetitions is written as x20, not often' \
    bad_pattern 'call allgatherv often\n'
fails 3 'attune: bad.txt:5: expected ranks, call or a line of a matrix, not 1' \
    bad_pattern 'call allgatherv\n1 1\n1 1\n'
fails 3 'attune: bad.txt:*: the file ends before its matrix does' bad_pattern 'call allgatherv\n'

# ---- killed and resumed ----
total=$(wc -l <good.samples)
cut_everywhere() {
    local n
    for ((n = 3; n < total; n += 3)); do
        { head -n "$n" good.samples; printf 's 1 0.0'; } >w.samples
        if run 2>err; then echo "line $n: an unfinished search is thrown away"; return 1; fi
        launcher 'printf "%s\n" "$@" >words; cat good.samples'
        run --resume >out 2>err || { echo "line $n:"; cat err; return 1; }
        attune bench --from w.samples >/dev/null || { echo "line $n: no samples"; return 1; }
        grep -qx -- --resume words || return 1
    done
}
check "the search resumes after truncation at any line" cut_everywhere
head -n 12 good.samples >w.samples
fails 2 'attune: w.samples: contains an unfinished search; continue it with --resume, or delete it' run
cp good.samples w.samples
launcher 'printf "attune-samples 1\njob 3 0 Some MPI\nfailed 3 these are of other ranks\n"'
fails 3 'attune: these are of other ranks' run --resume
check "samples of another job are kept" cmp good.samples w.samples
launcher 'printf "attune-samples 1\njob 4 0 Some MPI\nend\n"'
check "decided problems are not measured again" run --resume
check "the table has all problems" test "$(run --resume --format csv 2>/dev/null | wc -l)" = 4

# ---- errors ----
for text in 'attune-wisdom 1' '# a comment
text' '\0\0'; do
    printf '%b\n' "$text" >foreign && cp foreign other
    fails 3 'attune: other: not a file of samples; it is not overwritten, name another file' run --raw other
    check "the file is unchanged" cmp foreign other
done
cp good.samples w.samples
launcher 'echo no; exit 1'
fails 4 '*attune: the job failed: ./launch returned exit code 1*' run
check "a job that does not start keeps the samples" cmp good.samples w.samples
launcher 'head -n 30 good.samples'
rm -f w.samples
fails 3 '*attune: samples of the job:30: the samples are incomplete*' run
check "old samples remain" again
launcher 'printf "attune-samples 1\njob 4 0 Some MPI\nfailed 3 no memory for this\n"'
rm -f w.samples
fails 3 'attune: no memory for this' run
finish
