"""Files to upload: good ones, and those that somebody would send to do harm."""

import struct
import zlib
from io import BytesIO

from PIL import Image

from catalog.documents import PictureDocument
from catalog.pictures.uploads import pictures

# Where the photograph was taken, and by which camera.
EXIF_PLACE = 0x8825
EXIF_CAMERA = 0x010F
EXIF_ORIENTATION = 0x0112
LYING_ON_ITS_SIDE = 6


def photo(width: int = 60, height: int = 40, colour: str = "red") -> bytes:
    """A JPEG of a camera that was held upright: the pixels lie on their side, and EXIF says who, how and where."""
    picture = Image.new("RGB", (width, height), colour)
    exif = picture.getexif()
    exif[EXIF_ORIENTATION], exif[EXIF_CAMERA] = LYING_ON_ITS_SIDE, "Камера Марины"
    exif.get_ifd(EXIF_PLACE)[1] = "N"
    return _saved(picture, "JPEG", exif=exif, comment=b"secret")


def png(width: int = 60, height: int = 40, colour: str = "blue") -> bytes:
    return _saved(Image.new("RGB", (width, height), colour), "PNG")


def webp(width: int, height: int) -> bytes:
    return _saved(Image.new("RGB", (width, height), "white"), "WEBP", quality=1, method=0)


def bomb(width: int = 60_000, height: int = 60_000) -> bytes:
    """A PNG of a few kilobytes that would fill ten gigabytes."""
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    rows = zlib.compress(bytes(1_000_000), 9)
    return b"\x89PNG\r\n\x1a\n" + _chunk(b"IHDR", header) + _chunk(b"IDAT", rows) + _chunk(b"IEND", b"")


def broken() -> bytes:
    """The first half of a photograph."""
    whole = photo(400, 300)
    return whole[: len(whole) // 2]


def stored_picture(name: str) -> PictureDocument | None:
    return pictures().find_one({"name": name})


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def _saved(picture: Image.Image, kind: str, **options: object) -> bytes:
    into = BytesIO()
    picture.save(into, kind, **options)
    return into.getvalue()
