"""Machine files: measured parameters of a machine (docs/machine-format.md)."""

from dataclasses import dataclass, field
from typing import Dict, List, Optional

from .errors import Lines


@dataclass
class Table:
    """Times by size and by number of concurrent ranks: values[size][i] for concurrent[i] ranks.  Times
    are microseconds, costs per byte nanoseconds."""

    concurrent: List[int]
    values: Dict[int, List[float]] = field(default_factory=dict)


@dataclass
class Channel:
    """One kind of path between ranks: parameters["overhead"]["eager"], tables["transfer"]."""

    name: str
    parameters: Dict[str, Dict[str, float]] = field(default_factory=dict)
    intervals: Dict[str, Dict[str, float]] = field(default_factory=dict)
    tables: Dict[str, Table] = field(default_factory=dict)


@dataclass
class Machine:
    provenance: Dict[str, str] = field(default_factory=dict)
    parameters: Dict[str, Dict[str, float]] = field(default_factory=dict)
    tables: Dict[str, Table] = field(default_factory=dict)
    channels: List[Channel] = field(default_factory=list)
    topology: Optional[str] = None  # fingerprint of the measured one

    def channel(self, name):
        """The channel of this name; KeyError: there is none."""
        for channel in self.channels:
            if channel.name == name:
                return channel
        raise KeyError(name)


_SIZES = {"eager", "segment"}


def _value(lines, key, text):
    """The value and half of its interval (None: without)."""
    text, tilde, interval = text.partition("~")
    value = lines.size(text) if key in _SIZES and not text.replace(".", "").isdigit() else lines.number(text)
    return value, lines.number(interval) if tilde else None


def _parameters(lines, owner, word, words):
    values = owner.parameters.setdefault(word, {})
    for key, text in lines.fields(words).items():
        if key == "topology":
            owner.topology = text
            continue
        values[key], interval = _value(lines, key, text)
        if interval is not None and isinstance(owner, Channel):
            owner.intervals.setdefault(word, {})[key] = interval


def _table(lines, owner, words):
    split = len(words)
    while split > 0 and words[split - 1].isdigit():
        split -= 1
    table = owner.tables[" ".join(words[:split])] = Table([int(word) for word in words[split:]])
    return table


def _row(lines, table, words):
    if table is None or len(words) != 1 + len(table.concurrent):
        raise lines.error("a row that does not fit the columns of its table; correct it")
    table.values[lines.size(words[0])] = [lines.number(word.split("~")[0]) for word in words[1:]]


def read_machine(path):
    """A machine file as Machine."""
    return parse_machine(path)


def parse_machine(path, rows=None):
    """`rows`: the lines, if the machine is a part of the file."""
    lines = Lines(path, "attune-machine", 1, rows)
    machine = owner = Machine()
    table = None
    for text in lines:
        words = text.split()
        if words[0][0].isdigit():
            _row(lines, table, words)
        elif words[0].endswith(":"):
            machine.provenance[words[0][:-1]] = text.partition(":")[2].strip()
        elif words[0] == "table" and len(words) > 1:
            table = _table(lines, owner, words[1:])
        elif words[0] == "channel" and len(words) == 2:
            owner = Channel(words[1])
            machine.channels.append(owner)
        else:
            _parameters(lines, owner, words[0], words[1:])
    lines.check_end()
    return machine
