"""Requests that are proved by hash, cache breaks by cause, and what compactions lose."""

from collections import Counter
from collections.abc import Iterator

from clew.analytics import CAUSES, describe_cause
from clew.conversation import Conversation, build, is_inherited
from clew.insight import ContextReport, make_context
from clew.sessions import gather, group_sessions, link_neighbours, list_files
from tools.rates.source import Rate, RateSource


def measure(source: RateSource) -> Iterator[Rate]:
    """Count what the contexts of all sessions of a folder are made of."""
    counts: Counter[str] = Counter()
    causes: Counter[str] = Counter()
    for report, conversation in _reports(source):
        _count_requests(counts, report)
        causes.update(_causes(report, conversation))
        for loss in report.compactions:
            counts["files"] += loss.files
            counts["lost files"] += len(loss.lost_files)
            counts["prompts"] += loss.prompts
            counts["lost prompts"] += len(loss.lost_prompts)
    yield Rate("requests proved whole by hash", counts["whole"], counts["requests"])
    yield Rate("hashes of sent messages resolved", counts["resolved"], counts["sent"])
    for cause in CAUSES:
        yield Rate(f"cache breaks: {describe_cause(cause)}", causes[cause], causes.total())
    yield Rate("files that summaries leave out", counts["lost files"], counts["files"])
    yield Rate("prompts that summaries leave out", counts["lost prompts"], counts["prompts"])


def _reports(source: RateSource) -> Iterator[tuple[ContextReport, Conversation]]:
    for root in source.roots():
        files = list_files([root])
        for session in group_sessions(files):
            material = link_neighbours(gather(session), session, files)
            conversation = build(material)
            yield make_context(conversation, material), conversation


def _count_requests(counts: Counter[str], report: ContextReport) -> None:
    for request in report.log.rebuild():
        counts["requests"] += 1
        counts["whole"] += request.proved == 1
        counts["sent"] += len(request.messages)
        counts["resolved"] += len(request.messages) - len(request.missing)


def _causes(report: ContextReport, conversation: Conversation) -> Iterator[str]:
    """Return the causes of breaks in requests that the session itself made."""
    inherited = {
        message.id
        for message in conversation.messages
        if message.usage is not None and is_inherited(message.usage.quality)
    }
    for one in report.breaks:
        if one.found.message_id not in inherited:
            yield one.found.cause
