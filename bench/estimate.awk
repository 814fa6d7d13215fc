# estimate.awk - confidence intervals of ratios and geometric means from those of medians (see
# docs/benchmarking.md), and fields of the CSV of `attune bench`.  An estimate is "mid lo hi".
function part(e, i, a) { split(e, a, " "); return a[i] }
function square(x) { return x * x }
function ratio(a, b, mid) {
    mid = log(part(a, 1) / part(b, 1))
    return exp(mid) " " \
        exp(mid - sqrt(square(log(part(a, 1) / part(a, 2))) + square(log(part(b, 3) / part(b, 1))))) " " \
        exp(mid + sqrt(square(log(part(a, 3) / part(a, 1))) + square(log(part(b, 1) / part(b, 2)))))
}
# add_to adds an estimate to the array `sum`; mean_of returns the geometric mean of what was added.
function add_to(sum, e) {
    sum["mid"] += log(part(e, 1))
    sum["down"] += square(log(part(e, 1) / part(e, 2)))
    sum["up"] += square(log(part(e, 3) / part(e, 1)))
    sum["n"]++
}
function mean_of(sum, mid) {
    mid = sum["mid"] / sum["n"]
    return exp(mid) " " exp(mid - sqrt(sum["down"]) / sum["n"]) " " exp(mid + sqrt(sum["up"]) / sum["n"])
}
function smaller(a, b) { return part(a, 1) <= part(b, 1) ? a : b }

function size(n) { return n % 1048576 == 0 ? n / 1048576 "M" : n % 1024 == 0 ? n / 1024 "K" : n }
function ms(e) { return sprintf("%.1f", 1e3 * part(e, 1)) }
function times(e) { return sprintf("%.2f [%.2f..%.2f]", part(e, 1), part(e, 2), part(e, 3)) }

# Fields of a CSV line: the algorithm may contain commas, so later fields are counted from the end.
function time_of() { return $(NF - 5) " " $(NF - 4) " " $(NF - 3) }
function variant_of(name, i) {
    if ($4 !~ /^"/) return $4
    name = $4
    for (i = 5; name !~ /"$/; i++) name = name "," $i
    gsub(/"/, "", name)
    return name
}
function algorithm_of(name, i) {
    name = $(NF - 6)
    for (i = NF - 7; name ~ /"$/ && name !~ /^"/; i--) name = $i "," name
    gsub(/"/, "", name)
    return name
}
