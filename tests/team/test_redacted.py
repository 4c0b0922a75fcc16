"""The tier *redacted*: whole lines, and none of the secrets in them."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from clew.protocol import Tier
from clew.push.mark_ledger import MarkLedger
from clew.push.names import KeyedNames
from clew.push.redaction import SessionRedaction, SourceChangedError
from clew.sessions import group_sessions
from clew.source import discover
from tests.build import Call, SessionBuilder, bash, edit, read, thinking
from tests.recordings import HERE, parameters
from tests.team.planted_secrets import password, planted, random_text
from tests.team.projecting import KEY, conversations, project, project_root, sources_of
from tests.team.test_structure import facts
from tests.team.wire import json_strings

PLACES: dict[str, Callable[[SessionBuilder, str], object]] = {
    "prompt": lambda builder, text: builder.user(f"Look:\n{text}\nor so"),
    "answer": lambda builder, text: builder.assistant(f"I see\n{text}\nhere"),
    "thinking": lambda builder, text: builder.assistant(thinking(f"Well\n{text}\n"), "So."),
    "command": lambda builder, text: builder.tools(bash("cat it", f"{text}\n")),
    "file": lambda builder, text: builder.tools(read("/etc/it", f"# it\n{text}\n")),
    "edit": lambda builder, text: builder.tools(edit("/a", f"x\n{text}\n", "x", "y")),
    "input": lambda builder, text: builder.tools(Call("mcp__box__put", {"line": text}, "ok")),
    "list": lambda builder, text: builder.tools(Call("Madeup", {"lines": [[text]]}, text)),
    "key": lambda builder, text: builder.tools(Call("Madeup", {f"{text}\n": 1}, "ok")),
    "agent": lambda builder, text: builder.agent(
        f"so\n{text}\n", f"so\n{text}\n", lambda run: run.assistant(f"so\n{text}\n")
    ),
    "sidecar": lambda builder, text: builder.tools(
        Call("Bash", {"command": "cat it"}, f"so\n{text}\n" * 2, persisted=True)
    ),
    "queue": lambda builder, text: builder.queue("enqueue", f"so\n{text}\n"),
    "title": lambda builder, text: builder.custom_title(f"it is\n{text}\n"),
    "unknown": lambda builder, text: builder.row({"type": "new-thing", "x": {"y": f"{text}\n"}}),
}


def sent(root: Path, ledger: MarkLedger | None = None) -> str:
    """Give all that is sent of the one session, as bytes and as the strings that they contain."""
    (session,) = group_sessions(discover(root).files)
    files = list(project(session, Tier.REDACTED, ledger))
    pieces = [
        text for file, data in files for text in (file.file, data.decode(), *json_strings(data))
    ]
    return "\n".join(pieces)


@pytest.mark.parametrize("place", PLACES)
def test_no_planted_secret_is_sent(place: str, tmp_path: Path) -> None:
    texts = planted()
    assert len(texts) >= 300
    builder = SessionBuilder("alpha").user("Begin.")
    for text, _ in texts:
        PLACES[place](builder, text)
    builder.assistant("Done.").write(tmp_path)

    found = sent(tmp_path)

    left = [secret for _, secrets in texts for secret in secrets if secret in found]
    assert left == []
    assert found.count("[redacted: ") >= 300


def test_a_secret_that_is_recognised_later_is_masked_in_what_was_before(tmp_path: Path) -> None:
    builder = SessionBuilder("alpha").user("Use " + ", ".join(map(password, range(300))))
    builder.agent("Look", "Look", lambda run: run.assistant(f"with {password(7)}"))
    before = builder.assistant("Yes.").write(tmp_path)
    assert password(7) in sent(tmp_path)
    for number in range(300):
        builder.tools(bash("cat it", f"DB_PASSWORD={password(number)}\n"))
    assert builder.write(tmp_path) == before

    found = sent(tmp_path)

    assert [n for n in range(300) if password(n) in found] == []


def test_names_of_fields_reveal_their_values(tmp_path: Path) -> None:
    inputs: list[dict[str, Any]] = [
        {"password": "swordfish1"},
        {"env": {"DB_PASSWORD": "trout!"}},
        {"auth": {"apiKey": [random_text(1)]}},
        {"settings": [{"name": "SMTP_PASSWORD", "value": "haddock2"}]},
        {"settings": [{"key": "SMTP_PASSWORD", "value": "haddock3"}]},
        {"password": 73519426},
        {"client_secret": random_text(2), "max_tokens": 4096},
    ]
    builder = SessionBuilder("alpha").user("The fish are swordfish1 and haddock3.")
    for fields in inputs:
        builder.tools(Call("mcp__box__put", fields, "ok", tool_use_result=fields))
    builder.write(tmp_path)

    found = sent(tmp_path)

    secrets = ("swordfish1", "trout!", random_text(1), "haddock2", "haddock3", "73519426")
    assert [secret for secret in (*secrets, random_text(2)) if secret in found] == []
    assert '"max_tokens":4096' in found


DAMAGED = {
    "escaped": b'{"type":"user","message":{"role":"user","content":"%s"}}',
    "twice": b'{"type":"user","x":"%s","x":"nothing","message":{"role":"user","content":"a"}}',
    "torn": b'{"type":"user","message":{"role":"user","content":"it is %s so',
    "not JSON": b"it is %s so",
    "a text": b'"it is %s so"',
    "not UTF-8": b'{"type":"user","message":{"role":"user","content":"it is %s so \xff"}}',
    "glued": b'{"type":"user","x":"%s"}{"type":"user","y":"%s so"}',
    "half a pair": b'{"type":"user","x":"%s \\ud83d"}',
    "too deep": b'{"type":"user","x":' + b"[" * 600 + b'"%s"' + b"]" * 600 + b"}",
    "far too deep": b'{"x":' + b"[" * 5000 + b'"%s"' + b"]" * 5000 + b"}",
    "NUL": b'\0\0{"type":"user","x":"%s"}',
    "an id": b'{"type":"user","uuid":"%s","sessionId":"%s","parentUuid":"%s"',
}


@pytest.mark.parametrize("damage", DAMAGED)
@pytest.mark.parametrize("is_escaped", [False, True])
def test_no_line_passes_unseen(damage: str, is_escaped: bool, tmp_path: Path) -> None:  # noqa: FBT001
    token = "ghp_" + "a1B2" * 9
    written = "".join(f"\\u{ord(sign):04x}" for sign in token) if is_escaped else token
    line = DAMAGED[damage].replace(b"%s", written.encode())
    SessionBuilder("alpha").user("Begin.").raw(line).assistant("Done.").write(tmp_path)

    found = sent(tmp_path)

    assert token not in found
    assert token not in found.replace("\\u", "")
    assert written not in found
    assert "Done." in found


def test_pictures_documents_and_files_that_are_not_text_stay(tmp_path: Path) -> None:
    blob = random_text(1, 64) * 20
    source = {"type": "base64", "media_type": "image/png", "data": blob}
    page = f"<img src='data:image/png;base64,{blob}'>"
    builder = SessionBuilder("alpha").user("Look:", {"type": "image", "source": source})
    result = {"type": "image", "file": {"base64": blob, "originalSize": 960}}
    builder.tools(Call("Read", {"file_path": "a.png"}, page, tool_use_result=result))
    builder.assistant(thinking("", signature=blob), "Seen.")
    builder.tools(Call("Bash", {"command": "x"}, "long " * 20, persisted=True)).write(tmp_path)
    (sidecar,) = tmp_path.rglob("tool-results/*")
    sidecar.write_bytes(b"\x89PNG" + blob.encode())

    found = sent(tmp_path)

    assert blob[:100] not in found
    assert [
        name for name, _ in own_files(tmp_path, MarkLedger(KEY)) if "tool-results" in name
    ] == []
    assert '"media_type":"image/png"' in found


def test_people_are_not_named(tmp_path: Path) -> None:
    account = "6f1d7c1e-0000-4000-8000-5b1f0f6d2a11"
    builder = SessionBuilder("alpha", cwd="/home/mira/code/demo").user("I am mira.")
    builder.tools(bash("ls /home/mira", "mira@corp.io /Users/mira/x\n"))
    builder.marker("bridge-session", ownerAccountUuid=account).assistant(f"{account}").write(
        tmp_path
    )

    found = sent(tmp_path)

    assert "mira" not in found
    assert account not in found
    assert builder.session_id not in found


def test_marks_are_counters_that_the_ledger_keeps(tmp_path: Path) -> None:
    first, second = MarkLedger(KEY), "DB_PASSWORD=trout99!x"
    SessionBuilder("alpha").user("DB_PASSWORD=salmon77!").assistant(second).write(tmp_path)

    found = sent(tmp_path, first)
    saved = first.take_added()

    assert "[redacted: password 1]" in found
    assert "[redacted: password 2]" in found
    assert {(mark.kind, mark.number) for mark in saved} >= {("password", 1), ("password", 2)}
    assert first.take_added() == []
    again = MarkLedger(KEY, [mark for mark in saved if mark.number == 2])
    assert again.number("secret", "trout99!x") == ("password", 2)
    assert again.number("password", "another1") == ("password", 3)
    assert sent(tmp_path, MarkLedger(KEY, saved)) == found
    assert b"trout" not in b"".join(mark.hash for mark in saved)


def test_what_was_sent_stays_the_same_when_a_session_grows(tmp_path: Path) -> None:
    builder = SessionBuilder("alpha").user(f"DB_PASSWORD={password(1)}").assistant("Yes.")
    builder.write(tmp_path)
    ledger = MarkLedger(KEY)
    before = dict(own_files(tmp_path, ledger))
    builder.user(f"DB_PASSWORD={password(2)}, not {password(1)}").assistant("No.").write(tmp_path)

    after = dict(own_files(tmp_path, MarkLedger(KEY, ledger.take_added())))

    assert after.keys() == before.keys()
    assert all(
        after[name].startswith(data) and after[name] != data for name, data in before.items()
    )


def own_files(root: Path, ledger: MarkLedger) -> Iterator[tuple[str, bytes]]:
    """Give the files of the one session."""
    (session,) = group_sessions(discover(root).files)
    return ((file.file, data) for file, data in project(session, Tier.REDACTED, ledger))


@pytest.mark.parametrize("recording", parameters(HERE))
def test_a_redacted_session_is_read_as_the_original(recording: Any, tmp_path: Path) -> None:
    ids = project_root(recording.root, tmp_path, Tier.REDACTED)
    before, after = conversations(recording.root), conversations(tmp_path)

    assert {ids[name]: facts(own) for name, own in before.items()} == {
        name: facts(own) for name, own in after.items()
    }


def test_a_long_result_in_a_file_of_its_own_is_found_again(tmp_path: Path) -> None:
    home, target = tmp_path / "home", tmp_path / "target"
    call = Call("Bash", {"command": "x"}, "long story " * 20, persisted=True)
    SessionBuilder("alpha").user("Go.").tools(call).assistant("Done.").write(home)

    project_root(home, target, Tier.REDACTED)

    (conversation,) = conversations(target).values()
    assert conversation.tool_calls[0].result_text == "long story " * 20


def test_a_file_that_changes_while_it_is_read_is_not_sent(tmp_path: Path) -> None:
    path = SessionBuilder("alpha").user("One.").assistant("Two.").write(tmp_path)
    (session,) = group_sessions(discover(tmp_path).files)
    masked = SessionRedaction(sources_of(session), KeyedNames(KEY), MarkLedger(KEY))
    path.write_bytes(path.read_bytes().replace(b"Two.", b"DB_PASSWORD=trout99!"))

    with pytest.raises(SourceChangedError):
        list(masked.units(sources_of(session)[0]))


def test_an_unfinished_line_waits(tmp_path: Path) -> None:
    path = SessionBuilder("alpha").user("One.").assistant("Two.").write(tmp_path)
    whole = dict(own_files(tmp_path, MarkLedger(KEY)))
    path.write_bytes(path.read_bytes() + b'{"type":"user"')

    assert dict(own_files(tmp_path, MarkLedger(KEY))) == whole


def test_nothing_and_everything_are_no_projections(tmp_path: Path) -> None:
    SessionBuilder("alpha").user("One.").write(tmp_path)
    (session,) = group_sessions(discover(tmp_path).files)

    assert list(project(session, Tier.NOTHING)) == []
    assert list(project(session, Tier.EVERYTHING)) == []
