"""What each level of detail shows."""

import pytest

from clew.conversation import Message
from clew.view import Detail, shows

FIRST_SHOWN = [
    ("prompt", "prompts"),
    ("steering", "prompts"),
    ("unsent", "talk"),
    ("answer", "talk"),
    ("command", "talk"),
    ("bash_output", "talk"),
    ("interrupt", "talk"),
    ("notification", "tools"),
    ("injection", "everything"),
    ("hook", "everything"),
    ("attachment", "everything"),
    ("system", "everything"),
    ("of_tomorrow", "everything"),
]


@pytest.mark.parametrize(("kind", "level"), FIRST_SHOWN)
def test_a_message_is_shown_from_its_level_on(kind: str, level: str) -> None:
    message = Message(id="m", kind=kind, role="user")

    assert next(detail.label for detail in Detail if shows(detail, message)) == level


def test_what_is_meta_is_shown_with_everything_alone() -> None:
    message = Message(id="m", kind="command", role="user", is_meta=True)

    assert not shows(Detail.TOOLS, message)
    assert shows(Detail.EVERYTHING, message)


def test_warnings_of_the_client_are_shown_with_the_tools() -> None:
    message = Message(id="m", kind="system", role="system", level="warning")

    assert shows(Detail.TOOLS, message)
    assert not shows(Detail.TALK, message)
