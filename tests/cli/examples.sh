#!/usr/bin/env bash
# The examples of all commands: options are valid, and those that start no job run.
. "$(dirname "$0")/lib.sh"
cp -r "$root/examples" .
cp examples/ethernet.machine cluster.machine
cp "$here/data/bench.samples" bench.samples
attune topo convert 4x4@100M -o cluster.conf
printf '%s\n' 'attune-wisdom 1' 'rule bcast ranks=4 bytes=1K use=chain' end >job1.wisdom
for name in job2 old new cluster; do cp job1.wisdom $name.wisdom; done

commands() { attune help all | awk '/^Topics:/ { exit } /^  [a-z]/' | cut -c3-25; }
examples() { # NOUN [VERB]
    attune help "$@" | awk '/^Examples:/ { on = 1; next } /^$/ { on = 0 } on && /^  attune /' | cut -c3-
}

# Options are checked by --help, which is evaluated after all of them.
parses() { # LINE NOUN [VERB]
    local -a words
    eval "words=(${1#attune })"
    [ "${words[*]:0:$#-1}" = "${*:2}" ] || { echo "not an example of attune ${*:2}"; return 1; }
    attune "${words[@]:0:$#-1}" --help "${words[@]:$#-1}" >.out && grep -q "^Usage: attune ${*:2}" .out
}
# Needs a job, a lab, a trace or a file of another machine, or takes many minutes.
runs_elsewhere() {
    case $1 in
        *' -- '* | 'attune lab '* | 'attune trace '* | *' trace '* | */etc/slurm/* | 'attune study all '*) return 0 ;;
    esac
    return 1
}
works() {
    eval "$1" >.out 2>.err
    code=$?
    [ $code -le 1 ] || { cat .err; return 1; }
}

total=0
while read -r noun verb; do
    mapfile -t lines < <(examples "$noun" $verb)
    [ ${#lines[@]} -gt 0 ] || tap_point "attune $noun $verb has an example" no
    for line in "${lines[@]}"; do
        total=$((total + 1))
        check "parses: $line" parses "$line" "$noun" $verb
        runs_elsewhere "$line" || check "runs: $line" works "$line"
    done
done < <(commands)
check "every command has examples" test "$total" -gt 50
finish
