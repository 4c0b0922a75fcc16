"""What digests cost, as a table."""

from typing import TYPE_CHECKING, Final

from clew.cli.table import Column, print_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console

    from clew.store import DigestUsage

DIGEST_USAGE_SCHEMA: Final = "clew.digest_usage/1"
_NANO: Final = 1_000_000_000


def print_digest_usage(rows: "Sequence[DigestUsage]", console: "Console") -> None:
    """Print a row for each model; a cost with ≥ leaves out requests of unknown cost."""
    columns: list[Column[DigestUsage]] = [
        Column("model", lambda row: row.model, takes_rest=True),
        Column("sessions", lambda row: f"{row.sessions:,}", is_number=True),
        Column("requests", lambda row: f"{row.calls:,}", is_number=True),
        Column("failed", lambda row: f"{row.failed_calls:,}", rank=2, is_number=True),
        Column("input", lambda row: f"{row.input_tokens:,}", rank=1, is_number=True),
        Column("output", lambda row: f"{row.output_tokens:,}", rank=1, is_number=True),
        Column("cost", _cost, is_number=True),
    ]
    print_table(columns, list(rows), console)


def _cost(row: "DigestUsage") -> str:
    bound = "≥ " if row.unknown_calls else ""
    return f"{bound}${row.cost_nano_usd / _NANO:.4f}"
