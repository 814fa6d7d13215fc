"""Errors and lines, shared by all readers."""

import re


class FormatError(ValueError):
    """A file that cannot be read: ``file:line: what, why, remedy``."""

    def __init__(self, file, line, text):
        self.file, self.line = str(file), line
        super().__init__(f"{file}:{line}: {text}" if line else f"{file}: {text}")


def read_rows(path):
    with open(path, encoding="utf-8", errors="surrogateescape") as f:
        return f.read().split("\n")


class Lines:
    """The lines of a text file that are neither empty nor comments, with their numbers; `rows`: of a file
    inside of this one."""

    def __init__(self, path, magic, version, rows=None):
        self.file, self.line, self.ended = str(path), 0, False
        self.rows = read_rows(path) if rows is None else rows
        for number, text in enumerate(self.rows, 1):
            words = text.split()
            if not words or words[0].startswith("#"):
                continue
            self.line = number
            if words[0] != magic:
                raise self.error(f"not a file that begins with '{magic}'; name another file")
            if len(words) < 2 or words[1] != str(version):
                raise self.error(f"version {' '.join(words[1:])}; this module reads version {version}")
            return
        raise FormatError(self.file, 0, "empty; name another file")

    def __iter__(self):
        for number in range(self.line + 1, len(self.rows) + 1):
            text = self.rows[number - 1].strip()
            self.line = number
            if text == "end":
                self.ended = True
                return
            if text and not text.startswith("#"):
                yield text

    def error(self, text):
        return FormatError(self.file, self.line, text)

    def check_end(self):
        if not self.ended:
            raise FormatError(self.file, 0, "no line 'end': the file is truncated; write it again")

    def fields(self, words, separator="="):
        """key=value words as a dict."""
        result = {}
        for word in words:
            key, found, value = word.partition(separator)
            if not found or key in result:
                raise self.error(f"'{word}' is no new key=value; correct it")
            result[key] = value
        return result

    def number(self, text):
        try:
            return float(text)
        except ValueError:
            raise self.error(f"'{text}' is no number; correct it") from None

    def integer(self, text):
        try:
            return int(text)
        except ValueError:
            raise self.error(f"'{text}' is no whole number; correct it") from None

    def size(self, text):
        """4096, 64K, 1M: bytes."""
        found = re.fullmatch(r"(\d+)([KMGT]?)", text)
        if not found:
            raise self.error(f"'{text}' is no size; write 4096, 64K or 1M")
        return int(found[1]) << (10 * " KMGT".index(found[2] or " "))
