"""Trees of structs and containers, rebuilt only where they hold secrets."""

from typing import Any, Literal, NamedTuple

import msgspec
import pytest

from clew.redact import Redactor, find_tree_secrets, redact_tree
from clew.redact.tree import strings_of

GITHUB = "ghp_" + "a1B2" * 9
MARK = "[redacted: github-token 1]"
PASSWORD = "hunter" + "2!xyz"


class Leaf(msgspec.Struct, frozen=True):
    text: str
    kind: Literal["zebra", "plain"] = "plain"
    level: Literal["zebra"] | None = None


class Page(msgspec.Struct, frozen=True):
    title: str
    leaves: tuple[Leaf, ...] = ()
    input: Any = None
    data: str = ""
    count: int = 0


class Pair(NamedTuple):
    left: str
    right: str


def test_only_what_holds_a_secret_is_rebuilt() -> None:
    page = Page("a page", (Leaf("kept"), Leaf(f"has {GITHUB}")), {"a": ["kept"]}, count=3)

    masked = redact_tree(page, Redactor())

    assert masked == msgspec.structs.replace(page, leaves=(Leaf("kept"), Leaf(f"has {MARK}")))
    assert masked.leaves[0] is page.leaves[0]
    assert masked.input is page.input


def test_a_tree_without_secrets_is_the_same_object() -> None:
    page = Page("a page", (Leaf("kept"),), {"a": [1, None, 2.5, True, ("b",)]})

    assert redact_tree(page, Redactor()) is page


def test_strings_are_found_in_every_container() -> None:
    tree = {"a": [GITHUB], "b": (GITHUB, 1), "c": {"d": {GITHUB}}, "e": Pair("x", GITHUB)}

    masked = redact_tree(tree, Redactor())

    assert masked == {"a": [MARK], "b": (MARK, 1), "c": {"d": {MARK}}, "e": Pair("x", MARK)}


def test_keys_are_masked_and_none_is_lost_when_two_become_one() -> None:
    tree = {"/home/mira/a": 1, "/home/sam/a": 2, "b": 3}

    masked = redact_tree(tree, Redactor())

    assert sorted(masked.values()) == [1, 2, 3]
    assert not [key for key in masked if "mira" in key or "sam" in key]


def test_pictures_in_fields_and_keys_to_leave_are_not_looked_at() -> None:
    picture = "iVBORw0KGgo" + "AKIAB7CDXF2GHQJK3LMN/" * 20
    page = Page(GITHUB, input={"data": picture, "raw": picture}, data=picture)

    masked = redact_tree(page, Redactor(), leave=frozenset({"data", "raw"}))

    assert masked == Page(MARK, input={"data": picture, "raw": picture}, data=picture)


def test_what_is_no_picture_is_looked_at_whatever_its_name() -> None:
    page = Page("x", input={"data": {"data": f"is {GITHUB}"}}, data=GITHUB)

    assert redact_tree(page, Redactor()) == Page(
        "x", input={"data": {"data": f"is {MARK}"}}, data=MARK
    )


def test_a_field_that_is_a_choice_of_literals_is_not_text() -> None:
    leaf = Leaf("a zebra", kind="zebra", level="zebra")

    masked = redact_tree(leaf, Redactor(["zebra"]))

    assert masked == Leaf("a [redacted: user-name 1]", kind="zebra", level="zebra")


def test_a_password_is_masked_in_strings_before_the_one_that_tells_of_it() -> None:
    masked = redact_tree([f"tried {PASSWORD}", f"password={PASSWORD}"], Redactor())

    assert masked == ["tried [redacted: password 1]", "password=[redacted: password 1]"]


def test_a_tree_deeper_than_the_stack_is_walked() -> None:
    tree: Any = GITHUB
    for _ in range(5000):
        tree = [tree]

    assert list(strings_of(redact_tree(tree, Redactor()))) == [MARK]


def test_secrets_of_a_tree_are_found_without_a_change() -> None:
    found = find_tree_secrets(Page("x", (Leaf(GITHUB),), {"a": GITHUB}))

    assert [(finding.rule, finding.count) for finding in found] == [("github-token", 2)]


def test_a_key_in_lines_side_by_side_is_one_secret() -> None:
    lines = (
        "+-----BEGIN RSA PRIVATE " + "KEY-----",
        "+" + "aB3dE6gH9jK2mN5p" * 4,
        "+-----END RSA PRIVATE " + "KEY-----",
    )

    found = find_tree_secrets({"hunks": [{"lines": lines}]})

    assert [(finding.rule, finding.count) for finding in found] == [("private-key", 1)]


def test_fields_side_by_side_are_read_each_alone() -> None:
    found = find_tree_secrets({"a": "Authorization: Bearer", "b": "aB3dE6gH9jK2mN5p"})

    assert found == []


def test_a_private_key_in_the_lines_of_a_diff_is_masked() -> None:
    body = [f"+{row}" + "aB3/" * 15 for row in "MNOP"]
    key = ["+-----BEGIN PRIVATE KEY-----", *body, "+-----END PRIVATE KEY-----"]
    tree = {"lines": (" before", *key, " after")}

    masked = redact_tree(tree, Redactor())

    marks = ["+[redacted: private-key 1]"] * 4
    assert masked == {"lines": (" before", key[0], *marks, key[-1], " after")}


def test_lines_that_only_speak_of_private_keys_are_the_same_object() -> None:
    tree = ["how to make a PRIVATE KEY", "and where to put it"]

    assert redact_tree(tree, Redactor()) is tree


LINE = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7"
BEGIN = "-----BEGIN PRIVATE " + "KEY-----"
END = "-----END PRIVATE " + "KEY-----"
KEY_MARK = "[redacted: private-key 1]"


@pytest.mark.parametrize(
    ("tree", "masked"),
    [
        ({BEGIN: LINE, "x": END}, {BEGIN: KEY_MARK, "x": END}),
        (
            {"a": BEGIN, "b": LINE, "c": LINE[::-1], "d": END},
            {"a": BEGIN, "b": KEY_MARK, "c": KEY_MARK, "d": END},
        ),
        (
            ((BEGIN, LINE), ("more", LINE[::-1]), (END, "")),
            ((BEGIN, KEY_MARK), ("more", KEY_MARK), (END, "")),
        ),
        ([BEGIN, LINE, "aB3", END], [BEGIN, KEY_MARK, KEY_MARK, END]),
        ([LINE, LINE[::-1], END], [KEY_MARK, KEY_MARK, END]),
        (
            ["Private-Lines: 2", LINE, LINE[::-1], "Private-MAC: no"],
            ["Private-Lines: 2", KEY_MARK, KEY_MARK, "Private-MAC: no"],
        ),
        (["box " + LINE[:30] + "…", BEGIN, LINE], [f"box {KEY_MARK}…", BEGIN, KEY_MARK]),
        ([f"id_rsa:1:{BEGIN}", f"id_rsa:2:{LINE}"], [f"id_rsa:1:{BEGIN}", f"id_rsa:2:{KEY_MARK}"]),
        ([BEGIN, f"\x1b[32m{LINE}\x1b[0m"], [BEGIN, KEY_MARK]),
        (Pair(BEGIN, LINE), Pair(BEGIN, KEY_MARK)),
    ],
)
def test_a_key_in_pieces_is_masked_and_the_tree_keeps_its_shape(tree: Any, masked: Any) -> None:
    assert redact_tree(tree, Redactor()) == masked
    assert [found.rule for found in find_tree_secrets(tree)] == ["private-key"]


@pytest.mark.parametrize(
    "tree",
    [
        {"pattern": BEGIN, "path": "src/clew/redact/private/keys"},
        {"pattern": BEGIN, "then": "So it begins, and there is more.", "not": LINE},
        [f"text.startswith('{BEGIN}')", LINE],
        ["how to write", END],
        [BEGIN, END],
    ],
)
def test_what_stands_beside_the_words_of_a_key_stays(tree: Any) -> None:
    assert redact_tree(tree, Redactor()) is tree


def test_the_name_of_a_field_reveals_its_value() -> None:
    tree = {"env": [{"DB_PASSWORD": "trout!", "HOST": "trout!"}], "password": "swordfish1"}

    masked = redact_tree((tree, "the swordfish1"), Redactor())

    fields = {"DB_PASSWORD": "[redacted: password 1]", "HOST": "trout!"}
    assert masked == (
        {"env": [fields], "password": "[redacted: password 2]"},
        "the [redacted: password 2]",
    )
    assert redact_tree(masked, Redactor()) is masked
