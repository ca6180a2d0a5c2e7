"""A picture is uploaded: the same file, sent again or by two at once, is one picture.

Its document comes first, then its file, then the document says that it is ready. Whoever dies in between leaves a
document that the next upload of the same file completes, or the sweep removes with whatever files there are.
"""

import hashlib
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from secrets import token_hex
from typing import NamedTuple

from django.conf import settings
from pymongo import ReturnDocument
from pymongo.collection import Collection
from pymongo.errors import DuplicateKeyError

from catalog.documents import PictureDocument
from catalog.errors import PictureGone
from catalog.models import Picture
from catalog.pictures.addresses import WIDTHS, address_of, file_of
from catalog.pictures.encoding import encoded
from catalog.pictures.storage import has_file, remove_file, write_file
from gateway.audit.trail import Actor
from gateway.background import send_soon
from gateway.mongo.client import collection_of

TASK = "catalog.tasks.make_thumbnails"
PICTURES = Picture._meta.db_table
# How pictures are encoded: with other rules the same file becomes another picture.
RULES = b"webp-1:"
ID_LENGTH = 32
# So often may a picture that is uploaded be on its way out at the very moment.
ATTEMPTS = 3


class Uploaded(NamedTuple):
    name: str
    url: str
    width: int
    height: int


def store_picture(content: bytes, *, actor: Actor) -> Uploaded:
    """Keep the picture and have its thumbnails made soon; returns under which address it is.

    Raises NotAPicture, TooManyBytes, TooManyPixels and PicturesAway. What no product shows within
    PICTURE_ORPHAN_HOURS is removed again.
    """
    picture_id = hashlib.sha256(RULES + content).hexdigest()[:ID_LENGTH]
    known = pictures().find_one({"_id": picture_id, "is_ready": True, "leaving": {"$exists": False}})
    if known and has_file(file_of(known["name"])) and keep_pictures([known["name"]]) == []:
        return _uploaded(known)
    picture = encoded(content)
    document = _claim(picture_id, picture.width, picture.height, actor)
    write_file(file_of(document["name"]), picture.content)
    pictures().update_one({"_id": picture_id, "name": document["name"]}, {"$set": {"is_ready": True}})
    send_soon(TASK, picture_id)
    return _uploaded(document)


def keep_pictures(names: Sequence[str]) -> list[str]:
    """Keep these pictures for a product that is about to show them; returns those that are not there any more."""
    gone = []
    for name in names:
        kept = pictures().update_one(
            {"_id": name[:ID_LENGTH], "name": name, "is_ready": True, "leaving": {"$exists": False}},
            {"$set": {"look_at": _kept_until()}},
        )
        if not kept.matched_count:
            gone.append(name)
    return gone


def remove_picture(document: PictureDocument) -> None:
    """Remove the files of a picture that is leaving, then its document. Repeated, nothing."""
    for width in (None, *WIDTHS):
        remove_file(file_of(document["name"], width))
    pictures().delete_one({"_id": document["_id"], "name": document["name"]})


def pictures() -> Collection[PictureDocument]:
    return collection_of(PICTURES, PictureDocument)


def _claim(picture_id: str, width: int, height: int, actor: Actor) -> PictureDocument:
    """The picture's document, made if need be. A new one has new names: what removes the old files cannot hit them."""
    now = datetime.now(UTC)
    for _ in range(ATTEMPTS):
        try:
            made = pictures().find_one_and_update(
                {"_id": picture_id, "leaving": {"$exists": False}},
                {
                    "$set": {"look_at": _kept_until(), "width": width, "height": height},
                    "$setOnInsert": {
                        "name": picture_id + token_hex(4),
                        "is_ready": False,
                        "has_thumbnails": False,
                        "uploaded_at": now,
                        "uploaded_by": actor.name,
                    },
                },
                upsert=True,
                return_document=ReturnDocument.AFTER,
            )
        except DuplicateKeyError:
            # On its way out, or made by another at this very moment.
            if leaving := pictures().find_one({"_id": picture_id, "leaving": True}):
                remove_picture(leaving)
        else:
            assert made is not None  # noqa: S101 - made if there was none
            return made
    raise PictureGone


def _kept_until() -> datetime:
    return datetime.now(UTC) + timedelta(hours=settings.PICTURE_ORPHAN_HOURS)


def _uploaded(document: PictureDocument) -> Uploaded:
    return Uploaded(document["name"], address_of(document["name"]), document["width"], document["height"])
