"""Whole pages: valid, harmless, complete."""

import base64
import hashlib
import html
import re
from pathlib import Path
from typing import Any

import msgspec
import pytest

from clew.render.html import (
    AppLinks,
    HtmlOptions,
    render_frame,
    render_html,
    render_section,
    script,
    stylesheet,
)
from clew.sessions import load
from clew.view import (
    BranchView,
    ChangedFile,
    Detail,
    ForkView,
    FrameView,
    Header,
    Item,
    KindCount,
    Mark,
    MessageView,
    ProblemNote,
    RunView,
    SessionPage,
    SourceLine,
    UsageView,
    ViewOptions,
    make_page,
)
from tests.build import Agent, Call, SessionBuilder
from tests.recordings import HERE, Recording, parameters
from tests.unit.render.html.parsing import find, parse, text_of
from tests.unit.render.shapes import HEADER, ITEMS, PARTS, message, page_of

EVIL = (
    "</script></style><script>alert(1)</script><img src=x onerror=alert(1)>"
    "\"'{{7*7}}\u202e\x00\x1b[2J"
)
# What the types of these fields promise is what our own code puts in them.
CLOSED = {"tone", "part", "item"}
HANDLER = re.compile("on[a-z]+")


def whole(page: SessionPage, options: HtmlOptions | None = None) -> str:
    return "".join(render_html(page, options))


def poisoned(value: Any) -> Any:
    """Put hostile text wherever a transcript could have put some."""
    if isinstance(value, str):
        return EVIL
    if isinstance(value, tuple):
        return tuple(poisoned(each) for each in value)
    if isinstance(value, ForkView):
        return msgspec.structs.replace(value, branches=poisoned(value.branches))
    if isinstance(value, msgspec.Struct):
        names = [name for name in value.__struct_fields__ if name not in CLOSED]
        changed = {name: poisoned(getattr(value, name)) for name in names}
        return msgspec.structs.replace(value, **changed)
    return value


def everything() -> SessionPage:
    """Make a page that has all there is."""
    page = page_of(*ITEMS.values(), message("answer", *(p for ps in PARTS.values() for p in ps)))
    header = msgspec.structs.replace(
        HEADER,
        files=(ChangedFile("src/a.py", 2, 1, 1),),
        lineage=(("resumed from", "s-0"),),
        pr_urls=("https://example.org/pull/1",),
        first_prompt="Mend it",
        resume="claude --resume s-1",
        unpriced_models=("new",),
    )
    frame = msgspec.structs.replace(
        page.frame,
        header=header,
        marks=(Mark("turn-1", "prompt"), Mark("c", "compaction", "warn"), Mark("x", "tool", "bad")),
        kinds=(KindCount("prompt", (0, 3, 3, 3, 3)), KindCount("answer", (0, 0, 2, 2, 2))),
        problems=(ProblemNote("error", "broken", "cut off", SourceLine("s.jsonl", 3, 99)),),
    )
    return msgspec.structs.replace(page, frame=frame)


def test_a_page_of_everything_is_valid() -> None:
    parse(whole(everything()))


@pytest.mark.parametrize("recording", parameters(HERE))
def test_the_page_of_every_recording_is_valid(recording: Recording) -> None:
    for path in recording.transcripts()[:3]:
        page = make_page(load(path), ViewOptions())

        parse(whole(page))


def test_the_policy_names_the_styles_and_scripts_that_stand_in_the_page() -> None:
    tree = parse(whole(page_of(ITEMS["prompt"])))

    policy = next(m.get("content", "") for m in find(tree, "meta") if m.get("http-equiv"))
    texts = [
        *find(tree, "style"),
        *(s for s in find(tree, "script") if s.get("type") != "application/json"),
    ]
    for element in texts:
        digest = base64.b64encode(hashlib.sha256(text_of(element).encode()).digest()).decode()
        assert f"'sha256-{digest}'" in policy
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe" not in policy
    assert "http" not in policy


def test_no_text_of_a_transcript_is_ever_markup() -> None:
    page = poisoned(everything())

    tree = parse(whole(page))

    ours = len(list(find(parse(whole(page_of())), "script")))
    assert len(list(find(tree, "script"))) == ours
    assert len(list(find(tree, "style"))) == 1
    for element in tree.iter():
        assert not any(HANDLER.fullmatch(name) or name == "style" for name in element.keys())  # noqa: SIM118 (an element is no dict)


def test_no_address_of_a_page_leads_out_but_to_the_web() -> None:
    tree = parse(whole(poisoned(everything())))

    for element in tree.iter():
        assert element.get("href", "#").startswith(("#", "https://", "http://", "mailto:"))
        assert element.get("src", "data:image/png").startswith("data:image/")


def test_no_control_character_reaches_a_page() -> None:
    html = whole(poisoned(everything()))

    assert re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", html) is None


def test_template_syntax_in_a_transcript_is_words() -> None:
    html = whole(page_of(message("prompt", title="{{ 7 * 7 }}{% raw %}")))

    assert "{{ 7 * 7 }}{% raw %}" in text_of(parse(html))


def test_half_a_character_can_be_written_to_a_file() -> None:
    html = whole(page_of(message("prompt", *PARTS["prose"], title="a\ud800", who="\udfff")))

    assert html.encode("utf-8")


def test_ids_of_elements_are_those_of_the_conversation() -> None:
    html = render_section(page_of(ITEMS["agent_run"]).sections[0], HtmlOptions())

    assert {'id="m-answer"', 'id="r-run"'} <= set(re.findall(r'id="[^"]*"', html))


def test_an_answer_that_only_calls_shows_with_its_calls() -> None:
    called = message("answer", *(p for p in ITEMS["agent_run"].body))  # type: ignore[union-attr] # a message

    html = render_section(page_of(called).sections[0], HtmlOptions())

    assert f'data-kind="answer" data-level="{Detail.TOOLS.value}"' in html


def test_answers_of_one_model_read_as_one_text() -> None:
    def said(number: int, who: str) -> MessageView:
        return message("answer", *PARTS["note"], id=f"a{number}", who=who)

    items = (said(1, "Opus"), said(2, "Opus"), said(3, "Haiku"))
    html = render_section(page_of(*items).sections[0], HtmlOptions())

    assert re.findall(r'class="(message answer[^"]*)"', html) == [
        "message answer",
        "message answer follows",
        "message answer",
    ]


def test_an_answer_after_a_compaction_begins_anew() -> None:
    def said(number: int) -> MessageView:
        return message("answer", *PARTS["note"], id=f"a{number}", who="Opus")

    items = (said(1), ITEMS["compaction"], said(2))
    html = render_section(page_of(*items).sections[0], HtmlOptions())

    assert "follows" not in html


def test_tokens_of_which_more_were_written_say_so() -> None:
    spent = UsageView(given_tokens=12_000, written_tokens=1, is_lower_bound=True)

    html = render_section(page_of(message("answer", spent=spent)).sections[0], HtmlOptions())

    assert "12.0 k → 1+" in html
    assert "at least 1 written" in html


def test_a_run_of_its_own_page_is_linked_by_its_prefix() -> None:
    section = page_of(ITEMS["linked_run"]).sections[0]

    there = render_section(section, HtmlOptions(run_prefix="runs/", run_suffix=".html"))

    assert 'href="runs/far.html"' in there
    assert 'href="#r-far"' in render_section(section, HtmlOptions())


def nested(depth: int) -> Item:
    item: Item = message("prompt", *PARTS["note"], id="deepest")
    for level in range(depth):
        if level % 2:
            item = RunView(id=f"r{level}", agent="a", title="t", kind="agent", items=(item,))
        else:
            branch = BranchView(id=f"b{level}", title="t", items=(item,))
            item = ForkView(id=f"f{level}", branches=(branch,))
    return item


def test_what_is_nested_without_end_is_shown_nevertheless() -> None:
    html = render_section(page_of(nested(150)).sections[0], HtmlOptions())

    assert 'id="m-deepest"' in html


def test_a_frame_has_a_line_for_each_turn_and_the_facts() -> None:
    pieces = render_frame(everything().frame, HtmlOptions(home_url="/", project_url="/p"))

    assert '<a href="#m-turn-1" data-turn="1">' in pieces.outline
    assert "1 file +2 \u22121" in pieces.facts
    assert '<a href="&#x2f;p"><bdi>demo</bdi></a>' in pieces.top


def test_an_empty_page_is_a_page() -> None:
    page = SessionPage(frame=FrameView(header=Header(id="", title=""), detail="tools"))

    assert "Untitled session" in text_of(parse(whole(page)))


def test_the_map_draws_errors_last_and_hides_what_the_detail_hides() -> None:
    marks = (Mark("a", "tool", "bad", 3), Mark("b", "answer", "", 2), Mark("c", "hook", "", 4))
    frame = msgspec.structs.replace(page_of().frame, marks=marks)

    pieces = render_frame(frame, HtmlOptions())

    assert re.findall(r'<path class="(\w+)"', pieces.map) == ["answer", "bad"]
    assert msgspec.json.decode(pieces.marks)[2] == ["m-c", "hook", 4, 0, 1, 0]


def test_a_page_opens_at_the_detail_that_was_asked_for() -> None:
    html = whole(page_of(), HtmlOptions(detail=Detail.TALK))

    assert '<body data-detail="2"' in html
    assert '<option value="2" data-name="talk" selected>' in html


def test_code_is_coloured_only_where_that_is_wanted() -> None:
    assert len(whole(page_of(), HtmlOptions(highlight=False))) < len(whole(page_of()))


def test_styles_and_scripts_stand_on_their_own() -> None:
    for text in (stylesheet(), script()):
        assert "http://" not in text.replace("http://www.w3.org/2000/svg", "")
        assert "https://" not in text
        assert "import " not in re.sub(r'"[^"]*"', "", text)


def test_prompts_that_are_not_all_turns_are_told_with_the_turns(tmp_path: Path) -> None:
    session = SessionBuilder("both").prompt_command("plan", body="Plan it.").assistant("Planned.")
    path = session.user("Build it").assistant("Built.").write(tmp_path)

    page = whole(make_page(load(path), ViewOptions()))

    assert "1 prompt, 2 turns" in page


def test_errors_of_agent_runs_alone_lead_to_the_runs(tmp_path: Path) -> None:
    failing = Call("Bash", {"command": "false"}, "exit 1", error=True)
    session = SessionBuilder("runs").user("Look")
    session.tools(Agent("Look", "Look around", lambda run: run.tools(failing), "Explore"))
    frame = make_page(load(session.write(tmp_path)), ViewOptions()).frame

    pieces = render_frame(frame, HtmlOptions(app=AppLinks("/sessions/s-1", "/sessions")))

    told = html.unescape(str(pieces.facts))
    assert '<li class="bad"><a href="/sessions/s-1/agents"><bdi>1 error</bdi></a></li>' in told
