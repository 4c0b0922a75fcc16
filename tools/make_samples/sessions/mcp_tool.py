"""Tools of an MCP server: a check that cries wolf."""

from typing import Final

from tools.make_samples.calls import bash, mcp
from tools.make_samples.opening import Setting, open_scene
from tools.make_samples.projects import homelab
from tools.make_samples.scene import Scene
from tools.make_samples.workspace import Workspace

_CHECKS: Final = """\
[{"id": 11, "name": "gallery", "url": "https://photos.example.org/health", "state": "up",
  "down_last_7_days": 19, "timeout_s": 2},
 {"id": 12, "name": "notes", "url": "https://notes.example.org/", "state": "up",
  "down_last_7_days": 0, "timeout_s": 10},
 {"id": 14, "name": "git", "url": "https://git.example.org/", "state": "up",
  "down_last_7_days": 0, "timeout_s": 10}]"""

_HISTORY: Final = """\
{"check": "gallery", "failures": [
  {"at": "2026-10-19T00:00:31Z", "error": "timeout after 2 s", "lasted_s": 60},
  {"at": "2026-10-19T00:05:31Z", "error": "timeout after 2 s", "lasted_s": 60},
  {"at": "2026-10-20T00:00:31Z", "error": "timeout after 2 s", "lasted_s": 120}]}"""


def build() -> Scene:
    """Act the session."""
    setting = Setting(at="2026-10-20T18:26:40Z", title="Why the gallery check fails at night")
    scene = open_scene("mcp-tool", Workspace(homelab.ROOT, homelab.FILES), setting)
    scene.prompt("My phone wakes me at two: the gallery is down, then up again. Why?", after=0)
    scene.act(
        mcp("uptime", "list_checks", {}, _CHECKS),
        say="I will ask the uptime server which checks fail, and when.",
    )
    scene.act(
        mcp("uptime", "get_history", {"id": 11, "limit": 3}, _HISTORY),
        bash(
            "systemctl list-timers --all --no-pager | grep -E ' 0[12]:'",
            "Wed 2026-10-21 02:00:00 CEST  gallery-thumbs.timer  gallery-thumbs.service",
            told="What runs at two",
        ),
    )
    scene.act(
        bash(
            "systemctl show gallery-thumbs.service -p CPUWeight -p IOWeight -p Nice",
            "CPUWeight=[not set]\nIOWeight=[not set]\nNice=0",
            told="How greedy it may be",
        ),
        think="""
        The failures are two seconds long timeouts, only at 02:00, when thumbnails are made with
        the same priority as the gallery itself. And this check alone has a timeout of two seconds.
        Two causes, and either fix would do; both are cheap. Changing the check alone would only
        hide that the gallery is slow for people who look at it then. Nobody does at two.
        """,
    )
    scene.answer(
        """
        At two o'clock `gallery-thumbs` makes thumbnails of everything new, with the same priority
        as the gallery. The gallery then answers in three seconds instead of half a second, and its
        check, alone among your checks, gives up after **two**.

        I would do both: let the thumbnails stand back, and give the check ten seconds like the
        others. Shall I?
        """
    )
    scene.prompt("Both, please.", after=0.7)
    files = scene.workspace
    scene.act(
        files.write(
            "gallery/gallery-thumbs.service.d/stand-back.conf",
            "[Service]\nCPUWeight=20\nIOWeight=20\nNice=10\n",
        ),
        mcp(
            "uptime",
            "update_check",
            {"id": 11, "timeout_s": 10},
            '{"id": 11, "name": "gallery", "timeout_s": 10, "updated": true}',
        ),
    )
    scene.answer(
        """
        Done: the thumbnails get a fifth of the usual share when others want the machine, and the
        check waits ten seconds. The drop-in lies in the repository; `make install` puts it in
        place. Sleep well.
        """
    )
    return scene.end()
