"""The API against its own schema, and the schema that stands in the docs.

`python -m tests.web.test_schema` writes the latter again.
"""

import json
from pathlib import Path
from typing import Any, Final

import httpx
import msgspec
import pytest
import schemathesis
from hypothesis import Phase, given, settings
from litestar import Litestar
from schemathesis import Case
from schemathesis.checks import not_a_server_error
from schemathesis.core.result import Ok
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from clew.web import Settings, make_app

DOCUMENT: Final = Path(__file__).parents[2] / "docs" / "openapi.json"
CHECKS: Final = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]


def make_document() -> str:
    """Give the schema as it stands in the docs."""
    app = make_app(Settings(is_followed=False)).app
    assert isinstance(app, Litestar)
    document = msgspec.to_builtins(app.openapi_schema.to_schema())
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def operations() -> dict[str, Any]:
    """Give all that can be asked; a stream has no end to wait for."""
    known = schemathesis.openapi.from_dict(json.loads(make_document()))
    found = known.exclude(path_regex="events").get_all_operations()
    return {one.ok().label: one.ok() for one in found if isinstance(one, Ok)}


@pytest.mark.parametrize("operation", operations().values(), ids=operations())
def test_no_question_of_the_schema_fails(address: str, operation: Any) -> None:
    @settings(max_examples=6, deadline=None, database=None, phases=[Phase.generate])
    @given(case=operation.as_strategy())
    def ask(case: Case[Any]) -> None:
        case.call_and_validate(base_url=address, checks=CHECKS)

    ask()


def test_every_address_of_the_schema_answers_with_its_shape(client: httpx.Client) -> None:
    document = client.get("/api/schema/openapi.json").json()
    known = schemathesis.openapi.from_dict(document)
    session = client.get("/api/sessions", params={"sort": "messages"}).json()["sessions"][0]["id"]
    message = client.get(f"/api/sessions/{session}/messages").json()["messages"][0]["id"]
    given = {"session_id": session, "message_id": message, "number": 0}
    file = client.get("/api/files").json()["files"][0]["path"]
    queries = {
        "/api/search": {"q": "test"},
        "/api/file-uses": {"path": "/home"},
        "/api/file-versions": {"path": file},
        "/api/file-at": {"path": file, "time": "2100-01-01"},
        "/api/blame": {"path": file},
        "/api/compare": {"a": session, "b": session},
        "/api/export": {"session": session},
    }
    for path in document["paths"]:
        if path.endswith("events") or "get" not in document["paths"][path]:
            continue
        names = {name: value for name, value in given.items() if f"{{{name}}}" in path}
        case = known[path]["GET"].Case(path_parameters=names, query=queries.get(path, {}))
        answer = case.call(base_url=str(client.base_url))

        case.validate_response(answer, checks=CHECKS)
        # The samples are in no repository; `tests/insight/test_blame_page.py` has one.
        assert answer.status_code == (404 if path == "/api/blame" else 200), path


def test_the_schema_in_the_docs_is_the_one_that_is_served() -> None:
    assert DOCUMENT.read_text("utf-8") == make_document()


if __name__ == "__main__":
    DOCUMENT.write_text(make_document(), "utf-8")
