"""ReportFindings: what a review found."""

from typing import Final

import msgspec

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


REPORT_FINDINGS: Final = Tool(
    names=("ReportFindings",), input=ReportFindingsInput, result=ReportFindingsResult
)
