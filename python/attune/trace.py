"""Traces: folders with a file for each rank (docs/trace-format.md)."""

import glob
import os
import struct
from dataclasses import dataclass, field
from typing import Dict, List, Optional

from .errors import FormatError

CREATES, PART = 1, 2  # flags of operations


@dataclass
class Call:
    """An MPI call of one rank; times in nanoseconds of its clock (see RankTrace.to_global)."""

    operation: str
    begin_ns: int
    duration_ns: int
    bytes: int  # count * size of the type
    count: int
    partner: Optional[int]  # rank in MPI_COMM_WORLD, for collectives the root; None: none
    tag: Optional[int]
    communicator: Optional[int]
    depth: int = 0  # 1: inside of a collective
    thread: int = 0
    any_source: bool = False
    any_tag: bool = False

    @property
    def end_ns(self):
        return self.begin_ns + self.duration_ns


@dataclass
class Communicator:
    number: int
    id: int  # equal on all of its ranks
    size: int
    rank: int
    ranks: Optional[List[int]] = None  # in MPI_COMM_WORLD, where this rank lists them


@dataclass
class RankTrace:
    rank: int
    ranks: int
    host: str
    program: str
    calls: List[Call] = field(default_factory=list)
    communicators: Dict[int, Communicator] = field(default_factory=dict)
    offsets: List[tuple] = field(default_factory=list)  # (own time, rank 0's time minus it), ns
    complete: bool = False
    damaged_blocks: int = 0

    def to_global(self, ns):
        """A time of this rank on the clock of rank 0."""
        if not self.offsets:
            return ns
        (t0, o0), (t1, o1) = self.offsets[0], self.offsets[-1]
        return ns + (o0 if t1 == t0 else round(o0 + (o1 - o0) * (ns - t0) / (t1 - t0)))


@dataclass
class Trace:
    ranks: List[RankTrace] = field(default_factory=list)

    def calls(self):
        """(rank, call) of all ranks."""
        for rank in self.ranks:
            for call in rank.calls:
                yield rank.rank, call


class _Damaged(Exception):
    pass


class _Bytes:
    def __init__(self, data):
        self.data, self.at = data, 0

    def more(self):
        return self.at < len(self.data)

    def byte(self):
        if self.at >= len(self.data):
            raise _Damaged
        self.at += 1
        return self.data[self.at - 1]

    def varint(self):
        value = shift = 0
        while True:
            byte = self.byte()
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value
            shift += 7

    def signed(self):
        value = self.varint()
        return -(value >> 1) - 1 if value & 1 else value >> 1

    def fixed(self):
        if self.at + 8 > len(self.data):
            raise _Damaged
        self.at += 8
        return struct.unpack_from("<Q", self.data, self.at - 8)[0]

    def text(self):
        size = self.varint()
        if self.at + size > len(self.data):
            raise _Damaged
        self.at += size
        return self.data[self.at - size:self.at].decode("utf-8", "replace")


def checksum(data):
    """Of a block: its first 32 bytes and its payload."""
    value, whole = 0xCBF29CE484222325, len(data) // 8 * 8
    for number in struct.unpack(f"<{whole // 8}Q", data[:whole]):
        value = (value ^ number) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
        value ^= value >> 29
    for byte in data[whole:]:
        value = (value ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return value


@dataclass
class _Signature:
    operation: int
    depth: int
    thread: int
    flags: int
    count: int
    bytes: int
    partner: int
    tag: int
    communicator: int


class _Reader:
    MOST_SIGNATURES = 384

    def __init__(self):
        self.trace = RankTrace(-1, 0, "", "")
        self.operations, self.signatures = {}, []

    def header(self, b):
        b.fixed()
        self.trace.rank, self.trace.ranks = b.varint(), b.varint()
        for _ in range(4):
            b.varint()
        b.text()
        self.trace.host, self.trace.program = b.text(), b.text()

    def definitions(self, b):
        while b.more():
            kind, number = b.varint(), None
            if kind == 1:
                number = b.varint()
                self.operations[number] = (b.text(), b.varint())
            elif kind == 2:
                self.communicator(b)
            elif kind == 3:
                b.varint(), b.varint(), b.text()
            elif kind == 4:
                b.varint(), b.text()
            elif kind == 5:
                b.varint(), b.signed(), b.varint()
            else:
                raise _Damaged

    def communicator(self, b):
        c = Communicator(b.varint(), b.fixed(), b.varint(), b.varint())
        if b.varint():
            c.ranks, previous = [], -1
            for _ in range(c.size):
                previous = previous + 1 + b.signed()
                c.ranks.append(previous)
        self.trace.communicators[c.number] = c

    def signature(self, b):
        operation, depth, thread, flags = (b.byte() for _ in range(4))
        count, size = b.varint(), b.varint()
        b.varint()
        partner, tag, communicator = b.signed(), b.signed(), b.signed()
        b.signed(), b.signed()
        if len(self.signatures) == self.MOST_SIGNATURES:
            self.signatures = []
        self.signatures.append(
            _Signature(operation, depth, thread, flags, count, size, partner, tag, communicator))
        return self.signatures[-1]

    def events(self, b, end, count):
        self.signatures, begin, duration = [], end, 0
        for _ in range(count):
            k = b.varint()
            if k > len(self.signatures):
                raise _Damaged
            s = self.signature(b) if k == 0 else self.signatures[k - 1]
            name, flags = self.operations.get(s.operation, ("unknown", 0))
            if not flags & PART:
                begin = end + b.signed()
                duration = b.varint()
                end = begin + duration
            if name == "done":
                b.varint()
            self.trace.calls.append(Call(
                name, begin, duration, s.bytes, s.count, s.partner if s.partner >= 0 else None,
                s.tag if s.tag >= 0 else None, s.communicator if s.communicator >= 0 else None,
                s.depth, s.thread, bool(s.flags & 1), bool(s.flags & 2)))

    def block(self, kind, b, base, records):
        if kind == "H":
            self.header(b)
        elif kind == "D":
            self.definitions(b)
        elif kind == "E":
            self.events(b, base, records)
        elif kind == "S":
            self.trace.offsets.append((b.varint(), b.signed()))
        elif kind == "Z":
            self.trace.complete = True

    def file(self, data, at):
        while (at := data.find(b"ATNB", at)) >= 0 and at + 40 <= len(data):
            kind, size = chr(data[at + 4]), struct.unpack_from("<I", data, at + 8)[0]
            base, _, records, wanted = struct.unpack_from("<QIIQ", data, at + 16)
            payload = data[at + 40:at + 40 + size]
            if len(payload) < size or checksum(data[at:at + 32] + payload) != wanted:
                self.trace.damaged_blocks += 1
                at += 4
                continue
            self.block(kind, _Bytes(payload), base, records)
            at += 40 + size


def _read_rank(path):
    with open(path, "rb") as f:
        data = f.read()
    line = data.split(b"\n", 1)[0]
    if line != b"attune trace 2":
        raise FormatError(path, 1, "not a trace of version 2; record it again")
    reader = _Reader()
    try:
        reader.file(data, len(line) + 1)
    except _Damaged:
        raise FormatError(path, 0, "a block that cannot be read; 'attune trace show' explains it") from None
    if reader.trace.rank < 0:
        raise FormatError(path, 0, "no header; record it again")
    return reader.trace


def read_trace(folder):
    """A trace as Trace, ranks in order.  Blocks that are damaged are counted and left out."""
    files = sorted(glob.glob(os.path.join(glob.escape(str(folder)), "rank-*.trace")))
    if not files:
        raise FormatError(folder, 0, "no rank-*.trace; 'attune trace record' writes them")
    return Trace(sorted((_read_rank(path) for path in files), key=lambda rank: rank.rank))
