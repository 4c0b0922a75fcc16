"""The requests of `clew context --request` as text: each message with its role, as it was sent."""

import sys
from collections.abc import Iterator

from rich.console import Console
from rich.text import Text

from clew.cli.text import visible_lines
from clew.insight import ContextReport, RebuiltRequest
from clew.insight.context import message_text, wanted_answers
from clew.render import plural, safe_line


def print_requests(report: ContextReport, turn: int | None, console: Console) -> None:
    """Print requests one by one."""
    for request in report.log.rebuild(wanted_answers(report, turn)):
        console.print(Text(_headline(request), "bold"), soft_wrap=True)
        sys.stdout.writelines(_lines(request))
        sys.stdout.write("\n")


def _headline(request: RebuiltRequest) -> str:
    pieces = [
        f"Request {safe_line(request.id)}",
        safe_line(request.message_id or "no answer"),
        plural(len(request.messages), "message"),
        f"{request.proved:.0%} proved by hash",
    ]
    if request.missing:
        pieces.append(f"{len(request.missing)} missing")
    if request.is_cut:
        pieces.append("cut by the client")
    return " · ".join(pieces)


def _lines(request: RebuiltRequest) -> Iterator[str]:
    for message in request.messages:
        role = message.get("role")
        if role is None:
            yield "--- missing: no row has this message\n"
            continue
        yield f"--- {safe_line(str(role))}\n"
        yield f"{visible_lines(message_text(message))}\n"
