"""ReportFindings: what a review found."""

from collections.abc import Iterator
from typing import Final

import msgspec

from clew.conversation import ToolCall
from clew.parts import Fold, Note, Part, Prose
from clew.tools.pieces import facts, options, prose
from clew.tools.tool import Number, Tool


class Finding(msgspec.Struct, frozen=True):
    """One defect, where it is and how it shows."""

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

    findings: tuple[Finding, ...] | str
    level: str = ""


class ReportFindingsResult(msgspec.Struct, frozen=True):
    """The same findings, counted."""

    findings: tuple[Finding, ...]
    count: Number | None = None
    level: str = ""


def label(report: ReportFindingsInput, _cwd: str) -> str:
    """Count the findings, and tell the worst."""
    if isinstance(report.findings, str) or not report.findings:
        return ""
    first = report.findings[0]
    return f"{len(report.findings)}: {first.short_summary or first.summary}"


def parts(
    report: ReportFindingsInput, _result: ReportFindingsResult | None, call: ToolCall
) -> Iterator[Part]:
    """Show each finding below its place."""
    if isinstance(report.findings, str):
        yield from options(call)
        return
    yield from options(call, "findings")
    for finding in report.findings:
        yield Fold(_title(finding), tuple(_finding_parts(finding)), is_open=True)
    if not report.findings:
        yield Note("no findings")


def _title(finding: Finding) -> str:
    at = "" if finding.line is None else f":{finding.line:.0f}"
    place = f"{finding.file}{at}" if finding.file else ""
    return " · ".join(filter(None, (place, finding.short_summary))) or "finding"


def _finding_parts(finding: Finding) -> Iterator[Part]:
    yield Prose(finding.summary)
    yield from prose(finding.failure_scenario)
    yield from facts(
        ("category", finding.category), ("verdict", finding.verdict), ("outcome", finding.outcome)
    )


REPORT_FINDINGS: Final = Tool(
    names=("ReportFindings",),
    input=ReportFindingsInput,
    result=ReportFindingsResult,
    label=label,
    parts=parts,
)
