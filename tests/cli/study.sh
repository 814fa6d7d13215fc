#!/usr/bin/env bash
# attune study: published tables and figures, computed again.  Studies that start jobs are only started where
# they cannot run.
. "$(dirname "$0")/lib.sh"
model="aapc-phases ring-paths tree-heights summa predictor-memory optical-tables"
stored=$root/bench/results/studies

# ---- list, errors ----
names=$(attune study list --format csv | sed 1d | cut -d, -f1)
check "every stored result belongs to a study" eval \
    'for file in "$stored"/*.csv; do grep -qx "$(basename "$file" .csv)" <<<"$names" && [ -s "${file%.csv}.svg" ] || exit 1; done'
check "every script belongs to a study" eval \
    'for file in "$root"/libexec/studies/*[!h]; do grep -qx "$(basename "$file")" <<<"$names" || exit 1; done'
fails 3 'attune: unknown study "ring-path"; did you mean "ring-paths"?*' attune study ring-path
fails 2 'attune: no folder for the results; add -o FOLDER' attune study all
fails 2 'attune: --format xml*' attune study summa --format xml
fails 4 'attune: *nowhere/x*' attune study summa -o nowhere/x

# ---- without what a study needs ----
mkdir bare && ln -s "$(command -v bash)" bare/bash
bare() { env PATH="$work/bare" "$attune" "$@"; }
fails 4 'attune: wide-area is simulated, but SimGrid is missing; install it*' bare study wide-area
fails 4 'attune: arrivals needs an MPI library*' bare study arrivals
if [ "$(id -u)" = 0 ]; then
    fails 4 'attune: star-overhead runs in an emulated cluster, but the command ip is missing*' bare study star-overhead
    plain() { setpriv --reuid=65534 --clear-groups "$attune" "$@"; }
    fails 4 'attune: star-overhead runs in an emulated cluster, which needs root*' plain study star-overhead
fi
rm bare/bash
fails 4 'attune: optical-tables is a script, but bash is missing*' bare study optical-tables

# ---- computed values against published ones ----
# Cells whose values differ by more than SHARE of the published one.
differ() { # SHARE FILE
    sed '1d; s/"[^"]*"/text/g' "$2" | awk -F, -v share="$1" '
        $2 != "remark" && $5 != "" && $6 != "" && $5 != $6 {
            if ($5 !~ /^[0-9.]+$/ || $5 - $6 > share * $6 || $6 - $5 > share * $6) n++
        }
        END { print n + 0 }'
}
for name in $model; do
    capture attune study "$name" --format csv -o "$name.csv" --plot "$name.svg"
    check "$name" eval '[ $code = 0 ] && [ ! -s "$work/.err" ] && grep -q "^<svg" $name.svg && grep -q "</svg>" $name.svg'
done
equal() { [ "$(differ "$2" "$1.csv")" = "$3" ] || { differ "$2" "$1.csv"; return 1; }; }
check "Table 3.4: all messages in the published phases" equal aapc-phases 0 0
check "Fig. 3.25: LR3 within a fifth of the published mean" equal ring-paths 0.2 0
check "Tables 5.1 to 5.6: all but the misprint" equal optical-tables 0 1
check "appendix A: all but two" equal summa 0 2
check "Tables 3.1, 6.1: 29 of 51" equal predictor-memory 0 22
published() { sed 1d "$1" | grep -c ',[^,]\+$'; }
check "30 published messages" test "$(published aapc-phases.csv)" = 30
check "92 published times" test "$(published optical-tables.csv)" = 92
lower() { awk -F, 'NR > 1 && $2 != "remark" { v[$3, $4] = $5 } END {
    for (n = 80; n <= 1280; n *= 2)
        if (v[n, "LR1 BFS"] > v[n, "LR1 random"] || v[n, "LR1 random"] > v[n, "LR1 DFS"] ||
            v[n, "LR3 DFS"] >= v[n, "LR1 BFS"]) exit 1 }' ring-paths.csv; }
check "Fig. 3.25: BFS before random before DFS, LR3 before LR1" lower
at_least() { awk -F, '$4 == "complete binary tree" { least[$3] = $5 } $4 ~ /per switch/ { v[$3, $4] = $5 }
    END { for (n = 32; n <= 1024; n *= 2)
        if (v[n, "16 per switch"] < least[n] || v[n, "8 per switch"] < v[n, "16 per switch"]) exit 1 }' tree-heights.csv; }
check "Fig. 3.29: no tree is lower than a complete one" at_least
holds '30 of 30 published values agree.' attune study aapc-phases
holds '"published": 1466' attune study optical-tables --format json
holds '| 99 | 12 = |' attune study optical-tables --format markdown

# ---- stored results ----
again() { attune study "$1" --from "$1.csv" --format csv | cmp - "$1.csv"; }
for name in aapc-phases summa; do check "$name is read back" again $name; done
echo 'a,b' >>summa.csv
fails 3 'attune: summa.csv:*: 2 fields; a result has six*' attune study summa --from summa.csv
sed -i '$d; 2s/Appendix A/Appendix B/' summa.csv
fails 3 'attune: summa.csv:2: unknown item "Appendix B"*' attune study summa --from summa.csv
fails 3 'attune: nowhere.csv*' attune study summa --from nowhere.csv
capture attune study all --from "$stored" -o out
check "stored results are written again" eval '[ $code = 0 ] && cmp out/aapc-phases.svg aapc-phases.svg && [ -s out/summa.txt ]'
# A row of the index: document, item, command, where, agreement.
check "every published table and figure has a command" eval \
    '! grep -E "^\| [^|]* 20[01][0-9] \| [^|]*\| *\|" out/index.md && [ "$(grep -c "attune study [a-z-]*\`\](#" out/index.md)"  -ge 35 ]'
# Commands of the last table, except those that start a job, with files of this test.
"${attune%/bin/attune}/bench/core/make_trace" FOLDER 4 2000
echo 1 3 5 6 1 3 5 6 7 7 1 3 5 6 1 7 7 1 3 2 1 >SEQUENCE
cp "$here/data/bench.samples" SAMPLES
cp "$root/examples/ethernet.machine" MACHINE
ln -s "$root/share" "$root/examples" .
sed -n '/^## Other tables/,$s/.*| `\(attune .*\)` |$/\1/p' out/index.md | sed 's/; bench.*//' | grep -v ' -- ' >commands
check "the last table has commands" [ "$(wc -l <commands)" -ge 20 ]
while read -r line; do
    check "$line" eval "$line >shown && [ -s shown ]"
done <commands
attune study all --from nowhere >page 2>err
check "missing results are reported and named in the page" eval \
    'grep -q "nowhere/summa.csv" err && grep -q "^Not run: nowhere/summa.csv" page'
finish
