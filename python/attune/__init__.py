"""Files of Attune as dataclasses: wisdom, machine, topology, calibration, schedule,
trace and bench files.

    import attune
    for rule in attune.read_wisdom("cluster.wisdom").rules:
        print(rule.operation, rule.bytes, rule.use, rule.time_us)

Only the standard library is needed.  A file is read completely, or FormatError names the file, the
line, what is wrong and what to do.  docs/python.md describes the module.
"""

from .bench import Job, Samples, Task, Variant, read_samples
from .calibration import Calibration, read_calibrations
from .errors import FormatError
from .machine import Channel, Machine, Table, read_machine
from .reports import read_report
from .schedule import Operation, RankSchedule, Schedule, Slot, read_schedule
from .topology import Link, Node, Route, Topology, read_topology
from .trace import Call, Communicator, RankTrace, Trace, read_trace
from .wisdom import Place, Range, Rule, Wisdom, read_wisdom

__version__ = "0.1.0"

__all__ = [
    "Calibration", "Call", "Channel", "Communicator", "FormatError", "Job", "Link", "Machine", "Node", "Operation",
    "Place", "Range", "RankSchedule", "RankTrace", "Route", "Rule", "Samples", "Schedule", "Slot", "Table", "Task",
    "Topology", "Trace", "Variant", "Wisdom", "read_calibrations", "read_machine", "read_report", "read_samples",
    "read_schedule", "read_topology", "read_trace", "read_wisdom",
]
