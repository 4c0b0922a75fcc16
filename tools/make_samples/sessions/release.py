"""A release by a slash command, with a word thrown in while the tests run."""

from tools.make_samples.calls import bash, not_installed
from tools.make_samples.opening import Setting, open_scene
from tools.make_samples.outputs import pytest_passed
from tools.make_samples.projects import ferry
from tools.make_samples.prose import code, prose
from tools.make_samples.scene import Scene
from tools.make_samples.workspace import Workspace

_COMMAND = """
Release version $ARGUMENTS of ferry.

1. The working tree must be clean and the tests must pass.
2. Write the changelog from the commits since the last tag, for people who use ferry.
3. Set the version in `pyproject.toml` and `src/ferry/__init__.py`.
4. Build, commit as `release X`, tag `vX`. Do not push.
"""


def build() -> Scene:
    """Act the session."""
    setting = Setting(at="2026-11-06T13:20:45Z", title="Release ferry 0.4.1")
    scene = open_scene("release", Workspace(ferry.ROOT, ferry.FILES), setting)
    scene.builder.prompt_command(
        "/release", "0.4.1", body=prose(_COMMAND).replace("$ARGUMENTS", "0.4.1")
    )
    scene.context.add(_COMMAND)
    _check(scene)
    _write(scene)
    return scene.end()


def _check(scene: Scene) -> None:
    files = scene.workspace
    scene.act(
        bash(
            "git status --short; git log --oneline v0.4.0..",
            "7be95aa upload: try again when the server is busy\n"
            "4a0c2e9 journal: do not let a test depend on the clock\n"
            "2f6c0d8 docs: say how to resume by hand",
            told="What is new since 0.4.0",
        ),
        files.read("CHANGELOG.md"),
    )
    scene.act(not_installed("pytest", "pytest -q && uv build -q", told="Tests, and a trial build"))
    scene.act(
        bash(
            "uv run pytest -q && uv build -q && ls dist",
            f"{pytest_passed(12, 0.06)}\nferry-0.4.0-py3-none-any.whl\nferry-0.4.0.tar.gz",
            told="Tests, and a trial build",
            seconds=9.8,
        ),
        say="The tree is clean. Three commits, of which users will notice one.",
    )
    scene.steer("Please mention Retry-After, that is what people asked for.", ago=5.2)


def _write(scene: Scene) -> None:
    files = scene.workspace
    scene.act(
        files.edit(
            "CHANGELOG.md",
            "# Changelog\n",
            code("""
            # Changelog

            ## 0.4.1 (2026-11-06)

            - An upload survives a server that is busy: a 429, 502, 503 or 504 is tried again, from
              where the server has got to.
            - `Retry-After` is honoured, up to a minute.
            """)
            + "\n",
        ),
        files.edit("pyproject.toml", 'version = "0.4.0"', 'version = "0.4.1"'),
        files.edit("src/ferry/__init__.py", '"0.4.0"', '"0.4.1"'),
        say="With `Retry-After` in a line of its own:",
    )
    scene.act(
        bash(
            "rm -r dist && uv build -q && ls dist && git commit -qam 'release 0.4.1' && git tag "
            "v0.4.1 && git log --oneline --decorate -1",
            "ferry-0.4.1-py3-none-any.whl\nferry-0.4.1.tar.gz\n"
            "91d3b07 (HEAD -> main, tag: v0.4.1) release 0.4.1",
            told="Build, commit, tag",
            seconds=3.1,
        )
    )
    scene.answer(
        """
        `v0.4.1` is tagged at `91d3b07`, and both files lie in `dist/`. Nothing is pushed; when you
        are ready:

            git push --follow-tags && uv publish
        """
    )
