#!/usr/bin/env bash
# attune topo: input and output formats, the tree as text and drawing, and error messages.
. "$(dirname "$0")/lib.sh"
ready=$root/share/topologies

# ---- show ----
golden topo_show.out 0 attune topo show 4x4@100M
golden topo_show_roundrobin.out 0 attune topo show '4x4@100M;order=roundrobin'
golden topo_show_chain.out 0 attune topo show 'chain:2@100M+10ms x4@100M'
golden topo_show_all.out 0 attune topo show 2x2@1G --all
golden topo_show.csv 0 attune topo show '2@1G x2@100M;ranks=2' --format csv
golden topo_show.json 0 attune topo show 2x1@100M --format json
golden topo_show_bare.out 0 attune topo show hosts:n[0-2],m
holds 'no ranks placed' attune topo show <(printf 'SwitchName=s Nodes=n[0-1]\n')

golden topo_show_torus.out 0 attune topo show 'torus:2x3@1G+1us'
golden topo_show_dragonfly.out 0 attune topo show 'dragonfly:3@4G x2@2G x2@1G;order=roundrobin'
golden topo_show_fattree.out 0 attune topo show 'fattree:2x2x4@1G;oversubscribe=2;routes=dmodk'
golden topo_show_torus.csv 0 attune topo show torus:3@1G --format csv
golden topo_show_torus.json 0 attune topo show torus:3@1G --format json

# ---- convert ----
golden topo_slurm.out 0 attune topo convert '2@1G+10ms x2x2@95.5M;ranks=2'
golden topo_simgrid.out 0 attune topo convert 2x2@100M+50us --to simgrid
golden topo_simgrid_torus.out 0 attune topo convert torus:3@100M+50us --to simgrid
golden topo_simgrid_hosts.out 0 attune topo convert 'dragonfly:2x1x2@1G;global=2' --to simgrid
golden topo_simgrid_fattree.out 0 attune topo convert \
    'fattree:4x8@1G+1us;oversubscribe=2;routes=dmodk' --to simgrid
holds 'topology="FAT_TREE" topo_parameters="2;8,4;2,4;1,1"' attune topo convert \
    'fattree:4x8@1G+1us;oversubscribe=2;rails=2;routes=dmodk' --to simgrid
golden topo_slurm_torus.out 0 attune topo convert 'torus:2x2@1G;hosts=tux[1-4];ranks=2'
golden topo_hostfile.out 0 attune topo convert '2x2;ranks=2;order=roundrobin' --to hostfile
prints() { # WANTED COMMAND ...
    local wanted=$1 output
    shift
    output=$("$@" 2>&1)
    if [ "$output" = "$wanted" ]; then
        tap_point "$*" yes
    else
        tap_point "$*" no "wanted: $wanted
output: $output"
    fi
}
prints '4x4@100M' attune topo convert "$ready/cluster-16.conf" --to synthetic
prints 'chain:2@100M+10ms x8@100M' attune topo convert "$ready/two-sites.conf" --to synthetic
prints '2x2@100M;ranks=2;order=roundrobin' \
    attune topo convert 2x2@100M --ranks 'roundrobin*2' --to synthetic
prints '2x2;order=3,0-2' attune topo convert 2x2 --ranks n3,n[0-2] --to synthetic
printf 'n1:2\nn0 slots=1  # a comment\n\n' >hosts
prints '2x1;order=1,1,0' attune topo convert 2x1 --ranks @hosts --to synthetic
prints '2;order=1,1,0' attune topo convert hosts --to synthetic
fails 3 '*golden.conf: no synthetic string *convert it to slurm' \
    attune topo convert "$ready/golden.conf" --to synthetic
fails 3 'attune: more than 4096 cores in a host; describe less' attune topo show 4 --inside 2147483648
fails 3 '*no ranks are placed*--ranks' \
    attune topo convert <(printf 'SwitchName=s Nodes=a\n') --to hostfile
fails 2 "*must be one of slurm, synthetic, simgrid, hostfile, json*" attune topo convert 4 --to dot

# ---- fat trees ----
prints '4@32G x8@4G x16@1G' attune topo convert 'fattree:4x8x16@1G;oversubscribe=4' --to synthetic
prints '4@16G x8@4G x16@1G' attune topo convert 'fattree:4x8x16@1G;oversubscribe=2,4' \
    --to synthetic
prints '4@1.6T x8@200G x16@25G' attune topo convert 'fattree:4@100G x8@50G x16@25G;up=4,4' \
    --to synthetic
prints '3@9G+1us x3@3G+1us x3@1G+1us' attune topo convert kary:3,3@1G+1us --to synthetic
prints '4@16G x4@4G;order=roundrobin' \
    attune topo convert 'fattree:4x4@2G;rails=2;order=roundrobin' --to synthetic
prints '2x4@4G' attune topo convert '2x4@2G;rails=2' --to synthetic
holds 'level 1 is slower than the link of a host' attune topo check 'fattree:2@1G x4@10G;up=8'

# ---- networks with routes ----
prints 'torus:2x2@1G;hosts=tux[1-4];ranks=2' attune topo convert \
    <(attune topo convert 'torus:2x2@1G;hosts=tux[1-4];ranks=2') --to synthetic
prints 'torus:3x3@1G;order=8,0-3' attune topo convert torus:3x3@1G --ranks n8,n[0-3] --to synthetic
prints 'torus:4x4: a network of 16 hosts with 16 ranks' attune topo check torus:4x4
holds '8 bottlenecks, the first from s1.0 to s2.0: an alltoall sends 16 messages one way' \
    attune topo show 'mesh:4x4@1G;inject=10G'
fails 3 '*SimGrid needs all routes written out*simulate a smaller network' \
    attune topo convert torus:32x32@1G --to simgrid
fails 3 '*or a fat tree of equal links*' \
    attune topo convert 'fattree:32@2G x32@1G;routes=dmodk' --to simgrid
fails 3 '*torus:2x2: a lab has the switches of a tree, this network has other routes*' \
    attune lab up torus:2x2
check "ten thousand routers in a short time" timeout 20 "$attune" topo check torus:25x20x20@1G

# Written files are read back unchanged.
reads_back() { # FILE
    attune topo convert "$1" -o one.conf && attune topo convert one.conf -o two.conf &&
        cmp one.conf two.conf
}
for file in "$ready"/*.conf; do
    check "$(basename "$file") reads back" reads_back "$file"
    check "$(basename "$file") is as written" \
        diff <(sed '/^# /d' "$file") <(attune topo convert "$file")
done
for what in 16 4x4@100M 'chain:3x2@+1us' 'hosts:a[01-12],b*2' '2x3x2@1G;order=roundrobin' \
    'torus:3x4@1G+1us;per=2' 'dragonfly:4x3x2@1G;global=2' 'kary:3,2@1G;routes=dmodk'; do
    check "$what reads back" reads_back "$what"
done

# ---- supplied topologies ----
listed() {
    local file
    for file in "$ready"/*.conf; do attune topo check "$file" >out || { cat out; return 1; }; done
    [ "$(ls "$ready"/*.conf | wc -l)" = 18 ]
}
check "all supplied topologies are valid" listed
whole() { # NAME HOSTS
    attune topo check "$ready/$1.topo" | grep -q " of $2 hosts with $2 ranks\$"
}
for pair in leaf-spine-2to1:1024 leaf-spine-4to1:1024 fat-tree-3:1024 fat-tree-3-tapered:1024 \
    fat-tree-3-dmodk:1024 dual-rail:512 dual-rail-dmodk:512 dragonfly-9:288 torus-8x8x8:512 \
    mesh-16x16:256; do
    check "${pair%:*} has ${pair#*:} hosts" whole "${pair%:*}" "${pair#*:}"
done
described() {
    local file
    for file in "$ready"/*; do
        grep -q "${file##*/}" "$ready/README.md" || [[ $file = *.conf || $file = *.md ]] ||
            { echo "$file is not in README.md"; return 1; }
    done
}
check "supplied strings are described" described
ranks() { attune topo show "$ready/$1.conf" --format json | grep -m1 '"ranks": [0-9]' | tr -dc 0-9; }
for pair in aapc-1:24 aapc-2:24 aapc-3:32 aapc-4:32 allgather-1:16 allgather-2:16 allgather-3:16 \
    allgather-4:16 allgather-5:32 allgather-6:32 tuning-a:16 tuning-b:32 tuning-c:32 golden:6 \
    two-sites:16 cluster-16:16 cluster-16-roundrobin:16; do
    check "${pair%:*} has ${pair#*:} ranks" test "$(ranks "${pair%:*}")" = "${pair#*:}"
done

# ---- topology.conf as administrators write it ----
cat >slurm.conf <<'T'
# Cluster of two racks
switchname=leaf1   NODES=tux[01-04] linkspeed=1000
SwitchName=leaf2 \
    Nodes="tux[05-07],tux08" LinkSpeed=1G
SwitchName = spine Switches=leaf[1-2] LinkSpeed=10000  # uplinks
T
prints '2@10G x4@1G;hosts=tux[01-08]' attune topo convert slurm.conf --to synthetic
sed 's/$/\r/' slurm.conf >dos.conf
check "CRLF line ends" diff <(attune topo convert slurm.conf) \
    <(attune topo convert dos.conf)
tac slurm.conf | sed 's/\\$//;/Nodes="/s/^/SwitchName=leaf2 /;/^SwitchName=leaf2 *$/d' >turned.conf
check "lines in any order" diff <(attune topo convert slurm.conf) \
    <(attune topo convert turned.conf)

# ---- graphs ----
cat >ring.graph <<'T'
switch s[0-3]
host n[0-7]
link s0 s1 rate=1G delay=5us
link s1 s2 rate=1G
link s2 s3 rate=1G
link s3 s0 rate=1G
link s0 n[0-1] rate=100M
link s1 n[2-3] rate=100M
link s2 n[4-5] rate=100M
link s3 n[6-7] rate=100M
ranks n[0-7]
T
golden topo_graph.out 0 attune topo convert ring.graph
golden topo_graph_check.out 0 attune topo check ring.graph
(cat ring.graph && echo 'tree dfs root=s2') >dfs.graph
holds 'SwitchName=s2 Switches=s1' attune topo convert dfs.graph
(cat ring.graph && echo 'tree random seed=3') >random.graph
check "a random tree is deterministic" diff <(attune topo convert random.graph) \
    <(attune topo convert random.graph)

(cat ring.graph && echo 'routes shortest') >routed.graph
golden topo_graph_routes.out 0 attune topo convert routed.graph
golden topo_graph_routes_show.out 0 attune topo show routed.graph
check "a graph with routes reads back" reads_back routed.graph
check "its platform has its routes" grep -q 'zone-s0.*zone-s2.*route-' \
    <(attune topo convert routed.graph --to simgrid)
fails 3 '*no synthetic string describes this*' attune topo convert routed.graph --to synthetic

# ---- inside hosts ----
if attune topo show 'hwloc:core:1 pu:1' >/dev/null 2>&1; then
    golden topo_inside.out 0 attune topo show '2x2@100M;ranks=4' \
        --inside 'package:2 l3:2 core:2 pu:2'
    golden topo_hwloc.out 0 attune topo convert 'hwloc:package:2 l3:1 core:2 pu:1'
    holds 'on 1 host' attune topo show hwloc:this
    fails 3 '*hwloc cannot read this description*' attune topo show hwloc:nonsense
    if command -v lstopo-no-graphics >/dev/null; then
        lstopo-no-graphics --of xml -i 'package:2 core:2 pu:1' machine.xml 2>/dev/null
        holds 'host/package-[0-1]' attune topo show machine.xml
        holds 'n1/package-1' attune topo show 2@1G --inside machine.xml
    fi
    printf '<?xml version="1.0"?>\n<topology>broken\n' >broken.xml
    fails 3 '*broken.xml: hwloc cannot read this XML*' attune topo show broken.xml
else
    fails 3 '*built without*' attune topo show hwloc:this
fi

# ---- draw ----
attune topo draw 'chain:4x8@100M;order=roundrobin' -o chain.svg
check "a drawing is SVG" grep -q '^<svg ' chain.svg
check "a drawing names every host" test "$(grep -c '>n[0-9]*<' chain.svg)" = 32
check "a drawing has every rank" test "$(grep -c 'class="number"' chain.svg)" = 32
check "a drawing shows the bottleneck and explains it" test "$(grep -c 'class="hot"' chain.svg)" = 2
if command -v xmllint >/dev/null; then
    check "a drawing is well-formed" xmllint --noout chain.svg
    check "a platform is well-formed" xmllint --nowarning --noout --noent \
        <(attune topo convert 4x4 --to simgrid | sed '/DOCTYPE/d')
elif command -v python3 >/dev/null; then
    well_formed() { python3 -c 'import sys, xml.dom.minidom as x; x.parse(sys.argv[1])' "$1"; }
    check "a drawing is well-formed" well_formed chain.svg
    attune topo convert 4x4 --to simgrid -o platform.xml
    check "a platform is well-formed" well_formed platform.xml
fi
attune topo draw torus:2x3@1G -o torus.svg
check "a drawing of a network explains its lines" \
    grep -q 'torus, dimension by dimension.*lines are all links of a branch together' torus.svg
fails 3 '*cannot be drawn legibly; at most 2048' attune topo draw 64x64
check "a thousand ranks in a short time" timeout 20 "$attune" topo show 8x8x16@1G

# ---- invalid strings ----
wrong() { fails 3 "attune: $1" attune topo show "$2"; } # GLOB WHAT
wrong "4x4@100Q: unknown rate '100Q'; write bits per second as 100M*" 4x4@100Q
wrong "4x4@100M+5: unknown delay '5'; write a time as*" 4x4@100M+5
wrong "4y4: not a number of switches or hosts: '4y4'; write levels as in 4x8@100M" 4y4
wrong "4x: not a number of switches or hosts: ''*" 4x
wrong "0x4: not a number of switches or hosts: '0'*" 0x4
wrong "4@: nothing after '@'*" 4@
wrong "1x1x1x1x1x1x1x1x1: too many levels*" 1x1x1x1x1x1x1x1x1
wrong "99999x99999: more than 65536 hosts*" 99999x99999
wrong "4x4;speed=1: unknown option 'speed'; there are order=, ranks=, hosts= and rails=" '4x4;speed=1'
wrong "4x4;order=random: unknown order 'random'; write sequential, roundrobin or*" \
    '4x4;order=random'
wrong "2x2;order=0-4: order= names host 4, the last one is 3; count from 0" '2x2;order=0-4'
wrong "2x2;ranks=2;order=0,1: ranks= together with the list '0,1'*" '2x2;ranks=2;order=0,1'
wrong "2x2;ranks=x: not a number of ranks: 'x'*" '2x2;ranks=x'
wrong "2x2;hosts=a,b: hosts= names 2 hosts, the levels have 4; name them all" '2x2;hosts=a,b'
wrong "2;hosts=a,a: host a is named twice*" '2;hosts=a,a'
wrong "chain:4@100M: a chain without hosts*" chain:4@100M
wrong "fattree:8: a fat tree without hosts: '8'; write switches and hosts, as in fattree:4x8*" \
    fattree:8
wrong "fattree:4x8;oversubscribe=2: oversubscribe= without a rate of hosts; write one*" \
    'fattree:4x8;oversubscribe=2'
wrong "fattree:*: both up= and oversubscribe=; one follows from the other*" \
    'fattree:4x8@1G;up=2;oversubscribe=2'
wrong "fattree:*: not a number: '0'; write a ratio for each of the last levels of switches*" \
    'fattree:4x8@1G;oversubscribe=0'
wrong "fattree:*: more numbers than levels at '3'; write the links up of each switch*" \
    'fattree:4x8@1G;up=2,3'
wrong "fattree:*: unknown option 'speed'; there are order=, * and routes=" \
    'fattree:4x8;speed=2'
wrong "4x8;up=2: unknown option 'up'; there are order=, ranks=, hosts= and rails=" '4x8;up=2'
wrong "kary:4: not a k-ary n-tree: '4'; write kary:K,N*as in kary:4,3@10G" kary:4
wrong "kary:4,9: not a k-ary n-tree: '4'*" kary:4,9
wrong "kary:4,2@5Q: unknown rate '5Q'*" kary:4,2@5Q
wrong "kary:64,4@1G: more than 65536 hosts*" kary:64,4@1G
wrong "2x2@1G;rails=no: not a number of rails: 'no'*" '2x2@1G;rails=no'
wrong "4x4@9000000000G;rails=9999999: rates beyond all numbers*" '4x4@9000000000G;rails=9999999'
wrong "torus:*: more than seven dimensions; write fewer" torus:2x2x2x2x2x2x2x2
wrong "torus:4x4;per=0: not a number of hosts: '0'; write the hosts of each router*" 'torus:4x4;per=0'
wrong "torus:4;inject=x: unknown rate 'x'*" 'torus:4;inject=x'
wrong "torus:4;global=2: unknown option 'global'; there are order=, * per= and inject=" \
    'torus:4;global=2'
wrong "torus:300x300: more than 65536 hosts*" torus:300x300
wrong "torus:300x300x9;per=9999: more than 65536 hosts*" 'torus:300x300x9;per=9999'
wrong "dragonfly:9x4: a dragonfly has three levels; write groups, routers*" dragonfly:9x4
wrong "dragonfly:2x2x2;global=no: not a number of links: 'no'*" 'dragonfly:2x2x2;global=no'
wrong "dragonfly:9000x2x2;global=1: more than 4194304 links; describe less" \
    'dragonfly:9000x2x2;global=1'
wrong "fattree:*: unknown routes 'odd'; write even (messages*) or dmodk*" 'fattree:2x2@1G;routes=odd'
wrong "fattree:*: routes=dmodk without a rate of hosts; write one*" 'fattree:2x2;routes=dmodk'
wrong "fattree:*: routes=dmodk: the links up of a switch of level 1 are no whole number*" \
    'fattree:2x4@1G;oversubscribe=3;routes=dmodk'
printf '# two\nfattree:2x2@1G\n\nkary:2,2\n' >two.topo
wrong "two.topo:4: a second string, the first is on line 2; a file has one*" two.topo
printf '# one\n\nfattree:2x2@1G ;up=x\n' >one.topo
wrong "one.topo:3: not a number: 'x'*" one.topo
wrong "hosts:: list of names is empty; name at least one" hosts:
wrong "hosts:n\[3-1]: list of names 'n\[3-1]' counts down*" 'hosts:n[3-1]'
wrong "nowhere.conf: cannot be read: No such file or directory" nowhere.conf

# ---- invalid files: every line is reported ----
bad() { # NAME LINE... ; compares all findings with golden/topo_bad_NAME.out
    local name=$1
    shift
    printf '%s\n' "$@" >"$name.conf"
    capture attune topo check "$name.conf"
    cat "$work/.err" >>"$work/.out"
    local file=$here/golden/topo_bad_$name.out
    [ -z "${UPDATE:-}" ] || cp "$work/.out" "$file"
    if [ "$code" = 1 ] && cmp -s "$work/.out" "$file"; then
        tap_point "check: $name" yes
    else
        tap_point "check: $name" no "exit code $code
$(diff -u "$file" "$work/.out" 2>&1)"
    fi
    fails 3 "attune: $name.conf:*" attune topo show "$name.conf"
}
bad cycle 'SwitchName=a Switches=b' 'SwitchName=b Switches=c' 'SwitchName=c Switches=a'
bad self 'SwitchName=a Switches=a'
bad two_roots 'SwitchName=a Nodes=n0' 'SwitchName=b Nodes=n1'
bad two_switches 'SwitchName=top Switches=a,b' 'SwitchName=a Nodes=n[0-1]' \
    'SwitchName=b Nodes=n[1-2]'
bad twice_on_line 'SwitchName=a Nodes=n[0-3],n2'
bad twice 'SwitchName=a Nodes=n0' 'SwitchName=a Nodes=n0'
bad switch_twice 'SwitchName=top Switches=a,b' 'SwitchName=b Switches=a' 'SwitchName=a Nodes=n0'
bad undefined 'SwitchName=top Switches=a,b' 'SwitchName=a Nodes=n0'
bad no_children 'SwitchName=top Switches=a,b' 'SwitchName=a Nodes=n0' 'SwitchName=b'
bad no_name 'Nodes=n0'
bad list_as_name 'SwitchName=s[0-1] Nodes=n0'
bad unit 'SwitchName=a Nodes=n0 LinkSpeed=100Q' 'SwitchName=a Nodes=n1 #attune rate=fast' \
    'SwitchName=a Nodes=n2 #attune delay=10' 'SwitchName=a Nodes=n3 LinkSpeed=0'
bad empty_list 'SwitchName=a Nodes=' 'SwitchName=b Nodes= LinkSpeed=100' 'SwitchName=c Nodes=""'
bad hostlist 'SwitchName=a Nodes=n[0-' 'SwitchName=b Nodes=n[3-1]' 'SwitchName=c Nodes=n[x]' \
    'SwitchName=d Nodes=a,,b' 'SwitchName=e Nodes=n0;n1'
bad key 'SwitchName=a Nodes=n0 LinkSped=100' 'SwitchName=a Node=n1' 'SwitchName=a Nodes=n2 fast' \
    'SwitchName=a Nodes=n3 Nodes=n4' 'BlockName=b Nodes=n5' 'SwitchName=a Nodes="n6'
bad own_key 'SwitchName=a Nodes=n0 #attune speed=1' '#attune rank=n0' '#attune rate=1G' \
    '#attune part=n0/a' '#attune topology 2'
bad ranks 'SwitchName=a Nodes=n[0-3]' '#attune ranks=n[0-4]' '#attune ranks=m'
bad part 'SwitchName=a Nodes=n0' '#attune part=n1/p0 of=n1'
bad routes 'SwitchName=a Nodes=n[0-3],m' '#attune routes=torus:2x2@1G' '#attune routes=torus:4@1G'
bad routes_string 'SwitchName=a Nodes=n[0-3]' '#attune routes=torus:2xx@1G'
bad routes_tree 'SwitchName=a Nodes=n[0-3]' '#attune routes=4@1G'
bad routes_host 'SwitchName=a Nodes=n[0-3],m' '#attune routes=torus:2x2@1G'
bad empty '# nothing'
bad text '= what is this'
bad graph 'switch s0 s0' 'host n0' 'link s0 n0 rate=1Q' 'link s0 n1' 'link n0' 'link s0 s0' \
    'tree tall' 'cable s0 n0' 'host' 'switch s1 rate=1G'
bad graph_pieces 'switch s[0-1]' 'host n[0-1]' 'link s0 n0' 'link s1 n1'
bad graph_twice 'switch s0' 'host n0' 'link s0 n0' 'link n0 s0'
bad graph_root 'switch s0' 'host n0' 'link s0 n0' 'tree bfs root=s1'
bad graph_ranks 'switch s0' 'host n0' 'link s0 n0' 'ranks n0 s0'
bad graph_routes 'switch s[0-1]' 'host n[0-2]' 'link s0 s1' 'link s[0-1] n0' 'link n1 n2' \
    'link s0 n[1-2]' 'routes shortest'
bad graph_routes_word 'switch s0' 'host n0' 'link s0 n0' 'routes longest' 'routes shortest now=1'
bad links 'SwitchName=a Nodes=n[0-1]' 'SwitchName=b Nodes=n2' 'SwitchName=c Switches=a,b' \
    '#attune link=a' '#attune link=a to=a' '#attune link=a to=b rate=1Q' '#attune routes=torus:4'
bad links_apart 'SwitchName=a Nodes=n0' 'SwitchName=b Nodes=n1' 'SwitchName=c Switches=a,b' \
    '#attune link=a to=x' '#attune link=b to=y'
bad links_twice 'SwitchName=a Nodes=n0' 'SwitchName=b Nodes=n1' 'SwitchName=c Switches=a,b' \
    '#attune link=a to=b' '#attune link=b to=a'
bad hostfile 'n0:x' 'n1 slots=many' 'n2 cores=4'

# ---- ranks on missing hosts ----
fails 3 'attune: 2x2: host n9 of rank 1 is not in the topology; add it (did you mean n0?)' \
    attune topo show 2x2 --ranks n0,n9
fails 3 "attune: list of names 'n\[' has a \[ without its ]*" attune topo show 2x2 --ranks 'n['
fails 3 'attune: sequential\*9999: more than 1024 ranks on a host*' \
    attune topo show 2x2 --ranks 'sequential*9999'
fails 3 'attune: nothing: cannot be read*' attune topo show 2x2 --ranks @nothing
unplaced() { attune topo check 2x2 --ranks n0,n9 >out 2>&1; [ $? = 1 ] && grep -q 'host n9' out; }
check "check finds a missing host" unplaced
prints '2x2: a tree of 4 hosts with 4 ranks' attune topo check 2x2

# ---- random damage ----
if command -v python3 >/dev/null; then
    cat "$ready"/golden.conf "$ready"/two-sites.conf ring.graph >seed
    damaged() {
        python3 - "$attune" <<'P'
import random, subprocess, sys
random.seed(7)
seed = open("seed").read()
for i in range(150):
    text = list(seed if i % 2 else open("slurm.conf").read())
    for _ in range(random.randint(1, 12)):
        at = random.randrange(len(text))
        text[at] = random.choice(["", "\n", "#attune ", "=", "[", "]", ",", "0-99", "\\", '"', "\xff"])
    open("damaged.conf", "w", encoding="latin-1").write("".join(text))
    code = subprocess.run([sys.argv[1], "topo", "check", "damaged.conf"], stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL, timeout=20).returncode
    assert code in (0, 1), (i, code)
P
    }
    check "damaged files give a result or an error" damaged
fi
finish
