"""Wisdom: rules that map problems to algorithms (docs/wisdom-format.md)."""

import re
from dataclasses import dataclass, field
from typing import Dict, List, Optional

from .errors import Lines


@dataclass(frozen=True)
class Range:
    """first <= x < end; None: no limit on that side."""

    first: Optional[int] = None
    end: Optional[int] = None

    def __contains__(self, x):
        return (self.first is None or x >= self.first) and (self.end is None or x < self.end)


@dataclass(frozen=True)
class Place:
    """Where rules apply; None: everywhere."""

    machine: Optional[str] = None
    layout: Optional[str] = None


@dataclass
class Rule:
    operation: str
    use: str
    ranks: Range = Range()
    bytes: Range = Range()
    time_us: Optional[float] = None
    ci_us: Optional[float] = None  # half the width of the 95 % confidence interval
    next: Optional[str] = None  # the runner-up
    next_time_us: Optional[float] = None
    samples: Optional[int] = None
    date: Optional[str] = None
    guess: Optional[str] = None  # "between", "model", "race": not measured completely
    place: Place = Place()
    line: int = 0

    @property
    def gain(self):
        """Time of the runner-up relative to that of the winner; None: not measured."""
        if not self.time_us or self.next_time_us is None:
            return None
        return self.next_time_us / self.time_us


@dataclass
class Wisdom:
    provenance: Dict[str, str] = field(default_factory=dict)
    rules: List[Rule] = field(default_factory=list)

    def find(self, operation, ranks, bytes, place=None):
        """The first rule for a problem; without a place those that apply everywhere.  Jobs also check
        whether its algorithm supports the problem."""
        for rule in self.rules:
            if (rule.operation == operation and ranks in rule.ranks and bytes in rule.bytes
                    and rule.place == (place or Place())):
                return rule
        return None


_UNITS = {"ps": 1e-6, "ns": 1e-3, "us": 1.0, "ms": 1e3, "s": 1e6}


def _duration(lines, text):
    found = re.fullmatch(r"([0-9.]+)(ps|ns|us|ms|s)", text)
    if not found:
        raise lines.error(f"'{text}' is no duration; write 250ns, 3.1us or 1.2ms")
    return lines.number(found[1]) * _UNITS[found[2]]


def _range(lines, text, read):
    if text == "*":
        return Range()
    first, colon, end = text.partition(":")
    if not colon:
        return Range(read(first), read(first) + 1)
    return Range(read(first) if first else None, read(end) if end else None)


_FIELDS = {
    "use": ("use", lambda lines, text: text),
    "ranks": ("ranks", lambda lines, text: _range(lines, text, lines.integer)),
    "bytes": ("bytes", lambda lines, text: _range(lines, text, lines.size)),
    "time": ("time_us", _duration),
    "ci": ("ci_us", _duration),
    "next": ("next", lambda lines, text: text),
    "next_time": ("next_time_us", _duration),
    "samples": ("samples", lambda lines, text: lines.integer(text)),
    "date": ("date", lambda lines, text: text),
    "guess": ("guess", lambda lines, text: text),
}


def _rule(lines, words, place):
    values = {}
    for key, text in lines.fields(words[1:]).items():
        if key not in _FIELDS:
            raise lines.error(f"unknown field '{key}'; there are {', '.join(_FIELDS)}")
        name, read = _FIELDS[key]
        values[name] = read(lines, text)
    if not words or "use" not in values:
        raise lines.error("a rule without an operation or use=; add it")
    return Rule(operation=words[0], place=place, line=lines.line, **values)


def _place(lines, text):
    if text == "*":
        return Place()
    machine, slash, layout = text.partition("/")
    if not slash:
        raise lines.error(f"'{text}' is no MACHINE/LAYOUT; correct it")
    return Place(None if machine == "*" else machine, None if layout == "*" else layout)


def read_wisdom(path):
    """A wisdom file as Wisdom."""
    lines, wisdom, place = Lines(path, "attune-wisdom", 1), Wisdom(), Place()
    for text in lines:
        word, _, rest = text.partition(" ")
        if word == "rule":
            wisdom.rules.append(_rule(lines, rest.split(), place))
        elif word == "at":
            place = _place(lines, rest.strip())
        elif word.endswith(":"):
            wisdom.provenance[word[:-1]] = rest.strip()
        else:
            raise lines.error(f"'{word}' begins no line of wisdom; correct it")
    lines.check_end()
    return wisdom
