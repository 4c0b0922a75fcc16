"""The words of generated text, the commonest first."""

from collections.abc import Iterable
from typing import Final

from bench.dice import Dice

NOUNS: Final = tuple(
    """
    file test function error change code line path value name module type list call request
    response config build user message key class string result session server client state method
    command field table query index cache branch commit option default argument handler parser
    token schema event process thread queue job task worker buffer stream socket header body
    payload record entry row column cursor batch page offset limit timeout retry loop lock
    transaction migration database connection pool store bucket object blob archive folder
    directory link symlink permission owner group role policy secret credential certificate
    signature hash digest checksum prefix suffix pattern match filter rule condition guard
    exception traceback warning log logger level metric counter gauge histogram trace span
    endpoint route router middleware controller view template component widget button form input
    dialog menu panel sidebar toolbar layout style theme colour icon image font asset bundle
    package dependency version release tag changelog license readme document section paragraph
    heading example tutorial fixture mock stub snapshot baseline benchmark profile sample corpus
    dataset vector matrix tensor gradient model weight layer epoch checkpoint pipeline stage step
    graph node edge tree leaf root parent child sibling branchpoint stack heap pointer reference
    allocation leak boundary interval range window deadline schedule clock calendar timezone
    locale currency invoice payment order customer account tenant subscription plan quota usage
    report dashboard chart axis legend tooltip cursorline shortcut gesture animation transition
    """.split()  # noqa: SIM905 (a list of two hundred quoted words is harder to read)
)

VERBS: Final = tuple(
    """
    return call check use add pass handle parse load create update need move read keep show
    render store track fetch resolve validate convert expect trigger register remove replace
    rename delete merge split join wrap match skip ignore retry raise log print emit collect
    filter sort group count measure compare compute cache index flush commit rebase push pull clone
    deploy release install configure enable disable extend override inherit import export
    mount unmount open close lock unlock acquire allocate free copy serialize encode
    decode compress encrypt sign verify hash escape sanitize normalize truncate pad align scroll
    click submit dispatch subscribe publish notify schedule cancel resume pause restart terminate
    spawn wait block yield stream batch paginate
    """.split()  # noqa: SIM905
)

ADJECTIVES: Final = tuple(
    """
    new same empty old current missing wrong existing whole single default first last valid
    failing broken stale local remote global public private internal external optional required
    nested flat shared unique duplicate unused safe strict lazy eager slow fast cold warm large
    small long short deep shallow raw plain typed untyped generic specific explicit implicit
    partial complete final initial temporary permanent visible hidden relative absolute parallel
    sequential idle busy pending active expired verbose quiet minimal robust fragile flaky
    """.split()  # noqa: SIM905
)

ADVERBS: Final = tuple(
    """
    now also only already still just again always never first correctly directly silently
    immediately twice elsewhere explicitly lazily eagerly together separately properly quickly
    rarely usually
    """.split()  # noqa: SIM905
)

SYLLABLES: Final = (
    *("ka", "ro", "ve", "li", "mo", "ta", "den", "sor", "pel"),
    *("nix", "qua", "zen", "bri", "tol", "mar", "eus", "dra", "fin"),
)

FOREIGN: Final = (
    "请检查一下这个函数为什么会返回空值, 然后补上测试。",
    "テストが失敗する理由を調べて、修正してください。",
    "Bitte prüfe, warum die Größe der Übersicht nicht stimmt.",
    "Peux-tu vérifier que la requête échoue dès que le délai est dépassé ?",
    "Añade una opción para mostrar también los archivos ocultos.",
)


def third_person(verb: str) -> str:
    """Give the form that follows he, she or it."""
    return verb + ("es" if verb.endswith(("s", "sh", "ch", "x")) else "s")


def progressive(verb: str) -> str:
    """Give the form that ends in -ing."""
    return (verb[:-1] if verb.endswith("e") and not verb.endswith("ee") else verb) + "ing"


def past(verb: str) -> str:
    """Give a past form, regular even where English has another."""
    return verb + ("d" if verb.endswith("e") else "ed")


def invent(dice: Dice, count: int) -> list[str]:
    """Invent names that no dictionary has, as every project does."""
    return [
        "".join(dice.choices(SYLLABLES, k=dice.randint(2, 4))) + dice.choice(("", "d", "ly", "io"))
        for _ in range(count)
    ]


def identifiers(dice: Dice, words: Iterable[str], count: int, *, camel: bool) -> list[str]:
    """Join words into the names of functions and variables."""
    parts = [*NOUNS, *words]
    names = (
        [dice.choice(VERBS), *dice.choices(parts, k=dice.randint(1, 2))]
        if dice.chance(0.6)
        else dice.choices(parts, k=dice.randint(1, 3))
        for _ in range(count)
    )
    return [
        name[0] + "".join(part.capitalize() for part in name[1:]) if camel else "_".join(name)
        for name in names
    ]
