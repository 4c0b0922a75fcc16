"""`--redact` in every format: whatever holds a secret, and however it is spread out."""

import re
from pathlib import Path
from typing import Any

import pytest

from clew.cli import main
from tests.build import Call, SessionBuilder, bash, edit, read

BODY = ("MIIEvQIBADANBgkqhkiG9w0BAQEFAASC", "BKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj", "q9M2f/7xKLw0pT3v")
BEGIN = "-----BEGIN PRIVATE " + "KEY-----"
END = "-----END PRIVATE " + "KEY-----"
BLOCK = "\n".join((BEGIN, *BODY, END))
TOKEN = "ghp_" + "a1B2c3D4e5" * 3 + "F6g7H8"
HASH = "Qx7Rk2Lm9Tz4Wd6Pb1Vn8Jc3Hs5Gf0Ya"
FORMATS = ("html", "markdown", "json", "page", "terminal")

INPUTS: dict[str, dict[str, Any]] = {
    "a key that is a name": {BEGIN: BODY[0], BODY[1]: END},
    "a key of three fields": {"first": BEGIN, "second": BODY[0], "third": END},
    "a key of many fields": {"a": BEGIN, "b": BODY[0], "c": BODY[1], "d": BODY[2], "e": END},
    "a key in a list": {"lines": [BEGIN, *BODY, END]},
    "a key in nested lists": {"lines": [[BEGIN, BODY[0]], [BODY[1], END]]},
    "a key without its end": {"first": BEGIN, "second": BODY[0]},
    "a key without its beginning": {"second": BODY[0], "third": END},
    "a key and its name": {BLOCK: BLOCK},
}
TEXTS: dict[str, tuple[str, str]] = {
    "pgpass": ("db.corp.io:5432:app:svc:hunter2xyz", "hunter2xyz"),
    "pgpass for all": ("*:*:*:svc:hunter2xyz", "hunter2xyz"),
    "htpasswd, apr1": (f"svc:$apr1$x8Kd2LmQ${HASH[:22]}", HASH[:22]),
    "htpasswd, bcrypt": (f"svc:$2y$05${HASH}{HASH[:21]}", HASH),
    "htpasswd, sha": (f"svc:{{SHA}}{HASH[:27]}=", HASH[:27]),
    "shadow, sha512": (f"svc:$6$x8Kd2LmQ${HASH}{HASH}{HASH[:22]}:19700:0:99999:7:::", HASH),
    "shadow, yescrypt": (f"svc:$y$j9T$x8Kd2LmQ${HASH}{HASH[:11]}:19700:0:99999:7:::", HASH),
    "zero width": (f"it is {TOKEN[:12]}\u200b{TOKEN[12:]} so", TOKEN),
    "soft hyphens": ("it is " + "\u00ad".join(TOKEN) + " so", TOKEN),
}


def shown(folder: Path, form: str, capsys: pytest.CaptureFixture[str]) -> str:
    """Show the one session without its secrets; invisible characters hide nothing."""
    target = folder / "shown.out"
    words = ["show", "--format", form, "--detail", "everything", "--redact", "-o", str(target)]
    assert main(words) == 0
    capsys.readouterr()
    return re.sub(r"[\u200b\u00ad]|\\u200b|\\u00ad|&shy;", "", target.read_text("utf-8"))


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("kind", INPUTS)
def test_a_private_key_in_pieces_is_shown_in_no_format(
    machine: Path, kind: str, form: str, capsys: pytest.CaptureFixture[str]
) -> None:
    calls = (Call("mcp__box__put", INPUTS[kind], "stored"), Call("Madeup", INPUTS[kind], "stored"))
    SessionBuilder("alpha").user("Store it.").tools(*calls).assistant("Done.").write(machine)

    text = shown(machine, form, capsys)

    assert not [line for line in BODY if line[:12] in text]
    assert "[redacted: private-key 1]" in text


@pytest.mark.parametrize("form", FORMATS)
def test_a_private_key_in_a_diff_is_shown_in_no_format(
    machine: Path, form: str, capsys: pytest.CaptureFixture[str]
) -> None:
    change = edit("/app/key.pem", f"a\n{BLOCK}\nb\n", f"a\n{BLOCK}\nb", "a\nb")
    SessionBuilder("alpha").user("Take it out.").tools(change).assistant("Done.").write(machine)

    text = shown(machine, form, capsys)

    assert not [line for line in BODY if line[:12] in text]


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("kind", TEXTS)
def test_a_secret_is_shown_in_no_format(
    machine: Path, kind: str, form: str, capsys: pytest.CaptureFixture[str]
) -> None:
    text, secret = TEXTS[kind]
    builder = SessionBuilder("alpha").user(f"Look:\n{text}\nor so")
    builder.tools(bash("cat it", f"{text}\n"), read("/etc/it", f"# it\n{text}\n")).assistant(text)
    builder.tools(Call("Madeup", {"line": text, "lines": [text]}, text)).write(machine)

    assert secret not in shown(machine, form, capsys)
