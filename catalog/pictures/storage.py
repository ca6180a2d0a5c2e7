"""Files of pictures in Django's storage: a folder, or a bucket. A storage that is away is a refusal, not a fault."""

from collections.abc import Iterator
from contextlib import contextmanager

import structlog
from botocore.exceptions import BotoCoreError, ClientError  # type: ignore[import-untyped]
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage

from catalog.errors import PicturesAway

log = structlog.get_logger(__name__)

CONTENT_TYPE = "image/webp"


class _Webp(ContentFile):
    # For buckets: by the ending alone not every machine knows it.
    content_type = CONTENT_TYPE


def write_file(path: str, content: bytes) -> None:
    """Write the file; one that is there already, whole, stays."""
    with _away("write"):
        if not (default_storage.exists(path) and default_storage.size(path) == len(content)):
            default_storage.save(path, _Webp(content))


def read_file(path: str) -> bytes | None:
    """The content; None when there is no such file."""
    with _away("read"):
        try:
            with default_storage.open(path) as file:
                content: bytes = file.read()
                return content
        except FileNotFoundError:
            return None


def has_file(path: str) -> bool:
    with _away("look"):
        return default_storage.exists(path)


def remove_file(path: str) -> None:
    """Remove the file if it is there."""
    with _away("remove"):
        default_storage.delete(path)


@contextmanager
def _away(what: str) -> Iterator[None]:
    try:
        yield
    except (OSError, BotoCoreError, ClientError) as error:
        log.warning("pictures_away", what=what, error=type(error).__name__)
        raise PicturesAway from error
