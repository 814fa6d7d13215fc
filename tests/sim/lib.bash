# lib.bash - for tests of simulated jobs: a scratch folder, and jobs on simulated hosts.
. "$(dirname "${BASH_SOURCE[0]}")/../tap.bash"
ATTUNE_SOURCE=$(realpath "$(dirname "${BASH_SOURCE[0]}")/../..")
ATTUNE_BUILD=${ATTUNE_BUILD:-$ATTUNE_SOURCE/build}
attune=$ATTUNE_BUILD/bin/attune
programs=$ATTUNE_BUILD/tests/smpi
for variable in "${!ATTUNE_@}"; do
    [[ $variable =~ ^ATTUNE_(SOURCE|BUILD)$ ]] || unset "$variable"
done

skip_all() {
    echo "1..0 # SKIP $1"
    exit 0
}
[ -e "$programs/collectives" ] ||
    skip_all "Attune was built without SimGrid; install libsimgrid-dev and build again"
command -v smpirun >/dev/null || skip_all "smpirun is not installed"

box=$(mktemp -d)
trap 'rm -rf "$box"' EXIT
cd "$box" || exit 4

simulate() { # TOPOLOGY RANKS OPTION ... -- PROGRAM ...
    timeout 100 "$attune" sim --platform "$1" -n "$2" "${@:3}"
}
