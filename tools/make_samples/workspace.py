"""A folder that exists only in a story: what is read from it is what was written to it."""

import re
from typing import Final

import msgspec

from tests.build import Call, Row, edit, read, write

# The client repeats the text of a changed file beside the result, unless it is long.
_LONG: Final = 1_000


class Workspace:
    """The files of a project, by path from its root, as they stand at this moment."""

    def __init__(self, root: str, files: dict[str, str] | None = None) -> None:
        self.root = root
        self.files = dict(files or {})
        self.lines_added = 0
        self.lines_removed = 0

    def copy(self) -> dict[str, str]:
        """Give all files, to go back to them later."""
        return dict(self.files)

    def path(self, name: str) -> str:
        """Give the whole path of a file."""
        return name if name.startswith("/") else f"{self.root}/{name}"

    def read(self, name: str, first: int = 0, last: int = 0) -> Call:
        """Read a file, or only its lines from `first` to `last`."""
        whole = read(self.path(name), self.files[name])
        if not first:
            return whole
        lines = self.files[name].split("\n")
        chosen = lines[first - 1 : last]
        file = {
            "filePath": self.path(name),
            "content": "\n".join(chosen),
            "numLines": len(chosen),
            "startLine": first,
            "totalLines": len(lines),
        }
        numbered = "\n".join(f"{number}\t{line}" for number, line in enumerate(chosen, first))
        arguments = whole.input | {"offset": first, "limit": last - first + 1}
        return Call("Read", arguments, numbered, {"type": "text", "file": file})

    def grep(self, pattern: str) -> Call:
        """Find lines by a pattern in all files."""
        found = [
            f"{name}:{number}:{line}"
            for name, content in sorted(self.files.items())
            for number, line in enumerate(content.split("\n"), 1)
            if re.search(pattern, line)
        ]
        arguments = {"pattern": pattern, "path": self.root, "output_mode": "content", "-n": True}
        lines = "\n".join(found)
        result = {"mode": "content", "numFiles": 0, "filenames": [], "content": lines}
        return Call("Grep", arguments, lines, result | {"numLines": len(found)})

    def edit(self, name: str, old: str, new: str) -> Call:
        """Replace a passage that stands once in a file."""
        before = self.files[name]
        if before.count(old) != 1 or old == new:
            raise ValueError(f"{name} has {before.count(old)} times: {old}")
        call = edit(self.path(name), before, old, new)
        self.files[name] = before.replace(old, new)
        self._count(call.tool_use_result["structuredPatch"])
        told = call.tool_use_result | {"originalFile": _short(before)}
        return msgspec.structs.replace(call, tool_use_result=told)

    def write(self, name: str, content: str) -> Call:
        """Write a file, whether it is there or not."""
        before = self.files.get(name)
        self.files[name] = content
        call = write(self.path(name), content)
        if before is None:
            self.lines_added += content.count("\n")
            return call
        patch = edit(self.path(name), before, before, content).tool_use_result["structuredPatch"]
        self._count(patch)
        told = {"type": "update", "structuredPatch": patch, "originalFile": _short(before)}
        result = f"The file {self.path(name)} has been updated successfully."
        return Call("Write", call.input, result, call.tool_use_result | told)

    def _count(self, patch: list[Row]) -> None:
        lines = [line for hunk in patch for line in hunk["lines"]]
        self.lines_added += sum(line.startswith("+") for line in lines)
        self.lines_removed += sum(line.startswith("-") for line in lines)


def _short(content: str) -> str | None:
    return content if len(content) < _LONG else None
