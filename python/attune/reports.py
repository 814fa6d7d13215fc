"""JSON that commands and jobs write (docs/schema)."""

import json

from .errors import FormatError


def read_report(path):
    """A report of a job (--report=FILE.json), or output of a command with --format json."""
    with open(path, encoding="utf-8") as f:
        try:
            return json.load(f)
        except json.JSONDecodeError as why:
            raise FormatError(path, why.lineno, f"not JSON ({why.msg}); write it again") from None
