"""The name of a model → the model: of the API, of the installed client, or of another package.

Another package offers models through the entry-point group `clew.digest_models`: the name of an
entry point is the beginning of their names, its value is a function that takes the rest.
"""

from collections.abc import Callable, Mapping
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any, Final

from clew.digest import DigestModel
from clew.digest_models.anthropic_model import BASE_URL, AnthropicModel, find_access
from clew.digest_models.client_model import CLIENT, ClientModel, client_folder
from clew.digest_models.model_errors import ModelUnknownError
from clew.digest_models.plugin_model import PluginModel
from clew.errors import ClewError
from clew.settings import DigestSettings

GROUP: Final = "clew.digest_models"


def choose_model(
    name: str, settings: DigestSettings, environ: Mapping[str, str], user_home: Path
) -> DigestModel:
    """Return the model of a name, such as `claude-haiku-4-5`, `claude-code` or `local:qwen`.

    Raises:
        ModelError: There is none, or it cannot be used.
    """
    kind, _, rest = name.partition(":")
    if kind == CLIENT:
        return ClientModel(environ, client_folder(environ, user_home), rest)
    offered = sorted(entry_points(group=GROUP, name=kind), key=str)
    if offered:
        return _load(kind, rest, offered[0].value, offered[0].load)
    if rest and not (environ.get(BASE_URL) or settings.base_url):
        # Whoever means a model of a package must not have it sent to the API instead.
        raise ModelUnknownError(
            f"no installed package offers {kind!r} models; install it, or use a model of the API "
            "such as claude-haiku-4-5"
        )
    return AnthropicModel(name, find_access(environ, settings.api_key, settings.base_url))


def _load(kind: str, rest: str, place: str, load: Callable[[], Any]) -> DigestModel:
    """Let another package make a model."""
    try:
        made: DigestModel = load()(rest)
        model = PluginModel(made, place)
        _ = model.name, made.ask, made.highest_cost
    except ClewError:
        raise
    except Exception as error:
        raise ModelUnknownError(
            f"the plug-in {place} cannot make a model of {kind!r}: {type(error).__name__}: {error}"
        ) from error
    return model
