"""Facts → a digest that no model wrote, and the one line that describes a session in lists."""

from collections.abc import Iterable, Iterator
from typing import Final

import msgspec

from clew.conversation import Conversation, build
from clew.digest.facts import gather_facts
from clew.digest.model import (
    EXTRACT,
    TITLE_LENGTH,
    Digest,
    DigestFacts,
    ListedTask,
    Outcome,
    QuotedClaim,
    ReportedCommit,
    SessionDigest,
    TestRun,
    TouchedFile,
)
from clew.digest.outcomes import has_open_work, is_proven
from clew.digest.plain import cut, plain_words
from clew.figures import plural
from clew.sessions import SessionFiles, gather
from clew.tools import short_path

DESCRIPTION_LENGTH: Final = 160
"""So many characters a description has at most."""
_SUBJECT_LENGTH: Final = 80
_COMMAND_LENGTH: Final = 80
_PROMPT_LENGTH: Final = 200
_NAMED_FILES: Final = 3


def make_extract(facts: DigestFacts) -> Digest:
    """Make a digest of facts and quotes alone."""
    summary = tuple(_summary(facts))
    return Digest(
        session_id=facts.session_id,
        title=cut(plain_words(facts.title), TITLE_LENGTH),
        outcome=find_outcome(facts),
        summary=summary,
        open_items=tuple(_open_items(facts)),
        files=facts.files,
        commits=facts.commits,
        tests=facts.tests,
        claims_quoted=sum(bool(claim.quote) for claim in summary),
    )


def extract_session(conversation: Conversation) -> SessionDigest:
    """Make the extract of a session, as pages show it."""
    facts = gather_facts(conversation)
    extract = msgspec.structs.asdict(make_extract(facts))
    return SessionDigest(**extract, description=describe(facts))


def find_outcome(facts: DigestFacts) -> Outcome:
    """Tell what came of a session, as far as facts tell; most of them leave it unclear."""
    has_result = bool(facts.files or facts.commits)
    if facts.is_interrupted:
        return Outcome.PARTLY if has_result else Outcome.ABANDONED
    if has_open_work(facts):
        has_closed = any(not task.is_open for task in facts.todos)
        return Outcome.PARTLY if has_result or has_closed else Outcome.UNCLEAR
    return Outcome.DONE if is_proven(facts) else Outcome.UNCLEAR


def outcome_of_files(session: SessionFiles) -> str:
    """Tell what came of a session by its files, which need not be archived."""
    return str(find_outcome(gather_facts(build(gather(session)))))


def describe(account: DigestFacts | Digest) -> str:
    """Describe a session in one line: what came out, and how its account or last answer begins."""
    tests = account.tests[-1:]
    words = [
        f"{plural(len(account.files), 'file')} changed" if account.files else "",
        plural(len(account.commits), "commit") if account.commits else "",
        _TEST_WORDS[tests[0].has_passed] if tests else "",
        _task_words(account.todos) if isinstance(account, DigestFacts) else "",
        _said(account),
    ]
    return cut(" · ".join(filter(None, words)), DESCRIPTION_LENGTH)


_TEST_WORDS: Final = {True: "tests passed", False: "tests failed", None: "tests run"}


def _summary(facts: DigestFacts) -> Iterator[QuotedClaim]:
    yield _beginning(facts)
    yield _changed(facts)
    if facts.commits:
        yield _committed(facts.commits)
    if facts.tests:
        yield _tested(facts.tests)
    if facts.todos:
        yield QuotedClaim(f"{_task_words(facts.todos)}.")
    yield _ending(facts)


def _beginning(facts: DigestFacts) -> QuotedClaim:
    prompt = facts.first_prompt
    if prompt is None:
        return QuotedClaim("No prompt says what the session was about.")
    said = f'the plan "{_quoted(facts.plan_heading)}"' if facts.plan_heading else ""
    said = said or f'"{cut(_quoted(prompt.quote or prompt.text), _PROMPT_LENGTH)}"'
    return QuotedClaim(
        f"The session began with {said}.", prompt.message_ids, prompt.quote, prompt.speaker
    )


def _changed(facts: DigestFacts) -> QuotedClaim:
    if not facts.files:
        return QuotedClaim("No change of a file was recorded.")
    names = [plain_words(_short(file, facts.cwd)) for file in facts.files[:_NAMED_FILES]]
    others = len(facts.files) - len(names)
    more = [f"{others} more"] if others else []
    listed = _joined([*filter(None, names), *more])
    return QuotedClaim(f"{_were(len(facts.files), 'file')} changed: {listed}.")


def _committed(commits: tuple[ReportedCommit, ...]) -> QuotedClaim:
    last = commits[-1]
    subject = cut(_quoted(last.subject), _SUBJECT_LENGTH)
    named = f'{last.hash}, "{subject}"' if subject else last.hash
    count = plural(len(commits), "commit")
    text = f"Git reported {count}, the last one" if len(commits) > 1 else f"Git reported {count}"
    return QuotedClaim(f"{text}: {named}.", _distinct(commit.message_id for commit in commits))


def _tested(tests: tuple[TestRun, ...]) -> QuotedClaim:
    last = tests[-1]
    ending = {True: "passed", False: "failed", None: "has no clear result"}[last.has_passed]
    result = plain_words(last.result)
    command = cut(plain_words(last.command), _COMMAND_LENGTH)
    runs = f"the last of {len(tests)} test runs" if len(tests) > 1 else "the test run"
    detail = "; ".join(filter(None, (command, result)))
    text = f"{runs[0].upper()}{runs[1:]} {ending}" + (f" ({detail})." if detail else ".")
    return QuotedClaim(text, _distinct(test.message_id for test in tests[-1:]))


def _ending(facts: DigestFacts) -> QuotedClaim:
    how = "The last answer says"
    if facts.is_interrupted:
        how = "The session ended with an interruption"
    elif facts.has_final_error:
        how = "The session ended with an error of the API"
    elif not facts.has_final_answer:
        how = "The session ended without a final answer"
    is_end = facts.has_final_answer and not facts.is_interrupted and not facts.has_final_error
    if not facts.last_answer:
        return QuotedClaim(f"{how}." if not is_end else "The last answer has no sentence to quote.")
    answer = facts.last_answer[0]
    quote = next((one.quote for one in facts.last_answer if one.quote), "")
    lead = f"{how}: " if is_end else f"{how}; the last answer before says: "
    return QuotedClaim(
        f'{lead}"{_quoted(_joined_words(facts.last_answer))}".',
        answer.message_ids,
        quote,
        answer.speaker,
    )


def _joined_words(claims: Iterable[QuotedClaim]) -> str:
    return " ".join(filter(None, (plain_words(claim.text) for claim in claims)))


def _open_items(facts: DigestFacts) -> Iterator[QuotedClaim]:
    for task in facts.todos:
        text = cut(plain_words(task.text), _PROMPT_LENGTH) if task.is_open else ""
        if text:
            yield QuotedClaim(text)


def _said(account: DigestFacts | Digest) -> str:
    if isinstance(account, DigestFacts):
        return _joined_words(account.told or account.last_answer)
    if not account.summary:
        return ""
    last = account.summary[-1]
    return last.quote if account.model == EXTRACT else account.summary[0].text


def _task_words(tasks: tuple[ListedTask, ...]) -> str:
    if not tasks:
        return ""
    closed = sum(not task.is_open for task in tasks)
    return f"{closed} of {plural(len(tasks), 'task')} completed"


def _quoted(text: str) -> str:
    """Return words for use between quotation marks, without their own last full stop."""
    return plain_words(text).removesuffix(".")


def _short(file: TouchedFile, cwd: str) -> str:
    return short_path(file.path, cwd)


def _were(count: int, noun: str) -> str:
    return f"{plural(count, noun)} {'was' if count == 1 else 'were'}"


def _joined(words: list[str]) -> str:
    return " and ".join(filter(None, (", ".join(words[:-1]), words[-1]))) if words else ""


def _distinct(names: Iterator[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(filter(None, names)))
