from typing import Any

import pytest

from clew.entries.misfits import drop_misfit

INT = "Expected `int`, got `str`"


def dropped(record: dict[str, Any], error: str) -> tuple[dict[str, Any], str, str]:
    given = drop_misfit(record, error)
    assert given is not None
    kept, problem = given
    return kept, problem.kind, problem.text


def test_a_field_is_taken_out() -> None:
    kept, kind, text = dropped({"a": "x", "b": 1}, f"{INT} - at `$.a`")

    assert (kept, kind, text) == ({"b": 1}, "wrong_shape", f"a: {INT}")


def test_a_field_further_down_is_taken_out() -> None:
    record = {"a": [{"b": {"c": "x", "d": 1}}, 7]}

    kept, _, text = dropped(record, f"{INT} - at `$.a[0].b.c`")

    assert kept == {"a": [{"b": {"d": 1}}, 7]}
    assert text == f"a.[].b.c: {INT}"


def test_the_record_itself_is_left_as_it_was() -> None:
    record = {"a": {"b": "x"}}

    dropped(record, f"{INT} - at `$.a.b`")

    assert record == {"a": {"b": "x"}}


def test_an_item_goes_with_its_list() -> None:
    assert dropped({"a": [1, "x"], "b": 2}, f"{INT} - at `$.a[1]`")[0] == {"b": 2}


def test_free_keys_go_with_their_object() -> None:
    record = {"models": {"m": {"n": "x"}}, "b": 2}

    kept, _, text = dropped(record, f"{INT} - at `$.models[...].n`")

    assert kept == {"b": 2}
    assert text == f"models: {INT}"


@pytest.mark.parametrize(
    "error",
    [
        "Object missing required field `message`",
        "Expected `str`, got `int` - at `$.type`",
        "Expected `str`, got `int` - at `key` in `$.a`",
        f"{INT} - at `$`",
        f"{INT} - at `$[0]`",
        f"{INT} - at `$.absent`",
        "",
    ],
)
def test_what_cannot_be_taken_out_is_left_to_the_caller(error: str) -> None:
    assert drop_misfit({"type": "user", "a": {"b": 1}}, error) is None


@pytest.mark.parametrize(
    ("record", "path", "where"),
    [
        ({"attachment": {"type": "zz"}}, "attachment.type", "attachment"),
        ({"data": {"type": "zz"}}, "data.type", "data"),
        ({"content": [{"type": "zz"}]}, "content[0].type", "content.[]"),
        (
            {"message": {"content": [{"type": "zz"}]}},
            "message.content[0].type",
            "message.content.[]",
        ),
        (
            {"attachment": {"prompt": [{"type": "zz"}]}},
            "attachment.prompt[0].type",
            "attachment.prompt.[]",
        ),
    ],
)
def test_an_object_of_an_unknown_type_is_kept_as_other(
    record: dict[str, Any], path: str, where: str
) -> None:
    kept, kind, text = dropped(record, f"Invalid value 'zz' - at `$.{path}`")

    assert '"type": "other"' in str(kept).replace("'", '"')
    assert (kind, text) == ("unknown_type", f"{where} of type 'zz'")


def test_blocks_of_one_unknown_type_are_all_kept_at_once() -> None:
    zz, text, yy = {"type": "zz"}, {"type": "text"}, {"type": "yy"}

    kept, _, _ = dropped(
        {"content": [text, zz, yy, zz]}, "Invalid value 'zz' - at `$.content[1].type`"
    )

    other = {"type": "other", "kind": "zz", "value": zz}
    assert kept["content"] == [text, other, yy, other]


def test_bare_strings_among_blocks_become_text_at_once() -> None:
    kept, _, _ = dropped(
        {"content": ["a", 7, "b"]}, "Expected `object`, got `str` - at `$.content[0]`"
    )

    assert kept["content"] == [{"type": "text", "text": "a"}, 7, {"type": "text", "text": "b"}]


def test_a_type_with_a_long_name_is_told_in_short() -> None:
    name = "z" * 1000

    _, _, text = dropped({"data": {"type": name}}, f"Invalid value {name!r} - at `$.data.type`")

    assert len(text) < 100
