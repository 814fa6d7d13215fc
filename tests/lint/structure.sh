#!/usr/bin/env bash
# Layers, call cycles, interposed routines, catalogue, sizes, versions.  Each check, and the test runner, must first
# fail on a bad example.
cd "$(dirname "$0")/../.." || exit 4
. tests/tap.bash
bad=$(mktemp -d)
trap 'rm -rf "$bad"' EXIT

put() { # FILE TEXT
    mkdir -p "$(dirname "$bad/$1")"
    printf '%b' "$2" >"$bad/$1"
}
fresh() { rm -rf "${bad:?}"/*; }

# ---- layers ----
put src/sched/a.c '#include "algo/algo.h"\n'
check_fails "layers: upward include" "src/sched/a.c:1: layer sched" tools/check_layers "$bad"
put src/sched/a.c '\n#include <mpi.h>\n'
check_fails "layers: MPI in the core" "src/sched/a.c:2: layer sched" tools/check_layers "$bad"
put src/sched/a.c '#include "schedule.h"\n'
check_fails "layers: include without a layer" "must name a layer" tools/check_layers "$bad"
put src/sched/a.c ''
put src/extra/b.c 'int x;\n'
check_fails "layers: unknown folder" "is in no layer" tools/check_layers "$bad"
fresh
put src/pmpi/a.c '#include "research/ron/hide.h"\n'
check_fails "layers: research in a preload library" "must not include research" tools/check_layers "$bad"
put src/pmpi/a.c ''
put src/research/ron/a.c '#include "research/taulop/form.h"\n'
check_fails "layers: one research room in another" "layer research/ron" tools/check_layers "$bad"
put src/research/ron/a.c ''
put src/research/extra/b.c 'int x;\n'
check_fails "layers: unknown research room" "is in no layer" tools/check_layers "$bad"
rm -r "$bad/src/research"
put src/pmpi/comm/c.c '#include "pmpi/select/serve.h"\n'
check_fails "layers: upward include between rooms" "layer pmpi/comm must not include" tools/check_layers "$bad"
rm -r "$bad/src/pmpi"
put src/cli/lab/d.c ''
put src/lab/e.c ''
check_fails "layers: a room named like a layer" "src/cli/lab: hides src/lab" tools/check_layers "$bad"
check "layers" tools/check_layers

# ---- call cycles ----
fresh
put src/base/a.c '#include "sched/b.h"\nvoid atn_base_a(void)\n{\n    atn_sched_b();\n}\n'
put src/sched/b.h 'void atn_sched_b(void);\n'
put src/sched/b.c 'void atn_sched_b(void)\n{\n    atn_base_a();\n}\n'
check_fails "cycles: two rooms" "call cycle of 2 rooms: src/base src/sched" tools/check_cycles "$bad"
put src/sched/b.c 'static void atn_base_a(void) {}\nvoid atn_sched_b(void) { atn_base_a(); }\n'
check "cycles: static functions do not count" tools/check_cycles "$bad"
ring() { # COUNT: that many files, each of which calls the next
    fresh
    for ((i = 0; i < $1; i++)); do
        put "src/base/f$i.c" "void atn_f$i(void)\n{\n    atn_f$(((i + 1) % $1))();\n}\n"
    done
}
ring 6
check_fails "cycles: six files" "call cycle of 6 files" tools/check_cycles "$bad"
ring 5
check "cycles: five files" tools/check_cycles "$bad"
check "cycles" tools/check_cycles

# ---- interposed routines ----
fresh
put src/interpose/calls.def 'ATN_ROW(Bcast, BCAST,\n        (void))\nATN_CONTROL(Comm_free, (void), ())\n'
put src/interpose/nonblocking.h '#define ATN_NONBLOCKING_Allreduce Iallreduce\n'
put src/pmpi/a.c 'int f(void) { return PMPI_Iallreduce(); }\n'
check_fails "interposed: call by the PMPI name" \
    "src/pmpi/a.c:1: PMPI_Iallreduce is interposed" tools/check_interposed "$bad"
put src/pmpi/a.c '/* MPI_Bcast\n * comes first */\nint (*f)(void) = MPI_Bcast_c;\n'
check_fails "interposed: call by the MPI name, with large counts" \
    "src/pmpi/a.c:3: MPI_Bcast_c is interposed" tools/check_interposed "$bad"
put src/pmpi/a.c ''
put src/exec/b.c 'void f(void) { PMPI_Comm_free(0); }\n'
check_fails "interposed: call in the executor" "src/exec/b.c:1: PMPI_Comm_free" tools/check_interposed "$bad"
put src/exec/b.c 'int f(void) { return PMPI_Ibcast() + atn_pmpi_real.Bcast() + g("MPI_Bcast"); } // MPI_Bcast\n'
check "interposed: good example" tools/check_interposed "$bad"
check "interposed routines" tools/check_interposed

# ---- names ----
fresh
put src/sched/a.h '#ifndef ATN_SCHED_A_H\n#define ATN_SCHED_A_H\ntypedef struct atn_x atn_x;\nint atn_sched_f(void);\n'
put src/sched/a.c 'struct atn_x {\n    int n;\n};\nint atn_sched_f(void) /* why */\n{\n}\nstatic int own(void) { return 1; }\n'
put src/sched/b.c 'static int own(void) { return 2; }\n'
check "names: the good example" tools/check_names "$bad"
put src/topo/a.h '#ifndef ATN_TOPO_A_H\n#define ATN_TOPO_A_H\ntypedef struct {\n    int n;\n} atn_x;\n'
check_fails "names: a type defined twice" \
    "src/topo/a.h:5: type atn_x is also defined at src/sched/a.c:1" tools/check_names "$bad"
put src/topo/a.h '#ifndef ATN_TOPO_A_H\n#define ATN_TOPO_A_H\ntypedef atn_status (*atn_x)(int n);\n'
check_fails "names: a structure and a function type" "src/topo/a.h:3: type atn_x" tools/check_names "$bad"
rm "$bad/src/topo/a.h"
put src/topo/a.c '\nstatic double atn_sched_f(int n)\n{\n}\n'
check_fails "names: a static function named like a shared one" \
    "src/topo/a.c:2: atn_sched_f() is also defined at src/sched/a.c:4" tools/check_names "$bad"
put src/topo/a.c ''
put src/topo/a.h '#ifndef ATN_TOPO_A_H\n#define ATN_TOPO_A_H\nstatic inline int own(void) { return 3; }\n'
check_fails "names: an inline function named like a static one" "src/sched/b.c:1: own()" \
    tools/check_names "$bad"
put tools/names.txt 'own  why\n'
check "names: a permitted exception" tools/check_names "$bad"
put src/topo/infer/b.h '/* b.h */\n#ifndef ATN_B_H\n#define ATN_B_H\n#endif\n'
check_fails "names: an include guard without its folder" \
    "src/topo/infer/b.h:1: the include guard must be ATN_TOPO_INFER_B_H" tools/check_names "$bad"
rm "$bad/src/topo/infer/b.h"
put src/plan/a.c 'int atn_wisdom_read(void)\n{\n}\n'
check_fails "names: a function without its room" \
    "src/plan/a.c:1: atn_wisdom_read() must be named atn_plan_..." tools/check_names "$bad"
put src/plan/a.c ''
put src/pmpi/comm/a.c 'int atn_pmpi_state_free(void)\n{\n}\n'
check_fails "names: a function of a room of the preload library" "must be named atn_comm_..." \
    tools/check_names "$bad"
put src/pmpi/comm/a.c ''
put src/sched/builder.h '#ifndef ATN_SCHED_BUILDER_H\n#define ATN_SCHED_BUILDER_H\nvoid atn_send(int n);\n'
put src/sched/builder.c 'void atn_send(int n)\n{\n}\n'
check "names: the vocabulary of algorithms" tools/check_names "$bad"
check "names" tools/check_names

# ---- catalogue ----
good='const atn_algo atn_algo_bcast_one = {\n    .name = "one",\n    .summary = "s",\n    .reference = "r"\n                 "more",\n    .cost = "a",\n};\n'
operations='ATN_OPERATION(BCAST, bcast, WHOLE, WHOLE, 0)\n'
bare() {
    fresh
    put src/sched/operation.def "$operations"
    put src/algo/catalog.def 'ATN_ALGO(bcast, one, bcast)\n'
    put src/algo/bcast/one.c "$good"
}
bare
check "catalogue: good example" tools/check_catalog "$bad"
put src/algo/catalog.def 'ATN_ALGO(bcast, one, bcast)\nATN_ALGO(bcast, two, bcast)\n'
check_fails "catalogue: row without a file" "bcast/two: no file" tools/check_catalog "$bad"
bare
put src/algo/bcast/two.c "${good//one/two}"
check_fails "catalogue: file without a row" "two.c: not listed" tools/check_catalog "$bad"
bare
put src/algo/bcast/one.c "${good/\"one\"/\"uno\"}"
check_fails "catalogue: wrong name" '.name is not "one"' tools/check_catalog "$bad"
put src/algo/bcast/one.c "${good/\"a\"/\"\"}"
check_fails "catalogue: no cost" ".cost is empty" tools/check_catalog "$bad"
put src/algo/bcast/one.c "$good$(printf '\\n%.0s' {1..150})"
check_fails "catalogue: long file" "more than 150" tools/check_catalog "$bad"
bare
put src/algo/catalog.def 'ATN_ALGO(bcast, one, bcast)\nATN_ALGO(bcast, one, bcast)\n'
check_fails "catalogue: duplicate row" "listed twice" tools/check_catalog "$bad"
put src/algo/catalog.def 'ATN_ALGO(bcost, one, bcast)\n'
check_fails "catalogue: unknown operation" "unknown operation" tools/check_catalog "$bad"
check "catalogue" tools/check_catalog

# ---- sizes ----
fresh
put src/base/long.c "static int f(void)\n{\n$(printf '    x();\\n%.0s' {1..80})}\n"
check_fails "sizes: long function" "long.c:1: function of 83 lines" tools/function_length "$bad"
put src/base/long.c "int x; /* why */\nstatic int f(void) /* why */\n{\n$(printf '    x();\\n%.0s' {1..80})}\n"
check_fails "sizes: long function with comments" "long.c:2: function of 83" tools/function_length "$bad"
put src/base/long.c "$(printf 'int x;\\n%.0s' {1..601})"
put src/base/short.c 'int f(void) { return 1; }\n'
check_fails "sizes: long file" "long.c: 601 lines" tools/function_length "$bad"
check "sizes" tools/function_length
tools/function_length | sed 's/^/# /'

# ---- version of the public headers ----
version() { cmake -D ATN_VERSION="$1" -P cmake/AttuneVersion.cmake; }
check_fails "version: headers differ from VERSION" "include/attune/version.h has version" version 9.8.7
check "version" version "$(cat VERSION)"

# A benchmark that ignores --help runs for minutes.
benchmarks_have_help() {
    local file bad=0
    for file in bench/*; do
        [ -f "$file" ] && [ -x "$file" ] || continue
        timeout 10 "$file" --help </dev/null 2>&1 | grep -q . || { echo "# $file --help prints nothing"; bad=1; }
    done
    return "$bad"
}
check "benchmarks print their help" benchmarks_have_help

# ---- the runner ----
mkdir -p "$bad/tests"
cp tests/run "$bad/tests/run"
runner() { # SCRIPT: runs a test with this body
    put tests/cli/t.sh "#!/bin/sh\n$1\n"
    chmod +x "$bad/tests/cli/t.sh"
    ATTUNE_BUILD=$bad/build ATN_TEST_TIMEOUT=${limit:-60} "$bad/tests/run" cli
}
check_fails "runner: not ok" "0 passed, 1 failed" runner 'echo "not ok 1 - x"'
check_fails "runner: crash" "1 passed, 1 failed" runner 'echo "ok 1 - x"; kill -SEGV $$'
check_fails "runner: exit code" "(exit code 3)" runner 'echo "ok 1 - x"; exit 3'
limit=1 check_fails "runner: time-out" "(time-out after 1 s)" runner 'echo "ok 1 - x"; sleep 9'
check_fails "runner: no output" "(no test line)" runner 'exit 0'
check_fails "runner: lost output" "(no output file)" runner 'echo "ok 1 - x"; rm -r "$ATTUNE_BUILD/test-logs"; mkdir "$ATTUNE_BUILD/test-logs"'
check_fails "runner: fewer points than planned" "planned 2 tests, ran 1" runner 'echo 1..2; echo ok 1'
check_fails "runner: all skipped" "0 passed, 0 failed, 1 skipped" runner 'echo "ok 1 # SKIP"'
check "runner: success" runner 'echo "ok 1 - x"'
# The parent of the test is timeout, which a part of the runner has started.
check_fails "runner: a part of the runner dies" "1 tests have not ended" \
    runner 'kill -KILL $(ps -o ppid= -p $(ps -o ppid= -p $PPID))'

# A job that ends once a test of low priority has; later that test, which is still running, has its priority back.
beside() {
    mkdir -p "$bad/tests/lint" "$bad/tests/mpi" "$bad/build/lib"
    touch "$bad/build/lib/libattune-x.so"
    put tests/lint/tidy.sh "#!/bin/sh\necho ok; touch $bad/computed\n"
    put tests/lint/analyze.sh "#!/bin/sh\nwhile [ \$(ps -o ni= -p \$\$) != $(nice) ]; do sleep 0.1; done; echo ok\n"
    put tests/mpi/run-x "#!/bin/sh\nwhile [ ! -e $bad/computed ]; do sleep 0.1; done; echo ok\n"
    chmod +x "$bad"/tests/{lint/*.sh,mpi/run-x}
    ATTUNE_BUILD=$bad/build ATN_TEST_TIMEOUT=60 "$bad/tests/run" lint mpi
}
if [ "$(id -u)" = 0 ] && nice -n 19 sh -c 'renice -n 0 -p $$' >/dev/null 2>&1; then
    check "runner: tests of low priority beside jobs" beside
else
    skip "runner: tests of low priority beside jobs" "priorities may not be raised"
fi
finish
