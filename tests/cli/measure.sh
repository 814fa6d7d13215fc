#!/usr/bin/env bash
# attune measure with a substitute for a launcher; jobs are in tests/mpi/run-measure and tests/lab.
. "$(dirname "$0")/lib.sh"

# ---- usage errors ----
holds 'Measure a machine: the parameters of performance models' attune measure --help
fails 2 'attune: no launcher; add it after --*' attune measure
fails 2 'attune: --time 0: must be an integer from 1 to 86400' attune measure --time 0 -- true
fails 2 'attune: --resume requires -o FILE*' attune measure --resume -- true
fails 4 'attune: launcher mpirun.nowhere: No such file or directory*' attune measure -- mpirun.nowhere -n 2
fails 4 'attune: nowhere/m: cannot be written: No such file or directory; *' \
    attune measure -o nowhere/m -- true

# ---- observations of an interrupted measurement, and a job that does not start ----
cp "$here"/data/two-ranks.survey m.part
fails 4 'attune: launcher mpirun.nowhere: *' attune measure -o m -- mpirun.nowhere -n 2
fails 2 'attune: no launcher; *' attune measure -o m
check "the observations are kept" cmp "$here"/data/two-ranks.survey m.part
rm m.part
fails 4 'attune: launcher mpirun.nowhere: *' attune measure -o m -- mpirun.nowhere -n 2
check "nothing is left" eval '! ls m m.part 2>/dev/null'

# ---- jobs ----
if ! compgen -G "$(dirname "$attune")/../libexec/attune/openmpi/measure_exec" >/dev/null; then
    skip "jobs" "Attune was built without Open MPI"
    finish
fi
run() { attune measure --mpi openmpi "$@" -- ./launch -n 2; }
cp "$here"/data/two-ranks.survey good
launcher 'printf "%s\n" "$@" >words; cat good'

golden_file() { run -o m >out 2>err && cp m first && diff - <(sed '/^attune:/d; /^date/d; /^host:/d' m) <<'EOF'; }
attune-machine 1
launcher: ./launch -n 2
mpi: Some MPI 1.0
hosts framing=0.949284785
measured hosts=1 ranks=2
table gamma sum f64 1
  1K     0.1953125~0.0391
channel memory
  path duplex=1 hops=2
  overhead below=0.5~0.005 eager=4K from=0.8~0.01
  hockney alpha=0.522596554~0.00365 beta=0.0582781349~0.000756
  lmo C=0.25~0.0025 rate=17159.0941~224
  quality samples=300 spread=0.0142857143
  table transfer 1 2
    1      0.025~0.00354 0.1~0.00559
    8K     0.1~0.00559 0.25~0.00707
  table sync 1 2
    0      0.025~0.00354 0.1~0.00559
  table lognp-transfer 1
    0      0.25~0.0025
    1      0.275~0.0025
    8K     0.5~0.0025
  table mlognp-memory 1
    0      0.5~0.005
    1      0.55~0.005
    8K     1~0.005
end
EOF
check "the machine is written" golden_file
reported() { grep -q '^2 ranks on 1 host, Some MPI 1.0: 8 of 9 experiments, 352 samples' err &&
    grep -qE '^memory +ring +2 +100 +1\.1 +1\.4 +1 x 2$' err &&
    grep -qE '^- +reduce +1 +50 +12\.5 +12\.5 +1K sum\.f64$' err; }
check "the report" reported
warned() { grep -q '^attune: warning: m: memory: table transfer: 1 bytes take 0.025 us at concurrency 1' err; }
check "implausible values are reported" warned
check "no other file remains" test ! -e m.part
in_csv() { run -o m --format csv 2>&1 | grep -q '^memory,eager,1,2,0.8,0.8,0,1,$'; }
check "the report in csv" in_csv
handed() { run -q --time 7 --off-cache --topology '1@1G' >/dev/null 2>err && [ ! -s err ] &&
    tr '\n' ' ' <words | grep -q '/measure_exec --time 7 --from 0 --off-cache 1 --topology 1@1G $'; }
check "options are passed, and -q prints nothing" handed
if command -v script >/dev/null; then
    check "progress on a terminal" shows_progress 9 '[1-9] %.*memory' "measure --mpi openmpi -o m"
else
    skip "progress on a terminal" "no script command"
fi

# ---- failing and resumed jobs ----
launcher 'echo "no licence" >&2; exit 7'
fails 4 '*no licence*attune: the job failed: ./launch returned exit code 7;*' run
launcher 'printf "attune-survey 1\nfailed 2 a measurement needs at least two ranks\n"'
fails 2 'attune: a measurement needs at least two ranks' run
launcher 'exit 0'
fails 4 'attune: the measuring job ended without output*' run
launcher 'head -n 6 good; echo garbage'
fails 4 "attune: the measuring job printed the invalid line 'garbage'*" run
launcher 'head -n 4 good; echo "o 0 round_trip 0 0 1 - 5 nan 1 2"'
fails 4 "attune: the measuring job printed the invalid line 'o 0 round_trip 0 0 1 - 5 nan 1 2'*" run
untouched() { echo old >kept && launcher 'head -n 7 good' && ! run -o kept 2>/dev/null &&
    [ "$(cat kept)" = old ] && grep -q '^o 2 round_trip' kept.part; }
check "an interrupted job keeps its part and the old machine" untouched
printf 'o 3 synchr' >>kept.part
goes_on() { launcher 'printf "%s\n" "$@" >words; head -n 4 good; tail -n +8 good' &&
    run -o kept --resume 2>/dev/null && tr '\n' ' ' <words | grep -q -- '--from 3 ' &&
    [ ! -e kept.part ] && cmp <(sed '/^date/d' kept) <(sed '/^date/d' first); }
check "--resume continues and gives the same machine" goes_on
launcher 'head -n 7 good'
run -o other 2>/dev/null
launcher 'sed s/aa$/ab/ good'
fails 3 'attune: the measurement to resume is of another job*' run -o other --resume
echo 'nonsense' >bad.part
fails 3 'attune: bad.part: contains no measurement to resume*' run -o bad --resume
printf 'attune-survey 1\nnonsense\n' >bad.part
fails 3 'attune: bad.part:2: not a line of a measurement*' run -o bad --resume
fails 3 'attune: none.part: *' run -o none --resume
finish
