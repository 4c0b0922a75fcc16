import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from clew.analytics import display_name, is_synthetic, normalise, price_table, region_of

VERTEX = "projects/p"
ARN = "arn:aws:bedrock:us-east-1:123456789012"


@pytest.mark.parametrize(
    ("model", "name"),
    [
        ("claude-sonnet-4-5", "claude-sonnet-4-5"),
        ("claude-sonnet-4-5-20250929", "claude-sonnet-4-5"),
        ("claude-sonnet-4-5-2025-09-29", "claude-sonnet-4-5"),
        ("claude-sonnet-4-5-latest", "claude-sonnet-4-5"),
        ("claude-sonnet-4-5-20250929[1m]", "claude-sonnet-4-5"),
        ("claude-opus-4-6[1m]", "claude-opus-4-6"),
        ("claude-opus-4-6[200k]", "claude-opus-4-6"),
        ("claude-opus-4-20250514", "claude-opus-4"),
        ("claude-opus-4-1-20250805", "claude-opus-4-1"),
        ("claude-haiku-4-5-20250929", "claude-haiku-4-5"),
        ("claude-3-7-sonnet-20250219", "claude-3-7-sonnet"),
        ("claude-3-5-haiku-latest", "claude-3-5-haiku"),
        ("claude-3-opus-20240229", "claude-3-opus"),
        (" Claude-Opus-5-5 ", "claude-opus-5-5"),
    ],
)
def test_suffixes_and_dates_do_not_change_a_model(model: str, name: str) -> None:
    assert normalise(model) == name


@pytest.mark.parametrize(
    ("model", "region"),
    [
        ("claude-opus-5-5", ""),
        ("anthropic.claude-opus-4-5-20251101-v1:0", ""),
        ("global.anthropic.claude-opus-5-5", ""),
        ("us.anthropic.claude-opus-5-5", "regional"),
        ("EU.anthropic.claude-opus-4-6-v1", "regional"),
        ("apac.anthropic.claude-sonnet-4-20250514-v1:0", "regional"),
        ("jp.anthropic.claude-sonnet-4-5-20250929-v1:0[1m]", "regional"),
        ("us-gov.anthropic.claude-3-7-sonnet-20250219-v1:0", "gov"),
        (f"{ARN}:inference-profile/us.anthropic.claude-opus-4-8", "regional"),
        (f"{ARN}:inference-profile/global.anthropic.claude-opus-4-8", ""),
        (f"{VERTEX}/locations/us-east5/publishers/anthropic/models/claude-opus-5-5", "regional"),
        (f"{VERTEX}/locations/global/publishers/anthropic/models/claude-opus-5-5", ""),
        ("claude-opus-4-5@20251101", ""),
        ("us.meta.llama4", ""),
    ],
)
def test_an_id_tells_whether_requests_stay_in_a_region(model: str, region: str) -> None:
    assert region_of(model) == region


@pytest.mark.parametrize(
    ("model", "name"),
    [
        ("anthropic.claude-sonnet-4-5-20250929-v1:0", "claude-sonnet-4-5"),
        ("us.anthropic.claude-sonnet-4-5-20250929-v1:0", "claude-sonnet-4-5"),
        ("us.anthropic.claude-sonnet-4-5-20250929-v1:0[1m]", "claude-sonnet-4-5"),
        ("eu.anthropic.claude-opus-4-6-v1", "claude-opus-4-6"),
        ("apac.anthropic.claude-sonnet-4-20250514-v1:0", "claude-sonnet-4"),
        ("us-gov.anthropic.claude-3-7-sonnet-20250219-v1:0", "claude-3-7-sonnet"),
        ("global.anthropic.claude-opus-5-5", "claude-opus-5-5"),
        ("anthropic.claude-3-5-sonnet-20241022-v2:0", "claude-3-5-sonnet"),
        ("anthropic.claude-3-haiku-20240307-v1:0:200k", "claude-3-haiku"),
        (f"{ARN}:inference-profile/us.anthropic.claude-opus-4-8", "claude-opus-4-8"),
        (
            f"{ARN}:inference-profile/us.anthropic.claude-opus-4-5-20251101-v1:0",
            "claude-opus-4-5",
        ),
        (
            "arn:aws:bedrock:eu-west-1::foundation-model/anthropic.claude-3-opus-20240229-v1:0",
            "claude-3-opus",
        ),
    ],
)
def test_bedrock_ids_name_the_model_they_serve(model: str, name: str) -> None:
    assert normalise(model) == name


@pytest.mark.parametrize(
    ("model", "name"),
    [
        ("claude-sonnet-4-5@20250929", "claude-sonnet-4-5"),
        ("claude-opus-4-6@default", "claude-opus-4-6"),
        ("claude-opus-4@20250514[1m]", "claude-opus-4"),
        ("claude-3-5-sonnet-v2@20241022", "claude-3-5-sonnet"),
        ("publishers/anthropic/models/claude-haiku-4-5@20251001", "claude-haiku-4-5"),
        ("vertex_ai/claude-3-7-sonnet@20250219", "claude-3-7-sonnet"),
        ("anthropic/claude-sonnet-5", "claude-sonnet-5"),
        ("anthropic/claude-opus-4.8", "claude-opus-4-8"),
        ("openrouter/anthropic/claude-3.7-sonnet", "claude-3-7-sonnet"),
        ("bedrock/us.anthropic.claude-opus-5-5", "claude-opus-5-5"),
        ("anthropic:claude-haiku-5-5", "claude-haiku-5-5"),
    ],
)
def test_vertex_ids_and_provider_prefixes_name_the_model_they_serve(model: str, name: str) -> None:
    assert normalise(model) == name


@pytest.mark.parametrize(
    ("model", "name"),
    [
        ("claude-opus-4-0", "claude-opus-4"),
        ("claude-sonnet-4-0", "claude-sonnet-4"),
        ("claude-4-opus-20250514", "claude-opus-4"),
        ("claude-4-5-sonnet", "claude-sonnet-4-5"),
        ("claude-sonnet-3-7", "claude-3-7-sonnet"),
        ("claude-haiku-3.5", "claude-3-5-haiku"),
        ("claude-opus-5.0", "claude-opus-5"),
    ],
)
def test_aliases_lead_to_one_name(model: str, name: str) -> None:
    assert normalise(model) == name


@pytest.mark.parametrize(
    "model",
    [
        "",
        "glm-4.7",
        "opus",
        "claude",
        "claude-2.1",
        "claude-opus",
        "claude-opus-5-5-fast",
        "claude-opus-5-5-5",
        "claude-opus-5-55555",
        "my-claude-opus-5-5",
        "claude-opus-5-5[fast]",
        "claude-opus-5-5\nclaude-opus-5",
        "claude-opus-٥",  # noqa: RUF001, a digit of another script
        f"{ARN}:application-inference-profile/abc123",
    ],
)
def test_what_is_not_a_claude_id_comes_back_as_it_is(model: str) -> None:
    assert normalise(model) == model
    assert display_name(model) == model


def test_every_name_in_the_price_table_is_its_own_normal_form() -> None:
    names = [price.model for price in price_table().rows]

    assert [normalise(name) for name in names] == names


@given(st.text())
def test_normalising_twice_equals_normalising_once(model: str) -> None:
    assert normalise(normalise(model)) == normalise(model)


@given(st.text(alphabet="abcdefghijklmnopqrstuvwxyz", min_size=1, max_size=8))
def test_a_word_after_a_known_name_makes_it_unknown(word: str) -> None:
    assume(word not in {"latest", "default"})

    assert normalise(f"claude-opus-5-5-{word}") == f"claude-opus-5-5-{word}"


@pytest.mark.parametrize(
    ("model", "name"),
    [
        ("claude-opus-5-5", "Opus 5.5"),
        ("claude-sonnet-4-5-20250929", "Sonnet 4.5"),
        ("claude-3-7-sonnet-20250219", "Sonnet 3.7"),
        ("claude-opus-4-20250514", "Opus 4"),
        ("us.anthropic.claude-haiku-4-5-20251001-v1:0", "Haiku 4.5"),
        ("claude-mythos-5-1", "Mythos 5.1"),
        ("<synthetic>", "<synthetic>"),
        ("gpt-5", "gpt-5"),
    ],
)
def test_people_read_family_and_version(model: str, name: str) -> None:
    assert display_name(model) == name


def test_synthetic_is_known_as_no_call() -> None:
    assert is_synthetic("<synthetic>")
    assert not is_synthetic("glm-4.7")
    assert normalise("<synthetic>") == "<synthetic>"
