"""The options of the filter table, the same for every command that lists, counts or finds."""

import datetime as dt
from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any, Final

import click
from click.shell_completion import CompletionItem

from clew.analytics import FILTERS, Filter, FilterSet, ReadContext
from clew.api import absolute_path
from clew.archive import open_archive
from clew.cli.zones import zone_of
from clew.errors import ClewError, UsageError

_MOST_COMPLETIONS: Final = 50


class FilterOption(click.Option):
    """An option that is a filter; help lists these in a group of their own."""


class FilteredCommand(click.Command):
    """A command whose help lists filters apart from other options."""

    # typing.override comes with Python 3.12
    def format_options(  # type: ignore[explicit-override]
        self, ctx: click.Context, formatter: click.HelpFormatter
    ) -> None:
        """Write the two groups of options."""
        groups: dict[str, list[tuple[str, str]]] = {"Filters": [], "Options": []}
        for option in self.get_params(ctx):
            record = option.get_help_record(ctx)
            if record is not None and not isinstance(option, click.Argument):
                is_filter = isinstance(option, FilterOption)
                groups["Filters" if is_filter else "Options"].append(record)
        for title, records in groups.items():
            if records:
                with formatter.section(title):
                    formatter.write_dl(records)


def filter_options(function: Callable[..., None]) -> Callable[..., None]:
    """Add all filters to a command, which takes them as one argument `filters`."""
    return _add_filters(function, FILTERS)


def filter_options_without_model(function: Callable[..., None]) -> Callable[..., None]:
    """Add the filters to a command whose --model is another option."""
    return _add_filters(function, [each for each in FILTERS if each.name != "model"])


def _add_filters(function: Callable[..., None], filters: Sequence[Filter]) -> Callable[..., None]:
    @wraps(function)
    def with_filters(*positional: Any, **named: Any) -> None:
        chosen = {each.name: named.pop(each.name) for each in filters}
        function(*positional, filters=FilterSet(**chosen), **named)

    for each in reversed(filters):
        click.option(
            f"--{each.word}",
            each.name,
            cls=FilterOption,
            callback=_reader(each),
            metavar=each.metavar,
            help=each.help,
            shell_complete=_completer(each) if each.has_values else None,
            is_flag=False,
            flag_value=each.bare,
        )(with_filters)
    return with_filters


def _reader(each: Filter) -> Callable[[click.Context, click.Parameter, str | None], str | None]:
    def read(context: click.Context, _option: click.Parameter, text: str | None) -> str | None:
        if text is None:
            return None
        now = dt.datetime.now(zone_of(context))
        try:
            return each.read(text, ReadContext(now, absolute_path))
        except UsageError as error:
            raise click.BadParameter(str(error)) from error

    return read


def _completer(
    each: Filter,
) -> Callable[[click.Context, click.Parameter, str], list[CompletionItem]]:
    """Complete from the values in the archive, as it is."""

    def complete(
        _context: click.Context, _option: click.Parameter, start: str
    ) -> list[CompletionItem]:
        try:
            with open_archive() as archive:
                known = archive.filter_values(each.name) if archive.exists else []
        except (ClewError, OSError):
            return []
        wanted = start.casefold()
        found = [value for value in known if value.casefold().startswith(wanted)]
        return [CompletionItem(value) for value in found[:_MOST_COMPLETIONS]]

    return complete
