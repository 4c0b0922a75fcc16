"""A dossier as Markdown, for a pull request, a review or a note."""

from collections.abc import Iterator

from clew.render.formatting import UNTITLED, money_usd, plural
from clew.render.markdown.inline import code_span, inline, quoted, set_apart
from clew.render.markdown.prose import contain
from clew.view import Dossier, DossierCommit, DossierSession, DossierTest, DossierTurn

_HASH = 10
_KINDS = {"commit": "commit", "range": "range", "pull_request": "pull request"}
_EVIDENCE = {"commit": "made a commit", "lines": "wrote lines", "pull_request": "pull request"}
_PASSED = {True: "passed", False: "failed", None: "no clear result"}
_MOST_FILES = 12


def render_dossier_markdown(dossier: Dossier) -> str:
    """Return a dossier as Markdown; nothing of a transcript can break out of its place."""
    return "".join(set_apart(_blocks(dossier)))


def _blocks(dossier: Dossier) -> Iterator[str]:
    yield f"# Dossier: {_KINDS.get(dossier.kind, dossier.kind)} {inline(dossier.name)}"
    yield " · ".join(_facts(dossier))
    if dossier.url:
        yield inline(dossier.url)
    if dossier.commits:
        yield "## Commits"
        yield "\n".join(_commit(commit) for commit in dossier.commits)
    for session in dossier.sessions:
        yield from _session(session)
    if dossier.notes:
        yield "## Notes"
        yield "\n".join(f"- {inline(note)}" for note in dossier.notes)


def _facts(dossier: Dossier) -> Iterator[str]:
    if dossier.commits:
        yield plural(len(dossier.commits), "commit")
    yield plural(len(dossier.sessions), "session")
    yield plural(sum(len(session.turns) for session in dossier.sessions), "prompt")
    if dossier.sessions:
        yield money_usd(dossier.cost_usd, dossier.quality)
    lines = sum(commit.lines for commit in dossier.commits)
    if lines:
        written = sum(commit.session_lines for commit in dossier.commits)
        yield f"{written:,} of {lines:,} new lines written by sessions"


def _commit(commit: DossierCommit) -> str:
    known = f"{commit.session_lines:,} of {plural(commit.lines, 'line')} by sessions"
    return (
        f"- {code_span(commit.hash[:_HASH])} {inline(commit.subject)}"
        f" ({inline(commit.author)}, {commit.committed_at[:10]}; {known})"
    )


def _session(session: DossierSession) -> Iterator[str]:
    yield f"## {inline(session.title) or UNTITLED}"
    evidence = ", ".join(_EVIDENCE.get(each, each) for each in session.evidence)
    facts = [
        code_span(session.id),
        f"{session.started_at[:16].replace('T', ' ')} UTC" if session.started_at else "",
        inline(session.branch or ""),
        evidence,
        plural(session.lines, "line") if session.lines else "",
        money_usd(session.cost_usd, session.quality),
    ]
    yield " · ".join(filter(None, facts))
    for turn in session.turns:
        yield from _turn(turn)


def _turn(turn: DossierTurn) -> Iterator[str]:
    name = f"Turn {turn.turn}" if turn.turn else "Before the first prompt"
    cost = "" if turn.cost_usd is None else f" · {money_usd(turn.cost_usd, 'exact')}"
    yield f"### {name}{cost}"
    if turn.prompt:
        yield quoted([contain(turn.prompt, 3)])
    lines = [*_decisions(turn), *_files(turn), *map(_test, turn.tests)]
    lines += [f"- Commit {code_span(name[:_HASH])}" for name in turn.commits]
    if lines:
        yield "\n".join(lines)


def _decisions(turn: DossierTurn) -> Iterator[str]:
    for each in turn.decisions:
        if each.kind == "plan":
            title = each.text.strip().partition("\n")[0].lstrip("# ")
            yield f"- Plan {each.answer}: {inline(title)}"
        else:
            yield f"- Asked: {inline(each.text)} Answered: **{inline(each.answer)}**"


def _files(turn: DossierTurn) -> Iterator[str]:
    for file in turn.files[:_MOST_FILES]:
        counts = "" if file.added is None else f" +{file.added:,} -{file.removed or 0:,}"
        yield f"- Changed {code_span(file.path)}{counts}"
    if len(turn.files) > _MOST_FILES:
        yield f"- and {plural(len(turn.files) - _MOST_FILES, 'more file')}"


def _test(test: DossierTest) -> str:
    result = f": {inline(test.result)}" if test.result else ""
    return f"- Tests {_PASSED[test.has_passed]}: {code_span(test.command)}{result}"
