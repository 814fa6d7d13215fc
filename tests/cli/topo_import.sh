#!/usr/bin/env bash
# Topologies in the formats of other tools: golden results, the same network from several tools, errors with
# file and line, and jobs, which read the format of Attune.
. "$(dirname "$0")/lib.sh"
cp "$here"/data/topo/* .

# ---- golden results ----
for file in fabric.ibnet topology.yaml block.yaml lldp.json netloc.txt netloc.xml clusters.xml torus.xml \
    hosts.csv nodes.k8s; do
    golden "topo_import_$file.out" 0 attune topo convert "$file"
done
cat fabric.ibnet fabric.lfts >routed.ibnet
golden topo_import_routed.out 0 attune topo convert routed.ibnet
golden topo_import_routed_show.out 0 attune topo show routed.ibnet --ranks 'n[0-3]'
holds 'note: 2 topologies, of which cpu is used' attune topo check topology.yaml

# ---- one network, several tools ----
same() { diff <(attune topo convert "$1") <(attune topo convert "$2"); } # FILE FILE
check "iblinkinfo finds the network of ibnetdiscover" same fabric.ibnet fabric.iblink
check "iblinkinfo -l, too" same fabric.ibnet fabric.iblines
cat fabric.iblink fabric.lfts >routed.iblink
check "forwarding tables behind iblinkinfo" same routed.ibnet routed.iblink
sed "s/^Unicast lids.*guid 0x\([0-9a-f]*\) (\(.*\)):/Unicast lids [0-13] of switch Lid 0 guid 0x\1 ('\2'):/; s/ : (\(.*\))/ # \1/; /^ /d" \
    fabric.lfts >opensm-lfts.dump
cat fabric.ibnet opensm-lfts.dump >routed.opensm
check "opensm-lfts.dump has the routes of dump_lfts" same routed.ibnet routed.opensm
sed 's/$/\r/' fabric.ibnet >dos.ibnet
check "CRLF line ends" same fabric.ibnet dos.ibnet
reads_back() {
    attune topo convert "$1" -o one.conf && attune topo convert one.conf -o two.conf && cmp one.conf two.conf
}
check "forwarding tables are written and read back" reads_back routed.ibnet
fingerprint() { attune topo show "$1" --ranks "$2" | sed -n '1s/.*fingerprint //p'; } # FILE RANKS
differ() { [ "$(fingerprint fabric.ibnet 'n[0-3]')" != "$(fingerprint routed.ibnet 'n[0-3]')" ]; }
check "networks that differ in their routes only have different fingerprints" differ

# ---- platforms that Attune writes ----
survives() { # WHAT RANKS
    attune topo convert "$1" --to simgrid -o platform.xml &&
        [ "$(fingerprint "$1" "$2")" = "$(fingerprint platform.xml "$2")" ]
}
check "a tree" survives 4x4@100M+5us 'n[0-15]'
check "a chain" survives chain:3x2@1G 'n[0-5]'
check "several ranks on a host" survives '2x2@100M;ranks=2' 'n[0-3]*2'
check "a fat tree with routes" survives 'fattree:4x8@1G+1us;oversubscribe=2;routes=dmodk' 'n[0-31]'
check "a fat tree with two rails" survives \
    'fattree:4x8@1G+1us;oversubscribe=2;rails=2;routes=dmodk' 'n[0-31]'
same_loads() { # WHAT RANKS: the same bottlenecks, although routers have other numbers
    attune topo convert "$1" --to simgrid -o platform.xml
    attune topo show "$1" --ranks "$2" | grep -o 'an alltoall sends.*' >one
    attune topo show platform.xml --ranks "$2" | grep -o 'an alltoall sends.*' >two
    [ -s one ] && cmp one two
}
check "the routes of a mesh" same_loads 'mesh:4x4@1G;inject=10G' 'n[0-15]'
check "the routes of a torus" same_loads 'torus:4x3@1G;inject=10G' 'n[0-11]'
attune topo convert 'dragonfly:2x1x2@1G;global=2' --to simgrid -o global.xml
fails 3 '*global.xml:*link 1 of this route is not known to connect two nodes*' attune topo show global.xml

# ---- errors ----
wrong() { # GLOB NAME TEXT
    printf '%b' "$3" >"$2"
    fails 3 "attune: $1" attune topo show "$2"
}
tree='- topology: a\n  tree:\n    switches:\n'
wrong 'a.yaml:4: no switch: in this entry; name the switch' a.yaml "$tree      - nodes: n0\n"
wrong "b.yaml:5: nodes: list of names 'n\[3-1]' counts down*" b.yaml "$tree      - switch: s\n        nodes: n[3-1]\n"
wrong 'c.yaml:2: neither YAML nor JSON: *' c.yaml '- topology: a\n  tree: [}\n'
wrong 'd.yaml:1: topology a is neither tree: nor block:*hosts:n\[0-7]' d.yaml '- topology: a\n  flat: true\n'
wrong 'e.yaml:6: host n0 is below two switches, s (line 5) and t; *' e.yaml \
    "$tree      - switch: s\n        nodes: n0\n      - {switch: t, nodes: n0}\n"
wrong 'f.yaml:2: tree: without a list switches:; add it' f.yaml '- topology: a\n  tree: {}\n'
wrong 'g.yaml:3: an alias (\*NAME); write the value itself' g.yaml '- topology: a\n  tree: &x\n    switches: *x\n'
wrong 'a.json:1: the host of these neighbours is not named; *' a.json '{"lldp": {"interface": {"e": {"chassis": {}}}}}'
wrong 'b.json:2: neither YAML nor JSON*' b.json '{"lldp": {"interface":\n{"e": {"chassis": ]}}}'
wrong 'a.ib:2: no line of ibnetdiscover, iblinkinfo or a forwarding table: *hello*; remove it' a.ib \
    'Switch\t36 "S-1"\t# "s" base port 0 lid 3 lmc 0\nhello\n'
wrong 'b.ib:1: forwarding tables without links; append them to the output of ibnetdiscover' b.ib \
    'Unicast lids [0-3] of switch Lid 3 guid 0x1 (s):\n'
sed 's/^0x000c 033/0x000c 035/' routed.ibnet >c.ib
fails 3 'attune: c.ib:*: port 35 of leaf1 leads to no node in this file; *' attune topo show c.ib
sed '/^Unicast.*spine2/,$s/^0x000c 003/0x000c 001/' routed.ibnet >d.ib
fails 3 'attune: d.ib:*: messages from leaf1 to n2 go in a circle; the tables are not from one moment*' \
    attune topo show d.ib
sed '1,/^Unicast/s/0x98039b03009f7d40 (MF0/0x77 (MF0/' routed.ibnet >e.ib
fails 3 'attune: e.ib:*: the switch of this table is not in this file; *' attune topo show e.ib
wrong 'a.csv:3: 2 columns, but the first line names 3*' a.csv 'site,rack,host\na,r1,n0\na,n1\n'
wrong 'b.csv:3: host n0 is on line 2 already; name it once' b.csv 'rack,host\nr1,n0\nr2,n0\n'
wrong "c.csv:2: 'rack 1' is no name for rack; *" c.csv 'rack,host\nrack 1,n0\n'
wrong 'd.csv:2: rate=fast is no rate; *' d.csv 'rack,host,rate\nr1,n0,fast\n'
wrong 'a.k8s:2: node w0 has no label of a place, such as *' a.k8s 'NAME STATUS LABELS\nw0 Ready a=b\n'
wrong 'a.netloc:5: a field of a node is missing; *' a.netloc '1\nfe80\n\n1\n0002:c9,0\n0002:c9\n'
wrong 'c.netloc:6: a field of a link is missing; *' c.netloc '1\nfe80\n\n1\n0002:c9,0,0,0,n0,n0\n0002:c9,0002:c8,25,0,-1\n'
wrong 'd.netloc:4: a line is missing; *' d.netloc '1\nfe80\n\n9223372036854775807\n'
wrong 'b.netloc:4: a line is missing; *' b.netloc '1\nfe80\n\n3\n'
wrong 'a.xml:2: not XML: mismatched tag; correct it' a.xml '<platform>\n</zone>\n'
wrong 'b.xml:1: bandwidth="fast" is no rate; write 125MBps or 1Gbps' b.xml \
    '<platform><link id="a" bandwidth="fast" latency="1us"/></platform>'
wrong 'c.xml:1: <peer> has no counterpart in a topology; *' c.xml '<platform><peer id="a"/></platform>'
wrong 'd.xml:1: an entity (a); write its text instead' d.xml '<!DOCTYPE platform [<!ENTITY a "b">]><platform/>'
wrong 'e.xml:1: topo_parameters="4" describes no FAT_TREE; *' e.xml \
    '<platform><cluster id="a" topology="FAT_TREE" topo_parameters="4" prefix="n" radical="0-3" bw="1Gbps" lat="1us"/></platform>'
wrong 'f.xml:1: b is no host and no router of this file; add it' f.xml \
    '<platform><zone><host id="a"/><link id="l" bandwidth="1Gbps" latency="0"/><route src="a" dst="b"><link_ctn id="l"/></route></zone></platform>'

# ---- jobs ----
launcher 'cat "$ATTUNE_TOPOLOGY"'
passes_own_format() { # FILE
    XDG_CACHE_HOME=$work/cache attune run --mpi openmpi --topology "$1" -- ./launch -n 2 true >out 2>&1 || true
    diff out <(attune topo convert "$1")
}
if ls "${attune%/bin/attune}/lib/"libattune-openmpi.so >/dev/null 2>&1; then
    check "a job reads the format of Attune" passes_own_format hosts.csv
    check "its file is in the cache, under the name of its content" test "$(ls cache/attune | wc -l)" = 1
    check "a second job uses the same file" passes_own_format hosts.csv
    check "and no other" test "$(ls cache/attune | wc -l)" = 1
    fails 4 '*HOME is not set*attune topo convert*' env -u HOME -u XDG_CACHE_HOME "$attune" run --mpi openmpi \
        --topology hosts.csv -- ./launch -n 2 true
fi

# ---- names ----
# Blanks and quotes in a name would make a file that cannot be read again.
named() { # FILE WHERE NAME: standard input is a file in which a name stands
    cat >"$1"
    fails 3 "attune: $1:$2: * '$3': names have letters, digits, - _ . : / and no blanks; rename it" attune topo convert "$1"
}
named a.conf 1 'big rack' <<<'SwitchName="big rack" Nodes=n[0-1]'
named b.conf 1 'a"b' <<<'SwitchName=a"b Nodes=n[0-1]'
named c.conf 1 'my host' <<<'#attune host="my host"'
named d.yaml 4 'big rack' <<'Y'
- topology: one
  tree:
    switches:
      - switch: "big rack"
        nodes: n[0-1]
Y
printf "host o'brien\nswitch s\nlink o'brien s\n" >f.graph
fails 3 "attune: f.graph:1: list of names 'o'brien' has a letter that no name may have; *" attune topo convert f.graph
printf 'site,host\nmain "hall",n0\n' >g.csv
fails 3 "attune: g.csv:2: 'main \"hall' is no name for site; *" attune topo convert g.csv
printf 'n0\nn"1\n' >h.hosts
fails 3 "attune: h.hosts:2: list of names 'n\"1' has a letter that no name may have; *" attune topo convert h.hosts
spelled() { # FILE NAME
    attune topo convert "$1" -o named.conf && grep -q "=$2 " named.conf && reads_back "$1" || { cat named.conf; return 1; }
}
sed 's/leaf1/leaf 1+/g' lldp.json >i.json
check "names of LLDP become words" spelled i.json leaf_1_
cat >j.xml <<'X'
<?xml version="1.0"?>
<platform version="4.1"><zone id="z" routing="Full">
<host id="my &quot;host" speed="1Gf"/><router id="r"/>
<link id="l" bandwidth="1GBps" latency="1us"/>
<route src="my &quot;host" dst="r"><link_ctn id="l"/></route>
</zone></platform>
X
check "names of SimGrid become words" spelled j.xml my__host

# ---- random damage ----
if command -v python3 >/dev/null; then
    damaged() {
        python3 - "$attune" routed.ibnet fabric.iblink topology.yaml lldp.json netloc.txt netloc.xml clusters.xml \
            torus.xml hosts.csv nodes.k8s <<'P'
import random, subprocess, sys
random.seed(11)
texts = [open(name).read() for name in sys.argv[2:]]
parts = ["", "\n", "\t", '"', "[", "]", "{", "}", ",", ":", "0", "9999999", "-1", "lid ", "<", "/>", "#", "\xff", "- ", "&"]
for i in range(150):
    text = list(texts[i % len(texts)])
    for _ in range(random.randint(1, 12)):
        at = random.randrange(len(text))
        text[at] = random.choice(parts)
    open("damaged", "w", encoding="latin-1").write("".join(text)[:random.choice([10**6, len(text) // 2])])
    def run(*words):
        return subprocess.run([sys.argv[1], "topo", *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                              timeout=20).returncode
    code = run("check", "damaged")
    assert code in (0, 1), (i, code)
    if code == 0: # what is read can be written, and read again
        assert run("convert", "damaged", "-o", "one.conf") == 0, i
        assert run("convert", "one.conf", "-o", "two.conf") == 0, (i, open("one.conf").read())
        assert open("one.conf").read() == open("two.conf").read(), i
P
    }
    check "damaged files give a result that can be read again, or an error" damaged
fi
finish
