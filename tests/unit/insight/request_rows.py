"""Rows of a client that writes its requests down, each hashed with the standard library alone."""

import hashlib
import json
from pathlib import Path
from typing import Any

from clew.conversation import Material
from clew.insight import RequestLog
from clew.sessions import find, gather

SESSION = "11111111-2222-4333-8444-555555555555"


def sha256(message: dict[str, Any]) -> str:
    """Hash a message as its client does."""
    text = json.dumps(message, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


def said(role: str, *blocks: Any) -> dict[str, Any]:
    """Make a message of blocks, or of words."""
    is_words = len(blocks) == 1 and isinstance(blocks[0], str)
    return {"role": role, "content": blocks[0] if is_words else list(blocks)}


def row(kind: str, number: int, message: dict[str, Any], **more: Any) -> dict[str, Any]:
    """Make a row of talk."""
    return {
        "type": kind,
        "uuid": f"00000000-0000-4000-8000-{number:012}",
        "parentUuid": f"00000000-0000-4000-8000-{number - 1:012}" if number > 1 else None,
        "sessionId": SESSION,
        "timestamp": f"2026-11-01T09:{number // 60:02}:{number % 60:02}.000Z",
        "version": "2.1.325",
        "cwd": "/home/dev/demo",
        "isSidechain": False,
        "message": message,
        **more,
    }


def answer(number: int, name: str, ref: str, *blocks: Any, **usage: int) -> dict[str, Any]:
    """Make the row of an answer to a request."""
    counts = {"input_tokens": 10, "output_tokens": 5, **usage}
    message = {
        "id": name,
        "type": "message",
        "model": "claude-opus-5-5",
        "stop_reason": "end_turn",
        "usage": counts,
        **said("assistant", *blocks),
    }
    return row("assistant", number, message, requestRef=ref)


def request(name: str, tail: list[str], base: str = "", keep: int = 0, **more: Any) -> Any:
    """Make the row of a request."""
    marks = {"withheld": [], "cacheControl": [], "params": {"model": "claude-opus-5-5"}}
    based = {"base": base} if base else {}
    return {
        "type": "api-request",
        "sessionId": SESSION,
        "id": name,
        "timestamp": "2026-11-01T09:00:00.000Z",
        "shapeHash": "shape",
        "keep": keep,
        "tail": tail,
        **based,
        **marks,
        **more,
    }


def blob(message: dict[str, Any], name: str = "") -> dict[str, Any]:
    """Make the row of a message that no other row has."""
    return {
        "type": "api-request-blob",
        "sessionId": SESSION,
        "hash": name or sha256(message),
        "message": message,
    }


def write(folder: Path, *rows: dict[str, Any]) -> Path:
    """Write a transcript."""
    path = folder / f"{SESSION}.jsonl"
    path.write_text("".join(json.dumps(one, separators=(",", ":")) + "\n" for one in rows), "utf-8")
    return path


def material_of(folder: Path, *rows: dict[str, Any]) -> Material:
    """Read the material of a transcript."""
    return gather(find(write(folder, *rows))[0])


def log_of(folder: Path, *rows: dict[str, Any]) -> RequestLog:
    """Read the requests of a transcript."""
    return RequestLog(material_of(folder, *rows))
