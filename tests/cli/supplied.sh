#!/usr/bin/env bash
# Schedules in files that rules and --algorithm name: messages about valid and invalid
# ones, before anything is started.
. "$(dirname "$0")/lib.sh"

attune schedule show allreduce/ring -p 4 --format text -o ring.txt
sed 's/reduce src\[0\]/reduce src[1]/' ring.txt >wrong.txt
head -n 9 ring.txt >cut.txt
rule() { printf 'attune-wisdom 1\nrule allreduce use=%s\nend\n' "$1" >my.rules; }

rule 'file{schedule=ring.txt}'
holds "use=file{schedule=ring.txt}" attune rules show my.rules
holds "a schedule from a file" attune algo show allreduce/file
mkdir elsewhere && cd elsewhere || exit 4
holds "use=file{schedule=ring.txt}" attune rules show ../my.rules
cd ..

holds "proven" attune schedule verify "$root/examples/own/two_hosts.txt"
holds "use=file{schedule=two_hosts.txt}" attune rules show "$root/examples/own/own.rules"

rule 'file{schedule=nowhere.txt}'
fails 3 "*my.rules:2: nowhere.txt: cannot be read: No such file*" attune rules show my.rules
rule 'file{schedule=cut.txt}'
fails 3 "*my.rules:2: cut.txt:*: the file is truncated*" attune rules show my.rules
rule 'file{schedule=wrong.txt}'
fails 3 "*my.rules:2: wrong.txt: does not implement allreduce: *" attune rules show my.rules
fails 3 "*my.rules:2: wrong.txt: does not implement*" attune run --rules my.rules -- mpirun -n 4 true
rule 'file'
fails 3 "*my.rules:2: the schedule is not named; write file{schedule=FILE}*" attune rules show my.rules
rule 'file{file=ring.txt}'
fails 3 "*allreduce/file has no parameter 'file'; it has: schedule*" attune rules show my.rules
fails 3 "*ATTUNE_ALGORITHM: *ring.txt: is a schedule for allreduce and cannot implement bcast*" \
    attune run --algorithm "bcast=file:schedule=$PWD/ring.txt" -- mpirun -n 4 true
finish
