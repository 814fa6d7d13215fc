#!/usr/bin/env bash
# What Attune communicates on its own in a job of 64 simulated ranks: messages and bytes of a rank.
. "$(dirname "$0")/lib.bash"

ran() { # HOSTS RANKS
    simulate "$1" "$2" --verbose --report=report.csv -- "$programs/places" >out 2>err &&
        [ -n "$(own start)" ] && [ -n "$(own 'whole job')" ] || { cat out err; return 1; }
}
own() { # PHASE: collectives messages bytes
    sed -n "s/^attune: own communication of a rank, $1: at most \([0-9]*\) collectives, \([0-9]*\) messages, \([0-9]*\) bytes$/\1 \2 \3/p" err
}
field() { own "$1" | cut -d' ' -f"$2"; } # PHASE WHICH
at_most() { # VALUE MOST
    [ "$1" -le "$2" ] || { echo "$1, not $2"; cat err; return 1; }
}
check "a job of 16 ranks" ran 4x4@10G+1us 16
small=$(field start 3)
check "a job of 64 ranks" ran 8x8@10G+1us 64
check "collectives at the start" at_most "$(field start 1)" 3
check "messages at the start: log2 p" at_most "$(field start 2)" 6
check "bytes at the start: 200 for each rank more" at_most $((($(field start 3) - small) / 48)) 200
check "messages until the end: twice log2 p, and two" at_most "$(field 'whole job' 2)" 14
finish
