"""Topologies in Attune's format, topology.conf with comments (docs/topology-format.md).

`attune topo convert WHAT -o FILE` writes this format from all others."""

import re
import shlex
from dataclasses import dataclass, field
from typing import Dict, List, Optional

from .errors import FormatError, read_rows


@dataclass
class Node:
    """A switch, a host or a part of a host, with its link up."""

    name: str
    kind: str  # "switch", "host", "part"
    parent: Optional[str] = None
    rate: Optional[int] = None  # bits per second; None: not known
    delay_ns: Optional[int] = None
    level: Optional[str] = None


@dataclass
class Link:
    """A link between switches of a network with routes."""

    ends: tuple
    rate: Optional[int] = None
    delay_ns: Optional[int] = None


@dataclass
class Route:
    """An entry of a forwarding table: messages at a switch to hosts leave to another switch."""

    at: str
    by: str
    to: List[str]


@dataclass
class Topology:
    nodes: Dict[str, Node] = field(default_factory=dict)
    ranks: List[str] = field(default_factory=list)  # the host or part of each rank
    routes: Optional[str] = None  # the string of a network such as torus:8x8
    links: List[Link] = field(default_factory=list)
    forwards: List[Route] = field(default_factory=list)

    @property
    def hosts(self):
        return [node.name for node in self.nodes.values() if node.kind == "host"]

    def children(self, name):
        return [node for node in self.nodes.values() if node.parent == name]

    def path(self, name):
        """The nodes from this one up to the root."""
        result = []
        while name is not None:
            result.append(self.nodes[name])
            name = self.nodes[name].parent
        return result


_RATES = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
_TIMES = {"ns": 1, "us": 10**3, "ms": 10**6, "s": 10**9}


def expand(text):
    """n[0-3,7],m*2 as a list of names; *2 repeats each name."""
    names = []
    for item in re.findall(r"(?:[^,\[]|\[[^\]]*\])+", text):
        body, star, count = item.partition("*")
        for name in _one(body):
            names += [name] * (int(count) if star else 1)
    return names


def _one(text):
    found = re.search(r"\[([^\]]*)\]", text)
    if not found:
        return [text]
    result = []
    for part in found[1].split(","):
        first, dash, last = part.partition("-")
        for number in range(int(first), int(last if dash else first) + 1):
            middle = str(number).zfill(len(first))
            result += [text[:found.start()] + middle + rest for rest in _one(text[found.end():])]
    return result


class _Reader:
    def __init__(self, path):
        self.file, self.line, self.topology = str(path), 0, Topology()

    def error(self, text):
        return FormatError(self.file, self.line, text)

    def rate(self, text, unit=""):
        found = re.fullmatch(r"([0-9.]+)([KMGT]?)(?:bit/s|bps)?", text or "")
        if text is None:
            return None
        if not found:
            raise self.error(f"'{text}' is no rate; write 100M or 2.5G")
        return round(float(found[1]) * _RATES[found[2] or unit])

    def delay(self, text):
        found = re.fullmatch(r"([0-9.]+)(ns|us|ms|s)", text or "")
        if text is None or text == "0":
            return None if text is None else 0
        if not found:
            raise self.error(f"'{text}' is no time; write 250ns, 50us or 10ms")
        return round(float(found[1]) * _TIMES[found[2]])

    def fields(self, text):
        text = re.sub(r"\s*=\s*", "=", text)
        return {key.lower(): value for key, _, value in (word.partition("=") for word in shlex.split(text))}

    def node(self, name, kind):
        return self.topology.nodes.setdefault(name, Node(name, kind))

    def hang(self, names, kind, parent, rate, delay, level=None):
        for name in expand(names):
            node = self.node(name, kind)
            if node.parent is not None:
                raise self.error(f"{kind} {name} is below {node.parent} already; name it once")
            node.kind, node.parent, node.rate, node.delay_ns = kind, parent, rate, delay
            node.level = level or node.level

    def switch(self, keys, own):
        name = keys.get("switchname")
        if name is None:
            raise self.error("no SwitchName= on this line; add it")
        rate = self.rate(own["rate"]) if "rate" in own else self.rate(keys.get("linkspeed"), "M")
        delay = self.delay(own.get("delay"))
        node = self.node(name, "switch")
        node.level = own.get("level", node.level)
        if "switches" in keys:
            self.hang(keys["switches"], "switch", name, rate, delay)
        if "nodes" in keys:
            self.hang(keys["nodes"], "host", name, rate, delay)

    def own(self, text):
        if text.split()[:1] == ["topology"]:
            if text.split()[1:] != ["1"]:
                raise self.error("a version that this module does not read; it reads version 1")
            return
        keys, t = self.fields(text), self.topology
        if "ranks" in keys:
            t.ranks += expand(keys["ranks"])
        elif "part" in keys:
            self.hang(keys["part"], "part", keys.get("of"), self.rate(keys.get("rate")),
                      self.delay(keys.get("delay")), keys.get("level"))
        elif "host" in keys:
            self.node(keys["host"], "host")
        elif "routes" in keys:
            t.routes = keys["routes"]
        elif "link" in keys:
            for a in expand(keys["link"]):
                t.links += [Link((a, b), self.rate(keys.get("rate")), self.delay(keys.get("delay")))
                            for b in expand(keys["to"])]
        elif "route" in keys:
            t.forwards.append(Route(keys["route"], keys["by"], expand(keys["to"])))
        else:
            raise self.error(f"'{text.strip()}' is no line of a topology; correct it")

    def one_line(self, text):
        found = re.search(r"#attune\b(.*)", text, re.IGNORECASE)
        keys = self.fields(text.partition("#")[0])
        if keys:
            self.switch(keys, self.fields(found[1]) if found else {})
        elif found:
            self.own(found[1])

    def check(self):
        for node in self.topology.nodes.values():
            if node.parent is not None and node.parent not in self.topology.nodes:
                raise FormatError(self.file, 0, f"{node.name} is below {node.parent}, which is not there")
        for name in self.topology.ranks:
            if name not in self.topology.nodes:
                raise FormatError(self.file, 0, f"a rank is on {name}, which is not there")


def read_topology(path):
    """A topology file as Topology."""
    return parse_topology(path, read_rows(path))


def parse_topology(path, rows):
    reader, joined = _Reader(path), ""
    for number, text in enumerate(rows, 1):
        reader.line, text = number, joined + text.rstrip()
        joined = ""
        if text.endswith("\\") and "#" not in text:
            joined = text[:-1] + " "
            continue
        try:
            reader.one_line(text)
        except (ValueError, KeyError) as why:
            if isinstance(why, FormatError):
                raise
            raise reader.error(f"cannot be read ({why}); 'attune topo check' explains it") from None
    reader.check()
    if not reader.topology.nodes:
        raise FormatError(path, 0, "no switch and no host; convert it with 'attune topo convert'")
    return reader.topology
