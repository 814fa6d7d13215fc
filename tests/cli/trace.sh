#!/usr/bin/env bash
# attune trace: records a job; show, stats, arrivals, report and export agree;
# damaged and mixed traces are reported and read in part.
. "$(dirname "$0")/lib.sh"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
build=$(dirname "$(dirname "$attune")")

for flavour in openmpi mpich none; do
    [ -x "$build/tests/$flavour/traced" ] && command -v mpirun.$flavour >/dev/null && break
done
fails 2 '*no command to run*' attune trace record -o x
fails 2 '*FOLDER*' attune trace stats
fails 3 '*nowhere: cannot be read*' attune trace show nowhere
mkdir empty
fails 2 '*ATTUNE=0: nothing would be recorded*' env ATTUNE=0 "$attune" trace record -o x -- mpirun -n 2 ./program
: >file
fails 2 '*file: is not a folder;*' attune trace record -o file -- mpirun -n 2 ./program
fails 4 '*file/x: cannot be written: *; name another*' attune trace record -o file/x -- mpirun -n 2 ./program
fails 3 '*file: is a file; a trace is the folder*' attune trace show file
fails 3 '*empty: holds no trace*' attune trace stats empty
if [ "$flavour" = none ]; then
    skip "traces of a job" "no MPI to run one with"
    finish
fi

record() { timeout 300 "$attune" trace record -o "$1" -- mpirun.$flavour -n 3 "$build/tests/$flavour/traced"; }
check "a job is recorded" record job
check "another job is recorded" record other
fails 2 '*other: already contains a trace; *' attune trace record -o other -- mpirun.$flavour -n 3 ./program
fails 2 '*other: already contains a trace; *' attune run --trace other -- mpirun.$flavour -n 3 ./program
check "--dry-run prints the command" \
    sh -c "$attune trace record --dry-run -o x -- mpirun.$flavour -n 3 $build/tests/$flavour/traced | grep -q libattune_trace"

# ---- tables agree with the csv ----
attune trace export --format csv job >all.csv
table() { attune trace stats --table "$1" --format csv job; }
count() { awk -F, -v op="$1" '$2 == op' all.csv | wc -l; }
calls_agree() {
    local op calls rest
    table calls | tail -n +2 | while IFS=, read -r op calls rest; do
        [ "$(count "$op")" -eq "$calls" ] || { echo "$op: $calls, in the csv $(count "$op")"; exit 1; }
    done
}
check "calls are those of the csv" calls_agree
check "every rank sends to the next one" sh -c "'$attune' trace stats --table partners --format csv job |
    awk -F, 'NR > 1 { n++; if (\$2 != (\$1 + 1) % 3) bad = 1 } END { exit bad || n != 3 }'"
check "messages in sizes are those in partners" [ \
    "$(table sizes | awk -F, 'NR > 1 { n += $2 } END { print n }')" -eq \
    "$(table partners | awk -F, 'NR > 1 { n += $3 } END { print n }')" ]
holds 'early_receive_percent' attune trace stats job
holds 'sendrecv_replace' attune trace stats --table calls job
check "arrivals have all collectives" [ \
    "$(attune trace arrivals --table invocations --format csv job | tail -n +2 | wc -l)" -eq 16 ]
check "the distribution has all collectives" [ "$(attune trace arrivals --table factors --format csv job |
    awk -F, 'NR > 1 { gsub(/"/, ""); n += $(NF - 3) + $(NF - 1) } END { print n }')" -eq 16 ]
holds 'worst_factor' attune trace arrivals job
holds '+ done' attune trace show --rank 1 --events 0 job
fails 2 '*ranks 0 to 2*' attune trace show --rank 3 job
fails 2 '*add --table*' attune trace stats --format csv job
fails 3 '*nowhere.machine*' attune trace arrivals --machine nowhere.machine job

# ---- the page ----
check "a page is written" attune trace report -o page.html job
check "the page needs no other file" sh -c '! grep -E "(src|href)=" page.html'
cells_agree() { # TABLE COMMAND ...: the cells of the page are those of the csv
    local id=$1
    shift
    attune trace "$@" --table "$id" --format csv job >wanted.csv
    "$here/same_cells" "$id" dom.html wanted.csv
}
pages_agree() {
    local id
    for id in summary calls ranks sizes partners between; do cells_agree $id stats || return; done
    for id in collectives waiting operations factors invocations; do cells_agree $id arrivals || return; done
}
cp page.html dom.html
check "numbers of the page are those of the csv" pages_agree
if [ -n "$browser" ]; then
    check "the page is rendered by a browser" render page.html dom.html
    check "the scripts of the page run" grep -q 'data-calls="[1-9].*data-ready="[1-9]' dom.html
    check "numbers of the rendered page are those of the csv" pages_agree
else
    skip "the page in a browser" "there is no Chromium"
fi

# ---- errors are reported, and the rest is usable ----
cp -r job cut && truncate -s 1500 cut/rank-00001.trace
fails 3 '*cut/rank-00001.trace: *can be used*--partial*' attune trace stats cut
fails 0 '*note: cut/rank-00001.trace*' attune trace stats --partial cut
cp -r job missing && rm missing/rank-00002.trace
fails 3 '*missing/rank-00002.trace: rank 2 of 3 is missing*' attune trace arrivals missing
fails 0 '*note: *rank 2 of 3 is missing*' attune trace arrivals --partial missing
cp -r job first && rm first/rank-00000.trace
fails 0 '*note: no imbalance factors, *--machine*' attune trace arrivals --partial first
unknown() { attune trace arrivals --partial --table operations --format csv first 2>/dev/null |
    awk -F, 'NR > 1 { n++; if ($3 $4 $5 $6 != "") bad = 1 } END { exit bad || n == 0 }'; }
check "without the time of a message there are no factors" unknown
check "the page reports missing ranks" eval \
    'attune trace report --partial first 2>/dev/null | grep -q "class=.problem.*rank 0 of 3 is missing"'
cp -r job mixed && cp other/rank-00001.trace mixed/
fails 3 '*mixed/rank-00001.trace: was recorded by another job*' attune trace export mixed
fails 0 '*another job*' attune trace export --partial mixed
cp -r job nothing && : >nothing/rank-00001.trace
fails 3 '*nothing/rank-00001.trace: is no trace*files of other ranks can be used; --partial*' attune trace stats nothing
fails 0 '*note: nothing/rank-00001.trace*' attune trace stats --partial nothing
cp -r job damaged && printf 'xxxx' | dd of=damaged/rank-00000.trace bs=1 seek=1200 conv=notrunc 2>/dev/null
fails 3 '*damaged/rank-00000.trace: *damaged*' attune trace stats damaged
finish
