"""Calibrations: topology and machine of sets of hosts, which jobs find by themselves (docs/calibrate.md)."""

from dataclasses import dataclass
from typing import List, Optional

from .errors import Lines
from .machine import Machine, parse_machine
from .topology import Topology, parse_topology


@dataclass
class Calibration:
    hosts: str  # a list such as n[0-15],m7, or patterns such as node*
    machine: Optional[str] = None  # the MPI library, its version and a hash of the processors
    fabric: Optional[str] = None
    ranks: Optional[int] = None  # per host; None: it differed between hosts
    date: Optional[str] = None
    tool: Optional[str] = None
    launcher: Optional[str] = None
    topology: Optional[Topology] = None  # None: all hosts on one switch
    parameters: Optional[Machine] = None  # None: only the topology is known
    line: int = 0


_TEXTS = ("machine", "fabric", "date", "tool", "launcher")
_PARTS = {"topology": parse_topology, "parameters": parse_machine}


class _Reader:
    def __init__(self, path):
        self.lines, self.entries = Lines(path, "attune-calibration", 1), []
        self.part, self.rows = None, []

    def end_part(self):
        """Rows before the part are empty, so that errors have the right line."""
        if self.part is not None:
            setattr(self.entries[-1], self.part, _PARTS[self.part](self.lines.file, self.rows))
        self.part, self.rows = None, []

    def part_line(self, text):
        if self.part is None:
            raise self.lines.error("a line of a topology or machine without its heading; add it")
        self.rows += [""] * (self.lines.line - 1 - len(self.rows)) + [text[1:]]

    def field(self, word, rest):
        if word != "entry" and not self.entries:
            raise self.lines.error(f"'{word}' before the first entry; begin with 'entry HOSTS'")
        if word == "entry":
            self.entries.append(Calibration(rest, line=self.lines.line))
        elif word == "ranks":
            self.entries[-1].ranks = None if rest == "*" else self.lines.integer(rest)
        elif word in _TEXTS:
            setattr(self.entries[-1], word, rest)
        elif word in _PARTS and not rest:
            self.part = word
        else:
            raise self.lines.error(f"'{word}' begins no line of a calibration; correct it")

    def read(self):
        for text in self.lines:
            if text.startswith("|"):
                self.part_line(text)
                continue
            self.end_part()
            word, _, rest = text.partition(" ")
            self.field(word, rest.strip())
        self.end_part()
        self.lines.check_end()
        return self.entries


def read_calibrations(path) -> List[Calibration]:
    """A file of calibrations as a list of Calibration."""
    return _Reader(path).read()
