#!/usr/bin/env bash
# attune trace report: the page of a large trace has the numbers of the tables, its time line has every call
# and is used with keys, a narrow screen is wide enough; exports for Perfetto are complete or report what they lack.
. "$(dirname "$0")/lib.sh"
build=$(dirname "$(dirname "$attune")")
make_trace=$build/bench/core/make_trace
if [ ! -x "$make_trace" ]; then
    skip "the page of a large trace" "benchmarks are not built"
    finish
fi
"$make_trace" job 12 20000 || exit 4
attune trace export --format csv job >all.csv
calls=$(awk -F, 'NR > 1 && $16 == 0 && $14 == 0' all.csv | wc -l)
check "the trace is as large as requested" [ "$calls" -ge 20000 ]

# ---- numbers ----
check "a page is written" attune trace report -o page.html job
check "the page needs no other file" sh -c '! grep -E "(src|href)=" page.html'
cells_agree() { # PAGE TABLE COMMAND
    attune trace "$3" --table "$2" --format csv job | head -n 501 >wanted.csv
    "$here/same_cells" "$2" "$1" wanted.csv
}
pages_agree() { # PAGE
    local id
    for id in summary calls ranks sizes partners between; do cells_agree "$1" $id stats || return; done
    for id in collectives waiting operations factors invocations; do cells_agree "$1" $id arrivals || return; done
}
check "numbers of the page are those of the csv" pages_agree page.html
# The time of collectives, summed over the events of the csv without the overhead of recording (20 ns).
total_agrees() {
    attune trace arrivals --table collectives --format csv job >shares.csv
    awk -F, 'NR == FNR { if (FNR > 1) shown += $7; next }
        FNR > 1 && $2 ~ /^(allreduce|alltoall|bcast|allgather)$/ { all += ($4 - $3 - 20) * 1e-9 }
        END { exit !(shown > 0 && (shown - all) ^ 2 < (1e-5 * all) ^ 2) }' shares.csv all.csv
}
check "the time of collectives is that of their events" total_agrees
by_rank_agrees() {
    attune trace arrivals --table waiting --format csv job | awk -F, '
        NR == FNR { if (FNR > 1) { time += $7; waiting += $10 } next }
        FNR > 1 { time -= $5; waiting -= $6 }
        END { exit !(time ^ 2 < 1e-8 && waiting ^ 2 < 1e-8) }' shares.csv -
}
check "times by class and by rank have the same sum" by_rank_agrees
check "a class has its explain command" grep -q ',attune explain allreduce:12:8$' shares.csv
check "explain accepts it" attune explain allreduce:12:8 --top 1
check "sections without data are left out" eval '
    "$make_trace" short 2 0 && attune trace report -o short.html short &&
    [ "$(grep -o "<h2 id=\"[a-z]*" short.html | tr -dc "a-z\n" | sed s/hid// | xargs)" = "timeline tables" ]'
printf '%s\n' 'attune-machine 1' 'channel memory' '  hockney alpha=2 beta=0.3' end >some.machine
check "with a machine the page has the output of explain" eval '
    attune trace report --machine some.machine -o explained.html job &&
    grep -q "<pre>algorithm" explained.html && ! grep -q "<pre>algorithm" page.html'

# ---- export ----
sum_export() { python3 -c '
import gzip, json, sys
raw = open(sys.argv[1], "rb").read()
events = json.loads(gzip.decompress(raw) if raw[:2] == b"\x1f\x8b" else raw)["traceEvents"]
slices = [e for e in events if e["ph"] == "X"]
arrows = [sum(e["ph"] == ph for e in events) for ph in "sf"]
print(len(slices), min(e["dur"] for e in slices), arrows[0] == arrows[1])' "$1"; }
exports_agree() {
    attune trace export -o all.json job && attune trace export -o all.json.gz job || return
    [ "$(sum_export all.json)" = "$(sum_export all.json.gz)" ] || return
    [ "$(sum_export all.json | cut -d' ' -f1)" = "$(awk -F, 'NR > 1 && $16 == 0' all.csv | wc -l)" ] &&
        [ "$(stat -c %s all.json.gz)" -lt $(($(stat -c %s all.json) / 5)) ]
}
limit_agrees() { # the longest calls
    attune trace export --events 100 -o few.json job 2>note || return
    awk -F, 'NR > 1 && $16 == 0 { print $4 - $3 }' all.csv | sort -nr | sed -n 100p >shortest
    [ "$(sum_export few.json)" = "100 $(awk '{ print $1 / 1000 }' shortest) True" ] || { sum_export few.json; return 1; }
    grep -q "longest 100 calls .* --events 0" note
}
if attune trace export -o probe.json.gz short 2>/dev/null; then
    check "compressed and plain exports are the same" exports_agree
else
    fails 4 '*without zlib*write a file without .gz*' attune trace export -o probe.json.gz short
fi
check "a limited export has the longest calls, and reports the others" limit_agrees

# ---- in a browser ----
if [ -z "$browser" ]; then
    skip "the page in a browser" "there is no Chromium"
    finish
fi
check "a browser renders the page without errors" render page.html dom.html
check "numbers of the rendered page are those of the csv" pages_agree dom.html
check "the time line has every call" grep -q "data-calls=\"$calls\"" dom.html
with_script() { # SCRIPT DOM [OPTION ...]: the page with a script after its own
    sed "s|</body>|<script>$1</script>&|" page.html >changed.html
    render changed.html "$2" --virtual-time-budget=20000 "${@:3}"
}
check "the page fits a narrow screen" eval '
    with_script "document.body.dataset.fits = document.documentElement.scrollWidth <= innerWidth" \
        narrow.html --window-size=420,900 && grep -q "data-fits=\"true\"" narrow.html'
# Keys: the next call of the second rank, a zoom to it, and back to the whole job.
# Headless browsers that only write the DOM draw no frames.
keys='requestAnimationFrame = f => setTimeout(f, 1);
const c = document.getElementById("line-canvas"), key = k => c.dispatchEvent(new KeyboardEvent("keydown", {key: k}));
const later = f => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(f()))));
(async () => {
    const picture = () => c.toDataURL(), whole = await later(picture);
    key("ArrowDown"); key("n");
    document.body.dataset.chosen = document.getElementById("line-about").textContent;
    const chosen = await later(picture);
    key("Enter");
    const near = await later(picture);
    key("Home"); key("ArrowUp");
    document.body.dataset.keys = [whole !== chosen, chosen !== near, whole === await later(picture)].join();
})();'
with_keys() { with_script "$(tr '\n' ' ' <<<"$keys")" keys.html; }
check "the page is used with keys" with_keys
check "keys select, zoom and return" grep -q 'data-keys="true,true,true"' keys.html
check "the selected call is described" grep -q 'data-chosen="rank 1 on n0: irecv, 8 KiB, MPI_COMM_WORLD (12 ranks), from ' keys.html
# The button writes the calls of the time line as compressed JSON.
save='URL.createObjectURL = blob => {
    new Response(blob.stream().pipeThrough(new DecompressionStream("gzip"))).json().then(trace => {
        document.body.dataset.saved = trace.traceEvents.filter(e => e.ph === "X").length; });
    return "#"; };
document.querySelector("[data-do=save]").click();'
with_save() { with_script "$(tr '\n' ' ' <<<"$save")" saved.html; }
check "the page saves a file for Perfetto" with_save
check "it has every call" grep -q "data-saved=\"$calls\"" saved.html
# A frame stands in for the window of Perfetto: it answers the first message and takes the trace.
open='const frame = document.body.appendChild(document.createElement("iframe")).contentWindow;
window.open = () => frame;
frame.postMessage = async message => {
    if (message === "PING") return dispatchEvent(new MessageEvent("message", {data: "PONG", source: frame}));
    const text = new Response(message.perfetto.buffer).body.pipeThrough(new DecompressionStream("gzip"));
    document.body.dataset.opened = (await new Response(text).json()).traceEvents.filter(e => e.ph === "X").length; };
document.querySelector("[data-do=open]").click();'
with_open() { with_script "$(tr '\n' ' ' <<<"$open")" opened.html; }
check "the page opens Perfetto" with_open
check "the window receives every call" grep -q "data-opened=\"$calls\"" opened.html
finish
