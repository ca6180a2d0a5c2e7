"""Thumbnails of pictures, made once each by a task soon after the upload; what it leaves undone a sweep does."""

import structlog

from catalog.errors import PicturesAway
from catalog.pictures.addresses import WIDTHS, file_of
from catalog.pictures.encoding import thumbnail
from catalog.pictures.storage import read_file, write_file
from catalog.pictures.uploads import pictures

log = structlog.get_logger(__name__)

# Each takes a tenth of a second and more; the next run goes on.
BATCH = 100


def make_thumbnails(picture_id: str) -> bool:
    """Make all thumbnails of this picture; False when there is no such picture, or its file is not whole yet.

    Done twice, or by two at once, each writes the same bytes under the same names.
    """
    document = pictures().find_one({"_id": picture_id, "is_ready": True})
    content = read_file(file_of(document["name"])) if document else None
    if document is None or content is None:
        return False
    for width in WIDTHS:
        write_file(file_of(document["name"], width), thumbnail(content, width))
    pictures().update_one({"_id": picture_id, "name": document["name"]}, {"$set": {"has_thumbnails": True}})
    return True


def sweep_thumbnails() -> int:
    """Make thumbnails that a task has not made, oldest first; returns of how many pictures."""
    owed = pictures().find({"has_thumbnails": False, "is_ready": True}, {"_id": 1}).sort("uploaded_at", 1).limit(BATCH)
    made = 0
    for document in owed:
        try:
            made += make_thumbnails(document["_id"])
        except PicturesAway:
            log.warning("thumbnails_postponed", picture=document["_id"])
            break
    return made
