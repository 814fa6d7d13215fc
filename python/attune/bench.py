"""Samples of `attune bench --raw FILE` (docs/benchmarking.md)."""

import statistics
from dataclasses import dataclass, field
from typing import List, Optional

from .errors import FormatError


@dataclass
class Variant:
    role: str  # "native", "control", "attune", "named", "candidate"
    algorithm: str
    seconds: List[float] = field(default_factory=list)

    @property
    def median(self):
        return statistics.median(self.seconds) if self.seconds else None


@dataclass
class Task:
    """One operation and size; rounds[i] has the seconds of each variant, None where it was not called."""

    operation: str
    bytes: int
    bound_seconds: Optional[float] = None  # no algorithm is faster; None: not known
    variants: List[Variant] = field(default_factory=list)
    refused: List[str] = field(default_factory=list)
    best: Optional[int] = None
    complete: bool = False

    def variant(self, role):
        for variant in self.variants:
            if variant.role == role:
                return variant
        raise KeyError(role)


@dataclass
class Job:
    ranks: int
    seed: str
    mpi: str
    tasks: List[Task] = field(default_factory=list)


@dataclass
class Samples:
    """A file; repeated benchmarks append their jobs."""

    jobs: List[Job] = field(default_factory=list)

    @property
    def tasks(self):
        return [task for job in self.jobs for task in job.tasks]


class _Reader:
    def __init__(self, path):
        self.file, self.line, self.samples = str(path), 0, Samples()

    def task(self):
        return self.samples.jobs[-1].tasks[-1]

    def job_line(self, words):
        self.samples.jobs.append(Job(int(words[0]), words[1], " ".join(words[2:])))

    def task_line(self, words):
        self.samples.jobs[-1].tasks.append(Task(words[0].split("/")[0], int(words[1]),
                                                float(words[2]) or None if len(words) > 2 else None))

    def variant_line(self, words):
        self.task().variants.append(Variant(words[1], words[2]))

    def sample_line(self, words):
        self.task().variants[int(words[0])].seconds.append(float(words[1]))

    def best_line(self, words):
        self.task().best = int(words[0]) if words else None

    def refused_line(self, words):
        self.task().refused.append(" ".join(words))

    def done_line(self, words):
        self.task().complete = True

    def read(self, text):
        words = text.split()
        readers = {"job": self.job_line, "task": self.task_line, "variant": self.variant_line,
                   "s": self.sample_line, "best": self.best_line, "refused": self.refused_line,
                   "done": self.done_line}
        if words and words[0] in readers:
            readers[words[0]](words[1:])


def read_samples(path):
    """A file of samples as Samples.  A job that was killed has tasks that are not complete."""
    reader = _Reader(path)
    with open(path, encoding="utf-8", errors="surrogateescape") as f:
        for number, text in enumerate(f, 1):
            reader.line = number
            if text.startswith("attune-samples ") and text.split() != ["attune-samples", "1"]:
                raise FormatError(path, number, "a version that this module does not read; it reads 1")
            try:
                reader.read(text)
            except (ValueError, IndexError):
                raise FormatError(path, number, f"'{text.strip()}' is no valid line of samples") from None
    if not reader.samples.jobs:
        raise FormatError(path, 0, "no samples; 'attune bench --raw FILE' writes them")
    return reader.samples
