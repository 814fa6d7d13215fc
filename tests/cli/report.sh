#!/usr/bin/env bash
# attune report: an index of pages; all pages are one family: head, style, dark mode, narrow screens.
. "$(dirname "$0")/lib.sh"
build=$(dirname "$(dirname "$attune")")
unset XDG_DATA_HOME
export HOME=$work
mkdir -p pages/more pages/empty
cp "$here"/data/bench.samples .

# ---- pages ----
attune bench --from bench.samples --plot pages/bench.html >/dev/null 2>&1
"$build/tests/unit/test_job_report" html >pages/more/job.html 2>/dev/null || rm -f pages/more/job.html
"$build/bench/core/make_trace" job 4 2000 2>/dev/null && attune trace report -o "pages/more/a trace & <more>.html" job
{
    printf 'attune-calibration 1\n'
    printf '%s\n' '' 'entry n[0-3]' 'machine some-mpi-1.0-00000001' 'fabric ethernet' 'ranks 1' 'date 2026-02-01' \
        'launcher mpirun -n 4' topology '| SwitchName=s0 Nodes=n[0-1] LinkSpeed=100' '| SwitchName=s1 Nodes=n[2-3] LinkSpeed=100' \
        '| SwitchName=top Switches=s[0-1] LinkSpeed=100' parameters '| attune-machine 1' '| channel memory' \
        '|   hockney alpha=2 beta=0.3' '| channel switch' '|   hockney alpha=40 beta=80' '| end' '' end
} >store
cat >rules.wisdom <<'END'
attune-wisdom 1
rule bcast ranks=* bytes=64K: use=chain{segment=8K} time=3ms
end
END
check "calibrations are written as a page" attune calibrate --show --store store --wisdom rules.wisdom \
    --report pages/cluster.html
task() { # OPERATION BYTES ALGORITHM SECONDS
    printf 'task %s %s 0\nvariant 0 native native\ns 0 0.001\nvariant 1 candidate %s\ns 1 %s\n' "$1" "$2" "$3" "$4"
    printf 'variant 2 control native\ns 2 0.001\nvariant 3 named %s\ns 3 %s\n' "$3" "$4"
    for i in 1 2 3 4 5 6 7; do printf 's 2 0.001\ns 3 %s\n' "$4"; done
    printf 'fate 0 second 0\nfate 1 won 0.0004\ndone\n'
}
{
    printf 'attune-samples 1\njob 4 0 Some MPI\n'
    task bcast 1024 binomial 0.0009
    task bcast 16384 'chain{segment=8K}' 0.0004
    task allreduce 1024 ring 0.0007
    echo end
} >tuned.samples
launcher 'cat tuned.samples'
if compgen -G "$(dirname "$attune")/../libexec/attune/openmpi/tune_exec" >/dev/null; then
    check "a search writes a page" eval 'attune tune --mpi openmpi --ops bcast,allreduce --sizes 1K,16K --wisdom w --quiet \
        --report pages/tuned.html -- ./launch -n 4 >solved.txt'
    check "the page has crossing points" grep -q \
        'bcast: between 1K and 16K bytes from <code>binomial</code> to <code>chain{segment=8K}</code>' pages/tuned.html
    check "the map has a cell for each problem" [ "$(grep -o 'class="win"' pages/tuned.html | wc -l)" = 3 ]
else
    skip "the page of a search" "Attune was built without Open MPI"
fi
check "the page of calibrations draws topology and machine, and lists rules" [ \
    "$(grep -c -e '^<svg' -e 'id="channels"' -e "<summary><code>attune schedule draw 'bcast/chain{segment=8K}'" \
        -e '^<tr><td class="w">bcast</td><td class="w">64K:</td>' pages/cluster.html)" = 5 ]
drawn() { grep -o 'base64,[^"]*' pages/cluster.html | cut -c8- | base64 -d | cmp - schedule.svg; }
check "drawings are those of attune schedule draw" eval '
    attune schedule draw "bcast/chain{segment=8K}" -p 8 -o schedule.svg && drawn'

# ---- the index ----
echo '<html><title>other</title></html>' >pages/other.html
npages=$(find pages -name '*.html' ! -name other.html | wc -l)
check "an index is written" attune report pages -o pages/index.html
check "an index that was written before is not listed" attune report pages -o pages/index.html
check "it has a link to each page" [ "$(grep -c '<tr><td class="w"><a href="\./' pages/index.html)" = "$npages" ]
leads_to() { # links are those of files
    local link
    while IFS= read -r link; do
        [ -f "pages/$(printf '%b' "${link//%/\\x}")" ] || { echo "$link"; return 1; }
    done < <(grep -o 'href="\./[^"]*' pages/index.html | cut -c9-)
}
check "links are those of files" leads_to
check "the title is the name of the folder" eval '(cd pages && attune report .) | grep -q "<title>pages</title>"'
check "names are escaped" sh -c '! grep -q "<more>" pages/index.html'
check "csv has the same pages" [ "$(attune report pages --format csv | tail -n +2 | wc -l)" = "$npages" ]
check "key numbers of pages are listed" eval 'attune report pages --format csv | grep -q "^bench,.*as fast as native"'
check "a folder without pages" eval 'attune report pages/empty | grep -q "No pages"'
fails 3 '*nowhere: cannot be read*' attune report nowhere
fails 2 '*DIR*' attune report

# ---- the family ----
has_frame() { # PAGE
    grep -q '<meta name="attune:kind"' "$1" && grep -q 'prefers-color-scheme: dark' "$1" && grep -q '^<header>' "$1" ||
        { echo "$1"; return 1; }
}
with_frames() { while IFS= read -r page; do has_frame "$page" || return; done < <(find pages -name '*.html' ! -name other.html); }
check "all pages have the common frame" with_frames
if [ -z "$browser" ]; then
    skip "the pages in a browser" "there is no Chromium"
    finish
fi
fits_phone() { # PAGE
    sed 's|</body>|<script>document.body.dataset.fits = document.documentElement.scrollWidth <= innerWidth</script>&|' \
        "$1" >narrow.html
    render narrow.html narrow.dom --window-size=420,900 && grep -q 'data-fits="true"' narrow.dom
}
while IFS= read -r page; do
    check "$page: rendered without errors, also on a phone" fits_phone "$page"
done < <(find pages -name '*.html' ! -name other.html | sort)
check "sections are in the navigation" eval 'render pages/cluster.html dom && grep -q "<a href=\"#entry-1\">n\[0-3\]</a>" dom'
finish
