#!/usr/bin/env bash
# The HTML report of a job: the same numbers as in the other formats, and readable in a browser, also
# on narrow screens.
. "$(dirname "$0")/lib.sh"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
build=$(dirname "$(dirname "$attune")")
export XDG_DATA_HOME=$work/data

# The job of the unit test, and a job that is run here.
if [ -x "$build/tests/unit/test_job_report" ]; then
    for format in text csv html; do "$build/tests/unit/test_job_report" $format >"known.$format"; done
fi
for flavour in openmpi mpich; do
    program=$build/tests/$flavour/learning
    [ -x "$program" ] && command -v mpirun.$flavour >/dev/null || continue
    timeout 300 "$attune" run --report=ran.html -- mpirun.$flavour -n 2 "$program" exact 300 >/dev/null 2>&1
    break
done

# The table of the text has the numbers of the csv; its columns are two blanks apart.
text_agrees() { # TEXT CSV
    sed -n '/^operation/,/^recommendations/p' "$1" | sed -E '/^recommendations/d; s/ {2,}/,/g' | sort >text.cells
    sed -E 's/,,/,-,/g; s/,,/,-,/g; s/,$/,-/' "$2" | sort | diff text.cells -
}
# Every line of the text above and below its table is in the page.
sentences_agree() { # TEXT DOM
    local line
    sed -n 's/^attune report: //p; s/^- //p' "$1" |
        sed 's/&/\&amp;/g; s/</\&lt;/g; s/>/\&gt;/g; s|`\([^`]*\)`|<code>\1</code>|g' >sentences
    [ "$(wc -l <sentences)" -gt 5 ] || return
    while IFS= read -r line; do
        grep -qF "<li>$line</li>" "$2" || { echo "not in the page: $line"; return 1; }
    done <sentences
}
# On a mobile phone, the page is not wider than the screen.
is_narrow() { # PAGE
    sed 's|</body>|<script>document.body.dataset.fits = document.documentElement.scrollWidth <= innerWidth</script>&|' \
        "$1" >narrow.html
    render narrow.html narrow.dom --window-size=420,900 && grep -q 'data-fits="true"' narrow.dom
}

if [ -e known.html ]; then
    check "numbers of the page are those of the csv" \
        "$here/same_cells" calls known.html known.csv any-order
    check "numbers of the text are those of the csv" text_agrees known.text known.csv
else
    skip "numbers of the formats" "the unit tests are not built"
fi
for page in known ran; do
    [ -e $page.html ] || continue
    check "$page: the page needs no other file" sh -c "! grep -E '(src|href)=' $page.html"
    if [ -z "$browser" ]; then
        skip "$page: the page in a browser" "there is no Chromium"
        continue
    fi
    check "$page: a browser renders the page without errors" render $page.html $page.dom
    check "$page: the page fits a narrow screen" is_narrow $page.html
done
if [ -s known.dom ]; then
    check "numbers of the rendered page are those of the csv" \
        "$here/same_cells" calls known.dom known.csv any-order
    check "its sentences are those of the text" sentences_agree known.text known.dom
fi
finish
