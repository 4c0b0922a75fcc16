"""Tool calls that a session makes, with what comes back of each."""

from typing import Any, Final

import msgspec

from bench.clients import Client
from bench.dice import Weighted
from bench.plan import Plan
from bench.project import Project
from bench.shell import KINDS, render_output
from bench.sources import SourceFile, write_lines

MIX: Final = {
    "Bash": 33.0,
    "Read": 18.0,
    "Edit": 20.0,
    "Grep": 7.0,
    "Glob": 3.0,
    "Write": 3.0,
    "Browser": 2.0,
    "WebFetch": 0.7,
    "WebSearch": 0.4,
}
SMALL: Final = Weighted({"Bash": 4.0, "Grep": 2.0, "Glob": 1.0, "Plan": 1.0})
TINY: Final = Weighted({"Glob": 1.0, "Plan": 1.0})
READING: Final = Weighted({"Read": 5.0, "Bash": 3.0, "Grep": 4.0, "Glob": 2.0, "WebFetch": 0.5})
ERRORS: Final = {"Bash": 0.12, "Read": 0.03, "Edit": 0.046, "Write": 0.035, "WebFetch": 0.1}
ERROR_TEXTS: Final = {
    "Bash": "Exit code {n}\n{w}\n{p}:{n}: {t}Error: {w}",
    "Read": "<tool_use_error>File does not exist. Did you mean {p}?</tool_use_error>",
    "Edit": "<tool_use_error>String to replace not found in file.\nString: {i}</tool_use_error>",
    "Write": "<tool_use_error>File has not been read yet. Read it first.</tool_use_error>",
    "WebFetch": "Request failed with status code 50{n}",
}
REFUSED: Final = "The user doesn't want to proceed with this tool use. The tool use was rejected."


class Call(msgspec.Struct, frozen=True):
    """A tool use and what came back: as text for the model, and as the client keeps it."""

    tool: str
    input: dict[str, Any]
    content: str | list[dict[str, Any]]
    result: Any
    is_error: bool = False
    is_slow: bool = False
    edited: SourceFile | None = None


class Workbench:
    """Calls tools on a project; edits stay, plans go on."""

    def __init__(self, project: Project, client: Client) -> None:
        self.project = project
        self.client = client
        self.dice = project.dice
        self.plan = Plan(project, has_tasks=client.has("task_tools"))
        self.mix = Weighted(MIX | {"Plan": 4.0})
        self._uses = {
            "Bash": self._bash,
            "Read": self._read,
            "Edit": self._edit,
            "Grep": self._grep,
            "Glob": self._glob,
            "Write": self._write,
            "Browser": self._browser,
            "WebFetch": self._web_fetch,
            "WebSearch": self._web_search,
            "Plan": self._plan,
        }

    def use(self, mix: Weighted[str]) -> Call:
        """Call some tool of the mix; now and then it fails, or the user says no."""
        tool = self.dice.pick(mix)
        call = self._uses[tool]()
        if self.dice.chance(ERRORS.get(tool, 0.0)):
            return _fail(call, self.project.render(ERROR_TEXTS[tool]))
        if self.dice.chance(0.004):
            return _fail(call, REFUSED)
        return call

    def _bash(self) -> Call:
        kind = self.dice.pick(KINDS)
        command, purpose = self.project.type_command(kind)
        output = render_output(self.dice, self.project.outputs, kind)
        told = {"stdout": output, "stderr": "", "interrupted": False, "isImage": False}
        if self.client.has("callers"):
            told["noOutputExpected"] = not output
        is_slow = kind.is_slow and self.dice.chance(0.55)
        arguments = {"command": command, "description": purpose}
        return Call("Bash", arguments, output, told, is_slow=is_slow)

    def _read(self) -> Call:
        file = self.project.file()
        start, count = 0, min(len(file.lines), 2_000)
        arguments: dict[str, Any] = {"file_path": self.project.place(file)}
        if self.dice.chance(0.75):
            count = min(count, self.dice.size(52, 0.7, 10, 500))
            start = self.dice.randint(0, len(file.lines) - count)
            arguments |= {"offset": start + 1, "limit": count}
        lines = file.lines[start : start + count]
        told = {
            "filePath": arguments["file_path"],
            "content": "\n".join(lines),
            "numLines": count,
            "startLine": start + 1,
            "totalLines": len(file.lines),
        }
        numbered = self._number(lines, start + 1)
        return Call("Read", arguments, numbered, {"type": "text", "file": told})

    def _number(self, lines: list[str], start: int) -> str:
        if self.client.has("message_first"):
            return "\n".join(f"{number}\t{line}" for number, line in enumerate(lines, start))
        return "\n".join(f"{number:6}→{line}" for number, line in enumerate(lines, start))

    def _edit(self) -> Call:
        file = self.project.file()
        whole, path = file.text(), self.project.place(file)
        count = min(len(file.lines), self.dice.size(7, 0.9, 1, 80))
        start = self.dice.randint(0, len(file.lines) - count)
        old = file.lines[start : start + count]
        new = self._rewrite(file, old)
        patch = _patch(file.lines, start, old, new)
        file.lines[start : start + count] = new
        strings = {"old_string": "\n".join(old), "new_string": "\n".join(new)}
        told = {
            "filePath": path,
            "oldString": strings["old_string"],
            "newString": strings["new_string"],
            "originalFile": whole,
            "structuredPatch": [patch],
            "userModified": False,
            "replaceAll": False,
        }
        text = f"The file {path} has been updated successfully."
        if not self.client.has("progress") and not self.client.has("message_first"):
            numbered = self._number(file.lines[max(0, start - 4) : start + len(new) + 4], start + 1)
            text = f"The file {path} has been updated. Here's a snippet of the result:\n{numbered}"
        return Call("Edit", {"file_path": path, **strings}, text, told, edited=file)

    def _rewrite(self, file: SourceFile, old: list[str]) -> list[str]:
        """Keep some lines and write others, so that files neither grow nor shrink for long."""
        count = max(1, len(old) + self.dice.randint(-2, 3))
        fresh = write_lines(self.dice, self.project.names, file.suffix, count)
        kept = [line for line in old if self.dice.chance(0.4)]
        return [*kept, *fresh][: count + 1] or [""]

    def _write(self) -> Call:
        file = self.project.new_file(self.dice.size(90, 0.9, 4, 700))
        path, text = self.project.place(file), file.text()
        told: dict[str, Any] = {"type": "create", "filePath": path, "content": text}
        told["structuredPatch"] = []
        told |= {"originalFile": None} if self.client.has("source_uuid") else {}
        arguments = {"file_path": path, "content": text}
        said = f"File created successfully at: {path}"
        return Call("Write", arguments, said, told, edited=file)

    def _grep(self) -> Call:
        name = self.dice.choice(self.project.names.functions)
        if self.dice.chance(0.5):
            files = [self.project.file().path for _ in range(self.dice.size(3, 0.9, 0, 60))]
            text = "\n".join([f"Found {len(files)} files", *files]) if files else "No files found"
            told = {"mode": "files_with_matches", "filenames": files, "numFiles": len(files)}
            return Call("Grep", {"pattern": name, "output_mode": "files_with_matches"}, text, told)
        pool = next(lines for text, lines in self.project.outputs.items() if "grep" in text)
        lines = self.dice.choices(pool, k=self.dice.size(14, 1.2, 1, 400))
        text = "\n".join(lines)
        told = {"mode": "content", "numFiles": 0, "filenames": [], "content": text}
        told["numLines"] = len(lines)
        arguments = {"pattern": name, "output_mode": "content", "-n": True}
        return Call("Grep", arguments, text, told)

    def _glob(self) -> Call:
        count = self.dice.size(4, 1.3, 0, 100)
        files = [self.project.place(self.project.file()) for _ in range(count)]
        told = {"filenames": files, "durationMs": self.dice.size(40, 1.2, 3, 9_000)}
        told |= {"numFiles": count, "truncated": False}
        pattern = f"**/*.{self.project.file().suffix}"
        return Call("Glob", {"pattern": pattern}, "\n".join(files) or "No files found", told)

    def _browser(self) -> Call:
        lines = [
            f"  - {self.dice.choice(('button', 'link', 'textbox', 'heading'))} "
            f'"{self.project.prose.title()}" [ref=e{self.dice.randint(2, 400)}]'
            for _ in range(self.dice.size(14, 0.8, 3, 120))
        ]
        page = "### Page state\n- Page URL: http://localhost:5173/\n" + "\n".join(lines)
        blocks = [{"type": "text", "text": page}]
        tool = f"mcp__playwright__browser_{self.dice.choice(('click', 'snapshot', 'wait_for'))}"
        arguments = {"element": self.project.prose.title(), "ref": f"e{self.dice.randint(2, 400)}"}
        return Call(tool, arguments, blocks, blocks)

    def _web_fetch(self) -> Call:
        url = f"https://docs.example.com/{self.project.name}/{self.dice.choice(self.project.names.functions)}"
        text = self.project.prose.answer(self.dice.size(1_100, 0.7, 200, 9_000))
        told = {"bytes": self.dice.size(40_000, 1.0, 900, 900_000), "code": 200, "codeText": "OK"}
        told |= {"result": text, "durationMs": self.dice.randint(900, 9_000), "url": url}
        return Call("WebFetch", {"url": url, "prompt": self.project.prose.text(120)}, text, told)

    def _web_search(self) -> Call:
        query, text = self.project.prose.title(), self.project.prose.answer(1_500)
        hits = [
            {"title": self.project.prose.title(), "url": f"https://example.org/{word}"}
            for word in self.dice.choices(self.project.names.functions, k=10)
        ]
        found = {"tool_use_id": self.dice.token("srvtoolu_01", 22), "content": hits}
        told = {"query": query, "results": [found, text], "durationSeconds": 12.25}
        content = f'Web search results for query: "{query}"\n\nLinks: {hits}\n\n{text}'
        return Call("WebSearch", {"query": query}, content, told)

    def _plan(self) -> Call:
        tool, arguments, text, told = self.plan.advance()
        return Call(tool, arguments, text, told)


def _fail(call: Call, text: str) -> Call:
    plain = text.removeprefix("<tool_use_error>").removesuffix("</tool_use_error>")
    return Call(call.tool, call.input, text, f"Error: {plain}", is_error=True)


def _patch(lines: list[str], start: int, old: list[str], new: list[str]) -> dict[str, Any]:
    """Describe a change as the client does: three lines of context on either side."""
    first = max(0, start - 3)
    before, after = lines[first:start], lines[start + len(old) : start + len(old) + 3]
    return {
        "oldStart": first + 1,
        "oldLines": len(before) + len(old) + len(after),
        "newStart": first + 1,
        "newLines": len(before) + len(new) + len(after),
        "lines": [
            *(f" {line}" for line in before),
            *(f"-{line}" for line in old),
            *(f"+{line}" for line in new),
            *(f" {line}" for line in after),
        ],
    }
