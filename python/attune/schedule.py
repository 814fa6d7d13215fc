"""Schedules as text, as `attune schedule show NAME --format text` writes them (docs/schedule-format.md)."""

import re
from dataclasses import dataclass, field
from typing import List, Optional

from .errors import Lines


@dataclass(frozen=True)
class Slot:
    """Blocks of a space, "src", "dst" or "tmp"."""

    space: str
    blocks: tuple


@dataclass
class Operation:
    index: int
    action: str  # "send", "recv", "copy", "reduce" ...
    peer: Optional[int] = None
    number: Optional[int] = None  # of what is exposed
    source: Optional[Slot] = None
    operand: Optional[Slot] = None  # what is reduced with the source
    target: Optional[Slot] = None
    after: List[int] = field(default_factory=list)
    round: int = 0


@dataclass
class RankSchedule:
    rank: int
    split: int = 1  # blocks per natural block
    in_place: bool = False
    operations: List[Operation] = field(default_factory=list)


@dataclass
class Schedule:
    name: str = ""
    operation: str = ""
    root: int = 0
    ordered: bool = False
    ranks: List[RankSchedule] = field(default_factory=list)

    @property
    def messages(self):
        """Pairs (sender, receiver), one for each send."""
        return [(part.rank, op.peer) for part in self.ranks for op in part.operations if op.action in ("send", "ssend")]


# What a word in front of a slot makes of it; a slot without such a word is the target of what
# receives, else the source.
_ROLES = {"to": "target", "into": "target", "with": "operand", "of": "source"}
_PEERS = {"send", "ssend", "recv", "recv_reduce", "read", "read_reduce"}
_NUMBERS = {"expose", "close"}


def _slot(lines, text):
    if text == "nothing":
        return None
    found = re.fullmatch(r"(src|dst|tmp|vec)\[([0-9.,]*)\]", text)
    if not found:
        raise lines.error(f"'{text}' is no slot; write src[0], dst[0..3] or tmp[1,4]")
    blocks = []
    for part in filter(None, found[2].split(",")):
        first, dots, last = part.partition("..")
        blocks += range(lines.integer(first), lines.integer(last if dots else first) + 1)
    return Slot(found[1], tuple(blocks))


def _operation(lines, text, number):
    head, _, after = text.partition(" after ")
    index, _, rest = head.partition(":")
    action, *words = rest.split() or [""]
    op = Operation(lines.integer(index), action, round=number, after=[lines.integer(word) for word in after.split()])
    if action in _PEERS | _NUMBERS:
        peer, _, exposed = words.pop(0).partition(".") if words else ("", "", "")
        name = "peer" if action in _PEERS else "number"
        setattr(op, name, lines.integer(peer))
        op.number = lines.integer(exposed) if exposed else op.number
    role = "target" if action == "recv" else "source"
    while words:
        word = words.pop(0)
        if word in ("skip", "for"):
            words = words[1:]
        elif word in _ROLES:
            role = _ROLES[word]
        else:
            setattr(op, role, _slot(lines, word))
    return op


def _problem(lines, schedule, words):
    schedule.operation = words[0] if words else ""
    for word in words[1:]:
        key, _, value = word.partition("=")
        if key == "root":
            schedule.root = lines.integer(value)
        elif key == "ordered":
            schedule.ordered = True


def _rank(lines, words):
    part = RankSchedule(lines.integer(words[0]), in_place="in_place" in words)
    for word in words[1:]:
        if word.startswith("split="):
            part.split = lines.integer(word[6:])
    return part


def read_schedule(path):
    """A schedule file as Schedule; `attune schedule verify` proves it."""
    lines, schedule, number = Lines(path, "attune-schedule", 1), Schedule(), 0
    for text in lines:
        word, _, rest = text.partition(" ")
        if word == "name":
            schedule.name = rest
        elif word == "problem":
            _problem(lines, schedule, rest.split())
        elif word == "rank" and rest:
            schedule.ranks.append(_rank(lines, rest.split()))
            number = 0
        elif word == "tmp" and schedule.ranks:
            continue
        elif word == "round":
            number = lines.integer(rest)
        elif word.endswith(":") and schedule.ranks:
            schedule.ranks[-1].operations.append(_operation(lines, text, number))
        else:
            raise lines.error(f"'{word}' begins no line of a schedule; correct it")
    lines.check_end()
    return schedule
