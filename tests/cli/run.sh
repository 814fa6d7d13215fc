#!/usr/bin/env bash
# `attune run`: rejected commands, options passed to the launcher, and unchanged behaviour of jobs.
set -u
. "$(dirname "$0")/../tap.bash"
attune=$ATTUNE_BUILD/bin/attune
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1
unset LD_PRELOAD "${!ATTUNE_R@}" ATTUNE_ALGORITHM SLURM_EXPORT_ENV
work=$(mktemp -d) && cd "$work" || exit 4
trap 'rm -rf "$work"' EXIT

# ---- helpers ----

# The command must exit with CODE and print TEXT (on either stream; empty: anything).
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

# Removes the default selection, which has a test of its own.
without_select() {
    sed 's/ATTUNE_SELECT=online //; s/ -genv ATTUNE_SELECT online//g; s/ -x ATTUNE_SELECT//g; s/,ATTUNE_SELECT//'
}

# The command must print exactly TEXT on standard output and nothing on standard error.
prints() { # NAME TEXT COMMAND ...
    local name=$1 text=$2 out
    shift 2
    out=$("$@" 2>err | without_select)
    if [ "$out" = "$text" ] && [ ! -s err ]; then
        tap_point "$name" yes
    else
        tap_point "$name" no "wanted: $text
out: $out
err: $(cat err)"
    fi
}

run() { "$attune" run "$@"; }
dry() { run --dry-run "$@"; }

# ---- programs ----

cat >mpi.c <<'C'
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    int r, sum;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &r);
    r++;
    MPI_Allreduce(&r, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (r == 1)
        printf("sum %d preload %s\n", sum, getenv("LD_PRELOAD") ? getenv("LD_PRELOAD") : "none");
    fflush(stdout);
    if (argc > 2 && strcmp(argv[1], "stay") == 0) {
        if (r == 1)
            fclose(fopen(argv[2], "w"));
        for (;;) {
            MPI_Allreduce(&r, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
            usleep(1000);
        }
    }
    for (int i = 0; argc > 1 && strcmp(argv[1], "die") == 0; i++) {
        if (r == 2 && i == 100)
            raise(SIGKILL);
        MPI_Allreduce(&r, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return argc > 1 ? atoi(argv[1]) : 0;
}
C
printf 'int main(void) { return 0; }\n' >plain.c
printf 'int PMPI_Init(void) { return 0; }\nint main(void) { return PMPI_Init(); }\n' >inside.c
printf '#!/bin/sh\necho script\n' >script
printf 'not a program\n' >text
cc -o plain plain.c && cc -o inside inside.c && cc -static -o static plain.c
cc -static-pie -fPIE -o static-pie plain.c 2>/dev/null
cp plain foreign && printf '\007' | dd of=foreign bs=1 seek=18 conv=notrunc 2>/dev/null
cp plain suid && head -c 50 plain >stump
chmod +x script foreign stump
mkdir folder

flavours=
for flavour in openmpi mpich; do
    if command -v mpirun.$flavour >/dev/null && [ -e "$ATTUNE_BUILD/lib/libattune-$flavour.so" ] &&
        mpicc.$flavour -o $flavour mpi.c; then
        flavours="$flavours $flavour"
    else
        skip "jobs of $flavour" "no $flavour, or no library for it"
    fi
done
first=${flavours# }
first=${first%% *}

# A real program with the static MPI library: Debian has that of MPICH, but not those that it needs.
archive=$(dirname "$(gcc -print-file-name=libmpich.a)")
static_mpi() {
    local needed
    needed=$(readelf -d "$archive/libmpich.so" | sed -n 's/.*(NEEDED).*\[\(lib.*\)\]/-l:\1/p')
    # shellcheck disable=SC2046,SC2086 # words
    cc -o mpi-inside mpi.c $(mpicc.mpich -compile_info | grep -o -e '-I[^ ]*') "$archive/libmpich.a" $needed -lm -lpthread 2>/dev/null
}

# ---- usage errors ----

gives "no command" 2 "no command to run" "$attune" run
gives "unknown option" 2 "did you mean --report?" "$attune" run --reprot -- true
gives "invalid word" 2 "must be one of auto, always, never" "$attune" run --yield maybe -- true
gives "a budget above 100" 2 "no command to run" "$attune" run --budget 100000
gives "budget out of range" 2 "must be an integer from 0 to 100000" "$attune" run --budget 100001 -- true
gives "a detached value before --" 2 "'job.html' is not a program; write --report=job.html" \
    "$attune" run --report job.html -- true
gives "a detached value before a launcher" 2 "'2' is not a program; write --verbose=2" \
    "$attune" run --verbose 2 mpirun -n 2 true
gives "a program after an option without value" 0 "note: true is not linked" "$attune" run --report true -- x
gives "invalid verbosity" 3 "ATTUNE_VERBOSE=9: must be a number from 0 to 2" \
    "$attune" run --verbose=9 -- true
gives "invalid setting in the environment" 3 "ATTUNE_FIRST=x: must be a number" \
    env ATTUNE_FIRST=x "$attune" run -- true

# ---- commands that cannot be run ----

gives "missing launcher" 4 "launcher mpirun-of-nowhere: No such file" \
    "$attune" run -- mpirun-of-nowhere -n 2 ./plain
gives "missing launcher with path" 4 "launcher /nowhere/mpirun: No such file" \
    "$attune" run -- /nowhere/mpirun -n 2 ./plain
gives "missing launcher with --off" 4 "mpirun-of-nowhere: cannot be run: No such file" \
    "$attune" run --off -- mpirun-of-nowhere -n 2 ./plain
gives "missing bare program" 4 "program ./nothing: No such file" "$attune" run -- ./nothing
gives "static bare program" 4 "is statically linked" "$attune" run -- ./static
gives "MPI linked in statically" 4 "has its MPI library linked in statically" \
    "$attune" run -- ./inside
if [[ $flavours == *mpich* && -e $archive/libmpich.a ]] && static_mpi; then
    gives "MPICH linked in statically" 4 "./mpi-inside has its MPI library linked in statically" \
        "$attune" run -- mpirun.mpich -n 2 ./mpi-inside
    gives "MPICH linked in statically, without Attune" 0 "sum 3" "$attune" run --off -- mpirun.mpich -n 2 ./mpi-inside
else
    skip "MPICH linked in statically" "no libmpich.a, or what it needs"
fi
gives "program of another processor" 4 "was built for another processor" "$attune" run -- ./foreign
gives "truncated program" 4 "was built for another processor" "$attune" run -- ./stump

# A launcher whose MPI cannot be detected.
mkdir odd && printf '#!/bin/sh\necho odd 1.0\n' >odd/mpirun && chmod +x odd/mpirun
gives "launcher of an unknown MPI" 4 "cannot detect the MPI library of launcher odd/mpirun; add --mpi" \
    "$attune" run -- odd/mpirun -n 2 ./plain

# The command without its libraries.
mkdir -p alone/bin && cp "$attune" alone/bin/
for flavour in $flavours; do
    gives "$flavour: library missing" 4 "libattune-$flavour.so is not installed" \
        alone/bin/attune run -- mpirun.$flavour -n 1 ./$flavour
done

# ---- no MPI in the program ----

gives "program without MPI: a note" 0 "note: ./plain is not linked with an MPI library" \
    "$attune" run -- ./plain
gives "exit code of a program without MPI" 3 "" "$attune" run --mpi mpich --off -- sh -c 'exit 3'

# ---- Slurm: the environment, restricted by --export ----

mkdir slurm && cat >slurm/srun <<'S'
#!/bin/sh
echo "$*"
S
chmod +x slurm/srun
if [ -n "$first" ]; then
    lib=$ATTUNE_BUILD/lib/libattune-$first.so
    PATH=$work/slurm:$PATH
    prints "srun" "--export=ALL,LD_PRELOAD=$lib -n 2 ./$first x" run -- srun -n 2 ./$first x
    prints "srun: attached and long options" "--export=ALL,LD_PRELOAD=$lib -lN2 -c 4 --mpi=pmix \
--cpu-bind none --overlap ./$first -n 3" \
        run -- srun -lN2 -c 4 --mpi=pmix --cpu-bind none --overlap ./$first -n 3
    prints "srun: a list is kept" "-n1 --export=A=1,LD_PRELOAD=$lib:/u.so ./$first" \
        run -- srun -n1 --export=A=1,LD_PRELOAD=/u.so ./$first
    prints "srun: NONE" "--export=ATTUNE_ALGORITHM,LD_PRELOAD=$lib ./$first" \
        run -a bcast=chain -- srun --export NONE ./$first
    prints "srun: SLURM_EXPORT_ENV" "--export=PATH,LD_PRELOAD=$lib ./$first" \
        env SLURM_EXPORT_ENV=PATH "$attune" run -- srun ./$first
    gives "srun: programs in a file" 4 "--multi-prog names programs in a file" \
        "$attune" run -- srun --multi-prog jobs.conf
    gives "srun: static program" 4 "./static is statically linked" "$attune" run -- srun ./static
fi

# ---- every MPI ----

user=$(realpath "$(cc -print-file-name=libm.so.6)")
for flavour in $flavours; do
    f=$flavour
    lib=$ATTUNE_BUILD/lib/libattune-$f.so
    mpirun=mpirun.$f
    rm -f started
    case $f in
        openmpi) other=mpich file=--app given=(-x LD_PRELOAD="$user") ;;
        mpich) other=openmpi file=-configfile given=(-genv LD_PRELOAD "$user") ;;
    esac

    prints "$f: job" "sum 3 preload $lib" run -- $mpirun -n 2 ./$f
    prints "$f: without --" "sum 3 preload $lib" run $mpirun -n 2 ./$f
    prints "$f: no launcher" "sum 1 preload $lib" run -- ./$f
    prints "$f: launcher after wrappers" "sum 3 preload $lib" run -- timeout 60 $mpirun -n 2 ./$f
    prints "$f: program after a wrapper" "sum 3 preload $lib" run -- $mpirun -n 2 env A=1 ./$f
    prints "$f: launcher in the command of a shell" "2" run --mpi $f -- sh -c "$mpirun -n 2 echo | wc -l"
    prints "$f: script as program" "script" run -- $mpirun -n 1 ./script
    prints "$f: in another folder" "sum 3 preload $lib" run -- $mpirun -wdir "$work" -n 2 ./$f
    prints "$f: app contexts" "sum 6 preload $lib" run -- $mpirun -n 1 ./$f : -n 2 ./$f
    gives "$f: exit code" 7 "sum 3" run -- $mpirun -n 2 ./$f 7
    gives "$f: note about a program without MPI" 0 "note: ./plain is not linked with an MPI" \
        run -- $mpirun -n 1 ./plain
    gives "$f: launcher without a program" "$($mpirun --version >/dev/null 2>&1; echo $?)" "" \
        run -- $mpirun --version

    # Rejected: nothing is started.
    gives "$f: missing program" 4 "program ./nothing: No such file" run -- $mpirun -n 2 ./nothing
    gives "$f: folder as program" 4 "program ./folder: Is a directory" run -- $mpirun ./folder
    gives "$f: not executable" 4 "program ./text is not executable" run -- $mpirun -n 2 ./text
    gives "$f: static program" 4 "./static is statically linked" run -- $mpirun -n 2 ./static
    [ -x static-pie ] && gives "$f: static position-independent program" 4 "is statically linked" \
        run -- $mpirun -n 2 ./static-pie
    gives "$f: one static program of two" 4 "./static is statically linked" \
        run -- $mpirun -n 1 ./$f stay "$work/started" : -n 1 ./static
    check "$f: rejected job is not started" test ! -e started
    gives "$f: programs in a file" 4 "names programs in a file" run -- $mpirun $file list
    gives "$f: --mpi contradicts the launcher" 4 "omit --mpi" run --mpi $other -- $mpirun ./$f
    gives "$f: invalid rules" 3 "launch.rules: cannot be read" \
        run -r launch.rules -- $mpirun -n 1 ./$f stay "$work/started"
    check "$f: job with invalid rules is not started" test ! -e started
    if [ -x $other ]; then
        gives "$f: program of the other MPI" 4 "start it with the launcher of its MPI library" \
            run -- $mpirun -n 2 ./$other
        gives "$f: other MPI in one context" 4 "start it with the launcher of its MPI library" \
            run -- $mpirun -n 1 ./$f : -n 1 ./$other
    fi
    if [ "$(id -u)" = 0 ] && chown nobody suid && chmod 4755 suid; then
        gives "$f: set-user-ID program" 4 "is set-user-ID" run -- $mpirun ./suid
    else
        skip "$f: set-user-ID program" "only root can make one of another user"
    fi
    prints "$f: unknown launcher with --mpi" "odd 1.0" run --mpi $f -- odd/mpirun -n 2 ./$f

    # LD_PRELOAD of the user is kept, after the library.
    prints "$f: LD_PRELOAD in the environment" "sum 3 preload $lib:$user" \
        env LD_PRELOAD="$user" "$attune" run -- $mpirun -n 2 ./$f
    prints "$f: LD_PRELOAD by launcher option" "sum 3 preload $lib:$user" \
        run -- $mpirun "${given[@]}" -n 2 ./$f
    prints "$f: LD_PRELOAD without launcher" "sum 1 preload $lib:$user" \
        env LD_PRELOAD="$user" "$attune" run -- ./$f
    prints "$f: the library is not repeated" "sum 1 preload $lib" \
        env LD_PRELOAD="$lib" "$attune" run -- ./$f

    # --off
    prints "$f: --off" "sum 3 preload none" run --off -- $mpirun -n 2 ./$f
    prints "$f: ATTUNE=off" "sum 3 preload none" env ATTUNE=off "$attune" run -- $mpirun -n 2 ./$f
    gives "$f: --off checks nothing" 0 "" run --off -- $mpirun -n 1 ./static

    # The environment of the MPI library: same names and values as without Attune.
    cat >environment <<'S'
#!/bin/sh
env | grep -E '^(OMPI|PMIX|PMI|ORTE|PRTE|MPICH|MPIR|HYDRA|HYDI|UCX|FI)_' | sort |
    sed -E '/^(OMPI_MCA_rmaps|MPIR_CVAR|OMPI_MCA_btl|UCX_TLS)/!s/=.*//'
S
    chmod +x environment
    export OMPI_MCA_btl_tcp_if_include=lo MPIR_CVAR_DEBUG_SUMMARY=0 UCX_TLS=tcp,self
    $mpirun -n 1 ./environment >plain.env
    run -a 'allreduce=ring' -- $mpirun -n 1 ./environment >under.env
    check "$f: environment of the MPI is unchanged" diff plain.env under.env
    check "$f: the environment is not empty" grep -q '^MPIR_CVAR_DEBUG_SUMMARY=0' under.env
    unset OMPI_MCA_btl_tcp_if_include MPIR_CVAR_DEBUG_SUMMARY UCX_TLS

    # Settings reach the ranks.
    out=$(run --report -a allreduce=ring -- $mpirun -n 2 ./$f 2>&1)
    gives "$f: report to standard error" 0 "ring" echo "$out"
    run --report=r.txt -a allreduce=ring -- $mpirun -wdir / -n 2 "$work/$f" >/dev/null 2>&1
    check "$f: report file is in the current folder" grep -q 'allreduce.*ring' r.txt
    rm -f r.txt
    run --report=r.html -a allreduce=ring -- $mpirun -n 2 ./$f >/dev/null 2>&1
    check "$f: report as a page" grep -q '^<td class="w">allreduce.*>ring<\|<td class="w">ring</td>' r.html
    check "$f: the page is complete" test "$(tail -n 1 r.html)" = '</html>'
    out=$(run --report --format json -a allreduce=ring -- $mpirun -n 2 ./$f 2>&1 >/dev/null)
    check "$f: report as json" grep -q '"algorithm": "ring"' <<<"$out"
    rm -f r.html
    out=$(run --report -a allreduce=ring -- $mpirun -n 1 ./$f : -n 1 ./$f 2>&1)
    gives "$f: settings reach every app context" 0 "ring" echo "$out"

    # A rank that is killed inside a collective: the launcher reports it and cleans up.
    $mpirun -n 3 ./$f die "$work" >/dev/null 2>&1
    alone=$?
    run -a allreduce=ring -- $mpirun -n 3 ./$f die "$work" >killed.txt 2>&1
    check "$f: exit code when a rank is killed" test $? = $alone -a $alone != 0
    check "$f: the launcher reports it" grep -qi 'killed\|signal 9' killed.txt
    for _ in $(seq 1500); do pgrep -f "^\./$f die $work" >/dev/null || break; sleep 0.1; done
    check_fails "$f: no process remains" "" pgrep -f "^\./$f die $work"

    # Signals terminate the job, also inside collectives.
    for signal in TERM HUP; do
        rm -f started
        "$attune" run -a allreduce=ring -- $mpirun -n 2 ./$f stay "$work/started" >/dev/null 2>&1 &
        pid=$!
        for _ in $(seq 1500); do [ -e started ] && break; sleep 0.1; done
        check "$f: the job starts" test -e started
        kill -$signal $pid
        # Only termination is checked: Hydra returns 15 or 0 after SIGTERM.
        check "$f: SIG$signal terminates attune run" timeout 200 tail --pid=$pid -f /dev/null
        for _ in $(seq 1500); do pgrep -f "^\./$f stay $work" >/dev/null || break; sleep 0.1; done
        check_fails "$f: no process remains after SIG$signal" "" pgrep -f "^\./$f stay $work"
    done
done

# ---- dry run ----

for flavour in $flavours; do
    lib=$ATTUNE_BUILD/lib/libattune-$flavour.so
    case $flavour in
        openmpi)
            prints "dry run: Open MPI's options" "mpirun.openmpi -x LD_PRELOAD=$lib --mca a b -np 2 \
--map-by core -x A=1 -H localhost:2 --bind-to none ./openmpi -x LD_PRELOAD=1" \
                dry -- mpirun.openmpi --mca a b -np 2 --map-by core -x A=1 -H localhost:2 \
                --bind-to none ./openmpi -x LD_PRELOAD=1
            prints "dry run: every context of Open MPI" "ATTUNE_ALGORITHM='*=native' mpirun.openmpi \
-x LD_PRELOAD=$lib -x ATTUNE_ALGORITHM -n 1 ./openmpi : \
-x ATTUNE_ALGORITHM -x LD_PRELOAD=$lib:/u.so -n 1 ./openmpi" \
                dry -a '*=native' -- mpirun.openmpi -n 1 ./openmpi : \
                -x LD_PRELOAD=/u.so -n 1 ./openmpi
            prints "dry run: option that is in no table" \
                "mpirun.openmpi -x LD_PRELOAD=$lib --brand-new 7 --flag ./openmpi" \
                dry -- mpirun.openmpi --brand-new 7 --flag ./openmpi
            # Launchers that Debian lacks: the command only.
            for absent in prterun flux; do
                printf '#!/bin/sh\n' >"$work/$absent" && chmod +x "$work/$absent"
            done
            with_absent() { PATH=$work:$PATH dry --mpi openmpi -- "$@"; }
            prints "dry run: PRRTE" "prterun -x LD_PRELOAD=$lib -n 16 ./openmpi" with_absent prterun -n 16 ./openmpi
            prints "dry run: Flux" "LD_PRELOAD=$lib flux run -n 16 ./openmpi" with_absent flux run -n 16 ./openmpi
            ;;
        mpich)
            prints "dry run: Hydra's options" "ATTUNE_REPORT=1 mpirun.mpich -genv LD_PRELOAD $lib -genv \
ATTUNE_REPORT 1 -ppn 2 -genv A 1 -genv B=2 -bind-to core -n 2 ./mpich : -env LD_PRELOAD $lib:/u.so \
-n=1 ./mpich" env ATTUNE_REPORT=1 "$attune" run --dry-run -- mpirun.mpich -ppn 2 -genv A 1 \
                -genv B=2 -bind-to core -n 2 ./mpich : -env LD_PRELOAD /u.so -n=1 ./mpich
            ;;
    esac
    gives "dry run: online tuning by default" 0 "ATTUNE_SELECT=online" dry -- ./$flavour
    gives "dry run: settings show the default selection" 0 "ATTUNE_SELECT,online,attune run," "$attune" settings --format csv
    gives "dry run: settings with rules" 0 "ATTUNE_SELECT,rules,default," \
        env ATTUNE_RULES=any "$attune" settings --format csv
    output=$(dry -a bcast=chain -- ./$flavour)
    check "dry run: no default selection with forced algorithms" [ "${output/SELECT/}" = "$output" ]
    gives "dry run: algorithms of several options, the last in front" 0 \
        "ATTUNE_ALGORITHM=reduce=linear,bcast=binomial,reduce=chain,bcast=chain LD_PRELOAD" \
        env ATTUNE_ALGORITHM=scan=linear "$attune" run --dry-run --algorithm reduce=chain,bcast=chain \
        -a bcast=binomial --algorithm=reduce=linear -- ./$flavour
    gives "dry run: each algorithm is checked" 3 'unknown algorithm "chian" for bcast' \
        dry -a bcast=chian -a reduce=chain -- ./$flavour
    gives "dry run: the last value of other options" 0 "ATTUNE_FIRST=3 LD_PRELOAD" \
        dry --select rules --first 2 --first 3 -- ./$flavour
    printf 'attune-machine 1\nchannel memory\n  hockney alpha=2 beta=0.3\nend\n' >some.machine
    echo 'SwitchName=s0 Nodes=n[0-3]' >some.conf
    for file in WISDOM=some.file MACHINE=some.machine MACHINE_LEARN=some.file RECORD=some.file \
        WARMUP=some.file TRACE=some.file REPORT=some.txt TOPOLOGY=some.conf; do
        gives "dry run: ${file%=*} as an absolute path" 0 \
            "ATTUNE_${file%=*}=$work/${file#*=}" env "ATTUNE_$file" "$attune" run --dry-run -- ./$flavour
    done
    gives "dry run: other values are unchanged" 0 "ATTUNE_WISDOM=off " dry --wisdom off -- ./$flavour
    prints "dry run: without launcher" "ATTUNE_YIELD=always LD_PRELOAD=$lib ./$flavour 'a b' ''" \
        dry --yield always -- ./$flavour 'a b' ''
done
finish
