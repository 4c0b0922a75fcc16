"""The live strip of the app's pages, out of the sessions that grew lately."""

import datetime as dt

from clew.clock import parse_time
from clew.render.formatting import UNTITLED, duration, money_usd, scaled
from clew.render.site import APP, LiveRow, LiveStrip
from clew.web.cache import ArchiveCache
from clew.web.live_sessions import LiveSession, find_live


def make_strip(
    cache: ArchiveCache, now: dt.datetime, zone: dt.tzinfo, *, is_compact: bool = False
) -> LiveStrip:
    """Return what runs and what waits."""
    found = find_live(cache, now)
    rows = [_row(each, now, zone) for each in found.sessions]
    return LiveStrip(rows=rows, is_compact=is_compact)


def _row(live: LiveSession, now: dt.datetime, zone: dt.tzinfo) -> LiveRow:
    moment = parse_time(live.updated_at)
    place = APP.hit(live.session_id, live.message_id or None, live.call_id or None)
    is_quiet = live.state == "finished" and live.is_inferred
    return LiveRow(
        session_id=live.session_id,
        title=" ".join(live.title.split()) or UNTITLED,
        url=place if live.state == "waiting" else APP.session(live.session_id),
        project=live.project_name,
        project_url=APP.filtered_sessions(project=live.project) or APP.sessions,
        state=live.state,
        reason=live.reason,
        is_inferred=live.is_inferred,
        action=live.last_action,
        action_url=place,
        fill=None if live.context_fill is None else round(100 * live.context_fill),
        fill_title=_fill_title(live),
        context_url=APP.context(live.session_id),
        cost=money_usd(live.cost_usd, live.cost_quality) if live.cost_usd else "",
        at=live.updated_at,
        clock="" if moment is None else f"{moment.astimezone(zone):%H:%M}",
        member=live.member or "",
        quiet=_quiet(moment, now) if is_quiet else "",
    )


def _quiet(moment: dt.datetime | None, now: dt.datetime) -> str:
    """Return for how many minutes nothing came."""
    if moment is None:
        return ""
    minutes = (now - moment) // dt.timedelta(minutes=1)
    return duration(minutes * 60_000)


def _fill_title(live: LiveSession) -> str:
    if live.context_tokens is None or live.context_window is None:
        return ""
    known = "" if live.is_window_known else " (assumed)"
    used, window = scaled(live.context_tokens), scaled(live.context_window)
    return f"Context: {used} of {window} tokens{known}"
