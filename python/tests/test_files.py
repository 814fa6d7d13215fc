"""Readers of files: what is in a file, and errors with file and line."""

import json
import os
import subprocess
import tempfile
import unittest

import attune

ROOT = os.path.join(os.path.dirname(__file__), "..", "..")

WISDOM = """attune-wisdom 1
# a comment
machine: 16 nodes
rule bcast ranks=* bytes=64K: use=chain{segment=8K}
rule allreduce ranks=2:64 bytes=0:4K use=recursive_doubling time=3.1us ci=100ns next=ring next_time=6.2us samples=40
at 3f09c1d2/16x1
rule bcast ranks=16 bytes=32K:64K use=chain time=1.2ms date=2026-02-03T09:15:07Z guess=race
end
"""


class Files(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, text, name="file"):
        path = os.path.join(self.folder.name, name)
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
        return path

    def refuses(self, read, text, line, words):
        path = self.path(text)
        with self.assertRaises(attune.FormatError) as caught:
            read(path)
        self.assertEqual(caught.exception.line, line)
        self.assertIn(words, str(caught.exception))


class TestWisdom(Files):
    def test_rules(self):
        w = attune.read_wisdom(self.path(WISDOM))
        self.assertEqual(w.provenance, {"machine": "16 nodes"})
        first, second, third = w.rules
        self.assertEqual(first.bytes, attune.Range(65536, None))
        self.assertEqual(first.use, "chain{segment=8K}")
        self.assertEqual((second.time_us, second.ci_us, second.samples), (3.1, 0.1, 40))
        self.assertAlmostEqual(second.gain, 2)
        self.assertEqual(third.place, attune.Place("3f09c1d2", "16x1"))
        self.assertEqual((third.ranks, third.time_us, third.guess), (attune.Range(16, 17), 1200, "race"))

    def test_find(self):
        w = attune.read_wisdom(self.path(WISDOM))
        self.assertEqual(w.find("allreduce", 8, 1024).use, "recursive_doubling")
        self.assertIsNone(w.find("allreduce", 8, 4096))
        self.assertEqual(w.find("bcast", 16, 40000, attune.Place("3f09c1d2", "16x1")).use, "chain")

    def test_errors(self):
        self.refuses(attune.read_wisdom, "something\n", 1, "attune-wisdom")
        self.refuses(attune.read_wisdom, "attune-wisdom 2\nend\n", 1, "version")
        self.refuses(attune.read_wisdom, "attune-wisdom 1\n", 0, "truncated")
        self.refuses(attune.read_wisdom, "attune-wisdom 1\nrule bcast use=x speed=1\nend\n", 2, "unknown field")
        self.refuses(attune.read_wisdom, "attune-wisdom 1\nrule bcast use=x time=3\nend\n", 2, "no duration")
        self.refuses(attune.read_wisdom, "attune-wisdom 1\nrule bcast bytes=4Q: use=x\nend\n", 2, "no size")


class TestMachine(Files):
    def test_examples(self):
        m = attune.read_machine(os.path.join(ROOT, "examples", "ethernet.machine"))
        self.assertTrue(m.channels)
        for channel in m.channels:
            transfer = channel.tables["transfer"]
            self.assertEqual(len(transfer.concurrent), len(next(iter(transfer.values.values()))))

    def test_values(self):
        m = attune.read_machine(self.path(
            "attune-machine 1\ndate: 2026-02-03\nmeasured hosts=2 ranks=4 topology=8c1f\n"
            "table gamma sum f64 1\n  1K 0.3\nchannel memory\n  overhead below=0.5~0.1 eager=4K from=1\n"
            "  table transfer 1 2\n    32K 5 7~0.5\nend\n"))
        self.assertEqual((m.topology, m.parameters["measured"]["ranks"]), ("8c1f", 4))
        self.assertEqual(m.tables["gamma sum f64"].values, {1024: [0.3]})
        memory = m.channel("memory")
        self.assertEqual(memory.parameters["overhead"], {"below": 0.5, "eager": 4096, "from": 1})
        self.assertEqual(memory.intervals["overhead"], {"below": 0.1})
        self.assertEqual(memory.tables["transfer"].values, {32768: [5, 7]})

    def test_errors(self):
        self.refuses(attune.read_machine, "attune-machine 1\nchannel a\n  4K 1\nend\n", 3, "columns")
        self.refuses(attune.read_machine, "attune-machine 1\nchannel a\n  path hops=two\nend\n", 3, "no number")


class TestTopology(Files):
    def test_tree(self):
        t = attune.read_topology(self.path(
            "#attune topology 1\nSwitchName=core Switches=s[0-1] LinkSpeed=1000 #attune delay=10ms\n"
            "SwitchName=s0 Nodes=n[0-3] LinkSpeed=100 #attune level=site\n"
            "SwitchName=s1 \\\n  Nodes=n[4-6],m[01-02]\n#attune ranks=n[0-1]*2\n"))
        self.assertEqual(t.hosts, ["n0", "n1", "n2", "n3", "n4", "n5", "n6", "m01", "m02"])
        self.assertEqual((t.nodes["s0"].rate, t.nodes["s0"].delay_ns, t.nodes["s0"].level), (10**9, 10**7, "site"))
        self.assertEqual(t.nodes["n0"].rate, 10**8)
        self.assertIsNone(t.nodes["n4"].rate)
        self.assertEqual(t.ranks, ["n0", "n0", "n1", "n1"])
        self.assertEqual([node.name for node in t.path("n5")], ["n5", "s1", "core"])
        self.assertEqual([node.name for node in t.children("core")], ["s0", "s1"])

    def test_routes(self):
        t = attune.read_topology(self.path(
            "#attune link=a to=b,c rate=10G\n#attune route=a by=b to=n[0-1]\n"
            "SwitchName=a Switches=b\nSwitchName=b Nodes=n[0-1]\n"))
        self.assertEqual([link.ends for link in t.links], [("a", "b"), ("a", "c")])
        self.assertEqual(t.forwards, [attune.Route("a", "b", ["n0", "n1"])])

    def test_supplied(self):
        folder = os.path.join(ROOT, "share", "topologies")
        for name in sorted(os.listdir(folder)):
            if name.endswith(".conf"):
                self.assertTrue(attune.read_topology(os.path.join(folder, name)).hosts, name)

    def test_errors(self):
        self.refuses(attune.read_topology, "SwitchName=a Nodes=n0\nSwitchName=b Nodes=n0\n", 2, "below a already")
        self.refuses(attune.read_topology, "SwitchName=a Nodes=n0 LinkSpeed=1Q\n", 1, "no rate")
        self.refuses(attune.read_topology, "SwitchName=a Nodes=n0\n#attune ranks=n1\n", 0, "n1")
        self.refuses(attune.read_topology, "\n", 0, "no switch")


CALIBRATIONS = """attune-calibration 1

entry n[0-3],m7
machine open-mpi-4.1.4-c0ffee12
fabric mlx5
ranks 2
date 2026-11-17T20:01:02Z
topology
| #attune topology 1
| SwitchName=top Nodes=n[0-3],m7 LinkSpeed=100
parameters
| attune-machine 1
| channel memory
|   overhead below=0.5 eager=4K from=1
|   table transfer 1
|     1K 0.1
| end
entry node*
ranks *
end
"""


class TestCalibrations(Files):
    def test_entries(self):
        first, second = attune.read_calibrations(self.path(CALIBRATIONS))
        self.assertEqual((first.hosts, first.fabric, first.ranks, first.line), ("n[0-3],m7", "mlx5", 2, 3))
        self.assertEqual(first.topology.hosts, ["n0", "n1", "n2", "n3", "m7"])
        self.assertEqual(first.topology.nodes["m7"].rate, 10**8)
        self.assertEqual(first.parameters.channel("memory").tables["transfer"].values, {1024: [0.1]})
        self.assertEqual((second.hosts, second.ranks, second.topology, second.line), ("node*", None, None, 18))

    def test_errors(self):
        read = attune.read_calibrations
        self.refuses(read, "attune-calibration 1\nranks 1\nend\n", 2, "before the first entry")
        self.refuses(read, "attune-calibration 1\nentry a\n| x\nend\n", 3, "without its heading")
        self.refuses(read, CALIBRATIONS.replace("ranks 2", "ranks two"), 6, "no whole number")
        self.refuses(read, CALIBRATIONS.replace("LinkSpeed=100", "LinkSpeed=x"), 10, "no rate")
        self.refuses(read, CALIBRATIONS.replace("1K 0.1", "1K 0.1 2"), 16, "columns")
        self.refuses(read, CALIBRATIONS[:-len("end\n")], 0, "truncated")


SCHEDULE = """attune-schedule 1
name by hand
problem reduce p=2 root=1 ordered
rank 0 split=2
round 0
0: send 1 src[0..2,4]
rank 1 in_place
tmp vec[0]
0: recv 0 tmp[0]
round 1
1: reduce tmp[0] with dst[0] into dst[0] after 0
2: read_reduce 0.3 skip vec[1] with src[0] into dst[1] after 0 1
end
"""


class TestSchedules(Files):
    def test_fields(self):
        s = attune.read_schedule(self.path(SCHEDULE))
        self.assertEqual((s.name, s.operation, s.root, s.ordered), ("by hand", "reduce", 1, True))
        first, second = s.ranks
        self.assertEqual((first.split, second.in_place), (2, True))
        self.assertEqual(first.operations[0].source, attune.Slot("src", (0, 1, 2, 4)))
        receive, add, read = second.operations
        self.assertEqual((receive.peer, receive.target), (0, attune.Slot("tmp", (0,))))
        self.assertEqual((add.source.space, add.operand.space, add.target.space), ("tmp", "dst", "dst"))
        self.assertEqual((add.after, add.round), ([0], 1))
        self.assertEqual((read.peer, read.number, read.operand, read.after), (0, 3, attune.Slot("src", (0,)), [0, 1]))
        self.assertEqual(s.messages, [(0, 1)])

    @unittest.skipUnless(os.environ.get("ATTUNE_TEST_COMMAND"), "no command")
    def test_catalogue(self):
        """Schedules as text against their JSON."""
        command = os.environ["ATTUNE_TEST_COMMAND"]
        for name in ("bcast/chain", "allreduce/rabenseifner", "alltoall/bruck", "allreduce/shared_split"):
            texts = [subprocess.run([command, "schedule", "show", name, "-p", "6", "--format", form], check=True,
                                    capture_output=True, text=True).stdout for form in ("text", "json")]
            schedule = attune.read_schedule(self.path(texts[0]))
            wanted = [(op["operation"], op.get("peer")) for rank in json.loads(texts[1])["ranks"]
                      for op in rank["operations"]]
            ours = [(op.action, op.peer) for rank in schedule.ranks for op in rank.operations]
            self.assertEqual(ours, wanted, name)

    def test_errors(self):
        read = attune.read_schedule
        self.refuses(read, SCHEDULE.replace("send 1", "send one"), 6, "no whole number")
        self.refuses(read, SCHEDULE.replace("src[0..2,4]", "sorc[0]"), 6, "no slot")
        self.refuses(read, SCHEDULE.replace("name by", "nema by"), 2, "begins no line")
        self.refuses(read, SCHEDULE.replace("end\n", ""), 0, "truncated")


class TestSamples(Files):
    def test_sample(self):
        path = os.path.join(ROOT, "tests", "cli", "data", "bench.samples")
        s = attune.read_samples(path)
        task = s.tasks[0]
        self.assertEqual((task.operation, task.bytes, task.bound_seconds), ("bcast", 16384, 0.00138))
        self.assertEqual(task.variant("named").algorithm, "chain{segment=4K,order=dfs}")
        self.assertTrue(task.complete)
        self.assertEqual(len(task.refused), 1)
        with open(path, encoding="utf-8") as f:
            wanted = sum(line.startswith("s ") for line in f)
        self.assertEqual(sum(len(v.seconds) for t in s.tasks for v in t.variants), wanted)

    def test_errors(self):
        self.refuses(attune.read_samples, "attune-samples 2\n", 1, "version")
        self.refuses(attune.read_samples, "attune-samples 1\ns 0 1\n", 2, "no valid line")
        self.refuses(attune.read_samples, "attune-samples 1\n", 0, "no samples")


@unittest.skipUnless(os.environ.get("ATTUNE_TEST_TRACE"), "no trace of a job")
class TestTrace(unittest.TestCase):
    """The trace in ATTUNE_TEST_TRACE, against the CSV of `attune trace export`."""

    def test_calls(self):
        folder = os.environ["ATTUNE_TEST_TRACE"]
        trace = attune.read_trace(folder)
        text = subprocess.run([os.environ["ATTUNE_TEST_COMMAND"], "trace", "export", "--format", "csv", folder],
                              check=True, capture_output=True, text=True).stdout
        import csv
        rows = list(csv.DictReader(text.splitlines()))
        calls = [(rank, call) for rank, call in trace.calls()]
        self.assertEqual(len(calls), len(rows))
        for rank in trace.ranks:
            mine = [row for row in rows if int(row["rank"]) == rank.rank]
            self.assertEqual([c.operation for c in rank.calls], [row["op"] for row in mine])
            self.assertEqual([c.bytes for c in rank.calls], [int(row["bytes"]) for row in mine])
            self.assertTrue(rank.complete)
            self.assertEqual(rank.damaged_blocks, 0)

    def test_damage(self):
        import shutil
        with tempfile.TemporaryDirectory() as folder:
            copy = shutil.copytree(os.environ["ATTUNE_TEST_TRACE"], os.path.join(folder, "copy"))
            path = os.path.join(copy, "rank-00000.trace")
            with open(path, "r+b") as f:
                f.seek(-30, os.SEEK_END)
                f.write(b"x")
            self.assertGreater(attune.read_trace(copy).ranks[0].damaged_blocks, 0)
            with open(path, "wb") as f:
                f.write(b"attune trace 1\n")
            with self.assertRaises(attune.FormatError):
                attune.read_trace(copy)


if __name__ == "__main__":
    unittest.main()
