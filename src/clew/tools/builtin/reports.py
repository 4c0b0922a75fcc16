"""StructuredOutput and ReportFindings: answers in a fixed shape."""

from collections.abc import Iterator
from typing import Any, Final

import msgspec

from clew.conversation import ToolCall
from clew.parts import Fold, Note, Part, Prose
from clew.tools.display import fields, input_fields, json_code, prose, words
from clew.tools.tool import Number, Tool


class StructuredOutputInput(msgspec.Struct, frozen=True):
    """The answer; its keys are the caller's."""

    output: Any


class StructuredOutputResult(msgspec.Struct, frozen=True):
    """The confirmation."""

    message: str


def _read_answer(_arguments: object, text: str) -> StructuredOutputResult:
    """Take the text as the message."""
    return StructuredOutputResult(text)


def _answer_parts(
    _answer: object, result: StructuredOutputResult | None, call: ToolCall
) -> Iterator[Part]:
    """Show the answer as JSON."""
    yield json_code(bytes(call.input))
    if result is not None:
        yield from words(result.message)


STRUCTURED_OUTPUT: Final = Tool(
    names=("StructuredOutput",),
    input=StructuredOutputInput,
    result=StructuredOutputResult,
    parts=_answer_parts,
    read_text=_read_answer,
    whole_input="output",
)


class ReviewFinding(msgspec.Struct, frozen=True):
    """One defect, its position and its effect."""

    summary: str
    file: str = ""
    line: Number | None = None
    short_summary: str = ""
    failure_scenario: str = ""
    category: str = ""
    verdict: str = ""
    outcome: str = ""


class ReportFindingsInput(msgspec.Struct, frozen=True):
    """The findings, worst first."""

    findings: tuple[ReviewFinding, ...] | str
    level: str = ""


class ReportFindingsResult(msgspec.Struct, frozen=True):
    """The same findings, counted."""

    findings: tuple[ReviewFinding, ...]
    count: Number | None = None
    level: str = ""


def _findings_label(report: ReportFindingsInput, _cwd: str) -> str:
    """Count the findings, and name the worst."""
    if isinstance(report.findings, str) or not report.findings:
        return ""
    first = report.findings[0]
    return f"{len(report.findings)}: {first.short_summary or first.summary}"


def _findings_parts(
    report: ReportFindingsInput, _result: ReportFindingsResult | None, call: ToolCall
) -> Iterator[Part]:
    """Show each finding below its position."""
    if isinstance(report.findings, str):
        yield from input_fields(call)
        return
    yield from input_fields(call, "findings")
    for finding in report.findings:
        yield Fold(_title(finding), tuple(_finding_parts(finding)), is_open=True)
    if not report.findings:
        yield Note("No findings")


def _title(finding: ReviewFinding) -> str:
    at = "" if finding.line is None else f":{finding.line:.0f}"
    place = f"{finding.file}{at}" if finding.file else ""
    return " · ".join(filter(None, (place, finding.short_summary))) or "Finding"


def _finding_parts(finding: ReviewFinding) -> Iterator[Part]:
    yield Prose(finding.summary)
    yield from prose(finding.failure_scenario)
    yield from fields(
        ("Category", finding.category), ("Verdict", finding.verdict), ("Outcome", finding.outcome)
    )


REPORT_FINDINGS: Final = Tool(
    names=("ReportFindings",),
    input=ReportFindingsInput,
    result=ReportFindingsResult,
    label=_findings_label,
    parts=_findings_parts,
)
