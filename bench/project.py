"""An invented project: its folder, its files, and the words for its things."""

from collections.abc import Callable
from functools import cached_property
from typing import Final

from bench.dice import Dice, zipf
from bench.prose import Prose
from bench.shell import COMMANDS, Command
from bench.sources import LANGUAGES, Names, SourceFile, write_lines
from bench.vocabulary import NOUNS, identifiers, invent

HOMES: Final = ("/Users/dev/code", "/home/dev/projects", "/home/dev/code", "/Users/sam/src")
FOLDERS: Final = ("src", "src/core", "internal", "lib", "app", "tests", "cmd", "docs")
BRANCHES: Final = ("feat", "fix", "chore", "refactor")
LINES_PER_COMMAND: Final = 200
Roll = Callable[[], object]


class Project:
    """All that sessions of one folder share; its files change as sessions edit them."""

    def __init__(self, dice: Dice, scale: float = 1.0) -> None:
        """Invent a project; a smaller scale gives smaller files."""
        self.dice = dice
        self.name = "-".join([dice.choice(NOUNS), invent(dice, 1)[0]])
        self.cwd = f"{dice.choice(HOMES)}/{self.name}"
        self.branches = ["main", *(f"{dice.choice(BRANCHES)}/{x}" for x in invent(dice, 6))]
        self.names = _invent_names(dice)
        paths = [self._path() for _ in range(dice.randint(40, 110))]
        self.prose = Prose(dice, self.names.functions, paths)
        self._rolls = Rolls(self)
        self.files = zipf([self._file(path, self._length(scale)) for path in paths])

    @property
    def folder(self) -> str:
        """Give the name that the client's folder for this project has."""
        return "".join(letter if letter.isalnum() else "-" for letter in self.cwd)

    @cached_property
    def outputs(self) -> dict[str, list[str]]:
        """Give lines that each kind of command may print here."""
        return {
            command.text: [
                self.render(pattern)
                for pattern in self.dice.choices(command.output, k=LINES_PER_COMMAND)
            ]
            if command.output
            else []
            for command in COMMANDS
        }

    def file(self) -> SourceFile:
        """Pick a file, a favourite one more often than others."""
        return self.dice.pick(self.files)

    def place(self, file: SourceFile) -> str:
        """Give a file's absolute path."""
        return f"{self.cwd}/{file.path}"

    def new_file(self, count: int) -> SourceFile:
        """Invent a file of so many lines; the project does not keep it."""
        return self._file(self._path(), count)

    def render(self, pattern: str) -> str:
        """Put the project's names into the pattern of a command or of a line it prints."""
        return pattern.format_map(self._rolls)

    def type_command(self, kind: Command) -> tuple[str, str]:
        """Give a command as typed, and what it is for."""
        return self.render(kind.text), self.render(kind.purpose)

    def _path(self) -> str:
        suffix = self.dice.choices(tuple(LANGUAGES), weights=(5, 4, 4, 2, 1))[0]
        return f"{self.dice.choice(FOLDERS)}/{self.dice.choice(self.names.functions)}.{suffix}"

    def _length(self, scale: float) -> int:
        return max(8, int(self.dice.size(390, 0.8, 12, 3_000) * scale))

    def _file(self, path: str, count: int) -> SourceFile:
        return SourceFile(path, lambda suffix: write_lines(self.dice, self.names, suffix, count))


class Rolls(dict[str, object]):
    """What stands for each letter of a pattern: something else every time."""

    def __init__(self, project: Project) -> None:
        super().__init__()
        dice, names = project.dice, project.names
        self._roll: dict[str, Roll] = {
            "p": lambda: project.file().path,
            "i": lambda: dice.choice(names.functions),
            "n": lambda: dice.randint(1, 99),
            "h": lambda: dice.hexadecimal(7),
            "w": lambda: dice.choice(names.phrases),
            "t": lambda: dice.choice(names.types),
        }

    def __missing__(self, letter: str) -> object:
        """Roll anew, and keep nothing."""
        return self._roll[letter]()


def _invent_names(dice: Dice) -> Names:
    words = invent(dice, 120)
    camel = dice.chance(0.4)
    variables = [*dice.sample(NOUNS, 80), *identifiers(dice, words, 60, camel=camel)]
    types = [name.title().replace("_", "") for name in identifiers(dice, words, 90, camel=False)]
    phrases = [
        " ".join(dice.choices([*NOUNS, *words], k=dice.randint(2, 6))).capitalize()
        for _ in range(500)
    ]
    return Names(identifiers(dice, words, 600, camel=camel), variables, types, phrases)
