# lib.bash - for tests of the lab.  They run in a box: namespaces of their own for mounts, processes
# and /run.  So they meet no other lab of this machine, and whatever they leave ends with them.
. "$(dirname "${BASH_SOURCE[0]}")/../tap.bash"
ATTUNE_SOURCE=$(realpath "$(dirname "${BASH_SOURCE[0]}")/../..")
ATTUNE_BUILD=${ATTUNE_BUILD:-$ATTUNE_SOURCE/build}
attune=$ATTUNE_BUILD/bin/attune
export ATTUNE_SOURCE ATTUNE_BUILD ATN_LAB_BOX OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
unset ATTUNE_TOPOLOGY ATTUNE_REPORT ATTUNE_ALGORITHM LD_PRELOAD

skip_all() {
    echo "1..0 # SKIP $1"
    exit 0
}

# Starts the test again inside the box; with an ordinary user's means where there are no others.
enter_box() {
    local way box=(unshare --mount --pid --fork --kill-child --mount-proc)
    if [ -n "${ATN_LAB_BOX:-}" ]; then
        mount -t tmpfs tmpfs /run && cd /run || skip_all "/run cannot be replaced"
        return
    fi
    command -v ip tc >/dev/null || PATH=$PATH:/usr/sbin:/sbin
    command -v ip tc >/dev/null || skip_all "iproute2 is not installed"
    for way in root user; do
        [ $way = user ] && box+=(--user --map-root-user --net)
        "${box[@]}" unshare --net mount -t sysfs attune /sys 2>/dev/null || continue
        ATN_LAB_BOX=$way exec "${box[@]}" "$0" "$@"
    done
    skip_all "namespaces may not be created here"
}

lab() { "$attune" lab "$@"; }

flavours() {
    local flavour
    for flavour in openmpi mpich; do
        [ -x "$ATTUNE_BUILD/labtests/$flavour/probe" ] && echo $flavour
    done
}
probe() { echo "$ATTUNE_BUILD/labtests/$1/probe"; } # FLAVOUR

# A counter in the output of `lab status --links --format csv`.
bytes() { # NODE up|down FILE
    awk -F, -v node="$1" -v way="bytes_$2" '
        NR == 1 { for (i = 1; i <= NF; i++) if ($i == way) column = i }
        $1 == node { print $column }' "$3"
}

# True when a is within PERCENT of b.
near() { # A B PERCENT
    awk -v a="$1" -v b="$2" -v p="$3" 'BEGIN {
        off = (a / b - 1) * 100
        printf "%s, wanted %s within %s %%: off by %.1f %%\n", a, b, p, off
        exit !(off < p && off > -p) }'
}

# The command must exit with CODE and print TEXT.
gives() { # NAME CODE TEXT COMMAND ...
    local name=$1 wanted=$2 text=$3 output code
    shift 3
    output=$("$@" 2>&1)
    code=$?
    if [ "$code" = "$wanted" ] && [[ $output == *"$text"* ]]; then
        tap_point "$name" yes
    else
        tap_point "$name" no "exit code $code, wanted $wanted; wanted: $text
output: $output"
    fi
}

same() { # A B
    [ "$1" = "$2" ] || {
        printf 'got:\n%s\nwanted:\n%s\n' "$1" "$2"
        return 1
    }
}
