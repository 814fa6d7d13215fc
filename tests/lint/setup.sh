#!/usr/bin/env bash
# tools/setup on machines that lack something, with stand-ins for apt-get, sudo and id.
cd "$(dirname "$0")/../.." || exit 4
. tests/tap.bash
box=$(mktemp -d)
trap 'rm -rf "$box"' EXIT
mkdir "$box/bin"
cp tools/setup "$box/setup"
printf 'build no-such-command some-package for a test\nbuild sh dash here already\n' >"$box/packages"

stand_in() { # NAME BODY
    printf '#!/bin/sh\n%s\n' "$2" >"$box/bin/$1"
    chmod +x "$box/bin/$1"
}
setup() { PATH=$box/bin:/usr/bin:/bin "$box/setup" "$@"; }
holds() { grep -qF -- "$1" "$2" || { cat "$2"; return 1; }; }
exit_code() { # EXPECTED COMMAND ...
    local wanted=$1 got
    shift
    "$@"
    got=$?
    [ $got -eq "$wanted" ] || { echo "exit code $got"; return 1; }
}

stand_in apt-get "echo \"\$*\" >>$box/calls"
stand_in sudo 'exit 1'
stand_in id 'echo 1000'
check "neither root nor sudo: stops with code 4" exit_code 4 setup
check_fails "and prints the line to run" \
    "sudo sh -c 'apt-get update -q && apt-get install -q -y --no-install-recommends some-package'" setup
check "and installs nothing" test ! -e "$box/calls"
stand_in id 'echo 0'
check "root: installs" setup
check "what is missing" holds "--no-install-recommends some-package" "$box/calls"
check "and only that" bash -c "! grep dash $box/calls"
stand_in id 'echo 1000'
stand_in sudo 'shift; case $1 in *=*) shift ;; esac; exec "$@"'
rm "$box/calls"
check "sudo: installs" setup
check "with apt-get" holds "install" "$box/calls"
stand_in apt-get 'echo no network; exit 100'
check "a failed installation: code 4" exit_code 4 setup
check_fails "and its reason" "no network" setup
check "an unknown tier: code 2" exit_code 2 setup everything
printf 'build sh dash here\n' >"$box/packages"
check "nothing missing" setup

# ---- tools/machine, and that the continuous integration prints it before the tests ----
stand_in uname 'case $1 in -m) echo riscv64 ;; *) echo x ;; esac'
stand_in mpirun.openmpi 'echo "mpirun (Open MPI) 9.8.7"; echo; echo "Report bugs"'
stand_in mpirun.mpich 'echo "HYDRA build details:"; echo "    Version:    6.5.4"'
stand_in cc 'echo "cc 3.2.1"; echo "no warranty"'
machine() { PATH=$box/bin:/usr/bin:/bin tools/machine; }
for fact in "architecture: riscv64" "Open MPI:     9.8.7" "MPICH:        6.5.4" "compiler:     cc 3.2.1"; do
    check "the machine: $fact" holds "$fact" <(machine)
done
check "the machine: processor, system" bash -c "PATH=$box/bin:/usr/bin:/bin tools/machine | grep -cE '^(processor|system): +.' | grep -qx 2"
stand_in mpirun.mpich 'exit 1'
check "the machine: what is missing" holds "MPICH:        missing" <(machine)
mkdir -p "$box/ci/.ci" "$box/ci/tools"
cp .ci/run "$box/ci/.ci/run"
cp tools/machine "$box/ci/tools/machine"
printf '#!/bin/sh\nexit 0\n' >"$box/ci/tools/setup" && chmod +x "$box/ci/tools/setup"
stand_in make 'echo "make $*"'
integration() { PATH=$box/bin:/usr/bin:/bin "$box/ci/.ci/run" | tr '\n' ';'; }
check "printed before the tests" holds "architecture: riscv64;" <(integration)
check "and these last" holds "MPICH:        missing;make check;" <(integration)
finish
