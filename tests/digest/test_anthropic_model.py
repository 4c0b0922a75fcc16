"""The real SDK against a scripted server."""

import socket

import pytest

from clew.digest import ModelRequest
from clew.digest_models import (
    AnthropicModel,
    ApiAccess,
    CallLimits,
    ModelError,
    NoModelKeyError,
    find_access,
)
from tests.digest.model_server import (
    Answer,
    Connection,
    ModelServer,
    begin_message,
    drip,
    drip_head,
    drip_refusal,
    drop_midway,
    end_message,
    end_midway,
    fail_midway,
    flood,
    go_on_after,
    refuse,
    say,
    send_bomb,
    send_garbage,
    send_page,
    send_text,
    serve_model,
)

MODEL = "claude-haiku-4-5"
SCHEMA: dict[str, object] = {
    "type": "object",
    "properties": {"title": {"type": "string", "maxLength": 60}},
    "required": ["title"],
    "additionalProperties": False,
}
REQUEST = ModelRequest(
    instructions="Write a digest.", text="a session", schema=SCHEMA, max_output_tokens=500
)
QUICK = CallLimits(attempts=3, first_wait=0.01, longest_wait=5)


def model_at(url: str, limits: CallLimits = QUICK) -> AnthropicModel:
    return AnthropicModel(MODEL, ApiAccess("key", base_url=url), limits)


def failure(server: ModelServer, limits: CallLimits = QUICK) -> ModelError:
    with pytest.raises(ModelError) as raised:
        model_at(server.url, limits).ask(REQUEST)
    return raised.value


def test_an_answer_comes_with_its_price() -> None:
    with serve_model(say('{"title": "Tests added"}')) as server:
        reply = model_at(server.url).ask(REQUEST)

    assert reply.text == '{"title": "Tests added"}'
    # 1,000 tokens at 1 dollar and 200 at 5 dollars for a million
    assert reply.cost_nano_usd == 1000 * 1000 + 200 * 5000
    assert (reply.input_tokens, reply.output_tokens) == (1000, 200)


def test_the_request_has_instructions_text_shape_and_a_limit() -> None:
    with serve_model(say("{}")) as server:
        model_at(server.url).ask(REQUEST)

    (body,) = server.requests
    assert body["system"] == "Write a digest."
    assert body["messages"] == [{"role": "user", "content": "a session"}]
    assert body["max_tokens"] == 500
    assert body["stream"] is True
    assert body["output_config"]["format"]["type"] == "json_schema"
    assert "tools" not in body
    assert server.headers[0]["authorization"] == "Bearer key"


def test_a_model_without_a_price_answers_at_an_unknown_cost() -> None:
    with serve_model(say("{}")) as server:
        model = AnthropicModel("my-model", ApiAccess("key", base_url=server.url), QUICK)

        assert model.ask(REQUEST).cost_nano_usd is None
        assert model.highest_cost(REQUEST) >= model_at(server.url).highest_cost(REQUEST)


@pytest.mark.parametrize("usage", [{}, {"input_tokens": None}, {"input_tokens": -(10**9)}])
def test_an_answer_whose_usage_makes_no_sense_has_an_unknown_cost(usage: dict[str, object]) -> None:
    def answer(to: Connection) -> None:
        begin_message(to, usage)
        send_text(to, "{}")
        end_message(to, "end_turn", 200)

    with serve_model(answer) as server:
        reply = model_at(server.url).ask(REQUEST)

    assert (reply.text, reply.cost_nano_usd, reply.input_tokens) == ("{}", None, 0)


@pytest.mark.parametrize(
    "busy",
    [
        refuse(429, "rate_limit_error", retry_after="0.01"),
        refuse(529, "overloaded_error"),
        refuse(500, "api_error"),
        refuse(503, "api_error"),
    ],
)
def test_a_busy_server_is_asked_again(busy: Answer) -> None:
    with serve_model(busy, busy, say("{}")) as server:
        assert model_at(server.url).ask(REQUEST).text == "{}"

    assert len(server.requests) == 3


def test_a_server_that_stays_busy_is_asked_so_often_and_costs_nothing() -> None:
    with serve_model(refuse(529, "overloaded_error")) as server:
        error = failure(server)

    assert str(error) == "claude-haiku-4-5 is overloaded; try again later"
    assert error.cost_nano_usd == 0
    assert len(server.requests) == 3


def test_nobody_waits_for_hours() -> None:
    with serve_model(refuse(429, "rate_limit_error", retry_after="7200")) as server:
        error = failure(server)

    assert str(error) == "the rate limit of claude-haiku-4-5 is reached; try again later"
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (refuse(401, "authentication_error"), "does not accept the key; check ANTHROPIC_API_KEY"),
        (refuse(403, "permission_error"), "does not accept the key"),
        (refuse(404, "not_found_error"), "has no model 'claude-haiku-4-5'; check its name"),
        (refuse(413, "request_too_large"), "too large for claude-haiku-4-5"),
        (
            refuse(400, "invalid_request_error", "credit\x1b[2J\n too low " + "x" * 999),
            "refused the request (400): credit [2J too low xxx",
        ),
    ],
)
def test_a_refusal_is_explained_at_once(answer: Answer, words: str) -> None:
    with serve_model(answer) as server:
        error = failure(server)

    assert words in str(error)
    assert len(str(error)) < 300
    assert error.cost_nano_usd == 0
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (drop_midway, "ended too early or cannot be read"),
        (end_midway, "ended too early or cannot be read"),
        (send_garbage, "ended too early or cannot be read"),
        (send_page, "ended too early or cannot be read"),
        (fail_midway("overloaded_error"), "is overloaded"),
        (fail_midway("rate_limit_error"), "rate limit"),
        (fail_midway("api_error"), "failed with status 500"),
    ],
)
def test_an_answer_that_breaks_off_is_not_repeated_since_its_cost_is_unknown(
    answer: Answer, words: str
) -> None:
    with serve_model(answer, say("{}")) as server:
        error = failure(server)

    assert words in str(error)
    assert error.cost_nano_usd is None
    assert len(server.requests) == 1


def test_an_answer_that_drips_ends_in_time() -> None:
    with serve_model(drip) as server:
        error = failure(server, CallLimits(answer_seconds=0.3))

    assert str(error) == "claude-haiku-4-5 did not answer within 0.3 seconds; try again later"
    assert error.cost_nano_usd is None


@pytest.mark.parametrize("answer", [drip_head, drip_refusal])
def test_whatever_drips_ends_in_time(answer: Answer) -> None:
    with serve_model(answer) as server:
        error = failure(server, CallLimits(answer_seconds=0.3))

    assert "did not answer within 0.3 seconds" in str(error)
    assert error.cost_nano_usd is None
    assert len(server.requests) == 1


@pytest.mark.parametrize("kind", ["text", "thinking", "pings", "one event", "refusal"])
def test_an_endless_answer_is_ended_when_it_is_too_large(kind: str) -> None:
    with serve_model(flood(kind)) as server:
        error = failure(server, CallLimits(answer_bytes=1 << 18))

    assert str(error) == (
        "the answer of claude-haiku-4-5 was ended after 256 KiB; use another model"
    )
    assert error.cost_nano_usd is None
    assert len(server.requests) == 1


def test_a_compressed_answer_is_not_unpacked() -> None:
    with serve_model(send_bomb) as server:
        error = failure(server, CallLimits(answer_bytes=1 << 20))

    assert server.headers[0]["accept-encoding"] == "identity"
    assert "ended too early or cannot be read" in str(error)
    assert error.cost_nano_usd is None


def test_an_answer_is_over_with_its_last_event() -> None:
    with serve_model(go_on_after(is_over=True)) as server:
        reply = model_at(server.url, CallLimits(answer_bytes=1 << 18)).ask(REQUEST)

    assert (reply.text, reply.cost_nano_usd) == ("{}", 1000 * 1000 + 200 * 5000)


def test_an_answer_that_is_ended_after_its_usage_has_a_known_cost() -> None:
    with serve_model(go_on_after(is_over=False)) as server:
        error = failure(server, CallLimits(answer_bytes=1 << 18))

    assert "was ended after 256 KiB" in str(error)
    assert error.cost_nano_usd == 1000 * 1000 + 200 * 5000


@pytest.mark.parametrize(
    "block",
    [{"type": "text", "text": 5}, {"type": "text", "text": ["a"]}, {"type": ["text"]}, [], None, 5],
)
def test_an_answer_of_another_shape_cannot_be_read(block: object) -> None:
    def answer(to: Connection) -> None:
        begin_message(to)
        to.event("content_block_start", index=1, content_block=block)
        end_message(to, "end_turn", 200)

    with serve_model(answer) as server:
        error = failure(server)

    assert "ended too early or cannot be read" in str(error)


def test_a_server_that_hangs_up_may_have_to_be_paid() -> None:
    with serve_model(lambda to: to.drop()) as server:
        error = failure(server)

    assert "ended too early or cannot be read" in str(error)
    assert error.cost_nano_usd is None
    assert len(server.requests) == 1


def test_a_silent_server_ends_in_time() -> None:
    with serve_model(lambda _: (server.ended.wait(30), None)[1]) as server:
        error = failure(server, CallLimits(silent_seconds=0.3))

    assert "did not answer within 0.3 seconds" in str(error)
    assert error.cost_nano_usd is None


def test_a_model_that_declines_costs_what_it_read() -> None:
    with serve_model(say("", stop="refusal", output_tokens=1)) as server:
        error = failure(server)

    assert "claude-haiku-4-5 declined to write a digest" in str(error)
    assert error.cost_nano_usd == 1000 * 1000 + 5000


def test_an_answer_that_is_too_long_is_an_error() -> None:
    with serve_model(say('{"title": "', stop="max_tokens", output_tokens=500)) as server:
        error = failure(server)

    assert "was cut off at 500 tokens" in str(error)
    assert error.cost_nano_usd == 1000 * 1000 + 500 * 5000


def test_a_server_that_is_not_there() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}"

        with pytest.raises(ModelError, match="cannot connect to http://127") as raised:
            model_at(url).ask(REQUEST)

    assert raised.value.cost_nano_usd == 0


def test_the_environment_comes_before_the_settings() -> None:
    environ = {"ANTHROPIC_API_KEY": "mine", "ANTHROPIC_BASE_URL": "http://here"}

    assert find_access(environ, "set", "http://set") == ApiAccess("mine", "", "http://here")
    assert find_access({}, "set", "http://set") == ApiAccess("set", "", "http://set")
    assert find_access({"ANTHROPIC_AUTH_TOKEN": "t"}, "set") == ApiAccess("", "t", "")
    with pytest.raises(NoModelKeyError, match="set ANTHROPIC_API_KEY"):
        find_access({})
