#!/usr/bin/env bash
# attune model score: predictions against samples of attune bench.
. "$(dirname "$0")/lib.sh"

cat >two.machine <<'EOF'
attune-machine 1
measured ranks=2
channel memory
  hockney alpha=1 beta=0.1
channel switch
  hockney alpha=10 beta=1
end
EOF
# A broadcast on two ranks is one message: 10 us + 1 ns per byte here; samples hold the measured times.
samples() { # MICROSECONDS
    cat <<EOF
attune-samples 1
job 2 0000000000000000 Some MPI 1.0
task bcast 10000 0.000000000
variant 0 native native
variant 1 named linear
s 0 0.5
s 1 0.0000$1
done
end
EOF
}
score() { attune model score --machine two.machine --models alpha-beta --format csv "$@"; }

samples 20 >exact
samples 40 >late
holds 'all,alpha-beta,1,1.000,1.000,1.000,1.000,1.000,0.000,1.000' score exact
holds 'all,alpha-beta,1,2.000,2.000,0.500,1.000,1.000,0.500,0.000' score late
holds '1.000,0.500,1.000' score late --within 0.5
holds 'bcast,10000,linear,0.000040000,0.000020000' score --rows late
holds ',taulop' attune model score --rows --format csv exact

# The selection of the planner has samples of its own: 30 instead of 20 us.
sed -e '/variant 1/a variant 2 attune linear' -e 's/^done/s 2 0.00003\ndone/' exact >taken
holds 'all,planner,1,,,,1.500,1.500,,' score taken

fails 3 '*nothing to predict*' score --from 1M exact
fails 3 '*has 16 ranks, but the samples have 2*' score --topology 4x4@100M exact
fails 2 '*--models best: unknown model; there are: *' attune model score --models best exact
fails 3 '*missing*' score missing
sed -i '$d' exact
fails 3 'attune: exact:*' score exact
finish
