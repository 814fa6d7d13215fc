# pairs.awk - alternating jobs without and with a feature: medians, and the ratio of each pair of jobs.
# Input: heading, then mpi,case,run,with(0|1),value,...; the heading names the values.
function median(v, n,    i, j, x) {
    for (i = 2; i <= n; i++) {
        x = v[i]
        for (j = i - 1; j > 0 && v[j] > x; j--) v[j + 1] = v[j]
        v[j + 1] = x
    }
    low = v[1]; high = v[n]
    return n % 2 ? v[(n + 1) / 2] : (v[n / 2] + v[n / 2 + 1]) / 2
}
BEGIN { FS = "," }
NR == 1 { for (c = 5; c <= NF; c++) name[c] = $c; columns = NF; next }
{
    of = $1 " " $2
    if (!(of in seen)) { seen[of] = 1; order[++cases] = of }
    for (c = 5; c <= NF; c++) value[of, $3, c, $4] = $c
    if ($3 + 1 > runs) runs = $3 + 1
}
END {
    printf "%-24s %-10s %12s %12s %8s  %s\n", "mpi, case", "measure", "without", "with", "ratio", "range of ratios"
    for (k = 1; k <= cases; k++)
        for (c = 5; c <= columns; c++) {
            of = order[k]
            for (i = 0; i < runs; i++) {
                without[i + 1] = value[of, i, c, 0]; with[i + 1] = value[of, i, c, 1]
                ratio[i + 1] = without[i + 1] > 0 ? with[i + 1] / without[i + 1] : 0
            }
            a = median(without, runs); b = median(with, runs); m = median(ratio, runs)
            printf "%-24s %-10s %12.6g %12.6g %8.3f  %.3f .. %.3f\n", of, name[c], a, b, m, low, high
        }
}
