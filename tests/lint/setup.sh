#!/usr/bin/env bash
# tools/setup with missing packages, with substitutes for apt-get, sudo and id.
cd "$(dirname "$0")/../.." || exit 4
. tests/tap.bash
box=$(mktemp -d)
trap 'rm -rf "$box"' EXIT
mkdir "$box/bin"
cp tools/setup "$box/setup"
printf 'build no-such-command some-package for a test\nbuild sh dash here already\n' >"$box/packages"

substitute() { # NAME BODY
    printf '#!/bin/sh\n%s\n' "$2" >"$box/bin/$1"
    chmod +x "$box/bin/$1"
}
setup() { PATH=$box/bin:/usr/bin:/bin "$box/setup" "$@"; }
contains() { grep -qF -- "$1" "$2" || { cat "$2"; return 1; }; }
exit_code() { # EXPECTED COMMAND ...
    local wanted=$1 got
    shift
    "$@"
    got=$?
    [ $got -eq "$wanted" ] || { echo "exit code $got"; return 1; }
}

substitute apt-get "echo \"\$*\" >>$box/calls"
substitute sudo 'exit 1'
substitute id 'echo 1000'
check "neither root nor sudo: exit code 4" exit_code 4 setup
check_fails "neither root nor sudo: prints the command" \
    "sudo sh -c 'apt-get update -q && apt-get install -q -y --no-install-recommends some-package'" setup
check "neither root nor sudo: installs nothing" test ! -e "$box/calls"
substitute id 'echo 0'
check "root: succeeds" setup
check "root: installs the missing package" contains "--no-install-recommends some-package" "$box/calls"
check "root: installs no other package" bash -c "! grep dash $box/calls"
substitute id 'echo 1000'
substitute sudo 'shift; case $1 in *=*) shift ;; esac; exec "$@"'
rm "$box/calls"
check "sudo: succeeds" setup
check "sudo: calls apt-get" contains "install" "$box/calls"
substitute apt-get 'echo no network; exit 100'
check "failed installation: exit code 4" exit_code 4 setup
check_fails "failed installation: prints the reason" "no network" setup
check "unknown tier: exit code 2" exit_code 2 setup everything
printf 'build sh dash here\n' >"$box/packages"
check "nothing missing" setup

# ---- tools/machine, and its output in continuous integration ----
substitute uname 'case $1 in -m) echo riscv64 ;; *) echo x ;; esac'
substitute mpirun.openmpi 'echo "mpirun (Open MPI) 9.8.7"; echo; echo "Report bugs"'
substitute mpirun.mpich 'echo "HYDRA build details:"; echo "    Version:    6.5.4"'
substitute cc 'echo "cc 3.2.1"; echo "no warranty"'
machine() { PATH=$box/bin:/usr/bin:/bin tools/machine; }
for fact in "architecture: riscv64" "Open MPI:     9.8.7" "MPICH:        6.5.4" "compiler:     cc 3.2.1"; do
    check "tools/machine: $fact" contains "$fact" <(machine)
done
check "tools/machine: processor, system" bash -c "PATH=$box/bin:/usr/bin:/bin tools/machine | grep -cE '^(processor|system): +.' | grep -qx 2"
substitute mpirun.mpich 'exit 1'
check "tools/machine: missing MPI" contains "MPICH:        missing" <(machine)
mkdir -p "$box/ci/.ci" "$box/ci/tools"
cp .ci/run "$box/ci/.ci/run"
cp tools/machine "$box/ci/tools/machine"
printf '#!/bin/sh\nexit 0\n' >"$box/ci/tools/setup" && chmod +x "$box/ci/tools/setup"
substitute make 'echo "make $*"'
integration() { PATH=$box/bin:/usr/bin:/bin "$box/ci/.ci/run" | tr '\n' ';'; }
check "continuous integration prints the machine" contains "architecture: riscv64;" <(integration)
check "continuous integration runs the tests last" contains "MPICH:        missing;make check;" <(integration)
finish
