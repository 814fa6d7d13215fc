#!/usr/bin/env bash
# The Python module: its unit tests, one TAP point each; traces against those of the command line.
. "$(dirname "$0")/lib.sh"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
build=${attune%/bin/attune}
command -v python3 >/dev/null || { skip "the Python module" "no python3"; finish; }
for flavour in openmpi mpich none; do
    [ -x "$build/tests/$flavour/traced" ] && command -v mpirun.$flavour >/dev/null && break
done
if [ $flavour != none ]; then
    record() { attune trace record -o trace -- mpirun.$flavour -n 3 "$build/tests/$flavour/traced" >/dev/null 2>&1; }
    check "a job is recorded" record
    export ATTUNE_TEST_TRACE=$work/trace
fi
export ATTUNE_TEST_COMMAND=$attune
PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$root/python python3 "$root/python/tests/test_files.py" -v >log 2>&1
while read -r name class dots result; do
    case $result in
    ok) tap_point "$name $class" yes ;;
    skipped*) skip "$name" "$result" ;;
    *) tap_point "$name $class" no "$(cat log)" ;;
    esac
done < <(sed -n 's/^\(test_[a-z]*\) (\([A-Za-z._]*\)) \.\.\. /\1 \2 ... /p' log)
check "all tests were run" grep -q '^OK' log
exported() { # the names of __all__ are those of the documentation
    PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$root/python python3 -c '
import sys, attune
text = open(sys.argv[1]).read()
missing = [name for name in attune.__all__ if name.startswith("read_") and name + "(" not in text]
assert not missing, missing' "$root/docs/python.md"
}
check "docs/python.md names all functions" exported
version() { grep -q "__version__ = \"$(cat "$root/VERSION")\"" "$root/python/attune/__init__.py"; }
check "the version is that of Attune" version
finish
