#!/usr/bin/env bash
# Files of jobs, by option or environment variable: files that cannot be read or written are rejected
# before the launcher starts, and nothing is created.
. "$(dirname "$0")/lib.sh"

launcher 'echo started >>"$MARK"'
export MARK=$work/.started
cat >good.machine <<'END'
attune-machine 1
channel memory
  hockney alpha=2 beta=0.3
end
END
sed 's/hockney/hackney/' good.machine >bad.machine
printf 'attune-wisdom 1\nend\n' >good.wisdom
printf 'attune-wisdom 1\nrule bcast use=chain\n' >cut.wisdom
printf 'a diary\n' >foreign
printf 'SwitchName=s0 Nodes=\n' >bad.topology
mkdir folder

# The command is rejected with CODE and a message that matches GLOB, the launcher is not started,
# and no file changes.
refused() { # CODE GLOB COMMAND ...
    local before
    rm -f "$MARK"
    before=$(contents)
    fails "$@"
    check "  not started, nothing created" [ "$before" = "$(contents)" ]
}
contents() { find . -mindepth 1 -not -path './.*' -printf '%p %s %T@\n' | sort; }
run() { attune run "$@" -- ./launch; }

# ---- attune run: input files ----
refused 3 'attune: nowhere: cannot be read: No such file or directory; *attune measure*' run --machine nowhere
refused 3 'attune: bad.machine:3: unknown word "hackney"; did you mean "hockney"? *' run --machine bad.machine
refused 3 'attune: folder: cannot be read: Is a directory; *' run --machine folder
refused 3 'attune: nowhere: cannot be read: *; *attune topo check*' run --topology nowhere
refused 3 'attune: bad.topology:1: *; *attune topo check*' run --topology bad.topology
refused 3 'attune: 4x4@10Q*; *' run --topology 4x4@10Q
refused 3 'attune: cut.wisdom:3: *; restore it*' run --wisdom cut.wisdom
refused 3 'attune: foreign:1: not a wisdom file; *' run --wisdom foreign
refused 3 'attune: folder: is a directory; *' run --wisdom folder
refused 3 'attune: nowhere: cannot be read: *' run --rules nowhere
refused 3 'attune: foreign:1: not a list of partners*' run --warmup foreign

# ---- attune run: output files ----
refused 4 'attune: none/r.txt: cannot be written: No such file or directory; create its folder*' \
    run --report=none/r.txt
refused 4 'attune: folder: cannot be written: Is a directory; name a file in it' run --report=folder
refused 4 'attune: foreign/r.txt: cannot be written: Not a directory; *' run --report=foreign/r.txt
refused 2 'attune: report r.pdf: unknown format .pdf; *.txt, .csv, .json or .html*text, csv, json, html' \
    run --report=r.pdf
refused 4 'attune: foreign/w: cannot be written: Not a directory; *' run --wisdom foreign/w
refused 4 'attune: none/c: cannot be written: *' run --warmup none/c
refused 4 'attune: none/t: cannot be written: No such file or directory; *' run --trace none/t
refused 2 'attune: foreign: is not a folder; *' run --trace foreign

# ---- the same from the environment ----
refused 3 'attune: nowhere: cannot be read: *' env ATTUNE_MACHINE=nowhere "$attune" run -- ./launch
refused 3 'attune: bad.topology:1: *' env ATTUNE_TOPOLOGY=bad.topology "$attune" run -- ./launch
refused 3 'attune: foreign:1: not a wisdom file; *' env ATTUNE_WISDOM=foreign "$attune" run -- ./launch
refused 2 'attune: report r.pdf: unknown format .pdf; *' env ATTUNE_REPORT=r.pdf "$attune" run -- ./launch
refused 4 'attune: none/r: cannot be written: *' env ATTUNE_REPORT=none/r "$attune" run -- ./launch
refused 4 'attune: none/r: cannot be written: *' env ATTUNE_RECORD=none/r "$attune" run -- ./launch
refused 4 'attune: none/m: cannot be written: *' env ATTUNE_MACHINE_LEARN=none/m "$attune" run -- ./launch
refused 4 'attune: none/t: cannot be written: *' env ATTUNE_TRACE=none/t "$attune" run -- ./launch

# ---- valid files: the job starts, and only the job creates them ----
starts() {
    local before
    rm -f "$MARK"
    before=$(contents)
    "$@" >/dev/null && [ -e "$MARK" ] && [ "$before" = "$(contents)" ]
}
# ./launch is a script without MPI, so --mpi names an installed one.
for flavour in openmpi mpich; do
    [ -e "$(dirname "$attune")/../lib/libattune-$flavour.so" ] && break
    flavour=
done
if [ -n "$flavour" ]; then
    run() { attune run --mpi $flavour "$@" -- ./launch; }
    check "a machine" starts run --machine good.machine
    check "a topology as a string" starts run --topology '4x4@100M;order=roundrobin'
    check "topology: hosts of the job" starts run --topology hosts
    check "existing wisdom" starts run --wisdom good.wisdom
    check "new wisdom in a new folder" starts run --wisdom new/wisdom
    check "wisdom off" starts run --wisdom off
    check "a report without suffix" starts run --report=report
    check "a report with --format" starts run --report=r.pdf --format html
    check "a report to a device" starts run --report=/dev/null
    check "a report in CSV" starts run --report=r.json
    check "a new file of connections" starts run --warmup partners
    check "a folder for a trace" starts run --trace new.trace/
    check "nothing is checked with --off" starts run --off --machine nowhere
else
    skip "valid files" "Attune was built without an MPI"
fi

# ---- commands that measure ----
for command in bench tune; do
    with() { attune $command --wisdom good.wisdom "$@" -- ./launch; }
    [ $command = tune ] || with() { attune $command "$@" -- ./launch; }
    refused 3 'attune: nowhere: cannot be read: *; *attune measure*' with --machine nowhere --raw raw
    refused 3 'attune: bad.topology:1: *' with --topology bad.topology --raw raw
    refused 4 'attune: none/out: cannot be written: *' with -o none/out
    refused 4 'attune: folder: cannot be written: Is a directory; *' with --raw folder
    refused 3 'attune: nowhere: cannot be read: *' \
        env ATTUNE_MACHINE=nowhere "$attune" $command --raw raw -- ./launch
done
refused 3 'attune: nowhere: cannot be read: *' attune bench --rules nowhere --raw raw -- ./launch
refused 4 'attune: none/p.svg: cannot be written: *' attune bench --plot none/p.svg --raw raw -- ./launch
refused 3 'attune: cut.wisdom:3: *' attune tune --wisdom cut.wisdom --raw raw -- ./launch
refused 4 'attune: none/r.html: cannot be written: *' \
    attune tune --wisdom good.wisdom --raw raw --report none/r.html -- ./launch
refused 3 'attune: bad.topology:1: *' attune measure --topology bad.topology -o m -- ./launch
refused 4 'attune: none/m: cannot be written: *' attune measure -o none/m -- ./launch
check "--from ignores files of the environment" \
    env ATTUNE_MACHINE=nowhere "$attune" bench --from "$here/data/bench.samples"

# ---- attune trace record: a rejected job leaves no folder ----
refused 4 'attune: program ./nothing: *' attune trace record -o new.trace -- ./nothing
refused 4 'attune: none/t: cannot be written: *' attune trace record -o none/t -- ./launch

# ---- files of other users ----
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null && id nobody >/dev/null 2>&1; then
    cp "$attune" own-attune && chmod 755 . folder own-attune
    touch locked && chmod 444 locked && chmod 600 good.machine
    unprivileged() { setpriv --reuid=nobody --clear-groups ./own-attune run "$@" -- ./launch; }
    refused 4 'attune: folder/r.txt: cannot be written: Permission denied; name another one' \
        unprivileged --report=folder/r.txt
    refused 4 'attune: locked: cannot be written: Permission denied; *' unprivileged --report=locked
    refused 3 'attune: good.machine: cannot be read: Permission denied; *' unprivileged --machine good.machine
    refused 4 'attune: folder/t: cannot be written: Permission denied; *' unprivileged --trace folder/t
    refused 4 'attune: folder/new/w: cannot be written: Permission denied; *' unprivileged --wisdom folder/new/w
else
    skip "files of other users" "only root can become another user"
fi
finish
