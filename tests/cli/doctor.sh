#!/usr/bin/env bash
# attune doctor: on this machine, without MPI, with one, with wrong versions, forbidden ptrace, a tiny /dev/shm, more
# ranks than cores, and damaged files.  Conditions are made in mount namespaces of their own.
. "$(dirname "$0")/lib.sh"
export HOME=$work/home OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
unset XDG_DATA_HOME LD_PRELOAD LD_LIBRARY_PATH
mkdir "$HOME"

# The output in csv must have a line with these fields and, after them, TEXT.
reports() { # CHECK RESULT TEXT COMMAND ...
    local check=$1 result=$2 text=$3
    shift 3
    capture "$@" --format csv "${after[@]}"
    if [ "$code" -le 1 ] && grep -F "$check,$result," "$work/.out" | grep -qF -- "$text"; then
        tap_point "$check is $result: $text" yes
    else
        tap_point "$check is $result: $text" no "exit code $code: $(cat "$work/.out" "$work/.err")"
    fi
}
after=()
# Every line that is not ok has a remedy.
has_remedies() { awk -F , 'NR > 1 && $2 ~ /warn|fail/ && $NF == "" { print; bad = 1 } END { exit bad }' "$work/.out"; }
built() { [ -e "$(dirname "$attune")/../lib/libattune-$1.so" ]; }

# ---- this machine ----
capture attune doctor
check "exit code 0 or 1" [ "$code" -le 1 ]
check "exit code 1 if and only if there is a finding" \
    [ "$code" = "$(grep -qE '^.{14} (warn|fail) ' .out && echo 1 || echo 0)" ]
reports attune ok "version $(cat "$root/VERSION")" attune doctor
check "json" eval 'attune doctor --format json -o doctor.json; [ $? -le 1 ] && python3 -m json.tool doctor.json >tidy'
fails 2 '*' attune doctor --format xml
fails 2 '*' attune doctor -n 0

# ---- a job on the command line ----
for flavour in openmpi mpich; do
    built $flavour || continue
    reports mpi ok "libattune-$flavour.so" attune doctor
    after=(-- "mpirun.$flavour" -n 1000 "$(dirname "$attune")/../examples/$flavour/collectives")
    reports job ok "libattune-$flavour.so" attune doctor
    reports cores warn "1000 ranks share" attune doctor
    after=(-- "mpirun.$flavour" -n 2 ./missing)
    reports job fail "program ./missing" attune doctor
    after=()
done

# ---- libraries preloaded by hand, --mpi that nothing confirms ----
preloaded() { # FLAVOUR
    realpath "$(dirname "$attune")/../lib/libattune-$1.so"
}
if built openmpi && built mpich; then
    after=(-- mpirun.openmpi -n 1 "$(dirname "$attune")/../examples/openmpi/collectives")
    reports preload warn "but the job uses Open MPI" env LD_PRELOAD="$(preloaded mpich)" "$attune" doctor
    check "  the exit code is 1" [ "$code" = 1 ]
    check "  every finding has a remedy" has_remedies
    reports preload ok "built for Open MPI" env LD_PRELOAD="$(preloaded openmpi)" "$attune" doctor
    after=(-- mpirun.openmpi -x LD_PRELOAD="$(preloaded mpich)" -n 1 "${after[-1]}")
    reports preload warn "built for MPICH" attune doctor
    after=(-- mpirun.mpich -genv LD_PRELOAD "$(preloaded openmpi)" -n 1 "$(dirname "$attune")/../examples/mpich/collectives")
    reports preload warn "built for Open MPI" attune doctor
    after=(--mpi mpich -- srun -n 1 python3 program.py)
    command -v srun >/dev/null && reports job note "because --mpi is mpich" attune doctor
    after=()
fi
reports preload warn "no library that can be preloaded" env LD_PRELOAD=/missing/libattune-mpich.so "$attune" doctor
LD_PRELOAD=/missing/libother.so attune doctor --format csv >other.csv 2>/dev/null
check "other libraries are not reported" eval '! grep ^preload other.csv'

reports cores warn "3 ranks share 1 core," taskset -c "$(taskset -cp $$ | sed 's/.*: //; s/[-,].*//')" "$attune" doctor -n 3
reports cores ok core attune doctor -n 1

# ---- files and settings ----
reports wisdom note "no file yet" attune doctor
mkdir -p "$HOME/.local/share/attune"
printf 'attune-wisdom 1\nrule bcast use=chain\nend\n' >"$HOME/.local/share/attune/wisdom"
reports wisdom ok "(user): 1 rule" attune doctor
chmod o+w "$HOME/.local/share/attune/wisdom"
reports wisdom warn "can be changed by all users,run \`chmod" attune doctor
printf 'attune-wisdom 1\nrule bcast use=chain\n' >"$HOME/.local/share/attune/wisdom"
reports wisdom fail "wisdom:" attune doctor
reports wisdom note "switched off" env ATTUNE_WISDOM=off "$attune" doctor
printf 'a diary\n' >"$HOME/.local/share/attune/calibration"
reports calibration fail "calibration:1: " attune doctor
reports calibration note "switched off" env ATTUNE_CALIBRATION=off "$attune" doctor
reports settings warn ATTUNE_REPROT env ATTUNE_REPROT=1 "$attune" doctor
reports settings fail ATTUNE_BUDGET env ATTUNE_BUDGET=much "$attune" doctor
reports settings warn "disables Attune" env ATTUNE=off "$attune" doctor
rm -r "$HOME/.local"

# ---- wrong MPI libraries ----
mkdir wrong
real=$(ldconfig -p | awk '$1 == "libmpi.so.40" { print $NF; exit }')
if built openmpi && [ -n "$real" ]; then
    LC_ALL=C sed 's/Open MPI v%d\.%d\.%d/Open MPI v9.9%d.%d/' "$real" >wrong/libmpi.so.40
    reports mpi warn "but runs on Open MPI v9.9" env LD_LIBRARY_PATH="$work/wrong" "$attune" doctor
    echo 'int MPI_Init;' | "${CC:-cc}" -x c -shared -fPIC -Wl,-soname,libmpi.so.40 -o wrong/libmpi.so.40 -
    reports mpi fail "undefined symbol" env LD_LIBRARY_PATH="$work/wrong" "$attune" doctor
else
    skip "wrong MPI libraries" "no Open MPI"
fi
if [ -n "$real" ]; then
    mkdir -p alone/bin && cp "$attune" alone/bin
    reports mpi warn "has no preload library" alone/bin/attune doctor
fi

# ---- conditions in namespaces ----
own=(unshare -m)
[ "$(id -u)" = 0 ] || own=(unshare -Urm)
# Runs the command after the shell commands SETUP, in a mount namespace.
within() { # SETUP COMMAND ...
    "${own[@]}" bash -c "set -e; $1"'; shift; exec "$@"' bash "$@"
}
hide='mkdir -p "$TOP"; mount -t tmpfs none "$TOP"; mkdir "$TOP/upper" "$TOP/work"
      mount -t overlay -o "lowerdir=/usr,upperdir=$TOP/upper,workdir=$TOP/work" none /usr'
export TOP=$work/top
if within "$hide" true 2>/dev/null; then
    none='rm -f /usr/bin/{mpirun,mpiexec,orterun,prterun,srun}*'
    no_open='rm -f /usr/lib/*/libmpi.so.* /usr/bin/{mpirun,mpiexec} /usr/bin/{mpirun,mpiexec}.openmpi /usr/bin/orterun'
    no_mpich='rm -f /usr/lib/*/libmpich.so.* /usr/bin/{mpirun,mpiexec}.mpich /usr/bin/*.hydra'
    reports mpi fail "no MPI library" within "$hide; $no_open; $no_mpich" "$attune" doctor
    check "  the exit code is 1" [ "$code" = 1 ]
    check "  every finding has a remedy" has_remedies
    reports launcher fail "no launcher" within "$hide; $no_open; $no_mpich; $none" "$attune" doctor
    if built openmpi && built mpich; then
        reports mpi ok libattune-mpich.so within "$hide; $no_open" "$attune" doctor
        reports mpi note "libattune-openmpi.so cannot be preloaded" within "$hide; $no_open" "$attune" doctor
        reports mpi ok libattune-openmpi.so within "$hide; $no_mpich" "$attune" doctor
        reports mpi note "libattune-mpich.so cannot be preloaded" within "$hide; $no_mpich" "$attune" doctor
    fi
else
    skip "machines with fewer MPI libraries" "no overlay can be mounted"
fi
reports wisdom warn "HOME names no folder" env -u HOME "$attune" doctor
reports calibration warn "HOME names no folder" env HOME=here "$attune" doctor
if within true true 2>/dev/null; then
    reports wisdom warn "wisdom: cannot be written: Read-only file system" within 'mount -t tmpfs -o ro none "$HOME"' "$attune" doctor
    check "  every finding has a remedy" has_remedies
    reports "shared memory" warn "with /proc mounted" within "umount -l /proc" "$attune" doctor
    check "  every finding has a remedy" has_remedies
    reports /dev/shm warn "0 MB are free" within "mount -t tmpfs -o size=512k none /dev/shm" "$attune" doctor
    reports /dev/shm ok "256 MB are free" within "mount -t tmpfs -o size=256m none /dev/shm" "$attune" doctor -n 4
    reports /dev/shm warn "256 MB are free" within "mount -t tmpfs -o size=256m none /dev/shm" "$attune" doctor -n 64
    yama='mount -t tmpfs none /proc/sys/kernel; mkdir /proc/sys/kernel/yama; echo 2 >/proc/sys/kernel/yama/ptrace_scope'
    if within "$yama" true 2>/dev/null; then
        reports "single copies" warn "ptrace_scope is 2" within "$yama" "$attune" doctor
    else
        skip "restricted ptrace" "/proc/sys/kernel cannot be covered"
    fi
else
    skip "tiny /dev/shm, restricted ptrace" "no mount namespaces"
fi

# A filter like that of containers: process_vm_readv fails with EPERM.
cat >forbid.py <<'END'
import ctypes, os, platform, struct, sys
number = {"x86_64": 310, "aarch64": 270}[platform.machine()]
code = [(0x20, 0, 0, 0), (0x15, 0, 1, number), (0x06, 0, 0, 0x00050001), (0x06, 0, 0, 0x7FFF0000)]
text = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *c) for c in code))
class Program(ctypes.Structure):
    _fields_ = [("n", ctypes.c_ushort), ("code", ctypes.c_void_p)]
program = Program(len(code), ctypes.addressof(text))
libc = ctypes.CDLL(None, use_errno=True)
if libc.prctl(38, 1, 0, 0, 0) or libc.prctl(22, 2, ctypes.byref(program), 0, 0):
    sys.exit("no filter")
os.execvp(sys.argv[1], sys.argv[1:])
END
if python3 forbid.py true 2>/dev/null; then
    reports "single copies" warn "process_vm_readv: Operation not permitted" python3 forbid.py "$attune" doctor
    reports "shared memory" ok "two processes" python3 forbid.py "$attune" doctor
else
    skip "forbidden process_vm_readv" "no system call filter"
fi
reports "shared memory" warn "no anonymous file" bash -c 'ulimit -f 1; "$@" | cat; exit ${PIPESTATUS[0]}' bash "$attune" doctor
finish
