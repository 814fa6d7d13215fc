#!/usr/bin/env bash
# Valid and invalid rule files and forced algorithms, on the command line and in jobs.
set -u
. "$(dirname "$0")/../tap.bash"
attune=$ATTUNE_BUILD/bin/attune
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1
unset LD_PRELOAD "${!ATTUNE_R@}" ATTUNE_ALGORITHM
work=$(mktemp -d) && cd "$work" || exit 4
trap 'rm -rf "$work"' EXIT

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

# ---- the file ----

cat >good.rules <<'R'
attune-wisdom 1
# by hand
machine: test
rule allreduce bytes=4K: use=ring{segment=16K}
rule allreduce use=recursive_doubling
rule bcast bytes=0:1K use=binomial time=1.50us samples=3
end
R
cat >sorted.rules <<'R'
attune-wisdom 1
# by hand
machine: test

rule bcast ranks=* bytes=0:1K use=binomial time=1.5us samples=3

rule allreduce ranks=* bytes=4K: use=ring{segment=16K}
rule allreduce ranks=* bytes=*   use=recursive_doubling

end
R
show() { "$attune" wisdom show "$@"; }
check "show sorts and aligns" diff <(show good.rules) sorted.rules
check "show is idempotent" diff <(show sorted.rules) sorted.rules
cp good.rules inplace.rules
show inplace.rules -o inplace.rules
check "in place" diff inplace.rules sorted.rules

# ---- invalid files: position, error and remedy; exit code 3 ----

bad() { # NAME TEXT: standard input is the file
    cat >bad.rules
    cp bad.rules kept.rules
    gives "bad file: $1" 3 "$2" "$attune" wisdom show bad.rules
    gives "bad file: $1: stops a run" 3 "$2" "$attune" run -r bad.rules -- touch started
    check "bad file: $1: is unchanged" cmp bad.rules kept.rules
}
bad "empty" "bad.rules:1: not a wisdom file" </dev/null
bad "binary" "bad.rules:1: not a wisdom file" <"$attune"
bad "future version" "bad.rules:1: wisdom file of version 2, this Attune reads version 1" <<'R'
attune-wisdom 2
end
R
bad "cut in a line" "bad.rules:6: the last line has no end: the file is truncated" \
    < <(head -c -20 good.rules)
bad "cut between lines" 'bad.rules:6: the line "end" is missing' < <(head -n 5 good.rules)
bad "binary junk inside" "bad.rules:2: byte 0x01 is not text" < <(printf 'attune-wisdom 1\n\1\nend\n')
bad "unknown operation" 'bad.rules:2: unknown operation "allreduse"; did you mean "allreduce"?' <<'R'
attune-wisdom 1
rule allreduse use=ring
end
R
bad "unknown algorithm" 'bad.rules:2: unknown algorithm "rign" for allreduce; did you mean "ring"?' <<'R'
attune-wisdom 1
rule allreduce use=rign
end
R
bad "invalid parameter" 'bad.rules:3: allreduce/ring: segment=-1 is invalid; allowed: 0 to' <<'R'
attune-wisdom 1
# one
rule allreduce use=ring{segment=-1}
end
R
bad "size where none is shared" "leave bytes= out" <<'R'
attune-wisdom 1
rule alltoallv bytes=4K: use=linear
end
R
check "no bad file started anything" test ! -e started
gives "missing file" 3 "nowhere.rules: cannot be read: No such file" show nowhere.rules
gives "directory" 3 ".: is a directory; name the rule file in it" show .
gives "device" 3 "/dev/null: is not a file" show /dev/null
if [ "$(id -u)" = 0 ]; then
    skip "unreadable file" "root reads everything"
else
    cp good.rules secret.rules && chmod 000 secret.rules
    gives "unreadable file" 3 "secret.rules: cannot be read: Permission denied" show secret.rules
fi

# ---- forced algorithms ----

force() { "$attune" run -a "$1" -- touch started; }
gives "forced: unknown operation" 3 'did you mean "bcast"?' force bcats=chain
gives "forced: unknown algorithm" 3 'did you mean "chain"?' force bcast=chian
gives "forced: invalid parameter" 3 "segment=1.5 is invalid" force bcast=chain:segment=1.5
gives "forced: unknown parameter" 3 "did you mean 'segment'" force bcast=chain:segmnt=8K
gives "forced: no algorithm" 3 "is not understood; write operation=algorithm" force bcast
gives "invalid selection" 3 'must be "rules", "model", "online"' \
    "$attune" run --select randm:1 -- touch started
check "no bad setting started anything" test ! -e started

# ---- in a job ----

cat >calls.c <<'C'
#include <mpi.h>
static char in[1 << 16], out[1 << 16];
int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    for (int n = 1; n <= 1 << 16; n *= 256)
        for (int i = 0; i < 3; i++)
            MPI_Allreduce(in, out, n, MPI_BYTE, MPI_BOR, MPI_COMM_WORLD);
    MPI_Bcast(in, 64, MPI_CHAR, 0, MPI_COMM_WORLD);
    MPI_Gather(in, 1, MPI_CHAR, out, 1, MPI_CHAR, 0, MPI_COMM_WORLD);
    MPI_Allgather(in, 1, MPI_CHAR, out, 1, MPI_CHAR, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
C
# Number of lines in FILE that contain TEXT.
times() { grep -c -- "$2" "$1"; }
for flavour in openmpi mpich; do
    f=$flavour
    lib=$ATTUNE_BUILD/lib/libattune-$f.so
    if ! command -v mpirun.$f >/dev/null || [ ! -e "$lib" ] || ! mpicc.$f -o $f calls.c; then
        skip "$f: jobs" "no $f, or no library for it"
        continue
    fi
    job() { "$attune" run --report "$@" -- mpirun.$f -n 3 ./$f >job.txt 2>&1 </dev/null; }

    check "$f: rules select by size" job -r good.rules
    check "$f: small" test "$(times job.txt 'allreduce.*recursive_doubling *3 ')" = 2
    check "$f: large" grep -q 'allreduce.*ring.*segment=16K.* 3 ' job.txt
    check "$f: other operation" grep -q 'bcast.*binomial *1 ' job.txt
    check "$f: no rule, native" grep -q 'gather .*native *1 ' job.txt

    check "$f: forced algorithms override rules" job -r good.rules -a 'allreduce=reduce_bcast'
    check "$f: forced algorithm" grep -q 'allreduce.*reduce_bcast' job.txt
    check_fails "$f: overridden rule" "" grep -q 'recursive_doubling' job.txt
    check "$f: rules of other operations" grep -q 'bcast.*binomial *1 ' job.txt

    check "$f: algorithm that is not applicable" job -a 'allgather=neighbor'
    check "$f: is reported once, with the reason" test "$(times job.txt \
        'allgather/neighbor cannot serve allgather on 3 ranks.*odd')" = 1
    check "$f: then the call is native" grep -q 'allgather .*native *1 ' job.txt

    # Without `attune run`, which would reject the setting: one message from one rank, then native.
    alone() { # NAME=value
        case $f in
            openmpi) env "$1" mpirun.openmpi -x LD_PRELOAD="$lib" -n 3 ./$f ;;
            mpich) env "$1" mpirun.mpich -genv LD_PRELOAD "$lib" -n 3 ./$f ;;
        esac >job.txt 2>&1 </dev/null
    }
    while IFS='|' read -r setting text; do
        check "$f: $setting: the job runs" alone "$setting"
        check "$f: $setting: one message" test "$(times job.txt "$text")" = 1
        check "$f: $setting: nothing else" test "$(wc -l <job.txt)" = 1
    done <<S
ATTUNE_RULES=$work/bad.rules|bad.rules:2: bytes=4K: would never match
ATTUNE_RULES=$work/nowhere|nowhere: cannot be read: No such file
ATTUNE_ALGORITHM=bcast=chian|did you mean "chain"?
ATTUNE_ALGORITHM=bcast=chain,,reduce=chain|ATTUNE_ALGORITHM: nothing is before the comma at character 13; remove it
ATTUNE_ALGORITHM=bcast=chain,|nothing follows the comma at character 12
ATTUNE_ALGORITHM=bcast=chain{segment=8K,,}|chain: nothing is before the comma at character 12
ATTUNE_ALGORITHM=allreduce=levels{site:kary, host:binomial}|contains a blank; remove it
ATTUNE_ALGORITHM=bcast=chain:segment=huge|segment=huge is invalid
ATTUNE_SELECT=worst|must be "rules", "model", "online"
ATTUNE_WATCHDOG=-5|ATTUNE_WATCHDOG=-5: must be a number from 0 to 86400
ATTUNE=maybe|ATTUNE=maybe: must be one of on|off
ATTUNE_RULE=x|did you mean ATTUNE_RULES?
S

    check "$f: random selection" job --select random:7
    check "$f: random selection varies" test "$(times job.txt '^allreduce')" -ge 3
done
finish
