"""A report of what was masked, without the secrets."""

import msgspec


class SecretFinding(msgspec.Struct, frozen=True):
    """One distinct secret: its rule, its number and how often it occurs.

    `hint` is the public beginning of a token, such as `ghp_`, or empty. `mark` replaces it
    in redacted text.
    """

    rule: str
    number: int
    count: int
    hint: str
    mark: str


class RedactionReport(msgspec.Struct, frozen=True):
    """All that was masked in one export, in the order of first occurrence."""

    findings: tuple[SecretFinding, ...] = ()

    @property
    def counts(self) -> dict[str, int]:
        """How many places were masked, by rule."""
        counts: dict[str, int] = {}
        for finding in self.findings:
            counts[finding.rule] = counts.get(finding.rule, 0) + finding.count
        return counts

    @property
    def total(self) -> int:
        """How many places were masked."""
        return sum(finding.count for finding in self.findings)
