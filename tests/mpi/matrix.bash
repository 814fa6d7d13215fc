# matrix.bash FLAVOUR - every row of the catalogue under the matrix program, on 1 to 8 ranks (TEST_RANKS).
#
# Neighbourhood collectives have run-neighbours and run-nonblocking.
# One job forces one algorithm for each operation, the next job the next ones, until every row was
# used.  The report must list calls that it served.
. "$(dirname "$0")/lib.bash"
flavour=$1
read -r -a rank_counts <<<"${TEST_RANKS:-1 2 3 4 5 8}"
slices=6

# ---- the catalogue ----

declare -A rows needs # rows[op]: variants in a row's order; needs[op/name]

# A value other than the default for every parameter, as ":k=v:k=v".
settings() { # OP/NAME
    "$attune" algo show "$1" |
        sed -nE 's/^(parameters)? +([a-z_]+)=([^ ]+) \(([^)]*)\):.*/\2 \3 \4/p' |
        awk -v salt="${#1}" '
            $1 == "segment" { printf ":segment=8K"; next }
            $1 == "pattern" { next } # files of patterns: run-patterns
            $4 == "to" { printf ":%s=%s", $1, ($3 > 2 ? $3 : 2); next }
            {
                name = $1; fallback = $2; sub(/^[^ ]+ [^ ]+ /, "")
                n = split($0, word, /, | or /)
                i = 1 + salt % n
                if (word[i] == fallback) i = 1 + i % n
                printf ":%s=%s", name, word[i]
            }'
}

# Rows with parameters are tried once with defaults and once with all of them set.
read_catalogue() {
    local name need more
    while IFS='|' read -r name need; do
        needs[$name]=$need
        more=$(settings "$name")
        rows[${name%/*}]+=" ${name#*/}${more:+ ${name#*/}$more}"
    done < <("$attune" algo list --format csv | grep -v '^neighbor_' | awk -F, 'NR > 1 {
        needs = $4
        if (needs ~ /^"/ && needs !~ /"$/) needs = needs "," $5
        gsub(/"/, "", needs); print $1 "|" needs }')
}

# ---- one job ----

# Rows with all parameters set are tried every third time.  The schedule of a row is the same with every MPI: on each number
# of ranks one of them has the even rows and the other the odd ones, so that each row has both an odd number and a
# power of two of ranks with each MPI.  With a single MPI, only jobs with many ranks, which take long, have half of the
# rows.  TEST_ROWS=all, as in tests/soak/run-matrix-*: nothing is left out.
side=([1]=0 [2]=1 [3]=0 [4]=0 [5]=1 [6]=0 [7]=0 [8]=1)
[ "$flavour" = openmpi ] && turn=0 || turn=1
others=$(flavours | grep -vcx "$flavour")
is_left_out() { # RANKS ROW VARIANT
    [ "${TEST_ROWS:-}" != all ] || return
    [[ $3 != *:* ]] || ((($2 + $1) % 3 == 0)) || return 0
    (($1 >= 5 || others > 0)) && ((($2 + ${side[$1]:-0} + turn) % 2))
}

# The variants for a number of ranks.
declare -A variants # variants[op]: native, then the rest, one in each job
set_variants() { # RANKS; the number of jobs goes to `jobs`
    local op variant i list
    jobs=0
    for op in "${!rows[@]}"; do
        i=0 list=native
        for variant in ${rows[$op]/native/}; do
            i=$((i + 1))
            is_left_out "$1" $i "$variant" || list+=" $variant"
        done
        variants[$op]=$list
        i=$(wc -w <<<"$list")
        jobs=$((i > jobs ? i : jobs))
    done
}

# Whether this variant must serve on that number of ranks.
applies() { # OP VARIANT RANKS
    case ${needs[$1/${2%%:*}]} in
    *"power of two"*) (($3 & ($3 - 1))) && return 1 ;;
    *"even ranks"*) (($3 % 2)) && return 1 ;;
    *"composite ranks"*) [ "$(factor "$3" | wc -w)" -gt 2 ] || return 1 ;;
    esac
    [ "$2" != native ]
}

# Native routines of MPICH are slow when oversubscribed: fewer calls of them.
set_effort() { # RANKS JOB: options in `effort`; the last of two equal options counts
    effort=(--seed $((100 * $1 + $2)) --slice "$(($2 % slices))/$slices" --oracle 3)
    [ "$flavour" = mpich ] || return
    effort+=(--oracle $(($1 <= 2 ? 1 : $1 <= 4 ? 24 : 120)))
    [ "$1" -lt 5 ] || effort+=(--cases 30 --slice "$2/$((2 * slices))" --comms 1)
    [ "$1" -le 3 ] || [ "$2" -gt 0 ] || effort+=(--cases 6 --slice "$1/64")
}

# Operations whose forced algorithm passes some calls to the native routine.
perhaps_native() { # CHOICES
    local choice out=
    for choice in $1; do
        local name=${choice%%=*}/${choice#*=}
        name=${name%%:*}
        # A parameter may make a row reject calls: another rank order, or a part that needs
        # commutative operators.
        [[ -n ${needs[$name]} && ${needs[$name]} != "sizes first" ]] || [[ $name == */native ]] ||
            [[ $choice == *:* ]] && out+=,${choice%%=*}
    done
    echo "${out#,}"
}

# With one rank all cases may be skipped because of library bugs.  A parameter, or clusters that are not
# consecutive ranks, may make a row reject calls; then it prints so, once, perhaps on fewer ranks.
must_serve() { # OP VARIANT RANKS NATIVE OUTPUT
    applies "$1" "$2" "$3" && { [ "$3" -gt 1 ] || [[ ,$4, != *,$1,* ]]; } &&
        ! { [[ $2 == *:* || $2 == levels ]] && grep -q "$1/${2%%:*} cannot serve $1 on [1-$3] ranks: " "$5"; }
}

# The result of the program for each operation, and the calls that each algorithm served, by name.
declare -A verdicts served_calls
read_job() { # RANKS OUTPUT REPORT
    local line name n
    verdicts=() served_calls=()
    while read -r line; do
        name=${line#*- }
        verdicts[${name%% (*}]=$line
    done < <(grep -E '^(not )?ok [0-9]+ - [a-z_]+ \(' "$2")
    while read -r name n; do
        served_calls[$name]=$n
    done < <(served_all "$3" "$1")
}

judge_job() { # RANKS CHOICES NATIVE OUTPUT REPORT CODE
    local choice op name variant line text good
    read_job "$1" "$4" "$5"
    for choice in $2; do
        op=${choice%%=*} variant=${choice#*=} text=
        name=${variant%%:*}
        line=${verdicts[$op]:-}
        if [ -z "$line" ]; then
            text="exit code $6: $(grep -v '^ok' "$4" | tail -n 25)"
        elif [[ $line == not* ]]; then
            text="$line
$(grep "^# rank [0-9]*, $op:" "$4" | head -n 5)"
        elif [ "${served_calls[$op/$name]:-0}" -eq 0 ] && must_serve "$op" "$variant" "$1" "$3" "$4"; then
            text="the report lists no call of $op on $1 ranks that $name served"
        fi
        [ -z "$text" ] && good=yes || good=no
        tap_point "$flavour $1 ranks: $op/$variant" $good "$text"
        [ -n "$line" ] || return # one message for a job that died
    done
}

run_job() { # RANKS JOB
    local op variant list native choices= ops=
    for op in "${!rows[@]}"; do
        read -r -a list <<<"${variants[$op]}"
        variant=${list[$2]:-}
        [ -n "$variant" ] || continue
        choices+=" $op=$variant"
        ops+=,$op
    done
    local report=$work/report.csv output=$work/output
    rm -f "$report"
    with=(--report="$report" --algorithm "$(tr ' ' , <<<"${choices# }")"
        --topology "$work/topology.conf")
    native=$(perhaps_native "$choices")
    local effort
    set_effort "$@"
    TEST_HOSTS=4 attuned "$flavour" "$1" "$(program "$flavour" matrix)" "${effort[@]}" \
        --ops "${ops#,}" --native "$native" >"$output" 2>&1
    local code=$?
    touch "$report"
    judge_job "$1" "$choices" "$native" "$output" "$report" "$code"
}

# ---- all jobs ----

[ -e "$build/lib/libattune-$flavour.so" ] || { skip "$flavour" "not built"; finish; }
read_catalogue
printf '%s\n' 'SwitchName=left Nodes=h[0-1]' 'SwitchName=right Nodes=h[2-3]' \
    'SwitchName=core Switches=left,right' >"$work/topology.conf"
for n in "${rank_counts[@]}"; do
    # The same program natively: the expected results are those of the library.
    if [ "$flavour" = openmpi ] || [ "$n" -le 3 ]; then
        natively "$flavour" "$n" "$(program "$flavour" matrix)" --oracle 0 --native all \
            --slice $((n % slices))/$slices --seed "$n" >"$work/output" 2>&1 && good=yes || good=no
        tap_point "$flavour $n ranks: all operations natively" "$good" "$(grep -v '^ok' "$work/output")"
    fi
    set_variants "$n"
    for ((job = 0; job < jobs; job++)); do
        run_job "$n" "$job"
    done
done
finish
