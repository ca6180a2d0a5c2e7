"""An upload becomes a picture of ours: recognised by its content, measured before it is decoded, re-encoded.

Nothing of the file survives but the pixels: no EXIF, no place where it was taken, no profile, no second frame.
"""

import struct
from io import BytesIO
from threading import BoundedSemaphore
from typing import NamedTuple

from django.conf import settings
from PIL import Image, ImageCms, ImageOps

from catalog.errors import NotAPicture, TooManyBytes, TooManyPixels

FORMATS = ("JPEG", "PNG", "WEBP", "GIF")
# Of the picture that is kept: sharp on a large screen, a few hundred kilobytes.
LONGEST_SIDE = 2400
QUALITY = 85
MEGA = 1_000_000
# Pictures that one process decodes at once, a hundred megabytes each at most.
_turns = BoundedSemaphore(2)
# What Pillow raises for files that are broken, by accident or on purpose.
_BROKEN = (OSError, SyntaxError, ValueError, TypeError, IndexError, KeyError, EOFError, OverflowError, struct.error)


class Encoded(NamedTuple):
    content: bytes
    width: int
    height: int


def encoded(content: bytes) -> Encoded:
    """The upload as WebP, upright, at most LONGEST_SIDE long. Raises NotAPicture, TooManyBytes or TooManyPixels."""
    check_bytes(len(content))
    with _turns:
        try:
            return _webp(_shrunk(_opened(content), LONGEST_SIDE))
        except _BROKEN as error:
            raise NotAPicture from error


def check_bytes(number: int) -> None:
    """Raise TooManyBytes for a file of so many; known before it is read."""
    if number > settings.PICTURE_MAX_BYTES:
        raise TooManyBytes(megabytes=_mega(number), limit=_mega(settings.PICTURE_MAX_BYTES))


def thumbnail(content: bytes, width: int) -> bytes:
    """A picture of ours, no wider than this."""
    with _turns:
        picture: Image.Image = Image.open(BytesIO(content), formats=("WEBP",))
        height = max(1, round(picture.height * width / picture.width))
        if picture.width > width:
            picture = picture.resize((width, height), Image.Resampling.LANCZOS)
        return _webp(picture).content


def _opened(content: bytes) -> Image.Image:
    """The picture, of which only the header has been read, if it is one and is not too large."""
    if size := _size_of_webp(content):
        # Pillow makes room for the whole canvas of a WebP as soon as it is opened.
        _check_size(*size)
    try:
        picture = Image.open(BytesIO(content), formats=FORMATS)
    except Image.DecompressionBombError as error:
        limit = _mega(settings.PICTURE_MAX_PIXELS)
        raise TooManyPixels(width="?", height="?", megapixels=f"> {limit}", limit=limit) from error
    _check_size(*picture.size)
    return picture


def _size_of_webp(content: bytes) -> tuple[int, int] | None:
    """Width and height by the file's first chunk; None: it is no WebP."""
    if content[:4] != b"RIFF" or content[8:12] != b"WEBP" or len(content) < 30:
        return None
    match content[12:16]:
        case b"VP8X":
            return 1 + int.from_bytes(content[24:27], "little"), 1 + int.from_bytes(content[27:30], "little")
        case b"VP8L":
            bits = int.from_bytes(content[21:25], "little")
            return 1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF)
        case b"VP8 ":
            width, height = struct.unpack("<HH", content[26:30])
            return width & 0x3FFF, height & 0x3FFF
    return None


def _check_size(width: int, height: int) -> None:
    if width * height > settings.PICTURE_MAX_PIXELS:
        raise TooManyPixels(
            width=width, height=height, megapixels=_mega(width * height), limit=_mega(settings.PICTURE_MAX_PIXELS)
        )


def _shrunk(picture: Image.Image, longest: int) -> Image.Image:
    """The picture decoded, upright, in sRGB, no side longer than this."""
    # A JPEG is decoded at a half, a quarter or an eighth of its size where that is enough.
    picture.draft("RGB", (longest, longest))
    picture.load()
    picture = _in_srgb(_upright(picture))
    has_alpha = picture.mode in ("RGBA", "LA", "PA") or "transparency" in picture.info
    picture = picture.convert("RGBA" if has_alpha else "RGB")
    picture.thumbnail((longest, longest), Image.Resampling.LANCZOS)
    return picture


def _upright(picture: Image.Image) -> Image.Image:
    try:
        return ImageOps.exif_transpose(picture)
    except _BROKEN:
        # EXIF that cannot be read says nothing of the orientation.
        return picture


def _in_srgb(picture: Image.Image) -> Image.Image:
    """The picture in the colours that every screen has: a telephone's are wider, and would look dull without this."""
    profile = picture.info.get("icc_profile")
    if not profile or picture.mode not in ("RGB", "CMYK"):
        return picture
    try:
        source = ImageCms.ImageCmsProfile(BytesIO(profile))
        turned = ImageCms.profileToProfile(picture, source, ImageCms.createProfile("sRGB"), outputMode="RGB")
    except (ImageCms.PyCMSError, *_BROKEN):
        return picture
    return turned or picture


def _webp(picture: Image.Image) -> Encoded:
    picture.info = {}
    into = BytesIO()
    picture.save(into, "WEBP", quality=QUALITY, exif=b"", xmp=b"", icc_profile=b"")
    return Encoded(into.getvalue(), picture.width, picture.height)


def _mega(number: int) -> str:
    return f"{number / MEGA:.1f}".removesuffix(".0")
