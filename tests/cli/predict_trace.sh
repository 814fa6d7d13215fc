#!/usr/bin/env bash
# attune predict: sequences of symbols, messages of jobs.
. "$(dirname "$0")/lib.sh"

sample='1 3 5 6 1 3 5 6 7 7 1 3 5 6 1 7 7 1 3 2 1'
tagged='0:4 1:1 0:4 1:2 0:4 1:3 2:9 0:4 1:1 0:4 1:2 0:4 1:3 2:9 0:4 1:1 0:4 1:2'
replay() { # SYMBOLS OPTIONS ...
    local symbols=$1
    shift
    printf '%s\n' "$symbols" | attune predict --sequence - "$@"
}

# ---- sequences ----
golden predict_sample.csv 0 replay "$sample" --format csv
golden predict_tagged.csv 0 replay "$tagged" --format csv
golden predict_offers.out 0 replay "$tagged" --offers --predictor tagging,tag-cycle2,two-level-tagging
golden predict_memory.out 0 replay "$sample" --memory --predictor lru-2,single-cycle,better-cycle,all-cycle
lines() { [ "$(tr ' ' '\n' <<<"$sample" | attune predict --sequence - --format csv)" = "$(replay "$sample" --format csv)" ]; }
check "newlines separate symbols like blanks" lines
commas() { [ "$(tr ' ' , <<<"$sample" | attune predict --sequence - --format csv)" = "$(replay "$sample" --format csv)" ]; }
check "commas separate symbols" commas
holds 'better-cycle,5,21' replay "$sample" --format csv --predictor better-cycle --ahead 2
holds 'all-cycle-1,9,21' replay "$sample" --format csv --predictor all-cycle-1
holds 'fifo-5,14,21' replay "$sample" --format csv --predictor fifo --window 5
holds 'single-cycle,4,7,1,2,1,3,2' replay "1 2 1 2 1 2 1" --format csv --memory=closing --predictor single-cycle
holds 'tag-cycle2,4,18' replay "$tagged" --format csv --hints 1
fails 2 'attune: --hints 7: no request has call site "7"' replay "$tagged" --hints 7
printf '%s' "$sample" >file.txt
holds 'lfu-perfect-4,9,21' attune predict --sequence file.txt --format csv
holds '<svg' replay "$sample" --format svg
drawn() { replay "$sample" -o hits.svg && grep -q 'better-cycle2' hits.svg && grep -q '0.476' hits.svg; }
check "-o FILE.svg plots" drawn
holds 'two-level-bettercycle2' attune predict --list
json() { replay "$sample" --format json --predictor lru-2 | grep -q '"hits": 3'; }
check "json has numbers" json

fails 2 'attune: unknown predictor "beter-cycle"; did you mean "better-cycle"?*' \
    replay 1 --predictor beter-cycle
fails 2 'attune: predictor "lru-0": the size must be*' replay 1 --predictor lru-0
fails 2 'attune: --window 0: sizes must be*' replay 1 --window 0
fails 2 'attune: --sites-by lru: must*' replay 1 --sites-by lru
fails 2 'attune: --memory=much:*' replay 1 --memory=much
fails 2 'attune: --offers has no plot*' replay 1 --offers --format svg
fails 3 'attune: standard input: contains no symbol*' replay ''
fails 3 'attune: standard input:1: "0:2" has a call site, others have none*' replay '1 0:2'
fails 3 'attune: nothere: cannot be read*' attune predict --sequence nothere
fails 2 'attune: nothing to predict*' attune predict
fails 2 'attune: --offers requires --sequence' attune predict --skeleton cg --offers
fails 2 'attune: --ranks requires --skeleton' replay 1 -p 4
fails 2 'attune: --sequence excludes traces*' replay 1 trace
socket() { python3 - "$attune" <<'PY'
import socket, subprocess, sys
ours, theirs = socket.socketpair()
ours.sendall(b"1 2 1 2 1 2")
ours.shutdown(socket.SHUT_WR)
words = [sys.argv[1], "predict", "--sequence", "-", "--format", "csv", "--predictor", "single-cycle"]
output = subprocess.run(words, stdin=theirs, capture_output=True, text=True).stdout
sys.exit(output != "predictor,hits,requests\nsingle-cycle,3,6\n")
PY
}
check "standard input may be a socket" socket

# ---- skeletons ----
golden predict_skeleton.out 0 attune predict --skeleton cg,transpose -p 4,16 --iterations 3 \
    --predictor lru-1,better-cycle2,tagging,tag-cycle2 --memory
holds 'bt,4,send,tagging' attune predict --skeleton all -p 4 --side send --iterations 2 --format csv
holds '<title>Hit rates' attune predict --skeleton bt -p 9 --iterations 2 --format svg
fails 0 'attune: note: lu on 4 ranks: * receives use MPI_ANY_SOURCE*--wildcards includes them' \
    attune predict --skeleton lu -p 4 --iterations 1 --predictor lru-1
fails 2 'attune: --skeleton: nothing is before the comma at character 4; *' attune predict --skeleton bt,,cg -p 4
fails 2 'attune: --predictor: nothing follows the comma at character 6; *' \
    attune predict --skeleton bt -p 4 --predictor lru-1,
fails 2 'attune: --skeleton ft: unknown skeleton; did you mean "bt"? There are: bt, cg,*' attune predict --skeleton ft
fails 2 'attune: skeleton cg: 9 ranks do not fit; it needs a power of two' \
    attune predict --skeleton cg -p 9
fails 2 'attune: --ranks 0: must be 1 .. 4096' attune predict --skeleton cg -p 0

# ---- messages as CSV ----
alike() {
    attune predict --skeleton sp -p 9 --iterations 3 --messages -o sp.csv &&
        [ "$(attune predict sp.csv --format csv)" = "$(attune predict --skeleton sp -p 9 --iterations 3 --format csv)" ]
}
check "messages of a skeleton predict like the skeleton" alike
printf 'rank,op,partner,asked\n0,recv,1,any-source\n0,isendrecv,1,\n' >open.csv
fails 0 'attune: note: open on 1 ranks: 1 receives use MPI_ANY_SOURCE*' attune predict open.csv --predictor lru-1
holds 'open,1,send,lru-1,0.0000,0.0000,0.0000,0,1' attune predict open.csv --side send --predictor lru-1 --format csv
printf 'rank,op,partner\n0,send,1\n0,send\n' >cut.csv
fails 3 'attune: cut.csv:3: 2 fields, but the heading has 3: the line is damaged or truncated' attune predict cut.csv
printf 'rank,partner\n' >heading.csv
fails 3 'attune: heading.csv:1: missing column "op"*' attune predict heading.csv
printf 'rank,op,partner\0' >zero.csv
fails 3 'attune: zero.csv: contains NUL bytes*' attune predict zero.csv
fails 3 'attune: nothere.csv: cannot be read*' attune predict nothere.csv
finish
