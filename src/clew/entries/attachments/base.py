"""What all attachments share, and the one for unknown kinds."""

import msgspec

from clew.entries.row import NULL


class Attachment(msgspec.Struct, frozen=True, gc=False, tag_field="type", rename="camel"):
    """Base of all attachments."""


class OtherAttachment(Attachment, frozen=True, tag="other"):
    """An attachment of an unknown kind: the kind and its JSON, unchanged."""

    kind: str = ""
    value: msgspec.Raw = NULL


class BlockingError(msgspec.Struct, frozen=True, gc=False, rename="camel"):
    """What a hook said when it stopped something."""

    blocking_error: str = ""
    command: str = ""


class ModelIdentity(msgspec.Struct, frozen=True, gc=False, rename="camel"):
    """How a model is called."""

    model_id: str = ""
    marketing_name: str = ""
    knowledge_cutoff: str = ""
