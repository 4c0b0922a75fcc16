"""steps of a session → transcript.

    SessionBuilder().user("hi").assistant("hello").write(path)

A builder writes what one client version would write, down to the keys of each row. See
`SessionBuilder` for the steps, `Call` and `Agent` for what `tools` takes, and `bash`, `read`,
`write`, `edit` for calls that come with their usual results.
"""

from tests.build.blocks import Block, document, image, text, thinking, tool_use
from tests.build.calls import Agent, Call, bash, edit, read, write
from tests.build.clients import NEWEST, Row
from tests.build.runs import Run
from tests.build.session import SessionBuilder
from tests.build.usage import Usage

__all__ = [
    "NEWEST",
    "Agent",
    "Block",
    "Call",
    "Row",
    "Run",
    "SessionBuilder",
    "Usage",
    "bash",
    "document",
    "edit",
    "image",
    "read",
    "text",
    "thinking",
    "tool_use",
    "write",
]
