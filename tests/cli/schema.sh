#!/usr/bin/env bash
# JSON that commands and jobs write has the fields of docs/schema, and every command that prints a list has it.
. "$(dirname "$0")/lib.sh"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
build=${attune%/bin/attune}
if ! python3 -c 'import jsonschema' 2>/dev/null; then
    skip "schemas" "no python3-jsonschema"
    finish
fi
valid() { "$root/tests/valid_json" "$@"; } # SCHEMA FILE
fits() { # SCHEMA COMMAND ...
    local schema=$1
    shift
    attune "$@" --format json >out.json 2>err || [ $? -le 1 ] || { cat err; return 1; }
    valid "$schema" out.json
}
cp "$here"/data/*.samples "$here"/data/topo/hosts.csv "$root"/examples/ethernet.machine "$root"/examples/summa/*.conf .
attune ron circuits bcast/binomial -p 4 --format csv -o circuits.csv
sed 3d circuits.csv >lacking.csv
printf 'rank,compute_us,bytes,partner\n0,10,100,1\n0,20,100,1\n0,10,100,2\n' >sends.csv
sed 's/below=[0-9.]*/below=90000/' ethernet.machine >odd.machine
cat >rules.wisdom <<'W'
attune-wisdom 1
machine: a cluster
rule bcast ranks=* bytes=64K: use=chain{segment=8K}
at 3f09c1d2/16x1
rule allreduce ranks=2:64 bytes=0:4K use=ring time=3.1us ci=100ns next=native next_time=4us samples=40 date=2026-02-03
end
W
sed '/^rule bcast/d; s/samples=40/samples=2/; $s/.*/rule scatter use=linear\nend/' rules.wisdom >other.wisdom
used=
while IFS='|' read -r schema command; do
    used+="|$command"
    read -ra words <<<"$command"
    check "attune $command" fits "$schema" "${words[@]}"
done <<'C'
help|help
help|help tune
settings|settings
doctor|doctor
algo-list|algo list
algo-show|algo show bcast/chain
algo-show|algo show barrier/dissemination
explain|explain allreduce:4:64K --machine ethernet.machine
schedule-show|schedule show allreduce/ring -p 3
schedule-verify|schedule verify allreduce/ring -p 4
schedule-compare|schedule compare bcast -p 4
schedule-compare|schedule compare bcast --topology 2x2@100M --bytes 1K
model-expr|model expr allgather/ring
model-expr|model expr allgather/ring --machine builtin --bytes 1K
model-compare|model compare 8||T0(m) T1(m)
model-summa|model summa config1.conf
model-summa|model summa config2.conf config1.conf --traffic --machine builtin
model-map|model map allgather/ring -p 8 --nodes 2
model-check|model check ethernet.machine
model-check|model check odd.machine
model-score|model score bench.samples --machine ethernet.machine
model-score-rows|model score bench.samples --machine ethernet.machine --rows
model-time|model time bcast/chain -p 4 --bytes 64K --machine ethernet.machine
ron-circuits|ron circuits bcast/binomial -p 4 --ports 2 --delay 20
ron-time|ron time bcast -p 8 --ports 2
ron-check|ron check bcast/binomial circuits.csv -p 4
ron-check|ron check bcast/binomial lacking.csv -p 4
ron-tables|ron tables --schedules 4
ron-hide|ron hide sends.csv
study-list|study list
study|study optical-tables
topo-show|topo show 2x2@100M
topo-show|topo show torus:3@1G
topo-show|topo show hosts:n[0-2]
topo-check|topo check hosts.csv
wisdom-show|wisdom show rules.wisdom
wisdom-check|wisdom check rules.wisdom other.wisdom
wisdom-diff|wisdom diff rules.wisdom other.wisdom
bench|bench --from bench.samples
bench-overlap|bench --from overlap.samples
calibrate-show|calibrate --show
lab-status|lab status
predict|predict --skeleton cg -p 4
C
attune topo convert 2x2 --to json >convert.json
check "attune topo convert --to json" valid topo-show convert.json
sed 's/"ranks"/"unknown"/' out.json >wrong.json
check_fails "wrong fields are found" "'ranks' is a required property" valid predict wrong.json

# ---- commands that measure, with a substitute for a launcher ----
if compgen -G "$build/libexec/attune/openmpi/tune_exec" >/dev/null; then
    launcher 'case "$*" in *measure_exec*) cat survey ;; *--identify*) cat hosts ;; *) cat search ;; esac'
    cat >search <<'S'
attune-samples 1
job 4 0 Some MPI
task bcast 1024 0
variant 0 native native
variant 1 candidate chain
s 0 0.001
s 1 0.0007
fate 0 second 0
fate 1 won 0.0004
done
end
S
    cp "$here"/data/two-ranks.survey survey
    printf '%s\n' 'attune-discover 1' 'job 2 2 Some MPI 1.0' 'host n0' 'host n1' 'rank 0' 'rank 1' \
        'place some-mpi-1.0-00000001 ethernet' end >hosts
    job=(--mpi openmpi -q)
    searched() { attune tune "${job[@]}" --ops bcast --sizes 1K --wisdom w "$@" --format json -- ./launch >out.json; }
    check "attune tune" searched
    check "attune tune: JSON" valid tune out.json
    check "attune tune --dry-run" searched --dry-run
    check "attune tune --dry-run: JSON" valid tune-plan out.json
    measured() { # the report is on standard error, after a line of text
        attune measure --mpi openmpi -o m --format json -- ./launch -n 2 2>err
        sed -n '/^\[/,/^\]/p' err >out.json
    }
    check "attune measure" measured
    check "attune measure: JSON" valid measure out.json
    calibrated() { attune calibrate --mpi openmpi --dry-run --format json -- ./launch -n 2 >out.json; }
    check "attune calibrate --dry-run" calibrated
    check "attune calibrate --dry-run: JSON" valid calibrate-plan out.json
else
    skip "commands that measure" "Attune was built without Open MPI"
fi
used+="|tune|measure"

# ---- jobs ----
for flavour in openmpi mpich none; do
    [ -x "$build/tests/$flavour/traced" ] && command -v mpirun.$flavour >/dev/null && break
done
if [ $flavour != none ]; then
    job() { attune "$1" "${@:2}" -- mpirun.$flavour -n 2 "$build/tests/$flavour/traced" >/dev/null 2>&1; }
    check "a job is recorded" job trace record -o trace
    check "attune trace show" fits trace-show trace show trace
    for table in summary calls ranks sizes partners between; do
        check "attune trace stats --table $table" fits trace-stats trace stats trace --table $table
    done
    for table in operations factors invocations; do
        check "attune trace arrivals --table $table" fits trace-arrivals trace arrivals trace --table $table
    done
    check "attune trace arrivals, time of collectives" fits trace-collectives trace arrivals trace --table collectives
    check "attune trace report" attune trace report -o page.html trace
    check "attune report" fits report report .
    check "a job with a report" job run --report=job.json
    check "the report of a job" valid job-report job.json
else
    skip "traces and reports of jobs" "no MPI to run one with"
fi
used+="|trace show|trace stats|trace arrivals|report"

# ---- completeness ----
# Commands without JSON: what they write has a format of its own, or they only act.
others='run|sim|trace record|lab up|lab run|lab exec|lab rate|lab down|wisdom merge|wisdom forget|wisdom export'
others+='|topo convert|topo draw|topo discover|schedule draw|schedule generate|model refine|model partition'
others+='|trace report|trace export'
attune help all --format json >help.json
without() { # commands that have no JSON, or whose JSON is not validated here
    python3 - "$others" "$used" <<'P'
import json, sys
others, used = (text.split("|") for text in sys.argv[1:])
for command in json.load(open("help.json"))["commands"]:
    name = command["command"]
    if "json" not in command["formats"]:
        if name not in others:
            print(f"{name}: no --format json; add it, or the command to the list of those that need none")
    elif name in others:
        print(f"{name}: has --format json; remove it from the list")
    elif not any(u == name or u.startswith(name + " ") for u in used):
        print(f"{name}: its JSON is not validated here; add a line to the table")
P
}
complete() { [ -z "$(without)" ] || { without; return 1; }; }
check "every command has JSON that is validated, or needs none" complete
incomplete() {
    python3 -c '
import json
d = json.load(open("help.json"))
d["commands"] += [{"command": "new list", "formats": ["table"]}, {"command": "new report", "formats": ["json"]}]
json.dump(d, open("help.json", "w"))'
    without | grep -q '^new list: no --format json' && without | grep -q '^new report: its JSON is not validated'
}
check "new commands without JSON or without a test are found" incomplete
named() { # every schema is used here, and listed
    local file name
    for file in "$root"/docs/schema/*.json; do
        name=$(basename "$file" .json)
        grep -q "($name.json)" "$root/docs/schema/README.md" && grep -q "\"attune:$name:1\"" "$file" &&
            grep -q "\b$name\b" "$here/schema.sh" "$root/tests/lab/life.sh" || { echo "$name"; return 1; }
    done
}
check "every schema has an entry and a test" named
finish
